// Package exercises holds the exercises of the notebook on learners of one's own.
package exercises

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/notebooks/own"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"releases of an arm": {
		Hint: "a release comes after 1, 2, 4, 8, ... rewards",
		Check: exercise.Of(func(f func(n int) int) error {
			s, released := &own.Totals{Epsilon: 1}, 0
			if err := s.Init(privacy.Setup{Horizon: 100, Arms: 1, Slots: 1, Hi: 1}); err != nil {
				return err
			}
			s.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
			for n := 1; n <= 100; n++ {
				moved, err := s.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}})
				if err != nil {
					return err
				}
				if moved {
					released++
				}
				what := fmt.Sprintf("the number of releases after %d rewards", n)
				if err := exercise.Near(what, float64(f(n)), float64(released), 0); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"epsilon without clipping": {
		Hint: "how far does a reward move a sum, and what does a move of 1 cost?",
		Check: exercise.Of(func(f func(epsilon, far float64) float64) error {
			for _, epsilon := range []float64{0.1, 1, 3} {
				for _, far := range []float64{1, 2.5, 10} {
					p := privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: privacy.Budget{Epsilon: epsilon}}
					p = p.With(privacy.Release{
						Laws:        []privacy.Law{privacy.LaplaceLaw(1, 1/epsilon)},
						Sensitivity: privacy.Norms{L1: far, L2: far, LInf: far},
					}).HeldBy(&p)
					what := fmt.Sprintf("the ε of noise for %v and rewards up to %v", epsilon, far)
					if err := exercise.Near(what, f(epsilon, far), p.Claim().Epsilon(), 1e-9); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"inverse propensity": {
		Hint: "a round counts y/p if the policy plays the log's arm, else 0; divide the sum by the number of all rounds",
		Check: exercise.Of(func(f func(log *offpolicy.Log, arm int) float64) error {
			rng, log := random.New(1, 0, "log"), &offpolicy.Log{Arms: 3, RewardMin: 0, RewardMax: 1}
			for range 50 {
				arm := rng.IntN(3)
				log.Chosen, log.Rewards = append(log.Chosen, arm), append(log.Rewards, rng.Float64())
				log.Propensities = append(log.Propensities, []float64{0.2, 0.3, 0.5}[arm])
			}
			for arm := range 3 {
				e := offpolicy.Evaluation{Log: log, Policy: func(_, p []float64) { p[arm] = 1 }}
				want, err := e.InversePropensity()
				if err != nil {
					return err
				}
				what := fmt.Sprintf("the estimate for arm %d", arm)
				if err := exercise.Near(what, f(log, arm), want.Value, 1e-9); err != nil {
					return err
				}
			}
			return nil
		}),
	},
}
