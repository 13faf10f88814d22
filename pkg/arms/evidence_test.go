package arms

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestEvidence compares the arms of IMED with the least of all indices, over two trials: in arms of
// equal means, and in arms of seven means. Now and then another arm is played. Few indices are
// computed, but those for a new lap.
func TestEvidence(t *testing.T) {
	const rounds = 20_000
	for name, make := range map[string]func() (*learner.Private[privacy.Means], *IMED){
		"IMED": func() (*learner.Private[privacy.Means], *IMED) {
			l := NewIMED()
			return l, l.Policy.(*IMED)
		},
		"DP-IMED": func() (*learner.Private[privacy.Means], *IMED) {
			l := NewDPIMED(5, 1.2)
			return l, l.Policy.(*IMED)
		},
	} {
		for _, arms := range []int{3, 500} {
			l, x := make()
			if err := l.Init(bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}, rounds); err != nil {
				t.Fatal(err)
			}
			for trial := range 2 {
				var looked looks
				chosen, wrong := 0, 0
				err := playTrial(l, arms, rounds, trial, func(int, int) {
					if x.unseen < arms || len(l.Statistic.Release().Changed) == 0 {
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
					if x.least != arm || x.best != best {
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
