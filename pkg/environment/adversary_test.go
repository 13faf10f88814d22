package environment

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestAdversary: the suite, with regret in hindsight, for each plan.
func TestAdversary(t *testing.T) {
	for _, e := range []Adversary{{}, {Plan: Turns, Arms: 3}, {Plan: Steady, Arms: 2, Gap: 1}, {Plan: Turns, Growth: 1}} {
		bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1, Hindsight: true})
	}
}

// TestAdversaryInHindsight: the sum of regret is the definition, of which the rewards of all arms
// are read off: the largest sum of an arm, less the rewards of the arms played. Seeds are
// fixed and the numbers whole, so that they are equal.
func TestAdversaryInHindsight(t *testing.T) {
	for _, plan := range []AdversaryPlan{Seesaw, Turns, Steady} {
		trial := runtest.Open(t, Adversary{Plan: plan, Arms: 4, Gap: 0.3}).Start(random.New(7, 0, "contexts"))
		own := random.New(7, 0, "learner")
		var v bandit.View
		gains, y, all := make([]float64, 4), make([]float64, 4), []int{0, 1, 2, 3}
		regret, mine := 0.0, 0.0
		for range 5000 {
			trial.Next(&v)
			trial.Pull(nil, all, y)
			arm := own.IntN(4)
			regret += trial.Regret([]int{arm})
			mine += y[arm]
			most := math.Inf(-1)
			for a := range gains {
				gains[a] += y[a]
				most = max(most, gains[a])
			}
			if regret != most-mine {
				t.Fatalf("%v: round %d: regret %v in sum, want %v - %v", plan, v.Round, regret, most, mine)
			}
		}
	}
}

// TestAdversaryPhases: with a gap of 1 rewards are the means. The best arm of Seesaw has 1 in all
// phases, and the others 0; that of Turns moves on where a phase of 1, 2, 4, ... rounds ends.
func TestAdversaryPhases(t *testing.T) {
	all, y := []int{0, 1, 2}, make([]float64, 3)
	for _, plan := range []AdversaryPlan{Seesaw, Turns} {
		trial := runtest.Open(t, Adversary{Plan: plan, Arms: 3, Gap: 1, Growth: 2}).Start(random.New(3, 0, "contexts"))
		var v bandit.View
		last, moved := -1, []int{}
		for range 20 {
			trial.Next(&v)
			trial.Pull(nil, all, y)
			best := -1
			for a := range y {
				if y[a] == 1 {
					best = a
				}
			}
			if y[0]+y[1]+y[2] != 1 {
				t.Fatalf("%v: round %d: rewards %v, want one of 1", plan, v.Round, y)
			}
			if best != last {
				moved = append(moved, v.Round)
			}
			last = best
		}
		want := []int{1}
		if plan == Turns {
			want = []int{1, 2, 4, 8, 16}
		}
		if len(moved) != len(want) || moved[len(moved)-1] != want[len(want)-1] {
			t.Errorf("%v: the best arm changed in rounds %v, want %v", plan, moved, want)
		}
	}
}

// TestAdversaryMeans: over 20,000 rounds of a phase, averages are within 5 standard errors of the
// means (1e-6 a number; the seed is fixed).
func TestAdversaryMeans(t *testing.T) {
	trial := runtest.Open(t, Adversary{Plan: Steady, Arms: 3, Gap: 0.2}).Start(random.New(5, 0, "contexts"))
	const n = 20_000
	all, y, sums := []int{0, 1, 2}, make([]float64, 3), make([]float64, 3)
	var v bandit.View
	for range n {
		trial.Next(&v)
		trial.Pull(nil, all, y)
		for a := range sums {
			sums[a] += y[a] / n
		}
	}
	within, high := 5*math.Sqrt(0.25/n), 0
	for _, m := range sums {
		if math.Abs(m-0.6) < within {
			high++
		} else if math.Abs(m-0.4) > within {
			t.Errorf("an average of %v, want 0.6 or 0.4", m)
		}
	}
	if high != 1 {
		t.Errorf("averages %v, want one of 0.6", sums)
	}
}

func TestAdversaryRefuses(t *testing.T) {
	for want, e := range map[string]Adversary{
		"Plan = AdversaryPlan(9)": {Plan: 9}, "Arms = 1": {Arms: 1}, "Arms = -3": {Arms: -3},
		"Gap = 1.5": {Gap: 1.5}, "Gap = NaN": {Gap: math.NaN()}, "Growth = 0.5": {Growth: 0.5},
	} {
		if _, err := e.Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", e, err, want)
		}
	}
}
