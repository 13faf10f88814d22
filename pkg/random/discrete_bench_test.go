package random

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

var scales = []uint64{1, 10, 100, 10_000, 1_000_000}

func BenchmarkDiscreteGaussian(b *testing.B) {
	for _, sigma := range scales {
		g, err := NewDiscreteGaussian(sigma*sigma, 1)
		if err != nil {
			b.Fatal(err)
		}
		for name, src := range map[string]rand.Source{"system": new(System), "pcg": rand.NewPCG(1, 2)} {
			b.Run(fmt.Sprintf("source=%s/sigma=%d", name, sigma), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					g.Rand(src)
				}
			})
		}
	}
}

func BenchmarkDiscreteLaplace(b *testing.B) {
	for _, scale := range scales {
		l, err := NewDiscreteLaplace(scale, 1)
		if err != nil {
			b.Fatal(err)
		}
		for name, src := range map[string]rand.Source{"system": new(System), "pcg": rand.NewPCG(1, 2)} {
			b.Run(fmt.Sprintf("source=%s/scale=%d", name, scale), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					l.Rand(src)
				}
			})
		}
	}
}

func BenchmarkSystem(b *testing.B) {
	s := new(System)
	b.ReportAllocs()
	for b.Loop() {
		s.Uint64()
	}
}
