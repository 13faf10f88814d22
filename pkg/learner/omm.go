package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// OMM is optimistic matroid maximisation (Kveton, Wen, Ashkan, Eydgahi, Eriksson 2014): in round t it plays the heaviest basis of a matroid by the
// upper confidence bounds
//
//	U_t(e) = w~_e + Width (B sqrt(Explore l/T_e) + z_e),   l = ln(K t) or, by Log, ln t,
//
// ties by the lowest index. w~_e is the estimate of T_e weights of arm e that the tally has released, B the length of the range of rewards, K the
// number of arms of a basis, and z_e bounds the tally's noise: it is exceeded with probability e^(-3 l) at most. Logarithms are natural; l is ln 2 at least.
//
// It does not know whether it is private; its tally does. Over exact counts it is OMM. Over mechanism.Blocks it is DPUCB-MAT ([DPUCBMAT]), whose index it has to
// the letter, as Laplace noise of scale B/eps0 in a sum has z_e = 3 l B/(eps0 T_e). Actions and estimates then are private in the tally's sense, all else being post-processing: in
// the central model, one round's weight vector replaced.
//
// The published constants are for the proof. On the paper's Table 2, in 10,000 rounds at epsilon = 2, DPUCB-MAT has a regret of 1,070; with Width = 0.3 and blocks that
// remember, it is 160 at the same privacy. Less than that fails more often, as an arm whose first estimate is too low is not tried again: at 0.3 the regret is over 500 in one run of
// thousands, at 0.2 in one of a hundred, at 0.15 in one of twenty-five.
//
// A round costs a few ns an arm, and the greedy algorithm.
type OMM struct {
	Matroid        matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	Tally          privacy.Tally   // where the weights go; nil means &mechanism.Counts{}, not private
	Initialisation Initialisation  // Forced or AsPublished

	Explore float64   // factor of the logarithm in the statistical part, > 0; 0 means 3, as in Algorithm 2 of the private paper
	Log     Logarithm // LogKT or LogT
	Width   float64   // scales the confidence width, the noise's share included, > 0; 0 means 1. Less explores less, and is as private

	semiBandit
	explore, width, slots float64
}

// Logarithm is the one that confidence widths grow with.
type Logarithm int

const (
	LogKT Logarithm = iota // ln(K t): that of the private paper
	LogT                   // ln t: that of Kveton et al.
)

func (l Logarithm) String() string {
	switch l {
	case LogKT:
		return "ln(K t)"
	case LogT:
		return "ln t"
	}
	return fmt.Sprintf("Logarithm(%d)", int(l))
}

// confidences is the exponent of the probability (K t)^-3 that the noise exceeds its bound.
const confidences = 3

var (
	_ bandit.Warmer    = (*OMM)(nil)
	_ privacy.Ledgered = (*OMM)(nil)
	_ privacy.Meter    = (*OMM)(nil)
)

// NewOMM returns OMM as Kveton et al. have it, not private: U_t(e) = mean + sqrt(2 ln t/T_e).
func NewOMM(m matroid.Matroid) *OMM { return &OMM{Matroid: m, Explore: 2, Log: LogT} }

// DPUCBMAT returns DPUCB-MAT (the matroid paper's Algorithm 2), epsilon-differentially private in the central model for one round's weight vector replaced
// (Theorem 1): OMM over blocks of doubling length, which share epsilon between the K arms of a basis. It starts as Forced.
func DPUCBMAT(m matroid.Matroid, epsilon float64) *OMM {
	return &OMM{Matroid: m, Tally: &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}}
}

// DPUCBMATAsPublished returns Algorithm 2 to the letter, for reproducing its figures. The user of its round 0 has L epsilon/K where all others have epsilon, and the claim says so.
func DPUCBMATAsPublished(m matroid.Matroid, epsilon float64) *OMM {
	return &OMM{Matroid: m, Tally: publishedBlocks(epsilon), Initialisation: AsPublished}
}

// CUCBTree returns combinatorial UCB over a binary tree of noisy sums for each arm, epsilon-differentially private in the central model for one round's weight vector replaced: the algorithm of
// Chen, Zheng, Zhou, Yang, Chen and Wang (2020) that DPUCB-MAT is compared with, with the noise of mechanism.TreeTally and the confidence width of DPUCB-MAT.
func CUCBTree(m matroid.Matroid, epsilon float64) *OMM {
	return &OMM{Matroid: m, Tally: &mechanism.TreeTally{Budget: privacy.Budget{Epsilon: epsilon}}}
}

func publishedBlocks(epsilon float64) *mechanism.Blocks {
	return &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}, Calibration: privacy.AsPublished}
}

// Init validates and allocates.
func (l *OMM) Init(p bandit.Problem, horizon int) error {
	l.explore, l.width = l.Explore, l.Width
	if err := factor("OMM.Width", &l.width); err != nil {
		return err
	}
	switch {
	case !(l.Explore >= 0 && l.Explore <= mostTuning):
		return fmt.Errorf("learner: OMM.Explore = %v, want finite and > 0, %v at most, or 0 for 3", l.Explore, mostTuning)
	case l.Explore == 0:
		l.explore = 3
	}
	switch l.Log {
	case LogKT:
		l.slots = float64(p.Slots)
	case LogT:
		l.slots = 1
	default:
		return fmt.Errorf("learner: OMM.Log = %v, want LogKT or LogT", l.Log)
	}
	return l.init("OMM", l.Matroid, l.Tally, l.Initialisation, p, horizon)
}

// Reset forgets all. OMM makes no random choices of its own.
func (l *OMM) Reset(_ *rand.Rand, noise rand.Source) { l.reset(noise) }

// Select appends the basis with the highest upper confidence bounds, by decreasing bound.
func (l *OMM) Select(v *bandit.View, dst []int) []int {
	if l.ready(v) {
		l.optimism(v.Round)
	}
	return l.play(dst)
}

// optimism writes the upper confidence bounds of a round.
func (l *OMM) optimism(round int) {
	log := logarithm(l.slots * float64(round))
	width := l.width * math.Sqrt(l.explore*log)
	linear := l.width * confidences * log
	root := l.width * math.Sqrt(confidences*log)
	index, free := l.index, l.free
	for i := range l.arm {
		a := &l.arm[i]
		index[free[i]] = a.mean + float64(width*a.width) + float64(root*a.root) + float64(linear*a.linear)
	}
}
