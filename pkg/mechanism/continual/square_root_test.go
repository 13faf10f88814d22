package continual

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestSquareRootAgainstItsMatrix compares the streaming noise, exactly, with the dense matrix of
// binom(2k, k)/4^k; A = C C.
func TestSquareRootAgainstItsMatrix(t *testing.T) {
	for _, horizon := range []int{2, 3, 10, 100, 512} {
		root := mechanismtest.Played(SquareRoot{Budget: budget})
		b, of := impulses(t, root, horizon, horizon-1)
		f := make([]float64, horizon-1)
		for k := range f {
			ratio := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(2*k), int64(k)), new(big.Int).Lsh(big.NewInt(1), uint(2*k)))
			f[k], _ = ratio.Float64()
		}
		c := lowerToeplitz(f)
		agree(t, b, c, of)
		if e := distance(b, c); e > 1e-13 {
			t.Errorf("horizon %d: B and C differ by %v", horizon, e)
		}
	}
}

// TestSquareRootIsBestToeplitz: no change of C, small or large, that keeps it Toeplitz has a
// smaller |B| |C|. Random directions, so that this can refute and does not prove.
func TestSquareRootIsBestToeplitz(t *testing.T) {
	r := random.New(1, 0, "directions")
	for _, n := range []int{2, 3, 10, 40} {
		k := newRootKernel(n)
		best := k.square(n)
		for trial := range 300 {
			size := math.Pow(10, -float64(trial%4))
			b, c := make([]float64, n), append([]float64(nil), k.f...)
			for i := range c[1:] {
				c[i+1] += size * r.NormFloat64() / math.Sqrt(float64(n))
			}
			var rows, columns float64
			for i := range n {
				b[i] = 1
				for j := range i {
					b[i] -= b[j] * c[i-j]
				}
				rows += b[i] * b[i]
				columns += c[i] * c[i]
			}
			if product := math.Sqrt(rows * columns); product < best*(1-1e-12) {
				t.Fatalf("n = %d: |B| |C| = %v at C = %v, %v for the square root", n, product, c, best)
			}
		}
	}
}
