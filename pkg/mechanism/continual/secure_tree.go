package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SecureTree is a binary tree (see [Tree]) whose noise is fit for deployment: exact discrete
// Gaussians from the operating system's randomness.
//
// A run ignores the noise that it is handed, so runs cannot be repeated. The trust model is
// central; neighbouring streams differ in one row, replaced.
//
// Each entry of row row^T is rounded to a multiple of the grid g, a power of two, and all noise is
// a multiple of g, too. Open ensures that neither sum nor noise can reach 2^53 steps of the grid.
// Every addition in float64 is then exact, and a release before its shift is an exact sum of
// integers times g.
//
// Rounding moves each of the Dim^2 entries by at most g/2. Replacing one row therefore changes a
// node by at most F = sqrt(2) L~^2 + g Dim in Frobenius norm, where L~ is Setup.Bound. With
// standard deviation parameter s off the diagonal and sqrt(2) s on it, a node is F^2/(4 s^2)-zCDP
// (Canonne, Kamath, Steinke 2020, Thm. 4). A row is in at most m = floor(log2(n-1)) + 1 nodes for a
// horizon of n rows. s is calibrated to the rho that the budget's ConcentratedRho gives, which is
// somewhat more noise than [Gaussian] has.
type SecureTree struct {
	Budget privacy.Budget // no default; epsilon finite, delta > 0
	// Grid is a power of two; 0 means one that is at most twice the finest on which noise and sums are
	// sure to be exact. A coarse one costs noise, and bounds hold even if the rounding errors of all
	// rows add up. On the default grid that widens LinUCB's confidence sets at epsilon <= 10 by less
	// than 1% for 10^7 rows of 6 numbers, and by three fifths at most for 10^9.
	Grid float64
}

var _ privacy.Accumulator = SecureTree{}

// secureTree is a SecureTree for a setup.
type secureTree struct {
	prefix
	discrete *discreteNodes
}

// secureTreeRun is a run of a SecureTree.
type secureTreeRun struct {
	*secureTree
	rows
	nodeStack
	sum    []float64
	ledger *privacy.Ledger
}

// Open validates and calibrates.
func (t SecureTree) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	noise, err := t.nodes(s)
	if err != nil {
		return nil, err
	}
	p, err := newPrefix(given{noise}, s)
	if err != nil {
		return nil, err
	}
	return &secureTree{p, noise}, nil
}

// given is noise that is calibrated already.
type given struct{ Nodes }

// Open returns the noise.
func (g given) Open(privacy.Setup) (Nodes, error) { return g.Nodes, nil }

// Start begins a run over the system's randomness: that of n, or its own if that is seeded.
func (t *secureTree) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	r := &secureTreeRun{secureTree: t, rows: newRows(t.data, t.like), nodeStack: t.stack(), ledger: privacy.NewLedger(lattice.Source(n))}
	r.sum = make([]float64, r.size)
	r.begin(privacy.NewNoise(r.ledger))
	return r
}

// Add adds row row^T, rounded to the grid, and the noise of the node that the row finishes. It
// counts the horizon's last row and drops it.
func (t *secureTreeRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := t.rows.take(rec)
	if row == nil {
		return false, err
	}
	p, grid := 0, t.discrete.grid
	for i, v := range row {
		for _, w := range row[:i+1] {
			t.sum[p] += float64(math.RoundToEven(v*w/grid) * grid)
			p++
		}
	}
	t.advance(t.count)
	return true, nil
}

// Release returns the prefix sum with its noise.
func (t *secureTreeRun) Release() *privacy.Sums { return t.under(t.sum, t.total()) }

// SD returns s, the standard deviation parameter of an entry off the diagonal of a node's noise.
func (t *secureTree) SD() float64 { return t.discrete.law.Sigma() * t.discrete.grid }

// Spacing returns the grid: releases before their shift are integer multiples of it.
func (t *secureTree) Spacing() float64 { return t.discrete.grid }

// Plan returns what the prefixes of up to the given number of records reveal of one record. It
// lists no draws, as none are from the noise that Start was handed. Check covers those from the
// system; package simulate calls it after each trial.
func (t *secureTree) Plan(records int) privacy.Plan { return t.undrawn(records).HeldBy(t) }

func (t *secureTree) undrawn(records int) privacy.Plan {
	p := t.plan(records, 0)
	p.Draws = nil
	return p
}

