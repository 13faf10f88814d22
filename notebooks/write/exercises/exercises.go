// Package exercises holds the exercises of the notebook on learners of one's own.
package exercises

import (
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/notebooks/own"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"gonum.org/v1/gonum/stat/distuv"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"releases of an arm": exercise.Like(released, 0, "the number of releases after %d rewards", exercise.Grid(exercise.UpTo(100))),
	"the price without blocks": exercise.Like(func(n int, b float64) float64 { return claimed(released(n), 1, b) }, 1e-9,
		"the ε of the releases after up to %d rewards, b = %v", exercise.Grid(exercise.Args{1, 2, 3, 64, 100}, exercise.Args{1, 4})),
	"the first mean": exercise.Like(unmended, 1e-9, "the mean after a first reward of %v and a draw of %v",
		exercise.Grid(exercise.Args{0.5, 10, -2}, exercise.Args{0.25, 3, -0.4})),
	"what a plan proves": exercise.Like(claimed, 1e-9, "the ε of %d releases, each moved by %v under noise of scale %v",
		exercise.Grid(exercise.Args{1, 17}, exercise.Args{1, 2.5}, exercise.Args{1, 0.5})),
	"noise of a total": exercise.Like(spread, 1e-9, "the standard deviation of the noise after %d rewards, b = %v",
		exercise.Grid(exercise.Args{1, 2, 64}, exercise.Args{1, 4})),
	"epsilon without clipping": exercise.Like(func(epsilon, far float64) float64 { return claimed(1, far, 1/epsilon) }, 1e-9,
		"the ε of noise for %v and rewards up to %v", exercise.Grid(exercise.Args{0.1, 1, 3}, exercise.Args{1, 2.5, 10})),
	"the order of the steps": exercise.Like(leaked, 1e-9, "the ε of the steps %q at ε = %v and rewards up to %v",
		exercise.Grid(exercise.Args{"clip noise", "noise clip", "noise", "clip noise clip", "clip clip noise", "noise clip clip"},
			exercise.Args{0.1, 1, 3}, exercise.Args{1, 2.5, 10})),
	"what so many runs can show": exercise.Like(func(runs int, gamma float64) float64 { return -math.Log(math.Pow(gamma, -1/float64(runs)) - 1) }, 1e-6,
		"the largest ε of %d runs at γ = %v", exercise.Grid(exercise.Args{100, 20_000}, exercise.Args{0.005, 0.05})),
	"best arm of a season": exercise.Like(best, 0, "the best arm in round %d, for seasons of %d rounds and %d arms", exercise.Grid(exercise.Args{1, 7, 70}, exercise.Args{7, 10}, exercise.Args{2, 5})),
	"rows of a person": exercise.Like(rows, 0, "for κ = %v, ε = %v and δ = %v the number of rows",
		exercise.Grid(exercise.Args{0.05, 0.7}, exercise.Args{1, 10}, exercise.Args{1e-6})),
	"false alarms of a test": exercise.Like(func(n int, z float64) float64 { return 2 * float64(n) * distuv.UnitNormal.Survival(z) }, 1e-9,
		"the false alarms of %d comparisons at z = %v", exercise.Grid(exercise.Args{1, 8, 24}, exercise.Args{3, 4})),
	"inverse propensity": exercise.Like(estimated, 1e-9, "the estimate for arm %[2]d", exercise.Grid(exercise.Args{logged()}, exercise.Args{0, 1, 2})),
}

// fed returns a run of Totals after n rewards of an arm, under noise of a scale, with its releases.
func fed(n int, scale float64) (s privacy.Stream[privacy.Means], releases int) {
	opened := check.Try(own.Totals{Epsilon: 1 / scale}.Open(privacy.Setup{Horizon: 100, Arms: 1, Slots: 1, Hi: 1}))
	s = opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	for range n {
		if check.Try(s.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}})) {
			releases++
		}
	}
	return s, releases
}

func released(n int) int {
	_, releases := fed(n, 1)
	return releases
}

// unmended is what the lesson's first Totals release of a reward under a draw.
func unmended(y, noise float64) float64 { return min(max(y+noise, 0), 1) }

// spread takes Bernstein's bound apart, whose root is that of twice the variance.
func spread(n int, scale float64) float64 {
	s, _ := fed(n, scale)
	return s.Release().Of[0].Tail.Root / math.Sqrt2
}

// claimed computes what noise of a scale buys where a record moves so many releases so far.
func claimed(releases int, moves, scale float64) float64 {
	p := privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: 1}}
	return p.With(privacy.Release{
		Law:         privacy.LaplaceLaw(1, scale),
		Sensitivity: privacy.Norms{L1: moves, L2: moves, LInf: moves}, Times: releases,
	}).HeldBy(&p).Claim().Epsilon()
}

// leaked follows the largest reward to where the noise is added.
func leaked(steps string, epsilon, far float64) float64 {
	for _, step := range strings.Fields(steps) {
		if step == "noise" {
			break
		}
		far = min(far, 1)
	}
	return claimed(1, far, 1/epsilon)
}

// best asks Seasons which arm has no regret.
func best(round, long, arms int) (arm int) {
	e := own.Seasons{Long: long}
	for a := range arms {
		e.Means = append(e.Means, 1/float64(1+a))
	}
	trial := check.Try(e.Open()).Start(nil)
	for range round {
		trial.Next(&bandit.View{})
	}
	for trial.Regret([]int{arm}) > 0 {
		arm++
	}
	return arm
}

// rows divides what a person may move a Gaussian release by what a row moves it.
func rows(kappa, epsilon, delta float64) int {
	return int(check.Try(privacy.Budget{Epsilon: epsilon, Delta: delta}.GaussianMu()) / kappa)
}

// logged is a log of 50 rounds with three arms.
func logged() *offpolicy.Log {
	rng, log := random.New(1, 0, "log"), &offpolicy.Log{Arms: 3, RewardMin: 0, RewardMax: 1}
	for range 50 {
		arm := rng.IntN(3)
		log.Chosen, log.Rewards = append(log.Chosen, arm), append(log.Rewards, rng.Float64())
		log.Propensities = append(log.Propensities, []float64{0.2, 0.3, 0.5}[arm])
	}
	return log
}

// estimated is what a log says of a policy that always plays an arm.
func estimated(log *offpolicy.Log, arm int) float64 {
	e := offpolicy.Evaluation{Log: log, Policy: func(_, p []float64) { p[arm] = 1 }}
	return check.Try(e.InversePropensity()).Value
}
