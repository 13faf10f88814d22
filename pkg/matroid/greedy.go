package matroid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Greedy finds a basis of greatest weight (Edmonds 1971; Kveton, Wen, Ashkan, Eydgahi, Eriksson
// 2014, Algorithm 1).
//
// It goes through the elements by decreasing weight and takes each one that keeps the set
// independent, until there are Rank of them. A negative weight does not end the search: the result
// is always a full basis. Ties go to the lowest index, so the basis is a function of the weights.
// Weights may be +Inf or -Inf; a learner gives +Inf to an arm that it has not seen yet.
//
// Greedy is made for repeated calls, as a bandit makes them. If the weights have moved little since
// the last call, it repairs the last order by insertion and grows the set anew from the first
// position that changed, or not at all if that comes after the last element taken. Otherwise it
// distributes the weights over buckets and sorts those. A call costs O(L) for most weights and O(L
// log L) at worst, plus the questions to the Builder, and does not allocate.
//
// It must not be used by several goroutines at once.
type Greedy struct {
	size, rank int
	b          Builder
	elements   []int    // elements that are no loops
	order      []ranked // the same elements, in the order of the last call
	basis      []int    // result of the last call
	position   []int    // by place in basis, its place in order
	asked      bool     // whether there was a call

	spare  []ranked
	bucket []int         // by position in a part, its bucket
	end    [levels][]int // by bucket, where its next element goes
}

// NewGreedy returns the greedy algorithm on the matroid m.
func NewGreedy(m Matroid) *Greedy {
	g := &Greedy{size: m.Size(), b: m.NewBuilder()}
	for e := range g.size {
		g.b.Clear()
		if g.b.Add(e) {
			g.elements, g.order = append(g.elements, e), append(g.order, ranked{e: e})
		}
	}
	g.rank = min(max(0, m.Rank()), len(g.order)) // which is m.Rank() if m is a matroid
	g.spare, g.bucket = make([]ranked, len(g.order)), make([]int, len(g.order))
	for level := range g.end {
		g.end[level] = make([]int, len(g.order))
	}
	g.basis, g.position = make([]int, 0, g.rank), make([]int, 0, g.rank)
	return g
}

// Basis appends a basis of greatest weight to dst, by decreasing weight, and returns the extended
// slice. It panics if there is not one weight for each element, or if the weight of an element that
// is no loop is NaN. Both are a learner's mistakes, for which no basis is right.
func (g *Greedy) Basis(weights []float64, dst []int) []int {
	if len(weights) != g.size {
		panic(fmt.Sprintf("matroid: Greedy.Basis of %d weights, want %d", len(weights), g.size))
	}
	from := g.sort(weights)
	if !g.asked {
		g.asked, from = true, 0
	}
	keep := len(g.basis)
	for keep > 0 && g.position[keep-1] >= from {
		keep--
	}
	if keep < g.rank && from < len(g.order) {
		g.grow(keep, from)
	}
	return append(dst, g.basis...)
}

// grow keeps the given number of elements of the last basis and looks for the others from a
// position of the order onwards.
func (g *Greedy) grow(keep, from int) {
	g.b.Clear()
	g.basis, g.position = g.basis[:keep], g.position[:keep]
	for _, e := range g.basis {
		g.b.Add(e)
	}
	for i := from; i < len(g.order) && len(g.basis) < g.rank; i++ {
		if e := g.order[i].e; g.b.Add(e) {
			g.basis, g.position = append(g.basis, e), append(g.position, i)
		}
	}
}

// sort puts the elements in order and returns the first position whose element may have changed.
func (g *Greedy) sort(weights []float64) (from int) {
	order := g.order
	descents := 0 // how often a greater weight follows a smaller one in the last order
	before := math.Inf(1)
	for i := range order {
		r := &order[i]
		r.w = weights[r.e]
		if r.w != r.w {
			panic(fmt.Sprintf("matroid: Greedy.Basis with weights[%d] = NaN", r.e))
		}
		if r.w > before {
			descents++
		}
		before = r.w
	}
	if len(order) <= few {
		from, _ = insertion(order, math.MaxInt)
		return from
	}
	if descents <= len(order)/8 {
		if from, ok := insertion(order, 8*len(order)); ok {
			return from
		}
	}
	for i, e := range g.elements {
		order[i] = ranked{w: weights[e], e: e}
	}
	g.distribute(order, 0)
	insertion(order, math.MaxInt)
	return 0
}

// few is the number of elements up to which insertion sort is as fast as anything.
const few = 20

// insertion sorts by insertion, in one pass if little is out of order. It returns the first
// position that changed. It gives up once it needs more than the given number of moves.
func insertion(order []ranked, moves int) (from int, ok bool) {
	from = len(order)
	for i := 1; i < len(order); i++ {
		r := order[i]
		j := i
		for ; j > 0 && r.before(order[j-1]); j-- {
			order[j] = order[j-1]
		}
		if j == i {
			continue
		}
		order[j] = r
		from = min(from, j)
		if moves -= i - j; moves < 0 {
			return 0, false
		}
	}
	return from, true
}

// distribute sorts a part of the order, up to runs of at most few elements that it leaves unsorted.
//
// It divides the range from the greatest to the lowest weight into as many buckets of equal width
// as there are elements. A bucket's number, even rounded, does not decrease as the weight
// decreases, so elements are out of order only within a bucket. If a bucket has more than few
// elements, the weights are in clusters, and the bucket is distributed in its turn.
func (g *Greedy) distribute(part []ranked, level int) {
	n := len(part)
	low, high := part[0].w, part[0].w
	for _, r := range part {
		low, high = min(low, r.w), max(high, r.w)
	}
	scale := float64(n-1) / (high - low)
	if level == levels || !(scale > 0) || math.IsInf(scale, 1) { // infinite weights, or all the same
		slices.SortFunc(part, ranked.compare)
		return
	}
	end, bucket, spare := g.end[level][:n], g.bucket[:n], g.spare[:n]
	clear(end)
	for i, r := range part {
		k := int((high - r.w) * scale)
		bucket[i] = k
		end[k]++
	}
	sum := 0
	for k, c := range end {
		end[k] = sum
		sum += c
	}
	for i, r := range part {
		at := &end[bucket[i]]
		spare[*at] = r
		*at++
	}
	copy(part, spare)
	start := 0
	for _, to := range end {
		if to-start > few {
			g.distribute(part[start:to], level+1)
		}
		start = to
	}
}

// levels is the depth of buckets within buckets.
const levels = 3

// ranked is an element with its weight.
type ranked struct {
	w float64
	e int
}

func (r ranked) before(s ranked) bool { return r.w > s.w || r.w == s.w && r.e < s.e }

func (r ranked) compare(s ranked) int { return cmp.Or(cmp.Compare(s.w, r.w), cmp.Compare(r.e, s.e)) }
