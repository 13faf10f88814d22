package environment

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// bases is what the semi-bandits on a matroid share: the best basis and the regret of others. Their learners play one basis a round, mostly one that was played
// before, so that the sets known to be bases are kept, with their regret, as bit sets.
type bases struct {
	builder matroid.Builder
	means   []float64
	best    []int // the heaviest basis, in descending order of mean
	words   int   // of a bit set
	optimal []uint64
	played  []uint64
	known   []uint64 // 1<<knownBits bit sets, each in the place of its hash; the empty set stands for none
	regret  [1 << knownBits]float64
	used    []bool // scratch of Pairs, by place in best
}

const knownBits = 6

// prepare sets the best basis and forgets what was played. means is kept.
func (b *bases) prepare(m matroid.Matroid, means []float64) {
	b.means, b.builder = means, m.NewBuilder()
	b.best = heaviest(m, means)
	b.words = (m.Size() + 63) / 64
	b.optimal, b.played = make([]uint64, b.words), make([]uint64, b.words)
	b.known = make([]uint64, b.words<<knownBits)
	for _, a := range b.best {
		b.optimal[a/64] |= 1 << (a % 64)
	}
	b.used = make([]bool, len(b.best))
}

// Regret returns the mean weight of the best basis less that of the arms played, never below 0, whatever the arms' order. It panics, with an error, if they are no basis.
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

// difference returns what the best basis weighs more than the set played. Arms of both do not come into it, so that it is exactly 0 for the best.
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

// Pairs appends, for each of the arms of a basis in the order in which a greedy learner took them, the arm of the best basis that it stands for: itself, if it is of the
// best basis. The pairs decompose the regret: it is the sum of their gaps, mean(best arm) - mean(arm), none of which is negative.
//
// It is the permutation pi_t of MAT, Section 4.3, built from the last arm to the first. The basis played turns into the best one by exchanging an arm for its partner, one
// after the other, the last one first, through nothing but bases; so the partner, too, could be added to the arms taken before, which is why a greedy learner that took the arm
// thought at least as much of it. Of several partners it takes the one with the largest mean. That is no less than the arm's own: the best arms that weigh at least as much span
// the arm, or the best basis would hold it, and so one of them is outside the span of the others that are left. It is called after Reset.
func (b *bases) Pairs(arms, dst []int) []int {
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

// heaviest returns the basis of the largest weight, in descending order of weight, ties by index.
func heaviest(m matroid.Matroid, weights []float64) []int {
	return matroid.NewGreedy(m).Basis(weights, nil)
}

// total returns the sum of the weights of the arms.
func total(weights []float64, arms []int) (sum float64) {
	for _, a := range arms {
		sum += weights[a]
	}
	return sum
}

// checkMatroid reports what makes a matroid unfit for an environment: a rank below 1, or one that its bases do not have.
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
