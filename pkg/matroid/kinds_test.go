package matroid_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// defined is a matroid beside its definition, which is written without the builder.
type defined struct {
	matroid.Matroid
	independent func(set []int) bool // of different elements
}

// kinds draws a matroid of each kind, of at most 8 elements.
var kinds = map[string]func(*rapid.T) defined{
	"uniform": func(t *rapid.T) defined {
		size := rapid.IntRange(0, 8).Draw(t, "size")
		rank := rapid.IntRange(0, size).Draw(t, "rank")
		return defined{must(matroid.NewUniform(size, rank)), func(set []int) bool { return len(set) <= rank }}
	},
	"linear": func(t *rapid.T) defined {
		return linear(t, rapid.OneOf(rapid.IntRange(-2, 2), rapid.IntRange(-2, 2), rapid.IntRange(0, 1)))
	},
	"linear/large": func(t *rapid.T) defined { // of minors above 2^61-1, many of them divisible by it
		return linear(t, rapid.SampledFrom([]int{0, 0, 1, -1, 2, p1, -p1, 2 * p1, p2, 3 * p2, 1 << 62, -1<<63 + 1}))
	},
	"graphic": func(t *rapid.T) defined {
		vertices := rapid.IntRange(1, 5).Draw(t, "vertices")
		edges := make([][2]int, rapid.IntRange(0, 8).Draw(t, "size"))
		for e := range edges {
			edges[e] = [2]int{rapid.IntRange(0, vertices-1).Draw(t, "u"), rapid.IntRange(0, vertices-1).Draw(t, "v")}
		}
		return defined{must(matroid.NewGraphic(vertices, edges)), func(set []int) bool { return forest(vertices, edges, set) }}
	},
	"linear/float": func(t *rapid.T) defined { // rows of small integers, at many scales
		vectors := vectorsOf(t, rapid.IntRange(-2, 2))
		scaled := make([][]float64, len(vectors))
		for e, v := range vectors {
			scale := rapid.SampledFrom([]float64{1, 0.1, -1.0 / 3, 1e300, 1e-300}).Draw(t, "scale")
			for _, x := range v {
				scaled[e] = append(scaled[e], float64(x)*scale)
			}
		}
		tolerance := rapid.SampledFrom([]float64{0, 1e-13, 1e-6}).Draw(t, "tolerance")
		return defined{must(matroid.NewLinearFloat(scaled, tolerance)), func(set []int) bool { return rationalRank(vectors, set) == len(set) }}
	},
	"partition": func(t *rapid.T) defined {
		capacity := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 4).Draw(t, "capacity")
		class := rapid.SliceOfN(rapid.IntRange(0, len(capacity)-1), 0, 8).Draw(t, "class")
		return defined{must(matroid.NewPartition(class, capacity)), func(set []int) bool {
			for c, most := range capacity {
				n := 0
				for _, e := range set {
					if class[e] == c {
						n++
					}
				}
				if n > most {
					return false
				}
			}
			return true
		}}
	},
	"laminar": func(t *rapid.T) defined {
		size := rapid.IntRange(0, 8).Draw(t, "size")
		elements := rapid.Permutation(identity(size)).Draw(t, "elements")
		var sets [][]int
		var split func(part []int)
		split = func(part []int) {
			for range rapid.IntRange(0, 2).Draw(t, "times") {
				sets = append(sets, part)
			}
			if len(part) > 1 {
				at := rapid.IntRange(1, len(part)-1).Draw(t, "at")
				split(part[:at])
				split(part[at:])
			}
		}
		split(elements)
		sets = rapid.Permutation(sets).Draw(t, "sets")
		capacity := rapid.SliceOfN(rapid.IntRange(0, 4), len(sets), len(sets)).Draw(t, "capacity")
		return defined{must(matroid.NewLaminar(size, sets, capacity)), func(set []int) bool {
			for s, most := range capacity {
				if len(common(sets[s], set)) > most {
					return false
				}
			}
			return true
		}}
	},
	"transversal": func(t *rapid.T) defined {
		slots := rapid.IntRange(1, 5).Draw(t, "slots")
		suits := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, slots-1), 0, 3), 0, 8).Draw(t, "suits")
		return defined{must(matroid.NewTransversal(slots, suits)), func(set []int) bool { return hall(suits, set) }}
	},
}

