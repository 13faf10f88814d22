package loss

import (
	"errors"
	"math"
	"testing"
)

// curve returns delta at an epsilon of a pair of atoms.
func (x Pair) curve(epsilon float64) float64 {
	sum := x.inf + x.lost
	for _, v := range x.atoms {
		sum += v.p * math.Max(0, -math.Expm1(epsilon-v.loss))
	}
	return sum
}

// TestGroupedShifts: raised k times, the pair of log-concave noise that moves by s is that of noise
// which moves by k s.
func TestGroupedShifts(t *testing.T) {
	for _, c := range []struct {
		name string
		of   func(s int64) (Pair, error)
	}{
		{"discrete Laplace", func(s int64) (Pair, error) { return DiscreteLaplace(s, 2.5) }},
		{"discrete Gaussian", func(s int64) (Pair, error) { return DiscreteGaussian(s, 1.7) }},
	} {
		for _, s := range []int64{1, 2, 3} {
			for _, k := range []int{2, 3, 7} {
				one, err := c.of(s)
				if err != nil {
					t.Fatal(err)
				}
				closed, err := one.Grouped(k)
				if err != nil {
					t.Fatal(err)
				}
				one.group = nil
				raised, err := one.Grouped(k)
				if err != nil {
					t.Fatal(err)
				}
				for _, epsilon := range []float64{0, 0.1, 0.77, 2, 5} {
					want, got := closed.curve(epsilon), raised.curve(epsilon)
					if want > 1e-40 && !(got >= want*(1-1e-13) && got <= want*(1+1e-9)+1e-40) {
						t.Errorf("%s of %d, %d records, epsilon = %v: delta = %v, want %v", c.name, s, k, epsilon, got, want)
					}
				}
			}
		}
	}
}

// TestGroupedResponse: the largest power after k changes, for a response of two, against the
// composition of R(a) = min(delta + e^eps a, 1 - e^-eps (1 - delta - a)), whose corners are known.
func TestGroupedResponse(t *testing.T) {
	for _, b := range []struct{ Epsilon, Delta float64 }{{0.3, 0}, {1, 0}, {0.5, 1e-7}, {2, 1e-3}} {
		e := math.Exp(b.Epsilon)
		power := func(a float64) float64 {
			return math.Min(1, math.Min(b.Delta+e*a, 1-math.Max(0, 1-b.Delta-a)/e))
		}
		knee := (1 - b.Delta) / (1 + e)
		for _, k := range []int{2, 3, 6} {
			one, err := Response(b.Epsilon, b.Delta, 2)
			if err != nil {
				t.Fatal(err)
			}
			x, err := one.Grouped(k)
			if err != nil {
				t.Fatal(err)
			}
			corners := []float64{0, 1 - b.Delta}
			for j, a := 0, knee; j < k; j++ { // a is taken to the corner by j changes
				corners = append(corners, a)
				if a > b.Delta && (a-b.Delta)/e <= knee {
					a = (a - b.Delta) / e
				} else {
					a = 1 - b.Delta - e*(1-a)
				}
				if a < 0 {
					break
				}
			}
			for _, epsilon := range []float64{0, 0.2, 0.9, 2, 5, b.Epsilon * float64(k)} {
				want := 0.0
				for _, a := range corners {
					p := a
					for range k {
						p = power(p)
					}
					want = math.Max(want, p-math.Exp(epsilon)*a)
				}
				if got := x.curve(epsilon); !(math.Abs(got-want) <= 1e-12*(1+math.Exp(epsilon)*1e-3)) {
					t.Errorf("%d records of %v at epsilon = %v: delta = %v, want %v", k, b, epsilon, got, want)
				}
			}
			// At k epsilon the group property is exact.
			want := b.Delta * math.Expm1(float64(k)*b.Epsilon) / math.Expm1(b.Epsilon)
			if got := x.curve(float64(k) * b.Epsilon); want < knee && !(got >= want && got <= want*(1+1e-9)) {
				t.Errorf("%d records of %v at epsilon = %v: delta = %v, want %v", k, b, float64(k)*b.Epsilon, got, want)
			}
		}
	}
}

// TestMissingMass: what is missing from a law of two is a probability of telling them apart.
func TestMissingMass(t *testing.T) {
	for _, c := range [][2][]float64{
		{{0.5, 0.5 - 9e-10}, {0.5, 0.5}}, {{0.5, 0.5}, {0.5 - 9e-10, 0.5}},
	} {
		x, err := Discrete(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		if d := x.curve(1); !(d >= 8.9e-10 && d <= 9.1e-10) {
			t.Errorf("%v and %v: delta = %v at epsilon = 1, want 9e-10", c[0], c[1], d)
		}
	}
	x, err := Discrete([]float64{0.1, 0.2, 0.7}, []float64{0.2, 0.1, 0.7})
	if err != nil || x.inf != 0 {
		t.Errorf("masses that sum to 1 but for rounding: an infinite loss of %v, %v", x.inf, err)
	}
}

// TestGroupedContinuous: a continuous pair is grouped in closed form, or not at all.
func TestGroupedContinuous(t *testing.T) {
	x, err := Gaussian(1)
	if err != nil {
		t.Fatal(err)
	}
	x.group = nil
	if _, err := x.Grouped(2); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a continuous pair without a closed form: %v", err)
	}
}
