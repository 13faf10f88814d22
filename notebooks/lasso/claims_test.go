package lasso

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/mutationtest"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// claims lists what the notebook says, by its section. A check returns an error if that does not
// hold.
var claims = map[string]func() error{
	"2: the solver soft-thresholds":                      softThresholds,
	"2: five of 100 coordinates are found in 400 rounds": sparsityPays,
	"3: the printed algorithm promises nothing":          printedPromises,
	"5: each recipe proves what it was asked for":        recipesPromise,
	"5: SparseJDP learns at epsilon = 10":                privateLearns,
	"6: the refined recipe has the least regret":         refinedIsBest,
	"9: Theorem 3 is above a random arm":                 theoremIsVacuous,
	"9: the margin constant is near 1/sqrt(pi)":          marginHolds,
}

// fail says that a claim does not hold, and what does.
func fail(format string, args ...any) error {
	return fmt.Errorf("this does not hold: "+format, args...)
}

func softThresholds() error {
	for _, z := range []float64{-2, -0.3, 0.1, 0.7, 3} {
		s := &lasso.Solver{Dim: 1}
		if err := errors.Join(s.Init(), s.Add([]float64{1}, z)); err != nil {
			return err
		}
		w, err := s.Fit(0.5)
		if err != nil {
			return err
		}
		if want := math.Copysign(max(math.Abs(z)-0.5, 0), z); math.Abs(w[0]-want) > 1e-6 {
			return fail("for z = %v and alpha = 0.5 it finds %v, want %v", z, w[0], want)
		}
	}
	return nil
}

// regrets returns the regret of learners in 100 dimensions as a share of a random arm's.
func regrets(rounds int, make ...func() bandit.Learner) ([]float64, error) {
	e := against("claim", lab.Smoke, 4, bySize{rounds, 0, 0}, bySize{4, 0, 0}, environment.Sparse{Dim: 100, Sparsity: Sparsity, Leading: true}, "")
	for i, m := range make {
		add(e, fmt.Sprint(i), m)
	}
	r, err := e.Run(context.Background())
	if err != nil {
		return nil, err
	}
	var shares []float64
	for _, c := range r.Curves()[2:] { // after random arms and the oracle
		shares = append(shares, c.Final()/r.Curves()[0].Final())
	}
	return shares, nil
}

// The LASSO has a tenth of a random arm's regret here, and LinUCB two thirds.
func sparsityPays() error {
	of, err := regrets(400, func() bandit.Learner { return &learner.ThresholdedLasso{} }, func() bandit.Learner { return learner.New(&learner.LinUCB{Sigma: 0.3}, nil) })
	if err == nil && !(of[0] < 0.3 && of[1] > 2*of[0]) {
		err = fail("the LASSO has %.2f of a random arm's regret, LinUCB %.2f", of[0], of[1])
	}
	return err
}

func printedPromises() error {
	for _, epsilon := range PrintedEpsilons {
		l := PrintedOf(Printed, epsilon)
		if err := l.Init((&environment.Sparse{Dim: 100}).Problem(), 2000); err != nil {
			return err
		}
		if e := privacy.ClaimOf(l).Epsilon(); !math.IsInf(e, 1) {
			return fail("epsilon = %v is proved", e)
		}
	}
	return nil
}

func recipesPromise() error {
	for name, make := range Recipes {
		l := make(privacy.Budget{Epsilon: 1, Delta: Delta}, Sparsity)
		if err := l.Init((&environment.Sparse{Dim: 100}).Problem(), 2000); err != nil {
			return err
		}
		if e := privacy.ClaimOf(l).Epsilon(); !(e <= 1+1e-6 && e > 0.5) {
			return fail("%s: epsilon = %v is proved, 1 was asked for", name, e)
		}
	}
	return nil
}

func privateLearns() error {
	of, err := regrets(1500, func() bandit.Learner {
		return learner.NewSparseJDP(privacy.Budget{Epsilon: 10, Delta: Delta}, Sparsity)
	})
	if err == nil && !(of[0] < 0.5) {
		err = fail("it has %.2f of a random arm's regret", of[0])
	}
	return err
}

func refinedIsBest() error {
	for _, dim := range []int{100, 1000} {
		table, err := results.Table(fmt.Sprintf("lasso-sparse-d%d", dim))
		if err != nil {
			return err
		}
		for _, epsilon := range Epsilons[1:] {
			best, _, err := final(table, Name(Refined, epsilon))
			if err != nil {
				return err
			}
			for _, other := range []string{Plain, Tuned} {
				if regret, _, err := final(table, Name(other, epsilon)); err != nil || !(best < regret) {
					return errors.Join(fail("d = %d, epsilon = %v: %.0f, and %s has %.0f", dim, epsilon, best, other, regret), err)
				}
			}
		}
	}
	return nil
}

func theoremIsVacuous() error {
	at := map[string]float64{}
	for _, b := range Theorems(100, 1) {
		at[b.Name] = b.At(16000)
	}
	if !(at["Theorem 3"] > at["a random arm"]) {
		return fail("it is %.0f at T = 16,000, a random arm's regret %.0f", at["Theorem 3"], at["a random arm"])
	}
	return nil
}

// The margin is a share of 5,000 rounds, with a standard error of 0.022 over 0.2.
func marginHolds() error {
	if a := Measure(&environment.Sparse{Dim: 5, Sparsity: 5, Leading: true}, 5000); math.Abs(a.Margin-0.56) > 0.1 {
		return fail("it is %.3f", a.Margin)
	}
	return nil
}

func TestClaims(t *testing.T) {
	for name, holds := range claims {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(name, "5:") {
				t.Skip("calibrating takes seconds")
			}
			if err := holds(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// mutations breaks the code once for each claim, in a place that it is about.
var mutations = []mutationtest.Mutation{
	{"2: the solver soft-thresholds", "the penalty is twice as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 2*alpha*s.rows, 0"},
	{"2: five of 100 coordinates are found in 400 rounds", "the second threshold keeps the small coefficients", "pkg/learner/thresholded_lasso.go", "if math.Abs(w[j]) > least {", "if math.Abs(w[j]) < least {"},
	{"3: the printed algorithm promises nothing", "repairs count as defects", "pkg/mechanism/thresholded_lasso_noise.go", "if !defect.mended {", "if defect.mended {"},
	{"5: each recipe proves what it was asked for", "the Gumbel noise has half of its scale", "pkg/mechanism/sparse_episodes.go", "out.gumbel = 4 * p.Scores.Most() / pick", "out.gumbel = 2 * p.Scores.Most() / pick"},
	{"5: SparseJDP learns at epsilon = 10", "the smallest scores are chosen", "pkg/mechanism/sparse_episodes.go", "e.gumbel[j] += math.Abs(u)", "e.gumbel[j] -= math.Abs(u)"},
	{"6: the refined recipe has the least regret", "the first round is taken for the last", "notebooks/lasso/experiment.go", "k := len(c.Rounds) - 1", "k := 0"},
	{"9: Theorem 3 is above a random arm", "its constant is forgotten", "notebooks/lasso/pictures.go", "common := 1048 * math.Pow", "common := math.Pow"},
	{"9: the margin constant is near 1/sqrt(pi)", "the width of the margin is forgotten", "notebooks/lasso/pictures.go", "a.Margin += 1 / (0.2 * float64(n))", "a.Margin += 1 / float64(n)"},
}

func TestMutations(t *testing.T) {
	mutationtest.Run(t, mutations, slices.Collect(maps.Keys(claims)))
}
