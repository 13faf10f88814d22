package environment

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
	"gonum.org/v1/gonum/mat"
)

func TestKernel(t *testing.T) {
	for name, e := range map[string]Kernel{
		"fresh": {}, "fixed": {Fixed: true, Dim: 2}, "small norm": {Dim: 3, Arms: 4, Norm: 0.2, Centres: 1},
	} {
		t.Run(name, func(t *testing.T) { bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1}) })
	}
}

// TestKernelLaw: f has the norm that it is given, by gonum and the matrix of the centres; the means
// are f and stay within the norm; and contexts are uniform in the ball, E|x|^2 = d/(d+2), to 5
// standard errors of 20,000 (false alarm 1e-6 each; the seed is fixed).
func TestKernelLaw(t *testing.T) {
	const rounds, arms = 1000, 20
	for trial, e := range []Kernel{{}, {Dim: 2, Norm: 0.5, Lengthscale: 0.6}, {Dim: 4, Centres: 30, Lengthscale: 2}} {
		k := runtest.Open(t, e).Start(random.New(1, trial, "contexts")).(*kernel)
		f := e.filled()
		gauss := func(x, z []float64) float64 {
			var square float64
			for i := range x {
				square += (x[i] - z[i]) * (x[i] - z[i])
			}
			return math.Exp(-square / (2 * f.Lengthscale * f.Lengthscale))
		}
		centre := func(j int) []float64 { return k.centres[j*f.Dim : (j+1)*f.Dim] }
		gram := mat.NewSymDense(f.Centres, nil)
		for i := range f.Centres {
			for j := range f.Centres {
				gram.SetSym(i, j, gauss(centre(i), centre(j)))
			}
		}
		c := mat.NewVecDense(f.Centres, k.c)
		if got := math.Sqrt(mat.Inner(c, gram, c)); math.Abs(got-f.Norm) > 1e-6 {
			t.Errorf("%+v: the norm of f is %v", e, got)
		}
		var v bandit.View
		var sum, square float64
		for range rounds {
			k.Next(&v)
			best := -1.0
			for a := range arms {
				var want float64
				for j := range f.Centres {
					want += k.c[j] * gauss(v.Row(a), centre(j))
				}
				if got := k.mean[a]; math.Abs(got-want) > 1e-9 || math.Abs(got) > f.Norm+1e-12 {
					t.Fatalf("%+v: mean %v, want %v, within %v", e, got, want, f.Norm)
				}
				best = max(best, k.mean[a])
				r := inner(v.Row(a), v.Row(a))
				sum, square = sum+r, square+r*r
			}
			if k.best != best {
				t.Fatalf("best mean %v, want %v", k.best, best)
			}
		}
		n, d := float64(rounds*arms), float64(f.Dim)
		mean := sum / n
		if off := (mean - d/(d+2)) / math.Sqrt((square/n-mean*mean)/n); math.Abs(off) > 5 {
			t.Errorf("%+v: E|x|^2 = %v, %.1f standard errors from d/(d+2)", e, mean, off)
		}
	}
}

func TestKernelRefuses(t *testing.T) {
	for want, e := range map[string]Kernel{
		"Arms = -1": {Arms: -1}, "Dim = -3": {Dim: -3}, "Centres = 2000": {Centres: 2000}, "Lengthscale = -1": {Lengthscale: -1},
		"Lengthscale = NaN": {Lengthscale: math.NaN()}, "Norm = 1.5": {Norm: 1.5}, "Norm = -1": {Norm: -1},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error that names %q", e, err, want)
		}
	}
}
