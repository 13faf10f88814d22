package draw

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestTruncatedBeta compares six laws with gonum's. The seeds are fixed; new ones raise a false
// alarm with probability 1e-4 each.
func TestTruncatedBeta(t *testing.T) {
	for _, b := range []TruncatedBeta{{2, -.5, .9}, {3, -.75, .65}, {5, -.75, .65}, {5, .6, .65}, {64, -.75, .65}, {64, .5, .6}} {
		r := random.New(4, b.Dim, "beta")
		half := float64(b.Dim-1) / 2
		full := distuv.Beta{Alpha: half, Beta: half}
		lo, hi := full.CDF((b.Lo+1)/2), full.CDF((b.Hi+1)/2)
		if lo > 0.5 { // differences of survival functions keep their digits in the upper half
			lo, hi = -full.Survival((b.Lo+1)/2), -full.Survival((b.Hi+1)/2)
		}
		draws := make([]float64, 20000)
		for i := range draws {
			if draws[i] = b.Rand(r); draws[i] < b.Lo || draws[i] > b.Hi {
				t.Fatalf("%+v: drew %v", b, draws[i])
			}
		}
		cdf := func(v float64) float64 {
			if lo < 0 {
				return (-full.Survival((v+1)/2) - lo) / (hi - lo)
			}
			return (full.CDF((v+1)/2) - lo) / (hi - lo)
		}
		if d := expect.Kolmogorov(draws, cdf); d > 2.23 {
			t.Errorf("%+v: Kolmogorov distance %.3f", b, d)
		}
	}
	for _, b := range []TruncatedBeta{{1, -1, 1}, {3, .5, .5}, {3, -2, 0}, {3, 0, math.NaN()}} {
		if b.Validate() == nil {
			t.Errorf("%+v is accepted", b)
		}
	}
}
