package learner_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// linUCB returns the rule of a run of LinUCB.
func linUCB(l *bandittest.Running) *linear.UCBRule {
	return l.Run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
}

// sums are every accumulator there is, by name.
func sums(b privacy.Budget) map[string]privacy.Accumulator {
	all := map[string]privacy.Accumulator{
		"exact":   continual.Exact{},
		"default": nil,
	}
	gaussian := func(c privacy.Calibration) continual.Gaussian {
		return continual.Gaussian{Budget: b, Calibration: c}
	}
	wishart := func(c privacy.Calibration, unshifted bool) continual.Wishart {
		return continual.Wishart{Budget: b, Calibration: c, Unshifted: unshifted}
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		all["tree/gaussian/"+c.String()] = continual.Tree{Noise: gaussian(c)}
		all["pan-private/gaussian/"+c.String()] = continual.PanPrivateTree{Noise: gaussian(c)}
		all["tree/wishart/"+c.String()] = continual.Tree{Noise: wishart(c, false)}
		all["tree/unshifted/"+c.String()] = continual.Tree{Noise: wishart(c, true)}
		all["pan-private/wishart/"+c.String()] = continual.PanPrivateTree{Noise: wishart(c, false)}
	}
	padded := func() continual.Gaussian {
		return continual.Gaussian{Budget: b, Calibration: privacy.AsPublished, Padded: true}
	}
	all["tree/gaussian/padded"] = continual.Tree{Noise: padded()}
	all["pan-private/gaussian/padded"] = continual.PanPrivateTree{Noise: padded()}
	all["tree/wishart/given"] = continual.Tree{Noise: continual.Wishart{Budget: b, Degrees: 50_000}}
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for end, b := range map[string]privacy.Budget{"": b, "/epsilon=inf": none} {
		all["blt"+end] = continual.BLT{Budget: b}
		all["square-root"+end] = continual.SquareRoot{Budget: b}
		all["honaker"+end] = continual.Honaker{Budget: b}
	}
	all["tree/epsilon=inf"] = continual.Tree{Noise: continual.Gaussian{Budget: none}}
	all["pan-private/epsilon=inf"] = continual.PanPrivateTree{Noise: continual.Gaussian{Budget: none}}
	return all
}

func TestConformance(t *testing.T) {
	for name, sums := range sums(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t,
				learner.New(linear.UCB{}, sums),
				environment.DecisionSets{Dim: 4, Arms: 12, Gap: 0.1},
				bandittest.LearnerOptions{Seed: 1, Equivariant: true, Rounds: 150})
		})
	}
	for name, l := range map[string]linear.UCB{
		"d=12": {}, "optimal shift": {OptimalShift: true}, "rho_min": {RhoMin: 3, Alpha: 0.01, Sigma: 2, ThetaNorm: 3},
	} {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t,
				learner.New(l, nil),
				environment.DecisionSets{Dim: 12, Arms: 5, Reward: environment.Gaussian, Fixed: true},
				bandittest.LearnerOptions{Seed: 1, Equivariant: true, Rounds: 150})
		})
	}
}
