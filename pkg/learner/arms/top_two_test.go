package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// TestTopTwoStops: it stops, in the central and in the local model, and recommends the best arm as
// often as asked. If it were wrong with probability Delta = 0.1, more than 18% of 200
// recommendations would be wrong in one of thousands of suites. The smaller epsilon, the longer it
// takes, and it is between the lower bound and AdaP-TT: mean rounds are five standard errors apart
// at least.
func TestTopTwoStops(t *testing.T) {
	means := []float64{0.5, 0.9, 0.5}
	rounds := func(l private, trials int) (mean, se float64) {
		wrong, sum, squares := 0, 0.0, 0.0
		for trial := range trials {
			round, arm := stopping(t, l, means, trial)
			sum += float64(round)
			squares += float64(round) * float64(round)
			if arm != 1 {
				wrong++
			}
		}
		n := float64(trials)
		mean = sum / n
		t.Logf("%.0f (%.0f) rounds, %d of %d wrong", mean, math.Sqrt((squares/n-mean*mean)/n), wrong, trials)
		if 50*wrong > 9*trials {
			t.Errorf("%d of %d recommendations are wrong, want 10%% at most", wrong, trials)
		}
		return mean, math.Sqrt((squares/n - mean*mean) / n)
	}
	before, spread := 0.0, 0.0
	for _, epsilon := range []float64{math.Inf(1), 0.1, 0.02} {
		mean, se := rounds(arms.TopTwo{}.Private(epsilon, 0.1), 100)
		if !(mean-before > 5*math.Hypot(se, spread)) {
			t.Errorf("epsilon %v: stops after %.0f rounds, want more than %.0f", epsilon, mean, before)
		}
		if bound := arms.BestArmBound(epsilon, means, 0.1); !(mean-bound > 5*se) {
			t.Errorf("epsilon %v: stops after %.0f (%.0f) rounds, below the bound %.0f", epsilon, mean, se, bound)
		}
		before, spread = mean, se
		theirs, more := rounds(arms.AdaPTT{}.Private(epsilon, 0.1), 20)
		if !(theirs-mean > 5*math.Hypot(se, more)) {
			t.Errorf("epsilon %v: stops after %.0f rounds, want less than the %.0f of AdaP-TT", epsilon, mean, theirs)
		}
	}
	local, se := rounds(arms.TopTwo{}.Local(1, 0.1), 100)
	central, more := rounds(arms.TopTwo{}.Private(1, 0.1), 100)
	if !(local-central > 5*math.Hypot(se, more)) {
		t.Errorf("the local model stops after %.0f rounds, want more than the %.0f of the central one", local, central)
	}
}

// TestTopTwoGoldens compares mean rounds with those of an independent program, in Python over
// scipy, in 300 trials, by 4 combined standard errors: one alarm in 5,000 suites is false.
func TestTopTwoGoldens(t *testing.T) {
	for _, g := range []struct {
		epsilon, rounds, se float64
	}{{1, 274.7, 6.6}, {0.1, 1193.5, 20}} {
		stopsAsGolden(t, arms.TopTwo{}.Private(g.epsilon, 0.1), g.rounds, g.se)
	}
}
