package external

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
)

// BenchmarkRound plays rounds with Python programs that answer at once: one, and four side by side,
// as the judge plays them on two cores. Where a core has nothing else to do, a single program waits
// for it to wake up, twice a round.
func BenchmarkRound(b *testing.B) {
	small := bandit.Problem{Arms: 10, Slots: 1, RewardMax: 1}
	large := bandit.Problem{Arms: 100, Dim: 5, Slots: 1, ContextNorm: 1, RewardMax: 1}
	for _, c := range []struct {
		name    string
		problem bandit.Problem
		stay    bool
		args    []string
	}{
		{"contexts=none", small, false, nil},
		{"contexts=100x5,once", large, true, nil},
		{"contexts=100x5,json", large, false, nil},
		{"contexts=100x5,packed", large, false, []string{"packed"}},
	} {
		for _, programs := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/programs=%d", c.name, programs), func(b *testing.B) {
				python := python(b, append([]string{"testdata/quick.py"}, c.args...)...)
				rounds := max(1, b.N/programs)
				var start, end sync.WaitGroup
				start.Add(1)
				for i := range programs {
					own := rand.New(rand.NewPCG(1, uint64(i)))
					run := runtest.Run(b, python, c.problem, 1<<30, own, rand.NewPCG(3, 4))
					b.Cleanup(func() { bandit.Close(run.Ready) })
					x := make([]float64, c.problem.Arms*c.problem.Dim)
					for i := range x {
						x[i] = own.Float64() - 0.5
					}
					end.Go(func() {
						v := bandit.View{Arms: c.problem.Arms, Dim: c.problem.Dim, X: x}
						var arms []int
						y := []float64{0.123456789}
						start.Wait()
						for range rounds {
							v.Round++
							v.Same = c.stay && v.Round > 1
							arms = run.Select(&v, arms[:0])
							run.Update(&v, arms, y)
						}
					})
				}
				b.ReportAllocs()
				b.ResetTimer()
				start.Done()
				end.Wait()
				b.ReportMetric(float64(rounds*programs)/b.Elapsed().Seconds(), "rounds/s")
			})
		}
	}
}
