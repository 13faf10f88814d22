package learner_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// watched plays a learner and checks, in each round, that no arm is played that is out and, where
// all have an index, that the arms played have the largest. It returns what was watched, and in how
// many rounds all had an index.
func watched(t *testing.T, name string, env bandit.Environment, l bandit.Learner, rounds int) (w *simulate.Watched, compared int) {
	t.Helper()
	w, err := simulate.Watch(env, l, rounds, 7, simulate.LinearGrid(rounds, rounds))
	if err != nil || w.Silent != nil {
		t.Fatalf("%s: %v, %v", name, err, w)
	}
	unwatched(t, name, env, l, w)
	for i, list := range w.Insights {
		whole := !slices.ContainsFunc(list, func(x bandit.Insight) bool { return math.IsNaN(x.Index) })
		least := math.Inf(1)
		for _, a := range w.Played[i] {
			if least = min(least, list[a].Index); math.IsInf(list[a].Index, -1) {
				t.Fatalf("%s, round %d: plays arm %d, which is out", name, w.Grid[i], a)
			}
		}
		if !whole {
			continue
		}
		compared++
		for a, x := range list {
			played := slices.Contains(w.Played[i], a)
			if !played && (x.Index > least || x.Index == least && len(w.Played[i]) == 1 && a < w.Played[i][0]) {
				t.Fatalf("%s, round %d: plays %v, and not arm %d, of index %v > %v", name, w.Grid[i], w.Played[i], a, x.Index, least)
			}
		}
	}
	return w, compared
}

// unwatched plays the same trial without asking, in which the same arms are played.
func unwatched(t *testing.T, name string, env bandit.Environment, l bandit.Learner, w *simulate.Watched) {
	t.Helper()
	different := false
	err := simulate.Play(env, l, len(w.Grid), 7, func(r *simulate.Round) {
		if arms := w.Played[r.Round-1]; !different && !slices.Equal(r.Played, arms) {
			different = true
			t.Errorf("%s, round %d: plays %v, and %v if it is asked in each round", name, r.Round, r.Played, arms)
		}
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestLinearInsights: the arm that LinUCB and its private forms play in a round is that of the
// largest index, to the last bit, with the same contexts in all rounds and with fresh ones.
func TestLinearInsights(t *testing.T) {
	budget := privacy.Budget{Epsilon: 50, Delta: 1e-5}
	const rounds = 600
	for _, env := range []bandit.Environment{
		environment.DecisionSets{Dim: 5, Gap: 0.2}, environment.DecisionSets{Dim: 3, Gap: 0.2},
		environment.SphereArms{Dim: 3, Arms: 12}, environment.UnitFeatures{Dim: 4, Arms: 12},
	} {
		world, err := env.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, fixed := env.(environment.SphereArms)
		for _, e := range catalogue.Learners() {
			if e.For != catalogue.LinearMeans {
				continue
			}
			if core := e.Name[:4] == "core"; core && !fixed {
				continue
			}
			w, compared := watched(t, e.Name, env, e.New(world.Problem(), budget), rounds)
			last := w.Insights[len(w.Insights)-1]
			known := slices.ContainsFunc(last, func(x bandit.Insight) bool { return x.Width > 0 && x.Estimate == x.Estimate })
			if !known || e.Name[:4] != "core" && e.Name != "LDP weighted regression" && compared != rounds {
				t.Errorf("%s on a %T: %d rounds with indices, at the end %v", e.Name, env, compared, last)
			}
		}
	}
}

// TestSlotsInsights: the basis that a learner plays is that of the largest indices.
func TestSlotsInsights(t *testing.T) {
	env := environment.SemiBandit{Matroid: expect.Must(matroid.NewUniform(6, 2)), Means: []float64{0.1, 0.8, 0.3, 0.7, 0.2, 0.5}}
	p := env.Problem()
	all := slices.DeleteFunc(catalogue.Learners(), func(e catalogue.Entry) bool { return !e.Slots || e.For != catalogue.FixedMeans })
	own := func(name string, make func(m matroid.Matroid) bandit.Learner) {
		all = append(all, catalogue.Entry{Name: name, New: func(bandit.Problem, privacy.Budget) bandit.Learner { return make(env.Matroid) }})
	}
	own("CTS, sampled", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m, Sample: true}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}})
	})
	own("KL-OSM", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.KLOSM{Matroid: m}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}})
	})
	own("Beta", func(m matroid.Matroid) bandit.Learner { return slots.CTSBeta{Matroid: m} })
	for _, e := range all {
		w, compared := watched(t, e.Name, env, e.New(p, privacy.Budget{Epsilon: 20}), 600)
		for a, x := range w.Insights[len(w.Insights)-1] {
			if compared != 600 || !(x.Width >= 0) || math.IsNaN(x.Estimate) {
				t.Errorf("%s: %d rounds with indices, at the end %+v of arm %d", e.Name, compared, x, a)
			}
		}
	}
}

// TestSparseInsights: learners for many dimensions, on devices and off them, play the arm of the
// best estimate, unless they explore.
func TestSparseInsights(t *testing.T) {
	env := environment.Sparse{Dim: 20, Arms: 6, Sparsity: 2}
	noise := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}}
	for name, c := range map[string]struct {
		l     bandit.Learner
		least int // rounds with indices, at least
	}{
		"FLIPHAT":           {sparse.FLIPHAT{}.Private(privacy.Budget{Epsilon: 10, Delta: 1e-5}, 2, 1), 300},
		"sparse JDP":        {sparse.SparseJDP{}.Plain(privacy.Budget{Epsilon: 50, Delta: 1e-5}, 2), 1},
		"bits":              {learnertest.SparseBits(sparse.SparseBits{Budget: privacy.Budget{Epsilon: 3}, Sparsity: 2, Signal: 1}), 1},
		"sparsity agnostic": {sparse.SparsityAgnostic{}, 300},
		"thresholded LASSO": {sparse.ThresholdedLasso{}, 1},
		"LASSO bandit":      {sparse.LassoBandit{}, 100},
		"oracle":            {sparse.SupportOracle{Support: []int{0, 1}}, 300},
		"online":            {learner.Local{Device: local.OnlineDevice{Noise: noise}, Server: local.OnlineServer{Noise: noise}}, 300},
		"weighted":          {learner.Local{Device: local.WeightedDevice{Budget: noise.Budget}, Server: local.WeightedServer{Budget: noise.Budget}}, 0},
		"weighted batches":  {learner.New(linear.Weighted{}, continual.VectorBatches{Budget: noise.Budget}), 0},
		"metered, delayed":  {learner.Metered{Learner: learner.Delayed{Learner: sparse.FLIPHAT{}.Private(privacy.Budget{Epsilon: 10, Delta: 1e-5}, 2, 1), Most: 3}, Budget: privacy.Budget{Epsilon: 20, Delta: 1e-5}}, 300},
	} {
		t.Run(name, func(t *testing.T) {
			if _, compared := watched(t, name, env, c.l, 600); compared < c.least {
				t.Errorf("%d rounds with indices, want %d at least", compared, c.least)
			}
		})
	}
}
