package learner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var warmProblem = bandit.Problem{Arms: 7, Slots: 3, RewardMax: 1}

// warmers are learners that want a round 0, at an epsilon of 2, and what that costs.
func warmers() map[string]struct {
	of   bandit.Learner
	cost float64
} {
	type entry = struct {
		of   bandit.Learner
		cost float64
	}
	m := expect.Must(matroid.NewUniform(7, 3))
	cts := func(tally privacy.Tally, cost float64) entry {
		return entry{learner.New(slots.CTS{Matroid: m, WarmUp: true}, tally), cost}
	}
	return map[string]entry{
		"omm as published": {slots.OMM{Matroid: m}.AsPublished(2), 2. * 7 / 3},
		"cts as published": {slots.CTS{Matroid: m}.AsPublished(2), 2. * 7 / 3},
		"blocks":           cts(tally.Blocks{Budget: privacy.Budget{Epsilon: 2}}, 2),
		"tree":             cts(tally.Tree{Budget: privacy.Budget{Epsilon: 2}}, 2),
	}
}

// TestMeteredWarmsUp: on a budget that pays for all of a learner with a round 0 it plays what it
// plays alone, and claims as much; on less there is no round 0, and Init says what it costs.
func TestMeteredWarmsUp(t *testing.T) {
	m := expect.Must(matroid.NewUniform(7, 3))
	weight := learnertest.Weights([]float64{0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9})
	for name, c := range warmers() {
		want := learnertest.SemiPlay(t, c.of, warmProblem, m, 200, weight)
		for _, epsilon := range []float64{c.cost, 2 * c.cost, math.Inf(1)} {
			of := learner.Metered{Learner: c.of, Budget: privacy.Budget{Epsilon: epsilon}}
			got, l := learnertest.SemiPlay(t, of, warmProblem, m, 200, weight), budgeted(t, of, warmProblem, 200)
			if !l.WantsWarmUp() || l.Paid() != 200 || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("%s on epsilon = %v: pays for %d of 200 rounds, and plays %v, want %v", name, epsilon, l.Paid(), got, want)
			}
			if got, want := privacy.ClaimOf(l), learnertest.ClaimOf(t, c.of, warmProblem, 200); !reflect.DeepEqual(got.Event(), want.Event()) || math.Abs(got.Epsilon()-want.Epsilon()) > 1e-12 {
				t.Errorf("%s on epsilon = %v: claims\n%vwant as much as\n%v", name, epsilon, got, want)
			}
		}
		l := learner.Metered{Learner: c.of, Budget: privacy.Budget{Epsilon: c.cost * (1 - 1e-9)}, Freeze: true}
		if _, err := l.Open(warmProblem, 200); err == nil || !strings.Contains(err.Error(), "round 0") || !strings.Contains(err.Error(), fmt.Sprintf("epsilon >= %.4g", c.cost)) {
			t.Errorf("%s: error %v, want one that names round 0 and the epsilon %.4g", name, err, c.cost)
		}
	}
}

// TestMeteredRounds: parts of an epsilon that add up to a little more than it in floating point are
// within it.
func TestMeteredRounds(t *testing.T) {
	beyond, budget := 0, privacy.Budget{Epsilon: 0.7}
	for arms := 2; arms < 60; arms++ {
		m := expect.Must(matroid.NewUniform(arms, 1))
		l := learner.New(slots.CTS{Matroid: m, WarmUp: true}, tally.Blocks{Budget: budget})
		p := bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}
		if metered := budgeted(t, learner.Metered{Learner: l, Budget: budget}, p, 9); metered.Paid() != 9 {
			t.Errorf("%d arms: pays for %d rounds, want 9", arms, metered.Paid())
		}
		ready, err := l.Open(p, 9)
		if err != nil {
			t.Fatal(err)
		}
		if epsilon, _, err := account.Tightest(privacy.PlanOf(ready, 1).Event(), 0); err != nil || epsilon > budget.Epsilon {
			beyond++
		}
	}
	if beyond == 0 {
		t.Error("no parts add up to more than the budget: choose others")
	}
}

// dear spends 0.1 with each record.
type dear struct {
	learner.Private[privacy.Means]
}

func (d dear) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := d.Private.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	return dearReady{ready.(bandit.Warmer)}, nil
}

type dearReady struct{ bandit.Warmer }

func (d dearReady) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &dearRun{d.Warmer.Start(own, noise).(bandit.Warmed)}
}

func (d dearReady) Plan(records int) privacy.Plan { return dearPlan(records).HeldBy(d) }

type dearRun struct{ bandit.Warmed }

func (d *dearRun) Plan(records int) privacy.Plan { return dearPlan(records).HeldBy(d) }

