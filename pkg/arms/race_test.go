package arms

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestRace compares the arms played, of few and of many, with the largest of all bounds, over two
// trials: in arms of equal means, and in arms of seven means. Now and then another arm is played.
// Few arms are looked at.
func TestRace(t *testing.T) {
	t.Run("few", func(t *testing.T) { testRace(t, 10, 4) })
	t.Run("many", func(t *testing.T) { testRace(t, 500, 50) })
}

// testRace wants that at most so many arms are looked at in a round.
func testRace(t *testing.T, arms int, most float64) {
	const rounds = 20_000
	for name, make := range map[string]func() (*learner.Private[privacy.Means], index, *race){
		"UCB1": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewUCB1()
			p := l.Policy.(*UCB1)
			return l, p, &p.race
		},
		"DP-UCB": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewDPUCB(5)
			p := l.Policy.(*DPUCB)
			return l, p, &p.race
		},
		"KL-UCB": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewKLUCB()
			p := l.Policy.(*KLUCB)
			return l, p, &p.race
		},
		"AdaP-UCB": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewAdaPUCB(5)
			p := l.Policy.(*AdaPUCB)
			return l, p, &p.race
		},
		"AdaP-KLUCB": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewAdaPKLUCB(5)
			p := l.Policy.(*AdaPKLUCB)
			return l, p, &p.race
		},
		"Lazy-UCB": func() (*learner.Private[privacy.Means], index, *race) {
			l := NewLazyUCB(5)
			p := l.Policy.(*LazyUCB)
			return l, p, &p.race
		},
	} {
		l, x, race := make()
		if err := l.Init(bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}, rounds); err != nil {
			t.Fatal(err)
		}
		for trial := range 2 {
			looked, wrong := looks{before: race.work}, 0
			err := playTrial(l, arms, rounds, trial, func(round, played int) {
				looked.see(race.work)
				if round <= 2*arms || strings.HasPrefix(name, "AdaP-") && len(l.Release().Changed) == 0 {
					return // a batch goes on with its arm
				}
				x.at(logarithm(round))
				best := 0
				for a := range arms {
					if x.bound(a) > x.bound(best) {
						best = a
					}
				}
				if best != played {
					wrong++
				}
			})
			if err != nil || wrong > 0 {
				t.Errorf("%s, trial %d: in %d rounds another arm has the largest bound; %v", name, trial, wrong, err)
			}
			if mean := float64(looked.all) / rounds; mean > most {
				t.Errorf("%s, trial %d: %.3g of %d arms are looked at in a round", name, trial, mean, arms)
			}
		}
	}
}

// playTrial plays the first trial in arms of equal means, and the next in arms of seven means. Now
// and then another arm is played than the learner's choice, which see is shown in each round.
func playTrial(l *learner.Private[privacy.Means], arms, rounds, trial int, see func(round, played int)) error {
	l.Reset(random.New(1, trial, "learner"), random.Source(1, trial, "noise"))
	r := random.New(1, trial, "rewards")
	v := bandit.View{Arms: arms}
	var played []int
	y := []float64{0}
	for v.Round = 1; v.Round <= rounds; v.Round++ {
		played = l.Select(&v, played[:0])
		see(v.Round, played[0])
		if v.Round%17 == 0 {
			played[0] = r.IntN(arms)
		}
		if y[0] = 0; r.Float64() < 0.4+0.2*float64(trial)*float64(played[0]%7)/7 {
			y[0] = 1
		}
		l.Update(&v, played, y)
	}
	return l.Err()
}

// looks counts the arms that were looked at, in all laps.
type looks struct{ all, before int }

// see takes in how many were looked at in the lap so far.
func (l *looks) see(work int) {
	if l.all += work; work >= l.before { // the lap is that of before
		l.all -= l.before
	}
	l.before = work
}
