package matroid_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/matroid"
)

func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// table2 holds the vectors and means of the synthetic experiment of the matroid paper.
var (
	table2      = [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}}
	table2Means = []float64{.80, .75, .60, .20, .30, .40, .70}
)

// genres returns films as vectors of 18 genres, 2 to 4 each, of rank 17: no film has the last one.
func genres(films int) [][]int {
	rng := rand.New(rand.NewPCG(1, 18))
	vectors := make([][]int, films)
	for e := range vectors {
		vectors[e] = make([]int, 18)
		for _, g := range rng.Perm(17)[:2+rng.IntN(3)] {
			vectors[e][g] = 1
		}
	}
	return vectors
}

func randomEnds(vertices, edges int) [][2]int {
	rng := rand.New(rand.NewPCG(2, uint64(edges)))
	ends := make([][2]int, edges)
	for e := range ends {
		ends[e] = [2]int{rng.IntN(vertices), rng.IntN(vertices)}
	}
	return ends
}

func randomGraph(vertices, edges int) matroid.Matroid {
	return must(matroid.NewGraphic(vertices, randomEnds(vertices, edges)))
}

func BenchmarkGreedy(b *testing.B) {
	for _, c := range []struct {
		kind string
		m    matroid.Matroid
	}{
		{"linear", must(matroid.NewLinear(table2))},
		{"linear", must(matroid.NewLinear(genres(100)))},
		{"linear", must(matroid.NewLinear(genres(1000)))},
		{"graphic", randomGraph(200, 1000)},
		{"linear-large", sizes["linear/large"]},
		{"linear-float", sizes["linear/float"]},
		{"transversal", sizes["transversal"]},
		{"laminar", sizes["laminar"]},
		{"partition", sizes["partition"]},
		{"uniform", must(matroid.NewUniform(1000, 10))},
	} {
		name := fmt.Sprintf("%s/L=%d/K=%d", c.kind, c.m.Size(), c.m.Rank())
		b.Run(name+"/fresh", func(b *testing.B) { fresh(b, c.m) })
		b.Run(name+"/drifting", func(b *testing.B) { drifting(b, c.m) })
	}
}

const sets = 256 // of weights, in turn, drawn beforehand

// fresh has new normal weights each time, as Thompson sampling has at first.
func fresh(b *testing.B, m matroid.Matroid) {
	rng := rand.New(rand.NewPCG(3, 0))
	weights := make([][]float64, sets)
	for i := range weights {
		weights[i] = make([]float64, m.Size())
		for e := range weights[i] {
			weights[i][e] = rng.NormFloat64()
		}
	}
	ask(b, m, weights)
}

// drifting has the weights of one round after another of a bandit with confidence bounds, from
// round 10,000 on.
func drifting(b *testing.B, m matroid.Matroid) {
	rng := rand.New(rand.NewPCG(4, 0))
	mean, plays := make([]float64, m.Size()), make([]float64, m.Size())
	for e := range mean {
		mean[e], plays[e] = rng.Float64(), 1
	}
	w, weights := make([]float64, m.Size()), [][]float64{}
	g, basis := matroid.NewGreedy(m), []int{}
	for t := range 10_000 + sets {
		for e := range w {
			w[e] = mean[e] + math.Sqrt(1.5*math.Log(float64(t+2))/plays[e])
		}
		if t >= 10_000 {
			weights = append(weights, slices.Clone(w))
		}
		basis = g.Basis(w, basis[:0])
		for _, e := range basis {
			plays[e]++
		}
	}
	ask(b, m, weights)
}

func ask(b *testing.B, m matroid.Matroid, weights [][]float64) {
	g, basis := matroid.NewGreedy(m), make([]int, 0, m.Rank())
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		basis = g.Basis(weights[i%sets], basis[:0])
		i++
	}
}
