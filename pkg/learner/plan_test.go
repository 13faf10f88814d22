package learner_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// stubborn has all of a private LinUCB, but plays what its own data say.
type stubborn struct{ learner.Private[privacy.Sums] }

type stubbornReady struct {
	bandit.Calibrated
	privacy.Planner
}

type stubbornRun struct {
	bandit.Run
	privacy.Planner
	best float64
	arm  int
}

func (s stubborn) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := s.Private.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	return stubbornReady{ready, ready.(privacy.Planner)}, nil
}

func (s stubbornReady) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	run := s.Calibrated.Start(own, noise)
	return &stubbornRun{Run: run, Planner: run.(privacy.Planner)}
}

func (s *stubbornRun) Select(_ *bandit.View, dst []int) ([]int, error) {
	return append(dst, s.arm), nil
}

func (s *stubbornRun) Update(v *bandit.View, arms []int, y []float64) error {
	if y[0] > s.best {
		s.best, s.arm = y[0], arms[0]
	}
	return s.Run.Update(v, arms, y)
}

// within hides what a learner is, and opens as what it does.
type within struct{ bandit.Learner }

// quietTree and quietNoise have all of what they embed, but less noise, or none.
type quietTree struct{ continual.Tree }

func (q quietTree) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	m, err := q.Tree.Open(s)
	return quiet{m}, err
}

type quiet struct {
	privacy.Mechanism[privacy.Sums]
}

func (q quiet) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	return quietRun{q.Mechanism.Start(n)}
}

type quietRun struct{ privacy.Stream[privacy.Sums] }

func (q quietRun) Release() *privacy.Sums {
	s := *q.Stream.Release()
	s.Packed = make([]float64, len(s.Packed))
	return &s
}

type quietNoise struct{ continual.Gaussian }

func (q quietNoise) Open(s privacy.Setup) (continual.Nodes, error) {
	m, err := q.Gaussian.Open(s)
	return quietNodes{m}, err
}

type quietNodes struct{ continual.Nodes }

func (q quietNodes) Drawer() continual.Drawer { return quietDrawer{q.Nodes.Drawer()} }

type quietDrawer struct{ continual.Drawer }

func (q quietDrawer) Draw(n *privacy.Noise, dst []float64) {
	q.Drawer.Draw(n, dst)
	for i := range dst {
		dst[i] /= 10
	}
}

// TestEmbeddingClaimsNothing: a learner that has a private one's methods, or whose sums or noise
// have a private one's, has not got its claim, by itself or in whatever wraps it.
func TestEmbeddingClaimsNothing(t *testing.T) {
	env := environment.DecisionSets{Dim: 2, Arms: 5}
	noise := func() continual.Gaussian { return continual.Gaussian{Budget: whole} }
	private := func() learner.Private[privacy.Sums] { return learner.New(linear.UCB{}, gaussianTree()) }
	for name, c := range map[string]struct {
		l       bandit.Learner
		epsilon float64
	}{
		"LinUCB":       {private(), whole.Epsilon},
		"pan-private":  {learner.New(linear.UCB{}, continual.PanPrivateTree{Noise: noise()}), whole.Epsilon},
		"stubborn":     {stubborn{private()}, math.Inf(1)},
		"quiet tree":   {learner.New(linear.UCB{}, quietTree{continual.Tree{Noise: noise()}}), math.Inf(1)},
		"quiet noise":  {learner.New(linear.UCB{}, continual.Tree{Noise: quietNoise{noise()}}), math.Inf(1)},
		"pan, quiet":   {learner.New(linear.UCB{}, continual.PanPrivateTree{Noise: quietNoise{noise()}}), math.Inf(1)},
		"in a Learner": {within{private()}, whole.Epsilon},
	} {
		claim, held := learnertest.ClaimOf(t, c.l, env.Problem(), 20), !math.IsInf(c.epsilon, 1)
		if claim.Held() != held || !(claim.Epsilon() == c.epsilon || math.Abs(claim.Epsilon()-c.epsilon) < 1e-9) {
			t.Errorf("%s claims\n%v", name, claim)
		}
		e := &simulate.Experiment{Name: name, Environment: env, Policies: []simulate.Policy{{Name: name, Learner: c.l}}, Horizon: 20, Trials: 1, Seed: 1}
		r, err := e.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Policies[0].Claim; (got != nil) != held || len(r.Table().Claims) > 0 != held {
			t.Errorf("%s: the result claims\n%v", name, got)
		}
		if _, err := (learner.Metered{Learner: c.l, Budget: half}).Open(env.Problem(), 100); (err == nil) != held {
			t.Errorf("%s, metered: error %v", name, err)
		}
	}
}

