package privacytest_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// around is a description whose mechanism embeds that of another, and starts streams of its own.
type around[R any] struct{ of privacy.Statistic[R] }

func (a around[R]) Open(s privacy.Setup) (privacy.Mechanism[R], error) {
	opened, err := a.of.Open(s)
	return &aroundOpened[R]{opened}, err
}

type aroundOpened[R any] struct{ privacy.Mechanism[R] }

func (a *aroundOpened[R]) Start(n *privacy.Noise) privacy.Stream[R] {
	return &aroundRun[R]{a.Mechanism.Start(n)}
}

type aroundRun[R any] struct{ privacy.Stream[R] }

func (a *aroundRun[R]) Release() *R { return a.Stream.Release() }

// takes takes over the plan of its mechanism without looking who holds it.
type takes[R any] struct{ privacy.Mechanism[R] }

func (l *takes[R]) Plan(records int) privacy.Plan { return l.Mechanism.Plan(records).HeldBy(l) }

// held fails unless a mechanism and its stream make a claim, and nothing that embeds them does, nor
// a learner over that.
func held[R any](t testing.TB, of privacy.Statistic[R], policy learner.Policy[R], p bandit.Problem) {
	t.Helper()
	claims := func(x any) bool {
		c := privacy.ClaimOf(x)
		return c.Held() || c.Epsilon() < 1e300
	}
	s := privacy.Setup{Horizon: 4, Dim: 3, Bound: 1.5, Context: 1, Alpha: 0.1, Arms: 3, Slots: 1, Hi: 1}
	opened, err := of.Open(s)
	if err != nil {
		t.Fatalf("%T: %v", of, err)
	}
	outer, err := around[R]{of}.Open(s)
	if err != nil {
		t.Fatalf("%T: %v", of, err)
	}
	if claims(of) || !claims(opened) || !claims(opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))) {
		t.Errorf("%T: want a claim of what it opens to and of what that starts, and none of itself", of)
	}
	if claims(outer) || claims(outer.Start(privacy.NewNoise(random.Source(1, 0, "noise")))) {
		t.Errorf("%T: what embeds its mechanism or its stream makes a claim", of)
	}
	if !claims(&takes[R]{outer}) {
		t.Errorf("%T: a careless reader makes no claim: the test cannot fail", of)
	}
	for statistic, want := range map[privacy.Statistic[R]]bool{of: true, around[R]{of}: false} {
		l := learner.New(policy, statistic)
		if ready, err := l.Open(p, 4); err != nil || claims(ready) != want {
			t.Errorf("a learner over a %T: %v, and claims epsilon = %v", statistic, err, privacy.ClaimOf(ready).Epsilon())
		}
	}
}

// TestHolderOfMechanisms: the claim of a mechanism is not that of what embeds it and overrides a
// method, nor of a learner that reads that.
func TestHolderOfMechanisms(t *testing.T) {
	pure, approximate := privacy.Budget{Epsilon: 1}, privacy.Budget{Epsilon: 1, Delta: 1e-5}
	contextual := bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for _, of := range []privacy.Accumulator{
		continual.Tree{Noise: continual.Gaussian{Budget: approximate}}, continual.Tree{Noise: continual.Wishart{Budget: approximate}},
		continual.PanPrivateTree{Noise: continual.Gaussian{Budget: approximate}}, continual.SecureTree{Budget: approximate},
		continual.Honaker{Budget: approximate}, continual.SquareRoot{Budget: approximate}, continual.BLT{Budget: approximate}, continual.Unbounded{Budget: approximate},
	} {
		held(t, of, linear.UCB{}, contextual)
	}
	one, err := matroid.NewUniform(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	plain := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
	for _, of := range []privacy.Tally{
		tally.Blocks{Budget: pure}, tally.Batches{Budget: pure, Lengths: tally.Geometric{First: 1, Ratio: 2}},
		tally.Tree{Budget: pure}, tally.Hybrid{Epsilon: 1}, tally.Response{Epsilon: 1},
	} {
		held(t, of, learner.Policy[privacy.Means](slots.CTS{Matroid: one}), plain)
	}
}