// hall says whether all subsets of a set suit at least as many slots as they have elements, which
// is when the set can be matched (Hall 1935).
func hall(suits [][]int, set []int) bool {
	for bits := range uint(1) << len(set) {
		n, slots := 0, map[int]bool{}
		for _, i := range members(bits) {
			n++
			for _, s := range suits[set[i]] {
				slots[s] = true
			}
		}
		if len(slots) < n {
			return false
		}
	}
	return true
}

// common returns the elements of x that are in y.
func common(x, y []int) (both []int) {
	for _, e := range x {
		if slices.Contains(y, e) {
			both = append(both, e)
		}
	}
	return both
}

const (
	p1 = 1<<61 - 1  // the first primes of Linear
	p2 = 1<<61 - 31 // the next below
)

func vectorsOf(t *rapid.T, entries *rapid.Generator[int]) [][]int {
	dim := rapid.IntRange(0, 4).Draw(t, "dim")
	vectors := make([][]int, rapid.IntRange(0, 8).Draw(t, "size"))
	for e := range vectors {
		vectors[e] = rapid.SliceOfN(entries, dim, dim).Draw(t, "vector")
	}
	return vectors
}

func linear(t *rapid.T, entries *rapid.Generator[int]) defined {
	vectors := vectorsOf(t, entries)
	return defined{must(matroid.NewLinear(vectors)), func(set []int) bool { return rationalRank(vectors, set) == len(set) }}
}

// rationalRank eliminates over the rational numbers.
func rationalRank(vectors [][]int, set []int) int {
	var rows [][]*big.Rat
	for _, e := range set {
		row := make([]*big.Rat, len(vectors[e]))
		for j, x := range vectors[e] {
			row[j] = new(big.Rat).SetInt64(int64(x))
		}
		rows = append(rows, row)
	}
	rank := 0
	for j := 0; len(rows) > rank && j < len(rows[0]); j++ {
		p := slices.IndexFunc(rows[rank:], func(row []*big.Rat) bool { return row[j].Sign() != 0 })
		if p < 0 {
			continue
		}
		rows[rank], rows[rank+p] = rows[rank+p], rows[rank]
		for _, row := range rows[rank+1:] {
			c := new(big.Rat).Quo(row[j], rows[rank][j])
			for i := range row {
				row[i] = new(big.Rat).Sub(row[i], new(big.Rat).Mul(c, rows[rank][i]))
			}
		}
		rank++
	}
	return rank
}

// forest counts components: each edge of a forest makes one fewer.
func forest(vertices int, edges [][2]int, set []int) bool {
	label := make([]int, vertices)
	for v := range label {
		label[v] = v
	}
	for _, e := range set {
		from, to := label[edges[e][0]], label[edges[e][1]]
		for v := range label {
			if label[v] == from {
				label[v] = to
			}
		}
	}
	slices.Sort(label)
	return len(slices.Compact(label)) == vertices-len(set)
}

// each runs a property on random matroids of each kind.
func each(t *testing.T, property func(*rapid.T, defined)) {
	for kind, draw := range kinds {
		t.Run(kind, rapid.MakeCheck(func(t *rapid.T) { property(t, draw(t)) }))
	}
}

// members lists the elements of a set of bits.
func members(set uint) []int {
	list := []int{}
	for e := 0; set>>e > 0; e++ {
		if set>>e&1 == 1 {
			list = append(list, e)
		}
	}
	return list
}

// All subsets, their elements in random order, are independent if they are by definition.
func TestDefinition(t *testing.T) {
	each(t, func(t *rapid.T, m defined) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		o := matroid.NewOracle(m)
		rank := 0
		for bits := range uint(1) << m.Size() {
			set := members(bits)
			want := m.independent(set)
			if want {
				rank = max(rank, len(set))
			}
			rng.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
			if got := o.Independent(set); got != want {
				t.Fatalf("Independent(%v) = %v, want %v", set, got, want)
			}
		}
		if m.Rank() != rank {
			t.Fatalf("Rank() = %d, want %d", m.Rank(), rank)
		}
	})
}

// The definitions are of matroids, and Check finds nothing.
func TestCheckPasses(t *testing.T) {
	each(t, func(t *rapid.T, m defined) {
		if err := matroid.Check(m, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))); err != nil {
			t.Fatal(err)
		}
	})
}

