package mechanism

import (
	"math/big"
	"testing"
)

// TestSquareRootAgainstItsMatrix compares the streaming noise, exactly, with the dense matrix of binom(2k, k)/4^k; A = C C.
func TestSquareRootAgainstItsMatrix(t *testing.T) {
	for _, horizon := range []int{2, 3, 10, 100, 512} {
		root := &SquareRoot{Budget: budget}
		b := impulses(t, root, &root.factorised, horizon, horizon-1)
		f := make([]float64, horizon-1)
		for k := range f {
			ratio := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(2*k), int64(k)), new(big.Int).Lsh(big.NewInt(1), uint(2*k)))
			f[k], _ = ratio.Float64()
		}
		c := toeplitz(f)
		agree(t, b, c, &root.factorised)
		if e := distance(b, c); e > 1e-13 {
			t.Errorf("horizon %d: B and C differ by %v", horizon, e)
		}
	}
}
