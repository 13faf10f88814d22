package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SecureTree is a binary tree (see Tree) whose noise is fit for deployment: discrete Gaussian, exact, and from the operating system. What Reset is
// handed is not used, so that its runs cannot be repeated.
//
// Each entry of row row^T is rounded to a multiple of the grid g, a power of two, and so is all noise. Init sees to it that neither sum nor noise can reach 2^53
// steps: then every addition in float64 is exact, and a release before its shift is the exact sum of integers, times g. Rounding moves each of the Dim^2
// entries by g/2 at most, so that one row replaced changes a node by F = sqrt(2) L~^2 + g Dim in Frobenius norm. With standard deviation
// parameter s off the diagonal and sqrt(2) s on it a node is F^2/(4 s^2)-zCDP (Canonne, Kamath, Steinke 2020, Thm. 4), a row is in
// m = floor(log2(n-1)) + 1 of them, and s is calibrated to the rho that privacy.ConcentratedRho gives for the budget: somewhat more than Gaussian has.
type SecureTree struct {
	Budget privacy.Budget // no default; epsilon finite, delta > 0
	Grid   float64        // a power of two; 0 means one that costs less than 0.1% of noise where that is possible

	rows
	prefix
	sum      []float64
	discrete discreteNodes
	ledger   *privacy.Ledger
}

var (
	_ privacy.Accumulator = (*SecureTree)(nil)
	_ privacy.Shifter     = (*SecureTree)(nil)
	_ privacy.Meter       = (*SecureTree)(nil)
)

// Init validates, calibrates and allocates.
func (t *SecureTree) Init(s privacy.Setup) error {
	t.discrete, t.ledger = discreteNodes{budget: t.Budget, grid: t.Grid}, nil
	if err := t.prefix.init(&t.rows, &t.discrete, s); err != nil {
		return err
	}
	t.sum = make([]float64, t.size)
	return nil
}

// Reset forgets the data and begins a run over the system's randomness.
func (t *SecureTree) Reset(*privacy.Noise) {
	t.rows.reset()
	clear(t.sum)
	t.ledger = privacy.NewLedger(systemSource())
	t.prefix.reset(privacy.NewNoise(t.ledger))
}

// AddOuter adds row row^T, rounded, and the noise of the node that the row finishes. The last row of the horizon is counted and dropped.
func (t *SecureTree) AddOuter(row []float64) error {
	if t.count >= t.setup.Horizon {
		return beyond(t.setup.Horizon)
	}
	row, err := t.admit(row)
	if err != nil || t.count == t.setup.Horizon {
		return err
	}
	p, grid := 0, t.discrete.grid
	for i, v := range row {
		for _, w := range row[:i+1] {
			t.sum[p] += float64(math.RoundToEven(v*w/grid) * grid)
			p++
		}
	}
	t.advance(t.count)
	return nil
}

// Read writes the noisy, shifted prefix sum into dst.
func (t *SecureTree) Read(dst []float64) {
	noise := t.total()
	for i, v := range t.sum {
		dst[i] = v + noise[i]
	}
	addDiagonal(dst, t.setup.Dim, t.shift)
}

// SD returns s, the standard deviation parameter of an entry of a node off the diagonal.
func (t *SecureTree) SD() float64 { return t.discrete.law.Sigma() * t.discrete.grid }

// Spacing returns the grid.
func (t *SecureTree) Spacing() float64 { return t.discrete.grid }

// Spent returns the event of the nodes released with the prefixes of up to a number of rows.
func (t *SecureTree) Spent(records int) privacy.Event { return t.noise.Spent(t.rows.nodes(records)) }

// Draws returns none: nothing is drawn from the noise that Reset was handed. Check is about the system's; package simulate calls it after each trial.
func (t *SecureTree) Draws() []privacy.Draws { return nil }

// Check compares the noise drawn from the system since Reset with what the claim rests on.
func (t *SecureTree) Check() error {
	if t.ledger == nil {
		return errReset
	}
	off, on := t.discrete.laws()
	drawn := t.drawn(t.released())
	return t.ledger.Check([]privacy.Draws{{Law: off, Count: drawn}, {Law: on, Count: drawn}})
}