// Plan returns the tree's plan.
func (t *secureTreeRun) Plan(records int) privacy.Plan { return t.undrawn(records).HeldBy(t) }

// Check compares the noise drawn from the system with the noise that the claim requires.
func (t *secureTreeRun) Check() error { return t.ledger.CheckPlan((*system)(t), t.count) }

// system is a run of a SecureTree whose plan lists the draws from the system.
type system secureTreeRun

// Plan returns the tree's plan with its draws.
func (s *system) Plan(records int) privacy.Plan {
	return s.plan(records, s.released()).HeldBy(s)
}

// discreteNodes is the calibrated noise of SecureTree's nodes: independent discrete Gaussians on
// and below the diagonal.
type discreteNodes struct {
	curator.Planned
	data          privacy.Setup
	grid          float64
	levels        int
	frobenius     float64 // F/g
	law, diagonal *random.DiscreteGaussian
}

// nodes validates and calibrates the noise.
func (t SecureTree) nodes(s privacy.Setup) (*discreteNodes, error) {
	const name = "SecureTree"
	if err := s.CheckRows(); err != nil {
		return nil, err
	}
	rho, err := t.Budget.ConcentratedRho()
	if err != nil {
		return nil, err
	}
	if _, err := lattice.Check(name, t.Budget.Epsilon, s.Dim, s.Bound, t.Grid, privacy.ReplaceRound); err != nil {
		return nil, err
	}
	n := &discreteNodes{data: s, grid: t.Grid, levels: maxNodes(s.Horizon)}
	square, m, dim := float64(s.Bound*s.Bound), float64(n.levels), float64(s.Dim)
	root := math.Sqrt(m / (2 * rho))
	length, err := lattice.Steps(name, square, square*root, dim, &n.grid)
	if err != nil {
		return nil, fmt.Errorf("%w: the square of Setup.Bound = %v bounds a row row^T", err, s.Bound)
	}
	if t.Grid == 0 { // finer, for the bounds; a finer grid has less noise
		noise := root * (square + float64(n.grid*dim/math.Sqrt2))
		n.grid = lattice.Finest(n.grid, noise, float64(s.Horizon)*square)
		length = square / n.grid
	}
	// Rows on the bound are let through with a relative 1e-12 of rounding.
	n.frobenius = float64(math.Sqrt2*length*(1+1e-11)) + dim
	num, den := lattice.Fraction(m * n.frobenius * n.frobenius / (4 * rho) * (1 + 1e-12))
	if n.law, err = random.NewDiscreteGaussian(num, den); err == nil {
		n.diagonal, err = random.NewDiscreteGaussian(2*num, den)
	}
	if err != nil {
		return nil, fmt.Errorf("mechanism: %s: epsilon = %v, Dim = %d: noise in steps of the grid %v: %w: use a coarser grid, or ask for less noise", name, t.Budget.Epsilon, s.Dim, n.grid, err)
	}
	if most := float64(float64(s.Horizon)*(length+1)) + float64(m*float64(n.diagonal.Max())); most > lattice.Largest {
		return nil, fmt.Errorf("mechanism: %s: %d rows and their noise can add up to %.4g steps of the grid %v, want <= 2^53: use a coarser grid", name, s.Horizon, most, n.grid)
	}
	if err := curator.Fitting(s, 1); err != nil {
		return nil, err
	}
	// Every entry below the diagonal counts twice in the squared Frobenius norm, and one on the
	// diagonal has twice the variance, so the L2 sensitivity in units of s is F/sqrt(2).
	n.Planned = curator.Symmetric(t.Budget, privacy.Sound, "Shariff and Sheffet 2018, Section 4.2; Canonne, Kamath, Steinke 2020, Theorem 4; zCDP (Bun and Steinke 2016)",
		maxNodes(s.Horizon), privacy.Release{
			Law: privacy.DiscreteGaussianLaw(s.Dim*(s.Dim-1)/2, n.law), Sensitivity: privacy.Norms{L2: n.frobenius / math.Sqrt2},
			Parts: []privacy.Part{{Law: privacy.DiscreteGaussianLaw(s.Dim, n.diagonal), Sensitivity: privacy.Norms{L2: n.frobenius}}},
			Joint: n.frobenius / math.Sqrt2 / n.law.Sigma()})
	n.One = n.One.Secured(trust.Discrete)
	n.One.Conditions = append(n.One.Conditions, fmt.Sprintf("row row^T rounded to the grid %v inside the mechanism", n.grid))
	return n, nil
}

