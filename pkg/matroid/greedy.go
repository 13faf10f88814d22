package matroid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Greedy finds a basis of greatest weight (Edmonds 1971; Kveton, Wen, Ashkan, Eydgahi, Eriksson 2014, Algorithm 1): it goes through the elements by decreasing weight and takes
// each that leaves the set independent, until there are Rank of them.
//
// A basis is full: negative weights do not end it. Ties go to the lowest index, so that the basis is a function of the weights.
// Weights may be infinite, of either sign; +Inf is what a learner gives an arm that it has not seen yet.
//
// It is made to be asked again and again, as a bandit does. Where the weights have moved a little since the last call, the last order is repaired by insertion, and the set is grown anew from the first
// position that changed, not at all if that comes after the last element taken. Else they are distributed over buckets and those sorted. So a call
// costs O(L) for most weights, O(L log L) at worst, and the questions to the Builder; it does not allocate. Not for several goroutines at once.
type Greedy struct {
	size, rank int
	b          Builder
	elements   []int    // those that are no loops
	order      []ranked // they, in the order of the last call
	basis      []int    // of the last call
	position   []int    // of its elements in order
	asked      bool     // there was one

	spare  []ranked
	bucket []int         // by position
	end    [levels][]int // by bucket, where its next element goes
}

// NewGreedy returns the greedy algorithm on m.
func NewGreedy(m Matroid) *Greedy {
	g := &Greedy{size: m.Size(), b: m.NewBuilder()}
	for e := range g.size {
		g.b.Clear()
		if g.b.Add(e) {
			g.elements, g.order = append(g.elements, e), append(g.order, ranked{e: e})
		}
	}
	g.rank = min(max(0, m.Rank()), len(g.order)) // as it is, if m is a matroid
	g.spare, g.bucket = make([]ranked, len(g.order)), make([]int, len(g.order))
	for level := range g.end {
		g.end[level] = make([]int, len(g.order))
	}
	g.basis, g.position = make([]int, 0, g.rank), make([]int, 0, g.rank)
	return g
}

// Basis appends a basis of greatest weight to dst, in the order of decreasing weight, and returns the extended slice. It panics if there is not one weight for each
// element, or if one of an element that is no loop is NaN: a learner's mistake, for which no basis is right.
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

// grow keeps the first elements of the last basis and looks for the others from a position of the order on.
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

// sort puts the elements in order and returns the first position whose element may not be the one that it was.
func (g *Greedy) sort(weights []float64) (from int) {
	order := g.order
	descents := 0 // how often a weight is followed by a greater one, in the last order
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

const few = 20 // elements, for which insertion sort is as fast as anything

// insertion sorts by insertion, which takes a pass if little is out of order, and returns the first position that changed. It gives up after so many moves.
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

// distribute sorts a part of the order but for runs of few elements. From its greatest weight to its lowest lie as many buckets of one width as it has
// elements. A bucket's number, rounded as it is, does not decrease as the weight does, so that nothing is out of order but within a bucket. If that still has more than few, the weights are in clusters, and it
// is distributed in its turn.
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

const levels = 3 // of buckets within buckets

// ranked is an element with its weight.
type ranked struct {
	w float64
	e int
}

func (r ranked) before(s ranked) bool { return r.w > s.w || r.w == s.w && r.e < s.e }

func (r ranked) compare(s ranked) int { return cmp.Or(cmp.Compare(s.w, r.w), cmp.Compare(r.e, s.e)) }
