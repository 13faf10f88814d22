package continual

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestRowsAreNotAskedFor: a reader who calls noisy sums exact is not shown the rows.
func TestRowsAreNotAskedFor(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, a := range []*mechanismtest.Player[privacy.Sums]{
		mechanismtest.Played(Tree{Noise: Gaussian{Budget: b}}), mechanismtest.Played(Tree{Noise: Wishart{Budget: b}}), mechanismtest.Played(PanPrivateTree{Noise: Gaussian{Budget: b}}),
		mechanismtest.Played(Honaker{Budget: b}), mechanismtest.Played(SquareRoot{Budget: b}), mechanismtest.Played(BLT{Budget: b}), mechanismtest.Played(Unbounded{Budget: b}), mechanismtest.Played(SecureTree{Budget: b}),
	} {
		if err := a.Open(privacy.Setup{Dim: 3, Horizon: 11, Bound: 1.5, Context: 1.2, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		a.Start(privacy.NewNoise(mechanismtest.Source()))
		for range 3 {
			a.Release().Exact = true
			if _, err := a.Add(privacy.Row([]float64{0.1, 0.2, 0.3})); err != nil {
				t.Fatal(err)
			}
			if r := a.Release(); r.Row != nil || r.Exact {
				t.Errorf("a %T shows the row %v, and claims epsilon = %v", a, r.Row, privacy.ClaimOf(a).Epsilon())
			}
		}
	}
}
