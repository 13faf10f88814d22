package external

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
)

// BenchmarkRound plays rounds with a Python program that answers at once.
func BenchmarkRound(b *testing.B) {
	small := bandit.Problem{Arms: 10, Slots: 1, RewardMax: 1}
	large := bandit.Problem{Arms: 100, Dim: 5, Slots: 1, ContextNorm: 1, RewardMax: 1}
	for _, c := range []struct {
		name    string
		problem bandit.Problem
		stay    bool
		args    []string
	}{
		{"python/contexts=none", small, false, nil},
		{"python/contexts=100x5,once", large, true, nil},
		{"python/contexts=100x5,json", large, false, nil},
		{"python/contexts=100x5,packed", large, false, []string{"packed"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			program := python(b, append([]string{"testdata/quick.py"}, c.args...)...)
			own := rand.New(rand.NewPCG(1, 2))
			run := bandittest.Run(b, program, c.problem, 1<<30, own, rand.NewPCG(3, 4))
			b.Cleanup(func() { bandit.Close(run.Ready) })
			x := make([]float64, c.problem.Arms*c.problem.Dim)
			for i := range x {
				x[i] = own.Float64() - 0.5
			}
			v := bandit.View{Arms: c.problem.Arms, Dim: c.problem.Dim, X: x}
			var arms []int
			y := []float64{0.123456789}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				v.Round++
				v.Same = c.stay && v.Round > 1
				arms = run.Select(&v, arms[:0])
				run.Update(&v, arms, y)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
