package sparse_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

type sparseRecipe = func(privacy.Budget, int) learner.Private[episodes.SparseGram]

var sparseRecipes = map[string]sparseRecipe{
	"plain": sparse.SparseJDP{}.Plain, "tuned": sparse.SparseJDP{}.Tuned, "refined": sparse.SparseJDP{}.Private,
}

func TestSparseJDPConformance(t *testing.T) {
	for name, make := range sparseRecipes {
		if testing.Short() && name == "tuned" {
			continue // calibrated for long, and all that it has is in the others
		}
		t.Run(name, func(t *testing.T) {
			l := make(privacy.Budget{Epsilon: 10, Delta: 1e-5}, 2)
			s := l.Statistic.(episodes.SparseEpisodes)
			s.Lengths = episodes.Growing{Least: 10, Factor: 12} // a later end of an episode allocates
			s.Concentrated = s.Concentrated || testing.Short()  // exact accounting takes long
			l.Statistic = s
			bandittest.Learner(t, l,
				environment.Sparse{Dim: 12, Sparsity: 2, Arms: 4},
				bandittest.LearnerOptions{Seed: 1, Rounds: 150})
		})
	}
}

// Each recipe proves what it was asked for, in the joint model. The plain one proves more, as its
// conversion is loose.
func TestSparseJDPClaims(t *testing.T) {
	budget, sparsity, loose := privacy.Budget{Epsilon: 1, Delta: 1e-5}, 5, 0.77
	if testing.Short() {
		sparsity, loose = 2, 0.76
	}
	for name, make := range sparseRecipes {
		if testing.Short() && name == "tuned" {
			continue
		}
		l := make(budget, sparsity)
		if s := l.Statistic.(episodes.SparseEpisodes); testing.Short() {
			s.Phases = s.Phases[:min(2, len(s.Phases))] // each is calibrated, and all alike
			l.Statistic = s
		}
		c := learnertest.ClaimOf(t, l, environment.Sparse{}.Problem(), 16_000)
		least := 0.999
		if name == "plain" {
			least = loose
		}
		if c.Model() != privacy.Joint || !(c.Epsilon() <= 1+1e-6 && c.Epsilon() >= least) {
			t.Errorf("%s: %v", name, c)
		}
		none := make(privacy.Budget{Epsilon: math.Inf(1)}, sparsity)
		if c := learnertest.ClaimOf(t, none, environment.Sparse{}.Problem(), 16_000); !math.IsInf(c.Epsilon(), 1) {
			t.Errorf("%s without noise: %v", name, c)
		}
	}
}

// Regret falls as epsilon grows, and the refined recipe has less than the others. The seed is
// fixed; on other seeds the means of 6 trials are some standard errors apart.
func TestSparseJDPRegret(t *testing.T) {
	if testing.Short() {
		t.Skip("calibrates four learners; the test with correlations compares the recipes, too")
	}
	e := &simulate.Experiment{Name: "SparseJDP", Horizon: 6000, Trials: 6, Seed: 11, Grid: []int{6000},
		Environment: environment.Sparse{Dim: 60, Sparsity: 4}}
	epsilons := []float64{1, 5}
	name := func(recipe string, epsilon float64) string {
		return recipe + map[float64]string{1: " at 1", 5: " at 5"}[epsilon]
	}
	for recipe, make := range sparseRecipes {
		for _, epsilon := range epsilons {
			e.Policies = append(e.Policies, simulate.Policy{Name: name(recipe, epsilon), Learner: make(privacy.Budget{Epsilon: epsilon, Delta: 1e-5}, 4)})
		}
	}
	result, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	final := func(recipe string, epsilon float64) float64 {
		c, err := result.Curve(name(recipe, epsilon))
		if err != nil {
			t.Fatal(err)
		}
		return c.Final()
	}
	for recipe := range sparseRecipes {
		if a, b := final(recipe, 1), final(recipe, 5); !(b < a) {
			t.Errorf("%s: regret %.0f at epsilon 1 and %.0f at 5", recipe, a, b)
		}
	}
	for _, epsilon := range epsilons {
		if a, b, c := final("plain", epsilon), final("tuned", epsilon), final("refined", epsilon); !(c < b && b < a) {
			t.Errorf("epsilon %v: regret %.0f plain, %.0f tuned, %.0f refined", epsilon, a, b, c)
		}
	}
}

