package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/degrees"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Wishart is Wishart noise W(L~^2 I, k) on the nodes of a tree (JDP, Section 4.1), shifted by Eq.
// (4).
//
// L~ is Setup.Bound, d+1 = p is Setup.Dim, and n is the horizon. The unshifted noise is positive
// definite by nature. Every prefix carries the noise of exactly m nodes: levels without a node are
// padded. The trust model is central; neighbouring streams differ in one row, replaced.
//
// A node is (eps0, delta0)-private if k >= p + 28 ln(4/delta0)/eps0^2, eps0 < 1 and delta0 < 1/e
// (Theorem 23, from Sheffet 2015; natural logarithms). For eps0 >= 1 nothing is proved,
// and far above 1 the claim is false: the supports {M >= A^T A} of two neighbours differ in sets
// that are likelier than delta0 (at eps0 = 10 and delta0 = 0.1, where k = p + 2, they have a
// probability of 0.199). Open therefore refuses a node's epsilon of 1 or more. No pure, Rényi or
// zCDP accounting exists for this noise; its nodes are composed by the theorems for (epsilon,
// delta) guarantees. The calibrations:
//
//   - Sound: eps0 and delta0 are chosen for the smallest k under the optimal composition of
//     Kairouz, Oh and Viswanath (account.OptimalDelta) over the nodes that a row can be in. No
//     composition that knows only the guarantees of the nodes allows a smaller k. For few nodes it
//     is nearly basic composition. eps0 stays below 1; a budget for which even the printed
//     composition would allow an eps0 of 1 is refused.
//   - AsPublished: eps0 = eps/sqrt(8 m ln(2/delta)), delta0 = delta/(2m), m = 1 + ceil(log2 n) and
//     k = p + ceil(28 ln(4/delta0)/eps0^2).
//
// Degrees gives k, and the claim says what that buys. m and the bounds are the calibration's.
type Wishart struct {
	Budget      privacy.Budget      // no default; delta > 0
	Calibration privacy.Calibration // the zero value is Sound
	Degrees     int                 // k, the degrees of freedom of a node's noise; 0: as calibrated
	Unshifted   bool                // leave out the shift of Eq. (4)
}

var _ NodeNoise = Wishart{}

// wishart is a Wishart for a setup.
type wishart struct {
	curator.Planned
	Wishart
	data    privacy.Setup
	levels  int // m
	freedom int // k
	sampler *random.Wishart
}

// Open validates and calibrates.
func (of Wishart) Open(s privacy.Setup) (Nodes, error) {
	if err := s.CheckRows(); err != nil {
		return nil, err
	}
	if err := curator.Published("Wishart", of.Calibration); err != nil {
		return nil, err
	}
	if of.Degrees != 0 && of.Degrees <= s.Dim {
		return nil, fmt.Errorf("mechanism: Wishart.Degrees = %d, want > Setup.Dim = %d, or 0 for those that the budget needs", of.Degrees, s.Dim)
	}
	if err := of.Budget.Approximate(); err != nil {
		return nil, err
	}
	w := &wishart{Wishart: of, data: s, levels: printedNodes(s.Horizon)}
	if w.Calibration == privacy.Sound {
		w.levels = maxNodes(s.Horizon)
	}
	node, freedom := w.node()
	switch {
	case node.Epsilon >= 1 || math.IsNaN(node.Epsilon):
		return nil, fmt.Errorf("mechanism: Wishart noise for epsilon = %v, delta = %v over %d nodes needs epsilon = %.4g a node, want < 1: the theorem proves nothing beyond it (far above 1, the different supports of neighbouring releases give them away)", w.Budget.Epsilon, w.Budget.Delta, w.levels, node.Epsilon)
	case node.Delta >= 1/math.E:
		return nil, fmt.Errorf("mechanism: Wishart noise for delta = %v over %d nodes needs delta = %.4g a node, want < 1/e", w.Budget.Delta, w.levels, node.Delta)
	case freedom > 1e15:
		return nil, fmt.Errorf("mechanism: Wishart noise for epsilon = %v needs %.3g degrees of freedom, want <= 1e15", w.Budget.Epsilon, freedom)
	}
	w.freedom = s.Dim + int(freedom)
	if root, c := w.spread(); root <= c {
		return nil, fmt.Errorf("mechanism: Wishart noise with m k = %.4g degrees of freedom has no rho_min at alpha = %v: sqrt(m k) = %.4g, want > sqrt(d) + sqrt(2 ln(8n/alpha)) = %.4g", root*root, s.Alpha, root, c)
	}
	if err := curator.Fitting(s, 1); err != nil {
		return nil, err
	}
	var err error
	if w.sampler, err = random.NewWishart(s.Dim, w.freedom, s.Bound*s.Bound); err != nil {
		return nil, err
	}
	from := w.Calibration
	if w.Degrees > 0 {
		from = privacy.Given
	}
	w.Planned = curator.Symmetric(w.Budget, from, "Shariff and Sheffet 2018, Section 4.1 and Theorem 23", maxNodes(s.Horizon),
		privacy.Release{Law: privacy.WishartLaw(w.sampler), Sensitivity: privacy.Norms{L2: s.Bound * s.Bound}})
	return w, nil
}

