package mechanism

import (
	"errors"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// HybridTally releases the mean of all observations of an arm after each of them, without looking
// at the horizon: by the hybrid mechanism (Chan, Shi, Song 2011, Section 5), which DP-UCB reads
// (Tossou and Dimitrakakis 2016).
//
// A logarithmic counter releases the sum of an arm's first n observations at n = 1, 2, 4, ...: it
// adds the sum of those since n/2, under fresh noise, to what it released before. Between 2^j and
// 2^(j+1), a binary tree of j levels over the 2^j - 1 observations in between adds their sum.
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms. An observation is in one sum of the counter, under Laplace noise of scale 2
// K (Hi - Lo)/epsilon, and in at most j nodes of its segment's tree, under Laplace noise of scale 2
// K j (Hi - Lo)/epsilon. The whole run is epsilon-DP in the central model, with epsilon/2 for
// either.
//
// If epsilon = +Inf, there is no noise and the means are exact. The noise is for research:
// floating-point noise leaks through its low bits (Mironov 2012), and sums round as those of
// [Blocks] do. [TreeTally], which knows the horizon, has less noise in an arm that is played often.
type HybridTally struct {
	Epsilon float64 // > 0, no default; +Inf means no noise

	tallied
	epsilon float64
	base    float64 // scale of the noise on a sum of the counter; that of a node is j times as large
	levels  int     // of the largest tree
	noise   *privacy.Noise
	buf     [1]float64
	totals  []float64 // by arm, the counter's last release of the sum of weights less Lo
	sums    []float64 // by arm, of weights less Lo since then
	// arms x (levels+1): the noise of the nodes in the prefix at levels >= i; the last place stays 0
	above []float64
	tails []privacy.Tail // by levels+1 times the segment j, plus the number of nodes in the prefix
	one   privacy.Plan   // without cases and draws; empty unless Init ended well
	drawn []int          // by segment, of its tree
	count []int          // sums of the counter that were released, in the first place
}

var _ privacy.Tally = (*HybridTally)(nil)

// Init validates and calibrates.
func (h *HybridTally) Init(s privacy.Setup) error {
	h.noise, h.one = nil, privacy.Plan{}
	return h.init(s, float64(bits.Len(uint(max(s.Horizon, 0)))+4), h.calibrate)
}

func (h *HybridTally) calibrate() error {
	s := h.setup
	if s.WarmUp {
		return errors.New("mechanism: HybridTally has no warm-up: Setup.WarmUp = true, want false")
	}
	asked := privacy.Budget{Epsilon: h.Epsilon}
	noise, err := newSlotNoise(asked)
	if err != nil {
		return err
	}
	h.epsilon, h.levels = h.Epsilon, bits.Len(uint(s.Horizon))
	if _, err = noise.scale(2*s.Slots*h.levels, s.Hi-s.Lo); err != nil {
		return err
	}
	if h.base, err = noise.scale(2*s.Slots, s.Hi-s.Lo); err != nil {
		return err
	}
	h.totals, h.sums = make([]float64, s.Arms), make([]float64, s.Arms)
	h.above = make([]float64, s.Arms*(h.levels+1))
	h.drawn, h.count = make([]int, h.levels), make([]int, 1)
	h.tails = h.tails[:0]
	var scales []float64
	for j := range h.levels {
		scales = append(scales[:j], h.base)
		for range h.levels + 1 {
			h.tails = append(h.tails, tailOf(false, scales))
			scales = append(scales, h.node(j))
		}
	}
	h.one = h.central(asked, "the hybrid mechanism for each arm: Chan, Shi, Song 2011; Tossou and Dimitrakakis 2016")
	return nil
}

// node returns the scale of the noise on a node of segment j >= 1.
func (h *HybridTally) node(j int) float64 { return float64(max(j, 1)) * h.base }

// Reset forgets the data and draws new noise from n.
func (h *HybridTally) Reset(n *privacy.Noise) {
	h.tallied.reset()
	clear(h.totals)
	clear(h.sums)
	clear(h.above)
	clear(h.drawn)
	clear(h.count)
	h.noise = n
}

// Add adds a record and releases a new mean of each of its arms. moved reports whether it has any.
func (h *HybridTally) Add(rec *privacy.Record) (moved bool, err error) {
	if h.noise == nil || h.seen == nil {
		return false, errReset
	}
	if err := h.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		h.seen[arm]++
		h.sums[arm] += h.over(rec.Y[i])
		h.means.Of[arm] = h.estimate(arm)
	}
	h.changed(rec.Arms)
	return len(rec.Arms) > 0, nil
}