// TestRandomisedPlan: over a jointly private learner the action makes the whole output private;
// over another one it is all that is.
func TestRandomisedPlan(t *testing.T) {
	problem := (environment.DecisionSets{Dim: 2, Arms: 5}).Problem()
	opened := func(l bandit.Learner) bandit.Calibrated {
		ready, err := l.Open(problem, 100)
		if err != nil {
			t.Fatal(err)
		}
		return ready
	}
	exact, private := learner.New(linear.UCB{}, nil), learner.New(linear.UCB{}, gaussianTree())
	inner, l := opened(private), opened(learner.RandomisedAction{Learner: private, Epsilon: 0.5})
	c := privacy.ClaimOf(l)
	action := account.ResponseEvent{Epsilon: 0.5, Choices: 2} // of K >= 2 choices it shows the most
	want := account.Sequence{action, privacy.ClaimOf(inner).Event()}
	if c.Scope() != privacy.AllOutputs || c.Model() != privacy.Central || !reflect.DeepEqual(c.Event(), want) {
		t.Errorf("claims\n%v, want of all outputs %v", c, want)
	}
	if joint := privacy.ClaimOf(inner); joint.Scope() != privacy.OtherOutputs || joint.Model() != privacy.Joint {
		t.Errorf("the inner learner claims\n%v", joint)
	}
	if c.Asked() != (privacy.Budget{Epsilon: 2.5, Delta: whole.Delta}) || !(c.Epsilon() > 2 && c.Epsilon() <= 2.5) {
		t.Errorf("asked for %v, proved %v", c.Asked(), c.Epsilon())
	}
	if e := privacy.PlanOf(l, 0).Event(); !reflect.DeepEqual(e, action) {
		t.Errorf("before a record is taken in the action shows %v", e)
	}
	ledger := privacy.NewLedger(rand.NewPCG(1, 2))
	run := runtest.Run(t, learner.RandomisedAction{Learner: private, Epsilon: 0.5}, problem, 100, rand.New(rand.NewPCG(3, 4)), ledger)
	for round := range 20 {
		v := bandit.View{Round: round + 1, Arms: 3, Dim: 2, X: []float64{1, 0, 0, 1, 0.6, 0.6}}
		run.Update(&v, run.Select(&v, nil), []float64{1})
	}
	if err := ledger.CheckPlan(run.Run.(privacy.Planner), 20); err != nil {
		t.Error(err)
	}

	for name, other := range map[string]bandit.Learner{"LinUCB": exact, "stubborn": stubborn{private}} {
		if c := privacy.ClaimOf(opened(learner.RandomisedAction{Learner: other, Epsilon: 0.5})); c.Scope() != privacy.OwnAction || c.Model() != privacy.Central || c.Event() != action || c.Epsilon() != 0.5 {
			t.Errorf("over %s: claims\n%v", name, c)
		}
	}
	secure := learner.New(linear.UCB{}, continual.SecureTree{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-6}})
	l = opened(learner.RandomisedAction{Learner: secure, Epsilon: 0.5})
	if of, p := privacy.PlanOf(opened(secure), privacy.All), privacy.PlanOf(l, privacy.All); !of.Secure() || p.Secure() || !p.Held() {
		t.Errorf("over noise that is secure (%v) the response, which is seeded, makes a claim of secure noise: %v", of.Secure(), p.Secure())
	}
	if c := privacy.ClaimOf(opened(learner.RandomisedAction{Learner: private, Epsilon: math.Inf(1)})); !math.IsInf(c.Epsilon(), 1) {
		t.Errorf("no randomisation: claims\n%v", c)
	}
}

// TestMeteredAction: the budget pays for a user's own action, too, and for that first.
func TestMeteredAction(t *testing.T) {
	problem := (environment.DecisionSets{Dim: 2, Arms: 5}).Problem()
	paid := map[float64]int{}
	for _, epsilon := range []float64{0.1, 0.8, 1.5} {
		of := learner.Metered{Learner: learner.RandomisedAction{Learner: learner.New(linear.UCB{}, gaussianTree()), Epsilon: epsilon}, Budget: half, Freeze: true}
		m := budgeted(t, of, problem, 100)
		if c := privacy.ClaimOf(m); !(c.Epsilon() <= half.Epsilon*(1+1e-12)) || c.Epsilon() < epsilon*(1-1e-3) {
			t.Errorf("actions of %v: claims epsilon = %v on a budget of %v", epsilon, c.Epsilon(), half.Epsilon)
		}
		paid[epsilon] = m.Paid()
	}
	if !(paid[0.1] > paid[0.8] && paid[0.8] > paid[1.5] && paid[1.5] == 0) {
		t.Errorf("rounds paid: %v", paid)
	}
}
