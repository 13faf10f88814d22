package jdp

import (
	"context"
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// BenchmarkWorkers measures how the rounds per second of Experiment 2 grow with the workers.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("exp2/workers=%d", workers), func(b *testing.B) {
			e := experiment2(cell.Smoke, "bench", 0.1, 4, AsPublished)
			e.Rounds = 20_000
			rounds := 0
			for b.Loop() {
				if _, err := simulate.RunAll(context.Background(), []*simulate.Experiment{e}, simulate.Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
				rounds += e.Rounds * e.Trials * len(e.Policies)
			}
			b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
