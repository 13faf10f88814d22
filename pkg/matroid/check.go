package matroid

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Axiom is what a Violation violates.
type Axiom string

const (
	Hereditary Axiom = "hereditary" // a subset of an independent set is independent
	Exchange   Axiom = "exchange"   // of two independent sets with |X| = |Y|+1, X has an element that can be added to Y
	RankIsSize Axiom = "rank"       // Rank is the size of a basis
	AnyOrder   Axiom = "order"      // whether a set is independent does not depend on the order of adding, nor on what was refused meanwhile
	Contract   Axiom = "contract"   // Clear, Add and Len do what Builder says, and builders do not disturb each other
)

// Violation is a counterexample that Check has found.
type Violation struct {
	Axiom Axiom
	// X is independent and Y, a subset, is not (Hereditary); both are independent and no element of X can be added to Y (Exchange); X is a basis (RankIsSize); X and Y have
	// the same elements in two orders of adding, and X is accepted only (AnyOrder); X was added, in this order (Contract).
	X, Y   []int
	Detail string
}

func (v *Violation) Error() string { return fmt.Sprintf("matroid: violates %s: %s", v.Axiom, v.Detail) }

// Check looks for a violation of the axioms of a matroid, of Rank or of the builder's contract, and returns the first as a *Violation, or nil. A nil rng means a fixed
// seed. It is meant for tests of one's own matroids: it offers elements to builders a hundred thousand times if there are 10 of them, and a few million times if there are 14 or 1000.
//
// Up to 14 elements it goes through all sets: of these, no violation of the hereditary and exchange axioms or of Rank is missed by a builder that answers by
// the set. For the exchange axiom it is enough to look at sets that differ by one element to two (Schrijver 2003, Theorem 39.1). Whether the order matters is
// tried on some orders of each set, and so may be missed. With more elements it goes through all pairs, up to 1000 elements, as being parallel must be transitive. The rest is by sampling: random orders of
// all elements, of random subsets and of independent sets with two more elements, whose maximal independent subsets must be of one size each. What concerns few of the 2^L sets is likely
// missed then.
func Check(m Matroid, rng *rand.Rand) error {
	if rng == nil {
		rng = rand.New(rand.NewPCG(1, 2))
	}
	if m.Size() < 0 {
		return &Violation{Axiom: Contract, Detail: fmt.Sprintf("Size() = %d, want >= 0", m.Size())}
	}
	c := &checker{m: m, rng: rng, size: m.Size(), b: m.NewBuilder(), other: m.NewBuilder()}
	if c.size <= 14 {
		c.all()
	} else {
		c.pairs()
		c.sample()
	}
	if c.found == nil {
		return nil // and no *Violation that is nil
	}
	return c.found
}

type checker struct {
	m        Matroid
	rng      *rand.Rand
	size     int
	b, other Builder
	found    *Violation // the first
}

func (c *checker) report(axiom Axiom, x, y []int, format string, args ...any) {
	if c.found == nil {
		c.found = &Violation{Axiom: axiom, X: slices.Clone(x), Y: slices.Clone(y), Detail: fmt.Sprintf(format, args...)}
	}
}

// grow offers elements to a cleared builder and returns those that it took.
func (c *checker) grow(list []int) []int {
	set := make([]int, 0, len(list))
	c.b.Clear()
	if n := c.b.Len(); n != 0 {
		c.report(Contract, nil, nil, "Len() = %d after Clear, want 0", n)
	}
	for _, e := range list {
		if c.b.Add(e) {
			set = append(set, e)
		}
		if n := c.b.Len(); n != len(set) {
			c.report(Contract, set, nil, "Len() = %d after Add took %v, want %d", n, set, len(set))
		}
	}
	for _, e := range set {
		if c.b.Add(e) {
			c.report(Contract, set, nil, "Add(%d) is true with %v in the set already", e, set)
		}
	}
	return set
}

// reorder reports an order of an independent set in which it is not taken.
func (c *checker) reorder(set, order []int) {
	got := c.grow(order)
	if len(got) == len(order) {
		return
	}
	refused := slices.IndexFunc(order, func(e int) bool { return !slices.Contains(got, e) })
	part := order[:refused+1]
	as := slices.DeleteFunc(slices.Clone(set), func(e int) bool { return !slices.Contains(part, e) })
	if len(part) == len(set) || len(c.grow(as)) == len(as) {
		c.report(AnyOrder, as, part, "added as %v it is independent, added as %v it is not", as, part)
	} else {
		c.report(Hereditary, set, part, "%v is independent but its subset %v is not", set, part)
	}
}

// afresh reports a set that depends on what else was offered while it grew.
func (c *checker) afresh(offered, set []int) {
	if got := c.grow(set); len(got) != len(set) {
		c.report(AnyOrder, set, set, "%v is taken out of the offers %v, but not alone", set, offered)
	}
}

// maximal reports two maximal independent subsets of a list that are not of the same size.
func (c *checker) maximal(list []int) (set []int) {
	x := c.grow(c.shuffled(list))
	y := c.grow(c.shuffled(list))
	if len(x) != len(y) && c.found == nil {
		if len(x) < len(y) {
			x, y = y, x
		}
		c.afresh(list, x)
		c.afresh(list, y)
		c.unexchangeable(x[:len(y)+1], y)
	}
	return x
}

func (c *checker) unexchangeable(x, y []int) {
	for _, e := range x {
		if larger := append(slices.Clone(y), e); !slices.Contains(y, e) && len(c.grow(larger)) == len(larger) {
			c.report(AnyOrder, larger, larger, "%v is independent, but after other elements were refused %d is, too", larger, e)
			return
		}
	}
	c.report(Exchange, x, y, "%v and %v are independent, but no element of the first can be added to the second", x, y)
}

