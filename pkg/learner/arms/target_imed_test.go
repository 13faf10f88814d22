package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// TestTargetRests is the smallest example that we know of the tail of TargetIMED: two arms, 20,000
// rounds and one trial. The first 94 rewards of the best arm come to a noisy mean of 0.55, where
// the truth is 0.75. After 47 more it rests, and nothing wakes it: the other arm's mean stays near
// 0.7, and the target does not move. It costs the gap in all rounds that are left. DP-IMED has the
// same bad luck, and goes back to the arm when ln n of the other is over its index.
func TestTargetRests(t *testing.T) {
	const horizon, trial, epsilon = 20_000, 651, 0.3
	means := []float64{0.75, 0.7}
	pulls := func(l bandit.Learner) (n int, of privacy.Estimate) {
		var last bandit.Run
		err := simulate.Play(environment.Arms{Means: means}, l, horizon, trial, func(r *simulate.Round) {
			n += 1 - r.Played[0]
			last = r.Run
		})
		if err != nil {
			t.Fatal(err)
		}
		return n, last.(privateRun).Release().Of[0]
	}
	n, of := pulls(arms.TargetIMED{}.Private(epsilon))
	if n != 141 || of.Count != n || of.Mean > 0.6 {
		t.Errorf("TargetIMED plays the best arm %d times, and has %+v, want 141 times", n, of)
	}
	first := 28 / epsilon
	target := math.Log(horizon) + (math.Log(first)-1)/2
	if sum := float64(n)*arms.DEps(epsilon, of.Mean, means[1]) + 1.5*math.Log(float64(n)); !(sum >= target) {
		t.Errorf("a sum of %v, below the target %v: it does not rest", sum, target)
	}
	if n, _ := pulls(arms.IMED{}.Private(epsilon, 2)); n < horizon/2 {
		t.Errorf("DP-IMED plays the best arm %d times, want most", n)
	}
}
