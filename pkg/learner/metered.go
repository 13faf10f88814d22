package learner

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Metered stops a private learner when a budget of its own is spent. The learner takes in as many
// rounds as the budget pays for, as computed from what its releases spend. It may have been
// calibrated for more rounds or for a larger epsilon. What a release spends does not depend on the
// data, so neither does the round in which the budget ends.
//
// When the budget ends, the run stops with an error that wraps account.ErrSpent. With Freeze the
// learner keeps playing by its last release and learns no more, which costs no privacy.
//
// If the learner wants a round 0 (bandit.Warmer), so does Metered. Round 0 is the first record that
// the budget pays for. Open refuses a budget that does not pay for it, as the learner could not
// begin.
type Metered struct {
	Learner bandit.Learner // has to hold a plan
	Budget  privacy.Budget // no default
	Freeze  bool
}

var _ bandit.Learner = Metered{}

// Open validates, opens the learner, and computes how many rounds the budget pays for. The result
// has a method Paid, which returns how many rounds that is.
func (m Metered) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := field.Check("learner: Metered.Learner", m.Learner); err != nil {
		return nil, err
	}
	if err := m.Budget.Validate(); err != nil {
		return nil, err
	}
	inner, err := m.Learner.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	if _, ok := inner.(privacy.Planner); !ok {
		return nil, errors.Join(bandit.Close(inner), fmt.Errorf("learner: Metered.Learner is a %T, want one that says what it spends (privacy.Planner)", m.Learner))
	}
	ready := &meteredCalibrated{inner: inner, of: p, budget: m.Budget, freeze: m.Freeze}
	if w, ok := inner.(bandit.Warmer); ok && w.WantsWarmUp() {
		ready.first = 1
	}
	ready.paid = horizon + ready.first
	if m.Budget.None() {
		return ready, nil
	}
	if err := ready.search(); err != nil {
		return nil, errors.Join(bandit.Close(inner), err)
	}
	return ready, nil
}

// meteredCalibrated is a [Metered] for a problem.
type meteredCalibrated struct {
	inner  bandit.Calibrated
	budget privacy.Budget
	freeze bool
	of     bandit.Problem
	first  int // records before round 1: 1 with a round 0
	paid   int // records that the budget pays for, with that of round 0
}

var (
	_ bandit.Warmer   = (*meteredCalibrated)(nil)
	_ privacy.Planner = (*meteredCalibrated)(nil)
)

// search computes how many records the budget pays for.
func (m *meteredCalibrated) search() error {
	if p := privacy.PlanOf(m.inner, privacy.All); !p.Held() {
		return fmt.Errorf("learner: Metered cannot account for its learner: %v", p.Event())
	}
	var failed error
	m.paid = sort.Search(m.paid, func(n int) bool {
		epsilon, _, err := m.cost(n + 1)
		if err != nil {
			failed = err
		}
		// L parts of epsilon/L may add up to a little more
		return err != nil || epsilon > m.budget.Epsilon*(1+1e-12)
	})
	// what is shown without any record taken in, such as the action of a round
	action, _, err := m.cost(0)
	switch {
	case err != nil || action > m.budget.Epsilon*(1+1e-12):
		return fmt.Errorf("learner: Metered.Budget = %v does not pay for the actions of its learner: want epsilon >= %.4g", m.budget, action)
	case failed != nil:
		return fmt.Errorf("learner: Metered cannot account for its learner: %w", failed)
	case m.paid < m.first:
		epsilon, _, _ := m.cost(1) // the search has seen that this can be accounted
		return fmt.Errorf("learner: Metered.Budget = %v does not pay for round 0, which its learner wants: want epsilon >= %.4g", m.budget, epsilon)
	}
	return nil
}

// Paid returns how many rounds the budget pays for, at most the horizon. Round 0, which it pays for
// too, is not counted.
func (m *meteredCalibrated) Paid() int { return m.paid - m.first }

// WantsWarmUp reports whether the learner wants a round 0.
func (m *meteredCalibrated) WantsWarmUp() bool { return m.first > 0 }

