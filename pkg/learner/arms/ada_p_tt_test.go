package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/random"
	"gonum.org/v1/gonum/stat"
)

// stops is a rule that finds the best arm.
type stops interface {
	Stopped() (round int, ok bool)
	Recommend() int
}

// stopping plays until l stops or a million rounds are over, with rewards 0 or 1, and then some
// rounds more. It returns the round after which it stopped, and the recommendation.
func stopping(t *testing.T, l private, means []float64, trial int) (round, arm int) {
	t.Helper()
	const horizon = 1_000_000
	r := started(t, opened(t, l, bandit.Problem{Arms: len(means), Slots: 1, RewardMax: 1}, horizon), trial)
	rewards, best := random.New(1, trial, "rewards"), r.Run.(privateRun).Rule().(stops)
	if at, ok := best.Stopped(); at != 0 || ok {
		t.Fatalf("stopped in round %d at the beginning", at)
	}
	v, played, y := bandit.View{Arms: len(means)}, make([]int, 0, 1), make([]float64, 1)
	for v.Round = 1; v.Round <= horizon; v.Round++ {
		at, ok := best.Stopped()
		if ok && v.Round == 2*at { // after arms could have had another batch
			break
		}
		played = r.choose(&v, played[:0])
		if ok && played[0] != best.Recommend() {
			t.Fatalf("round %d plays arm %d, and %d was recommended in round %d", v.Round, played[0], best.Recommend(), at)
		}
		y[0] = 0
		if rewards.Float64() < means[played[0]] {
			y[0] = 1
		}
		r.learn(&v, played, y)
	}
	round, ok := best.Stopped()
	if !ok {
		t.Fatalf("did not stop in %d rounds", horizon)
	}
	return round, best.Recommend()
}

// TestAdaPTTStops: it stops, and recommends the best arm as often as asked. If it were wrong with
// probability Delta = 0.1, more than 18% of 200 recommendations would be wrong in one of thousands
// of suites. The smaller epsilon, the longer it takes, and the proved threshold takes longer than
// the other: mean rounds are five standard errors apart at least.
func TestAdaPTTStops(t *testing.T) {
	cases := []struct {
		epsilon float64
		asRun   bool
		trials  int
	}{{1, true, 200}, {1, false, 200}, {0.25, false, 200}, {0.05, false, 40}}
	before, spread := 0.0, 0.0
	for _, c := range cases {
		wrong, sum, squares := 0, 0.0, 0.0
		l := arms.AdaPTT{}.Private(c.epsilon, 0.1)
		l.Policy = arms.AdaPTT{Delta: 0.1, AsRun: c.asRun}
		for trial := range c.trials {
			round, arm := stopping(t, l, []float64{0.5, 0.9, 0.5}, trial)
			sum += float64(round)
			squares += float64(round) * float64(round)
			if arm != 1 {
				wrong++
			}
		}
		n := float64(c.trials)
		mean := sum / n
		se := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("epsilon %v, as run %v: %.0f (%.0f) rounds, %d of %d wrong", c.epsilon, c.asRun, mean, se, wrong, c.trials)
		if 50*wrong > 9*c.trials {
			t.Errorf("epsilon %v, as run %v: %d of %d recommendations are wrong, want 10%% at most", c.epsilon, c.asRun, wrong, c.trials)
		}
		if !(mean-before > 5*math.Hypot(se, spread)) {
			t.Errorf("epsilon %v, as run %v: stops after %.0f rounds, want more than %.0f", c.epsilon, c.asRun, mean, before)
		}
		before, spread = mean, se
	}
}

// TestAdaPTTLead: it stops in the first round in which the lead is not below its threshold, which
// falls with the rewards.
func TestAdaPTTLead(t *testing.T) {
	r := started(t, opened(t, arms.AdaPTT{}.Private(1, 0.1), bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}, 100_000), 1)
	rewards, rule := random.New(1, 1, "rewards"), r.Run.(privateRun).Rule().(*arms.AdaPTTRule)
	if lead, threshold := rule.Lead(); lead != 0 || !math.IsInf(threshold, 1) {
		t.Errorf("at the beginning the lead is %v and the threshold %v, want 0 and +Inf", lead, threshold)
	}
	v, played, y, largest, last := bandit.View{Arms: 3}, make([]int, 0, 1), make([]float64, 1), 0.0, 0.0
	for v.Round = 1; v.Round <= 100_000; v.Round++ {
		played = r.choose(&v, played[:0])
		if y[0] = 0; rewards.Float64() < []float64{0.5, 0.9, 0.5}[played[0]] {
			y[0] = 1
		}
		r.learn(&v, played, y)
		lead, threshold := rule.Lead()
		_, stopped := rule.Stopped()
		if stopped != (lead >= threshold) {
			t.Fatalf("round %d: stopped %v at a lead of %v, and the threshold is %v", v.Round, stopped, lead, threshold)
		}
		if stopped {
			break
		}
		if !math.IsInf(threshold, 1) {
			largest, last = max(largest, threshold), threshold
		}
	}
	if _, stopped := rule.Stopped(); !stopped || !(last < 0.1*largest) {
		t.Errorf("stopped: %v; the threshold fell from %v to %v, want to a tenth", stopped, largest, last)
	}
}

// TestAdaPTTGoldens compares mean rounds with those of the authors' program, which we ran on an
// independent stream, by 4 combined standard errors: one alarm in 5,000 suites is false. The
// program chooses a challenger every round, which makes no difference that is seen here.
func TestAdaPTTGoldens(t *testing.T) {
	for _, g := range []struct {
		epsilon, rounds, se float64
	}{{1, 1290, 31}, {0.05, 3155, 127}} {
		l := arms.AdaPTT{}.Private(g.epsilon, 0.1)
		l.Policy = arms.AdaPTT{Delta: 0.1, AsRun: true}
		stopsAsGolden(t, l, g.rounds, g.se)
	}
}

// stopsAsGolden compares the mean rounds until a learner stops, in 200 trials on three arms, with
// an independent program's, by 4 combined standard errors.
func stopsAsGolden(t *testing.T, l private, rounds, of float64) {
	t.Helper()
	ended := make([]float64, 200)
	for trial := range ended {
		round, _ := stopping(t, l, []float64{0.5, 0.9, 0.5}, trial)
		ended[trial] = float64(round)
	}
	mean, sd := stat.MeanStdDev(ended, nil)
	se := stat.StdErr(sd, float64(len(ended)))
	t.Logf("%.0f (%.0f) rounds, golden %.0f (%.0f)", mean, se, rounds, of)
	if math.Abs(mean-rounds) > 4*math.Hypot(se, of) {
		t.Errorf("stops after %.0f (%.0f) rounds, golden %.0f (%.0f)", mean, se, rounds, of)
	}
}
