package packed

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestShorten compares with the plain formula on vectors scaled by powers of two, which change no
// digit.
func TestShorten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-4, 4), 1, 6).Draw(t, "v")
		up := rapid.SampledFrom([]int{-1000, -600, 0, 600, 1000}).Draw(t, "exponent")
		bound := rapid.Float64Range(0.25, 4).Draw(t, "bound")
		var square float64
		for _, x := range v {
			square += x * x
		}
		norm := math.Sqrt(square)
		large := make([]float64, len(v))
		for i, x := range v {
			large[i] = math.Ldexp(x, up)
		}
		if got, want := math.Ldexp(Norm(large), -up), norm; norm > 1e-2 && math.Abs(got-want) > 1e-14*want {
			t.Fatalf("Norm = %v, want %v", got, want)
		}
		Shorten(large, math.Ldexp(bound, up))
		factor := 1.0
		if norm > bound {
			factor = bound / norm
		}
		for i, x := range v {
			if got, want := math.Ldexp(large[i], -up), factor*x; math.Abs(got-want) > 1e-14*bound {
				t.Fatalf("Shorten: entry %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestShortenExtremes(t *testing.T) {
	for _, v := range [][]float64{{math.MaxFloat64, -math.MaxFloat64}, {1e200, 3}, {0, 1e308, 0}} {
		Shorten(v, 2)
		if n := math.Hypot(v[0], v[1]); math.Abs(n-2) > 1e-15 {
			t.Errorf("shortened to %v, want 2: %v", n, v)
		}
	}
	for _, v := range [][]float64{{0, 0}, {5e-324, 0}, {1, 1}} {
		before := [2]float64{v[0], v[1]}
		if Shorten(v, 2); [2]float64(v) != before {
			t.Errorf("%v became %v", before, v)
		}
	}
	if n := Norm([]float64{3e-200, 4e-200}); math.Abs(n-5e-200) > 1e-214 {
		t.Errorf("Norm = %v, want 5e-200", n)
	}
	if Finite([]float64{1, math.NaN()}) || Finite([]float64{math.Inf(-1)}) || !Finite([]float64{math.MaxFloat64}) {
		t.Error("Finite is wrong")
	}
	const most = math.MaxFloat64
	if v := []float64{most, most, most, most, most, most}; !Finite(v) {
		t.Errorf("Finite refuses %v, whose sum overflows", v)
	}
	for n := range 10 {
		for i := range n {
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v := make([]float64, n)
				if v[i] = x; Finite(v) {
					t.Errorf("Finite takes %v", v)
				}
			}
		}
	}
}
