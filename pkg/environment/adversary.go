package environment

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Adversary is a bandit without contexts whose rewards are fixed before round 1, all of them, by
// somebody who knows the learner's program and not its random draws (an oblivious adversary).
//
// Rewards are 0 or 1. Their means follow a plan in phases, each longer than the one before by the
// factor Growth, and there is no law that stays. So regret is in hindsight: after t rounds, what
// the best single arm has gained in them less what the learner has. It is 0 at best for who plays
// one arm throughout, and negative for who gains more than any single arm. In a trial, the rewards
// of all arms and rounds are drawn from the contexts' stream, so that all learners meet the same.
//
//	env := environment.Adversary{Plan: environment.Turns, Arms: 5}
type Adversary struct {
	Plan   AdversaryPlan // how the means move; the zero value is Seesaw
	Arms   int           // number of arms K, >= 2; 0 means 10
	Gap    float64       // of the best arm's mean to all others', in (0, 1]; 0 means 0.1
	Growth float64       // factor of the phases' lengths, in [1, 1e6]; 0 means 1.6
}

// AdversaryPlan says how the means of an Adversary move.
type AdversaryPlan int

const (
	// Seesaw keeps the best arm and moves all means up and down: the best arm's and the others' are 1
	// and 1 - Gap in odd phases, and Gap and 0 in even ones. It is the stochastically constrained
	// adversary of Zimmert and Seldin (2021). A trial draws the best arm.
	Seesaw AdversaryPlan = iota
	// Turns makes another arm the best in each phase, one after the other, in an order that a trial
	// draws. Its mean is (1 + Gap)/2, and the others' (1 - Gap)/2. In the end, the best single arm
	// is one that was good late.
	Turns
	// Steady is a law that stays: (1 + Gap)/2 for the best arm, which a trial draws, and (1 - Gap)/2
	// for the others. With a Gap of sqrt(K/T), no learner has less than a fixed fraction of sqrt(KT)
	// after T rounds (Auer, Cesa-Bianchi, Freund, Schapire 2002).
	Steady
)

// String returns the plan's name.
func (p AdversaryPlan) String() string {
	if names := []string{"Seesaw", "Turns", "Steady"}; p >= 0 && int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("AdversaryPlan(%d)", int(p))
}

// mostPhase bounds the length of a phase: no horizon is as long.
const mostPhase = 1 << 52

// defaults returns the description with its defaults filled in.
func (e Adversary) defaults() Adversary {
	if e.Arms == 0 {
		e.Arms = 10
	}
	if e.Gap == 0 {
		e.Gap = 0.1
	}
	if e.Growth == 0 {
		e.Growth = 1.6
	}
	return e
}

// Problem describes the environment to a learner.
func (e Adversary) Problem() bandit.Problem {
	return bandit.Problem{Arms: e.defaults().Arms, Slots: 1, RewardMin: 0, RewardMax: 1}
}

// Open returns an error if a field is out of its range.
func (e Adversary) Open() (bandit.World, error) {
	d := e.defaults()
	switch {
	case d.Plan < Seesaw || d.Plan > Steady:
		return nil, fmt.Errorf("environment: Adversary.Plan = %v, want Seesaw, Turns or Steady", e.Plan)
	case d.Arms < 2:
		return nil, fmt.Errorf("environment: Adversary.Arms = %d, want >= 2, or 0 for 10", e.Arms)
	case !(d.Gap > 0 && d.Gap <= 1):
		return nil, fmt.Errorf("environment: Adversary.Gap = %v, want in (0, 1], or 0 for 0.1", e.Gap)
	case !(d.Growth >= 1 && d.Growth <= 1e6):
		return nil, fmt.Errorf("environment: Adversary.Growth = %v, want in [1, 1e6], or 0 for 1.6", e.Growth)
	}
	if err := checkSize("Adversary", 4*float64(d.Arms), 0); err != nil {
		return nil, err
	}
	return bandit.NewWorld(d.Problem(), func(contexts *rand.Rand) bandit.Instance {
		t := &adversary{of: d, draws: contexts, order: contexts.Perm(d.Arms),
			rewards: make([]float64, d.Arms), gains: make([]float64, d.Arms), length: 1}
		t.begin()
		t.draw() // what a pull before round 1 shows, which no round counts
		return t
	}), nil
}

// adversary is a trial of Adversary.
type adversary struct {
	of      Adversary
	draws   *rand.Rand
	order   []int     // of the arms that are best
	rewards []float64 // of this round, by arm
	gains   []float64 // of the rounds so far, by arm
	most    float64   // the largest gain
	gained  float64   // by how much this round has raised it
	round   int
	phase   int     // from 1
	length  float64 // of the next phase
	left    int     // rounds until it begins

	best       int
	good, poor float64 // means of the best arm and of the others
}

// begin begins a phase.
func (t *adversary) begin() {
	t.left = int(math.Ceil(t.length))
	t.length = min(float64(t.length*t.of.Growth), mostPhase)
	t.phase++
	gap := t.of.Gap
	t.best, t.good, t.poor = t.order[0], (1+gap)/2, (1-gap)/2
	switch t.of.Plan {
	case Seesaw:
		if t.good, t.poor = 1, 1-gap; t.phase%2 == 0 {
			t.good, t.poor = gap, 0
		}
	case Turns:
		t.best = t.order[(t.phase-1)%len(t.order)]
	}
}

// draw draws the rewards of all arms.
func (t *adversary) draw() {
	for a := range t.rewards {
		mean := t.poor
		if a == t.best {
			mean = t.good
		}
		t.rewards[a] = 0
		if t.draws.Float64() < mean {
			t.rewards[a] = 1
		}
	}
}

// Next draws the next round's rewards, whatever was pulled.
func (t *adversary) Next(v *bandit.View) {
	if t.left == 0 {
		t.begin()
	}
	t.left--
	t.round++
	t.draw()
	before := t.most
	for a, y := range t.rewards {
		t.gains[a] += y
		t.most = max(t.most, t.gains[a])
	}
	t.gained = t.most - before
	v.Round, v.Arms, v.Dim, v.X, v.Same = t.round, len(t.rewards), 0, nil, t.round > 1
}

// Pull reads the rewards off.
func (t *adversary) Pull(_ *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = t.rewards[a]
	}
}

// Regret returns by how much the round raises the regret in hindsight: the gain of the best single
// arm so far, less what it was, less the rewards of the arms.
func (t *adversary) Regret(arms []int) float64 {
	regret := t.gained
	for _, a := range arms {
		regret -= t.rewards[a]
	}
	return regret
}
