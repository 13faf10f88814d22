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
type Metered struct {
	Learner bandit.Learner // a privacy.Meter
	Budget  privacy.Budget // no default
	Freeze  bool

	bandit.Base
	meter   privacy.Meter
	paid    int // records that the budget pays for
	records int // records taken in
	frozen  int // rounds since the budget ended
}

var (
	_ bandit.Learner   = (*Metered)(nil)
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
	m.meter = meter
	if m.paid = horizon; m.Budget.None() {
		return nil
	}
	var failed error
	m.paid = sort.Search(horizon, func(n int) bool {
		epsilon, _, err := privacy.Tightest(meter.Spent(n+1), m.Budget.Delta)
		if err != nil {
			failed = err
		}
		return err != nil || epsilon > m.Budget.Epsilon
	})
	if failed != nil {
		return fmt.Errorf("learner: Metered cannot account for its learner: %w", failed)
	}
	return nil
}

// Paid returns how many rounds the budget pays for, at most the horizon.
func (m *Metered) Paid() int { return m.paid }

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
		m.Fail(fmt.Errorf("learner: round %d: %w: %v pays for %d rounds", v.Round, privacy.ErrSpent, m.Budget, m.paid))
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
	if m.Budget.None() {
		return c
	}
	c.Nominal, c.Event = m.Budget, m.Spent(m.paid)
	c.Epsilon, _, _ = privacy.Tightest(c.Event, m.Budget.Delta) // Init has seen that this can be accounted
	return c
}

// Spent returns what the learner's releases after a number of records spend.
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
