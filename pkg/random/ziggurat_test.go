package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The draws are math/rand's: a table wrong in one unit would change one of them, and all that
// follow.
func TestZigguratsAgainstRand(t *testing.T) {
	ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for i := range 3_000_000 {
		if got, want := Normal(ours), theirs.NormFloat64(); !(math.Abs(got-want) <= 1e-15*math.Abs(want)) {
			t.Fatalf("draw %d: Normal = %v, want %v", i, got, want)
		}
		if got, want := Exponential(ours), theirs.ExpFloat64(); !(math.Abs(got-want) <= 1e-15*want) {
			t.Fatalf("draw %d: Exponential = %v, want %v", i, got, want)
		}
	}
}

func BenchmarkNormal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			Normal(r)
		}
	})
	b.Run("rand", func(b *testing.B) {
		for b.Loop() {
			r.NormFloat64()
		}
	})
	b.Run("exponential/ours", func(b *testing.B) {
		for b.Loop() {
			Exponential(r)
		}
	})
	b.Run("exponential/rand", func(b *testing.B) {
		for b.Loop() {
			r.ExpFloat64()
		}
	})
}
