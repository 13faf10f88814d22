package arms_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// stretched is arms whose rewards are in [-1, 3].
type stretched struct{ environment.Arms }

func (e stretched) Open() (bandit.World, error) {
	w, err := e.Arms.Open()
	if err != nil {
		return nil, err
	}
	p := w.Problem()
	p.RewardMin, p.RewardMax = -1, 3
	return bandit.NewWorld(p, func(contexts *rand.Rand) bandit.Instance { return &stretchedTrial{w.Start(contexts)} }), nil
}

type stretchedTrial struct{ bandit.Instance }

func (e *stretchedTrial) Pull(rewards *rand.Rand, arms []int, y []float64) {
	e.Instance.Pull(rewards, arms, y)
	for i := range y {
		y[i] = 4*y[i] - 1
	}
}

func (e *stretchedTrial) Regret(arms []int) float64 { return 4 * e.Instance.Regret(arms) }

// TestInsights: of each learner, the arm played in every round is the first with the largest index,
// if all have one, and is never out. Rewards need not be in [0, 1], and there are races with and
// without a heap.
func TestInsights(t *testing.T) {
	few := []float64{0.4, 0.9, 0.7, 0.1}
	many := make([]float64, 60)
	for a := range many {
		many[a] = 0.2 + float64(a%7)/10
	}
	turns := map[string]bool{"DP-SE": true, "successive elimination": true, "AdaP-TT": true, "TopTwo": true, "TargetIMED": true, "sequential halving": true, // without indices
		"EXP3": true, "EXP3-IX": true, "Tsallis-INF": true, "DP-HTINF": true}
	for _, means := range [][]float64{few, many} {
		env := stretched{environment.Arms{Means: means, Sigma: 0.15}}
		rounds := 8000
		if len(means) > len(few) {
			rounds = 2400
		}
		for _, m := range makers {
			l := m.make(20)
			w, err := simulate.Watch(env, l, rounds, 5, simulate.LinearGrid(rounds, rounds))
			if err != nil || w.Silent != nil {
				t.Errorf("%s: %v, %v", m.name, err, w)
				continue
			}
			different := false
			err = simulate.Play(env, l, rounds, 5, func(r *simulate.Round) {
				different = different || r.Played[0] != w.Played[r.Round-1][0]
			})
			if err != nil || different {
				t.Errorf("%s of %d arms: plays other arms if it is asked in each round, error %v", m.name, len(means), err)
			}
			compared, estimates, off, wrong := 0, 0, 0.0, false
			for i, list := range w.Insights {
				best, whole := 0, true
				for a, x := range list {
					whole = whole && !math.IsNaN(x.Index)
					if x.Index > list[best].Index {
						best = a
					}
					if x.Estimate == x.Estimate && i == len(w.Grid)-1 {
						estimates++
						off += math.Abs(x.Estimate-(4*means[a]-1)) / float64(len(means))
					}
				}
				if whole {
					compared++
				}
				played := w.Played[i][0]
				if whole && played != best || math.IsInf(list[played].Index, -1) {
					t.Errorf("%s of %d arms, round %d: plays arm %d of index %v, and arm %d has %v (NaN for all where one is drawn at random)",
						m.name, len(means), w.Grid[i], played, list[played].Index, best, list[best].Index)
					wrong = true
					break
				}
			}
			if wrong {
				continue
			}
			if turns[m.name] == (compared > rounds/2) || estimates < len(means)/2 && rounds == 8000 ||
				off > 1 && m.name != "DP-TS-UCB" { // whose numbers are mostly the largest of draws
				t.Errorf("%s of %d arms: indices in %d of %d rounds (name it in turns if it has none), %d estimates at the end, off by %.3g on average",
					m.name, len(means), compared, rounds, estimates, off)
			}
		}
	}
}