// estimate draws the noise of an observation and returns the new mean.
func (h *HybridTally) estimate(arm int) privacy.Estimate {
	n := h.seen[arm]
	j := bits.Len(uint(n)) - 1
	inside := n - 1<<j // leaves of the segment's tree
	above := h.above[arm*(h.levels+1) : (arm+1)*(h.levels+1)]
	var more float64
	if inside == 0 {
		h.totals[arm] += h.sums[arm] + h.draw(h.base)
		h.sums[arm] = 0
		h.count[0]++
	} else {
		level := h.lowest(inside)
		above[level] = above[h.lowest(inside&(inside-1))] + h.draw(h.node(j))
		more = h.sums[arm] + above[level]
		h.drawn[j]++
	}
	tail := h.tails[j*(h.levels+1)+bits.OnesCount(uint(inside))]
	return privacy.Estimate{
		Mean: h.setup.Lo + (h.totals[arm]+more)/float64(n), Count: n,
		Tail: privacy.Tail{Root: tail.Root / float64(n), Linear: tail.Linear / float64(n)},
	}
}

// lowest returns the lowest level that has a node in the prefix.
func (h *HybridTally) lowest(leaves int) int { return min(bits.TrailingZeros(uint(leaves)), h.levels) }

func (h *HybridTally) draw(scale float64) float64 {
	h.noise.Laplace(h.buf[:], scale)
	return h.buf[0]
}

// Scale returns the scale of the noise on a sum of the counter, and on a node of the tree between
// 2^j and 2^(j+1) observations, j >= 1.
func (h *HybridTally) Scale(j int) (sum, node float64) { return h.base, h.node(j) }

// Plan returns what the counter and the trees of up to the given number of records reveal of one
// record. It has a case for each segment, of which the first observation is in the most nodes.
func (h *HybridTally) Plan(records int) privacy.Plan {
	p := h.one
	side := h.setup.Hi - h.setup.Lo
	release := func(scale float64, times int) privacy.Release {
		return privacy.Release{Law: privacy.LaplaceLaw(1, scale),
			Sensitivity: privacy.Norms{L1: side, L2: side}, Times: times * h.setup.Slots}
	}
	n := min(max(records, 0), h.setup.Horizon)
	if n > 0 {
		p.Cases = [][]privacy.Release{{release(h.base, 1)}} // the first observation
	}
	var draws int
	if len(h.count) > 0 {
		draws = h.count[0]
	}
	if len(h.drawn) > 1 {
		draws += h.drawn[1] // whose nodes have the noise of the counter
	}
	p.Draws = []privacy.Draws{{Law: privacy.LaplaceLaw(1, h.base), Count: draws}}
	for j := 1; j < len(h.drawn); j++ {
		if j > 1 {
			p.Draws = append(p.Draws, privacy.Draws{Law: privacy.LaplaceLaw(1, h.node(j)), Count: h.drawn[j]})
		}
		inside := min(n-1<<j, 1<<j-1)
		if inside < 1 {
			continue
		}
		shows := []privacy.Release{release(h.node(j), bits.Len(uint(inside)))}
		if n >= 2<<j {
			shows = append(shows, release(h.base, 1))
		}
		p.Cases = append(p.Cases, shows)
	}
	return p.HeldBy(h)
}
