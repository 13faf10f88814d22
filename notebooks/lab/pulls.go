package lab

import (
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Pulls returns how often each arm is played in a run, by simulate.Play with that seed.
func Pulls(env bandit.Environment, of bandit.Learner, rounds int, seed uint64) (count []float64) {
	check.OK(simulate.Play(env, of, rounds, seed, func(r *simulate.Round) {
		if count == nil {
			count = make([]float64, r.Arms)
		}
		for _, arm := range r.Played {
			count[arm]++
		}
	}))
	return count
}
