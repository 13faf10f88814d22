package learner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var warmProblem = bandit.Problem{Arms: 7, Slots: 3, RewardMax: 1}

// warmers are learners that want a round 0, at an epsilon of 2, and what that costs.
func warmers() map[string]struct {
	make func() bandit.Learner
	cost float64
} {
	type entry = struct {
		make func() bandit.Learner
		cost float64
	}
	m := must(matroid.NewUniform(7, 3))
	cts := func(tally privacy.Tally, cost float64) entry {
		return entry{func() bandit.Learner {
			return learner.New(learner.CTS{Matroid: m, Initialisation: learner.AsPublished}, tally)
		}, cost}
	}
	return map[string]entry{
		"omm as published": {func() bandit.Learner { return learner.DPUCBMATAsPublished(m, 2) }, 2. * 7 / 3},
		"cts as published": {func() bandit.Learner { return learner.DPTSMATAsPublished(m, 2) }, 2. * 7 / 3},
		"blocks":           cts(mechanism.Blocks{Budget: privacy.Budget{Epsilon: 2}}, 2),
		"tree":             cts(mechanism.TreeTally{Budget: privacy.Budget{Epsilon: 2}}, 2),
	}
}

// TestMeteredWarmsUp: on a budget that pays for all of a learner with a round 0 it plays what it
// plays alone, and claims as much; on less there is no round 0, and Init says what it costs.
func TestMeteredWarmsUp(t *testing.T) {
	m := must(matroid.NewUniform(7, 3))
	weight := weights([]float64{0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9})
	for name, c := range warmers() {
		alone := c.make()
		want := semiPlay(t, alone, warmProblem, m, 200, weight)
		for _, epsilon := range []float64{c.cost, 2 * c.cost, math.Inf(1)} {
			l := learner.Metered{Learner: c.make(), Budget: privacy.Budget{Epsilon: epsilon}}
			got := semiPlay(t, l, warmProblem, m, 200, weight)
			if !l.WantsWarmUp() || l.Paid() != 200 || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("%s on epsilon = %v: pays for %d of 200 rounds, and plays %v, want %v", name, epsilon, l.Paid(), got, want)
			}
			if got, want := privacy.ClaimOf(l), privacy.ClaimOf(alone); !reflect.DeepEqual(got.Event(), want.Event()) || math.Abs(got.Epsilon()-want.Epsilon()) > 1e-12 {
				t.Errorf("%s on epsilon = %v: claims\n%vwant as much as\n%v", name, epsilon, got, want)
			}
		}
		l := learner.Metered{Learner: c.make(), Budget: privacy.Budget{Epsilon: c.cost * (1 - 1e-9)}, Freeze: true}
		if err := l.Init(warmProblem, 200); err == nil || !strings.Contains(err.Error(), "round 0") || !strings.Contains(err.Error(), fmt.Sprintf("epsilon >= %.4g", c.cost)) {
			t.Errorf("%s: error %v, want one that names round 0 and the epsilon %.4g", name, err, c.cost)
		}
	}
}

// TestMeteredRounds: parts of an epsilon that add up to a little more than it in floating point are
// within it.
func TestMeteredRounds(t *testing.T) {
	beyond, budget := 0, privacy.Budget{Epsilon: 0.7}
	for arms := 2; arms < 60; arms++ {
		m := must(matroid.NewUniform(arms, 1))
		l := learner.New(learner.CTS{Matroid: m, Initialisation: learner.AsPublished}, mechanism.Blocks{Budget: budget})
		metered := learner.Metered{Learner: l, Budget: budget}
		if err := metered.Init(bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}, 9); err != nil || metered.Paid() != 9 {
			t.Errorf("%d arms: pays for %d rounds, %v, want 9", arms, metered.Paid(), err)
		}
		if epsilon, _, err := privacy.Tightest(privacy.PlanOf(l, 1).Event(), 0); err != nil || epsilon > budget.Epsilon {
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

func (d dear) Plan(records int) privacy.Plan {
	p := privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: 1}}
	if records > 0 {
		p.Cases = [][]privacy.Release{{{Own: privacy.LaplaceEvent{Epsilon: 0.1}, Times: records}}}
	}
	return p.HeldBy(d)
}

