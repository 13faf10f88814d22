package lasso

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// recipe returns what makes a learner of a recipe.
func recipe(name string, epsilon float64, sparsity int) func() bandit.Learner {
	return func() bandit.Learner { return Recipes[name](privacy.Budget{Epsilon: epsilon, Delta: Delta}, sparsity) }
}

// released is SparseJDP with so many picks, scored by signs, of which the 5 largest are kept.
func released(picks int, share, epsilon float64) *learner.Private[mechanism.SparseGram] {
	return learner.New(&learner.SparseJDP{Estimate: mechanism.SparseEstimate{Keep: Sparsity}}, &mechanism.SparseEpisodes{
		Budget: privacy.Budget{Epsilon: epsilon, Delta: Delta}, Concentrated: true,
		Phases: []mechanism.Phase{{Picks: picks, Share: share, Scores: mechanism.Signs{Y: 1}, Norm: 1.2 * math.Sqrt(float64(picks)), Reward: 1.5}},
	})
}

// longEpisodes gives a selection of seven picks short and long episodes.
func longEpisodes(s lab.Scale) (string, error) {
	n, lengths := cell.Pick(s, 5, 20, 20), []int{200, 8000}
	var found [2]int
	for i, rows := range lengths {
		for run := range n {
			top := &mechanism.TopScores{Budget: privacy.Budget{Epsilon: 0.5, Delta: Delta}, Picks: 7,
				Scores: mechanism.Signs{Y: 1}, Lengths: mechanism.Growing{Least: rows}}
			if err := top.Init(privacy.Setup{Horizon: rows + 1, Dim: 101, Bound: 1}); err != nil {
				return "", err
			}
			top.Reset(privacy.NewNoise(random.Source(5, run, "noise")))
			env := sparse(100, Sparsity)
			for x, y := range environment.Rows(&env, uint64(run), rows) {
				if _, err := top.Add(&privacy.Record{X: x, Y: []float64{y}}); err != nil {
					return "", err
				}
			}
			hits := 0
			for _, j := range top.Release().Of {
				if j < Sparsity {
					hits++
				}
			}
			if hits == Sparsity {
				found[i]++
			}
		}
	}
	return unless(found[0] == 0 && found[1] == n, "all five in %d runs of 200 rows and in %d of 8000, of %d each", found[0], found[1], n)
}

func recipesPromise(lab.Scale) (string, error) {
	evidence, holds := "of 1 asked for: ", true
	for _, name := range []string{Plain, Tuned, Refined} {
		l := Recipes[name](privacy.Budget{Epsilon: 1, Delta: Delta}, Sparsity)
		if err := l.Init((&environment.Sparse{}).Problem(), 16_000); err != nil {
			return "", err
		}
		e := privacy.ClaimOf(l).Epsilon()
		evidence += fmt.Sprintf("%s %.4f. ", name, e)
		holds = holds && e > 0.5 && e <= 1+1e-6 && (e < 0.8 || name != Plain)
	}
	return unless(holds, "%s", evidence)
}

// lessNoise compares the noise of one pick: its scale is 4/epsilon_0.
func lessNoise(s lab.Scale) (string, error) {
	evidence, holds := "", true
	for _, epsilon := range cell.Pick(s, []float64{1, 10}, []float64{0.5, 1, 2, 5, 10}, []float64{0.5, 1, 2, 5, 10}) {
		b := privacy.Budget{Epsilon: epsilon, Delta: Delta}
		rho, err := privacy.ZCDP(b)
		if err != nil {
			return "", err
		}
		pick, _, err := privacy.CalibrateSelection(b, 7, 0.6)
		if err != nil {
			return "", err
		}
		less := 1 - math.Sqrt(8*0.6*rho/7)/pick
		evidence += fmt.Sprintf("%.1f%% at ε = %g. ", 100*less, epsilon)
		holds = holds && less > 0.09 && less < 0.25
	}
	return unless(holds, "%s", evidence)
}

// dims are the dimensions of the committed runs of the recipes.
var dims = []int{100, 1000}

func recipesRank(lab.Scale) (string, error) {
	evidence := "regret, 100 and 40 trials of 16,000 rounds: "
	for _, dim := range dims {
		table, err := results.Table(fmt.Sprintf("lasso-sparse-d%d", dim))
		if err != nil {
			return "", err
		}
		of, last := map[string]float64{}, map[string]float64{}
		for _, epsilon := range Epsilons[1:] { // from 10 down
			for _, name := range []string{Plain, Tuned, Refined} {
				regret, _, err := final(table, Name(name, epsilon))
				if err != nil {
					return "", err
				}
				of[Name(name, epsilon)] = regret
				if !(regret > last[name]) {
					return "", fmt.Errorf("d = %d: %s pays %.0f, and %.0f with more of it", dim, Name(name, epsilon), regret, last[name])
				}
				last[name] = regret
			}
			if !(last[Refined] < last[Tuned] && last[Tuned] < last[Plain]) {
				return "", fmt.Errorf("d = %d, epsilon = %g: %v", dim, epsilon, last)
			}
		}
		half, two := of[Name(Refined, 0.5)], of[Name(Plain, 2)]
		if !(half < two) {
			return "", fmt.Errorf("d = %d: refined pays %.0f at 0.5, plain %.0f at 2", dim, half, two)
		}
		evidence += fmt.Sprintf("d = %d: refined %.0f at ε = 0.5, plain %.0f at 2. ", dim, half, two)
	}
	return evidence, nil
}

