package arms

import "math"

// evidence finds the arm with the least of indices that grow with the best mean, as those of IMED
// and TargetIMED do, without computing all of them.
//
// A lap lasts while the best mean stays above a floor a little below it. When it begins, the
// indices for the floor are put into a heap: they bound the arms' own from below. Then only those
// arms are looked at whose bound is not above the least index found so far. Laps grow longer, as
// the floor is put lower, while looking costs less than beginning.
type evidence struct {
	means  ranking
	bounds ranking // minus a lower bound of the index
	floor  float64
	below  float64 // by how much the floor is below the best mean; 0: there is no lap yet
	work   int     // arms looked at in the lap

	by    indexer
	best  float64
	but   int32 // the arm that is left out
	arm   int32
	least float64
}

// indexer knows the arms' indices.
type indexer interface {
	index(arm int, best float64) float64 // an arm's index for a best mean
	bound(arm int, best float64) float64 // not above it, nor above the index for a larger best mean
}

// newEvidence allocates. All means are 0.
func newEvidence(arms int) evidence {
	return evidence{means: newRanking(arms), bounds: newRanking(arms)}
}

// first returns the arm other than but with the least index, ties to the lowest arm, and that
// index. There may be none: -1, +Inf. changed lists the arms whose index or mean has changed since
// the last call.
func (e *evidence) first(changed []int, but int, by indexer) (arm int, least float64) {
	e.by, e.best = by, e.means.largest()
	if e.below == 0 || e.best < e.floor || e.work > 4*len(e.means.of) {
		e.begin()
	} else {
		for _, a := range changed {
			e.bounds.set(a, -e.by.bound(a, e.floor))
		}
	}
	e.but, e.arm, e.least = int32(but), -1, math.Inf(1)
	e.look(0)
	e.by = nil
	return int(e.arm), e.least
}

// begin begins a lap.
func (e *evidence) begin() {
	switch n := len(e.means.of); {
	case e.below == 0:
		e.below = 0x1p-10
	case e.work < n:
		e.below = min(2*e.below, 1)
	case e.work > 2*n:
		e.below = max(e.below/2, 0x1p-40)
	}
	e.floor, e.work = e.best-e.below, 0
	for a := range e.bounds.of {
		e.bounds.of[a] = -e.by.bound(a, e.floor)
	}
	e.bounds.order()
}

// look looks at the arm at a place of the heap and at those below it.
func (e *evidence) look(i int) {
	for i < len(e.bounds.heap) {
		a := e.bounds.heap[i]
		if -e.bounds.of[a] > e.least {
			return
		}
		e.work++
		if a != e.but {
			if x := e.by.index(int(a), e.best); x < e.least || x == e.least && a < e.arm {
				e.arm, e.least = a, x
			}
		}
		e.look(2*i + 1)
		i = 2*i + 2
	}
}
