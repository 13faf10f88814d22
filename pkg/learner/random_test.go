package learner_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestRandomConformance(t *testing.T) {
	bandittest.Learner(t, learner.Random{},
		environment.Arms{Means: []float64{0.2, 0.5, 0.9}},
		bandittest.LearnerOptions{Seed: 1, Rounds: 100})
}

// Each of 5 arms is played in a fifth of 10,000 rounds. A count is binomial with standard deviation
// 40; all are within 4.5 of these but for a probability of 4e-5.
func TestRandomIsUniform(t *testing.T) {
	l := learner.Random{}
	p := bandit.Problem{Arms: 5, Slots: 1, RewardMin: 0, RewardMax: 1}
	run := runtest.Run(t, l, p, 10_000, random.New(1, 0, "own"), nil)
	var count [5]int
	v := bandit.View{Arms: 5}
	for v.Round = 1; v.Round <= 10_000; v.Round++ {
		arms := run.Select(&v, nil)
		count[arms[0]]++
		run.Update(&v, arms, []float64{1})
	}
	for arm, n := range count {
		if math.Abs(float64(n)-2000) > 4.5*40 {
			t.Errorf("arm %d was played %d times, want 2000 +- 180", arm, n)
		}
	}
	p.Slots = 2
	if _, err := l.Open(p, 10); err == nil || !strings.Contains(err.Error(), "Slots = 2, want 1") {
		t.Errorf("two slots: error %v", err)
	}
}