func slowInDimension(lab.Scale) (string, error) {
	evidence, holds := "", true
	for _, name := range []string{Plain, Tuned, Refined} {
		least, most := math.Inf(1), 0.0
		for _, epsilon := range Epsilons[1:] {
			var of [2]float64
			for i, dim := range dims {
				table, err := results.Table(fmt.Sprintf("lasso-sparse-d%d", dim))
				if err != nil {
					return "", err
				}
				if of[i], _, err = final(table, Name(name, epsilon)); err != nil {
					return "", err
				}
			}
			least, most = min(least, of[1]/of[0]), max(most, of[1]/of[0])
		}
		evidence += fmt.Sprintf("%s %.2f to %.2f. ", name, least, most)
		from, to := 1.2, 1.8
		if name == Plain {
			from, to = 1.8, 2.1
		}
		holds = holds && least > from && most < to
	}
	return unless(holds, "%s", evidence)
}

// growsWith plays the tuned recipe, and compares regrets and not shares: a random arm's regret
// grows with the arms.
func growsWith(s lab.Scale) (string, error) {
	rounds, n := cell.Pick(s, 3000, 8000, 8000), cell.Pick(s, 2, 6, 6)
	var regret [4]float64
	for i, of := range []struct{ arms, sparsity int }{{10, 1}, {10, 16}, {2, 5}, {50, 5}} {
		e := &simulate.Experiment{Name: "claim", Horizon: rounds, Trials: n, Seed: 4,
			Environment: func() bandit.Environment {
				return &environment.Sparse{Arms: of.arms, Sparsity: of.sparsity, Leading: true}
			},
			Policies: []simulate.Policy{{Name: Tuned, New: recipe(Tuned, 1, of.sparsity)}}}
		r, err := e.Run(context.Background())
		if err != nil {
			return "", err
		}
		regret[i] = r.Curves()[0].Final()
	}
	return unless(regret[1] > 2*regret[0] && regret[3] > 2*regret[2],
		"%.0f with s₀ = 1, %.0f with 16; %.0f with 2 arms, %.0f with 50; %d trials of %d rounds", regret[0], regret[1], regret[2], regret[3], n, rounds)
}

// laterSupport plays the plain recipe until a release holds all five.
func laterSupport(s lab.Scale) (string, error) {
	n, horizon := cell.Pick(s, 3, 6, 20), 40_000
	var mean [2]float64
	for i, epsilon := range []float64{10, 0.5} {
		at, err := simulate.Trials(context.Background(), n, func(trial int) (float64, error) {
			l, env, first := recipe(Plain, epsilon, Sparsity)().(*learner.Private[mechanism.SparseGram]), sparse(100, Sparsity), horizon
			err := simulate.Play(&env, l, horizon, uint64(trial), func(v *bandit.View, _ []int) {
				inside := 0
				for _, j := range l.Statistic.Release().Support {
					if j < Sparsity {
						inside++
					}
				}
				if inside == Sparsity {
					first = min(first, v.Round)
				}
			})
			return float64(first), err
		})
		if err != nil {
			return "", err
		}
		mean[i] = at.Mean()
	}
	return unless(mean[1] > 2*mean[0], "after %.0f rounds at ε = 10 and %.0f at 0.5, means of %d trials", mean[0], mean[1], n)
}

func leastError(s lab.Scale) (string, error) {
	n := cell.Pick(s, 1, 6, 6)
	var mean [3]float64
	for i, name := range []string{Plain, Tuned, Refined} {
		far, err := simulate.Trials(context.Background(), n, func(trial int) (float64, error) {
			l, env := recipe(name, 1, Sparsity)().(*learner.Private[mechanism.SparseGram]), sparse(100, Sparsity)
			if err := simulate.Play(&env, l, 16_000, uint64(trial), func(*bandit.View, []int) {}); err != nil {
				return 0, err
			}
			rest, r := slices.Clone(env.Theta()), l.Statistic.Release()
			for i, v := range l.Policy.(*learner.SparseJDP).Estimate.Solve(r, nil) {
				rest[r.Support[i]] -= v
			}
			sum := 0.0
			for _, v := range rest {
				sum += v * v
			}
			return math.Sqrt(sum), nil
		})
		if err != nil {
			return "", err
		}
		mean[i] = far.Mean()
	}
	return unless(mean[2] < 0.5*mean[1] && mean[1] < mean[0], "%.3f plain, %.3f tuned, %.3f refined at ε = 1, %d trials", mean[0], mean[1], mean[2], n)
}
