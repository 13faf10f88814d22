package arms_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// halved returns the share of runs in which sequential halving does not recommend the first arm.
func halved(t *testing.T, epsilon float64, means []float64, rounds, runs int) float64 {
	t.Helper()
	wrong, err := simulate.Trials(context.Background(), runs, func(k int) (float64, error) {
		var last bandit.Run
		err := simulate.Play(environment.Arms{Means: means}, arms.SequentialHalving{}.Private(epsilon), rounds, uint64(k), func(r *simulate.Round) { last = r.Run })
		if err != nil || last.(privateRun).Rule().(interface{ Recommend() int }).Recommend() == 0 {
			return 0, err
		}
		return 1, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return wrong.Mean()
}

// TestHalvingSchedule: of 7 arms, 3 phases of 700 rounds play 7, 4 and 2 arms 33, 58 and 116 times
// each, in turn, and then the last one. An arm of fewer rewards than a phase wants is never
// compared.
func TestHalvingSchedule(t *testing.T) {
	seven := bandit.Problem{Arms: 7, Slots: 1, RewardMax: 1}
	means := []float64{0.1, 0.7, 0.3, 0.6, 0.2, 0.5, 0.4}
	played := play(t, arms.SequentialHalving{}.Private(inf), seven, 700, func(arm, _ int) float64 { return means[arm] })
	from := 0
	for _, phase := range []struct {
		n    int
		arms []int
	}{{33, []int{0, 1, 2, 3, 4, 5, 6}}, {58, []int{1, 3, 5, 6}}, {116, []int{1, 3}}, {5, []int{1}}} {
		for i := range phase.n * len(phase.arms) {
			if got, want := played[from+i], phase.arms[i%len(phase.arms)]; got != want {
				t.Fatalf("round %d plays arm %d, want %d", from+i+1, got, want)
			}
		}
		from += phase.n * len(phase.arms)
	}
	if from != len(played) {
		t.Errorf("%d rounds, want %d", len(played), from)
	}
	if played := play(t, arms.SequentialHalving{}.Private(inf), seven, 6, func(arm, _ int) float64 { return means[arm] }); !slices.Equal(played, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("6 rounds play %v", played)
	}
}

// TestHalvingGoldens compares how often the recommendation is wrong with what testdata/own_draws.py
// finds: exactly for two arms, in 200,000 runs for seven. An alarm is false with a probability of
// 1e-4 for each number.
func TestHalvingGoldens(t *testing.T) {
	const runs = 2_000
	two, seven := []float64{0.6, 0.5}, []float64{0.7, 0.6, 0.55, 0.5, 0.5, 0.4, 0.3}
	for _, g := range []struct {
		epsilon   float64
		means     []float64
		rounds    int
		wrong, se float64
	}{
		{0.05, two, 400, 0.286409, 0}, {0.2, two, 400, 0.074841, 0}, {1, two, 400, 0.024080, 0},
		{0.1, seven, 1200, 0.3262, 0.0010}, {1, seven, 1200, 0.0222, 0.0003}, {inf, seven, 1200, 0.0163, 0.0003},
	} {
		got := halved(t, g.epsilon, g.means, g.rounds, runs)
		t.Logf("%d arms, epsilon = %v: wrong in %.4f of %d runs, golden %.4f", len(g.means), g.epsilon, got, runs, g.wrong)
		if se := math.Hypot(math.Sqrt(g.wrong*(1-g.wrong)/runs), g.se); math.Abs(got-g.wrong) > 3.9*se {
			t.Errorf("%d arms, epsilon = %v: wrong in %.4f of %d runs, golden %.4f", len(g.means), g.epsilon, got, runs, g.wrong)
		}
	}
}

// bound is what the comment of SequentialHalving proves, of means in descending order.
func bound(epsilon float64, means []float64, rounds int) (p float64) {
	phases := int(math.Ceil(math.Log2(float64(len(means)))))
	for s := len(means); s > 1; s = (s + 1) / 2 {
		q := s / 4
		n, gap := float64(rounds/(s*phases)), means[0]-means[q+1]
		x := epsilon * n * gap / 2
		noise := (2 + x) * math.Exp(-x) / 4
		if math.IsInf(epsilon, 1) {
			noise = 0
		}
		p += float64(s-1-q) / float64((s+1)/2-q) * (math.Exp(-n*gap*gap/4) + noise)
	}
	return p
}

// TestHalvingBound: recommendations are wrong less often than is proved, and of two arms not much
// less: the bound is not an empty one.
func TestHalvingBound(t *testing.T) {
	const runs = 1000
	for _, c := range []struct {
		epsilon float64
		means   []float64
		rounds  int
	}{
		{0.1, []float64{0.8, 0.5}, 300},
		{0.1, []float64{0.8, 0.5, 0.5, 0.5, 0.5}, 4000}, {1, []float64{0.8, 0.7, 0.5, 0.4, 0.3, 0.3, 0.2, 0.2, 0.1}, 12_000},
	} {
		got, most := halved(t, c.epsilon, c.means, c.rounds, runs), bound(c.epsilon, c.means, c.rounds)
		t.Logf("epsilon = %v, %v: wrong in %.4f, proved %.4f", c.epsilon, c.means, got, most)
		if two := len(c.means) == 2; !(most < 0.5) || two && got < most/100 || got > most+3.9*math.Sqrt(most/runs) {
			t.Errorf("epsilon = %v, %v: wrong in %.4f of %d runs, want %.4f at most", c.epsilon, c.means, got, runs, most)
		}
	}
}
