package slots

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// KLOSM is KL-OSM (Talebi and Proutiere 2016). In round t it plays the heaviest basis of a matroid
// by the indices of KL-UCB (Garivier and Cappé 2011),
//
//	U_t(e) = max{q <= 1: T_e kl(w_e, q) <= Explore (ln t + LogLog ln ln t)},
//	kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)),
//
// with ties to the lowest index, for weights that the range of rewards has moved into [0, 1].
// Logarithms are natural. KL-OSM is asymptotically optimal if weights are 0 or 1; otherwise it
// needs only their range. An index is exact to 2^-34 and rounded to a multiple of it, so that equal
// estimates tie.
//
// KLOSM is a policy, and its tally decides whether it is private. Over exact counts, w_e is the
// mean of T_e weights. Over a private tally, it is the released estimate w~_e plus Boost z_e, moved
// into [0, 1]; z_e bounds the noise, except with probability at most (K t)^-3. AdaP-KLUCB (Azize
// and Basu 2022) does the same: apart from its constants, it is KLOSM over tally.Blocks on a
// uniform matroid of rank 1. Actions and estimates are post-processing of the tally, so they are
// private as it is: in the central model, with one round's weight vector replaced.
//
// On the matroid paper's Table 2, in 10,000 rounds over blocks that remember, with Boost = 0.1, its
// regret at epsilon = 2 is 101 on average, a tenth of DPUCB-MAT's at the same privacy; it is over
// 500 in 11 runs of 20,000, and 4,563 in the worst. At epsilon = 0.5 such failures are common: the
// mean is 294, the median 231, one run in nineteen has over 500, and the worst 5,495. With
// Boost = 1 and epsilon = 2 the mean is 469, and the worst of 1,000 runs has 590. (Runs of
// simulate.Play with the seeds 1, 2, ....)
type KLOSM struct {
	Matroid matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	WarmUp  bool            // begin with a round 0 that shows all arms; see the package

	// LogLog multiplies ln ln t, >= 0. Garivier and Cappé recommend 0; the regret bound needs 3.
	LogLog  float64
	Explore float64 // scales the logarithms, > 0; 0 means 1
	// Boost multiplies the bound of the noise, > 0; 0 means 1. A smaller Boost explores less and is
	// equally private.
	Boost float64
}

// klOSM is the rule of KLOSM.
type klOSM struct {
	semiBandit
	explore, logLog, boost float64
	kl                     []bernoulli.Upper // of each arm that is no loop
}

var (
	_ learner.Policy[privacy.Means] = KLOSM{}
	_ learner.Asker                 = KLOSM{}
)

// Ask asks for a warm-up if WarmUp is set.
func (l KLOSM) Ask(_ bandit.Problem, s *privacy.Setup) error { return askWarmUp(l.WarmUp, s) }

// Prepare validates. KL-OSM makes no random choices of its own.
func (l KLOSM) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if !(l.LogLog >= 0 && l.LogLog <= checks.MostTuning) {
		return nil, fmt.Errorf("learner: KLOSM.LogLog = %v, want finite and >= 0, %v at most", l.LogLog, checks.MostTuning)
	}
	if err := checks.Tunings("KLOSM", 0, checks.Tuned("Explore", l.Explore, "1"), checks.Tuned("Boost", l.Boost, "1")); err != nil {
		return nil, err
	}
	arms, err := prepareSemiBandit("KLOSM", l.Matroid, p, horizon)
	if err != nil {
		return nil, err
	}
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] {
		return &klOSM{arms.begin(), checks.Or(l.Explore, 1), l.LogLog, checks.Or(l.Boost, 1), make([]bernoulli.Upper, len(arms.free))}
	}), nil
}

// Act appends the basis with the highest indices, in order of decreasing index.
func (l *klOSM) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if !l.ours(broadcast) {
		if err := l.receive(broadcast); err != nil {
			return dst, err
		}
	}
	log := logarithm(float64(l.problem.Slots) * float64(v.Round))
	byLinear := l.boost * confidences * log
	byRoot := l.boost * math.Sqrt(confidences*log)
	t := portable.Log(float64(v.Round))
	budget := l.explore * (t + float64(l.logLog*portable.Log(math.Max(1, t))))
	lo, scale := l.problem.RewardMin, 1/l.span
	index, kl := l.index, l.kl[:len(l.free)]
	for i, e := range l.free {
		a := (*arm)(broadcast)
		broadcast = broadcast[armSize:]
		if !(a[count] > 0) {
			index[e] = math.Inf(1)
			continue
		}
		m := (a[mean] + float64(byRoot*a[root]) + float64(byLinear*a[linear]) - lo) * scale
		index[e] = kl[i].At(min(max(m, 0), 1), budget/a[count])
	}
	return l.play(dst), nil
}

// Explain appends the estimates, and the indices in the unit of weights. An index is at most the
// largest weight: the width of an estimate above that is 0.
func (l *klOSM) Explain(broadcast []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.insights(broadcast, l.problem.RewardMin, l.span, dst, func(index float64, a *arm) float64 { return max(0, index-a[mean]) })
}
