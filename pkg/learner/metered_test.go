package learner_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var whole = privacy.Budget{Epsilon: 2, Delta: 1e-5}

// half is less than what 1000 rounds cost.
var half = privacy.Budget{Epsilon: 1.5, Delta: whole.Delta}

// metered returns LinUCB calibrated for 1000 rounds, on the smaller budget.
func metered(sums privacy.Accumulator, freeze bool) learner.Metered {
	return learner.Metered{Learner: learner.New(linear.UCB{}, sums), Budget: half, Freeze: freeze}
}

// paying is what a Metered opens as.
type paying interface {
	bandit.Calibrated
	bandit.Warmer
	privacy.Planner
	Paid() int
}

// budgeted opens a Metered.
func budgeted(t testing.TB, m learner.Metered, p bandit.Problem, horizon int) paying {
	t.Helper()
	ready, err := m.Open(p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return ready.(paying)
}

func gaussianTree() privacy.Accumulator {
	return continual.Tree{Noise: continual.Gaussian{Budget: whole}}
}

// TestMeteredPays: the budget ends in the round in which what was released costs more than it.
func TestMeteredPays(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	for name, sums := range map[string]privacy.Accumulator{"tree": gaussianTree(), "blt": continual.BLT{Budget: whole}, "honaker": continual.Honaker{Budget: whole}} {
		of := metered(sums, false)
		m := budgeted(t, of, problem, 1000)
		inner, err := of.Learner.Open(problem, 1000)
		if err != nil {
			t.Fatal(err)
		}
		at := func(records int) float64 {
			epsilon, err := (account.GDP{}).Epsilon(privacy.PlanOf(inner, records).Event(), whole.Delta)
			if err != nil {
				t.Fatal(err)
			}
			return epsilon
		}
		if paid := m.Paid(); paid < 1 || paid >= 999 || at(paid) > 1.5 || at(paid+1) <= 1.5 {
			t.Errorf("%s: %d rounds paid, which cost %v, and one more %v: want the most within 1.5", name, paid, at(paid), at(paid+1))
		}
		if c := privacy.ClaimOf(m); c.Epsilon() > 1.5 || c.Epsilon() != at(m.Paid()) || c.Asked() != of.Budget {
			t.Errorf("%s: claim\n%v", name, c)
		}
		if spent := at(999); math.Abs(spent-2) > 1e-6 {
			t.Errorf("%s: the whole run spends %v, want 2", name, spent)
		}
		of.Budget.Epsilon = 3
		if m := budgeted(t, of, problem, 1000); m.Paid() != 1000 {
			t.Errorf("%s: a budget above the claim pays for %d rounds, want all 1000", name, m.Paid())
		}
	}
	// A row is in 10 nodes at most, of which the smaller budget pays for a share of
	// (mu*(1.5)/mu*(2))^2: the first node that it does not pay for is finished in a power of 2.
	mu := func(b privacy.Budget) float64 {
		mu, err := b.GaussianMu()
		if err != nil {
			t.Fatal(err)
		}
		return mu
	}
	nodes := int(10 * math.Pow(mu(half)/mu(whole), 2))
	if m := budgeted(t, metered(gaussianTree(), false), problem, 1000); m.Paid() != 1<<nodes-1 || nodes != treeNodes {
		t.Errorf("the tree's budget pays for %d rounds, want %d, and %d nodes, want %d", m.Paid(), 1<<nodes-1, nodes, treeNodes)
	}
}

const treeNodes = 5

func meteredRun(m bandit.Learner) (*simulate.Result, error) {
	e := &simulate.Experiment{
		Name: "metered", Environment: environment.DecisionSets{Dim: 2, Arms: 5},
		Policies: []simulate.Policy{{Name: "metered", Learner: m}}, Horizon: 1000, Rounds: 100, Trials: 2, Seed: 5,
	}
	return e.Run(context.Background())
}

// TestMeteredStops: a run stops in the round that the budget does not pay for, and with Freeze goes
// on without spending. The ledger sees no noise past the budget.
func TestMeteredStops(t *testing.T) {
	_, err := meteredRun(metered(gaussianTree(), false))
	if !errors.Is(err, account.ErrSpent) || !strings.Contains(err.Error(), "round 32") || !strings.Contains(err.Error(), "pays for 31 rounds") {
		t.Errorf("error %v, want one that wraps ErrSpent and names rounds 32 and 31", err)
	}
	r, err := meteredRun(metered(gaussianTree(), true))
	if err != nil {
		t.Fatal(err)
	}
	frozen := 0
	for _, w := range r.Policies[0].Warnings {
		if strings.Contains(w.What, "budget was spent") {
			frozen = w.Count
		}
	}
	if frozen != 2*69 {
		t.Errorf("%d rounds without learning, want 69 in each of 2 trials", frozen)
	}
}

func TestMeteredRefuses(t *testing.T) {
	problem := environment.DecisionSets{Dim: 2, Arms: 5}.Problem()
	for word, m := range map[string]learner.Metered{
		"want one that says":  {Learner: learner.Random{}, Budget: whole},
		"epsilon = 0":         {Learner: learner.New(linear.UCB{}, gaussianTree())},
		"cannot account":      {Learner: learner.New(linear.UCB{}, nil), Budget: whole},
		"does not hold it":    {Learner: stubborn{learner.New(linear.UCB{}, gaussianTree())}, Budget: whole},
		"want epsilon >= 3":   {Learner: learner.RandomisedAction{Learner: learner.New(linear.UCB{}, gaussianTree()), Epsilon: 3}, Budget: whole},
		"delta = -1":          {Learner: learner.New(linear.UCB{}, gaussianTree()), Budget: privacy.Budget{Epsilon: 1, Delta: -1}},
		"LinUCB.Alpha = -0.5": {Learner: learner.New(linear.UCB{Alpha: -0.5}, gaussianTree()), Budget: whole},
	} {
		if _, err := m.Open(problem, 100); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("error %v, want one that names %q", err, word)
		}
	}
}

func TestMeteredConforms(t *testing.T) {
	m := metered(gaussianTree(), true)
	m.Budget = whole
	bandittest.Learner(t, m, environment.DecisionSets{Dim: 2, Arms: 5}, bandittest.LearnerOptions{Horizon: 1000})
}