// discreteNodes is the noise of SecureTree's nodes: independent discrete Gaussians on and below the diagonal.
type discreteNodes struct {
	budget privacy.Budget
	grid   float64

	setup         privacy.Setup
	levels        int
	frobenius     float64 // F/g
	law, diagonal *random.DiscreteGaussian
	draws         []int64
	claim         privacy.Claim
}

// SymmetricDiscreteEvent is a release of a symmetric matrix of integers under independent discrete Gaussian noise, of parameter Sigma below the diagonal and
// sqrt(2) Sigma on it. It is Sensitivity^2/(4 Sigma^2)-zCDP: an entry below the diagonal is half of what it adds to the squared Frobenius norm.
type SymmetricDiscreteEvent struct {
	Dim         int     // order of the matrix
	Sensitivity float64 // Frobenius norm, in units of the integers
	Sigma       float64
}

var _ privacy.ConcentratedEvent = SymmetricDiscreteEvent{}

func (e SymmetricDiscreteEvent) String() string {
	return fmt.Sprintf("symmetric discrete Gaussian of order %d, sensitivity %.4g, sigma = %.4g", e.Dim, e.Sensitivity, e.Sigma)
}

// Validate wants Dim >= 1, and the others in (0, Inf).
func (e SymmetricDiscreteEvent) Validate() error {
	return privacy.DiscreteGaussianEvent(e).Validate()
}

// Rho returns Sensitivity^2/(4 Sigma^2).
func (e SymmetricDiscreteEvent) Rho() float64 { return privacy.DiscreteGaussianEvent(e).Rho() / 2 }

// Init validates and calibrates.
func (n *discreteNodes) Init(s privacy.Setup) error {
	const name = "SecureTree"
	if err := s.Validate(); err != nil {
		return err
	}
	rho, err := privacy.ConcentratedRho(n.budget)
	if err != nil {
		return err
	}
	if _, err := checkSecure(name, n.budget.Epsilon, s.Dim, s.Bound, n.grid, privacy.ReplaceRound); err != nil {
		return err
	}
	n.setup, n.levels = s, maxNodes(s.Horizon)
	square, m, dim := s.Bound*s.Bound, float64(n.levels), float64(s.Dim)
	length, err := steps(name, square, square*math.Sqrt(m/(2*rho)), dim, &n.grid)
	if err != nil {
		return err
	}
	// Rows on the bound are let through with a relative 1e-12 of rounding.
	n.frobenius = float64(math.Sqrt2*length*(1+1e-11)) + dim
	num, den := fraction(m * n.frobenius * n.frobenius / (4 * rho) * (1 + 1e-12))
	if n.law, err = random.NewDiscreteGaussian(num, den); err == nil {
		n.diagonal, err = random.NewDiscreteGaussian(2*num, den)
	}
	if err != nil {
		return fmt.Errorf("mechanism: %s: noise in steps of the grid %v: %w: use a coarser grid", name, n.grid, err)
	}
	if most := float64(float64(s.Horizon)*(length+1)) + float64(m*float64(n.diagonal.Max())); most > largestInteger {
		return fmt.Errorf("mechanism: %s: %d rows and their noise can add up to %.4g steps of the grid %v, want <= 2^53: use a coarser grid", name, s.Horizon, most, n.grid)
	}
	if err := fitting(s, 1); err != nil {
		return err
	}
	n.draws = make([]int64, s.Dim*(s.Dim+1)/2)
	event := n.Spent(n.levels).(privacy.TreeEvent)
	n.claim = privacy.Claim{
		Model: privacy.Joint, Neighbours: privacy.ReplaceRound,
		Nominal: n.budget, Epsilon: privacy.ConcentratedEpsilon(m*event.Node.(SymmetricDiscreteEvent).Rho(), n.budget.Delta),
		Event: event,
		Conditions: []string{
			fmt.Sprintf("rows clipped to the bound, and row row^T rounded to the grid %v, inside the mechanism", n.grid),
			privacy.OneRound, "errors and timings stay with the curator",
		},
		Source: "Shariff and Sheffet 2018, Section 4.2; Canonne, Kamath, Steinke 2020, Theorem 4; accounted by zCDP (Bun and Steinke 2016), converted by the best Rényi order (Canonne, Kamath, Steinke, Prop. 12)",
	}
	return nil
}

