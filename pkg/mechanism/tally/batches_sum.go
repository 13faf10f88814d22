package tally

import (
	"errors"
	"fmt"
)

// Missing returns the number of observations until an arm's batch is full. If no batch is open, it
// opens the next one and fixes its length. It returns 0 for an arm outside of [0, Setup.Arms),
// and without lengths.
func (b *batchesRun) Missing(arm int) int {
	if uint(arm) >= uint(len(b.seen)) || b.rule == nil {
		return 0
	}
	if b.left[arm] == 0 {
		b.open(arm)
	}
	return b.left[arm]
}

// AddSum adds the sum of n records of one arm each, which may fill its batch. The records' weights
// must be in [Lo, Hi]: a sum cannot be clipped as they can. The plan says so from then on.
func (b *batchesRun) AddSum(arm, n int, sum float64) (moved bool, err error) {
	s := &b.setup
	switch {
	case s.Slots != 1 || b.warm():
		return false, errors.New("mechanism: a sum of records, want records of one arm and no warm-up")
	case arm < 0 || arm >= s.Arms:
		return false, fmt.Errorf("mechanism: arm %d, want in [0, %d)", arm, s.Arms)
	case n < 1 || n > b.Missing(arm):
		return false, fmt.Errorf("mechanism: a sum of %d records of arm %d, want in [1, %d], until its batch is full", n, arm, b.Missing(arm))
	case uint(n) > mostRecords(b.setup)-uint(b.count):
		return false, fmt.Errorf("mechanism: %d records beyond the horizon of %d: their release would cost privacy that was not accounted", n, s.Horizon)
	case !(sum >= float64(n)*s.Lo && sum <= float64(n)*s.Hi):
		return false, fmt.Errorf("mechanism: a sum of %v over %d weights in [%v, %v]", sum, n, s.Lo, s.Hi)
	}
	b.summed = true
	b.count += n
	b.seen[arm] += n
	b.means.Records, b.means.Changed = b.count, b.means.Changed[:0]
	b.sums[arm] += sum - float64(float64(n)*s.Lo)
	if b.left[arm] -= n; b.left[arm] > 0 {
		return false, nil
	}
	b.release(arm)
	return true, nil
}
