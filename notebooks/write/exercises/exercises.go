// Package exercises holds the exercises of the notebook on learners of one's own.
package exercises

import (
	"github.com/dpbandits/dpbandits/notebooks/own"
	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/notebook/exercise"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"releases of an arm": {
		Hint:  "a release comes after 1, 2, 4, 8, ... rewards",
		Check: exercise.Like(released, 0, "the number of releases after %d rewards", exercise.Grid(exercise.UpTo(100))),
	},
	"epsilon without clipping": {
		Hint: "how far does a reward move a sum, and what does a move of 1 cost?",
		Check: exercise.Like(claimed, 1e-9, "the ε of noise for %v and rewards up to %v",
			exercise.Grid(exercise.Args{0.1, 1, 3}, exercise.Args{1, 2.5, 10})),
	},
	"inverse propensity": {
		Hint:  "a round counts y/p if the policy plays the log's arm, else 0; divide the sum by the number of all rounds",
		Check: exercise.Like(estimated, 1e-9, "the estimate for arm %[2]d", exercise.Grid(exercise.Args{logged()}, exercise.Args{0, 1, 2})),
	},
}

// released counts the releases of n rewards.
func released(n int) (releases int) {
	s := &own.Totals{Epsilon: 1}
	check.OK(s.Init(privacy.Setup{Horizon: 100, Arms: 1, Slots: 1, Hi: 1}))
	s.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
	for range n {
		if check.Try(s.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}})) {
			releases++
		}
	}
	return releases
}

// claimed computes what noise for an epsilon buys where a reward moves a sum so far.
func claimed(epsilon, far float64) float64 {
	p := privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: epsilon}}
	return p.With(privacy.Release{
		Laws:        []privacy.Law{privacy.LaplaceLaw(1, 1/epsilon)},
		Sensitivity: privacy.Norms{L1: far, L2: far, LInf: far},
	}).HeldBy(&p).Claim().Epsilon()
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
