package matroid

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// The axioms that a Violation names.
const (
	hereditary = "hereditary"
	exchange   = "exchange"
	rankIsSize = "rank"
	anyOrder   = "order"
	contract   = "contract"
)

// Violation is a counterexample that Check has found. What X and Y are depends on the axiom:
//
//   - "hereditary", a subset of an independent set is independent: X is independent, and its subset
//     Y is not.
//   - "exchange", of two independent sets with |X| = |Y|+1, X has an element that can be added to
//     Y: both are independent, and no element of X can be added to Y.
//   - "rank", Rank returns the size of a basis: X is a basis.
//   - "order", whether a set is independent depends neither on the order of adding nor on what was
//     refused in between: X and Y have the same elements in two orders of adding, and only X is
//     accepted; or X equals Y, and the answer depends on elements that were refused before.
//   - "contract", Clear, Add and Len do what Builder promises, and builders do not disturb each
//     other: X was added or offered, in this order.
type Violation struct {
	Axiom  string // the axiom violated
	X, Y   []int  // sets or lists of elements, by axiom
	Detail string // the violation in words
}

// Error names the axiom and describes the violation.
func (v *Violation) Error() string { return fmt.Sprintf("matroid: violates %s: %s", v.Axiom, v.Detail) }

// Check looks for a violation of the axioms of a matroid, of Rank or of the builder's contract. It
// returns the first one as a *[Violation], or nil.
//
// Use it to test your own matroids. A nil rng means a fixed seed. Check offers elements to builders
// a hundred thousand times for a matroid of 10 elements, and a few million times for one of 14 or
// 1000.
//
// Up to 14 elements it goes through all sets. If the builder's answers depend only on the set,
// Check then misses no violation of the hereditary and exchange axioms or of Rank. For the exchange
// axiom it is enough to compare sets that differ by one element against two (Schrijver 2003,
// Theorem 39.1). Check tries only some orders of each set, and so may miss a dependence on the
// order.
//
// With more elements it goes through all pairs, up to 1000 elements, because being parallel must be
// transitive. The rest is sampling: random orders of all elements, of random subsets, and of
// independent sets with two more elements. All maximal independent subsets of one of these must
// have the same size. A violation that concerns few of the 2^L sets is likely missed.
func Check(m Matroid, rng *rand.Rand) error {
	if rng == nil {
		rng = rand.New(rand.NewPCG(1, 2))
	}
	if m.Size() < 0 {
		return &Violation{Axiom: contract, Detail: fmt.Sprintf("Size() = %d, want >= 0", m.Size())}
	}
	c := &checker{m: m, rng: rng, size: m.Size(), b: m.NewBuilder(), other: m.NewBuilder()}
	if c.size <= 14 {
		c.all()
	} else {
		c.pairs()
		c.sample()
	}
	if c.found == nil {
		return nil // rather than a nil *Violation, which is not a nil error
	}
	return c.found
}

type checker struct {
	m        Matroid
	rng      *rand.Rand
	size     int
	b, other Builder
	found    *Violation // the first violation
}

// report records a violation, if it is the first.
func (c *checker) report(axiom string, x, y []int, format string, args ...any) {
	if c.found == nil {
		c.found = &Violation{Axiom: axiom, X: slices.Clone(x), Y: slices.Clone(y), Detail: fmt.Sprintf(format, args...)}
	}
}

// grow offers elements to a cleared builder and returns those that it took.
func (c *checker) grow(list []int) []int {
	set := make([]int, 0, len(list))
	c.b.Clear()
	if n := c.b.Len(); n != 0 {
		c.report(contract, nil, nil, "Len() = %d after Clear, want 0", n)
	}
	for _, e := range list {
		if c.b.Add(e) {
			set = append(set, e)
		}
		if n := c.b.Len(); n != len(set) {
			c.report(contract, set, nil, "Len() = %d after Add took %v, want %d", n, set, len(set))
		}
	}
	for _, e := range set {
		if c.b.Add(e) {
			c.report(contract, set, nil, "Add(%d) is true with %v in the set already", e, set)
		}
	}
	return set
}

// reorder reports a violation if an independent set is refused in the given order.
func (c *checker) reorder(set, order []int) {
	got := c.grow(order)
	if len(got) == len(order) {
		return
	}
	refused := slices.IndexFunc(order, func(e int) bool { return !slices.Contains(got, e) })
	part := order[:refused+1]
	as := slices.DeleteFunc(slices.Clone(set), func(e int) bool { return !slices.Contains(part, e) })
	if len(part) == len(set) || len(c.grow(as)) == len(as) {
		c.report(anyOrder, as, part, "added as %v it is independent, added as %v it is not", as, part)
	} else {
		c.report(hereditary, set, part, "%v is independent but its subset %v is not", set, part)
	}
}

// afresh reports a violation if a set that grew among other offers is refused without them.
func (c *checker) afresh(offered, set []int) {
	if got := c.grow(set); len(got) != len(set) {
		c.report(anyOrder, set, set, "%v is taken out of the offers %v, but not alone", set, offered)
	}
}

// maximal reports a violation if two maximal independent subsets of a list have different sizes.
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

// unexchangeable reports that no element of x can be added to y, or that this depends on refused
// elements.
func (c *checker) unexchangeable(x, y []int) {
	for _, e := range x {
		if larger := append(slices.Clone(y), e); !slices.Contains(y, e) && len(c.grow(larger)) == len(larger) {
			c.report(anyOrder, larger, larger, "%v is independent, but after other elements were refused %d is, too", larger, e)
			return
		}
	}
	c.report(exchange, x, y, "%v and %v are independent, but no element of the first can be added to the second", x, y)
}

// together reports a violation if two builders that grow side by side do not behave as they do
// alone.
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
		c.report(contract, first, nil, "of %v a builder takes %v alone, and %v while another one grows", first, want, got)
	}
}

func (c *checker) shuffled(list []int) []int {
	list = slices.Clone(list)
	c.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// all goes through all sets, represented as bits.
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
				c.report(anyOrder, append(list, e), append(list, e), "offered %v, Add(%d) is %v, but without those refused it is %v", offers[:i+1], e, took, want)
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
			c.report(exchange, listOf(x), listOf(y), "%v and %v are independent, but no element of the first can be added to the second", listOf(x), listOf(y))
			return
		}
	}
	c.rank(basis)
}

// neighbours yields the independent sets y - e + a + b for which neither y + a nor y + b is
// independent.
func (c *checker) neighbours(y uint, independent []bool) func(yield func(uint) bool) {
	return func(yield func(uint) bool) {
		if !independent[y] {
			return
		}
		var outside []uint // the elements that cannot be added to y
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

// rank reports a violation if Rank is not the size of the basis.
func (c *checker) rank(basis []int) {
	if rank := c.m.Rank(); rank != len(basis) {
		c.report(rankIsSize, basis, nil, "Rank() = %d, but %v is a basis, of %d elements", rank, basis, len(basis))
	}
}

// pairs reports a, b and c, none of them a loop, with a parallel to b and b to c, but not a to c.
// The relation is transitive if every element is parallel to the same elements as the first one
// that it is parallel to.
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

// sample tests random sets.
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

// listOf returns the elements of a set of bits.
func listOf(set uint) []int {
	list := []int{}
	for e := 0; set>>e > 0; e++ {
		if set>>e&1 == 1 {
			list = append(list, e)
		}
	}
	return list
}