// Where contexts are correlated, scores mislead and residuals do not. With -short the noise is that
// of the standard conversion of zCDP: more noise, and soon computed.
func TestSparseJDPWithCorrelations(t *testing.T) {
	e := &simulate.Experiment{Name: "correlated", Horizon: 8000, Trials: 6, Seed: 12, Grid: []int{8000},
		Environment: environment.Sparse{Dim: 60, Sparsity: 4, Design: environment.Autoregressive, Correlation: 0.5}}
	for recipe, make := range sparseRecipes {
		if testing.Short() && recipe == "tuned" {
			continue
		}
		l := make(privacy.Budget{Epsilon: 2, Delta: 1e-5}, 4)
		s := l.Statistic.(episodes.SparseEpisodes)
		s.Concentrated = s.Concentrated || testing.Short()
		l.Statistic = s
		e.Policies = append(e.Policies, simulate.Policy{Name: recipe, Learner: l})
	}
	result, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	final := map[string]float64{}
	for _, p := range e.Policies {
		c, err := result.Curve(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		final[p.Name] = c.Final()
	}
	t.Logf("regret %v", final)
	if tuned, ok := final["tuned"]; !(final["refined"] < 0.6*final["plain"] && (!ok || final["refined"] < 0.6*tuned)) {
		t.Errorf("regret %v, want the refined recipe's far below", final)
	}
}

func TestSparseJDPRefuses(t *testing.T) {
	p := environment.Sparse{Dim: 12, Sparsity: 2}.Problem()
	for words, change := range map[string]func(l *learner.Private[episodes.SparseGram], p *bandit.Problem, horizon *int){
		"Horizon = 32, want more than the 32 rounds": func(_ *learner.Private[episodes.SparseGram], _ *bandit.Problem, horizon *int) { *horizon = 32 },
		"Picks = 10, want in [1, d = 5]":             func(_ *learner.Private[episodes.SparseGram], p *bandit.Problem, _ *int) { p.Dim = 5 },
		"Slots = 2":                                  func(_ *learner.Private[episodes.SparseGram], p *bandit.Problem, _ *int) { p.Slots = 2 },
		"Ridge = -1": func(l *learner.Private[episodes.SparseGram], _ *bandit.Problem, _ *int) {
			l.Policy = sparse.SparseJDP{Estimate: episodes.SparseEstimate{Ridge: -1}}
		},
		"Keep = 13": func(l *learner.Private[episodes.SparseGram], _ *bandit.Problem, _ *int) {
			l.Policy = sparse.SparseJDP{Estimate: episodes.SparseEstimate{Keep: 13}}
		},
	} {
		l, p, horizon := sparse.SparseJDP{}.Plain(privacy.Budget{Epsilon: 1, Delta: 1e-5}, 5), p, 1000
		change(&l, &p, &horizon)
		if _, err := l.Open(p, horizon); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}

// With a budget that leaves no signal a trial warns.
func TestSparseJDPWarns(t *testing.T) {
	e := &simulate.Experiment{Name: "faint", Horizon: 600, Trials: 1, Seed: 11,
		Environment: environment.Sparse{Dim: 20, Sparsity: 2},
		Policies:    []simulate.Policy{{Name: "faint", Learner: sparse.SparseJDP{}.Plain(privacy.Budget{Epsilon: 0.01, Delta: 1e-5}, 2)}}}
	result, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range result.Table().Warnings["faint"] {
		if strings.Contains(w.What, "signal-to-noise") {
			return
		}
	}
	t.Errorf("no warning of the signal: %v", result.Table().Warnings)
}
