package matroid_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// byTheBook is the greedy algorithm over a definition of independence.
func byTheBook(size int, independent func([]int) bool, weights []float64) []int {
	order := make([]int, size)
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	basis := []int{}
	for _, e := range order {
		if larger := append(slices.Clone(basis), e); independent(larger) {
			basis = larger
		}
	}
	return basis
}

var someWeights = rapid.OneOf(rapid.SampledFrom([]float64{-1, 0, math.Copysign(0, -1), 1, 2}), rapid.Float64Range(-1, 1))

// Greedy's basis is heaviest of all, and the same as the textbook's, ties included, in each of
// several calls with some weights changed in between.
func TestGreedyBest(t *testing.T) {
	each(t, func(t *rapid.T, m defined) {
		g := matroid.NewGreedy(m)
		weights := rapid.SliceOfN(someWeights, m.Size(), m.Size()).Draw(t, "weights")
		for range 6 {
			basis := g.Basis(weights, nil)
			if want := byTheBook(m.Size(), m.independent, weights); !slices.Equal(basis, want) {
				t.Fatalf("Basis(%v) = %v, want %v", weights, basis, want)
			}
			if len(basis) != m.Rank() || !m.independent(basis) {
				t.Fatalf("Basis(%v) = %v is no basis", weights, basis)
			}
			sum := func(set []int) (s float64) {
				for _, e := range set {
					s += weights[e]
				}
				return s
			}
			for bits := range uint(1) << m.Size() {
				if set := members(bits); len(set) == m.Rank() && m.independent(set) && sum(set) > sum(basis)+1e-12 {
					t.Fatalf("Basis(%v) = %v of weight %v, %v has %v", weights, basis, sum(basis), set, sum(set))
				}
			}
			if m.Size() > 0 {
				for range rapid.IntRange(0, 3).Draw(t, "changes") {
					weights[rapid.IntRange(0, m.Size()-1).Draw(t, "e")] = someWeights.Draw(t, "w")
				}
			}
		}
	})
}