// Plan returns what a row reveals that is in the given number of released nodes.
func (n *discreteNodes) Plan(nodes int) privacy.Plan { return n.Shown(nodes, 1).HeldBy(n) }

// Levels returns m and false: no prefix is padded.
func (n *discreteNodes) Levels() (int, bool) { return n.levels, false }

// Drawer returns what draws the noise of a run's nodes.
func (n *discreteNodes) Drawer() Drawer {
	return &integers{n, make([]int64, packed.Size(n.data.Dim))}
}

// integers draws the noise of a run's nodes, and allocates nothing.
type integers struct {
	*discreteNodes
	draws []int64
}

// Draw writes one node's noise into dst.
func (n *integers) Draw(noise *privacy.Noise, dst []float64) {
	below := len(dst) - n.data.Dim
	noise.DiscreteGaussian(n.draws[:below], n.law)
	noise.DiscreteGaussian(n.draws[below:], n.diagonal)
	for i, p, q := 0, 0, 0; i < n.data.Dim; i++ {
		for range i {
			dst[p] = float64(n.draws[q]) * n.grid
			p++
			q++
		}
		dst[p] = float64(n.draws[below+i]) * n.grid
		p++
	}
}

// upsilon bounds the operator norm of what noise and rounding add to a prefix in the leading d x d
// block, and the norm of the vector h next to it.
//
// A discrete Gaussian is sub-Gaussian with parameter sigma, E e^(tX) <= e^(t^2 sigma^2/2): the sum
// over z of exp(-(z-a)^2/(2 sigma^2)) is largest at a = 0, by Poisson's summation formula. A sum of
// m of them is sub-Gaussian with parameter r = sqrt(m) sigma.
//
// The block is a series of such variables times fixed matrices A, E_ij + E_ji or sqrt(2) E_ii, with
// sum A^2 = (d+1) I. Hence |H| <= r sqrt(2 (d+1) ln(2d/b)) except with probability b (Tropp 2012,
// Thm. 4.1, whose proof uses no more of its Gaussians than that). |h| <= r (sqrt(d) + sqrt(2
// ln(1/b))) except with probability b (Hsu, Kakade, Zhang 2012). Each event has b = alpha/(4n).
//
// To both comes what rounding adds to a prefix, for certain: a d x d matrix of entries of at most e
// has operator norm d e at most, and a vector norm sqrt(d) e.
func (n *discreteNodes) upsilon() (operator, perturbation float64) {
	d, tail := float64(n.data.Dim-1), portable.Log(4*float64(n.data.Horizon)/n.data.Alpha)
	r, e := math.Sqrt(float64(n.levels))*n.law.Sigma()*n.grid, n.rounding()
	return float64(r*math.Sqrt(2*(d+1)*(portable.Log(2*d)+tail))) + float64(d*e),
		float64(r*(math.Sqrt(d)+math.Sqrt(2*tail))) + float64(math.Sqrt(d)*e)
}

// rounding returns e = (n+1) g/2, which bounds what rounding adds to an entry of a prefix, whatever
// the rows.
//
// A prefix has at most n-1 rows, and the grid moves each by at most g/2. The products of the rows'
// numbers are rounded to float64 before, by n 2^-53 L~^2 in all. This is less than g, as Open wants
// n L~^2 < 2^53 g. Equal rows whose products are just above or below g/2 come as near to e as one
// likes.
func (n *discreteNodes) rounding() float64 { return (float64(n.data.Horizon) + 1) / 2 * n.grid }

// Shift returns 2 Upsilon, twice the bound on the operator norm of a prefix's noise and rounding.
func (n *discreteNodes) Shift() float64 {
	operator, _ := n.upsilon()
	return 2 * operator
}

// Bounds returns rho_min = shift - Upsilon, rho_max = shift + Upsilon and gamma =
// |h|/sqrt(rho_min).
func (n *discreteNodes) Bounds(shift float64) privacy.Bounds { return n.Spread().Bounds(shift) }

// Spread returns what Bounds is computed from.
func (n *discreteNodes) Spread() privacy.Spread { return spreadAround(n.upsilon()) }

// Noiseless returns false, as Open refuses an infinite epsilon.
func (n *discreteNodes) Noiseless() bool { return false }