// Spent returns the event of a row in a number of released nodes.
func (n *discreteNodes) Spent(nodes int) privacy.Event {
	if nodes <= 0 {
		return nothing
	}
	return privacy.TreeEvent{Node: SymmetricDiscreteEvent{n.setup.Dim, n.frobenius, n.law.Sigma()}, Nodes: nodes}
}

// Nodes returns m; no prefix is padded.
func (n *discreteNodes) Nodes() (int, bool) { return n.levels, false }

// Draw draws a node's noise.
func (n *discreteNodes) Draw(noise *privacy.Noise, dst []float64) {
	below := len(dst) - n.setup.Dim
	noise.DiscreteGaussian(n.draws[:below], n.law)
	noise.DiscreteGaussian(n.draws[below:], n.diagonal)
	for i, p, q := 0, 0, 0; i < n.setup.Dim; i++ {
		for range i {
			dst[p] = float64(n.draws[q]) * n.grid
			p++
			q++
		}
		dst[p] = float64(n.draws[below+i]) * n.grid
		p++
	}
}

// laws returns those below and on the diagonal.
func (n *discreteNodes) laws() (off, on privacy.Law) {
	return privacy.DiscreteGaussianLaw(len(n.draws)-n.setup.Dim, n.law), privacy.DiscreteGaussianLaw(n.setup.Dim, n.diagonal)
}

// Law returns the law below the diagonal.
func (n *discreteNodes) Law() privacy.Law {
	off, _ := n.laws()
	return off
}

// upsilon bounds the operator norm of a prefix's noise in the leading d x d block, and the norm of h next to it. A discrete Gaussian
// is sub-Gaussian with parameter sigma, E e^(tX) <= e^(t^2 sigma^2/2), as the sum over z of exp(-(z-a)^2/(2 sigma^2)) is largest at a = 0 (by Poisson's summation
// formula); a sum of m of them is, with sqrt(m) sigma = r.
//
// The block is a series of such variables times fixed matrices A, E_ij + E_ji or sqrt(2) E_ii, with sum A^2 = (d+1) I, so that |H| <= r sqrt(2 (d+1) ln(2d/b))
// but for probability b (Tropp 2012, Thm. 4.1, whose proof needs no more of its Gaussians than that). |h| <= r (sqrt(d) + sqrt(2 ln(1/b)))
// but for b (Hsu, Kakade, Zhang 2012). Each has b = alpha/(4n).
func (n *discreteNodes) upsilon() (operator, perturbation float64) {
	d, tail := float64(n.setup.Dim-1), portable.Log(4*float64(n.setup.Horizon)/n.setup.Alpha)
	r := math.Sqrt(float64(n.levels)) * n.law.Sigma() * n.grid
	return r * math.Sqrt(2*(d+1)*(portable.Log(2*d)+tail)), r * (math.Sqrt(d) + math.Sqrt(2*tail))
}

// Shift returns 2 Upsilon.
func (n *discreteNodes) Shift() float64 {
	operator, _ := n.upsilon()
	return 2 * operator
}

// Bounds returns rho_min = shift - Upsilon, rho_max = shift + Upsilon, gamma = |h|/sqrt(rho_min).
func (n *discreteNodes) Bounds(shift float64) privacy.Bounds {
	operator, perturbation := n.upsilon()
	return boundsAround(shift, operator, perturbation)
}

// Noiseless is false: no noise is refused.
func (n *discreteNodes) Noiseless() bool { return false }

// Claim returns what the noise buys.
func (n *discreteNodes) Claim() privacy.Claim { return n.claim }
