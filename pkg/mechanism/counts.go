package mechanism

import (
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Counts releases the exact mean of all observations of an arm, without noise or privacy.
//
// OMM or CUCB over Counts is the non-private learner. Means are in the units of the weights.
type Counts struct {
	tallied
	sums []float64 // by arm, the sum of weights less Lo
}

var _ privacy.Tally = (*Counts)(nil)

// Init validates and allocates.
func (c *Counts) Init(s privacy.Setup) error {
	return c.init(s, 1, func() error {
		c.sums = make([]float64, s.Arms)
		return nil
	})
}

// Reset forgets the data.
func (c *Counts) Reset(*privacy.Noise) {
	c.tallied.reset()
	clear(c.sums)
}

// Add adds a record and changes the estimate of each of its arms. moved reports whether it has any.
func (c *Counts) Add(rec *privacy.Record) (moved bool, err error) {
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
func (c *Counts) Plan(int) privacy.Plan { return privacy.NoPlan("the means are released as they are") }
