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
	for name, l := range map[string]learner.Private[privacy.Means]{
		"UCB1": UCB1{}.Learner(), "DP-UCB": DPUCB{}.Private(5), "KL-UCB": KLUCB{}.Learner(),
		"AdaP-UCB": AdaPUCB{}.Private(5), "AdaP-KLUCB": AdaPKLUCB{}.Private(5), "Lazy-UCB": LazyUCB{}.Private(5),
	} {
		for trial := range 2 {
			looked, wrong := looks{}, 0
			err := playTrial(l, arms, rounds, trial, func(run privateRun, round, played int) {
				x, race := racing(run.Rule())
				looked.see(race.work)
				if round <= 2*arms || strings.HasPrefix(name, "AdaP-") && len(run.Release().Changed) == 0 {
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

// racing returns the bounds of a rule, and their race.
func racing(rule learner.Rule[privacy.Means]) (index, *race) {
	switch l := rule.(type) {
	case *timed:
		return l, &l.race
	case *dpUCB:
		return l, &l.race
	case *klUCB:
		return l, &l.race
	case *adaPKLUCB:
		return l, &l.race
	case *lazyUCB:
		return l, &l.race
	}
	return nil, nil
}

// playTrial plays the first trial in arms of equal means, and the next in arms of seven means. Now
// and then another arm is played than the learner's choice, which see is shown in each round.
func playTrial(l learner.Private[privacy.Means], arms, rounds, trial int, see func(run privateRun, round, played int)) error {
	ready, err := l.Open(bandit.Problem{Arms: arms, Slots: 1, RewardMax: 1}, rounds)
	if err != nil {
		return err
	}
	run := start(ready, trial)
	r := random.New(1, trial, "rewards")
	v := bandit.View{Arms: arms}
	var played []int
	y := []float64{0}
	for v.Round = 1; v.Round <= rounds; v.Round++ {
		if played, err = run.Select(&v, played[:0]); err != nil {
			return err
		}
		see(run, v.Round, played[0])
		if v.Round%17 == 0 {
			played[0] = r.IntN(arms)
		}
		if y[0] = 0; r.Float64() < 0.4+0.2*float64(trial)*float64(played[0]%7)/7 {
			y[0] = 1
		}
		if err := run.Update(&v, played, y); err != nil {
			return err
		}
	}
	return nil
}

type privateRun = *learner.PrivateRun[privacy.Means]

// start begins a trial.
func start(ready bandit.Calibrated, trial int) privateRun {
	return ready.Start(random.New(1, trial, "learner"), random.Source(1, trial, "noise")).(privateRun)
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
