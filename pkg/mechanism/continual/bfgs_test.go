package continual

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
)

func TestMinimise(t *testing.T) {
	rosenbrock := func(x []float64) float64 {
		sum := 0.0
		for i := range len(x) - 1 {
			sum += 100*math.Pow(x[i+1]-x[i]*x[i], 2) + math.Pow(1-x[i], 2)
		}
		return sum
	}
	for _, n := range []int{2, 5, 8} {
		x := minimise(rosenbrock, make([]float64, n))
		for i, v := range x {
			if math.Abs(v-1) > 1e-4 {
				t.Errorf("Rosenbrock's valley in %d dimensions: x[%d] = %v, want 1", n, i, v)
			}
		}
	}
	broken := func(x []float64) float64 { return math.Log(x[0]) }
	if x := minimise(broken, []float64{-1}); x[0] != -1 {
		t.Errorf("no number anywhere: %v, want the start", x)
	}
}

// The kernel is as good as one by gonum's BFGS.
func TestBLTOptimum(t *testing.T) {
	for _, n := range []int{2, 5, 50, 1000, 20000, 50_000_000} {
		for _, d := range []int{1, 2, defaultBuffers(n), 8} {
			objective := func(steps []float64) float64 {
				k := bltAt(steps, float64(n))
				return math.Log(k.rowSquare(float64(n))*k.columnSquare(float64(n))) / 2
			}
			start := make([]float64, 2*d)
			for i := range start {
				start[i] = math.Log(math.Log1p(4*float64(n)) / float64(2*d+1))
			}
			best, _ := optimize.Minimize(optimize.Problem{
				Func: objective,
				Grad: func(grad, x []float64) {
					fd.Gradient(grad, objective, x, &fd.Settings{Formula: fd.Central, Step: 1e-5})
				},
			}, start, &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 200}, &optimize.BFGS{})
			k, err := newBLTKernel(d, n)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := k.rowNorm()*k.columnNorm(n), math.Exp(best.F); got > want*(1+1e-7) {
				t.Errorf("%d buffers over %d releases: a standard deviation of %v, want %v", d, n, got, want)
			}
		}
	}
}
