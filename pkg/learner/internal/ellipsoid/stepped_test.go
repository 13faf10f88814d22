package ellipsoid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// TestStepped follows arms through rows, and compares with what is computed from the ellipsoid: the
// errors are within their bounds, which stay small, and the arms left have the greatest bound.
func TestStepped(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, d := range []int{2, 17, 20, 50} {
		const arms, rounds = 40, 600
		p := bandit.Problem{Arms: arms, Dim: d, Slots: 1}
		v := bandit.View{Arms: arms, Dim: d, X: make([]float64, arms*d)}
		for i := range v.X {
			v.X[i] = r.NormFloat64() / math.Sqrt(float64(d))
		}
		copy(v.X[d:], v.X[:d]) // a tie
		var e Estimate
		e.Init(d)
		for i := range d {
			e.Inverse[packed.Size(i)+i] = 1 / (0.01 + r.Float64())
		}
		e.Width[0] = 1
		s, work, left := newStepped(p), make([]float64, arms), []int(nil)
		s.own = &e.Ellipsoid
		if !s.set(&e.Ellipsoid, &v) {
			t.Fatal("refused")
		}
		kept, best := 0, 0
		for range rounds {
			s.gain, s.residual = e.Step(v.Row(best), r.NormFloat64())
			copy(s.k, e.vector)
			s.steps = 1
			var ok bool
			if left, ok = s.sift(&e.Ellipsoid, &v, work, left[:0]); !ok {
				t.Fatal("refused")
			}
			best = -1
			var top float64
			for a := range arms {
				var dot, square [1]float64
				packed.Products(dot[:], square[:], v.Row(a), e.Theta)
				packed.Quadratics(square[:], e.Inverse, v.Row(a), d)
				theta := packed.Norm(e.Theta)
				if off := math.Abs(dot[0] - s.dots[a]); off > s.length*(s.offDot+s.unit()*theta) || s.offDot > 1e-8*theta {
					t.Fatalf("d = %d: an estimate is off by %v, the bound is %v for |x| = 1, and |theta| = %v", d, off, s.offDot, theta)
				}
				if off := math.Abs(square[0] - s.squares[a]); off > s.length*s.length*(s.offSquare+s.unit()*s.norm) || s.offSquare > 1e-7 {
					t.Fatalf("d = %d: a squared width is off by %v, the bound is %v for |x| = 1", d, off, s.offSquare)
				}
				if dot, width := Upper(&e.Ellipsoid, &v, a); best < 0 || dot+width > top {
					best, top = a, dot+width
				}
			}
			if !slices.Contains(left, best) {
				t.Fatalf("d = %d: arm %d is the best, left are %v", d, best, left)
			}
			kept += len(left)
		}
		if kept > 2*rounds {
			t.Errorf("d = %d: %d arms were left in %d rounds", d, kept, rounds)
		}
	}
}
