package learner_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// linUCB returns the rule of a run of LinUCB.
func linUCB(l *bandittest.Running) *linear.UCBRule {
	return l.Run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
}

// sums are every accumulator there is, by name.
func sums(b privacy.Budget) map[string]privacy.Accumulator {
	all := map[string]privacy.Accumulator{
		"exact":   mechanism.Exact{},
		"default": nil,
	}
	gaussian := func(c privacy.Calibration) mechanism.Gaussian {
		return mechanism.Gaussian{Budget: b, Calibration: c}
	}
	wishart := func(c privacy.Calibration, unshifted bool) mechanism.Wishart {
		return mechanism.Wishart{Budget: b, Calibration: c, Unshifted: unshifted}
	}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		all["tree/gaussian/"+c.String()] = mechanism.Tree{Noise: gaussian(c)}
		all["pan-private/gaussian/"+c.String()] = mechanism.PanPrivateTree{Noise: gaussian(c)}
		all["tree/wishart/"+c.String()] = mechanism.Tree{Noise: wishart(c, false)}
		all["tree/unshifted/"+c.String()] = mechanism.Tree{Noise: wishart(c, true)}
		all["pan-private/wishart/"+c.String()] = mechanism.PanPrivateTree{Noise: wishart(c, false)}
	}
	padded := func() mechanism.Gaussian {
		return mechanism.Gaussian{Budget: b, Calibration: privacy.AsPublished, Padded: true}
	}
	all["tree/gaussian/padded"] = mechanism.Tree{Noise: padded()}
	all["pan-private/gaussian/padded"] = mechanism.PanPrivateTree{Noise: padded()}
	all["tree/wishart/given"] = mechanism.Tree{Noise: mechanism.Wishart{Budget: b, Degrees: 50_000}}
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for end, b := range map[string]privacy.Budget{"": b, "/epsilon=inf": none} {
		all["blt"+end] = mechanism.BLT{Budget: b}
		all["square-root"+end] = mechanism.SquareRoot{Budget: b}
		all["honaker"+end] = mechanism.Honaker{Budget: b}
	}
	all["tree/epsilon=inf"] = mechanism.Tree{Noise: mechanism.Gaussian{Budget: none}}
	all["pan-private/epsilon=inf"] = mechanism.PanPrivateTree{Noise: mechanism.Gaussian{Budget: none}}
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
