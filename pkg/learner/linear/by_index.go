package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Known is what a round knows of an arm x.
type Known struct {
	Mean  float64    // <x, theta~>, LinUCB's estimate of its mean reward
	Width float64    // beta_t |x|_{V^-1}, LinUCB's width
	Round int        // t, from 1
	Own   *rand.Rand // the learner's own stream
}

// Formula is a policy's index of an arm: a function of what is known of that arm alone, and of its
// own fields. It draws as often for each arm, from [Known.Own]. NaN is an error in the round.
type Formula interface{ Index(k Known) float64 }

// ByIndex makes the rules of a policy that plays, in each round, the arm with the largest index,
// with ties to the lowest arm. LinUCB's index is the sum of mean and width. A policy embeds UCB,
// for its tuning, and has perhaps some of its own, which its Prepare checks before it returns
// ByIndex.
func ByIndex(l UCB, p bandit.Problem, horizon int, r *privacy.Sums, by Formula) (learner.Prepared[privacy.Sums], error) {
	ready, err := l.Prepare(p, horizon, r)
	if err != nil {
		return nil, err
	}
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return &byIndex{ready.Begin(own).(*UCBRule), by, own, make([]Known, p.Arms), make([]float64, p.Arms)}
	}), nil
}

// byIndex is the rule of ByIndex.
type byIndex struct {
	*UCBRule
	by    Formula
	own   *rand.Rand
	known []Known
	last  []float64 // the indices of the last round
}

// Act appends the arm with the largest index.
func (l *byIndex) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	set, err := l.told(broadcast)
	if err != nil {
		return dst, err
	}
	for a := range v.Arms { // before anything is drawn
		mean, width := ellipsoid.Upper(set, v, a)
		if upper := mean + width; upper-upper != 0 {
			return dst, fmt.Errorf("linear: the estimate %v +- %v of arm %d, want finite", mean, width, a)
		}
		l.known[a] = Known{mean, width, v.Round, l.own}
	}
	best := 0
	for a := range v.Arms {
		l.last[a] = l.by.Index(l.known[a])
		if l.last[a] > l.last[best] {
			best = a
		} else if math.IsNaN(l.last[a]) {
			return dst, fmt.Errorf("linear: the index of a %T is NaN for arm %d in round %d, of an estimate %v +- %v", l.by, a, v.Round, l.known[a].Mean, l.known[a].Width)
		}
	}
	return append(dst, best), nil
}

// Explain appends the estimates, and the indices of the last round.
func (l *byIndex) Explain(_ []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	for a := range v.Arms {
		dst = append(dst, bandit.Insight{Index: l.last[a], Estimate: l.known[a].Mean, Width: math.NaN()})
	}
	return dst, nil
}
