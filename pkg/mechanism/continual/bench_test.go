package continual

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// BenchmarkAccumulate times a round, Add and Read, of rows of 6 numbers, and reports what is kept
// as B/kept. Rounds are taken from the first on, over and over; SquareRoot's figure is the mean
// over its horizon if the benchmark takes that many.
func BenchmarkAccumulate(b *testing.B) {
	for _, c := range []struct {
		name     string
		make     *mechanismtest.Player[privacy.Sums]
		horizons []int
	}{
		{"tree", mechanismtest.Played(Tree{Noise: Gaussian{Budget: budget}}), []int{1e3, 1e5, 1e7}},
		{"honaker", mechanismtest.Played(Honaker{Budget: budget}), []int{1e3, 1e5, 1e7}},
		{"blt", mechanismtest.Played(BLT{Budget: budget}), []int{1e3, 1e4, 1e5, 1e6, 1e7, 5e7}},
		{"square-root", mechanismtest.Played(SquareRoot{Budget: budget}), []int{1e2, 1e3, 1e4, 1e5}},
	} {
		for _, horizon := range c.horizons {
			b.Run(fmt.Sprintf("%s/T=%.0e", c.name, float64(horizon)), func(b *testing.B) {
				acc := c.make
				if err := acc.Open(privacy.Setup{Dim: 6, Horizon: horizon, Bound: math.Sqrt2, Alpha: 0.1}); err != nil {
					b.Fatal(err)
				}
				row, release := privacy.Row([]float64{0.5, 0.5, 0, 0, 0, 1}), make([]float64, 21)
				acc.Start(privacy.NewNoise(mechanismtest.Source()))
				var counted *rows
				switch run := acc.Stream.(type) {
				case *treeRun:
					counted = &run.rows
				case *factorisedRun:
					counted = &run.rows
				}
				b.ReportAllocs()
				for b.Loop() {
					switch {
					case counted.count < horizon:
					case c.name == "square-root":
						acc.Start(privacy.NewNoise(mechanismtest.Source()))
						counted = &acc.Stream.(*factorisedRun).rows
					default:
						counted.count = 0
					}
					if _, err := acc.Add(row); err != nil {
						b.Fatal(err)
					}
					acc.Release().Read(release)
				}
				if run, ok := acc.Stream.(*factorisedRun); ok {
					if blt, ok := run.by.(*bltNoise); ok {
						b.ReportMetric(float64(8*len(blt.buffers)), "B/kept")
					}
				}
			})
		}
	}
}

// BenchmarkInit times the choice of BLT's parameters.
func BenchmarkInit(b *testing.B) {
	for _, horizon := range []int{1e3, 1e5, 1e7, 5e7, 1e9} {
		b.Run(fmt.Sprintf("blt/T=%.0e", float64(horizon)), func(b *testing.B) {
			for b.Loop() {
				if err := mechanismtest.Played(BLT{Budget: budget}).Open(privacy.Setup{Dim: 6, Horizon: horizon, Bound: math.Sqrt2, Alpha: 0.1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("blt/T=5e+07/buffers=16", func(b *testing.B) {
		for b.Loop() {
			if err := mechanismtest.Played(BLT{Budget: budget, Buffers: 16}).Open(privacy.Setup{Dim: 6, Horizon: 5e7, Bound: math.Sqrt2, Alpha: 0.1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
