// Package design chooses which of many arms to sample so that a linear model is known well on all
// of them.
//
// [Optimal] finds a core set: a few arms with weights, from whose rewards the mean reward of every
// arm can be estimated almost as well as that of the arms in the set. Elimination in linear bandits
// samples a core set only, because a private learner pays for noise once an arm that it samples.
package design

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Optimal finds nearly G-optimal designs: weights pi over arms a of rank m for which
//
//	max_a g(a) <= Most m,   g(a) = a^T V^-1 a,   V = sum_a pi(a) a a^T.
//
// No design has a maximum below m, and one has it (Kiefer and Wolfowitz 1960). g(a)/n is the
// variance of the estimate of <a, theta> after n rewards of unit variance, pi(a) n of each arm.
//
// The start is the longest arm, then the one farthest from the span of those chosen, and so on,
// each with weight 1/m: that of Kumar and Yildirim (2005) for the hull of all arms and their
// opposites. All is computed in the basis of these arms, so arms need not span the space and may
// differ in length. An arm counts as being in the span of others if its distance from it is below
// 1e-9 of the longest arm's length.
//
// Frank-Wolfe steps with away steps follow: towards the arm with the largest g, or away from the
// one in the design with the least, whichever is further from m, by the step that increases det V
// the most (Todd and Yildirim 2007). At last, more than m(m+1)/2 arms are reduced to that number
// without increasing any g, because so many matrices a a^T are linearly dependent.
//
// Open makes a Finder, which finds designs.
type Optimal struct {
	// Most is the largest max g/m accepted, in [1 + 1e-6, 1e6]; 0 means 2, as in Hanna, Girgis,
	// Fragouli, Diggavi 2022, Lemma 2.
	Most float64
	// Pairs starts as Kumar and Yildirim do for arms without their opposites: with the two extreme
	// arms in each of m directions, 2m arms of weight 1/(2m). The design then has about twice as many
	// arms.
	Pairs bool
}

// Finder finds optimal designs, one after the other, and holds the last one. It allocates only to
// reduce a design to fewer arms.
type Finder struct {
	dim, arms int
	most      float64
	rank      int
	among     int       // number of arms in the last Find
	widest    int       // the largest rank that there may be
	pivots    []int     // places of the arms that are the basis
	direction []float64 // of what was left of a pivot
	rest      []float64 // arms x dim: what the pivots so far leave of an arm
	along     []float64 // arms x widest: the coordinates in the orthonormal directions
	z         []float64 // arms x rank: the coordinates in the basis
	g         []float64
	weight    []float64 // by place among the arms
	v         []float64 // V, packed, then its Cholesky factor
	inverse   []float64 // V^-1, packed
	u         []float64 // V^-1 z
	pairs     bool
	frame     []float64 // widest x widest: orthonormal rows, of the directions of Pairs so far
	core      []int     // places of the arms with a weight
	weights   []float64 // of the core
	matrix    []float64 // for the reduction
	null      []float64
}

// rankTolerance is the distance of an arm from a span, relative to the longest arm, at which it
// counts as being in it.
const rankTolerance = 1e-9

// mostSteps bounds the Frank-Wolfe steps. They converge linearly: to Most = 2 they take a few times
// m, and to 1 + 1e-6 thousands.
const mostSteps = 1 << 20

// Open validates, and allocates for at most so many arms of a dimension.
func (o Optimal) Open(arms, dim int) (*Finder, error) {
	most := o.Most
	if most == 0 {
		most = 2
	}
	switch {
	case arms < 1:
		return nil, fmt.Errorf("design: Optimal of %d arms, want >= 1", arms)
	case dim < 1:
		return nil, fmt.Errorf("design: Optimal of dimension %d, want >= 1", dim)
	case !(most >= 1+1e-6 && most <= 1e6):
		return nil, fmt.Errorf("design: Optimal.Most = %v, want in [1 + 1e-6, 1e6], or 0 for 2", o.Most)
	}
	what := fmt.Sprintf("design: Optimal of %d arms of dimension %d", arms, dim)
	numbers := float64(float64(arms) * (float64(dim) + float64(2*float64(min(arms, dim))) + 4))
	if err := size.Check(what, numbers+float64(5*size.Triangle(min(arms, dim)))); err != nil {
		return nil, err
	}
	m := min(arms, dim)
	return &Finder{pairs: o.Pairs, dim: dim, arms: arms, most: most,
		widest: m, pivots: make([]int, m), direction: make([]float64, dim),
		rest: make([]float64, arms*dim), along: make([]float64, arms*m), z: make([]float64, arms*m),
		g: make([]float64, arms), weight: make([]float64, arms),
		v: make([]float64, packed.Size(m)), inverse: make([]float64, packed.Size(m)), u: make([]float64, m), frame: make([]float64, m*m),
		core: make([]int, 0, arms), weights: make([]float64, 0, arms)}, nil
}

