package continual

import (
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Gaussian is symmetric Gaussian noise on the nodes of a tree (JDP, Section 4.2).
//
// Entries off the diagonal have standard deviation s and those on it sqrt(2) s. Replacing one row
// changes each of the at most m nodes that hold it by v v^T - w w^T, whose Frobenius norm is at
// most sqrt(2) L~^2, where L~ is Setup.Bound. An entry off the diagonal counts twice in the square
// of that norm, and one on it has twice the variance, so the factor sqrt(2) cancels: the tree is
// mu-GDP with mu = sqrt(m) L~^2/s, even if rows depend on earlier releases. The trust model is
// central. The calibrations, with natural logarithms:
//
//   - Sound: s = sqrt(m) L~^2/mu*(epsilon, delta), where m = floor(log2(n-1)) + 1 is the largest
//     number of released nodes that a row can be in.
//   - AsPublished: s = 4 sqrt(m) L~^2 ln(4/delta)/epsilon with m = 1 + ceil(log2 n).
//
// If epsilon = +Inf, there is no noise and the shift is 1, as in [Exact].
type Gaussian struct {
	Budget      privacy.Budget      // no default; delta > 0
	Calibration privacy.Calibration // the zero value is Sound
	Padded      bool                // every prefix carries the noise of m nodes
}

var _ NodeNoise = Gaussian{}

// gaussian is a Gaussian for a setup.
type gaussian struct {
	curator.Planned
	data        privacy.Setup
	calibration privacy.Calibration
	padded      bool
	levels      int     // m as the calibration counts it
	sd          float64 // s
}

// maxNodes returns m = floor(log2(n-1)) + 1, at least 1: the largest number of released nodes that
// one row can be in if the prefixes 1, ..., n-1 are released.
func maxNodes(horizon int) int { return max(1, bits.Len(uint(horizon-1))) }

// printedNodes returns m = 1 + ceil(log2 n), the number of nodes as the papers count them.
func printedNodes(horizon int) int { return 1 + bits.Len(uint(horizon-1)) }

// Open validates and calibrates.
func (of Gaussian) Open(s privacy.Setup) (Nodes, error) {
	if err := s.CheckRows(); err != nil {
		return nil, err
	}
	if err := curator.Published("Gaussian", of.Calibration); err != nil {
		return nil, err
	}
	mu, err := of.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	square := s.Bound * s.Bound
	g := &gaussian{data: s, calibration: of.Calibration, padded: of.Padded, levels: maxNodes(s.Horizon)}
	if of.Calibration == privacy.Sound {
		g.sd = math.Sqrt(float64(g.levels)) * square / mu
	} else {
		g.levels = printedNodes(s.Horizon)
		g.sd = 4 * math.Sqrt(float64(g.levels)) * square * portable.Log(4/of.Budget.Delta) / of.Budget.Epsilon
	}
	if of.Budget.None() {
		g.sd = 0 // also for delta = 0, where the formula above has no value
	}
	if err := curator.Positive("Gaussian noise", g.sd, of.Budget, s); err != nil {
		return nil, err
	}
	g.Planned = curator.Symmetric(of.Budget, of.Calibration, "Shariff and Sheffet 2018, Section 4.2; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)",
		maxNodes(s.Horizon), privacy.Release{Law: privacy.SymmetricGaussianLaw(s.Dim, g.sd), Sensitivity: privacy.Norms{L2: square}})
	return g, nil
}

// Plan returns what a row reveals that is in the given number of released nodes. More nodes than
// the horizon allows count as the most that it allows.
func (g *gaussian) Plan(nodes int) privacy.Plan { return g.Shown(nodes, 1).HeldBy(g) }

// SD returns s, the standard deviation of an entry off the diagonal of a node's noise.
func (g *gaussian) SD() float64 { return g.sd }

// Levels returns m and Padded.
func (g *gaussian) Levels() (int, bool) { return g.levels, g.padded }

// Drawer returns the noise itself, which needs no memory.
func (g *gaussian) Drawer() Drawer { return g }

// Draw writes one node's noise, a packed symmetric matrix, into dst.
func (g *gaussian) Draw(n *privacy.Noise, dst []float64) {
	n.SymmetricGaussian(dst, g.data.Dim, g.sd)
}

// Noiseless reports whether epsilon is +Inf.
func (g *gaussian) Noiseless() bool { return g.sd == 0 }

// upsilon bounds the operator norm of a prefix's noise in the leading d x d block, and the norm of
// the vector h next to that block. Sound uses symmetricUpsilon, AsPublished uses Proposition 11 as
// printed.
func (g *gaussian) upsilon() (operator, perturbation float64) {
	scale := g.sd * math.Sqrt(float64(g.levels))
	if g.calibration == privacy.Sound {
		return symmetricUpsilon(g.data, scale)
	}
	d, tail := float64(g.data.Dim-1), portable.Log(float64(g.data.Horizon)/g.data.Alpha)
	return math.Sqrt2 * scale * (float64(4*math.Sqrt(d)) + float64(2*(math.Ln2+tail))),
		scale * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+tail)))
}

// symmetricUpsilon bounds the norms of symmetric Gaussian noise of standard deviation s: |H| of the
// leading d x d block, and |h| of the row next to it.
//
// The largest eigenvalue of the block is a sqrt(2) s-Lipschitz function of its normals, and its
// mean is at most 2 s sqrt(d). Hence |H| <= s (2 sqrt(d) + 2 sqrt(ln(8n/alpha))) except with
// probability alpha/(4n). The bound on |h| also holds except with probability alpha/(4n).
func symmetricUpsilon(setup privacy.Setup, s float64) (operator, perturbation float64) {
	d, tail := float64(setup.Dim-1), portable.Log(float64(setup.Horizon)/setup.Alpha)
	return s * (float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+tail))),
		s * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+tail)))
}

// Shift returns 2 Upsilon, twice the bound on the operator norm of a prefix's noise, or 1 without
// noise.
func (g *gaussian) Shift() float64 {
	if g.Noiseless() {
		return 1
	}
	operator, _ := g.upsilon()
	return 2 * operator
}

// Bounds returns rho_min = shift - Upsilon, rho_max = shift + Upsilon and gamma =
// |h|/sqrt(rho_min), with Upsilon the bound on the operator norm of a prefix's noise and |h| that
// on its perturbation.
func (g *gaussian) Bounds(shift float64) privacy.Bounds { return g.Spread().Bounds(shift) }

// Spread returns what Bounds is computed from.
func (g *gaussian) Spread() privacy.Spread { return spreadAround(g.upsilon()) }

// spreadAround returns the spread of noise around 0, from bounds on its norms.
func spreadAround(operator, perturbation float64) privacy.Spread {
	return privacy.Spread{Low: -operator, High: operator, Norm: perturbation}
}
