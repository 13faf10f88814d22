package simulate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// forwarded is an experiment of learners that can be fast-forwarded, of which DP-SE plays in turn.
func forwarded(seed uint64, trials int, forward bool) *simulate.Experiment {
	e := &simulate.Experiment{
		Name: "forwarded", Horizon: 6_000, Trials: trials, Seed: seed, Grid: []int{777, 6_000}, FastForward: forward,
		Environment: environment.Arms{Means: []float64{0.4, 0.7, 0.65}},
	}
	for name, l := range map[string]bandit.Learner{
		"DP-IMED":    arms.IMED{}.Private(0.5, 2),
		"DP-KLUCB":   arms.KLUCB{}.Private(0.5, 1.2),
		"AdaP-UCB":   arms.AdaPUCB{}.Private(0.5),
		"AdaC-UCB":   arms.AdaCUCB{}.Private(privacy.Budget{Epsilon: 0.5, Delta: 1e-5}),
		"DP-SE":      arms.DPElimination{}.Private(2),
		"TargetIMED": arms.TargetIMED{}.Private(0.5),
	} {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
	}
	slices.SortFunc(e.Policies, func(a, b simulate.Policy) int { return strings.Compare(a.Name, b.Name) })
	return e
}

// TestFastForwardLaw compares the regret of learners with and without FastForward, at a round
// within batches and at the end: by the mean, to 5 standard errors; by the spread, to 5 of its
// standard errors by the fourth moment; and by the statistic of Kolmogorov and Smirnov, to a level
// of 1e-6. These are 36 comparisons, with a false alarm in 4e-5 of the seeds; the seeds are fixed.
func TestFastForwardLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const trials = 1000
	var finals [2]*simulate.Result
	for i, forward := range []bool{false, true} {
		r, err := forwarded(uint64(1+i), trials, forward).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		finals[i] = r
	}
	for p := range finals[0].Policies {
		for g, round := range finals[0].Grid {
			what := fmt.Sprintf("%s, round %d", finals[0].Policies[p].Name, round)
			var x [2][]float64
			var mean, variance, ofMean, ofVariance [2]float64
			for i, r := range finals {
				for _, regret := range r.Policies[p].Regret {
					x[i] = append(x[i], regret[g])
				}
				slices.Sort(x[i])
				mean[i], variance[i], ofMean[i], ofVariance[i] = moments(x[i])
			}
			if d := math.Abs(mean[0] - mean[1]); d > 5*math.Sqrt(ofMean[0]+ofMean[1])+1e-9 {
				t.Errorf("%s: mean regret %v, forwarded %v: %v apart", what, mean[0], mean[1], d)
			}
			if d := math.Abs(variance[0] - variance[1]); d > 5*math.Sqrt(ofVariance[0]+ofVariance[1])+1e-9 {
				t.Errorf("%s: variance of regret %v, forwarded %v", what, variance[0], variance[1])
			}
			most := math.Sqrt(math.Log(2/1e-6) / trials) // of two samples of equal size
			if d := apart(x[0], x[1]); d > most {
				t.Errorf("%s: distribution functions are %v apart, want <= %v", what, d, most)
			}
			t.Logf("%s: mean %.1f and %.1f (%.1f), standard deviation %.1f and %.1f, KS %.3f", what,
				mean[0], mean[1], math.Sqrt(ofMean[0]+ofMean[1]), math.Sqrt(variance[0]), math.Sqrt(variance[1]), apart(x[0], x[1]))
		}
	}
}

// moments returns the mean and the variance of numbers, and the squared standard errors of both.
func moments(x []float64) (mean, variance, ofMean, ofVariance float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	var fourth float64
	for _, v := range x {
		d := (v - mean) * (v - mean)
		variance += d / (n - 1)
		fourth += d * d / n
	}
	return mean, variance, variance / n, (fourth - variance*variance) / n
}

// apart returns the largest difference of the distribution functions of two sorted samples, up to
// the rounding of equal numbers.
func apart(x, y []float64) (most float64) {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		at := min(x[i], y[j]) + 1e-6
		for i < len(x) && x[i] <= at {
			i++
		}
		for j < len(y) && y[j] <= at {
			j++
		}
		most = max(most, math.Abs(float64(i)/float64(len(x))-float64(j)/float64(len(y))))
	}
	return most
}

// TestFastForward: a learner that jumps is warned of, one that plays round by round is not and has
// the regret of an experiment without FastForward, bit by bit.
func TestFastForward(t *testing.T) {
	run := func(forward bool) *simulate.Result {
		e := forwarded(1, 3, forward)
		e.Policies = append(e.Policies[:2], simulate.Policy{Name: "Lazy-DP-TS", Learner: arms.LazyThompson{}.Private(0.5)})
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	slow, fast := run(false), run(true)
	for p := range slow.Policies {
		jumps := p < 2
		warned := slices.ContainsFunc(fast.Policies[p].Warnings, func(w bandit.Warning) bool {
			return strings.HasPrefix(w.What, "trials fast-forwarded") && w.Count == 3
		})
		if warned != jumps {
			t.Errorf("%s: warnings %v", fast.Policies[p].Name, fast.Policies[p].Warnings)
		}
		if same := slices.EqualFunc(slow.Policies[p].Regret, fast.Policies[p].Regret, slices.Equal); same == jumps {
			t.Errorf("%s: the same regret: %v", fast.Policies[p].Name, same)
		}
	}
}

// TestFastForwardRefuses: what draws no sums of rewards is an error, and so is a checkpoint of a
// run without FastForward.
func TestFastForwardRefuses(t *testing.T) {
	e := forwarded(1, 2, true)
	e.Environment = environment.Arms{Means: []float64{0, 1}, Sigma: 1}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "FastForward") {
		t.Errorf("Gaussian rewards: %v", err)
	}
	e.Environment = environment.SphereArms{Arms: 3, Dim: 2}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "FastForward") {
		t.Errorf("contexts: %v", err)
	}
	path := t.TempDir() + "/run"
	for i, forward := range []bool{true, true, false} {
		e := forwarded(1, 2, forward)
		e.Checkpoint = path
		if _, err := e.Run(t.Context()); (err != nil) != (i == 2) {
			t.Errorf("FastForward = %v after true: %v", forward, err)
		}
	}
}
