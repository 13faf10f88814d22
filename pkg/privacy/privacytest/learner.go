package privacytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LearnerCase is a learner with a plan of its own, to be checked by Learner.
type LearnerCase struct {
	Name    string // name of the attack; its streams of randomness depend on it
	Learner bandit.Learner
	Problem bandit.Problem
	Long    int // rounds of the longest run; 0 means 300
	Attack  int // runs of the attack in each world; 0 means 3000
	// Transcript appends what the learner has released by the end of a round. nil means all that the
	// statistic of a learner.Private shows, and of any other learner the arms alone.
	Transcript func(run bandit.Run, round int, dst []float64) []float64
}

// Learner checks a learner with a plan of its own:
//
//   - Ledger: after runs of several lengths the noise drawn is the noise claimed.
//   - Runs: beside another run of the same learner, a run plays as it does alone.
//   - Plan: the learner holds a plan of finite sensitivities, worth what was asked for.
//   - Attack: package audit runs it on two streams that differ in round 1, and excludes no claim. A
//     true claim fails with probability at most 1e-4. A false one may pass, as an attack of few
//     runs is weak.
func Learner(t testing.TB, c LearnerCase) {
	t.Helper()
	if c.Long == 0 {
		c.Long = 300
	}
	if c.Attack == 0 {
		c.Attack = 3000
	}
	if c.Transcript == nil {
		c.Transcript = c.released
	}
	runAll(t, []check{{"Ledger", c.ledger}, {"Runs", c.runs}, {"Plan", c.plan}, {"Attack", c.attack}})
}

func (c LearnerCase) open() (bandit.Calibrated, error) {
	l, err := c.Learner.Open(c.Problem, c.Long)
	if err != nil {
		return nil, fmt.Errorf("the Open that the case asks for: %w", err)
	}
	return l, nil
}

