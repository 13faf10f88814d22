package arms_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestGaussianThompsonConforms runs the suite of all learners; the catalogue's have it there.
func TestGaussianThompsonConforms(t *testing.T) {
	bandittest.Learner(t, arms.GaussianThompson{}.Private(0.1, 2, 1e-5), environment.Arms{Means: c2}, bandittest.LearnerOptions{Seed: 1})
}

// TestGaussianThompson: it plays each arm so often first, then mostly the best one, and claims what
// its draws reveal. More variance is more privacy and more regret: of 10 trials each, means are
// several standard errors apart, and the first is several below half of that of playing at random.
func TestGaussianThompson(t *testing.T) {
	for i, a := range play(t, arms.GaussianThompson{}.Private(1, 25, 1e-5), four, 100, func(arm, _ int) float64 { return float64(arm) / 4 }) {
		if a != i/25 {
			t.Fatalf("round %d plays arm %d, want %d", i+1, a, i/25)
		}
	}
	const horizon, first = 4000, 10
	var before, spread, epsilon float64
	for _, variance := range []float64{0.5, 5, 50} {
		l := arms.GaussianThompson{}.Private(variance, first, 1e-5)
		mean, se := regret(t, l, c2, horizon, 10, 1)
		c := privacy.ClaimOf(opened(t, l, bandit.Problem{Arms: 5, Slots: 1, RewardMax: 1}, horizon))
		t.Logf("variance %v: a regret of %.0f (%.0f), epsilon = %.4g", variance, mean, se, c.Epsilon())
		if want := account.GaussianEpsilon(1e-5, math.Sqrt((horizon-first+1)/(variance*(first+1)))); math.Abs(c.Epsilon()-want) > 1e-9*want {
			t.Errorf("variance %v: claims epsilon = %v, want %v", variance, c.Epsilon(), want)
		}
		if c.Model() != privacy.Central || !(c.Epsilon() < epsilon || epsilon == 0) {
			t.Errorf("variance %v: claims %v, and %v of less variance", variance, c, epsilon)
		}
		if !(mean-before > 4*math.Hypot(se, spread)) {
			t.Errorf("variance %v: a regret of %.0f (%.0f), want more than %.0f (%.0f)", variance, mean, se, before, spread)
		}
		if random := 0.25 * horizon; before == 0 && !(mean < random/2) {
			t.Errorf("a regret of %.0f, and %.0f at random", mean, random)
		}
		before, spread, epsilon = mean, se, c.Epsilon()
	}
}

// limited returns DP-TS-UCB with so many draws of each mean; 0 means as in the paper.
func limited(alpha, epsilon float64, draws int) private {
	return learner.New(arms.GaussianThompson{}, tally.LimitedDraws{
		Budget: privacy.Budget{Epsilon: epsilon, Delta: 1e-5}, Alpha: alpha, Draws: draws,
	})
}

// TestDPTSUCBGoldens compares the mean regret of DP-TS-UCB with what
// testdata/own_draws.py finds in 2,000 trials. An alarm is false with a probability of 1e-4
// for each number.
func TestDPTSUCBGoldens(t *testing.T) {
	const horizon, trials = 4000, 300
	for _, g := range []struct {
		alpha, epsilon, regret, se float64
	}{
		{1, inf, 454.1, 2.0}, {1, 1, 406.2, 2.3}, {0.5, inf, 456.3, 0.7}, {0, inf, 181.8, 0.6},
	} {
		mean, se := regret(t, limited(g.alpha, g.epsilon, 0), c2, horizon, trials, 1)
		t.Logf("alpha = %v, epsilon = %v: a regret of %.1f (%.1f), golden %.1f (%.1f)", g.alpha, g.epsilon, mean, se, g.regret, g.se)
		if math.Abs(mean-g.regret) > 3.9*math.Hypot(se, g.se) {
			t.Errorf("alpha = %v, epsilon = %v: a regret of %.1f (%.1f), golden %.1f (%.1f)", g.alpha, g.epsilon, mean, se, g.regret, g.se)
		}
	}
}

// TestDPTSUCBWithoutLimit: at alpha = 0 and a horizon of 10,000 the paper's number of draws is
// above the horizon, so that no limit is reached. DP-TS-UCB is then Gaussian Thompson sampling, of
// variance 1, whose means are renewed only when an arm has twice as many rewards, and forget the
// others. At alpha = 1 the limit matters.
func TestDPTSUCBWithoutLimit(t *testing.T) {
	const horizon = 10_000
	rewards := drawn([]float64{0.3, 0.6, 0.5, 0.2}, horizon)
	reward := func(arm, round int) float64 { return rewards[arm][round-1] }
	for _, alpha := range []float64{0, 1} {
		paper := play(t, limited(alpha, inf, 0), four, horizon, reward)
		all := play(t, limited(alpha, inf, horizon), four, horizon, reward)
		if same := slices.Equal(paper, all); same != (alpha == 0) {
			t.Errorf("alpha = %v: the arms played with and without a limit are the same: %v", alpha, same)
		}
	}
}

// TestDPTSUCBByHand plays the algorithm again, by what was released alone: in each round it is a
// draw of an arm's mean as long as there are any left, and then the largest of them, and the arm
// with the largest number is played.
func TestDPTSUCBByHand(t *testing.T) {
	const horizon, draws = 3000, 7
	rewards := drawn([]float64{0.3, 0.6, 0.5, 0.2}, horizon)
	r := started(t, opened(t, limited(1, inf, draws), four, horizon), 0)
	v, played, y := bandit.View{Arms: 4}, make([]int, 0, 1), make([]float64, 1)
	of := r.Run.(privateRun).Release().Of
	pulls, seen := make([]int, 4), make([][]float64, 4) // the draws of each mean
	next, settled := 0, 0
	for v.Round = 1; v.Round <= horizon; v.Round++ {
		if played = r.choose(&v, played[:0]); played[0] != next {
			t.Fatalf("round %d plays arm %d, want %d", v.Round, played[0], next)
		}
		before := make([]float64, 4)
		for a := range of {
			before[a] = of[a].Mean
		}
		y[0] = rewards[next][v.Round-1]
		r.learn(&v, played, y)
		pulls[next]++
		if n := pulls[next] + 1; n&(n-1) == 0 { // 1, 3, 7, ... rewards: an epoch is over
			seen[next] = nil
			if of[next].Count != n/2 {
				t.Fatalf("round %d: a mean of %d rewards, want %d", v.Round, of[next].Count, n/2)
			}
		}
		for a := range of {
			switch {
			case pulls[a] == 0:
			case len(seen[a]) < draws && (v.Round >= 4 || len(seen[a]) == 0):
				if seen[a] = append(seen[a], of[a].Mean); of[a].Mean == before[a] {
					t.Fatalf("round %d: the draw of arm %d is that of the round before", v.Round, a)
				}
			case len(seen[a]) == draws && of[a].Mean != slices.Max(seen[a]):
				t.Fatalf("round %d: arm %d has %v, want the largest of %v", v.Round, a, of[a].Mean, seen[a])
			case len(seen[a]) == draws:
				settled++
			}
		}
		if next = slices.Index(pulls, 0); next < 0 {
			next = 0
			for a := range of {
				if of[a].Mean > of[next].Mean {
					next = a
				}
			}
		}
	}
	if settled < horizon {
		t.Errorf("the largest draw was taken %d times in %d rounds, want more", settled, horizon)
	}
}
