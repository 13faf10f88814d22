package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// replaceWeights is the relation that tallies protect. The weights of the arms that the round does not show are part of the record.
var replaceWeights = privacy.Neighbours{Relation: privacy.Replace, Record: "round's weights", Contributions: 1}

// adaptive is the condition of a tally's claim on who chooses the arms.
const adaptive = "the arms of a round depend on earlier releases, and not on its weights"

// tallied is what the tallies share: the admission of records, and the count of each arm's observations.
type tallied struct {
	setup   privacy.TallySetup
	seen    []int // observations of each arm
	mark    []int // by arm, the last record that named it, as a number of its own
	turn    int   // number of the last mark
	count   int   // records admitted since Reset
	clipped int
}

// init validates, and checks that so many numbers an arm fit into memory, which the caller is about to make.
func (t *tallied) init(s privacy.TallySetup, numbers float64) error {
	*t = tallied{} // no record is taken until all is well
	if err := s.Validate(); err != nil {
		return err
	}
	if n := float64(s.Horizon) + 1; math.IsInf((s.Hi-s.Lo)*n, 0) {
		return fmt.Errorf("mechanism: TallySetup.Lo = %v, Hi = %v, want a sum of %g weights finite", s.Lo, s.Hi, n)
	}
	if err := size.Check(fmt.Sprintf("mechanism: TallySetup.Arms = %d", s.Arms), (numbers+2)*float64(s.Arms)); err != nil {
		return err
	}
	*t = tallied{setup: s, seen: make([]int, s.Arms), mark: make([]int, s.Arms)}
	return nil
}

func (t *tallied) reset() {
	clear(t.seen)
	t.count, t.clipped = 0, 0
}

// records returns the number of records that are taken at most.
func (t *tallied) records() uint {
	if t.setup.WarmUp {
		return uint(t.setup.Horizon) + 1
	}
	return uint(t.setup.Horizon)
}

// warm reports that the next record is the warm-up.
func (t *tallied) warm() bool { return t.setup.WarmUp && t.count == 0 }

// admit checks a record and counts it and its clipped weights.
func (t *tallied) admit(arms []int, weights []float64) error {
	most := t.setup.Slots
	if t.warm() {
		most = t.setup.Arms
	}
	switch {
	case t.seen == nil:
		return errInit
	case uint(t.count) >= t.records():
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
	return nil
}

// over returns a weight, clipped, less Lo: sums of these, in [0, Hi - Lo], lose no digits to an offset of the weights.
func (t *tallied) over(weight float64) float64 {
	return min(max(weight, t.setup.Lo), t.setup.Hi) - t.setup.Lo
}

// Clipped returns how many weights were clipped since Reset.
func (t *tallied) Clipped() int { return t.clipped }
