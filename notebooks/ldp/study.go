package ldp

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Beyond Figure 1: the radius, rivals at equal privacy, and the variants that need to know less.

// Widths are the factors of OnlineUCB's confidence width in the radius study.
var Widths = []float64{0.2, 0.5, 1, 2, 4, 8, 16}

// Radius varies the factor of OnlineUCB's confidence width at an epsilon: sound noise, OGD.
func Radius(s cell.Scale, epsilon float64) *simulate.Experiment {
	return experiment(s, "radius-eps%g", epsilon, paperArms, widths("width × %g", Widths))
}

// widths lists OnlineUCB with several factors of its width.
func widths(name string, factors []float64) contenders {
	return func(b privacy.Budget) (list []simulate.Policy) {
		for _, width := range factors {
			list = append(list, simulate.Policy{Name: fmt.Sprintf(name, width), Learner: onlineUCB(b, privacy.Sound, descent(b), width)})
		}
		return list
	}
}

// The rivals with a tuned width at equal privacy, and the factors that OnlineUCB may choose from.
const (
	bltTuned   = "JDP, BLT, width × 0.2"
	sdpTuned   = "SDP, vector sum, width × 0.2"
	ldpTuned   = "LDP LinUCB, width × 0.2"
	equalBatch = 200 // of shuffle LinUCB
)

var onlineWidths = widths("OnlineUCB, width × %g", []float64{1, 2, 4, 16})

// equals are the policies of the comparison at equal privacy, all with sound noise and the public
// last coordinate where they can use it.
func equals(b privacy.Budget) []simulate.Policy {
	return append([]simulate.Policy{
		nonPrivate,
		{Name: "LinUCB, not private, width × 0.2", Learner: learner.New(linear.UCB{Width: 0.2}, continual.Exact{})},
		{Name: bltTuned, Learner: learner.New(linear.UCB{Width: 0.2}, continual.BLT{Budget: b})},
		{Name: "JDP, tree, width × 0.2", Learner: jdpTree(b, privacy.Sound, linear.UCB{Width: 0.2})},
		{Name: "JDP, tree, width × 1", Learner: jdpTree(b, privacy.Sound, linear.UCB{})},
		{Name: sdpTuned, Learner: sdpVectorSum(b, 0.2)},
		{Name: "SDP, vector sum, width × 1", Learner: sdpVectorSum(b, 1)},
		{Name: ldpTuned, Learner: ldpLinUCB(b, privacy.Sound, linear.UCB{Width: 0.2})},
		{Name: "LDP LinUCB, width × 1", Learner: ldpLinUCB(b, privacy.Sound, linear.UCB{})},
	}, onlineWidths(b)...)
}

func sdpVectorSum(b privacy.Budget, width float64) bandit.Learner {
	return shuffledLinUCB(local.VectorSum{Budget: b, Batch: equalBatch, Constant: public}, width)
}

// shuffledLinUCB returns LinUCB over vector sums with a factor of its width.
func shuffledLinUCB(noise local.VectorSum, width float64) bandit.Learner {
	l := noise.Learner()
	l.Server = local.VectorSumServer{Noise: noise, Policy: linear.UCB{Width: width}}
	return l
}

// equal compares all learners at the same (epsilon, delta), each in its own trust model, with sound
// noise.
func equal(s cell.Scale, epsilon float64) *simulate.Experiment {
	e := experiment(s, "equal-eps%g", epsilon, paperArms, equals)
	for _, p := range onlineWidths.at(epsilon) {
		e.Pairs = append(e.Pairs, [2]string{ldpTuned, p.Name})
	}
	return e
}

// The policies that need to know less, and their epsilon.
const (
	longKnown    = "OnlineUCB, T known, Δ = 0"
	longAnytime  = "Anytime, Δ² = 2^(-m/8)"
	longForgets  = "Anytime, Δ = 0"
	longCombined = "Combiner, scaled"
	longTheory   = "Combiner, constants of the theory"
	longEpsilon  = 10
)

// longs lists OnlineUCB, which knows T, and its variants, which do not need to know T or the least
// eigenvalue.
func longs(b privacy.Budget) []simulate.Policy {
	known, begins := base(b), base(b)
	known.DeltaPower, begins.DeltaPower = 0.25, 0.125
	return []simulate.Policy{
		{Name: longKnown, Learner: onlineUCB(b, privacy.Sound, descent(b), onlineWidth)},
		{Name: "OnlineUCB, T known, Δ² = T^(-1/4)", Learner: served(b, known)},
		{Name: longAnytime, Learner: served(b, local.Anytime{Server: begins})},
		{Name: longForgets, Learner: served(b, local.Anytime{Server: base(b)})},
		{Name: longCombined, Learner: combiner(b, 0.02, 0.01)},
		{Name: longTheory, Learner: combiner(b, 1, 1)},
	}
}

// base returns the server that the variants build on, with its devices' noise: OGD, and the width
// of Figure 1.
func base(b privacy.Budget) local.OnlineServer {
	noise := local.OnlineNoise{Budget: b, Constant: public}
	return local.OnlineServer{Noise: noise, Online: descent(b), Width: onlineWidth}
}

// served returns a server with its devices.
func served(b privacy.Budget, s learner.Server) bandit.Learner {
	return learner.Local{Device: local.OnlineDevice{Noise: base(b).Noise}, Server: s}
}

// combiner returns the combiner with factors of its bounds and targets.
func combiner(b privacy.Budget, bounds, targets float64) bandit.Learner {
	device, server := base(b).Noise.Combiner()
	server.Base, server.BoundScale, server.TargetScale = base(b), bounds, targets
	return learner.Local{Device: device, Server: server}
}

// longRun plays OnlineUCB and its variants, at paper scale for five times the rounds of Figure 1.
func longRun(s cell.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 5_000, 30_000, 100_000)
	return &simulate.Experiment{
		Name: "ldp-long", Environment: paperArms, Policies: contenders(longs).at(longEpsilon), Horizon: rounds,
		Trials: cell.Pick(s, 2, 6, 50), Seed: Seed, Grid: simulate.LinearGrid(rounds, 50),
		Fingerprint: fmt.Sprintf("K 100, d 5, epsilon %d, delta %g, alpha 1/T", longEpsilon, Delta),
	}
}
