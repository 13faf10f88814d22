package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// replaceWeights is the neighbouring relation that tallies protect. The weights of the arms that
// the round does not show are part of the record.
var replaceWeights = privacy.Neighbours{Relation: privacy.Replace, Record: "round's weights", Contributions: 1}

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

// curator returns the plan of a curator of weights, without its releases.
func curator(s privacy.Setup, asked privacy.Budget, source string) privacy.Plan {
	return central(replaceWeights, asked, source, fmt.Sprintf("weights clipped to [%v, %v] inside the mechanism", s.Lo, s.Hi), adaptive)
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
	setup   privacy.Setup
	seen    []int // observations of each arm
	mark    []int // by arm, the turn of the last record that named it
	turn    int   // the number of the current record, for mark
	count   int   // records admitted
	clipped int
	means   privacy.Means
}

func newTallied(s privacy.Setup) tallied {
	return tallied{setup: s, seen: make([]int, s.Arms), mark: make([]int, s.Arms),
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

// warm reports whether the next record is the warm-up.
func (t *tallied) warm() bool { return t.setup.WarmUp && t.count == 0 }

// admit checks a record, counts it and counts its clipped weights.
func (t *tallied) admit(rec *privacy.Record) error {
	arms, weights := rec.Arms, rec.Y
	most := t.setup.Slots
	if t.warm() {
		most = t.setup.Arms
	}
	switch {
	case uint(t.count) >= mostRecords(t.setup):
		return fmt.Errorf("mechanism: a record beyond the horizon of %d: its release would cost privacy that was not accounted", t.setup.Horizon)
	case len(arms) != len(weights):
		return fmt.Errorf("mechanism: a record of %d arms and %d weights, want as many", len(arms), len(weights))
	case len(arms) > most:
		return fmt.Errorf("mechanism: a record of %d arms, want <= %d", len(arms), most)
	}
	t.turn++
	for i, arm := range arms {
		switch {
		case arm < 0 || arm >= t.setup.Arms:
			return fmt.Errorf("mechanism: arm %d, want in [0, %d)", arm, t.setup.Arms)
		case t.mark[arm] == t.turn:
			return fmt.Errorf("mechanism: arm %d twice in a record, want once", arm)
		case math.IsNaN(weights[i]) || math.IsInf(weights[i], 0):
			return fmt.Errorf("mechanism: weight %v of arm %d, want finite", weights[i], arm)
		}
		t.mark[arm] = t.turn
	}
	for _, w := range weights {
		if w < t.setup.Lo || w > t.setup.Hi {
			t.clipped++
		}
	}
	t.count++
	t.means.Records = t.count
	t.means.Changed = t.means.Changed[:0]
	return nil
}

// over returns a clipped weight less Lo. Sums of these numbers in [0, Hi - Lo] lose no digits to a
// large Lo.
func (t *tallied) over(weight float64) float64 {
	return min(max(weight, t.setup.Lo), t.setup.Hi) - t.setup.Lo
}

// Clipped returns how many weights were clipped.
func (t *tallied) Clipped() int { return t.clipped }
