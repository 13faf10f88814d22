package learner_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestMeteredEdges: budgets that pay for nothing or for all, and a single round.
func TestMeteredEdges(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	nothing := metered(gaussianTree(), false)
	nothing.Budget.Epsilon = 1e-9
	none := budgeted(t, nothing, problem, 100)
	if none.Paid() != 0 {
		t.Fatalf("a budget of 1e-9 pays for %d rounds, want none", none.Paid())
	}
	if c := privacy.ClaimOf(none); !c.Held() || c.Epsilon() != 0 {
		t.Errorf("no round: epsilon = %v, want 0", c.Epsilon())
	}
	for name, sums := range map[string]privacy.Accumulator{"exact": continual.Exact{}, "tree": gaussianTree()} {
		inner := learner.New(linear.UCB{}, sums)
		free := budgeted(t, learner.Metered{Learner: inner, Budget: privacy.Budget{Epsilon: math.Inf(1)}}, problem, 100)
		if free.Paid() != 100 {
			t.Errorf("%s: a budget without limit pays for %d rounds, want 100", name, free.Paid())
			continue
		}
		if got, want := privacy.ClaimOf(free), learnertest.ClaimOf(t, inner, problem, 100); got.Epsilon() != want.Epsilon() || got.Asked() != want.Asked() {
			t.Errorf("%s: the claim on a budget without limit is\n%v\nwant the learner's\n%v", name, got, want)
		}
	}
	for name, sums := range map[string]privacy.Accumulator{"tree": gaussianTree(), "blt": continual.BLT{Budget: whole}} {
		// nothing is released of the only round
		one := runtest.Run(t, metered(sums, true), problem, 1, rand.New(rand.NewPCG(1, 2)), rand.NewPCG(3, 4))
		if c := privacy.ClaimOf(one.Run); c.Epsilon() != 0 {
			t.Errorf("%s, one round: %v", name, c)
		}
	}
}

// broken finds that its noise is not what it claims.
type broken struct{ learner.Private[privacy.Sums] }

type brokenReady struct{ bandit.Calibrated }

type brokenRun struct{ bandit.Run }

var errBroken = errors.New("not the noise claimed")

func (b broken) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := b.Private.Open(p, horizon)
	return brokenReady{ready}, err
}

func (b brokenReady) Plan(records int) privacy.Plan {
	return privacy.PlanOf(b.Calibrated, records).HeldBy(b)
}

func (b brokenReady) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return brokenRun{b.Calibrated.Start(own, noise)}
}

func (brokenRun) Check() error { return errBroken }

// TestMeteredChecks: noise that passes the ledger of a trial is checked by the learner inside.
func TestMeteredChecks(t *testing.T) {
	m := learner.Metered{Learner: broken{learner.New(linear.UCB{}, gaussianTree())}, Budget: privacy.Budget{Epsilon: math.Inf(1)}}
	run := runtest.Run(t, m, learnertest.Features, 10, random.New(1, 0, "own"), random.Source(1, 0, "noise"))
	c, ok := run.Run.(interface{ Check() error })
	if !ok || !errors.Is(c.Check(), errBroken) {
		t.Error("Metered does not pass on what its learner finds")
	}
}

// TestFrozenRefuses: a learner whose budget is spent takes in nothing, and still refuses what is no
// round of its problem.
func TestFrozenRefuses(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	l := learner.Metered{Learner: learner.New(linear.UCB{}, gaussianTree()), Budget: privacy.Budget{Epsilon: 0.01, Delta: whole.Delta}, Freeze: true}
	run, _ := start(t, l, problem, 100)
	v := bandit.View{Round: 100, Arms: 5, Dim: 2, X: make([]float64, 10)}
	for round := 1; round < 100 && len(run.Warnings()) == 0; round++ {
		v.Round = round
		if err := run.Run.Update(&v, []int{0}, []float64{0.5}); err != nil {
			t.Fatal(err)
		}
	}
	if len(run.Warnings()) == 0 {
		t.Fatal("the budget is never spent")
	}
	for _, arms := range [][]int{nil, {-1}, {5}, {0, 1}} {
		if err := run.Run.Update(&v, arms, make([]float64, len(arms))); err == nil {
			t.Errorf("arms %v are taken", arms)
		}
	}
}
