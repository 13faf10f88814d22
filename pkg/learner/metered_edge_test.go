package learner_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestMeteredEdges: budgets that pay for nothing or for all, and a single round.
func TestMeteredEdges(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	nothing := metered(gaussianTree(), false)
	nothing.Budget.Epsilon = 1e-9
	if err := nothing.Init(problem, 100); err != nil || nothing.Paid() != 0 {
		t.Fatalf("a budget of 1e-9 pays for %d rounds, %v, want none", nothing.Paid(), err)
	}
	if c := privacy.ClaimOf(nothing); !c.Held() || c.Epsilon() != 0 {
		t.Errorf("no round: epsilon = %v, want 0", c.Epsilon())
	}
	for name, sums := range map[string]privacy.Accumulator{"exact": mechanism.Exact{}, "tree": gaussianTree()} {
		inner := learner.New(learner.LinUCB{}, sums)
		free := learner.Metered{Learner: inner, Budget: privacy.Budget{Epsilon: math.Inf(1)}}
		if err := free.Init(problem, 100); err != nil || free.Paid() != 100 {
			t.Errorf("%s: a budget without limit pays for %d rounds, %v, want 100", name, free.Paid(), err)
			continue
		}
		if err := inner.Init(problem, 100); err != nil { // what free runs is a copy
			t.Fatal(err)
		}
		if got, want := privacy.ClaimOf(free), privacy.ClaimOf(inner); got.Epsilon() != want.Epsilon() || got.Asked() != want.Asked() {
			t.Errorf("%s: the claim on a budget without limit is\n%v\nwant the learner's\n%v", name, got, want)
		}
	}
	for name, sums := range map[string]privacy.Accumulator{"tree": gaussianTree(), "blt": mechanism.BLT{Budget: whole}} {
		one := metered(sums, true)
		if err := one.Init(problem, 1); err != nil {
			t.Errorf("%s, one round: %v", name, err)
			continue
		}
		one.Reset(rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
		// nothing is released of the only round
		if c := privacy.ClaimOf(one); c.Epsilon() != 0 || one.Err() != nil {
			t.Errorf("%s, one round: %v, %v", name, c, one.Err())
		}
	}
}

// TestFedBeside: whoever holds on to a learner that was wrapped cannot feed what the wrapper runs.
func TestFedBeside(t *testing.T) {
	env := environment.DecisionSets{Dim: 2, Arms: 5}
	for name, wrap := range map[string]func(bandit.Learner) bandit.Learner{
		"metered":    func(l bandit.Learner) bandit.Learner { return learner.Metered{Learner: l, Budget: half, Freeze: true} },
		"delayed":    func(l bandit.Learner) bandit.Learner { return learner.Delayed{Learner: l, Most: 3} },
		"randomised": func(l bandit.Learner) bandit.Learner { return learner.RandomisedAction{Learner: l, Epsilon: 1} },
	} {
		inner := learner.New(learner.LinUCB{}, gaussianTree())
		l := wrap(inner)
		ledger := privacy.NewLedger(rand.NewPCG(1, 2))
		run := bandittest.Run(t, l, env.Problem(), 1000, rand.New(rand.NewPCG(3, 4)), ledger)
		v := bandit.View{Round: 1, Arms: 5, Dim: 2, X: make([]float64, 10)}
		for range 900 {
			inner.Update(&v, []int{0}, []float64{1})
		}
		if inner.Err() == nil || len(ledger.Drawn()) > 0 || l.Err() != nil || privacy.ClaimOf(inner).Held() {
			t.Errorf("%s: %v from the learner that was wrapped, %v drawn, %v; want an error, nothing and nil", name, inner.Err(), ledger.Drawn(), l.Err())
		}
		if err := ledger.CheckPlan(l.(privacy.Planner), 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// broken finds that its noise is not what it claims.
type broken struct{ learner.Private[privacy.Sums] }

var errBroken = errors.New("not the noise claimed")

func (broken) Check() error { return errBroken }

// TestMeteredChecks: noise that passes the ledger of a trial is checked by the learner inside.
func TestMeteredChecks(t *testing.T) {
	var m bandit.Learner = learner.Metered{Learner: broken{learner.New(learner.LinUCB{}, gaussianTree())}, Budget: privacy.Budget{Epsilon: math.Inf(1)}}
	if err := m.Init(plane, 10); err != nil {
		t.Fatal(err)
	}
	c, ok := m.(interface{ Check() error })
	if !ok || !errors.Is(c.Check(), errBroken) {
		t.Error("Metered does not pass on what its learner finds")
	}
}
