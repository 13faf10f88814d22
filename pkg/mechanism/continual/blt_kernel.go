package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// bltKernel is the noise correlation of BLT. It stores poles as their distances to 1, which go down
// to about 1/n for a horizon n.
type bltKernel struct {
	releases int
	theta    []float64 // 1 - theta_j, increasing in j: the poles of c
	// 1 - phi_j, each above the theta entry of the same j: the poles of b, without phi_0 = 1.
	// Subtracting an entry from 1 has no rounding error.
	phi   []float64
	omega []float64 // c_k = sum omega_j theta_j^(k-1), k >= 1; c_0 = 1
	beta  []float64 // b_k = sum beta_j phi_j^k, from j = 0

	decay []float64 // phi_j, from phi_0 = 1
}

// bltNoise is the noise of a run.
type bltNoise struct {
	decay, beta []float64
	buffers     []float64 // (d+1) x size: w_j
	fresh       []float64 // z
}

// newBLTKernel returns the kernel that minimises max_t |B_t| |C|, the largest standard deviation in
// units of sensitivity/mu, over the given number of releases. Both norms are closed forms of the
// parameters.
//
// The search starts with the logarithms of 1 - phi_d > 1 - theta_d > ... > 1 - phi_1 > 1 - theta_1
// at equal steps. That is the rectangle rule in ln(1-u), cut off at 1/n, for (1-x)^(-1/2) = 1/pi
// int_0^1 u^(-1/2) (1-u)^(-1/2)/(1-ux) du. BFGS then moves the logarithms of the steps, which keeps
// the order. The search is deterministic. Wherever it stops, the norms are computed from the
// parameters at that point, and so is the privacy.
func newBLTKernel(buffers, releases int) (*bltKernel, error) {
	n := float64(releases)
	objective := func(steps []float64) float64 {
		k := bltAt(steps, n)
		return (portable.Log(k.rowSquare(n)) + portable.Log(k.columnSquare(n))) / 2
	}
	start := make([]float64, 2*buffers)
	for i := range start {
		start[i] = portable.Log(portable.Log1p(4*n) / float64(2*buffers+1))
	}
	steps := minimise(objective, start)
	k := bltAt(steps, n)
	k.releases = releases
	if product := k.rowNorm() * k.columnNorm(releases); !(product >= 1) || math.IsInf(product, 1) {
		return nil, fmt.Errorf("mechanism: BLT with %d buffers over %d releases has no parameters: a standard deviation of %v", buffers, releases, product)
	}
	return k, nil
}

// bltAt returns the kernel whose poles and zeros x lie, in ln(1 - x), at steps of length
// exp(steps_i) downwards from 0.
func bltAt(steps []float64, n float64) *bltKernel {
	d := len(steps) / 2
	all := make([]float64, 5*d+2)
	k := &bltKernel{theta: all[:d], phi: all[d : 2*d], omega: all[2*d : 3*d], beta: all[3*d : 4*d+1], decay: all[4*d+1:]}
	var log float64
	for j := d - 1; j >= 0; j-- {
		log -= portable.Exp(steps[2*(d-1-j)])
		k.decay[j+1] = -portable.Expm1(log)
		k.phi[j] = 1 - k.decay[j+1] // exactly what belongs to the rounded decay
		log -= portable.Exp(steps[2*(d-1-j)+1])
		k.theta[j] = portable.Exp(log)
	}
	k.decay[0], k.beta[0] = 1, 1
	for j := range d {
		k.beta[0] *= k.theta[j] / k.phi[j]
		omega, beta := 1.0, -1/k.phi[j]
		for i := range d {
			omega *= k.phi[i] - k.theta[j]
			beta *= k.theta[i] - k.phi[j]
			if i != j {
				omega /= k.theta[i] - k.theta[j]
				beta /= k.phi[i] - k.phi[j]
			}
		}
		k.omega[j], k.beta[j+1] = omega, beta
	}
	return k
}

// geometric returns sum_{k<n} ((1-a)(1-b))^k.
func geometric(a, b, n float64) float64 {
	gap := a + b - float64(a*b)
	if gap == 0 {
		return n
	}
	return -portable.Expm1(n*portable.Log1p(-gap)) / gap
}

// rowSquare returns sum_{k<n} b_k^2, the squared norm of row n of B, which is the longest of n
// rows.
func (k *bltKernel) rowSquare(n float64) float64 {
	square := k.beta[0] * k.beta[0] * n
	for i, p := range k.phi {
		square += float64(2 * k.beta[0] * k.beta[i+1] * geometric(0, p, n))
		for j, q := range k.phi[:i] {
			square += float64(2 * k.beta[i+1] * k.beta[j+1] * geometric(p, q, n))
		}
		square += float64(k.beta[i+1] * k.beta[i+1] * geometric(p, p, n))
	}
	return square
}

// columnSquare returns sum_{k<n} c_k^2, the squared norm of the first column of C's leading n x n
// block, which is the longest.
func (k *bltKernel) columnSquare(n float64) float64 {
	square := 1.0
	for i, p := range k.theta {
		for j, q := range k.theta[:i] {
			square += float64(2 * k.omega[i] * k.omega[j] * geometric(p, q, n-1))
		}
		square += float64(k.omega[i] * k.omega[i] * geometric(p, p, n-1))
	}
	return square
}

// rowNorm returns the norm of B's last row, rounded up.
func (k *bltKernel) rowNorm() float64 {
	return math.Sqrt(k.rowSquare(float64(k.releases))) * (1 + 1e-12)
}

// columnNorm returns the norm of C's first column, plus a margin for the rounding of b, whose
// coefficients have a relative error of at most 1e-13.
func (k *bltKernel) columnNorm(rows int) float64 {
	return math.Sqrt(k.columnSquare(float64(rows))) + roundingMargin(1e-13, rows)
}

// roundingMargin bounds how much longer a column of C = B^-1 A may be than computed if the
// coefficients of B have a relative error of at most e.
//
// The coefficients b_k >= 0 of B are log-convex with b_0 = 1. Mark true values with a tilde; then
// c~ - c = c~ (b - b~)/b. By Kaluza's theorem the first coefficient of 1/b is 1 and no other is
// positive. Hence the coefficients of (b - b~)/b are at most e times those of b (2 - 1/b). Up to a
// term in e^2, those of c~ - c are then at most 2e times those of c b = 1/(1-x), that is 2e each.
func roundingMargin(e float64, rows int) float64 { return float64(3 * e * math.Sqrt(float64(rows))) }

func (k *bltKernel) begin(size int) correlated {
	return &bltNoise{k.decay, k.beta, make([]float64, len(k.beta)*size), make([]float64, size)}
}

func (k *bltNoise) next(_ int, z Drawer, n *privacy.Noise, dst []float64) {
	z.Draw(n, k.fresh)
	clear(dst)
	for j, decay := range k.decay {
		beta, w := k.beta[j], k.buffers[j*len(dst):(j+1)*len(dst)]
		for i, z := range k.fresh[:len(w)] {
			v := float64(decay*w[i]) + z
			w[i] = v
			dst[i] += float64(beta * v)
		}
	}
}
