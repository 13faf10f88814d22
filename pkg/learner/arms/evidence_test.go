package arms

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestEvidence compares the arms of IMED with the least of all indices, over two trials: in arms of
// equal means, and in arms of seven means. Now and then another arm is played. Few indices are
// computed, but those for a new lap.
func TestEvidence(t *testing.T) {
	const rounds = 20_000
	for name, l := range map[string]learner.Private[privacy.Means]{"IMED": IMED{}.Learner(), "DP-IMED": IMED{}.Private(5, 1.2)} {
		for _, arms := range []int{3, 500} {
			for trial := range 2 {
				var looked looks
				chosen, wrong := 0, 0
				err := playTrial(l, arms, rounds, trial, func(run privateRun, _, played int) {
					x := run.Rule().(*imed)
					if x.unseen < arms || len(run.Release().Changed) == 0 {
						return
					}
					chosen++
					looked.see(x.evidence.work)
					best, arm, least := 0.0, 0, math.Inf(1)
					for a := range x.of {
						best = max(best, clipped(x.of[a].Mean))
					}
					for a, of := range x.of {
						if i := float64(float64(of.Count)*bernoulli.DEps(x.epsilon, clipped(of.Mean), best)) + x.logs[a]; i < least {
							arm, least = a, i
						}
					}
					if played != arm || x.evidence.best != best {
						wrong++
					}
				})
				if err != nil || wrong > 0 || chosen == 0 {
					t.Errorf("%s, %d arms, trial %d: another arm has the least index, in %d of %d rounds; %v", name, arms, trial, wrong, chosen, err)
				}
				if mean := float64(looked.all) / float64(chosen); mean > float64(arms)/5 && arms > few {
					t.Errorf("%s, trial %d: %.3g of %d arms are looked at in a round", name, trial, mean, arms)
				}
			}
		}
	}
}

// TestTargetIMEDFollows compares the arms of TargetIMED with those of its definition, by the sums
// of all arms, over two trials. In one, half of the arms have the mean 1, and so many estimates
// tie.
func TestTargetIMEDFollows(t *testing.T) {
	const rounds = 100_000
	for _, arms := range []int{1, 3, 300} {
		ready, err := TargetIMED{}.Private(1).Open(bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}, rounds)
		if err != nil {
			t.Fatal(err)
		}
		for trial := range 2 {
			run := start(ready, trial)
			x := run.Rule().(*targetIMED)
			r := random.New(1, trial, "rewards")
			v := bandit.View{Arms: arms}
			var played []int
			y := []float64{0}
			chosen, wrong, ties := 0, 0, 0
			for v.Round = 1; v.Round <= rounds; v.Round++ {
				if played, err = run.Select(&v, played[:0]); err != nil {
					t.Fatal(err)
				}
				if x.unseen == arms && len(run.Release().Changed) > 0 {
					chosen++
					best, mean := 0, -1.0
					for a := range x.of {
						switch m := clipped(x.of[a].Mean); {
						case m > mean:
							best, mean = a, m
						case m == mean:
							ties++
							if x.of[a].Count > x.of[best].Count {
								best = a
							}
						}
					}
					arm, least := best, x.target
					for a := range x.of {
						if s := x.sum(a, mean, float64(x.of[a].Count)); a != best && s < least {
							arm, least = a, s
						}
					}
					if arm != best && x.of[best].Count < 4*x.of[arm].Count {
						arm = best
					}
					if played[0] != arm {
						wrong++
					}
				}
				if y[0] = 0; r.Float64() < 0.3+0.2*float64(played[0]%3)+float64(trial*(played[0]%2)) {
					y[0] = 1
				}
				if err := run.Update(&v, played, y); err != nil {
					t.Fatal(err)
				}
			}
			if wrong > 0 || chosen == 0 || trial == 1 && arms > 3 && ties == 0 {
				t.Errorf("%d arms, trial %d: another arm is played than defined, in %d of %d rounds, %d ties", arms, trial, wrong, chosen, ties)
			}
		}
	}
}
