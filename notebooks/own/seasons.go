package own

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Seasons has arms whose means change places: each season the best arm becomes the worst, if Means
// fall, and every other one moves up.
type Seasons struct {
	Means []float64 // in [0, 1]
	Long  int       // rounds of a season, >= 1
}

func (e Seasons) Open() (bandit.World, error) {
	if e.Long < 1 {
		return nil, fmt.Errorf("own: seasons of %d rounds, want >= 1", e.Long)
	}
	p := bandit.Problem{Arms: len(e.Means), Slots: 1, RewardMin: 0, RewardMax: 1}
	return bandit.NewWorld(p, func(*rand.Rand) bandit.Instance { return &year{Seasons: e} }), nil
}

// year is a trial of Seasons.
type year struct {
	Seasons
	round int
}

func (e *year) Next(v *bandit.View) {
	e.round++
	*v = bandit.View{Round: e.round, Arms: len(e.Means)}
}

func (e *year) mean(arm int) float64 {
	season, k := max(0, e.round-1)/e.Long, len(e.Means)
	return e.Means[(arm+season*(k-1))%k]
}

func (e *year) Pull(rewards *rand.Rand, arms []int, y []float64) {
	u := rewards.Float64() // one draw, whatever is played
	for i, a := range arms {
		y[i] = 0
		if u < e.mean(a) {
			y[i] = 1
		}
	}
}

func (e *year) Regret(arms []int) float64 { return slices.Max(e.Means) - e.mean(arms[0]) }

// Even is a rule of blocks for tally.Blocks: all have the same length.
type Even int

func (e Even) Length(int) int { return int(e) }
