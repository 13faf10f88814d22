package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// adaptive is the condition of a tally's claim that restricts how the arms are chosen.
const adaptive = "the arms of a round depend on earlier releases, and not on its weights"

// checkTally validates the setup of a tally, and checks that so many numbers per arm fit into
// memory.
func checkTally(s privacy.Setup, numbers float64) error {
	if err := s.CheckWeights(); err != nil {
		return err
	}
	if n := float64(s.Horizon) + 1; math.IsInf((s.Hi-s.Lo)*n, 0) {
		return fmt.Errorf("mechanism: Setup.Lo = %v, Hi = %v, want a sum of %g weights finite", s.Lo, s.Hi, n)
	}
	return size.Check(fmt.Sprintf("mechanism: Setup.Arms = %d", s.Arms), (numbers+8)*float64(s.Arms))
}

// ofWeights returns the plan of a curator of weights, without its releases.
func ofWeights(s privacy.Setup, asked privacy.Budget, source string) privacy.Plan {
	return curator.Central(privacy.ReplaceWeights, asked, source, fmt.Sprintf("weights clipped to [%v, %v] inside the mechanism", s.Lo, s.Hi), adaptive)
}

// mostRecords returns the largest number of records that a tally takes.
func mostRecords(s privacy.Setup) uint {
	if s.WarmUp {
		return uint(s.Horizon) + 1
	}
	return uint(s.Horizon)
}

// tallied is the part that the runs of all tallies share: it admits records and counts each arm's
// observations.
type tallied struct {
	weighed
	seen  []int // observations of each arm
	means privacy.Means
}

func newTallied(s privacy.Setup) tallied {
	return tallied{weighed: newWeighed(s), seen: make([]int, s.Arms),
		means: privacy.Means{Of: make([]privacy.Estimate, s.Arms), Changed: make([]int, 0, s.Arms)}}
}

// Release returns the arms' means as they were last released.
func (t *tallied) Release() *privacy.Means { return &t.means }

// change sets an arm's estimate and notes that it changed.
func (t *tallied) change(arm int, e privacy.Estimate) {
	t.means.Of[arm] = e
	t.means.Changed = append(t.means.Changed, arm)
}

// changed notes that all arms of a record changed.
func (t *tallied) changed(arms []int) { t.means.Changed = append(t.means.Changed, arms...) }

// admit checks a record, counts it and counts its clipped weights.
func (t *tallied) admit(rec *privacy.Record) error {
	if err := t.check(rec); err != nil {
		return err
	}
	t.take(rec)
	t.means.Records = t.count
	t.means.Changed = t.means.Changed[:0]
	return nil
}
