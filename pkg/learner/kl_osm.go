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
// and Basu 2022) does the same: apart from its constants, it is KLOSM over mechanism.Blocks on a
// uniform matroid of rank 1. Actions and estimates are post-processing of the tally, so they are
// private as it is: in the central model, with one round's weight vector replaced.
//
// On the matroid paper's Table 2, in 10,000 rounds at epsilon = 2, with Boost = 0.1 and blocks that
// remember, its regret is 100, a tenth of DPUCB-MAT's at the same privacy.
type KLOSM struct {
	Matroid        matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	Initialisation Initialisation  // Forced or AsPublished

	// LogLog multiplies ln ln t, >= 0. Garivier and Cappé recommend 0; the regret bound needs 3.
	LogLog  float64
	Explore float64 // scales the logarithms, > 0; 0 means 1
	// Boost multiplies the bound of the noise, > 0; 0 means 1. A smaller Boost explores less and is
	// equally private.
	Boost float64

	semiBandit
	explore, boost float64
	kl             []klArm // of each arm that is no loop
}

// klArm is a power series for an arm's index: at a level x above that of q, the index is q + x (c1
// + x (c2 + x c3)), valid for |x| <= reach.
type klArm struct {
	mean, q, level float64 // level = kl(mean, q)
	c1, c2, c3     float64
	reach          float64
}

var (
	_ Policy[privacy.Means] = (*KLOSM)(nil)
	_ Asker                 = (*KLOSM)(nil)
)

// Ask asks for a warm-up if Initialisation is AsPublished.
func (l *KLOSM) Ask(_ bandit.Problem, s *privacy.Setup) error { return l.ask(l.Initialisation, s) }

// Init validates and allocates.
func (l *KLOSM) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if !(l.LogLog >= 0 && l.LogLog <= mostTuning) {
		return fmt.Errorf("learner: KLOSM.LogLog = %v, want finite and >= 0, %v at most", l.LogLog, mostTuning)
	}
	if err := checkTuning("KLOSM", 0, tuning{"Explore", l.Explore, "1"}, tuning{"Boost", l.Boost, "1"}); err != nil {
		return err
	}
	l.explore, l.boost = or(l.Explore, 1), or(l.Boost, 1)
	if err := l.init("KLOSM", l.Matroid, l.Initialisation, p, horizon); err != nil {
		return err
	}
	l.kl = make([]klArm, len(l.free))
	return nil
}

// Reset forgets everything. KL-OSM makes no random choices of its own.
func (l *KLOSM) Reset(*rand.Rand) {
	l.forget()
	for i := range l.kl {
		l.kl[i] = klArm{mean: -1}
	}
}

// Act appends the basis with the highest indices, in order of decreasing index.
func (l *KLOSM) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if !l.ours(broadcast) {
		if err := l.receive(broadcast); err != nil {
			return dst, err
		}
	}
	log := logarithm(float64(l.problem.Slots) * float64(v.Round))
	byLinear := l.boost * confidences * log
	byRoot := l.boost * math.Sqrt(confidences*log)
	t := portable.Log(float64(v.Round))
	budget := l.explore * (t + float64(l.LogLog*portable.Log(math.Max(1, t))))
	lo, scale := l.problem.RewardMin, 1/l.span
	for i, e := range l.free {
		a := (*arm)(broadcast[armSize*i:])
		if !(a[count] > 0) {
			l.index[e] = math.Inf(1)
			continue
		}
		m := (a[mean] + float64(byRoot*a[root]) + float64(byLinear*a[linear]) - lo) * scale
		l.index[e] = l.kl[i].upper(min(max(m, 0), 1), budget/a[count])
	}
	return l.play(dst), nil
}

// upper returns max{q <= 1: kl(mean, q) <= level}, rounded, for a mean in [0, 1] and a level >= 0.
// From one round to the next, the level of an arm that was not played grows so little that its
// series still holds. Otherwise the series is moved to the index that it predicts, as often as
// needed: usually once.
func (k *klArm) upper(mean, level float64) float64 {
	switch {
	case mean > nearOne:
		return 1
	case mean < 0x1p-50: // rounds to 0
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
		// Newton's method: kl is convex above the mean, so that it comes down to the root from its right
		next := k.q + float64(x*k.c1)
		if math.Abs(x) <= far/near*k.reach {
			next = k.at(x)
		}
		next += mean - k.mean
		if !(next > mean && next <= nearOne) {
			next = above(mean, level)
		}
		k.move(mean, next)
	}
	return onGrid(k.q) // only rounding is left
}

// at returns the index at the level kl(mean, q) + x.
func (k *klArm) at(x float64) float64 {
	return k.q + float64(x*(k.c1+float64(x*(k.c2+float64(x*k.c3)))))
}

// near and far bound s = M v |x|/d^2 of move: up to near the series is exact to rounding, and up to
// far it is better than Newton's method.
const (
	near = 0x1p-12
	far  = 0x1p-4
)

// move makes the series about another mean and q, 0 < mean < q < 1.
//
// Let d = q - mean and v = q (1-q). The derivative of kl(mean, q) is d/v, so the index q + u(x) at
// the level kl(mean, q) + x obeys (d + u) u' = v + (1-2q) u - u^2, u(0) = 0. Comparing powers of x
// gives the coefficients.
//
// For the error, take all signs as +, which only enlarges the coefficients. They also only grow
// when u = Z d/M with M = max(1, d/v) turns the equation into (1 - Z) Z' = 1 + Z + Z^2 in s = M v
// |x|/d^2, as |1-2q| d/v <= M and d^2/v <= M^2. So Z = s + s^2 + 5/3 s^3 + 37/12 s^4 + ... bounds
// the rest after s^3: it is at most 5 s^4 d/M for s <= 0.1, and 5e-15 within reach, since d/M <= v
// <= 1/4.
func (k *klArm) move(mean, q float64) {
	d, v, w := q-mean, q*(1-q), 1-float64(2*q)
	r := 1 / d
	k.mean, k.q = mean, q
	// the logarithms of kl, exact for small d
	k.level = float64(mean*portable.Log1p(-d/q)) + float64((1-mean)*portable.Log1p(d/(1-q)))
	k.c1 = float64(v * r)
	k.c2 = k.c1 * (w - k.c1) * r * (1. / 2)
	k.c3 = (float64(k.c2*(w-float64(3*k.c1))) - float64(k.c1*k.c1)) * r * (1. / 3)
	k.reach = near * d * min(d/v, 1)
}

// nearOne is the index that is rounded up to 1.
const nearOne = 1 - 0x1p-40

// onGrid rounds a number in [0, 1] to a multiple of 2^-34.
func onGrid(q float64) float64 { return float64(int64(float64(q*(1<<34))+0.5)) * 0x1p-34 }

// above returns a q with kl(mean, q) >= level, or a q that rounds to 1. It uses Pinsker's
// inequality and, near 1, kl(mean, q) >= -(1-mean) ln(1-q) - ln 2.
func above(mean, level float64) float64 {
	return min(mean+math.Sqrt(level/2), -portable.Expm1(-(level+math.Ln2)/(1-mean)), nearOne)
}
