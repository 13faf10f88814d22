package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Gaussian is symmetric Gaussian noise on the nodes of a tree (JDP, Section 4.2): standard deviation s off the
// diagonal and sqrt(2) s on it.
//
// One row replaced changes each of the at most m nodes that hold it by vv^T - ww^T, of Frobenius norm at most sqrt(2) L~^2, and
// the symmetrised noise returns exactly that sqrt(2): the tree is mu-GDP with mu = sqrt(m) L~^2/s,
// adaptive inputs included.
//
//   - Sound: s = sqrt(m) L~^2/mu*(eps, delta) with m = floor(log2(n-1)) + 1, the nodes that a row can be in.
//   - AsPublished: s = 4 sqrt(m) L~^2 ln(4/delta)/eps with m = 1 + ceil(log2 n).
//   - AuthorsCode: the same s, with m nodes' noise in every prefix.
//
// epsilon = +Inf means no noise, and the shift 1 as Exact has it.
type Gaussian struct {
	Budget      privacy.Budget // no default; delta > 0
	Calibration privacy.Calibration

	setup       privacy.Setup
	calibration privacy.Calibration // as it was in Init
	levels      int                 // m as the calibration counts it
	sd          float64             // s
	claim       privacy.Claim
}

var _ NodeNoise = (*Gaussian)(nil)

// maxNodes returns m = floor(log2(n-1)) + 1, the most released nodes that one row can be in when the prefixes
// 1..n-1 are released.
func maxNodes(horizon int) int { return max(1, bits.Len(uint(horizon-1))) }

// printedNodes returns m = 1 + ceil(log2 n) as the papers count.
func printedNodes(horizon int) int { return 1 + bits.Len(uint(horizon-1)) }

// Init validates and calibrates.
func (g *Gaussian) Init(s privacy.Setup) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if g.Calibration < privacy.Sound || g.Calibration > privacy.AuthorsCode {
		return fmt.Errorf("mechanism: Gaussian.Calibration = %v, want Sound, AsPublished or AuthorsCode", g.Calibration)
	}
	mu, err := privacy.GaussianMu(g.Budget)
	if err != nil {
		return err
	}
	square := s.Bound * s.Bound
	g.setup, g.calibration, g.levels = s, g.Calibration, maxNodes(s.Horizon)
	if g.Calibration == privacy.Sound {
		g.sd = math.Sqrt(float64(g.levels)) * square / mu
	} else {
		g.levels = printedNodes(s.Horizon)
		g.sd = 4 * math.Sqrt(float64(g.levels)) * square * portable.Log(4/g.Budget.Delta) / g.Budget.Epsilon
	}
	if g.Budget.None() {
		g.sd = 0 // also for delta = 0, where the formula above has no value
	}
	if err := positive("Gaussian noise", g.sd, g.Budget, s); err != nil {
		return err
	}
	spent := g.spent(maxNodes(s.Horizon))
	g.claim = privacy.Claim{
		Model: privacy.Joint, Neighbours: privacy.ReplaceRound, Calibration: g.Calibration,
		Nominal: g.Budget, Epsilon: privacy.GaussianEpsilon(g.Budget.Delta, spent),
		Event:      privacy.GaussianEvent{Mu: spent},
		Conditions: []string{"rows clipped to the bound inside the mechanism", privacy.OneRound},
		Source:     "Shariff and Sheffet 2018, Section 4.2; accounted by mu-GDP (Dong, Roth, Su 2022)",
	}
	return nil
}

// spent returns mu of a row in a number of released nodes.
func (g *Gaussian) spent(nodes int) float64 {
	if nodes <= 0 {
		return 0
	}
	return math.Sqrt(float64(nodes)) * g.setup.Bound * g.setup.Bound / g.sd
}

// Spent returns the event of a row in a number of released nodes.
func (g *Gaussian) Spent(nodes int) privacy.Event {
	return privacy.GaussianEvent{Mu: g.spent(nodes)}
}

// SD returns s, the standard deviation of an entry off the diagonal.
func (g *Gaussian) SD() float64 { return g.sd }

// Nodes returns m and whether prefixes are padded.
func (g *Gaussian) Nodes() (int, bool) { return g.levels, g.calibration == privacy.AuthorsCode }

// Draw draws a node's noise.
func (g *Gaussian) Draw(n *privacy.Noise, dst []float64) {
	n.SymmetricGaussian(dst, g.setup.Dim, g.sd)
}

// Law returns the law of Draw.
func (g *Gaussian) Law() privacy.Law { return privacy.SymmetricGaussianLaw(g.setup.Dim, g.sd) }

// Noiseless reports epsilon = +Inf.
func (g *Gaussian) Noiseless() bool { return g.sd == 0 }

// upsilon bounds the operator norm of a prefix's noise in the leading d x d block, and the norm of h next to it. Sound: symmetricUpsilon.
// AsPublished: Proposition 11 as printed.
func (g *Gaussian) upsilon() (operator, perturbation float64) {
	scale := g.sd * math.Sqrt(float64(g.levels))
	if g.calibration == privacy.Sound {
		return symmetricUpsilon(g.setup, scale)
	}
	d, tail := float64(g.setup.Dim-1), portable.Log(float64(g.setup.Horizon)/g.setup.Alpha)
	return math.Sqrt2 * scale * (float64(4*math.Sqrt(d)) + float64(2*(math.Ln2+tail))),
		scale * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+tail)))
}

// symmetricUpsilon bounds the norms of symmetric Gaussian noise of standard deviation s: |H| in the leading d x d block, and |h| of the row next to it.
//
// The largest eigenvalue of the block is a sqrt(2) s-Lipschitz function of its normals with mean at most 2 s sqrt(d),
// so that |H| <= s (2 sqrt(d) + 2 sqrt(ln(8n/alpha))) but for alpha/(4n), and |h| has the
// other alpha/(4n).
func symmetricUpsilon(setup privacy.Setup, s float64) (operator, perturbation float64) {
	d, tail := float64(setup.Dim-1), portable.Log(float64(setup.Horizon)/setup.Alpha)
	return s * (float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+tail))),
		s * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+tail)))
}

// Shift returns 2 Upsilon.
func (g *Gaussian) Shift() float64 {
	if g.Noiseless() {
		return 1
	}
	operator, _ := g.upsilon()
	return 2 * operator
}

// Bounds returns rho_min = shift - Upsilon, rho_max = shift + Upsilon, gamma = |h|/sqrt(rho_min).
func (g *Gaussian) Bounds(shift float64) privacy.Bounds {
	operator, perturbation := g.upsilon()
	return boundsAround(shift, operator, perturbation)
}

// boundsAround returns the bounds of shift I + H for noise with |H| <= operator, next to an h with |h| <= perturbation.
func boundsAround(shift, operator, perturbation float64) privacy.Bounds {
	low := shift - operator
	return privacy.Bounds{RhoMin: low, RhoMax: shift + operator, Gamma: perturbation / math.Sqrt(low)}
}

// Claim returns what the noise buys.
func (g *Gaussian) Claim() privacy.Claim { return g.claim }