// TestMeteredCountsRoundZero among the records that the budget pays for, and not among the rounds.
func TestMeteredCountsRoundZero(t *testing.T) {
	m := must(matroid.NewUniform(7, 3))
	for _, start := range []learner.Initialisation{learner.Forced, learner.AsPublished} {
		first := int(start)
		for _, c := range []struct {
			epsilon float64
			records int // -1: not even round 0 if there is one
		}{{0.09, 0}, {0.1, 1}, {0.19, 1}, {0.2, 2}, {0.55, 5}, {1, 10}, {1.05, 10}, {1.1, 11}, {5, 11}, {math.Inf(1), 11}} {
			name := fmt.Sprintf("%v, epsilon = %v", start, c.epsilon)
			paid := min(c.records-first, 10)
			for _, freeze := range []bool{false, true} {
				l := learner.Metered{Budget: privacy.Budget{Epsilon: c.epsilon}, Freeze: freeze,
					Learner: dear{learner.New(learner.CTS{Matroid: m, Initialisation: start}, mechanism.Blocks{Budget: privacy.Budget{Epsilon: 3}})}}
				err := l.Init(warmProblem, 10)
				if paid < 0 {
					if err == nil || !strings.Contains(err.Error(), "round 0") {
						t.Errorf("%s: error %v, want one that names round 0", name, err)
					}
					continue
				}
				if err != nil || l.Paid() != paid || l.WantsWarmUp() != (first == 1) {
					t.Errorf("%s: pays for %d rounds, %v, want %d", name, l.Paid(), err, paid)
					continue
				}
				l.Reset(random.New(1, 0, "own"), random.Source(1, 0, "noise"))
				if first == 1 {
					l.WarmUp(make([]float64, 7))
				}
				for round := 1; round <= 10; round++ {
					v := bandit.View{Round: round, Arms: 7}
					l.Update(&v, l.Select(&v, nil), make([]float64, 3))
					if stopped := errors.Is(l.Err(), privacy.ErrSpent); stopped != (round > paid && !freeze) || stopped != (l.Err() != nil) {
						t.Fatalf("%s, round %d of %d that are paid: %v", name, round, paid, l.Err())
					}
				}
				if err := l.Err(); err != nil && !strings.Contains(err.Error(), fmt.Sprintf("round %d: ", paid+1)) {
					t.Errorf("%s: %v, want it in round %d", name, err, paid+1)
				}
				if c.epsilon < 2 && !reflect.DeepEqual(privacy.ClaimOf(l).Event(), privacy.PlanOf(l, 99).Event()) {
					t.Errorf("%s: claims %v, spends %v", name, privacy.ClaimOf(l).Event(), privacy.PlanOf(l, 99).Event())
				}
				if e, _, _ := privacy.Tightest(privacy.PlanOf(l, 99).Event(), 0); paid+first > 0 && math.Abs(e-0.1*float64(paid+first)) > 1e-12 {
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
	m := must(matroid.NewUniform(7, 3))
	world := func() bandit.Environment { return environment.SemiBandit{Matroid: m, Means: means} }
	for name, c := range warmers() {
		make := func() bandit.Learner {
			return learner.Metered{Learner: c.make(), Budget: privacy.Budget{Epsilon: c.cost}}
		}
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, make, world, bandittest.LearnerOptions{Seed: 1, Rounds: 60})
		})
		e := &simulate.Experiment{Name: name, Environment: world, Policies: []simulate.Policy{{Name: name, New: make}}, Horizon: 100, Trials: 2, Seed: 5}
		if _, err := e.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, l := range []*learner.Metered{metered(gaussianTree(), false), {Learner: learner.DPTSMAT(m, 2), Budget: privacy.Budget{Epsilon: 2}}} {
		p := warmProblem
		if l.Budget == half {
			p = (environment.DecisionSets{Dim: 2, Arms: 7}).Problem()
		}
		if err := l.Init(p, 100); err != nil || l.WantsWarmUp() {
			t.Errorf("WantsWarmUp() = %v of a %T that wants none, %v", l.WantsWarmUp(), l.Learner, err)
		}
		l.Reset(random.New(1, 0, "own"), random.Source(1, 0, "noise"))
		if l.WarmUp(make([]float64, 7)); l.Err() == nil || !strings.Contains(l.Err().Error(), "wants none") {
			t.Errorf("a warm-up of a %T that wants none: %v", l.Learner, l.Err())
		}
	}
}