// If the elements get other names, the basis gets them too. Without ties.
func TestGreedyEquivariant(t *testing.T) {
	each(t, func(t *rapid.T, m defined) {
		name := rapid.Permutation(identity(m.Size())).Draw(t, "names")
		weights := make([]float64, m.Size())
		for e, w := range rapid.Permutation(identity(m.Size())).Draw(t, "weights") {
			weights[e] = float64(w) - 3
		}
		renamed := make([]float64, m.Size())
		for e, w := range weights {
			renamed[name[e]] = w
		}
		want := matroid.NewGreedy(m).Basis(weights, nil)
		for i, e := range want {
			want[i] = name[e]
		}
		if got := matroid.NewGreedy(rename(m, name)).Basis(renamed, nil); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// renamed is a matroid whose element name[e] is another's e.
type renamed struct {
	matroid.Matroid
	old []int
}

type renamedBuilder struct {
	matroid.Builder
	old []int
}

func rename(m matroid.Matroid, name []int) matroid.Matroid {
	old := make([]int, len(name))
	for e, n := range name {
		old[n] = e
	}
	return renamed{m, old}
}

func (m renamed) NewBuilder() matroid.Builder { return renamedBuilder{m.Matroid.NewBuilder(), m.old} }
func (b renamedBuilder) Add(e int) bool       { return b.Builder.Add(b.old[e]) }

// Hundreds of weights of many shapes, one after another, are put in order as the library's stable
// sort puts them.
func TestGreedyLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	shapes := map[string]func(w []float64, e int) float64{
		"normal":     func(w []float64, e int) float64 { return rng.NormFloat64() },
		"ties":       func(w []float64, e int) float64 { return float64(rng.IntN(3)) },
		"one":        func(w []float64, e int) float64 { return 1 },
		"increasing": func(w []float64, e int) float64 { return float64(e) },
		"decreasing": func(w []float64, e int) float64 { return float64(-e) },
		"geometric":  func(w []float64, e int) float64 { return math.Ldexp(rng.Float64(), -rng.IntN(1000)) },
		"clusters": func(w []float64, e int) float64 {
			return float64(rng.IntN(2)) + 1e-9*float64(rng.IntN(2)) + 1e-15*rng.Float64()
		},
		"outlier": func(w []float64, e int) float64 { return rng.Float64() + 1e100*float64(max(0, 1-e)) },
		"infinite": func(w []float64, e int) float64 {
			return []float64{math.Inf(1), math.Inf(-1), rng.Float64()}[rng.IntN(3)]
		},
		"huge":        func(w []float64, e int) float64 { return math.MaxFloat64 * (2*rng.Float64() - 1) },
		"subnormal":   func(w []float64, e int) float64 { return float64(rng.IntN(50)-25) * math.SmallestNonzeroFloat64 },
		"signed zero": func(w []float64, e int) float64 { return math.Copysign(0, rng.Float64()-0.5) },
		"drift": func(w []float64, e int) float64 {
			if rng.IntN(20) == 0 {
				return w[e] + 0.1*rng.NormFloat64()
			}
			return w[e]
		},
		"few moves": func(w []float64, e int) float64 {
			if rng.IntN(300) == 0 {
				return w[e] + 1e-3*rng.NormFloat64()
			}
			return w[e]
		},
		"same": func(w []float64, e int) float64 { return w[e] },
	}
	var names []string
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, size := range []int{19, 20, 21, 22, 100, 400} {
		all := must(matroid.NewUniform(size, size))
		some := must(matroid.NewUniform(size, size/3))
		graph, ends := randomGraph(size/4+1, size), randomEnds(size/4+1, size)
		for _, m := range []defined{
			{all, func([]int) bool { return true }},
			{some, func(set []int) bool { return len(set) <= size/3 }},
			{graph, func(set []int) bool { return forest(size/4+1, ends, set) }},
		} {
			g := matroid.NewGreedy(m)
			w := make([]float64, size)
			for range 60 {
				name := names[rng.IntN(len(names))]
				for e := range w {
					w[e] = shapes[name](w, e)
				}
				for e := range w { // a difference of infinities
					if math.IsNaN(w[e]) {
						w[e] = 0
					}
				}
				if got, want := g.Basis(w, nil), byTheBook(size, m.independent, w); !slices.Equal(got, want) {
					t.Fatalf("L=%d, %s: %v, want %v", size, name, got, want)
				}
			}
		}
	}
}

func TestGreedyAppends(t *testing.T) {
	g := matroid.NewGreedy(must(matroid.NewLinear(table2)))
	want := []int{9, 0, 1, 2}
	if got := g.Basis(table2Means, []int{9}); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := g.Basis(table2Means, []int{9}); !slices.Equal(got, want) {
		t.Errorf("again: %v, want %v", got, want)
	}
}

func TestGreedyPanics(t *testing.T) {
	g := matroid.NewGreedy(must(matroid.NewLinear(table2)))
	nan := math.NaN()
	for _, c := range []struct {
		weights []float64
		want    string
	}{
		{[]float64{1, 2}, "matroid: Greedy.Basis of 2 weights, want 7"},
		{[]float64{1, 2, nan, 4, 5, 6, 7}, "matroid: Greedy.Basis with weights[2] = NaN"},
		{[]float64{1, 2, 3, 4, 5, 6, nan}, ""}, // of a loop
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want && (got != nil || c.want != "") {
					t.Errorf("Basis(%v) panics with %v, want %q", c.weights, got, c.want)
				}
			}()
			g.Basis(c.weights, nil)
		}()
	}
	if got := g.Basis(table2Means, nil); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("after a panic: %v", got)
	}
}

func TestGreedyAllocates(t *testing.T) {
	for kind, m := range sizes {
		rng := rand.New(rand.NewPCG(6, 0))
		g, basis, w := matroid.NewGreedy(m), make([]int, 0, m.Rank()), make([]float64, m.Size())
		if n := testing.AllocsPerRun(200, func() {
			for e := range w {
				w[e] = math.Ldexp(rng.Float64(), -rng.IntN(100)*rng.IntN(2))
			}
			basis = g.Basis(w, basis[:0])
		}); n != 0 {
			t.Errorf("%s: Basis allocates %v times", kind, n)
		}
	}
}

// What is no matroid gets some maximal set, and no panic.
func TestGreedyBroken(t *testing.T) {
	weights := make([]float64, 9)
	for name, c := range broken(9) {
		g := matroid.NewGreedy(c.m)
		for range 3 {
			if got := g.Basis(weights, nil); len(got) > 9 {
				t.Errorf("%s: %v", name, got)
			}
			weights[4]++
		}
	}
}
