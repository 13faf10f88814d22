package lasso

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
)

// few shortens a list of budgets under -short, for one test: calibrating for each takes a second.
func few(t *testing.T, list *[]float64, short ...float64) {
	if testing.Short() {
		all := *list
		*list = short
		t.Cleanup(func() { *list = all })
	}
}

// quick makes the recipes take the standard conversion of zCDP under -short, for one test: that is
// soon computed. The tests of sparse.SparseJDP account exactly.
func quick(t *testing.T) {
	if !testing.Short() {
		return
	}
	all := maps.Clone(learners)
	t.Cleanup(func() { learners = all })
	for _, name := range []string{Plain, Tuned, Refined} {
		learners[name] = func(epsilon float64) bandit.Learner {
			l := all[name](epsilon)
			private := l.(learner.Private[episodes.SparseGram])
			s := private.Statistic.(episodes.SparseEpisodes)
			s.Concentrated = true
			private.Statistic = s
			l = private
			return l
		}
	}
}

// A small run has all policies.
func TestSparseSmoke(t *testing.T) {
	few(t, &Epsilons, math.Inf(1), 2)
	quick(t)
	table, err := Figures[0].Reproduce(context.Background(), cell.Smoke, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 + 3*len(Epsilons); len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
}

// The committed tables agree with the independent program within 3 combined standard errors, and
// the refined recipe is below the tuned one's numbers by 3 in every cell, at the epsilon asked for.
func TestSparseResults(t *testing.T) {
	for i, dim := range []string{"100", "1000"} {
		table := committed(t, "lasso-sparse-d"+dim)
		for name, golden := range Goldens {
			mean, se, err := table.Final(name)
			if err != nil {
				t.Fatal(err)
			}
			z := (charts.Beside{}).Apart(mean, se, golden[i])
			if strings.HasPrefix(name, Refined) {
				if !(z < -3) {
					t.Errorf("d = %s, %s: regret %.0f (%.0f), want 3 standard errors below %v", dim, name, mean, se, golden[i])
				}
			} else if !(math.Abs(z) <= 3) {
				t.Errorf("d = %s, %s: regret %.0f (%.0f), want %v, within 3 standard errors", dim, name, mean, se, golden[i])
			}
		}
		for _, epsilon := range Epsilons[1:] {
			name := Name(Refined, epsilon)
			if claim := table.Claims[name]; !strings.Contains(claim, "joint") || !(table.Epsilon(name) <= epsilon) {
				t.Errorf("d = %s: at epsilon = %v the claim is %q", dim, epsilon, claim)
			}
		}
	}
}
