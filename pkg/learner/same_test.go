package learner_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// doubled shows each arm twice, so that all choices are ties.
type doubled struct{ bandit.Environment }

// twice is a trial of doubled.
type twice struct {
	bandit.Instance
	of   int // arms before
	x    []float64
	arms []int
}

func (e doubled) Open() (bandit.World, error) {
	w, err := e.Environment.Open()
	if err != nil {
		return nil, err
	}
	p := w.Problem()
	of := p.Arms
	p.Arms *= 2
	return bandit.NewWorld(p, func(contexts *rand.Rand) bandit.Instance {
		return &twice{Instance: w.Start(contexts), of: of}
	}), nil
}

func (e *twice) Next(v *bandit.View) {
	e.Instance.Next(v)
	e.x = append(append(e.x[:0], v.X...), v.X...)
	v.X, v.Arms = e.x, 2*v.Arms
}

func (e *twice) Pull(r *rand.Rand, arms []int, y []float64) {
	e.arms = e.arms[:0]
	for _, a := range arms {
		e.arms = append(e.arms, a%e.of)
	}
	e.Instance.Pull(r, e.arms, y)
}

// What a learner keeps from round to round, if the contexts stay, changes none of its choices.
func TestSameChangesNoChoice(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 1000
	}
	budget := privacy.Budget{Epsilon: 1, Delta: 0.1}
	none := privacy.Budget{Epsilon: math.Inf(1)}
	k := (environment.UnitFeatures{}).Constant()
	n := local.OnlineNoise{Budget: budget, Constant: k}
	learners := map[string]bandit.Learner{
		"greedy":            learner.New(linear.UCB{Alpha: 1, Sigma: 1e-12, ThetaNorm: 1e-12}, nil),
		"ldp":               learnertest.LDP(local.LDPNoise{Budget: budget, Constant: k}),
		"ldp/epsilon=inf":   learnertest.LDP(local.LDPNoise{Budget: none}),
		"onlineucb-ogd":     learnertest.OnlineUCB(n, local.OnlineServer{Online: learnertest.OGD(0.1), Width: 4}),
		"onlineucb-maler":   learnertest.OnlineUCB(n, local.OnlineServer{Width: 4}),
		"weighted":          learner.Local{Device: local.WeightedDevice{Budget: none}, Server: local.WeightedServer{Budget: none}},
		"weighted batches":  learner.New(linear.Weighted{}, nil),
		"shuffle-amplified": local.AmplifiedNoise{Budget: budget, Batch: 20}.Learner(),
		"shuffle-vectorsum": local.VectorSum{Budget: budget, Batch: 20}.Learner(),
	}
	for name, sums := range learnertest.Accumulators(budget) {
		learners["linucb/"+name] = learner.New(linear.UCB{}, sums)
	}
	for name, l := range learnertest.Combiners() {
		learners["combiner/"+name] = l
	}
	for name, l := range learners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for where, env := range map[string]bandit.Environment{
				"unit features":        environment.UnitFeatures{Fixed: true},
				"unit features, basis": environment.UnitFeatures{Fixed: true, Basis: true, Arms: 30},
				"decision sets":        environment.DecisionSets{Dim: 5, Gap: 0.1, Fixed: true},
				"decision sets, d = 3": environment.DecisionSets{Dim: 3, Arms: 40, Fixed: true},
				// beyond screen.MaxDim the arms are followed while the ellipsoid moves by rows
				"decision sets, d = 17": environment.DecisionSets{Dim: 17, Arms: 20, Fixed: true},
				"unit features, d = 30": doubled{Environment: environment.UnitFeatures{Dim: 30, Arms: 20, Fixed: true}},
				"all arms twice":        doubled{Environment: environment.UnitFeatures{Fixed: true, Arms: 20}},
			} {
				got, same := learnertest.Choices(t, env, l, rounds, true)
				want, _ := learnertest.Choices(t, env, l, rounds, false)
				if same != 2*(rounds-1) {
					t.Errorf("%s: View.Same in %d rounds, want all but the first of each trial", where, same)
				}
				for i, a := range got {
					if a != want[i] {
						t.Errorf("%s: trial %d, round %d: arm %d, and %d without View.Same", where, i/rounds, i%rounds+1, a, want[i])
						break
					}
				}
			}
		})
	}
}
