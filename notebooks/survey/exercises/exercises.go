// Package exercises holds the exercises of the notebook on differentially private online algorithms.
package exercises

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	study "github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"printed scale": {
		Hint: "replacing a loss moves a node by 2 sqrt N in L1 norm; a loss is in floor(log2(T-1)) + 1 nodes; each node costs its sensitivity over its scale",
		Check: exercise.Of(func(f func(dim, horizon int, epsilon float64) float64) error {
			for _, dim := range []int{1, 10} {
				for _, horizon := range []int{2, 1000, 100_000} {
					tree := &mechanism.VectorTree{Budget: privacy.Budget{Epsilon: 0.5}, Calibration: privacy.AsPublished}
					if err := tree.Init(privacy.Setup{Horizon: horizon, Dim: dim, Bound: 1}); err != nil {
						return err
					}
					what := fmt.Sprintf("the true epsilon at N = %d, T = %d and a nominal 0.5", dim, horizon)
					if err := exercise.Near(what, f(dim, horizon, 0.5), privacy.ClaimOf(tree).Epsilon(), 1e-6); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"budget of the stopping rule": {
		Hint: "replacing a sample moves the sum by D = 2R; the threshold costs D/s1, all queries together 2D/s2 because a query may move up while the threshold moves down, the last release D/s3",
		Check: exercise.Of(func(f func(r, s1, s2, s3 float64) float64) error {
			for _, c := range [][5]float64{{1, 12, 12, 4, 1}, {1, 24, 24, 8, 0.5}, {3, 36, 36, 12, 1}, {1, 2, 4, 2, 3}, {0.5, 1, 5, 10, 1.5}} {
				if err := exercise.Near(fmt.Sprintf("epsilon for R = %v and scales %v", c[0], c[1:4]), f(c[0], c[1], c[2], c[3]), c[4], 1e-9); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"divergence": {
		Hint: "the slope of epsilon (z - x) + kl(z, y) in z is epsilon + ln(z/(1-z)) - ln(y/(1-y)): where is it 0? If that z is below x, the least is at z = x",
		Check: exercise.Of(func(f func(epsilon, x, y float64) float64) error {
			for _, epsilon := range []float64{0.1, 1, 10} {
				for _, x := range []float64{0.1, 0.5, 0.7} {
					y := 0.75
					if err := exercise.Near(fmt.Sprintf("d(%v, %v) at epsilon = %v", x, y, epsilon), f(epsilon, x, y), arms.DEps(epsilon, x, y), 1e-6); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"what a mean remembers": {
		Hint: "batches end after 1, 2, 4, 8, ... rewards of the arm, and from the second on each has half of them",
		Check: exercise.Of(func(f func(n int) int) error {
			batches := &mechanism.Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: arms.NewAdaPTT(1, 0.1).Statistic.(*mechanism.Batches).Lengths}
			if err := batches.Init(privacy.Setup{Horizon: 100, Arms: 1, Slots: 1, Lo: 0, Hi: 1}); err != nil {
				return err
			}
			batches.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
			for n := 1; n <= 100; n++ {
				if _, err := batches.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}); err != nil {
					return err
				}
				what := fmt.Sprintf("after %d rewards, the number of those in the last mean released", n)
				if err := exercise.Near(what, float64(f(n)), float64(batches.Release().Of[0].Count), 0); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"first plays": {
		Hint: "solve (T-b+1)/(v(b+1)) = kappa^2 for b and round up; b is at least 1",
		Check: exercise.Of(func(f func(horizon int, variance, kappa float64) int) error {
			for _, c := range []struct {
				horizon         int
				variance, kappa float64
			}{{10_000, 1, 1}, {10_000, 10, 1}, {10_000, 1, 0.3}, {1000, 2.5, 0.5}, {100, 1000, 1}} {
				b := f(c.horizon, c.variance, c.kappa)
				what := fmt.Sprintf("T = %d, v = %g, kappa = %g", c.horizon, c.variance, c.kappa)
				switch most := privacy.GaussianEpsilon(1e-5, c.kappa); {
				case b < 1 || b > c.horizon:
					return fmt.Errorf("%s: b = %d, want from 1 to T", what, b)
				case drawn(c.horizon, c.variance, b) > most*(1+1e-9):
					return fmt.Errorf("%s: b = %d plays are too few", what, b)
				case b > 1 && drawn(c.horizon, c.variance, b-1) <= most:
					return fmt.Errorf("%s: b = %d plays are more than are needed", what, b)
				}
			}
			return nil
		}),
	},
	"schedule": {
		Hint: "add up q^i for i = 1, ..., floor(log T) - 1, q = (2T)^(1/log T), once with one logarithm and once with the other",
		Check: exercise.Of(func(f func(horizon int, logarithm func(float64) float64) float64) error {
			for _, horizon := range []int{10_000, 16_384, 1_000_000} {
				for name, logarithm := range map[string]func(float64) float64{"log2": math.Log2, "ln": math.Log} {
					log := logarithm(float64(horizon))
					want, q := 0.0, math.Pow(2*float64(horizon), 1/log)
					for i := 1; i <= int(math.Floor(log))-1; i++ {
						want += math.Pow(q, float64(i)) / float64(horizon)
					}
					if err := exercise.Near(fmt.Sprintf("the share of T = %d with %s", horizon, name), f(horizon, logarithm), want, 1e-6); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"sure winners": {
		Hint: "two independent means with half widths a and b differ for sure if they are more than 1.5 sqrt(a^2 + b^2) apart, about 3 standard errors",
		Check: exercise.Of(func(f func(rows []study.Row) []string) error {
			row := func(learner string, regret, within float64) study.Row {
				return study.Row{Learner: learner, Regret: regret, Within: within}
			}
			for _, c := range []struct {
				rows []study.Row
				want []string
			}{
				{[]study.Row{row("a", 100, 10), row("b", 150, 10), row("c", 300, 10)}, []string{"a"}},
				{[]study.Row{row("a", 100, 10), row("b", 115, 10), row("c", 300, 10)}, []string{"a", "b"}},
				{[]study.Row{row("c", 300, 200), row("b", 90, 3), row("a", 101, 3)}, []string{"b", "c"}},
			} {
				got := slices.Clone(f(c.rows))
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					return fmt.Errorf("of %v those that nobody surely beats are %v, and you have %v", c.rows, c.want, got)
				}
			}
			return nil
		}),
	},
}

// drawn returns the epsilon, at delta = 1e-5, that Gaussian Thompson sampling claims if each arm is
// played first times before it draws.
func drawn(horizon int, variance float64, first int) float64 {
	l := arms.NewGaussianThompson(variance, first, 1e-5)
	if err := l.Init(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, horizon); err != nil {
		return math.Inf(1)
	}
	return privacy.ClaimOf(l).Epsilon()
}
