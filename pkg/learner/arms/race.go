package arms

import (
	"math"
	"math/bits"
)

// race finds the arm with the largest index without computing all of them in each round.
//
// An arm's bound grows with time and changes otherwise only with its estimate. A lap is a number of
// rounds. When a lap begins, race computes the bounds that all arms will have at its end; during
// the lap no arm's bound is higher.
//
// With few arms, race keeps the best arm for as long as its bound is above what all others will
// have at the end of the lap. Then it computes all bounds again.
//
// With many arms, the bounds at the end are put into a heap. In a round only those arms are looked
// at whose bound at the end is not below the largest one found so far, nor equal to it for a higher
// arm. So a crowd of bounds at the top, as those of AdaP-KLUCB are all 1 at first, costs nothing.
// With K arms of nearly equal bounds, as UCB makes them, a lap of some sqrt(K) rounds costs O(K) to
// begin, and O(sqrt(K)) arms are looked at in each of its rounds. Laps grow as long as looking
// costs less than beginning.
type race struct {
	ends ranking // by bound at the end of the lap, plus slack; few arms have bounds without an order
	top  float64 // no bound is above this
	end  int     // the last round of the lap; 0: there is none
	log  float64 // its logarithm
	laps int     // length of a lap
	work int     // arms looked at in the lap

	x    index
	best int32
	lead float64 // its bound
	rest float64 // with few arms: no bound but the best arm's is above this until the lap ends
}

// few is the number of arms up to which there is no heap.
const few = 48

// slack limits how much rounding may lower a bound as time passes.
const slack = 0x1p-32

// newRace allocates. No lap has begun.
func newRace(arms int) race {
	r := race{ends: ranking{of: make([]float64, arms)}, top: math.Inf(1), laps: few}
	if arms > few {
		r.ends = newRanking(arms)
	}
	return r
}

// forget forgets the bounds: the next round begins a lap.
func (r *race) forget() { r.end, r.laps = 0, few }

// first returns the arm with the largest bound in a round, ties to the lowest index. changed lists
// the arms whose estimate has changed since the last call. Nothing else calls x.at.
func (r *race) first(arms int, changed []int, round int, x index) int {
	if arms <= few {
		if r.leads(changed, round, x) {
			return int(r.best)
		}
		return r.all(changed, round, x)
	}
	log := logarithm(round)
	if round > r.end || r.work > 4*arms {
		r.begin(round, x)
	} else if len(changed) > 0 {
		x.at(r.log)
		for _, a := range changed {
			r.ends.set(a, r.most(x, a))
		}
	}
	x.at(log)
	r.x, r.best, r.lead = x, r.ends.heap[0], x.bound(int(r.ends.heap[0]))
	r.look(1)
	r.look(2)
	r.x = nil
	return int(r.best)
}

// leads reports whether the best of few arms is still so: its bound, at an earlier time of the lap,
// is above those of the others at the end. Often it is, and takes no logarithm.
func (r *race) leads(changed []int, round int, x index) bool {
	return round <= r.end && (len(changed) == 0 || len(changed) == 1 && changed[0] == int(r.best)) && x.above(int(r.best), r.rest)
}

// all returns the best of few arms, all of which are looked at. A lap of about sqrt(t) rounds moves
// a bound by about as much as a reward does.
func (r *race) all(changed []int, round int, x index) int {
	if round > r.end {
		r.work, r.end = 0, round+1<<(bits.Len(uint(round))/2)
		r.log = logarithm(r.end)
		x.at(r.log)
		for a := range r.ends.of {
			r.ends.of[a] = x.bound(a)
		}
	} else {
		x.at(r.log)
		r.ends.of[r.best] = x.bound(int(r.best))
		for _, a := range changed {
			r.ends.of[a] = x.bound(a)
		}
	}
	x.at(logarithm(round))
	best, most := 0, x.bound(0)
	for a := 1; a < len(r.ends.of); a++ {
		if b := x.bound(a); b > most {
			best, most = a, b
		}
	}
	r.work += len(r.ends.of)
	r.best, r.rest = int32(best), math.Inf(-1)
	for a, end := range r.ends.of {
		if a != best {
			r.rest = max(r.rest, end+slack)
		}
	}
	return best
}

// begin begins a lap.
func (r *race) begin(round int, x index) {
	switch n := len(r.ends.heap); {
	case r.end == 0:
	case r.work < n:
		r.laps = min(2*r.laps, 1<<40)
	case r.work > 2*n:
		r.laps = max(r.laps/2, 1)
	}
	r.end, r.work = round+r.laps, 0
	r.log = logarithm(r.end)
	x.at(r.log)
	for a := range r.ends.of {
		r.ends.of[a] = r.most(x, a)
	}
	r.ends.order()
}

// most returns a number that an arm's bound is not above at the time of x or before.
func (r *race) most(x index, a int) float64 { return min(x.bound(a)+slack, r.top) }

// look looks at the arm at a place of the heap and at those below it.
func (r *race) look(i int) {
	for i < len(r.ends.heap) {
		a := r.ends.heap[i]
		if end := r.ends.of[a]; end < r.lead || end == r.lead && a > r.best {
			return
		}
		r.work++
		if b := r.x.bound(int(a)); b > r.lead || b == r.lead && a < r.best {
			r.best, r.lead = a, b
		}
		r.look(2*i + 1)
		i = 2*i + 2
	}
}