func wantsWarmUp(l bandit.Calibrated) bool {
	w, ok := l.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// rounds plays n rounds of a new run, and calls visit with the arms of each.
func (c LearnerCase) rounds(l bandit.Calibrated, n int, noise rand.Source, visit func(round int, arms []int)) (bandit.Run, error) {
	run := l.Start(stream(50), noise)
	rng := stream(51)
	y := make([]float64, c.Problem.Arms)
	fill := func(n int) []float64 {
		for i := range n {
			y[i] = c.Problem.RewardMin + float64((c.Problem.RewardMax-c.Problem.RewardMin)*rng.Float64())
		}
		return y[:n]
	}
	if n > 0 && wantsWarmUp(l) {
		w, ok := run.(bandit.Warmed)
		if !ok {
			return run, fmt.Errorf("a %T takes in no round 0, which its learner wants", run)
		}
		if err := w.WarmUp(fill(len(y))); err != nil {
			return run, fmt.Errorf("round 0: %w", err)
		}
	}
	v := bandit.View{Arms: c.Problem.Arms, Dim: c.Problem.Dim, X: make([]float64, c.Problem.Arms*c.Problem.Dim)}
	var arms []int
	for v.Round = 1; v.Round <= n; v.Round++ {
		contexts(rng, v.X, v.Dim, c.Problem.ContextNorm)
		var err error
		if arms, err = run.Select(&v, arms[:0]); err == nil {
			err = run.Update(&v, arms, fill(len(arms)))
		}
		if err != nil {
			return run, fmt.Errorf("round %d of %d: %w", v.Round, n, err)
		}
		visit(v.Round, arms)
	}
	return run, nil
}

func (c LearnerCase) ledger(fail report) {
	l, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	if _, ok := l.(privacy.Planner); !ok {
		fail("a %T does not say what it draws: give it a method Plan", l)
		return
	}
	for i, n := range []int{c.Long, 0, 1, 2, 3, 37, c.Long} {
		ledger := privacy.NewLedger(source(uint64(60 + i)))
		run, err := c.rounds(l, min(n, c.Long), ledger, func(int, []int) {})
		if err != nil {
			fail("run %d: %v", i+1, err)
			return
		}
		records := min(n, c.Long)
		if n > 0 && wantsWarmUp(l) {
			records++
		}
		x, ok := run.(privacy.Planner) // it knows what was drawn
		if !ok {
			x = l.(privacy.Planner)
		}
		if err := ledger.CheckPlan(x, records); err != nil {
			fail("run %d, of %d rounds: %v", i+1, n, err)
		}
		if system, ok := run.(interface{ Check() error }); ok {
			if err := system.Check(); err != nil {
				fail("run %d, of %d rounds: Check: %v", i+1, n, err)
			}
		}
		if n == c.Long && len(ledger.Drawn()) == 0 && !secure(x) {
			fail("%d rounds and no noise: draw all of it from the noise that Start is given", n)
		}
	}
}

func (c LearnerCase) runs(fail report) {
	l, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	if x, ok := l.(privacy.Planner); ok && secure(x) {
		return // with the system's noise no run can be repeated
	}
	var want [][]int
	_, err = c.rounds(l, c.Long, source(71), func(_ int, arms []int) { want = append(want, slices.Clone(arms)) })
	if err != nil {
		fail("%v", err)
		return
	}
	same := true
	_, err = c.rounds(l, c.Long, source(71), func(round int, arms []int) {
		if same && !slices.Equal(arms, want[round-1]) {
			same = false
			fail("beside another run, round %d plays %v, and alone %v: share nothing that changes", round, arms, want[round-1])
		}
		if round%64 == 1 { // another run, in the midst of this one
			if _, err := c.rounds(l, min(c.Long, 40), source(uint64(72+round)), func(int, []int) {}); err != nil {
				fail("another run: %v", err)
			}
		}
	})
	if err != nil {
		fail("beside another run: %v", err)
	}
}

func (c LearnerCase) plan(fail report) {
	l, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	claim := privacy.ClaimOf(l)
	if !claim.Held() {
		fail("nothing is claimed: %v: return a plan.HeldBy(receiver) in Plan", claim.Event())
		return
	}
	records := c.Long
	if wantsWarmUp(l) {
		records++
	}
	checkPlan(fail, l.(privacy.Planner), claim, records)
}

// released appends all that a learner.Private's statistic shows.
func (c LearnerCase) released(run bandit.Run, _ int, dst []float64) []float64 {
	if r, ok := run.(interface {
		Released(dst []float64) ([]float64, error)
	}); ok {
		dst, _ = r.Released(dst) // checked with the statistic
	}
	return dst
}

// attacked is the number of rounds of the attack's streams.
const attacked = 3

func (c LearnerCase) attack(fail report) {
	l, err := c.open()
	if err != nil {
		fail("%v", err)
		return
	}
	warm := wantsWarmUp(l)
	plan := privacy.PlanOf(l, privacy.All)
	if claim := plan.Claim(); !claim.Held() || !finite(claim.Epsilon()) {
		fail("nothing finite is claimed: %v", claim.Event())
		return
	}
	worlds, p := [2]audit.Stream{}, c.Problem
	for world := range worlds {
		n := attacked
		if warm {
			n++
		}
		for t := range n {
			r := audit.Round{X: make([]float64, p.Arms*p.Dim), Rewards: make([]float64, p.Arms)}
			for a := range p.Arms {
				r.Rewards[a] = p.RewardMin
				if p.Dim > 0 && t > 0 { // contexts that show what was learnt
					r.X[a*p.Dim+a%p.Dim] = p.ContextNorm
				}
				if p.Dim > 0 && t == 0 {
					own := world % p.Dim
					if plan.Neighbours.PublicContexts() {
						own = 0
					}
					r.X[a*p.Dim+own] = p.ContextNorm
				}
				if t == 0 && world == 1 {
					r.Rewards[a] = p.RewardMax
				}
			}
			worlds[world] = append(worlds[world], r)
		}
	}
	finding, err := audit.Learner{
		Name: c.Name + ", privacytest", Of: c.Learner, Problem: p, Horizon: c.Long, Worlds: worlds, WarmUp: warm,
		OwnAction:  plan.Scope == privacy.AllOutputs,
		Transcript: c.Transcript, Runs: c.Attack,
	}.Run(context.Background(), audit.Options{Confidence: 1 - 1e-4, Seed: 1})
	if err != nil {
		fail("%v", err)
		return
	}
	if finding.Excluded() {
		fail("the claim is false, but for an accident of probability 1e-4:\n%v", finding)
	}
}
