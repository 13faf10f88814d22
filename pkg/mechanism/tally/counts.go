package tally

import (
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Counts releases the exact mean of all observations of an arm, without noise or privacy.
//
// OMM or CUCB over Counts is the non-private learner. Means are in the units of the weights.
type Counts struct{}

var _ privacy.Tally = Counts{}

// counts is Counts for a setup.
type counts struct{ data privacy.Setup }

// countsRun is a run of Counts.
type countsRun struct {
	*counts
	tallied
	sums []float64 // by arm, the sum of weights less Lo
}

// Open validates the setup.
func (Counts) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 1); err != nil {
		return nil, err
	}
	return &counts{s}, nil
}

// Start begins a run. It takes no noise.
func (c *counts) Start(*privacy.Noise) privacy.Stream[privacy.Means] {
	return &countsRun{c, newTallied(c.data), make([]float64, c.data.Arms)}
}

// Add adds a record and changes the estimate of each of its arms. moved reports whether it has any.
func (c *countsRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := c.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		sum, n := c.sums[arm]+c.over(rec.Y[i]), c.seen[arm]+1
		c.sums[arm], c.seen[arm] = sum, n
		e := &c.means.Of[arm]
		e.Mean, e.Count = c.setup.Lo+sum/float64(n), n
	}
	c.changed(rec.Arms)
	return len(rec.Arms) > 0, nil
}

// Plan returns no plan, with the reason: Counts claims no privacy.
func (c *counts) Plan(int) privacy.Plan { return privacy.NoPlan("the means are released as they are") }
