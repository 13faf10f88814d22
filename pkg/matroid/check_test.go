package matroid_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// family is a set of sets, whether they are a matroid or not: its builder asks whether the larger
// set is in it.
type family struct {
	size, rank int
	has        func(set []int) bool // sorted
}

type familyBuilder struct {
	family
	set []int
}

func (f family) Size() int                   { return f.size }
func (f family) Rank() int                   { return f.rank }
func (f family) NewBuilder() matroid.Builder { return &familyBuilder{family: f} }
func (b *familyBuilder) Clear()              { b.set = b.set[:0] }
func (b *familyBuilder) Len() int            { return len(b.set) }
func (b *familyBuilder) Add(e int) bool {
	if slices.Contains(b.set, e) {
		return false
	}
	larger := append(slices.Clone(b.set), e)
	slices.Sort(larger)
	if b.has(larger) {
		b.set = larger
		return true
	}
	return false
}

// wrapped spoils the builder of a matroid.
type wrapped struct {
	matroid.Matroid
	spoil func(matroid.Builder) matroid.Builder
}

func (w wrapped) NewBuilder() matroid.Builder { return w.spoil(w.Matroid.NewBuilder()) }

type spoilt struct {
	matroid.Builder
	clear  func(b matroid.Builder)
	add    func(b matroid.Builder, e int) bool
	length func(b matroid.Builder) int
}

func (s spoilt) Clear() {
	if s.clear != nil {
		s.clear(s.Builder)
	} else {
		s.Builder.Clear()
	}
}

func (s spoilt) Add(e int) bool {
	if s.add != nil {
		return s.add(s.Builder, e)
	}
	return s.Builder.Add(e)
}

func (s spoilt) Len() int {
	if s.length != nil {
		return s.length(s.Builder)
	}
	return s.Builder.Len()
}

// misranked is a matroid that says it has another rank.
type misranked struct {
	matroid.Matroid
	rank int
}

func (m misranked) Rank() int { return m.rank }

func sum(set []int, weight func(e int) int) (n int) {
	for _, e := range set {
		n += weight(e)
	}
	return n
}

// broken returns what is no matroid, by size.
func broken(size int) map[string]struct {
	m    matroid.Matroid
	want []string // one of them
} {
	type entry = struct {
		m    matroid.Matroid
		want []string
	}
	uniform := must(matroid.NewUniform(size, 3))
	knapsack := func(set []int) bool { return sum(set, func(e int) int { return 1 + e%2 }) <= 4 }
	half := size / 2
	shared := uniform.NewBuilder()
	return map[string]entry{
		"knapsack": {family{size, 4, knapsack}, []string{"exchange"}},
		// edges e - (e+1) of a path that share no vertex
		"matching": {family{size, half, func(set []int) bool {
			for i := 1; i < len(set); i++ {
				if set[i] == set[i-1]+1 {
					return false
				}
			}
			return true
		}}, []string{"exchange"}},
		// no two alike modulo 3, no two alike in e/3
		"two partitions": {family{size, 3, func(set []int) bool {
			for i, e := range set {
				for _, f := range set[:i] {
					if e%3 == f%3 || e/3 == f/3 {
						return false
					}
				}
			}
			return true
		}}, []string{"exchange"}},
		// 1 to 0 and 2, which are not to each other
		"parallel to both": {family{size, 4, func(set []int) bool {
			return len(set) <= 4 && (!slices.Contains(set, 1) || !slices.Contains(set, 0) && !slices.Contains(set, 2))
		}}, []string{"exchange"}},
		// an odd element goes with an even one only
		"not hereditary": {family{size, 3, func(set []int) bool {
			return len(set) <= 3 && (sum(set, func(e int) int { return e % 2 }) == 0 || sum(set, func(e int) int { return 1 - e%2 }) > 0)
		}}, []string{"hereditary", "order"}},
		"rank too great":  {misranked{uniform, 4}, []string{"rank"}},
		"rank too small":  {misranked{uniform, 2}, []string{"rank"}},
		"negative rank":   {misranked{uniform, -1}, []string{"rank"}},
		"size for rank":   {misranked{uniform, size}, []string{"rank"}},
		"increasing only": {wrapped{uniform, increasing}, []string{"order"}},
		"tired": {wrapped{uniform, func(b matroid.Builder) matroid.Builder { // a refusal takes up room
			refused := 0
			return spoilt{Builder: b, clear: func(b matroid.Builder) { refused = 0; b.Clear() }, add: func(b matroid.Builder, e int) bool {
				if e < 2 {
					refused++
					return false
				}
				return b.Len()+min(refused, 1) < 3 && b.Add(e)
			}}
		}}, []string{"order"}},
		"forgets to clear": {wrapped{uniform, func(b matroid.Builder) matroid.Builder {
			return spoilt{Builder: b, clear: func(matroid.Builder) {}}
		}}, []string{"contract"}},
		"takes twice": {wrapped{uniform, func(b matroid.Builder) matroid.Builder {
			n := 0
			return spoilt{Builder: b, clear: func(matroid.Builder) { n = 0 }, length: func(matroid.Builder) int { return n }, add: func(_ matroid.Builder, e int) bool {
				if n < 3 {
					n++
					return true
				}
				return false
			}}
		}}, []string{"contract"}},
		"miscounts": {wrapped{uniform, func(b matroid.Builder) matroid.Builder {
			return spoilt{Builder: b, length: func(b matroid.Builder) int { return min(b.Len(), 2) }}
		}}, []string{"contract"}},
		"shared memory":            {wrapped{uniform, func(matroid.Builder) matroid.Builder { return shared }}, []string{"contract"}},
		"vectors at the tolerance": {must(matroid.NewLinearFloat(fan(size), 0.1)), []string{"exchange", "order", "hereditary"}},
		// vectors modulo a number that is no prime: (1), (2), (3)
		"modulo 4": {family{size, 1, func(set []int) bool {
			return len(set) == 1 && set[0]%4 != 0 || len(set) == 2 && set[0]%4 == 2 && set[1]%4 == 3
		}}, []string{"hereditary", "order", "exchange"}},
	}
}

