package mechanism

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Counts releases the exact mean of all observations of an arm: OMM or CUCB over it is the non-private learner. It has no noise and no privacy. Means are in units of
// the weights.
type Counts struct {
	tallied
	sums []float64 // of weights less Lo
}

var _ privacy.Tally = (*Counts)(nil)

// Init validates and allocates.
func (c *Counts) Init(s privacy.TallySetup) error {
	if err := c.tallied.init(s, 1); err != nil {
		return err
	}
	c.sums = make([]float64, s.Arms)
	return nil
}

// Reset forgets the data.
func (c *Counts) Reset(*privacy.Noise) {
	c.tallied.reset()
	clear(c.sums)
}

// Add takes in a record, and changes the estimate of each of its arms.
func (c *Counts) Add(arms []int, weights []float64) (released bool, err error) {
	if err := c.admit(arms, weights); err != nil {
		return false, err
	}
	for i, arm := range arms {
		c.sums[arm] += c.over(weights[i])
		c.seen[arm]++
	}
	return len(arms) > 0, nil
}

// Estimate returns the mean of an arm's observations.
func (c *Counts) Estimate(arm int) privacy.Estimate {
	n := c.seen[arm]
	if n == 0 {
		return privacy.Estimate{}
	}
	return privacy.Estimate{Mean: c.setup.Lo + c.sums[arm]/float64(n), Count: n}
}

// Claim claims nothing: epsilon is infinite.
func (c *Counts) Claim() privacy.Claim {
	return privacy.Claim{
		Model: privacy.Central, Neighbours: replaceWeights,
		Nominal: privacy.Budget{Epsilon: math.Inf(1)}, Epsilon: math.Inf(1),
		Source: "none: the means are released as they are",
	}
}

// Draws returns none.
func (c *Counts) Draws() []privacy.Draws { return nil }