// node returns the budget of one node and the degrees of freedom beyond p.
func (w *wishart) node() (node privacy.Budget, freedom float64) {
	m := float64(w.levels)
	switch {
	case w.Degrees > 0: // half of delta for the nodes' own; the claim divides it better
		node.Delta, freedom = w.Budget.Delta/(2*m), float64(w.Degrees-w.data.Dim)
		node.Epsilon = math.Sqrt(28 * portable.Log(4/node.Delta) / freedom)
		return node, freedom
	case w.Calibration == privacy.AsPublished:
		node = w.Budget.AdvancedNode(w.levels)
		return node, math.Ceil(degrees.Wishart(node))
	}
	if epsilon := (privacy.Budget{Epsilon: w.Budget.Epsilon, Delta: w.Budget.Delta / 2}).AdvancedNodeEpsilon(w.levels); epsilon >= 1 {
		return privacy.Budget{Epsilon: epsilon, Delta: w.Budget.Delta / (2 * m)}, math.NaN()
	}
	// at returns a node's budget if the given share of delta goes to the composition and the rest to
	// the nodes' own deltas, with the degrees of freedom that it needs.
	at := func(share float64) (privacy.Budget, float64) {
		node := privacy.Budget{Delta: -portable.Expm1(portable.Log1p(-(1-share)*w.Budget.Delta) / m)}
		node.Epsilon = math.Min(w.Budget.OptimalNodeEpsilon(w.levels, node.Delta), math.Nextafter(1, 0))
		return node, degrees.Wishart(node)
	}
	best, low, high := 0.5, 1e-9, 1-1e-9
	freedom = math.Inf(1)
	for range 5 { // a grid, and finer ones about its best point
		step := float64((high - low) / 16)
		for i := range 17 {
			share := low + float64(step*float64(i))
			if try, k := at(share); k < freedom && try.Delta < 1/math.E {
				node, freedom, best = try, k, share
			}
		}
		low, high = math.Max(low, best-step), math.Min(high, best+step)
	}
	return node, math.Ceil(freedom)
}

// Freedom returns k, the degrees of freedom of one node's noise.
func (w *wishart) Freedom() int { return w.freedom }

// Levels returns m and true: every prefix is padded to m nodes.
func (w *wishart) Levels() (int, bool) { return w.levels, true }

// Drawer returns a sampler.
func (w *wishart) Drawer() Drawer { return wishartDrawer{w.sampler.Copy()} }

type wishartDrawer struct{ *random.Wishart }

// Draw writes one node's noise, a packed symmetric matrix, into dst.
func (w wishartDrawer) Draw(n *privacy.Noise, dst []float64) { n.Wishart(dst, w.Wishart) }

// Noiseless returns false, as Open refuses an infinite epsilon: Wishart noise has no non-private
// limit.
func (w *wishart) Noiseless() bool { return false }

// spread returns sqrt(m k) and c = sqrt(d) + sqrt(2 ln(8n/alpha)). The singular values of the
// Gaussian matrix behind the noise lie within c of sqrt(m k), in units of L~, except with
// probability alpha/(4n).
func (w *wishart) spread() (root, c float64) {
	return math.Sqrt(float64(w.levels) * float64(w.freedom)), w.tail(8)
}

// tail returns sqrt(d) + sqrt(2 ln(factor n/alpha)).
func (w *wishart) tail(factor float64) float64 {
	return math.Sqrt(float64(w.data.Dim-1)) + math.Sqrt(2*portable.Log(factor*float64(w.data.Horizon)/w.data.Alpha))
}

// Shift returns the shift -c of Eq. (4), or 0 if Unshifted.
func (w *wishart) Shift() float64 {
	if w.Unshifted {
		return 0
	}
	root, c := w.spread()
	return -w.data.Bound * w.data.Bound * (float64((root-c)*(root-c)) - float64(4*root*c))
}

// Bounds returns the bounds of Proposition 9, moved by shift, with the gamma of Claim 20.
//
// Claim 20 is about shifts down. A shift up divides gamma by at least sqrt(1 + shift/rho_max), with
// rho_max as it was before, and that is what Bounds returns then. Under AsPublished and the shift
// of Eq. (4), gamma is the printed simplification, which is about twice that of Claim 20. Sound
// allots probability alpha/(4n) of the union bound to the event of gamma; the paper allots
// alpha/(2n).
func (w *wishart) Bounds(shift float64) privacy.Bounds {
	b := w.Spread().Bounds(shift)
	if w.Calibration == privacy.AsPublished && !w.Unshifted && shift == w.Shift() {
		root, _ := w.spread()
		b.Gamma = w.data.Bound * math.Sqrt(root*w.tail(2))
	}
	return b
}

// Spread returns what Bounds is computed from.
func (w *wishart) Spread() privacy.Spread {
	root, c := w.spread()
	square := w.data.Bound * w.data.Bound
	factor := 2.0
	if w.Calibration == privacy.Sound {
		factor = 4
	}
	return privacy.Spread{Low: float64(square * (root - c) * (root - c)), High: float64(square * (root + c) * (root + c)), Relative: w.data.Bound * w.tail(factor)}
}

// Plan returns what a row reveals that is in the given number of released nodes. More nodes than
// the horizon allows count as the most that it allows.
func (w *wishart) Plan(nodes int) privacy.Plan { return w.Shown(nodes, 1).HeldBy(w) }
