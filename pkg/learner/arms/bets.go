package arms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// bets is the base of rules for rewards that an adversary may have fixed. They draw arms from
// probabilities, which they make of estimates of each arm's loss in sum. A loss is 1 less a reward
// in [0, 1], and noise may take it beyond. The arm drawn is played until the next release.
//
// What a user's device is told is the number of the release and the probabilities.
type bets struct {
	problem bandit.Problem
	scale   float64 // 1 over the length of the range of rewards; see check
	own     *rand.Rand
	losses  []float64 // by arm, estimated in sum
	chances []float64 // by arm, the probabilities; a part of told
	told    []float64
	last    []privacy.Estimate // by arm, of the last release
	means   []float64          // by arm, of its releases so far, in the unit of rewards, for Explain
	plays   []int              // by arm, how many they are
	records int                // in it
	n       int                // releases with a loss

	release float64 // of which Act has drawn the arm; -1: none
	arm     int
}

// better is what sets one rule from another: it takes in a loss of the arm played, and sets the
// chances.
type better interface {
	learn(arm int, loss float64, noise privacy.Tail)
}

// newBets allocates. All arms have equal chances.
func newBets(p bandit.Problem, own *rand.Rand) bets {
	b := bets{problem: p, scale: 1 / (p.RewardMax - p.RewardMin), own: own, losses: make([]float64, p.Arms),
		told: make([]float64, 1+p.Arms), last: make([]privacy.Estimate, p.Arms), release: -1,
		means: make([]float64, p.Arms), plays: make([]int, p.Arms)}
	b.chances = b.told[1:]
	for a := range b.chances {
		b.chances[a] = 1 / float64(p.Arms)
	}
	return b
}

// follow hands the rule what a release says of the rounds since the last one.
//
// The arm's mean is of these rounds alone, or of all its rounds so far. Either way its count says
// so: the records since then are what it counts, or by what it has grown.
func (b *bets) follow(r *privacy.Means, by better) ([]float64, error) {
	if len(r.Of) != len(b.last) {
		return nil, fmt.Errorf("a release of %d arms, want %d", len(r.Of), len(b.last))
	}
	if len(r.Changed) == 0 {
		return b.told, nil
	}
	arm := r.Changed[0]
	now, before, rounds := r.Of[arm], b.last[arm], r.Records-b.records
	mean := now.Mean
	switch {
	case len(r.Changed) != 1 || rounds < 1:
		return nil, fmt.Errorf("a release of %d arms after %d rounds, want one arm, which was played in all rounds since the last", len(r.Changed), rounds)
	case now.Count == rounds:
	case now.Count-before.Count == rounds:
		mean = (float64(float64(now.Count)*now.Mean) - float64(float64(before.Count)*before.Mean)) / float64(rounds)
	default:
		return nil, fmt.Errorf("a mean of %d rewards, %d before, after %d rounds of the arm: want tally.RoundBatches, or a tally of every reward", now.Count, before.Count, rounds)
	}
	b.last[arm], b.records = now, r.Records
	b.n++
	b.plays[arm]++
	b.means[arm] += (mean - b.means[arm]) / float64(b.plays[arm])
	b.told[0] = float64(b.n)
	noise := privacy.Tail{Root: now.Tail.Root * b.scale, Linear: now.Tail.Linear * b.scale}
	by.learn(arm, 1-float64((mean-b.problem.RewardMin)*b.scale), noise)
	return b.told, nil
}

// weigh sets the chances to what they are now over their sum.
func (b *bets) weigh() {
	sum := 0.0
	for _, w := range b.chances {
		sum += w
	}
	for a := range b.chances {
		b.chances[a] /= sum
	}
}

// least returns the least loss in sum.
func (b *bets) least() float64 {
	least := math.Inf(1)
	for _, l := range b.losses {
		least = min(least, l)
	}
	return least
}

// Act appends the arm that was drawn for the release. It makes one draw in each round, and uses
// that of the first.
func (b *bets) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(broadcast) != len(b.told) {
		return dst, fmt.Errorf("a broadcast of %d numbers, want the release and the chances of %d arms", len(broadcast), len(b.chances))
	}
	if &broadcast[0] != &b.told[0] {
		if err := checkChances(broadcast); err != nil {
			return dst, err
		}
	}
	u := b.own.Float64()
	if broadcast[0] != b.release {
		b.release, b.arm = broadcast[0], drawn(broadcast[1:], u)
	}
	return append(dst, b.arm), nil
}

// checkChances returns an error unless a broadcast holds probabilities.
func checkChances(broadcast []float64) error {
	sum := 0.0
	for i, x := range broadcast {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return fmt.Errorf("number %d of a broadcast is %v, want finite and >= 0", i, x)
		}
		if i > 0 {
			sum += x
		}
	}
	if !(math.Abs(sum-1) < 1e-6) {
		return fmt.Errorf("chances in a broadcast of %v in sum, want 1", sum)
	}
	return nil
}

// drawn returns the arm that a uniform number in [0, 1) means.
func drawn(chances []float64, u float64) int {
	arm := 0
	for a, p := range chances {
		if p > 0 {
			if arm = a; u < p {
				break
			}
			u -= p
		}
	}
	return arm
}

// Explain appends the mean of what was released of each arm that was played. There is no index, as
// arms are drawn.
func (b *bets) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	for a, n := range b.plays {
		x := bandit.Insight{Index: math.NaN(), Estimate: math.NaN(), Width: math.NaN()}
		if n > 0 {
			x.Estimate = b.means[a]
		}
		dst = append(dst, x)
	}
	return dst, nil
}
