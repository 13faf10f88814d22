package arms

// ranking is a binary heap of all arms with the largest number first, ties to the lowest arm.
type ranking struct {
	of    []float64 // by arm, its number
	heap  []int32   // arms
	place []int32   // of each arm in the heap
}

// newRanking allocates. All numbers are 0.
func newRanking(arms int) ranking {
	r := ranking{make([]float64, arms), make([]int32, arms), make([]int32, arms)}
	r.order()
	return r
}

// order makes the heap anew, after numbers were written.
func (r *ranking) order() {
	for a := range r.heap {
		r.heap[a], r.place[a] = int32(a), int32(a)
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.down(i)
	}
}

// set changes an arm's number.
func (r *ranking) set(arm int, number float64) {
	r.of[arm] = number
	r.down(r.up(int(r.place[arm])))
}

// largest returns the largest number.
func (r *ranking) largest() float64 { return r.of[r.heap[0]] }

// before reports whether an arm comes before another one.
func (r *ranking) before(a, b int32) bool {
	return r.of[a] > r.of[b] || r.of[a] == r.of[b] && a < b
}

// up moves an arm to where no arm above it comes after it, and returns that place.
func (r *ranking) up(i int) int {
	a := r.heap[i]
	for i > 0 && r.before(a, r.heap[(i-1)/2]) {
		r.put(i, r.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	r.put(i, a)
	return i
}

// down moves an arm to where no arm below it comes before it.
func (r *ranking) down(i int) {
	a := r.heap[i]
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			break
		}
		if child+1 < len(r.heap) && r.before(r.heap[child+1], r.heap[child]) {
			child++
		}
		if r.before(a, r.heap[child]) {
			break
		}
		r.put(i, r.heap[child])
		i = child
	}
	r.put(i, a)
}

func (r *ranking) put(i int, arm int32) { r.heap[i], r.place[arm] = arm, int32(i) }