// Of finds the design of all arms rows[a*dim : (a+1)*dim].
func Of(rows []float64, dim int) (*Finder, error) {
	o, err := Optimal{}.Open(len(rows)/max(dim, 1), dim)
	if err != nil {
		return nil, err
	}
	all := make([]int, o.arms)
	for a := range all {
		all[a] = a
	}
	if err := o.Find(rows, all); err != nil {
		return nil, err
	}
	return o, nil
}

// Find finds the design of the arms rows[a*dim : (a+1)*dim], a in among. The places of arms in the
// results are those in among. If all arms are 0, the rank is 0 and the design is empty.
func (o *Finder) Find(rows []float64, among []int) error {
	if len(among) < 1 || len(among) > o.arms {
		return fmt.Errorf("design: %d arms, want in [1, %d]", len(among), o.arms)
	}
	for i, a := range among {
		if a < 0 || a >= len(rows)/o.dim {
			return fmt.Errorf("design: arm %d of %d numbers, want in [0, %d)", a, len(rows), len(rows)/o.dim)
		}
		row := rows[a*o.dim : (a+1)*o.dim]
		if !packed.Finite(row) {
			return fmt.Errorf("design: arm %d = %v, want finite numbers", a, append([]float64(nil), row...))
		}
		copy(o.rest[i*o.dim:], row)
	}
	o.among, o.rank = len(among), 0
	o.core, o.weights = o.core[:0], o.weights[:0]
	clear(o.weight)
	if o.span(); o.rank == 0 {
		return nil
	}
	if o.pairs && o.rank > 1 { // one arm is best on a line
		o.startPairs()
	}
	if err := o.improve(); err != nil {
		return err
	}
	o.collect()
	if most := o.rank * (o.rank + 1) / 2; len(o.core) > most {
		o.reduce(most)
		o.collect()
		if !o.refresh() {
			return o.stuck()
		}
	}
	return nil
}

// Rank returns the dimension m of the span of the arms of the last Find.
func (o *Finder) Rank() int { return o.rank }

// Core returns the design: places of arms in among, in increasing order, and their weights, which
// are positive and add up to 1. Both are valid until the next Find.
func (o *Finder) Core() (places []int, weights []float64) { return o.core, o.weights }

// Coordinates returns an arm, by its place in among, as a combination of the arms that are the
// basis of the span: Rank numbers. The slice is valid until the next Find.
func (o *Finder) Coordinates(place int) []float64 {
	return o.z[place*o.rank : (place+1)*o.rank : (place+1)*o.rank]
}

// Worst returns max g over the arms.
func (o *Finder) Worst() float64 {
	var worst float64
	for _, g := range o.g[:o.among] {
		worst = max(worst, g)
	}
	return worst
}

// span finds arms that span the others, by Gram-Schmidt with pivoting, starts the design with them,
// and writes the coordinates of all.
func (o *Finder) span() {
	d, n := o.dim, o.among
	rest := o.rest[:n*d]
	var largest float64
	for _, v := range rest {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return
	}
	for i := range rest {
		rest[i] /= largest
	}
	var least float64
	for m := 0; m < min(n, d); m++ {
		pivot, square := 0, -1.0
		for i := range n {
			if s := squared(rest[i*d : (i+1)*d]); s > square {
				pivot, square = i, s
			}
		}
		length := math.Sqrt(square)
		if m == 0 {
			least = rankTolerance * length
		}
		if !(length > least) {
			break
		}
		q := o.direction
		for j, v := range rest[pivot*d : (pivot+1)*d] {
			q[j] = v / length
		}
		for i := range n {
			x := rest[i*d : (i+1)*d]
			along := packed.Dot(q, x)
			for j, v := range q {
				x[j] -= float64(along * v)
			}
			o.along[i*o.widest+m] = along
		}
		clear(rest[pivot*d : (pivot+1)*d])
		o.pivots[m] = pivot
		o.rank++
	}
	m := o.rank
	for i := range n {
		x, z := o.along[i*o.widest:], o.Coordinates(i)
		for k := m - 1; k >= 0; k-- { // x = sum_l z_l x_pivot(l), whose matrix is triangular
			s := x[k]
			for l := k + 1; l < m; l++ {
				s -= float64(z[l] * o.along[o.pivots[l]*o.widest+k])
			}
			z[k] = s / o.along[o.pivots[k]*o.widest+k]
		}
	}
	for k, pivot := range o.pivots[:m] {
		clear(o.Coordinates(pivot))
		o.Coordinates(pivot)[k] = 1
		o.weight[pivot] = 1 / float64(m)
	}
}