// A builder answers right in the course of adding, refusing and clearing, beside another one of the
// same matroid.
func TestBuilder(t *testing.T) {
	each(t, func(t *rapid.T, m defined) {
		if m.Size() == 0 {
			return
		}
		builders := []matroid.Builder{m.NewBuilder(), m.NewBuilder()}
		sets := make([][]int, len(builders))
		for range 60 {
			i := rapid.IntRange(0, 1).Draw(t, "builder")
			b := builders[i]
			if rapid.IntRange(0, 9).Draw(t, "clear") == 0 {
				b.Clear()
				sets[i] = nil
			}
			e := rapid.IntRange(0, m.Size()-1).Draw(t, "e")
			larger := append(slices.Clone(sets[i]), e)
			want := !slices.Contains(sets[i], e) && m.independent(larger)
			if got := b.Add(e); got != want {
				t.Fatalf("Add(%d) to %v = %v, want %v", e, sets[i], got, want)
			}
			if want {
				sets[i] = larger
			}
			if b.Len() != len(sets[i]) {
				t.Fatalf("Len() = %d with %v", b.Len(), sets[i])
			}
		}
	})
}

func TestOracle(t *testing.T) {
	m := must(matroid.NewLinear(table2))
	o := matroid.NewOracle(m)
	for _, c := range []struct {
		list               []int
		independent, basis bool
	}{
		{nil, true, false},
		{[]int{0, 1, 2}, true, true},
		{[]int{2, 5, 4}, true, true},
		{[]int{0, 5}, false, false},
		{[]int{1, 1}, false, false},
		{[]int{6}, false, false},
		{[]int{0, 7}, false, false},
		{[]int{-1}, false, false},
		{[]int{0, 1, 2, 3}, false, false},
		{[]int{0, 2, 3}, false, false},
	} {
		if got := o.Independent(c.list); got != c.independent {
			t.Errorf("Independent(%v) = %v", c.list, got)
		}
		if got := o.Basis(c.list); got != c.basis {
			t.Errorf("Basis(%v) = %v", c.list, got)
		}
	}
	if got := o.Rank([]int{0, 5, 2, 3, 6, 2}); got != 2 {
		t.Errorf("Rank = %d, want 2", got)
	}
	list := []int{2, 5, 4}
	if n := testing.AllocsPerRun(100, func() { o.Basis(list) }); n != 0 {
		t.Errorf("Basis allocates %v times", n)
	}
}

// sizes has each kind at a size that takes some work.
var sizes = map[string]matroid.Matroid{
	"uniform":      must(matroid.NewUniform(300, 20)),
	"partition":    must(matroid.NewPartition(modulo(300, 30), modulo(30, 4))),
	"laminar":      must(matroid.NewLaminar(300, halves(300), halfOf(halves(300)))),
	"linear":       must(matroid.NewLinear(genres(100))),
	"linear/large": must(matroid.NewLinear(largeVectors(60, 12))),
	"linear/float": must(matroid.NewLinearFloat(floats(genres(100)), 0)),
	"graphic":      randomGraph(100, 400),
	"transversal":  must(matroid.NewTransversal(40, pairs(300, 40))),
}

func modulo(n, m int) []int {
	list := identity(n)
	for i := range list {
		list[i] %= m
	}
	return list
}

func halves(n int) (sets [][]int) {
	var split func(part []int)
	split = func(part []int) {
		sets = append(sets, part)
		if len(part) > 3 {
			split(part[:len(part)/2])
			split(part[len(part)/2:])
		}
	}
	split(identity(n))
	return sets
}

func halfOf(sets [][]int) []int {
	capacity := make([]int, len(sets))
	for s, set := range sets {
		capacity[s] = (len(set) + s%2) / 2
	}
	return capacity
}

func largeVectors(n, dim int) [][]int {
	rng := rand.New(rand.NewPCG(7, 0))
	vectors := make([][]int, n)
	for e := range vectors {
		vectors[e] = make([]int, dim)
		for j := range vectors[e] {
			vectors[e][j] = rng.Int() - rng.Int()
		}
	}
	return vectors
}

