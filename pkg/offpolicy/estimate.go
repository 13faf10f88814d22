package offpolicy

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Estimate is an estimated mean reward per round.
//
// The interval is Value plus or minus a normal quantile times SE. That is what the central limit
// theorem promises for many users of whom none decides the sum. It fails, and is then too narrow
// more often than not, where a few heavy weights carry the estimate: the rare heavy ones that did
// not come are missing from SE, too. Doubts says when that is likely.
type Estimate struct {
	Value     float64 // mean reward per round
	SE        float64 // its standard error, by user
	Low, High float64 // a confidence interval at the level
	Level     float64
	Rounds    int // of the log that it is from; of a Replay those that counted
	Users     int // who had them
	// Effective is the effective sample size, (sum of weights)^2 / (sum of their squares): about
	// as many rounds of the policy itself would tell as much (Kish 1965).
	Effective float64
	// Skew is the estimated skewness of Value's error: the sum of the cubes of what the users
	// contribute to it, over the sum of their squares to the power 1.5. It is 0 for a normal error,
	// and about 1/sqrt(k) where k users decide.
	Skew float64
	// MeanWeight is the mean of the weights before clipping. It has the mean 1 if the propensities are
	// right, and the log plays every arm that the policy plays.
	MeanWeight float64
	Clipped    int // rounds whose weight was clipped
	// Bias is an estimated bound on how far clipping moves the mean of Value. The interval does not
	// include it.
	Bias float64
}

// String returns the estimate in a line, with its doubts.
func (e Estimate) String() string {
	s := fmt.Sprintf("%.4g (SE %.2g, %.4g%% interval %.4g to %.4g; effective rounds %.4g of %d)", e.Value, e.SE, 100*e.Level, e.Low, e.High, e.Effective, e.Rounds)
	if d := e.Doubts(); len(d) > 0 {
		s += "; " + strings.Join(d, "; ")
	}
	return s
}

// skewed bounds the |Skew| of an interval that is not doubted: at least 16 users decide it. Beyond
// the bound the normal interval at 95% loses 1.5% or more of its coverage by its skewness alone, to
// first order phi(z) Skew^2 (z^5 + 2 z^3 - 3 z) / 9 for z = 1.96 (Hall 1992).
const skewed = 0.25

// enough is from how many effective rounds on the interval is not doubted: a rule of thumb.
const enough = 100

// Doubts lists reasons not to trust the interval: fewer than 100 effective rounds or users, a
// skewness of more than 0.25, a mean weight further than 4 of its standard errors from 1, a bias
// from clipping of more than SE.
func (e Estimate) Doubts() (doubts []string) {
	if e.Effective < enough {
		doubts = append(doubts, fmt.Sprintf("%.3g effective rounds, want >= %d for a normal interval", e.Effective, enough))
	}
	if e.Users < enough {
		doubts = append(doubts, fmt.Sprintf("%d users, want >= %d for a normal interval", e.Users, enough))
	}
	if math.Abs(e.Skew) > skewed {
		doubts = append(doubts, fmt.Sprintf("a skewness of %.2g, want within %v for a normal interval: few users decide the estimate", e.Skew, skewed))
	}
	// The variance of a weight follows from its mean and the effective rounds.
	se := 0.0
	if e.MeanWeight > 0 {
		se = e.MeanWeight * math.Sqrt(max(1/e.Effective-1/float64(e.Rounds), 0))
	}
	if e.Clipped == 0 && math.Abs(e.MeanWeight-1) > float64(4*se)+1e-9 {
		doubts = append(doubts, fmt.Sprintf("a mean weight of %.3g, want 1: the propensities are wrong, or the log lacks arms that the policy plays", e.MeanWeight))
	}
	if e.Bias > e.SE {
		doubts = append(doubts, fmt.Sprintf("a bias from clipping of up to %.2g, more than the standard error", e.Bias))
	}
	return doubts
}

// finish fills in the standard error and the interval. terms[i] is what round i contributes to the
// error of the mean: an estimate less its mean, so that the terms sum to 0. users has the user of
// each round, or is nil.
func (e *Estimate) finish(terms []float64, users []int, level float64) {
	var sums []float64 // by user
	for i, at := range places(users, len(terms)) {
		if at == len(sums) {
			sums = append(sums, 0)
		}
		sums[at] += terms[i]
	}
	var square float64
	for _, z := range sums {
		square += float64(z * z)
	}
	if root := math.Sqrt(square); root > 0 {
		for _, z := range sums {
			z /= root
			e.Skew += float64(float64(z*z) * z)
		}
	}
	e.Rounds, e.Users, e.Level, e.SE = len(terms), len(sums), level, math.Inf(1)
	if g := float64(len(sums)); g > 1 {
		e.SE = math.Sqrt(square*g/(g-1)) / float64(len(terms))
	}
	half := float64(-portable.NormalQuantile((1-level)/2) * e.SE)
	e.Low, e.High = e.Value-half, e.Value+half
}

// places numbers the users of n rounds from 0 on, in the order in which they first come. Without
// users each round has one of its own.
func places(users []int, n int) []int {
	all, place := make([]int, n), map[int]int{}
	for i := range all {
		if all[i] = i; users != nil {
			at, ok := place[users[i]]
			if !ok {
				at = len(place)
				place[users[i]] = at
			}
			all[i] = at
		}
	}
	return all
}

// effective returns (sum of weights)^2 / (sum of their squares), which no weight over- or
// underflows.
func effective(weights []float64) float64 {
	var greatest, sum, square float64
	for _, w := range weights {
		greatest = max(greatest, w)
	}
	if greatest == 0 {
		return 0
	}
	for _, w := range weights {
		w /= greatest
		sum += w
		square += float64(w * w)
	}
	return sum * sum / square
}
