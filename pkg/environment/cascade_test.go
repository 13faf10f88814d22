package environment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestCascade(t *testing.T) {
	for _, e := range []Cascade{
		{Attraction: []float64{0.2, 0.7, 0.1, 0.4}, Slots: 2}, {Attraction: []float64{1, 0, 1, 0.5, 0.5}, Slots: 3},
		{Attraction: []float64{0.3, 0.3}, Slots: 2}, {Attraction: []float64{0.9}, Slots: 1},
	} {
		bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1})
	}
}

// TestCascadeClicks: over 100,000 rounds each place of a list, and none, is clicked as often as the
// definition has it, within 5 standard errors (1e-6 a number; the seed is fixed). In each round the
// item clicked is the first in any other list in which it is the first that attracts.
func TestCascadeClicks(t *testing.T) {
	e := Cascade{Attraction: []float64{0.3, 0.6, 0.1, 0.5}, Slots: 3}
	trial := runtest.Open(t, e).Start(nil)
	const n = 100_000
	rewards, list, y := random.New(4, 0, "rewards"), []int{2, 0, 3}, make([]float64, 3)
	var share [4]float64
	for range n {
		trial.Pull(rewards, list, y)
		place := slices.Index(y, 1)
		if place < 0 {
			place = 3
		}
		share[place] += 1. / n
	}
	for place, want := range [4]float64{0.1, 0.9 * 0.3, 0.9 * 0.7 * 0.5, 0.9 * 0.7 * 0.5} {
		if math.Abs(share[place]-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("place %d has a share of %v of the clicks, want %v", place, share[place], want)
		}
	}
	for seed := range uint64(1000) { // of the items of a list, the same attract in any order
		trial.Pull(random.New(seed, 0, "rewards"), list, y)
		clicked := slices.Index(y, 1)
		if clicked < 0 {
			continue
		}
		first := []int{list[clicked], list[(clicked+1)%3], list[(clicked+2)%3]}
		if trial.Pull(random.New(seed, 0, "rewards"), first, y); y[0] != 1 {
			t.Fatalf("seed %d: item %d attracts in the list %v, and not in %v", seed, list[clicked], list, first)
		}
	}
}

// TestCascadeRegret: the regret of all lists is that of the definition, and 0 for the best one in
// any order. Items under other names have the same.
func TestCascadeRegret(t *testing.T) {
	e := Cascade{Attraction: []float64{0.3, 0.6, 0.1, 0.5}, Slots: 2}
	renamed := Cascade{Attraction: []float64{0.5, 0.1, 0.6, 0.3}, Slots: 2}
	trial, other := runtest.Open(t, e).Start(nil), runtest.Open(t, renamed).Start(nil)
	for a := range 4 {
		for b := range 4 {
			if a == b {
				continue
			}
			got, want := trial.Regret([]int{a, b}), (1-0.4*0.5)-(1-(1-e.Attraction[a])*(1-e.Attraction[b]))
			if math.Abs(got-want) > 1e-15 || (a == 1 || a == 3) && (b == 1 || b == 3) && got != 0 {
				t.Errorf("the regret of %d and %d is %v, want %v", a, b, got, want)
			}
			if moved := other.Regret([]int{3 - a, 3 - b}); moved != got {
				t.Errorf("the regret of %d and %d is %v, and %v under other names", a, b, got, moved)
			}
		}
	}
	for _, bad := range [][]int{{0}, {0, 0}, {0, 4}, {-1, 0}, {0, 1, 2}} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "want") {
					t.Errorf("the list %v: %v, want an error that says what is wanted", bad, err)
				}
			}()
			trial.Regret(bad)
		}()
	}
}

func TestCascadeRefuses(t *testing.T) {
	for want, e := range map[string]Cascade{
		"Attraction is empty": {Slots: 1}, "Slots = 0": {Attraction: []float64{0.5}}, "Slots = 2": {Attraction: []float64{0.5}, Slots: 2},
		"Attraction[1] = 1.5": {Attraction: []float64{0, 1.5}, Slots: 1}, "Attraction[0] = NaN": {Attraction: []float64{math.NaN()}, Slots: 1},
	} {
		if _, err := e.Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", e, err, want)
		}
	}
}
