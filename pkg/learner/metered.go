package learner

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/owned"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Metered stops a private learner when a budget of its own is spent. The learner takes in as many
// rounds as the budget pays for, as computed from what its releases spend. It may have been
// calibrated for more rounds or for a larger epsilon. What a release spends does not depend on the
// data, so neither does the round in which the budget ends.
//
// When the budget ends, the run stops with an error that wraps privacy.ErrSpent. With Freeze the
// learner keeps playing by its last release and learns no more, which costs no privacy.
//
// If the learner wants a round 0 (bandit.Warmer), so does Metered. Round 0 is the first record that
// the budget pays for. Init refuses a budget that does not pay for it, as the learner could not
// begin.
type Metered struct {
	// Learner describes the learner, which has to hold a plan. Init makes a copy that nobody else can
	// feed.
	Learner bandit.Learner
	Budget  privacy.Budget // no default
	Freeze  bool

	bandit.Base
	learner bandit.Learner // a copy of Learner, and the other fields, as they were in Init
	budget  privacy.Budget
	freeze  bool
	warmer  bandit.Warmer // the learner, if it wants a round 0
	paid    int           // records that the budget pays for, with that of round 0
	records int           // records taken in
	frozen  int           // rounds since the budget ended
}

var (
	_ bandit.Warmer   = (*Metered)(nil)
	_ privacy.Planner = (*Metered)(nil)
)

// Init validates, initialises the learner, and computes how many rounds the budget pays for.
func (m *Metered) Init(p bandit.Problem, horizon int) error {
	if _, ok := m.Learner.(privacy.Planner); !ok {
		return fmt.Errorf("learner: Metered.Learner is a %T, want one that says what it spends (privacy.Planner)", m.Learner)
	}
	if err := field.Check("learner: Metered.Learner", m.Learner); err != nil {
		return err
	}
	if err := m.Budget.Validate(); err != nil {
		return err
	}
	inner := owned.Copy(m.Learner)
	if err := inner.Init(p, horizon); err != nil {
		return err
	}
	m.learner, m.budget, m.freeze, m.warmer = inner, m.Budget, m.Freeze, nil
	if w, ok := inner.(bandit.Warmer); ok && w.WantsWarmUp() {
		m.warmer = w
	}
	if m.paid = horizon + m.first(); m.budget.None() {
		return nil
	}
	if p := privacy.PlanOf(m.learner, privacy.All); !p.Held() {
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
	case m.paid < m.first():
		epsilon, _, _ := m.cost(1) // the search has seen that this can be accounted
		return fmt.Errorf("learner: Metered.Budget = %v does not pay for round 0, which its learner wants: want epsilon >= %.4g", m.budget, epsilon)
	}
	return nil
}

// first returns the number of records before round 1.
func (m *Metered) first() int {
	if m.warmer != nil {
		return 1
	}
	return 0
}

// Paid returns how many rounds the budget pays for, at most the horizon. Round 0, which it pays for
// too, is not counted.
func (m *Metered) Paid() int { return m.paid - m.first() }

// WantsWarmUp reports whether the learner wants a round 0.
func (m *Metered) WantsWarmUp() bool { return m.warmer != nil }

// WarmUp hands the rewards of round 0 to the learner.
func (m *Metered) WarmUp(y []float64) {
	if m.warmer == nil {
		m.Fail(fmt.Errorf("learner: a warm-up round for a %T that wants none", m.learner))
		return
	}
	m.records++
	m.warmer.WarmUp(y)
}

// Reset resets the learner and the meter.
func (m *Metered) Reset(own *rand.Rand, noise rand.Source) {
	m.Clear()
	m.records, m.frozen = 0, 0
	m.learner.Reset(own, noise)
}

// Select appends the learner's arms.
func (m *Metered) Select(v *bandit.View, dst []int) []int { return m.learner.Select(v, dst) }

// Update hands the rewards to the learner as long as the budget pays for them.
func (m *Metered) Update(v *bandit.View, arms []int, y []float64) {
	switch {
	case m.records < m.paid:
		m.records++
		m.learner.Update(v, arms, y)
	case m.freeze:
		m.frozen++
	default:
		m.Fail(fmt.Errorf("learner: round %d: %w: %v pays for %d rounds", v.Round, privacy.ErrSpent, m.budget, m.Paid()))
	}
}

// Err returns the learner's error, or the error that the budget is spent.
func (m *Metered) Err() error {
	if err := m.learner.Err(); err != nil {
		return err
	}
	return m.Base.Err()
}

// Released appends what the learner's statistic shows, as Private.Released does.
func (m *Metered) Released(dst []float64) ([]float64, error) { return released(m.learner, dst) }

// Warnings returns the learner's warnings and the number of rounds played after the budget was
// spent.
func (m *Metered) Warnings() []bandit.Warning {
	w := m.learner.Warnings()
	if m.frozen > 0 {
		w = append(w, bandit.Warning{What: "rounds played by the last release, as the budget was spent", Count: m.frozen})
	}
	return w
}

// Plan returns the learner's plan, cut to the records that the budget pays for.
func (m *Metered) Plan(records int) privacy.Plan {
	p := privacy.PlanOf(m.learner, min(records, m.paid))
	if !m.budget.None() {
		p.Asked = m.budget
	}
	return p.HeldBy(m)
}

// cost returns the epsilon, at the budget's delta, that the learner's releases spend on so many
// records.
func (m *Metered) cost(records int) (epsilon float64, by string, err error) {
	return privacy.Tightest(privacy.PlanOf(m.learner, records).Event(), m.budget.Delta)
}

// Check compares noise that the learner drew from the operating system with its plan.
func (m *Metered) Check() error { return checkSystem(m.learner) }
