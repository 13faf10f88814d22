package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// KLOSM is KL-OSM (Talebi and Proutiere 2016): in round t it plays the heaviest basis of a matroid by the indices of KL-UCB (Garivier and Cappé 2011),
//
//	U_t(e) = max{q <= 1: T_e kl(w_e, q) <= Explore (ln t + LogLog ln ln t)},   kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)),
//
// ties by the lowest index, for weights that the range of rewards has moved into [0, 1]. Logarithms are natural. It is asymptotically optimal where weights are
// 0 or 1, and needs no more than a range where they are not. An index is exact to 2^-34, and rounded to a multiple of it, so that equal estimates tie.
//
// It does not know whether it is private; its tally does. Over exact counts, w_e is the mean of T_e weights. Over a private tally, it is the estimate w~_e released plus
// Boost z_e, moved into [0, 1], where z_e bounds the noise: it is exceeded with probability (K t)^-3 at most. So does AdaP-KLUCB (Azize and Basu 2022), which KLOSM over
// mechanism.Blocks is on a uniform matroid of rank 1, but for its constants. Actions and estimates then are private in the tally's sense, all else being post-processing: in the central
// model, one round's weight vector replaced. On the matroid paper's Table 2 in 10,000 rounds at epsilon = 2, with Boost = 0.1 and blocks that remember, its regret is 100, a tenth
// of DPUCB-MAT's at the same privacy.
type KLOSM struct {
	Matroid        matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	Tally          privacy.Tally   // where the weights go; nil means &mechanism.Counts{}, not private
	Initialisation Initialisation  // Forced or AsPublished

	LogLog  float64 // factor of ln ln t, >= 0; 0 as Garivier and Cappé recommend, the regret bound takes 3
	Explore float64 // scales the logarithms, > 0; 0 means 1
	Boost   float64 // scales the bound of the noise, > 0; 0 means 1. Less explores less, and is as private

	semiBandit
	explore, boost float64
	kl             []klArm // of each arm that is no loop
}

// klArm is a power series of an arm's index: at a level of x more than that of q, it is q + x (c1 + x (c2 + x c3)), where |x| <= reach.
type klArm struct {
	mean, q, level float64 // level = kl(mean, q)
	c1, c2, c3     float64
	reach          float64
}

var (
	_ bandit.Warmer    = (*KLOSM)(nil)
	_ privacy.Ledgered = (*KLOSM)(nil)
	_ privacy.Meter    = (*KLOSM)(nil)
)

// Init validates and allocates.
func (l *KLOSM) Init(p bandit.Problem, horizon int) error {
	if !(l.LogLog >= 0 && l.LogLog <= mostTuning) {
		return fmt.Errorf("learner: KLOSM.LogLog = %v, want finite and >= 0, %v at most", l.LogLog, mostTuning)
	}
	l.explore, l.boost = l.Explore, l.Boost
	if err := factor("KLOSM.Explore", &l.explore); err != nil {
		return err
	}
	if err := factor("KLOSM.Boost", &l.boost); err != nil {
		return err
	}
	if err := l.init("KLOSM", l.Matroid, l.Tally, l.Initialisation, p, horizon); err != nil {
		return err
	}
	l.kl = make([]klArm, len(l.free))
	return nil
}

// Reset forgets all. KL-OSM makes no random choices of its own.
func (l *KLOSM) Reset(_ *rand.Rand, noise rand.Source) {
	l.reset(noise)
	for i := range l.kl {
		l.kl[i] = klArm{mean: -1}
	}
}

// Select appends the basis with the highest indices, by decreasing index.
func (l *KLOSM) Select(v *bandit.View, dst []int) []int {
	if l.ready(v) {
		l.indices(v.Round)
	}
	return l.play(dst)
}

// indices writes the indices of a round.
func (l *KLOSM) indices(round int) {
	log := logarithm(float64(l.problem.Slots) * float64(round))
	linear := l.boost * confidences * log
	root := l.boost * math.Sqrt(confidences*log)
	t := portable.Log(float64(round))
	budget := l.explore * (t + float64(l.LogLog*portable.Log(math.Max(1, t))))
	lo, scale := l.problem.RewardMin, 1/l.span
	for i := range l.arm {
		a := &l.arm[i]
		if a.count > 0 {
			mean := (a.mean + float64(root*a.root) + float64(linear*a.linear) - lo) * scale
			l.index[l.free[i]] = l.kl[i].upper(min(max(mean, 0), 1), budget/a.count)
		}
	}
}

