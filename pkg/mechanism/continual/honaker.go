package continual

import (
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Honaker releases running sums by the binary tree mechanism with Gaussian noise and estimates each
// node from all nodes below it (Honaker 2015, the estimate "from below", which can be computed
// online; Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021, Appendix B).
//
// Two values tell the sum of a node: its own noisy value, of variance 1, and the sum of its
// children's estimates, of variance 2 v_{i-1}. Weighted by inverse variance, they have the variance
//
//	v_i = 2 v_{i-1}/(1 + 2 v_{i-1}) = 2^i/(2^(i+1) - 1),   v_0 = 1,
//
// which for large nodes is half of a node's own, and v_i is also the weight of the node's own
// value. The prefix of t rows is the sum of one node for each binary digit 1 of t, with independent
// noise.
//
// Honaker uses every node, where [Tree] leaves out those with which no prefix ends: it draws noise
// twice a row on average. A row is in no more nodes than there, floor(log2(n-1)) + 1 for a horizon
// of n rows, and the estimates show less of it than all these nodes would. The noise is calibrated
// to what they show, which takes about 8% less noise. The trust model is central; neighbouring
// streams differ in one row, replaced.
type Honaker struct {
	Budget privacy.Budget // no default; delta > 0
}

var _ privacy.Accumulator = Honaker{}

// Open validates and calibrates.
func (h Honaker) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkFactorised(s, h.Budget); err != nil {
		return nil, err
	}
	if err := curator.Fitting(s, float64(2*float64(maxNodes(s.Horizon)))+5); err != nil {
		return nil, err
	}
	n := releases(s.Horizon)
	nodes := newBelow(n)
	f, err := newFactorised(s, h.Budget, nodes, nodes.columnNorm(n), 1, "binary tree with the estimate from below: Honaker 2015")
	if err != nil {
		return nil, err
	}
	return f, nil
}

// below is the noise correlation of Honaker: C has a row for each node, with a 1 for each of the
// node's rows.
type below struct {
	releases int
	// v_i by level: the variance of a node's estimate, and the weight of its own value
	own []float64
}

// belowRun is the noise of a run.
type belowRun struct {
	own   []float64
	size  int
	nodes []float64 // levels x size: the noise of the last node finished at each level
	above []float64 // (levels+1) x size: the noise of the prefix's nodes at levels >= i
	fresh []float64
}

func newBelow(releases int) *below {
	b := &below{releases: releases, own: make([]float64, bits.Len(uint(releases)))}
	for i := range b.own {
		b.own[i] = 1 / (2 - math.Ldexp(1, -i))
	}
	return b
}

func (b *below) begin(size int) correlated {
	levels := len(b.own)
	return &belowRun{own: b.own, size: size, fresh: make([]float64, size),
		nodes: make([]float64, levels*size), above: make([]float64, (levels+1)*size)}
}

// variance returns the variance of the prefix of t rows, in units of a node's.
func (b *below) variance(t int) (sum float64) {
	for rest := uint(t); rest > 0; rest &= rest - 1 {
		sum += b.own[bits.TrailingZeros(rest)]
	}
	return sum
}

// rowNorm returns the root of the largest variance of a prefix. The maximising t is the last one,
// or it agrees with the last one above some digit 1 of that, has a 0 there, and ones below.
func (b *below) rowNorm() float64 {
	most := b.variance(b.releases)
	for rest := uint(b.releases); rest > 0; rest &= rest - 1 {
		most = max(most, b.variance(int(rest-1)))
	}
	return math.Sqrt(most)
}

// columnNorm returns the most that a row moves the releases, in standard deviations of a node's
// noise. That is less than the root of the number of nodes that hold it, as estimates show less
// than all nodes do.
//
// Release t less the earlier release t & (t-1) is the estimate of one node, of level i, that ends
// with row t. Its left child has been released, and so have the left children of its right child,
// of that one's right child, and so on. What is left when they are subtracted is new: the sum
// over the levels k <= i of w_k times the own value of the node that ends with row t there, w_k =
// v_k (1 - v_{k+1}) ... (1 - v_i). No other release has these nodes' noise, so the new parts are
// independent, and each is Gaussian given what came before. Its variance is q_i = v_i^2 + (1 -
// v_i)^2 q_{i-1}. A row that is in those nodes from level m upwards moves it by s = 1 - (1 - v_m)
// ... (1 - v_i).
//
// A row moves the releases by the root of the sum of s^2/q_i over the nodes that hold it and are
// left children: of the others the parent ends with the same row. The levels of left children are
// any set, so columnNorm takes the largest sum over all sets.
func (b *below) columnNorm(rows int) float64 {
	most := make([]float64, bits.Len(uint(rows))+1) // of nodes below a level, with a left child right below it
	q := 0.0
	for i := range len(most) - 1 {
		v := b.own[i]
		q = float64(v*v) + float64((1-v)*(1-v)*q)
		rest := 1.0
		for m := i; m >= 0; m-- {
			rest = float64(rest * (1 - b.own[m]))
			most[i+1] = max(most[i+1], most[m]+float64((1-rest)*(1-rest))/q)
		}
	}
	return math.Sqrt(most[len(most)-1]) * (1 + 1e-12)
}

// next reads only what it has written, and the zeros above the highest level.
func (b *belowRun) next(t int, z Drawer, n *privacy.Noise, dst []float64) {
	level := bits.TrailingZeros(uint(t))
	at := func(of []float64, i int) []float64 { return of[i*b.size : (i+1)*b.size] }
	z.Draw(n, dst)
	for i := 1; i <= level; i++ { // dst is the right child of the node at level i
		z.Draw(n, b.fresh)
		left, own := at(b.nodes, i-1), b.own[i]
		for p, z := range b.fresh {
			dst[p] = float64(own*z) + float64((1-own)*(left[p]+dst[p]))
		}
	}
	copy(at(b.nodes, level), dst)
	higher := len(b.own)
	if rest := t & (t - 1); rest > 0 {
		higher = bits.TrailingZeros(uint(rest))
	}
	here, up := at(b.above, level), at(b.above, higher)
	for p, v := range dst {
		here[p] = up[p] + v
	}
	copy(dst, here)
}
