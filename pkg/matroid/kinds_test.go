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
}

const (
	p1 = 1<<61 - 1  // the primes of Linear
	p2 = 1<<61 - 31 // the next below
)

func linear(t *rapid.T, entries *rapid.Generator[int]) defined {
	dim := rapid.IntRange(0, 4).Draw(t, "dim")
	vectors := make([][]int, rapid.IntRange(0, 8).Draw(t, "size"))
	for e := range vectors {
		vectors[e] = rapid.SliceOfN(entries, dim, dim).Draw(t, "vector")
	}
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
		var loops []int
		for e := range m.Size() {
			if !m.independent([]int{e}) {
				loops = append(loops, e)
			}
		}
		if got := matroid.Loops(m); !slices.Equal(got, loops) {
			t.Fatalf("Loops = %v, want %v", got, loops)
		}
	})
}

// A builder answers right in the course of adding, refusing and clearing, beside another one of the same matroid.
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
		if got := o.Independent(c.list); got != c.independent || got != matroid.IsIndependent(m, c.list) {
			t.Errorf("Independent(%v) = %v", c.list, got)
		}
		if got := o.Basis(c.list); got != c.basis || got != matroid.IsBasis(m, c.list) {
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
