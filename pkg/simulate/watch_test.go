package simulate_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Why a private learner plays an arm: not for its estimate, but for how little it knows of it.
func ExampleWatch() {
	env := environment.Arms{Means: []float64{0.5, 0.8}}
	w, err := simulate.Watch(env, arms.AdaPUCB{}.Private(1), 10_000, 1, []int{100, 10_000})
	if err != nil {
		log.Fatal(err)
	}
	for i, round := range w.Grid {
		fmt.Printf("round %d plays arm %d\n", round, w.Played[i][0])
		for a, x := range w.Insights[i] {
			fmt.Printf("  arm %d: index %.2f = %.2f + %.2f, %d pulls\n", a, x.Index, x.Estimate, x.Width, w.Pulls[i][a])
		}
	}
	// Output:
	// round 100 plays arm 0
	//   arm 0: index 2.10 = 0.55 + 1.55, 36 pulls
	//   arm 1: index 1.56 = 0.65 + 0.91, 64 pulls
	// round 10000 plays arm 1
	//   arm 0: index 0.83 = 0.49 + 0.34, 512 pulls
	//   arm 1: index 0.87 = 0.81 + 0.07, 9488 pulls
}

// TestWatch: a learner that is watched plays the rounds of Play, in which all is counted; and the
// grid may be any.
func TestWatch(t *testing.T) {
	env := environment.Arms{Means: []float64{0.2, 0.7, 0.4}}
	const rounds, seed = 500, 3
	for name, l := range map[string]bandit.Learner{"Thompson": arms.Thompson{}.Learner(), "private": arms.DPUCB{}.Private(1), "silent": learner.Random{}} {
		for _, grid := range [][]int{nil, {1}, {7, 8, 500}, simulate.LinearGrid(rounds, rounds)} {
			w, err := simulate.Watch(env, l, rounds, seed, grid)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			pulls, regret, at := make([]int, 3), 0.0, 0
			err = simulate.Play(env, l, rounds, seed, func(r *simulate.Round) {
				pulls[r.Played[0]]++
				regret += r.Trial.Regret(r.Played)
				if r.Round != w.Grid[at] {
					return
				}
				if !slices.Equal(w.Played[at], r.Played) || !slices.Equal(w.Pulls[at], pulls) || w.Regret[at] != regret {
					t.Errorf("%s, round %d: played %v, pulls %v and regret %v, want %v, %v and %v",
						name, r.Round, w.Played[at], w.Pulls[at], w.Regret[at], r.Played, pulls, regret)
				}
				at++
			})
			if err != nil || at != len(w.Grid) || w.Grid[at-1] != rounds {
				t.Errorf("%s: %d places of the grid %v, error %v", name, at, w.Grid, err)
			}
			if silent := name == "silent"; silent != (w.Silent != nil) || silent != (w.Insights == nil) {
				t.Errorf("%s: %d insights, and %v", name, len(w.Insights), w.Silent)
			}
			var text strings.Builder
			if err := w.WriteCSV(&text); err != nil || strings.Count(text.String(), "\n") != 1+3*len(w.Grid) {
				t.Errorf("%s: CSV of %d lines for %d rounds, error %v", name, strings.Count(text.String(), "\n"), len(w.Grid), err)
			}
		}
	}
}

// TestWatchNames: whoever does not answer is named, through what wraps it, and stays silent.
func TestWatchNames(t *testing.T) {
	env := environment.Arms{Means: []float64{0.2, 0.7}}
	w, err := simulate.Watch(env, learner.RandomisedAction{Learner: learner.Random{}, Epsilon: 1}, 20, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(w.Silent, errors.ErrUnsupported) || !strings.Contains(w.Silent.Error(), "learner.randomRun") {
		t.Errorf("silent as %q, want the name of the run that is wrapped", w.Silent)
	}
	if x := w.Insight(0, 1); !math.IsNaN(x.Index) || !math.IsNaN(x.Estimate) || !math.IsNaN(x.Width) {
		t.Errorf("an insight of %+v", x)
	}
}

// TestWatchRefuses names what is wrong.
func TestWatchRefuses(t *testing.T) {
	env := environment.Arms{Means: []float64{0.2, 0.7}}
	for _, c := range []struct {
		env    bandit.Environment
		rounds int
		grid   []int
		want   string
	}{
		{nil, 10, nil, "the environment is nil"},
		{env, 0, nil, "horizon = 0"},
		{env, 10, []int{11}, "Grid[0] = 11, want in [1, Rounds = 10]"},
		{env, 10, []int{5, 5}, "Grid[1] = 5, want > Grid[0] = 5"},
	} {
		if _, err := simulate.Watch(c.env, arms.UCB1{}.Learner(), c.rounds, 1, c.grid); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// hasty is LinUCB that plays the arm of the best estimate, and inherits what LinUCB shows.
type hasty struct{ linear.UCB }

type hastyRule struct{ *linear.UCBRule }

func (h hasty) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	ready, err := h.UCB.Prepare(p, horizon, r)
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return hastyRule{ready.Begin(own).(*linear.UCBRule)}
	}), err
}

func (h hastyRule) Act(told []float64, v *bandit.View, dst []int) ([]int, error) {
	best, most := 0, math.Inf(-1)
	for a := range v.Arms {
		mean := 0.0
		for i, x := range v.Row(a) {
			mean += x * told[i]
		}
		if mean > most {
			best, most = a, mean
		}
	}
	return append(dst, best), nil
}

// TestWatchAgainst: a learner that plays other arms than it shows is found out.
func TestWatchAgainst(t *testing.T) {
	env := environment.DecisionSets{Dim: 3, Arms: 8, Gap: 0.1}
	for against, l := range map[bool]bandit.Learner{false: learner.New(linear.UCB{}, nil), true: learner.New[privacy.Sums](hasty{}, nil)} {
		w, err := simulate.Watch(env, l, 200, 1, simulate.LinearGrid(200, 200))
		if err != nil || w.Silent != nil || against != (w.Against > 10) || !against && w.Against > 0 {
			t.Errorf("%T: %d of 200 rounds against the indices, error %v", l, w.Against, err)
		}
	}
}
