package papers

import (
	"math/rand/v2"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// sparseDim and sparseRows are the coordinates of a context and the rows of an episode.
const sparseDim, sparseRows = 3, 2

// sparseLengths gives all episodes the same number of rows.
type sparseLengths struct{}

func (sparseLengths) Length(int, int, float64) int { return sparseRows }

// soundSparse audits the statistics of sparse linear models.
func soundSparse(s Scale) []audit.Item {
	runs := pick(s, 20_000, 100_000, 1_000_000)
	phase := mechanism.Phase{Picks: 1, Share: 0.5, Norm: 1, Reward: 1}
	later := mechanism.Phase{Norm: 1, Reward: 0.5}
	gram := func(r *mechanism.SparseGram, out []float64) {
		out[0], out[1], out[2] = float64(r.Support[0]), r.Gram[0], r.Cross[0]
	}
	return []audit.Item{
		sparseItem("top of 3 scores", runs, 1, 1, func() privacy.Statistic[mechanism.Support] {
			return &mechanism.TopScores{Budget: privacy.Budget{Epsilon: 1}, Picks: 1, Lengths: sparseLengths{}}
		}, func(r *mechanism.Support, out []float64) { out[0] = float64(r.Of[0]) }),
		sparseItem("an episode's support and Gram matrix", runs, 1, 3, func() privacy.Statistic[mechanism.SparseGram] {
			return &mechanism.SparseEpisodes{Budget: auditBudget, Lengths: sparseLengths{}, Phases: []mechanism.Phase{phase}}
		}, gram),
		sparseItem("the same, refined in a second episode", runs, 2, 3, func() privacy.Statistic[mechanism.SparseGram] {
			return &mechanism.SparseEpisodes{Budget: auditBudget, Lengths: sparseLengths{}, Refine: true,
				Phases: []mechanism.Phase{phase, later}}
		}, gram),
	}
}

// sparseItem audits what a statistic releases after some episodes, read by numbers. The worlds
// differ in the first row of the last episode.
func sparseItem[R any](name string, runs, episodes, outputs int, fresh func() privacy.Statistic[R],
	numbers func(r *R, out []float64)) audit.Item {
	ready := func() any {
		x := fresh()
		exitOn(x.Init(privacy.Setup{Dim: sparseDim + 1, Horizon: episodes*sparseRows + 1, Bound: 2, Alpha: 0.1}))
		return x
	}
	pool := sync.Pool{New: ready} // calibrating takes longer than a run
	claim, curve := audit.Claimed(privacy.ClaimOf(ready()))
	last := (episodes - 1) * sparseRows
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			x := pool.Get().(privacy.Statistic[R])
			defer pool.Put(x)
			x.Reset(privacy.NewNoise(source))
			for i := range episodes * sparseRows {
				row := []float64{1, 1, -1, 0.5}
				if i == last {
					row = [][]float64{{1, 1, -1, 1}, {1, -1, 1, -1}}[world]
				}
				if _, err := x.Add(privacy.Row(row)); err != nil {
					return err
				}
			}
			numbers(x.Release(), out)
			return nil
		},
	}
}