func dearPlan(records int) privacy.Plan {
	p := privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: 1}}
	if records > 0 {
		p.Cases = [][]privacy.Release{{{Own: account.LaplaceEvent{Epsilon: 0.1}, Times: records}}}
	}
	return p
}

// TestMeteredCountsRoundZero among the records that the budget pays for, and not among the rounds.
func TestMeteredCountsRoundZero(t *testing.T) {
	m := expect.Must(matroid.NewUniform(7, 3))
	for _, start := range []bool{false, true} {
		first := 0
		if start {
			first = 1
		}
		for _, c := range []struct {
			epsilon float64
			records int // -1: not even round 0 if there is one
		}{{0.09, 0}, {0.1, 1}, {0.19, 1}, {0.2, 2}, {0.55, 5}, {1, 10}, {1.05, 10}, {1.1, 11}, {5, 11}, {math.Inf(1), 11}} {
			name := fmt.Sprintf("%v, epsilon = %v", start, c.epsilon)
			paid := min(c.records-first, 10)
			for _, freeze := range []bool{false, true} {
				of := learner.Metered{Budget: privacy.Budget{Epsilon: c.epsilon}, Freeze: freeze,
					Learner: dear{learner.New(slots.CTS{Matroid: m, WarmUp: start}, tally.Blocks{Budget: privacy.Budget{Epsilon: 3}})}}
				if paid < 0 {
					expect.Error(t, name, learnertest.Failure(of.Open(warmProblem, 10)), "round 0")
					continue
				}
				l := budgeted(t, of, warmProblem, 10)
				if l.Paid() != paid || l.WantsWarmUp() != (first == 1) {
					t.Errorf("%s: pays for %d rounds, want %d", name, l.Paid(), paid)
					continue
				}
				run := l.Start(random.New(1, 0, "own"), random.Source(1, 0, "noise"))
				if first == 1 {
					if err := run.(bandit.Warmed).WarmUp(make([]float64, 7)); err != nil {
						t.Fatal(err)
					}
				}
				for round := 1; round <= 10; round++ {
					v := bandit.View{Round: round, Arms: 7}
					arms, err := run.Select(&v, nil)
					if err == nil {
						err = run.Update(&v, arms, make([]float64, 3))
					}
					if stopped := errors.Is(err, account.ErrSpent); stopped != (round > paid && !freeze) || stopped != (err != nil) {
						t.Fatalf("%s, round %d of %d that are paid: %v", name, round, paid, err)
					}
					if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("round %d: ", round)) {
						t.Errorf("%s: %v, want it in round %d", name, err, round)
					}
				}
				if c.epsilon < 2 && !reflect.DeepEqual(privacy.ClaimOf(l).Event(), privacy.PlanOf(l, 99).Event()) {
					t.Errorf("%s: claims %v, spends %v", name, privacy.ClaimOf(l).Event(), privacy.PlanOf(l, 99).Event())
				}
				if e, _, _ := account.Tightest(privacy.PlanOf(l, 99).Event(), 0); paid+first > 0 && math.Abs(e-0.1*float64(paid+first)) > 1e-12 {
					t.Errorf("%s: spends %v, want 0.1 for each of %d records", name, e, paid+first)
				}
			}
		}
	}
}

// TestMeteredWarmUpConforms, in the conformance suite and in a simulation, and a learner that wants
// no round 0 is given none.
func TestMeteredWarmUpConforms(t *testing.T) {
	means := []float64{0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9}
	m := expect.Must(matroid.NewUniform(7, 3))
	world := environment.SemiBandit{Matroid: m, Means: means}
	for name, c := range warmers() {
		l := learner.Metered{Learner: c.of, Budget: privacy.Budget{Epsilon: c.cost}}
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l, world, bandittest.LearnerOptions{Seed: 1, Rounds: 60})
		})
		e := &simulate.Experiment{Name: name, Environment: world, Policies: []simulate.Policy{{Name: name, Learner: l}}, Horizon: 100, Trials: 2, Seed: 5}
		if _, err := e.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, l := range []learner.Metered{metered(gaussianTree(), false), {Learner: slots.CTS{Matroid: m}.Private(2), Budget: privacy.Budget{Epsilon: 2}}} {
		p := warmProblem
		if l.Budget == half {
			p = (environment.DecisionSets{Dim: 2, Arms: 7}).Problem()
		}
		ready := budgeted(t, l, p, 100)
		if ready.WantsWarmUp() {
			t.Errorf("a %T that wants no round 0 is said to want one", l.Learner)
		}
		run := ready.Start(random.New(1, 0, "own"), random.Source(1, 0, "noise"))
		expect.Error(t, fmt.Sprintf("a warm-up of a %T", l.Learner), run.(bandit.Warmed).WarmUp(make([]float64, 7)), "wants none")
	}
}
