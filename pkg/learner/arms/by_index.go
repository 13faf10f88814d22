package arms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Known is what a round knows of an arm that was seen.
type Known struct {
	// Estimate is the statistic's: Mean, of Count >= 1 rewards moved into [0, 1], and Tail, which
	// bounds the noise in it.
	privacy.Estimate
	Round int        // t, from 1
	Log   float64    // ln t, and ln 2 in round 1
	Own   *rand.Rand // the learner's own stream
}

// Noise bounds the noise in the mean. It is exceeded with probability at most exp(-l), for l >= 0.
func (k Known) Noise(l float64) float64 {
	return float64(k.Tail.Root*math.Sqrt(l)) + float64(k.Tail.Linear*l)
}

// Formula is a policy's index of an arm: a function of what is known of that arm alone, and of its
// own fields, which are numbers. If it draws, it does so equally often for each arm and in each
// round, from [Known.Own]. NaN is an error in the round.
type Formula interface{ Index(k Known) float64 }

// ByIndex makes the rules of a policy that plays, in each round, the arm with the largest index. An
// arm that was not seen yet is played first, and ties go to the lowest arm. A policy's Prepare
// checks its tuning and returns ByIndex, as that of [BoltzmannGumbel] does.
func ByIndex(p bandit.Problem, horizon int, by Formula) (learner.Prepared[privacy.Means], error) {
	return prepare(fmt.Sprintf("%T", by), p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &byIndex{told: newTold(p), by: by, own: own, last: make([]float64, p.Arms)}
	})
}

// byIndex is the rule of ByIndex. Devices are told the arms' estimates.
type byIndex struct {
	told
	by   Formula
	own  *rand.Rand
	last []float64 // by arm, the indices of the last round
}

// Act appends the arm with the largest index.
func (l *byIndex) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	unseen, err := l.unseenIn(broadcast)
	if err != nil {
		return dst, err
	}
	best, k := 0, Known{Round: v.Round, Log: logarithm(v.Round), Own: l.own}
	for a := range l.last {
		if l.last[a] = math.NaN(); unseen >= 0 {
			continue
		}
		of := (*arm)(broadcast[armSize*a:])
		k.Estimate = privacy.Estimate{Mean: of[mean], Count: int(of[count]), Tail: privacy.Tail{Root: of[root], Linear: of[noise]}}
		if l.last[a] = l.by.Index(k); l.last[a] > l.last[best] {
			best = a
		} else if math.IsNaN(l.last[a]) {
			return dst, fmt.Errorf("arms: %T: the index of arm %d is NaN in round %d, of %+v", l.by, a, v.Round, k.Estimate)
		}
	}
	return append(dst, max(unseen, best)), nil
}

// Explain appends the means, and the indices of the last round.
func (l *byIndex) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.means(dst, func(a int) float64 { return l.last[a] }), nil
}
