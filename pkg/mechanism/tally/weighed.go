package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// weighed is the part that all runs over weights of arms share: it checks records and counts them.
type weighed struct {
	setup   privacy.Setup
	mark    []int // by arm, the turn of the last record that named it
	turn    int   // the number of the record that is checked, for mark
	count   int   // records taken
	clipped int
}

func newWeighed(s privacy.Setup) weighed { return weighed{setup: s, mark: make([]int, s.Arms)} }

// warm reports whether the next record is the warm-up.
func (t *weighed) warm() bool { return t.setup.WarmUp && t.count == 0 }

// check returns an error unless the record's arms and weights can be taken. It counts nothing.
func (t *weighed) check(rec *privacy.Record) error {
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
	return nil
}

// take counts a record that was checked, and its clipped weights.
func (t *weighed) take(rec *privacy.Record) {
	for _, w := range rec.Y {
		if w < t.setup.Lo || w > t.setup.Hi {
			t.clipped++
		}
	}
	t.count++
}

// clip returns a weight that is moved into [Lo, Hi].
func (t *weighed) clip(weight float64) float64 { return min(max(weight, t.setup.Lo), t.setup.Hi) }

// over returns a clipped weight less Lo. Sums of these numbers in [0, Hi - Lo] lose no digits to a
// large Lo.
func (t *weighed) over(weight float64) float64 { return t.clip(weight) - t.setup.Lo }

// Clipped returns how many weights were clipped.
func (t *weighed) Clipped() int { return t.clipped }
