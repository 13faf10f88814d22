package arms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
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

// TestInsights: of each learner of the catalogue, and of those that explore only, the arm played in
// every round is the first with the largest index, if all have one, and is never out. Rewards need
// not be in [0, 1], and there are races with and without a heap.
func TestInsights(t *testing.T) {
	few := []float64{0.4, 0.9, 0.7, 0.1}
	many := make([]float64, 60)
	for a := range many {
		many[a] = 0.2 + float64(a%7)/10
	}
	all := slices.Concat(catalogue.Arms(), catalogue.Adversarial())
	for name, l := range map[string]bandit.Learner{
		"successive elimination": arms.NewSuccessiveElimination(), "AdaP-TT": arms.NewAdaPTT(2, 0.1), "TopTwo": arms.NewTopTwo(20, 0.1),
		"Gaussian Thompson": arms.NewGaussianThompson(0.1, 2, 1e-5), "sequential halving": arms.NewSequentialHalving(20),
		"DP-TS-UCB": arms.NewDPTSUCB(1, privacy.Budget{Epsilon: 20, Delta: 1e-5}),
	} {
		all = append(all, catalogue.Entry{Name: name, New: func(bandit.Problem, privacy.Budget) bandit.Learner { return l }})
	}
	turns := map[string]bool{"DP-SE": true, "successive elimination": true, "AdaP-TT": true, "TopTwo": true, "TargetIMED": true, "sequential halving": true, // without indices
		"EXP3": true, "EXP3-IX": true, "Tsallis-INF": true, "DP-HTINF": true}
	for _, means := range [][]float64{few, many} {
		env := stretched{environment.Arms{Means: means, Law: environment.GaussianWeights, Sigma: 0.15}}
		rounds := 8000
		if len(means) > len(few) {
			rounds = 2400
		}
		for _, e := range all {
			l := e.New(bandit.Problem{Arms: len(means), Slots: 1, RewardMin: -1, RewardMax: 3}, privacy.Budget{Epsilon: 20, Delta: 1e-5})
			w, err := simulate.Watch(env, l, rounds, 5, simulate.LinearGrid(rounds, rounds))
			if err != nil || w.Silent != nil {
				t.Errorf("%s: %v, %v", e.Name, err, w)
				continue
			}
			different := false
			err = simulate.Play(env, l, rounds, 5, func(r *simulate.Round) {
				different = different || r.Played[0] != w.Played[r.Round-1][0]
			})
			if err != nil || different {
				t.Errorf("%s of %d arms: plays other arms if it is asked in each round, error %v", e.Name, len(means), err)
			}
			compared, estimates, off := 0, 0, 0.0
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
					t.Errorf("%s of %d arms, round %d: plays arm %d of index %v, and arm %d has %v",
						e.Name, len(means), w.Grid[i], played, list[played].Index, best, list[best].Index)
					break
				}
			}
			if turns[e.Name] == (compared > rounds/2) || estimates < len(means)/2 && rounds == 8000 ||
				off > 1 && e.Name != "DP-TS-UCB" { // whose numbers are mostly the largest of draws
				t.Errorf("%s of %d arms: indices in %d of %d rounds, %d estimates at the end, off by %.3g on average",
					e.Name, len(means), compared, rounds, estimates, off)
			}
		}
	}
}
