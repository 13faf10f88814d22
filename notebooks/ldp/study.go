package ldp

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
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
func widths(name string, factors []float64) (list []contender) {
	for _, width := range factors {
		list = append(list, contender{fmt.Sprintf(name, width), onlineUCB(privacy.Sound, descent, width)})
	}
	return list
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
var equals = append([]contender{
	nonPrivate,
	{"LinUCB, not private, width × 0.2", func(privacy.Budget) bandit.Learner {
		return learner.New(learner.LinUCB{Width: 0.2}, mechanism.Exact{})
	}},
	{bltTuned, func(b privacy.Budget) bandit.Learner {
		return learner.New(learner.LinUCB{Width: 0.2}, mechanism.BLT{Budget: b})
	}},
	{"JDP, tree, width × 0.2", jdpTree(privacy.Sound, learner.LinUCB{Width: 0.2})},
	{"JDP, tree, width × 1", jdpTree(privacy.Sound, learner.LinUCB{})},
	{sdpTuned, sdpVectorSum(0.2)},
	{"SDP, vector sum, width × 1", sdpVectorSum(1)},
	{ldpTuned, ldpLinUCB(privacy.Sound, learner.LinUCB{Width: 0.2})},
	{"LDP LinUCB, width × 1", ldpLinUCB(privacy.Sound, learner.LinUCB{})},
}, onlineWidths...)

func sdpVectorSum(width float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		l := learner.NewShuffleVectorSum(learner.VectorSum{Budget: b, Batch: equalBatch, Constant: public})
		l.Server.(*learner.VectorSumServer).Policy = learner.LinUCB{Width: width}
		return l
	}
}

// equal compares all learners at the same (epsilon, delta), each in its own trust model, with sound
// noise.
func equal(s cell.Scale, epsilon float64) *simulate.Experiment {
	e := experiment(s, "equal-eps%g", epsilon, paperArms, equals)
	for _, c := range onlineWidths {
		e.Pairs = append(e.Pairs, [2]string{ldpTuned, c.name})
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
func longs(horizon int) []contender {
	return []contender{
		{longKnown, onlineUCB(privacy.Sound, descent, onlineWidth)},
		{"OnlineUCB, T known, Δ² = T^(-1/4)", func(b privacy.Budget) bandit.Learner {
			l := onlineUCB(privacy.Sound, descent, onlineWidth)(b).(*learner.Local)
			l.Server.(*learner.OnlineServer).DeltaSquared = learner.PublishedDelta(0, horizon, 0.25)
			return l
		}},
		{longAnytime, anytime(func(rounds int) float64 { return learner.PublishedDelta(0, rounds, 0.125) })},
		{longForgets, anytime(func(int) float64 { return 0 })},
		{longCombined, combiner(0.02, 0.01)},
		{longTheory, combiner(1, 1)},
	}
}

// base returns the server that the variants build on, with its devices' noise: OGD, and the width
// of Figure 1.
func base(b privacy.Budget) learner.OnlineServer {
	return *onlineUCB(privacy.Sound, descent, onlineWidth)(b).(*learner.Local).Server.(*learner.OnlineServer)
}

// anytime makes a learner that starts again in rounds 1, 2, 4, ..., with a ridge for each block.
func anytime(ridge func(rounds int) float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		return learner.Local{Device: &learner.OnlineDevice{Noise: base(b).Noise}, Server: &learner.Anytime{Block: func(rounds int) learner.Server {
			s := base(b)
			s.DeltaSquared = ridge(rounds)
			return &s
		}}}
	}
}

// combiner makes the combiner with factors of its bounds and targets.
func combiner(bounds, targets float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		device, server := learner.NewCombiner(base(b).Noise)
		server.Base, server.BoundScale, server.TargetScale = base(b), bounds, targets
		return learner.Local{Device: device, Server: server}
	}
}

// longRun plays OnlineUCB and its variants, at paper scale for five times the rounds of Figure 1.
func longRun(s cell.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 5_000, 30_000, 100_000)
	return &simulate.Experiment{
		Name: "ldp-long", Environment: paperArms, Policies: policies(longEpsilon, longs(rounds)), Horizon: rounds,
		Trials: cell.Pick(s, 2, 6, 50), Seed: Seed, Grid: simulate.LinearGrid(rounds, 50),
		Fingerprint: fmt.Sprintf("K 100, d 5, epsilon %d, delta %g, alpha 1/T", longEpsilon, Delta),
	}
}
