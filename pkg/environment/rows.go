package environment

import (
	"iter"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Rows yields n rows of data for a regression: the context of arm 0 in each round, and its reward.
// The streams are those of the first trial of an experiment with that seed. A row is valid until
// the next one. An environment without contexts yields empty rows.
func Rows(world bandit.World, seed uint64, n int) iter.Seq2[[]float64, float64] {
	return func(yield func(x []float64, y float64) bool) {
		var v bandit.View
		rewards, arms, y := random.New(seed, 0, "rewards"), []int{0}, []float64{0}
		trial := world.Start(random.New(seed, 0, "contexts"))
		for range n {
			trial.Next(&v)
			trial.Pull(rewards, arms, y)
			if !yield(v.Row(0), y[0]) {
				return
			}
		}
	}
}