// upper returns max{q <= 1: kl(mean, q) <= level}, rounded, for a mean in [0, 1] and a level >= 0. From one round to the next the level of an arm that was not played grows
// so little that its series still holds. Otherwise the series is moved to where it puts the index, as often as it takes: mostly once.
func (k *klArm) upper(mean, level float64) float64 {
	switch {
	case mean > nearOne:
		return 1
	case mean < 0x1p-50: // as good as 0
		return onGrid(-portable.Expm1(-level))
	case level < 0x1p-72: // the index is above the mean by sqrt(level/2) at most
		return onGrid(mean)
	}
	for range 64 {
		x := level - k.level
		if mean == k.mean {
			if math.Abs(x) <= k.reach {
				return onGrid(k.at(x))
			}
			if x > 0 && k.q == nearOne {
				return 1
			}
		}
		next := k.q + float64(x*k.c1) // Newton's method: kl is convex above the mean, so that it comes down to the root from its right
		if math.Abs(x) <= far/near*k.reach {
			next = k.at(x)
		}
		next += mean - k.mean
		if !(next > mean && next <= nearOne) {
			next = above(mean, level)
		}
		k.move(mean, next)
	}
	return onGrid(k.q) // rounding is all that there is
}

// at returns the index at a level of x more than kl(mean, q).
func (k *klArm) at(x float64) float64 {
	return k.q + float64(x*(k.c1+float64(x*(k.c2+float64(x*k.c3)))))
}

// Bounds on s = M v |x|/d^2 of move: where the series is as good as exact, and where it is better than Newton's method.
const (
	near = 0x1p-12
	far  = 0x1p-4
)

// move makes the series about another mean and q, 0 < mean < q < 1.
//
// Let d = q - mean and v = q (1-q). As the derivative of kl(mean, q) is d/v, the index q + u(x) at the level kl(mean, q) + x obeys (d + u) u' = v + (1-2q) u - u^2, u(0) = 0.
// The coefficients follow by comparing powers of x. With all signs +, they only grow; so they do where u = Z d/M and M = max(1, d/v) turn that into
// (1 - Z) Z' = 1 + Z + Z^2 in s = M v |x|/d^2, as |1-2q| d/v <= M and d^2/v <= M^2. So Z = s + s^2 + 5/3 s^3 + 37/12 s^4 + ... bounds what is left after s^3: it is at most
// 5 s^4 d/M for s <= 0.1, and 5e-15 within reach, since d/M <= v <= 1/4.
func (k *klArm) move(mean, q float64) {
	d, v, w := q-mean, q*(1-q), 1-float64(2*q)
	r := 1 / d
	k.mean, k.q = mean, q
	k.level = float64(mean*portable.Log1p(-d/q)) + float64((1-mean)*portable.Log1p(d/(1-q))) // the logarithms of kl, exact for small d
	k.c1 = float64(v * r)
	k.c2 = k.c1 * (w - k.c1) * r * (1. / 2)
	k.c3 = (float64(k.c2*(w-float64(3*k.c1))) - float64(k.c1*k.c1)) * r * (1. / 3)
	k.reach = near * d * min(d/v, 1)
}

// nearOne is rounded to 1.
const nearOne = 1 - 0x1p-40

// onGrid rounds a number in [0, 1] to a multiple of 2^-34.
func onGrid(q float64) float64 { return float64(int64(float64(q*(1<<34))+0.5)) * 0x1p-34 }

// above returns a q with kl(mean, q) >= level, by Pinsker's inequality or, near 1, as kl(mean, q) >= -(1-mean) ln(1-q) - ln 2; or a q that is as good as 1.
func above(mean, level float64) float64 {
	return min(mean+math.Sqrt(level/2), -portable.Expm1(-(level+math.Ln2)/(1-mean)), nearOne)
}
