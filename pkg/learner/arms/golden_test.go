package arms_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The instances of the goldens, Bernoulli arms.
var (
	c1 = []float64{0.75, 0.7, 0.7, 0.7, 0.7}
	c2 = []float64{0.75, 0.625, 0.5, 0.375, 0.25}
)

// goldens are mean regrets after 10^6 rounds that another implementation found, with their standard
// errors, by instance, and the number of its trials. An error of 0 was not written down.
var goldens = []struct {
	name    string
	epsilon float64
	regret  [2]float64
	se      [2]float64
	trials  int
	inTest  int // trials of this test; 0: only if the variable asks for them
}{
	{"DP-SE", 0.05, [2]float64{27549, 9263}, [2]float64{528, 103}, 400, 2},
	{"DP-SE", 0.1, [2]float64{10563, 5020}, [2]float64{20, 51}, 400, 0},
	{"DP-SE", 0.25, [2]float64{10453, 3959}, [2]float64{0, 6}, 400, 2},
	{"DP-SE", 0.5, [2]float64{10448, 3941}, [2]float64{}, 400, 0},
	{"DP-SE", 1, [2]float64{10417, 3801}, [2]float64{}, 400, 0},
	{"DP-SE", inf, [2]float64{10204, 3337}, [2]float64{45, 29}, 400, 2},
	{"AdaP-UCB", 0.1, [2]float64{10379, 7629}, [2]float64{130, 16}, 200, 4},
	{"AdaP-UCB", 0.25, [2]float64{6500, 3651}, [2]float64{14, 19}, 200, 0},
	{"AdaP-UCB", 0.5, [2]float64{5239, 2322}, [2]float64{59, 20}, 200, 0},
	{"AdaP-UCB", 1, [2]float64{4028, 1678}, [2]float64{53, 14}, 200, 4},
	{"AdaP-UCB", inf, [2]float64{3279, 939}, [2]float64{23, 10}, 200, 4},
	{"DP-UCB", 0.1, [2]float64{13107, 10103}, [2]float64{0, 213}, 30, 0},
	{"DP-UCB", 0.25, [2]float64{6554, 4838}, [2]float64{0, 105}, 30, 0},
	{"DP-UCB", 0.5, [2]float64{5545, 3311}, [2]float64{160, 30}, 30, 0},
	{"DP-UCB", 1, [2]float64{3495, 1954}, [2]float64{67, 32}, 30, 4},
	{"UCB1", inf, [2]float64{1794, 430}, [2]float64{19, 5}, 60, 2},
	{"KL-UCB", inf, [2]float64{380, 91}, [2]float64{14, 3}, 30, 2},
	{"Thompson", inf, [2]float64{200, 65}, [2]float64{6, 2}, 60, 2},
}

var inf = math.Inf(1)

// trials returns how many trials of a golden are run: those that the variable asks for, or n.
func trials(n int) int {
	if f, err := strconv.Atoi(os.Getenv("DPBANDITS_GOLDEN_TRIALS")); err == nil {
		return f
	}
	return n
}

// regret returns the mean regret of a learner and its standard error.
func regret(t *testing.T, l bandit.Learner, means []float64, horizon, trials int, seed uint64) (mean, se float64) {
	t.Helper()
	e := &simulate.Experiment{
		Name: "arms", Horizon: horizon, Trials: trials, Seed: seed, Grid: []int{horizon},
		Environment: environment.Arms{Means: means},
		Policies:    []simulate.Policy{{Name: "learner", Learner: l}},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Curve("learner")
	if err != nil {
		t.Fatal(err)
	}
	return c.Mean[len(c.Mean)-1], c.SE[len(c.SE)-1]
}

// TestGoldens compares mean regrets with those that another implementation found, by 4 combined
// standard errors and 1%. A few trials do not say how much they vary; if they vary less than the
// goldens' did, the latter counts. A false alarm has a probability of 1e-4 a number.
func TestGoldens(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	by := map[string]maker{}
	for _, m := range makers {
		by[m.name] = m
	}
	for _, g := range goldens {
		n := trials(g.inTest)
		if n == 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s/%v", g.name, g.epsilon), func(t *testing.T) {
			for i, means := range [][]float64{c1, c2} {
				mean, se := regret(t, by[g.name].make(g.epsilon), means, 1_000_000, n, 1)
				want, theirs := g.regret[i], g.se[i]
				off := (mean - want) / math.Hypot(se, theirs)
				t.Logf("C%d: %.0f (%.0f), golden %.0f (%.0f): %.1f standard errors apart", i+1, mean, se, want, theirs, off)
				se = max(se, theirs*math.Sqrt(float64(g.trials)/float64(n)))
				if !(math.Abs(mean-want) <= 4*math.Hypot(se, theirs)+0.01*want) {
					t.Errorf("C%d: a regret of %.0f (%.0f), golden %.0f (%.0f)", i+1, mean, se, want, theirs)
				}
			}
		})
	}
}

// TestNearBound compares regrets after 300,000 rounds with the lower bound for epsilon-DP, which is
// one as the horizon grows. Of the means of 5 trials, which vary by some 0.05, one in thousands is
// out of these ranges.
func TestNearBound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const horizon, epsilon = 300_000, 0.5
	bound := arms.DEpsBound(epsilon, c2, horizon)
	for _, m := range makers {
		within, ok := map[string][2]float64{
			"TargetIMED": {0.6, 1.1}, "DP-IMED": {0.75, 1.35}, "DP-KLUCB": {0.8, 1.5}, "AdaP-UCB": {5, 20}, "Lazy-DP-TS": {2, 12},
		}[m.name]
		if !ok {
			continue
		}
		mean, _ := regret(t, m.make(epsilon), c2, horizon, 5, 1)
		if ratio := mean / bound; !(ratio >= within[0] && ratio <= within[1]) {
			t.Errorf("%s: a regret of %.3g times the bound %.0f, want within %v", m.name, ratio, bound, within)
		} else {
			t.Logf("%s: %.3g times the bound", m.name, ratio)
		}
	}
}