// increasing refuses what comes after a greater element.
func increasing(b matroid.Builder) matroid.Builder {
	last := -1
	return spoilt{Builder: b, clear: func(b matroid.Builder) { last = -1; b.Clear() }, add: func(b matroid.Builder, e int) bool {
		if e < last || !b.Add(e) {
			return false
		}
		last = e
		return true
	}}
}

// fan returns vectors in the plane, some of which are less than a tenth of a radian apart, and some
// more.
func fan(n int) [][]float64 {
	vectors := make([][]float64, n)
	for e := range vectors {
		vectors[e] = []float64{1, float64(e) * 0.04, 0}
	}
	return vectors
}

func TestCheckCatches(t *testing.T) {
	for _, size := range []int{9, 14, 15, 40} {
		for name, c := range broken(size) {
			t.Run(fmt.Sprintf("%s/L=%d", name, size), func(t *testing.T) {
				err := matroid.Check(c.m, nil)
				var v *matroid.Violation
				if !errors.As(err, &v) {
					t.Fatalf("Check = %v", err)
				}
				t.Log(err)
				if !slices.Contains(c.want, v.Axiom) {
					t.Fatalf("axiom %s, want of %v", v.Axiom, c.want)
				}
				f, ok := c.m.(family)
				if !ok {
					return
				}
				has := func(set []int) bool { return f.has(slices.Sorted(slices.Values(set))) }
				switch v.Axiom {
				case "hereditary":
					if !has(v.X) || has(v.Y) || len(common(v.Y, v.X)) != len(v.Y) {
						t.Fatalf("no counterexample: %v", v)
					}
				case "exchange":
					if !has(v.X) || !has(v.Y) || len(v.X) != len(v.Y)+1 {
						t.Fatalf("no counterexample: %v", v)
					}
					for _, e := range v.X {
						if !slices.Contains(v.Y, e) && has(append(slices.Clone(v.Y), e)) {
							t.Fatalf("no counterexample: %v", v)
						}
					}
				}
			})
		}
	}
}

// Every family of subsets of 3 elements that has the empty set: Check passes it if and only if what
// a builder can grow to, set by set, is a matroid.
func TestCheckAllFamilies(t *testing.T) {
	const size = 3
	matroids := 0
	for sets := uint(1); sets < 1<<(1<<size); sets += 2 { // bit X: the family has X
		has := func(x uint) bool { return sets>>x&1 == 1 }
		reached := uint(1)
		for x := range uint(1) << size { // after its subsets
			for _, e := range members(x) {
				if has(x) && reached>>(x&^(1<<e))&1 == 1 {
					reached |= 1 << x
				}
			}
		}
		in := func(x uint) bool { return reached>>x&1 == 1 }
		axioms, rank := true, 0
		for x := range uint(1) << size {
			if !in(x) {
				continue
			}
			rank = max(rank, len(members(x)))
			for y := range uint(1) << size {
				if y&x == y && !in(y) {
					axioms = false
				}
				if in(y) && len(members(x)) == len(members(y))+1 && !slices.ContainsFunc(members(x&^y), func(e int) bool { return in(y | 1<<e) }) {
					axioms = false
				}
			}
		}
		if axioms && reached == sets {
			matroids++
		}
		m := family{size, rank, func(set []int) bool {
			var x uint
			for _, e := range set {
				x |= 1 << e
			}
			return has(x)
		}}
		if err := matroid.Check(m, nil); axioms != (err == nil) {
			t.Errorf("family %b, a matroid: %v; Check = %v", sets, axioms, err)
		}
	}
	if matroids != 16 { // on 3 labelled elements (OEIS A055545)
		t.Errorf("%d matroids, want 16", matroids)
	}
}

func ExampleCheck() {
	// Films with running times, to fill an evening: no matroid.
	minutes := []int{90, 100, 180}
	evening := family{size: 3, rank: 2, has: func(set []int) bool { return sum(set, func(e int) int { return minutes[e] }) <= 200 }}
	fmt.Println(matroid.Check(evening, nil))
	// Output:
	// matroid: violates exchange: [0 1] and [2] are independent, but no element of the first can be added to the second
}
