package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
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

// klArm is what an arm's index was in the last round, from where Newton's method goes on.
type klArm struct {
	mean, q float64
	entropy float64 // mean ln mean + (1-mean) ln(1-mean)
}

var (
	_ bandit.Warmer    = (*KLOSM)(nil)
	_ privacy.Ledgered = (*KLOSM)(nil)
	_ privacy.Meter    = (*KLOSM)(nil)
)

// Init validates and allocates.
func (l *KLOSM) Init(p bandit.Problem, horizon int) error {
	if !(l.LogLog >= 0) || math.IsInf(l.LogLog, 1) {
		return fmt.Errorf("learner: KLOSM.LogLog = %v, want finite and >= 0", l.LogLog)
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
	t := math.Log(float64(round))
	budget := l.explore * (t + l.LogLog*math.Log(math.Max(1, t)))
	lo, scale := l.problem.RewardMin, 1/l.span
	for i := range l.arm {
		a := &l.arm[i]
		if a.count > 0 {
			mean := (a.mean + root*a.root + linear*a.linear - lo) * scale
			l.index[l.free[i]] = l.kl[i].upper(min(max(mean, 0), 1), budget/a.count)
		}
	}
}

// upper returns max{q <= 1: kl(mean, q) <= level}, rounded, for a mean in [0, 1] and a level >= 0. It is Newton's method on f(q) = kl(mean, q) - level, which is
// convex for q > mean: from the left of the root it steps to its right, and from there it comes down to it.
func (k *klArm) upper(mean, level float64) float64 {
	switch {
	case mean == 1:
		return 1
	case mean == 0:
		return onGrid(-math.Expm1(-level))
	}
	if mean != k.mean { // by a little: the last root is near the new one
		k.mean, k.entropy = mean, mean*math.Log(mean)+(1-mean)*math.Log(1-mean)
	}
	if !(k.q > mean) {
		k.q = k.above(level)
	}
	for range 64 { // some three; where rounding is all that there is, they might not end
		if !(k.q > mean) { // the level is nearly 0
			break
		}
		excess := k.entropy - mean*math.Log(k.q) - (1-mean)*math.Log(1-k.q) - level
		left, right := k.q-mean, 1-k.q
		step := excess * k.q * right / left
		// The next term of the inverse's series, where it is small: f''/(2 f') = (mean (1-q)^2 + (1-mean) q^2)/(2 q (1-q) (q-mean)).
		if c := step * (mean*right*right + (1-mean)*k.q*k.q) / (2 * k.q * right * left); math.Abs(c) < 0.1 {
			step += step * c
		}
		next := k.q - step
		if !(next > mean && next <= nearOne) { // too far to the right
			if next = k.above(level); next == k.q {
				break
			}
		}
		k.q = next
		if s, d := math.Abs(step), min(left, right); s < 0.1*d && s*s*s <= 1e-13*d*d { // what is left is about the step cubed over d^2
			break
		}
	}
	return onGrid(max(k.q, mean))
}

// nearOne is rounded to 1.
const nearOne = 1 - 0x1p-40

// onGrid rounds a number in [0, 1] to a multiple of 2^-34.
func onGrid(q float64) float64 { return float64(int64(q*(1<<34)+0.5)) * 0x1p-34 }

// above returns a q with kl(mean, q) >= level, by Pinsker's inequality or, near 1, as kl(mean, q) >= entropy - (1-mean) ln(1-q); or a q that is as
// good as 1.
func (k *klArm) above(level float64) float64 {
	q := -math.Expm1((k.entropy - level) / (1 - k.mean))
	return min(k.mean+math.Sqrt(level/2), q, nearOne)
}
