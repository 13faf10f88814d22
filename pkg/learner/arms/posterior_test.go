package arms

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestPosterior compares the arms played with the largest of all draws, over two trials: a twin
// gets the same broadcasts as if from elsewhere, and so computes all draws. Of ten arms, few draws
// are computed; of 200 in so few rounds, many.
func TestPosterior(t *testing.T) {
	const rounds = 20_000
	type rule = learner.Rule[privacy.Means]
	for name, c := range map[string]struct {
		private learner.Private[privacy.Means]
		of      func(rule) *posterior
	}{
		"Thompson":   {Thompson{}.Learner(), func(r rule) *posterior { return &r.(*thompson).posterior }},
		"Lazy-DP-TS": {LazyThompson{}.Private(1), func(r rule) *posterior { return &r.(*lazyThompson).posterior }},
	} {
		for _, arms := range []int{1, 10, 200} {
			l, p := c.private, bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}
			ready, err := l.Open(p, rounds)
			if err != nil {
				t.Fatal(err)
			}
			prepared, err := l.Policy.Prepare(p, rounds, nil)
			if err != nil {
				t.Fatal(err)
			}
			for trial := range 2 {
				run := start(ready, trial)
				twin := prepared.Begin(random.New(1, trial, "learner"))
				x, r, v := c.of(run.Rule()), random.New(1, trial, "rewards"), bandit.View{Arms: arms}
				wrong, computed, before, from := 0, 0, 0, 0
				var played []int
				y := []float64{0}
				for v.Round = 1; v.Round <= rounds; v.Round++ {
					if played, err = run.Select(&v, played[:0]); err != nil {
						t.Fatal(err)
					}
					want, err := twin.Act(slices.Clone(x.numbers), &v, nil)
					if err != nil || want[0] != played[0] {
						wrong++
					}
					if x.from != from {
						before = 0
					}
					if v.Round > rounds/2 {
						computed += x.computed - before
					}
					before, from = x.computed, x.from
					if v.Round%17 == 0 {
						played[0] = r.IntN(arms)
					}
					if y[0] = 0; r.Float64() < 0.2+0.1*float64(played[0]%7) {
						y[0] = 1
					}
					if err := run.Update(&v, played, y); err != nil {
						t.Fatal(err)
					}
				}
				if wrong > 0 || from == 0 {
					t.Errorf("%s, %d arms, trial %d: another arm has the largest draw, in %d of %d rounds", name, arms, trial, wrong, rounds)
				}
				if mean := 2 * float64(computed) / rounds; mean > 4.5 && arms <= 10 {
					t.Errorf("%s, trial %d: %.3g draws of %d arms are computed in a round", name, trial, mean, arms)
				}
			}
		}
	}
}

// TestPosteriorExplainsNoDraw: once all arms have an estimate, and before the first draw, there are
// means, and no index.
func TestPosteriorExplainsNoDraw(t *testing.T) {
	l := Thompson{}.Learner()
	ready, err := l.Open(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, 64)
	if err != nil {
		t.Fatal(err)
	}
	run, v := start(ready, 0), bandit.View{Arms: 2}
	for v.Round = 1; v.Round <= 2; v.Round++ {
		if err := run.Update(&v, []int{v.Round - 1}, []float64{1}); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := run.Explain(&v, nil)
	if err != nil || len(shown) != 2 {
		t.Fatalf("%v, and %v", shown, err)
	}
	for _, s := range shown {
		if !math.IsNaN(s.Index) || s.Estimate != 1 {
			t.Errorf("%+v, want an index of NaN", s)
		}
	}
}