func floats(vectors [][]int) [][]float64 {
	out := make([][]float64, len(vectors))
	for e, v := range vectors {
		for _, x := range v {
			out[e] = append(out[e], float64(x)/10)
		}
	}
	return out
}

func pairs(n, slots int) [][]int {
	rng := rand.New(rand.NewPCG(8, 0))
	suits := make([][]int, n)
	for e := range suits {
		suits[e] = []int{rng.IntN(slots), rng.IntN(slots / 2)}
	}
	return suits
}

func TestBuildersAllocate(t *testing.T) {
	for kind, m := range sizes {
		b := m.NewBuilder()
		n := testing.AllocsPerRun(20, func() {
			b.Clear()
			for e := range m.Size() {
				b.Add(m.Size() - 1 - e)
			}
		})
		if n != 0 || b.Len() != m.Rank() {
			t.Errorf("%s: %v allocations, rank %d of %d", kind, n, b.Len(), m.Rank())
		}
	}
}

func TestCheckPassesLarge(t *testing.T) {
	for kind, m := range sizes {
		if err := matroid.Check(m, nil); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A bottle-neck set allows less than its parts together.
func TestLaminarRank(t *testing.T) {
	m := must(matroid.NewLaminar(7, [][]int{{0, 1}, {0, 1, 2, 3, 4, 5}, {2, 3, 4}}, []int{2, 3, 2}))
	if m.Rank() != 4 { // 3 of the six, and element 6, which is free
		t.Errorf("rank %d, want 4", m.Rank())
	}
}

// Over the integers modulo 2, (2, 0, 0) were 0, and (1, 1, 0), (0, 1, 1), (1, 0, 1) dependent.
// Modulo 2^61-1 and the next prime, rows that differ by a multiple of them would be parallel.
func TestLinearIsReal(t *testing.T) {
	for _, c := range []struct {
		vectors [][]int
		rank    int
	}{
		{[][]int{{2, 0, 0}}, 1},
		{[][]int{{1, 1, 0}, {0, 1, 1}, {1, 0, 1}}, 3},
		{[][]int{{p1, p1}}, 1},
		{[][]int{{1, 0}, {1, p1}}, 2},
		{[][]int{{1, 0, 0}, {1, p1, 0}, {1, 0, p1}}, 3},
		// each prime divides the determinant
		{[][]int{{1, 0, 0}, {1, p1, 0}, {1, 0, p2}}, 3},
		{[][]int{{2, 3, 0}, {-4, -6, 0}, {6, 9, 0}, {0, 0, -1}, {0, 0, 5}}, 2}, // parallel
		{[][]int{{1<<62 + 1, 1 << 62}, {1 << 62, 1<<62 - 1}}, 2},               // determinant -1
		{[][]int{{}, {}}, 0},
		{nil, 0},
	} {
		m := must(matroid.NewLinear(c.vectors))
		if m.Rank() != c.rank {
			t.Errorf("rank of %v is %d, want %d", c.vectors, m.Rank(), c.rank)
		}
		all := identity(m.Size())
		if got := matroid.NewOracle(m).Independent(all); got != (c.rank == m.Size()) {
			t.Errorf("%v independent: %v", c.vectors, got)
		}
	}
}

func TestLinearFloatTolerance(t *testing.T) {
	vectors := [][]float64{{1, 1e5}, {1, 1e5 + 1e-3}, {0.1 + 0.2, 0}, {0.3, 0}}
	for _, c := range []struct {
		tolerance   float64
		list        []int
		independent bool
	}{
		{0, []int{0, 1}, false}, // 1e-13 radians apart
		{1e-14 * 10, []int{0, 2}, true},
		{0, []int{2, 3}, false},
		{1e-5, []int{0, 2}, true},
	} {
		if got := matroid.NewOracle(must(matroid.NewLinearFloat(vectors, c.tolerance))).Independent(c.list); got != c.independent {
			t.Errorf("tolerance %v: %v independent: %v", c.tolerance, c.list, got)
		}
	}
}

// The tests above are about the primes that Linear has.
func TestPrimes(t *testing.T) {
	for p := int64(p2); p <= p1; p += 2 {
		if got := big.NewInt(p).ProbablyPrime(0); got != (p == p1 || p == p2) {
			t.Errorf("%d is prime: %v", p, got)
		}
	}
}
