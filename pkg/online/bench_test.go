package online

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// noisy returns gradients of length about 1 (some are clipped): a drift to one side, so that points
// live on the sphere, under noise, as the corrected losses of local privacy have it.
func noisy(seed uint64, dim, rounds int) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([][]float64, rounds)
	scale := 0.7 / math.Sqrt(float64(dim))
	for t := range all {
		all[t] = make([]float64, dim)
		for j := range all[t] {
			all[t][j] = scale * r.NormFloat64()
		}
		all[t][0] -= 0.1
	}
	return all
}

func BenchmarkUpdate(b *testing.B) {
	const rounds = 20000
	for _, c := range []struct {
		name string
		of   Learner
	}{
		{"ogd", OGD{Gradient: 1}},
		{"ftrl", FTRL{Gradient: 1}},
		{"ons", ONS{Gradient: 1, ExpConcave: 0.5}},
		{"maler", Maler{Gradient: 1}},
		{"metagrad", MetaGrad{Gradient: 1}},
	} {
		for _, dim := range []int{5, 20} {
			b.Run(fmt.Sprintf("%s/d=%d/T=%d", c.name, dim, rounds), func(b *testing.B) {
				gradients := noisy(1, dim, 4096)
				ready := open(b, c.of, dim, rounds)
				var l Run
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if i%rounds == 0 {
						l = ready.Start(nil, nil)
					}
					l.Predict()
					if err := l.Update(gradients[i%len(gradients)]); err != nil {
						b.Fatal(err)
					}
					i++
				}
			})
		}
	}
}
