package arms

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SequentialHalving finds the best of K arms in the T rounds of the horizon, whatever the regret
// (Karnin, Koren, Somekh 2013). There are P phases, the least whole number for which 2^P >= K. In
// each it plays each of the S arms that are left
//
//	n = T/(S P),   rounded down, at least 1,
//
// times, and then leaves those S/2, rounded up, whose means of these n rewards alone are the
// largest, ties to the lowest. The last arm is played to the end. Its run's Rule has a method
// Recommend() int, which returns that arm or, before, the lowest of those that are left.
//
// For arms without features, DP-BAI (Chen, Karthik, Chee, Tan 2024) comes to the same under Laplace
// noise, up to the numbers of arms that its phases leave.
//
// Let T >= K P, and let the rewards of each arm be independent and in [0, 1]. D_i is by how much
// the i-th best mean is below the best. Then the last arm is not the best with a probability of at
// most
//
//	sum_S f (exp(-n D_i^2/4) + (2 + x) exp(-x)/4),   x = epsilon n D_i/2,   i = q + 2,
//	f = (S-1-q)/(S/2-q) < 3 with S/2 rounded up,   q = S/4 rounded down,
//
// over the phases. Proof: a worse arm beats the best only if the sample, or the noise, moves the
// difference of their means by D/2. By Hoeffding's inequality the first has the first probability,
// and the difference of two Laplace noises of scale 1/(epsilon n) exceeds D/2 with the other. If
// the best is dropped, S/2 arms beat it, of which S/2-q are not among the q next to it. There are
// S-1-q such arms, all with D_i or more, and the rest is Markov's inequality. With H = max i/D_i^2
// and G = max i/(epsilon D_i) over i >= 2, the exponent is of the order of T/(P max(H, G)), as in
// the paper.
type SequentialHalving struct{}

var (
	_ learner.Policy[privacy.Means] = SequentialHalving{}
	_ learner.Asker                 = SequentialHalving{}
	_ tally.BatchLengths            = (*sequentialHalving)(nil)
)

// Private returns sequential halving by noisy means, epsilon-DP in the central model,
// one reward replaced: a reward is in one release. At epsilon = +Inf there is no noise.
func (l SequentialHalving) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Batches{Budget: privacy.Budget{Epsilon: epsilon}})
}

// Ask says that the rule sets the lengths of batches.
func (SequentialHalving) Ask(_ bandit.Problem, s *privacy.Setup) error {
	s.Lengths = true
	return nil
}

// Prepare validates.
func (SequentialHalving) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepare("SequentialHalving", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &sequentialHalving{newSurvivors(p), horizon, bits.Len(uint(p.Arms - 1))}
	})
}

type sequentialHalving struct {
	survivors
	horizon, phases int
}

// Recommend returns the arm that is left or, before there is one, the lowest of those that are.
func (l *sequentialHalving) Recommend() int { return int(l.left[1]) }

// Length returns n. The last arm that is left has no more phases.
func (l *sequentialHalving) Length(int, int) int {
	n := len(l.left) - 1
	if n == 1 {
		return 1 << 52
	}
	return max(1, l.horizon/l.phases/n)
}

// Learn drops half of the arms at the end of a phase.
func (l *sequentialHalving) Learn(r *privacy.Means) ([]float64, error) {
	if l.ready(r) {
		l.left[0] = float64(l.round)
		arms := l.left[1:]
		slices.SortStableFunc(arms, func(a, b float64) int { return cmp.Compare(l.of[int(b)].Mean, l.of[int(a)].Mean) })
		arms = arms[:(len(arms)+1)/2]
		slices.Sort(arms)
		l.left, l.waiting = l.left[:1+len(arms)], len(arms)
	}
	return l.left, nil
}
