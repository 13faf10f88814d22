package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/internal/toeplitz"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SquareRoot releases running sums under Gaussian noise that is correlated by the square root of A,
// the lower triangular matrix of ones (Fichtenberger, Henzinger, Upadhyay 2023; Henzinger,
// Upadhyay, Upadhyay 2023).
//
// A = C C, where C is the Toeplitz matrix of f_k = binom(2k, k)/4^k, the coefficients of
// (1-x)^(-1/2). The largest standard deviation, in units of L~^2/mu, is sum_{k<n-1} f_k^2 = (ln
// n)/pi + 1.07. Here L~ is Setup.Bound, mu = mu*(epsilon, delta) and n is the horizon. No small
// change of C that keeps it Toeplitz gains anything: to first order c(x) (1 + e x^m) changes the
// norms of B and C by opposite factors where B = C. The trust model is central; neighbouring
// streams differ in one row, replaced.
//
// SquareRoot keeps the noise of every row, one packed matrix each. A round costs O(log^2 n)
// operations for each entry on average, and O(n log n) at worst. It is the yardstick of [BLT],
// which comes within 0.7% of it at a logarithm of the memory.
type SquareRoot struct {
	Budget privacy.Budget // no default; delta > 0
}

var _ privacy.Accumulator = SquareRoot{}

// squareRootHorizon is the longest horizon that SquareRoot accepts.
const squareRootHorizon = 1 << 17

// Open validates and calibrates.
func (q SquareRoot) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkFactorised(s, q.Budget); err != nil {
		return nil, err
	}
	if s.Horizon > squareRootHorizon {
		return nil, fmt.Errorf("mechanism: SquareRoot over a horizon of %d rounds, want <= %d, as it keeps the noise of every row: use BLT", s.Horizon, squareRootHorizon)
	}
	what := fmt.Sprintf("mechanism: SquareRoot over Setup.Dim = %d, Horizon = %d", s.Dim, s.Horizon)
	if err := size.Check(what, toeplitz.Numbers(s.Horizon, size.Triangle(s.Dim))+float64(4*size.Triangle(s.Dim))); err != nil {
		return nil, err
	}
	n := releases(s.Horizon)
	kernel := newRootKernel(n)
	f, err := newFactorised(s, q.Budget, kernel, kernel.columnNorm(n), 0,
		"square-root Toeplitz factorisation: Fichtenberger, Henzinger, Upadhyay 2023")
	if err != nil {
		return nil, err
	}
	return f, nil
}

// rootKernel is the noise correlation of SquareRoot.
type rootKernel struct {
	f    []float64         // f_k
	like *toeplitz.Product // of a run's noise
}

// rootRun is the noise of a run, B z.
type rootRun struct{ noise *toeplitz.Product }

func newRootKernel(releases int) *rootKernel {
	k := &rootKernel{f: make([]float64, releases)}
	k.f[0] = 1
	for i := range k.f[1:] {
		k.f[i+1] = k.f[i] * float64(2*i+1) / float64(2*i+2)
	}
	k.like = toeplitz.NewProduct(k.f, 0)
	return k
}

// square returns sum_{k<n} f_k^2.
func (k *rootKernel) square(n int) float64 { return packed.Dot(k.f[:n], k.f[:n]) }

// rowNorm returns the norm of B's last row, which is the longest, rounded up.
func (k *rootKernel) rowNorm() float64 { return math.Sqrt(k.square(len(k.f))) * (1 + 1e-9) }

// columnNorm returns the norm of C's first column, which is the longest, plus a margin for the
// rounding of f: half a unit in the last place for each step and operation.
func (k *rootKernel) columnNorm(rows int) float64 {
	return math.Sqrt(k.square(rows)) + roundingMargin(float64(rows)*0x1p-52, rows)
}

func (k *rootKernel) begin(size int) correlated {
	return &rootRun{k.like.Begin(size)}
}

func (k *rootRun) next(_ int, z Drawer, n *privacy.Noise, dst []float64) {
	z.Draw(n, dst)
	k.noise.Next(dst, dst)
}