// Plan returns the learner's plan, cut to the records that the budget pays for.
func (m *meteredCalibrated) Plan(records int) privacy.Plan {
	return m.cut(m.inner, records).HeldBy(m)
}

// cut returns the plan of the learner, or of a run of it, for the records that are paid for.
func (m *meteredCalibrated) cut(of any, records int) privacy.Plan {
	p := privacy.PlanOf(of, min(records, m.paid))
	if !m.budget.None() {
		p.Asked = m.budget
	}
	return p
}

// cost returns the epsilon, at the budget's delta, that the learner's releases spend on so many
// records.
func (m *meteredCalibrated) cost(records int) (epsilon float64, by string, err error) {
	return account.Tightest(privacy.PlanOf(m.inner, records).Event(), m.budget.Delta)
}

// Close closes the learner, if it is to be closed.
func (m *meteredCalibrated) Close() error { return bandit.Close(m.inner) }

// Start begins a run.
func (m *meteredCalibrated) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &meteredRun{meteredCalibrated: m, run: m.inner.Start(own, noise)}
}

// meteredRun is a run of a Metered.
type meteredRun struct {
	*meteredCalibrated
	run     bandit.Run
	records int // taken in
	frozen  int // rounds since the budget ended
}

// WarmUp hands the rewards of round 0 to the learner.
func (m *meteredRun) WarmUp(y []float64) error {
	if m.first == 0 {
		return fmt.Errorf("learner: a warm-up round for a %T that wants none", m.run)
	}
	m.records++
	return warmUp(m.run, y)
}

// warmUp hands the rewards of round 0 to a run.
func warmUp(run bandit.Run, y []float64) error {
	w, ok := run.(bandit.Warmed)
	if !ok {
		return fmt.Errorf("learner: a %T takes in no round 0, which its learner wants", run)
	}
	return w.WarmUp(y)
}

// Select appends the learner's arms.
func (m *meteredRun) Select(v *bandit.View, dst []int) ([]int, error) { return m.run.Select(v, dst) }

// Explain appends what the learner chooses by, if it shows that.
func (m *meteredRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return bandit.Explain(m.run, v, dst)
}

// Update hands the rewards to the learner as long as the budget pays for them.
func (m *meteredRun) Update(v *bandit.View, arms []int, y []float64) error {
	switch {
	case m.records < m.paid:
		m.records++ // also if it is refused: what an error shows is paid for
		return m.run.Update(v, arms, y)
	case m.freeze:
		if !v.Fits(&m.of) {
			return checks.InRound(v.Round, m.of.CheckView(v))
		}
		if err := m.of.CheckArms(v, arms, y); err != nil {
			return checks.InRound(v.Round, err)
		}
		if !packed.Finite(y) {
			return checks.InRound(v.Round, fmt.Errorf("rewards of %v, want finite", slices.Clone(y)))
		}
		m.frozen++
		return nil
	}
	return checks.InRound(v.Round, fmt.Errorf("%w: %v pays for %d rounds", account.ErrSpent, m.budget, m.Paid()))
}

// Released appends what the learner's statistic shows, as PrivateRun.Released does.
func (m *meteredRun) Released(dst []float64) ([]float64, error) { return released(m.run, dst) }

// Warnings returns the learner's warnings and the number of rounds played after the budget was
// spent.
func (m *meteredRun) Warnings() []bandit.Warning {
	w := bandit.Warnings(m.run)
	if m.frozen > 0 {
		w = append(w, bandit.Warning{What: "rounds played by the last release, as the budget was spent", Count: m.frozen})
	}
	return w
}

// Plan returns the learner's plan, with the draws of this run.
func (m *meteredRun) Plan(records int) privacy.Plan { return m.cut(m.run, records).HeldBy(m) }

// Close closes the learner's run, if it is to be closed.
func (m *meteredRun) Close() error { return bandit.Close(m.run) }

// Check compares noise that the learner drew from the operating system with its plan.
func (m *meteredRun) Check() error { return checkSystem(m.run) }