// together reports two builders that do not grow side by side as they do alone.
func (c *checker) together() {
	first, second := c.rng.Perm(c.size), c.rng.Perm(c.size)
	want := c.grow(first)
	var got []int
	c.b.Clear()
	c.other.Clear()
	for i, e := range first {
		if c.b.Add(e) {
			got = append(got, e)
		}
		c.other.Add(second[i])
	}
	if !slices.Equal(got, want) {
		c.report(Contract, first, nil, "of %v a builder takes %v alone, and %v while another one grows", first, want, got)
	}
}

func (c *checker) shuffled(list []int) []int {
	list = slices.Clone(list)
	c.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// all goes through all sets, as bits.
func (c *checker) all() {
	sets := uint(1) << c.size
	independent := make([]bool, sets)
	basis := []int{}
	for x := range sets {
		list := listOf(x)
		independent[x] = len(c.grow(list)) == len(list)
		if independent[x] && len(list) > len(basis) {
			basis = list
		}
	}

	for x := range sets {
		list := listOf(x)
		orders := [][]int{c.shuffled(list), slices.Clone(list)}
		slices.Reverse(orders[1])
		for i := range list {
			orders = append(orders, append(slices.Delete(slices.Clone(list), i, i+1), list[i]))
		}
		for _, order := range orders {
			if independent[x] {
				c.reorder(list, order)
			} else if got := c.grow(order); len(got) == len(order) {
				c.reorder(order, list)
			}
		}
		if c.found != nil {
			return
		}
	}

	for range 50 + 10*c.size {
		offers := c.rng.Perm(c.size)
		var set uint
		var list []int
		c.b.Clear()
		for i, e := range offers {
			took := c.b.Add(e)
			if want := independent[set|1<<e]; took != want {
				c.report(AnyOrder, append(list, e), append(list, e), "offered %v, Add(%d) is %v, but without those refused it is %v", offers[:i+1], e, took, want)
				return
			}
			if took {
				set |= 1 << e
				list = append(list, e)
			}
		}
		c.together()
	}

	for y := range sets {
		for x := range c.neighbours(y, independent) {
			c.report(Exchange, listOf(x), listOf(y), "%v and %v are independent, but no element of the first can be added to the second", listOf(x), listOf(y))
			return
		}
	}
	c.rank(basis)
}

// neighbours yields the independent sets y - e + a + b for which y + a and y + b are not.
func (c *checker) neighbours(y uint, independent []bool) func(yield func(uint) bool) {
	return func(yield func(uint) bool) {
		if !independent[y] {
			return
		}
		var outside []uint // alone
		for a := range c.size {
			if bit := uint(1) << a; y&bit == 0 && !independent[y|bit] {
				outside = append(outside, bit)
			}
		}
		for rest := y; rest != 0; rest &= rest - 1 {
			e := rest & -rest
			for i, a := range outside {
				for _, b := range outside[:i] {
					if x := y&^e | a | b; independent[x] && !yield(x) {
						return
					}
				}
			}
		}
	}
}

func (c *checker) rank(basis []int) {
	if rank := c.m.Rank(); rank != len(basis) {
		c.report(RankIsSize, basis, nil, "Rank() = %d, but %v is a basis, of %d elements", rank, basis, len(basis))
	}
}

// pairs reports a, b, c, no loops, with a parallel to b and b to c, but not a to c. The relation is transitive if every element is parallel to the same ones as the first that it is
// parallel to.
func (c *checker) pairs() {
	if c.size > 1000 {
		return
	}
	var elements []int
	for e := range c.size {
		if len(c.grow([]int{e})) == 1 {
			elements = append(elements, e)
		}
	}
	parallel := make([][]bool, len(elements))
	for i, e := range elements {
		parallel[i] = make([]bool, len(elements))
		parallel[i][i] = true
		for j, f := range elements[:i] {
			alone := len(c.grow([]int{f, e})) == 1
			parallel[i][j], parallel[j][i] = alone, alone
		}
	}
	for i, e := range elements {
		j := slices.Index(parallel[i], true)
		for k, f := range elements {
			switch {
			case parallel[j][k] && !parallel[i][k]:
				c.unexchangeable([]int{e, f}, elements[j:j+1])
			case parallel[i][k] && !parallel[j][k]:
				c.unexchangeable([]int{elements[j], f}, []int{e})
			}
		}
		if c.found != nil {
			return
		}
	}
}

// sample tries some sets.
func (c *checker) sample() {
	everything := c.rng.Perm(c.size)
	for range 200 {
		if c.found != nil {
			return
		}
		basis := c.maximal(everything)
		c.reorder(basis, c.shuffled(basis))
		c.together()

		// A subset, of 2 elements or all or any order of magnitude between.
		n := c.size
		for n > 2 && c.rng.IntN(3) > 0 {
			n = 2 + c.rng.IntN(n-1)
		}
		list := c.shuffled(everything)[:min(n, c.size)]
		set := c.maximal(list)
		c.reorder(set, c.shuffled(set))

		// Part of a basis and two more elements.
		for range 10 {
			part := c.shuffled(basis)[:c.rng.IntN(len(basis)+1)]
			for range 2 {
				if e := c.rng.IntN(c.size); !slices.Contains(part, e) {
					part = append(part, e)
				}
			}
			c.maximal(part)
		}

		c.rank(basis)
	}
}

func listOf(set uint) []int {
	list := []int{}
	for e := 0; set>>e > 0; e++ {
		if set>>e&1 == 1 {
			list = append(list, e)
		}
	}
	return list
}
