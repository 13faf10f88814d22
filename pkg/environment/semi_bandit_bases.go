package environment

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// optimum is the best basis of a matroid. It never changes, and all trials share it.
type optimum struct {
	matroid matroid.Matroid
	means   []float64
	best    []int    // the heaviest basis, by decreasing mean
	words   int      // length of a bit set
	optimal []uint64 // best as a bit set
}

// newOptimum keeps the slice means.
func newOptimum(m matroid.Matroid, means []float64) optimum {
	o := optimum{matroid: m, means: means, best: heaviest(m, means), words: (m.Size() + 63) / 64}
	o.optimal = make([]uint64, o.words)
	for _, a := range o.best {
		o.optimal[a/64] |= 1 << (a % 64)
	}
	return o
}

// bases is the part that trials of the semi-bandits on a matroid share: the regret of bases.
//
// Learners play one basis a round, mostly one that was played before. Sets known to be bases are
// therefore stored as bit sets, with their regret.
type bases struct {
	optimum
	builder matroid.Builder
	played  []uint64
	// 1<<knownBits bit sets, each at the place of its hash; an empty set means that there is none
	known  []uint64
	regret [1 << knownBits]float64
	used   []bool // scratch of Pairs, by place in best
}

// knownBits is the logarithm, to base 2, of the number of bases that are stored.
const knownBits = 6

// start returns the bases of a trial, of which none was played.
func (o optimum) start() bases {
	return bases{
		optimum: o, builder: o.matroid.NewBuilder(), played: make([]uint64, o.words),
		known: make([]uint64, o.words<<knownBits), used: make([]bool, len(o.best)),
	}
}

// Regret returns the mean weight of the best basis minus that of the arms played, never below 0.
// The order of the arms does not matter. It panics, with an error, if they are not a basis.
func (b *bases) Regret(arms []int) float64 {
	clear(b.played)
	size := len(b.means)
	for _, a := range arms {
		if uint(a) >= uint(size) {
			panic(fmt.Errorf("environment: arms %v: arm %d is not in [0, %d)", arms, a, size))
		}
		b.played[a/64] |= 1 << (a % 64)
	}
	var hash uint64
	for _, w := range b.played {
		hash = (hash ^ w) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	place := int(hash * 0x9e3779b97f4a7c15 >> (64 - knownBits))
	known := b.known[place*b.words : (place+1)*b.words]
	if slices.Equal(known, b.played) && len(arms) == len(b.best) {
		return b.regret[place]
	}
	b.check(arms)
	copy(known, b.played)
	b.regret[place] = b.difference()
	return b.regret[place]
}

// check panics unless the arms are a basis.
func (b *bases) check(arms []int) {
	if len(arms) != len(b.best) {
		panic(fmt.Errorf("environment: arms %v are no basis of the matroid: %d arms, want its rank %d", arms, len(arms), len(b.best)))
	}
	b.builder.Clear()
	for i, a := range arms {
		if b.builder.Add(a) {
			continue
		}
		why := "depends on those before it"
		if slices.Contains(arms[:i], a) {
			why = "is in them twice"
		}
		panic(fmt.Errorf("environment: arms %v are no basis of the matroid: arm %d %s", arms, a, why))
	}
}

// difference returns how much more the best basis weighs than the set played. Arms of both are left
// out, so it is exactly 0 for the best basis.
func (b *bases) difference() float64 {
	var regret float64
	for i, best := range b.optimal {
		for w := best &^ b.played[i]; w != 0; w &= w - 1 {
			regret += b.means[i*64+bits.TrailingZeros64(w)]
		}
		for w := b.played[i] &^ best; w != 0; w &= w - 1 {
			regret -= b.means[i*64+bits.TrailingZeros64(w)]
		}
	}
	return max(regret, 0) // rounding
}

// Pairs appends to dst, for each arm of a basis, the arm of the best basis that it stands for: its
// partner. The instance is a trial of SemiBandit, Arms or Ratings; for others it appends nothing.
//
// The arms come in the order in which a greedy learner took them. An arm of the best basis is its
// own partner. The pairs decompose the regret: it is the sum of their gaps, mean(partner) -
// mean(arm), none of which is negative.
//
// Pairs is the permutation pi_t of MAT, Section 4.3, built from the last arm to the first. The
// basis played turns into the best one by exchanging one arm after another for its partner, the
// last one first, and every set on the way is a basis. So the partner, too, could have been added
// to the arms taken before, and a greedy learner that took the arm instead rated it at least as
// high.
//
// If several partners are possible, Pairs takes the one with the largest mean. That mean is at
// least the arm's own. The best arms with at least the arm's mean span the arm, or else the best
// basis would contain it, and so one of them is outside the span of the other arms that are left.
func Pairs(of bandit.Instance, arms, dst []int) []int {
	if b, ok := of.(interface{ pairs(arms, dst []int) []int }); ok {
		return b.pairs(arms, dst)
	}
	return dst
}

func (b *bases) pairs(arms, dst []int) []int {
	b.check(arms)
	clear(b.used)
	from := len(dst)
	dst = append(dst, arms...)
	pairs := dst[from:]
	for k := len(arms) - 1; k >= 0; k-- {
		if place := slices.Index(b.best, arms[k]); place >= 0 {
			b.used[place] = true
			continue
		}
		b.builder.Clear() // B_k: the arms before k and the partners of those after it
		for _, a := range arms[:k] {
			b.builder.Add(a)
		}
		for _, a := range pairs[k+1:] {
			b.builder.Add(a)
		}
		place := 0
		for b.used[place] || !b.builder.Add(b.best[place]) {
			if place++; place == len(b.best) {
				panic(errors.New("environment: no arm of the best basis can take the place of one played: the matroid breaks its axioms"))
			}
		}
		pairs[k], b.used[place] = b.best[place], true
	}
	return dst
}

// heaviest returns the basis with the largest weight, by decreasing weight, ties by index, and nil
// if there is no matroid with as many elements as weights.
func heaviest(m matroid.Matroid, weights []float64) []int {
	if m == nil || len(weights) != m.Size() {
		return nil
	}
	return matroid.NewGreedy(m).Basis(weights, nil)
}

// total returns the sum of the weights of the arms.
func total(weights []float64, arms []int) (sum float64) {
	for _, a := range arms {
		sum += weights[a]
	}
	return sum
}

// checkMatroid reports why a matroid is unfit for an environment: its rank is below 1, or its bases
// have another size than its rank.
func checkMatroid(m matroid.Matroid) error {
	if m == nil {
		return errors.New("field Matroid is nil")
	}
	if k := m.Rank(); k < 1 || k > m.Size() {
		return fmt.Errorf("field Matroid has rank %d, want in [1, Size = %d]", k, m.Size())
	}
	b := m.NewBuilder()
	for e := range m.Size() {
		b.Add(e)
	}
	if n := b.Len(); n != m.Rank() {
		return fmt.Errorf("field Matroid has a basis of %d elements, want Rank = %d", n, m.Rank())
	}
	return nil
}
