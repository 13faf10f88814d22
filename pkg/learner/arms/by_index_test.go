package arms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// lazy is LazyUCB by its formula.
type lazy struct{ Explore float64 }

func (l lazy) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return arms.ByIndex(p, horizon, l)
}

func (l lazy) Index(k arms.Known) float64 {
	width, noise := 1/math.Sqrt(float64(k.Count)), k.Tail.Linear
	return k.Mean + float64(math.Sqrt(l.Explore*k.Log)*width) + float64(l.Explore*k.Log*noise)
}

// TestByIndex: a formula plays what the learner of that formula plays, with few arms and with many,
// and one that is NaN is an error that says so.
func TestByIndex(t *testing.T) {
	blocks := tally.Blocks{Budget: privacy.Budget{Epsilon: 2}}
	for _, k := range []int{4, 60} {
		p := bandit.Problem{Arms: k, Slots: 1, RewardMin: -1, RewardMax: 1}
		reward := func(arm, round int) float64 { return float64((arm*arm+7*round)%11)/5.5 - 1 }
		want := play(t, arms.LazyUCB{}.Private(2), p, 4000, reward)
		if got := play(t, learner.New(lazy{3}, blocks), p, 4000, reward); !slices.Equal(got, want) {
			t.Errorf("%d arms: the formula of LazyUCB plays other arms", k)
		}
	}
	r, v := started(t, opened(t, learner.New(lazy{math.NaN()}, blocks), four, 10), 0), bandit.View{Arms: 4}
	for v.Round = 1; v.Round <= 4; v.Round++ {
		r.learn(&v, r.choose(&v, nil), []float64{1})
	}
	if _, err := r.Select(&v, nil); err == nil || !strings.Contains(err.Error(), "arms_test.lazy: the index of arm 0 is NaN in round 5") {
		t.Errorf("error %v, want one that says that an index is NaN", err)
	}
}
