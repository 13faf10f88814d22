package privacy

import (
	"errors"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// The ledger counts discrete noise by its law, and the draws are those of package random from the
// same stream.
func TestDiscreteNoiseIsCounted(t *testing.T) {
	g, err := random.NewDiscreteGaussian(49, 2)
	if err != nil {
		t.Fatal(err)
	}
	l, err := random.NewDiscreteLaplace(9, 4)
	if err != nil {
		t.Fatal(err)
	}
	ledger := NewLedger(random.Source(1, 0, "discrete noise"))
	n := NewNoise(ledger)
	dst, want := make([]int64, 5), make([]int64, 5)
	plain := NewNoise(random.Source(1, 0, "discrete noise"))
	for range 3 {
		n.DiscreteGaussian(dst, g)
		g.Fill(plain.rng, want)
		for i := range dst {
			if dst[i] != want[i] {
				t.Fatalf("draw %v, want %v", dst, want)
			}
		}
	}
	n.DiscreteLaplace(dst[:2], l)
	claimed := []Draws{{DiscreteGaussianLaw(5, g), 3}, {DiscreteLaplaceLaw(2, l), 1}}
	if err := ledger.Check(claimed); err != nil {
		t.Error(err)
	}
	claimed[1].Dim = 5
	if err := ledger.Check(claimed); !errors.Is(err, ErrLedger) {
		t.Errorf("a claim of another dimension: %v", err)
	}
	if allocs := testing.AllocsPerRun(100, func() { n.DiscreteGaussian(dst, g); n.DiscreteLaplace(dst, l) }); allocs != 0 {
		t.Errorf("%v allocations a draw", allocs)
	}
}