func squared(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += float64(v * v)
	}
	return s
}

// improve takes steps until max g <= Most m, by numbers that are computed afresh.
func (o *Finder) improve() error {
	m := float64(o.rank)
	fresh := false
	for step := range mostSteps {
		if step%64 == 0 { // rounding adds up
			if !o.refresh() {
				break
			}
			fresh = true
		}
		high, low := 0, -1
		for i, g := range o.g[:o.among] {
			if g > o.g[high] {
				high = i
			}
			if o.weight[i] > 0 && (low < 0 || g < o.g[low]) {
				low = i
			}
		}
		switch top, bottom := o.g[high], o.g[low]; {
		case top <= o.most*m*(1-1e-12) && fresh:
			return nil
		case top <= o.most*m*(1-1e-12):
			if fresh = o.refresh(); !fresh {
				return o.stuck()
			}
			continue
		case top-m >= m-bottom:
			o.move(high, (top/m-1)/(top-1))
		default:
			out := -o.weight[low] / (1 - o.weight[low]) // the step that leaves the arm no weight
			by := out
			if bottom > 1 {
				by = max(by, (bottom/m-1)/(bottom-1))
			}
			if o.move(low, by); by == out {
				o.weight[low] = 0
			}
		}
		fresh = false
	}
	return o.stuck()
}

func (o *Finder) stuck() error {
	return fmt.Errorf("design: max g = %v of %d arms of rank %d, want <= %v", o.Worst(), o.among, o.rank, o.most*float64(o.rank))
}

// move replaces the design by (1-by) of itself and by of one arm, and updates V^-1 and g by the
// formula of Sherman and Morrison.
func (o *Finder) move(arm int, by float64) {
	u := o.u[:o.rank]
	packed.MulVec(u, o.inverse, o.Coordinates(arm))
	keep := 1 - by
	scale := by / (keep + float64(by*o.g[arm]))
	p := 0
	for i, v := range u {
		for _, w := range u[:i+1] {
			o.inverse[p] = (o.inverse[p] - float64(scale*v*w)) / keep
			p++
		}
	}
	for i := range o.among {
		along := packed.Dot(u, o.Coordinates(i))
		o.g[i] = (o.g[i] - float64(scale*along*along)) / keep
		o.weight[i] *= keep
	}
	o.weight[arm] += by
}

// refresh divides the weights by their sum and computes V^-1 and g from them. It reports whether V
// is positive definite, which steps do not change, as they do not decrease its determinant.
func (o *Finder) refresh() bool {
	var total float64
	for _, w := range o.weight[:o.among] {
		total += w
	}
	v := o.v[:packed.Size(o.rank)]
	clear(v)
	for a, w := range o.weight[:o.among] {
		if w == 0 {
			continue
		}
		w /= total
		o.weight[a] = w
		z, p := o.Coordinates(a), 0
		for i, x := range z {
			for _, y := range z[:i+1] {
				v[p] += float64(w * x * y)
				p++
			}
		}
	}
	if _, ok := packed.Cholesky(v, v, o.rank); !ok {
		return false
	}
	packed.Invert(o.inverse, v, o.rank)
	for i := range o.among {
		o.g[i] = packed.Quadratic(o.inverse, o.Coordinates(i))
	}
	return true
}

// collect lists the arms with a weight. It drops weights that are rounding errors.
func (o *Finder) collect() {
	o.core, o.weights = o.core[:0], o.weights[:0]
	var total float64
	for i, w := range o.weight[:o.among] {
		if w <= 1e-12 {
			o.weight[i] = 0
			continue
		}
		total += w
	}
	for i, w := range o.weight[:o.among] {
		if w > 0 {
			o.core, o.weights = append(o.core, i), append(o.weights, w/total)
		}
	}
}
