package learner

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Metered runs a private learner on a budget of its own: the learner takes in as many rounds as the budget pays for, by what
// its releases have spent so far, and no more. The learner may have been calibrated for more rounds, or for a larger epsilon; since what a release spends
// does not depend on the data, neither does the round in which the budget ends.
//
// When it ends the run stops: Err wraps privacy.ErrSpent. With Freeze the learner goes on instead, by its last release and without
// learning, which costs no privacy.
//
// If the learner wants a round 0 (bandit.Warmer), so does Metered. What it shows is the first record that the budget pays for, beside those of the rounds, and Init refuses a
// budget that does not pay for it: the learner could not begin.
type Metered struct {
	Learner bandit.Learner // a privacy.Meter
	Budget  privacy.Budget // no default
	Freeze  bool

	bandit.Base
	meter   privacy.Meter
	budget  privacy.Budget // as it was in Init
	warmer  bandit.Warmer  // the learner, if it wants a round 0
	paid    int            // records that the budget pays for, with that of round 0
	records int            // records taken in
	frozen  int            // rounds since the budget ended
}

var (
	_ bandit.Warmer    = (*Metered)(nil)
	_ privacy.Ledgered = (*Metered)(nil)
	_ privacy.Meter    = (*Metered)(nil)
)

// Init validates, initialises the learner, and computes how many rounds the budget pays for.
func (m *Metered) Init(p bandit.Problem, horizon int) error {
	meter, ok := m.Learner.(privacy.Meter)
	if !ok {
		return fmt.Errorf("learner: Metered.Learner is a %T, want one that says what it has spent (privacy.Meter)", m.Learner)
	}
	if err := m.Budget.Validate(); err != nil {
		return err
	}
	if err := m.Learner.Init(p, horizon); err != nil {
		return err
	}
	m.meter, m.budget, m.warmer = meter, m.Budget, nil
	if w, ok := m.Learner.(bandit.Warmer); ok && w.WantsWarmUp() {
		m.warmer = w
	}
	if m.paid = horizon + m.first(); m.budget.None() {
		return nil
	}
	var failed error
	m.paid = sort.Search(m.paid, func(n int) bool {
		epsilon, _, err := privacy.Tightest(meter.Spent(n+1), m.budget.Delta)
		if err != nil {
			failed = err
		}
		return err != nil || epsilon > m.budget.Epsilon*(1+1e-12) // L parts of epsilon/L may add up to a little more
	})
	switch {
	case failed != nil:
		return fmt.Errorf("learner: Metered cannot account for its learner: %w", failed)
	case m.paid < m.first():
		epsilon, _, _ := privacy.Tightest(meter.Spent(1), m.budget.Delta) // the search has seen that this can be accounted
		return fmt.Errorf("learner: Metered.Budget = %v does not pay for round 0, which its learner wants: want epsilon >= %.4g", m.budget, epsilon)
	}
	return nil
}

// first returns how many records there are before round 1.
func (m *Metered) first() int {
	if m.warmer != nil {
		return 1
	}
	return 0
}

// Paid returns how many rounds the budget pays for, at most the horizon; round 0, which it pays for too, does not count.
func (m *Metered) Paid() int { return m.paid - m.first() }

// WantsWarmUp reports whether the learner wants a round 0.
func (m *Metered) WantsWarmUp() bool { return m.warmer != nil }

// WarmUp hands the rewards of round 0 to the learner.
func (m *Metered) WarmUp(y []float64) {
	if m.warmer == nil {
		m.Fail(fmt.Errorf("learner: a warm-up round for a %T that wants none", m.Learner))
		return
	}
	m.records++
	m.warmer.WarmUp(y)
}

// Reset resets the learner and the meter.
func (m *Metered) Reset(own *rand.Rand, noise rand.Source) {
	m.Clear()
	m.records, m.frozen = 0, 0
	m.Learner.Reset(own, noise)
}

// Select appends the learner's arms.
func (m *Metered) Select(v *bandit.View, dst []int) []int { return m.Learner.Select(v, dst) }

// Update hands the rewards to the learner while the budget pays for it.
func (m *Metered) Update(v *bandit.View, arms []int, y []float64) {
	switch {
	case m.records < m.paid:
		m.records++
		m.Learner.Update(v, arms, y)
	case m.Freeze:
		m.frozen++
	default:
		m.Fail(fmt.Errorf("learner: round %d: %w: %v pays for %d rounds", v.Round, privacy.ErrSpent, m.budget, m.Paid()))
	}
}

// Err returns the learner's error, or the one that says that the budget is spent.
func (m *Metered) Err() error {
	if err := m.Learner.Err(); err != nil {
		return err
	}
	return m.Base.Err()
}

// Warnings returns the learner's, and the number of rounds played after the budget was spent.
func (m *Metered) Warnings() []bandit.Warning {
	w := m.Learner.Warnings()
	if m.frozen > 0 {
		w = append(w, bandit.Warning{What: "rounds played by the last release, as the budget was spent", Count: m.frozen})
	}
	return w
}

// Claim returns the learner's claim, cut to what the rounds that the budget pays for can spend; it is the learner's own on a budget without
// limit.
func (m *Metered) Claim() privacy.Claim {
	c := m.meter.Claim()
	if m.budget.None() {
		return c
	}
	c.Nominal, c.Event = m.budget, m.Spent(m.paid)
	c.Epsilon, _, _ = privacy.Tightest(c.Event, m.budget.Delta) // Init has seen that this can be accounted
	return c
}

// Spent returns what the learner's releases after a number of records spend, that of round 0 being the first if there is one.
func (m *Metered) Spent(records int) privacy.Event {
	if records = min(records, m.paid); records > 0 {
		return m.meter.Spent(records)
	}
	return privacy.GaussianEvent{} // no release
}

// Draws returns the learner's.
func (m *Metered) Draws() []privacy.Draws {
	if l, ok := m.Learner.(privacy.Ledgered); ok {
		return l.Draws()
	}
	return nil
}

// Check lets the learner compare noise of the system's with its claim.
func (m *Metered) Check() error { return checkSystem(m.Learner) }
