package slots

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// OMM is optimistic matroid maximisation (Kveton, Wen, Ashkan, Eydgahi, Eriksson 2014). In round t
// it plays the heaviest basis of a matroid by the upper confidence bounds
//
//	U_t(e) = w~_e + Width (B sqrt(Explore l/T_e) + z_e),   l = ln(K t) or, with LogT, ln t,
//
// with ties to the lowest index. The tally has released w~_e, an estimate from T_e weights of arm
// e. B is the length of the range of rewards, and K the number of arms of a basis. z_e bounds the
// tally's noise, except with probability at most e^(-3 l). Logarithms are natural; l is at least ln
// 2.
//
// OMM is a policy, and its tally decides whether it is private. Over exact counts it is OMM. Over
// tally.Blocks it is DPUCB-MAT ([OMM.Private]) with exactly the paper's index: Laplace noise of
// scale B/eps0 in a sum has z_e = 3 l B/(eps0 T_e). Actions and estimates are post-processing of
// the tally, so they are private as it is: in the central model, with one round's weight vector
// replaced.
//
// The published constants serve the proof. On the paper's Table 2, in 10,000 rounds at epsilon = 2,
// DPUCB-MAT has a regret of 1,070; with Width = 0.3 and blocks that remember, it is 160 at the same
// privacy. A smaller Width fails more often, as an arm whose first estimate is too low is not tried
// again: at 0.3 the regret is over 500 in one run of thousands, at 0.2 in one of a hundred, at 0.15
// in one of twenty-five.
//
// A round costs a few ns an arm plus the greedy algorithm.
type OMM struct {
	Matroid matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	WarmUp  bool            // begin with a round 0 that shows all arms; see the package

	// Explore multiplies the logarithm in the statistical part, > 0; 0 means 3, as in Algorithm 2 of
	// the matroid paper.
	Explore float64
	LogT    bool // widths grow with ln t, as in Kveton et al., and not with ln(K t), as in the matroid paper
	// Width multiplies the confidence width, the noise's share included, > 0; 0 means 1. A smaller
	// Width explores less and is equally private.
	Width float64
}

// omm is the rule of OMM.
type omm struct {
	semiBandit
	explore, width, slots float64
}

// confidences is the exponent in (K t)^-3, the probability that the noise exceeds its bound.
const confidences = 3

var (
	_ learner.Policy[privacy.Means] = OMM{}
	_ learner.Asker                 = OMM{}
)

// Learner returns OMM as in Kveton et al., which is not private: U_t(e) = mean + sqrt(2 ln t/T_e)
// for weights in [0, 1]. An Explore that is set takes the place of their 2.
func (l OMM) Learner() learner.Private[privacy.Means] {
	l.Explore, l.LogT = checks.Or(l.Explore, 2), true
	return learner.New(l, tally.Counts{})
}

// Private returns DPUCB-MAT (the matroid paper's Algorithm 2): OMM over blocks of doubling length
// that share epsilon between the K arms of a basis. It is epsilon-differentially private in the
// central model, with one round's weight vector replaced (Theorem 1). It plays unseen arms first.
func (l OMM) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}})
}

// AsPublished returns Algorithm 2 to the letter, to reproduce its figures: DPUCB-MAT with a
// warm-up. The user of round 0 gets L epsilon/K, L being the number of arms, where all others get
// epsilon, and the claim says so.
func (l OMM) AsPublished(epsilon float64) learner.Private[privacy.Means] {
	l.WarmUp = true
	return learner.New(l, publishedBlocks(epsilon))
}

// OverTree returns combinatorial UCB over a binary tree of noisy sums for each arm. It is
// epsilon-differentially private in the central model, with one round's weight vector replaced. It
// is the algorithm of Chen, Zheng, Zhou, Yang, Chen and Wang (2020) that DPUCB-MAT is compared
// with; the noise is that of tally.Tree, the confidence width that of DPUCB-MAT.
func (l OMM) OverTree(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Tree{Budget: privacy.Budget{Epsilon: epsilon}})
}

func publishedBlocks(epsilon float64) privacy.Tally {
	return tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}, Calibration: privacy.AsPublished}
}

// Ask asks for a warm-up if WarmUp is set.
func (l OMM) Ask(_ bandit.Problem, s *privacy.Setup) error { return askWarmUp(l.WarmUp, s) }

// Prepare validates. OMM makes no random choices of its own.
func (l OMM) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checks.Tunings("OMM", 0, checks.Tuned("Width", l.Width, "1"), checks.Tuned("Explore", l.Explore, "3")); err != nil {
		return nil, err
	}
	slots := 1.0
	if !l.LogT {
		slots = float64(p.Slots)
	}
	arms, err := prepareSemiBandit("OMM", l.Matroid, p, horizon)
	if err != nil {
		return nil, err
	}
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] {
		return &omm{arms.begin(), checks.Or(l.Explore, 3), checks.Or(l.Width, 1), slots}
	}), nil
}

// Act appends the basis with the highest upper confidence bounds, in order of decreasing bound.
func (l *omm) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if !l.ours(broadcast) {
		if err := l.receive(broadcast); err != nil {
			return dst, err
		}
	}
	log := logarithm(l.slots * float64(v.Round))
	byWidth := l.width * math.Sqrt(l.explore*log)
	byLinear := l.width * confidences * log
	byRoot := l.width * math.Sqrt(confidences*log)
	index := l.index
	for _, e := range l.free {
		a := (*arm)(broadcast)
		index[e] = a[mean] + float64(byWidth*a[width]) + float64(byRoot*a[root]) + float64(byLinear*a[linear])
		broadcast = broadcast[armSize:]
	}
	return l.play(dst), nil
}

// Explain appends the estimates, and the upper confidence bounds as indices.
func (l *omm) Explain(broadcast []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.insights(broadcast, 0, 1, dst, func(index float64, a *arm) float64 { return index - a[mean] })
}
