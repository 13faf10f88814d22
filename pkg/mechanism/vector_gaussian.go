package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorGaussian releases vectors of Euclidean norm at most Bound under independent Gaussian noise, calibrated exactly: with L2 sensitivity
// D the standard deviation is D/mu*(epsilon, delta) (the analytic Gaussian: Balle and Wang 2018, Thm. 8; Dong, Roth, Su 2022).
//
// D = 2 Bound for a value that is replaced, Bound where a record is there or not and its absence is the zero vector. Values are clipped
// inside. A value is a record's vector, or any function of a batch of records: what counts is that a record is in one release only; a user in k =
// Neighbours.Contributions of them costs mu sqrt(k). The trust model is central; with a value for each user, drawn on the user's device, it is the
// local one. The noise is for research: SecureGaussian is the one to deploy.
type VectorGaussian struct {
	Budget     privacy.Budget     // no default; delta > 0; epsilon = +Inf means no noise
	Dim        int                // length of a value, >= 1
	Bound      float64            // largest Euclidean norm of a value, > 0, no default
	Neighbours privacy.Neighbours // zero: one record is replaced

	bound    float64 // as it was in Init; buf has the length of a value
	sd       float64
	releases int
	clipped  int
	noise    *privacy.Noise
	buf      []float64
	claim    privacy.Claim
}

var _ privacy.Ledgered = (*VectorGaussian)(nil)

// Init validates and calibrates.
func (g *VectorGaussian) Init() error {
	g.noise, g.claim = nil, privacy.Claim{}
	mu, err := privacy.GaussianMu(g.Budget)
	if err != nil {
		return err
	}
	if g.Dim < 1 {
		return fmt.Errorf("mechanism: VectorGaussian.Dim = %d, want >= 1", g.Dim)
	}
	if err := size.Check(fmt.Sprintf("mechanism: VectorGaussian.Dim = %d", g.Dim), float64(g.Dim)); err != nil {
		return err
	}
	if !(g.Bound > 0) || math.IsInf(2*g.Bound, 0) {
		return fmt.Errorf("mechanism: VectorGaussian.Bound = %v, want finite and > 0", g.Bound)
	}
	neighbours, err := protect(g.Neighbours, "record's vector")
	if err != nil {
		return err
	}
	sensitivity := 2 * g.Bound
	if neighbours.Relation == privacy.AddRemove {
		sensitivity = g.Bound
	}
	sensitivity *= math.Sqrt(float64(neighbours.Contributions))
	g.sd = sensitivity / mu
	if math.IsInf(g.sd, 0) || g.sd == 0 && !g.Budget.None() {
		return fmt.Errorf("mechanism: VectorGaussian of standard deviation %v for %v, want finite and > 0", g.sd, g.Budget)
	}
	g.bound, g.buf = g.Bound, make([]float64, g.Dim)
	g.claim = privacy.Claim{
		Model: privacy.Central, Neighbours: neighbours,
		Nominal: g.Budget, Epsilon: privacy.GaussianEpsilon(g.Budget.Delta, mu),
		Event:      privacy.GaussianEvent{Mu: mu},
		Conditions: []string{fmt.Sprintf("values clipped to the norm %v inside the mechanism", g.Bound), apart(neighbours)},
		Source:     "Balle and Wang 2018, Theorem 8; Dong, Roth, Su 2022",
	}
	return nil
}

// Reset begins a run over new noise.
func (g *VectorGaussian) Reset(n *privacy.Noise) { g.noise, g.releases, g.clipped = n, 0, 0 }

// Release writes the value, clipped and under noise, into dst, which may be the value itself. A value that is not finite, or of
// another length, is refused.
func (g *VectorGaussian) Release(dst, value []float64) error {
	if err := ready(g.noise, &g.claim); err != nil {
		return err
	}
	if err := fits(dst, value, len(g.buf)); err != nil {
		return err
	}
	shrink, norm := 1.0, euclidean(value)
	if norm > g.bound*(1+1e-12) { // one on the bound, whatever its rounding, stays as it is
		shrink = g.bound / norm
		g.clipped++
	}
	g.noise.Gaussian(g.buf, g.sd)
	g.releases++
	for i, v := range value {
		dst[i] = float64(shrink*v) + g.buf[i]
	}
	return nil
}

// euclidean returns the norm without overflow of the squares.
func euclidean(v []float64) float64 {
	var norm float64
	for _, x := range v {
		norm = portable.Hypot(norm, x)
	}
	return norm
}

// SD returns the standard deviation of a coordinate's noise.
func (g *VectorGaussian) SD() float64 { return g.sd }

// Clipped returns how many values were clipped since Reset.
func (g *VectorGaussian) Clipped() int { return g.clipped }

// Claim returns what the noise buys.
func (g *VectorGaussian) Claim() privacy.Claim { return g.claim }

// Draws returns a draw for each release.
func (g *VectorGaussian) Draws() []privacy.Draws {
	return []privacy.Draws{{Law: privacy.GaussianLaw(len(g.buf), g.sd), Count: g.releases}}
}
