package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorGaussian releases vectors of Euclidean norm at most Bound under independent Gaussian noise,
// calibrated exactly (Balle and Wang 2018, Thm. 8; Dong, Roth, Su 2022).
//
// The standard deviation is D/mu*(epsilon, delta), where D is the L2 sensitivity: 2 Bound if a
// value is replaced, and Bound under AddRemove, where a missing record counts as the zero vector.
// Values are clipped to the bound inside the mechanism.
//
// A value is a record's vector or any function of a batch of records. A record may be in one
// release only. A user may be in k = Neighbours.Contributions releases, which costs a factor of
// sqrt(k) in the noise. The trust model is central; if each user's device draws the noise on the
// user's own value, it is local.
//
// The noise is for research. [SecureGaussian] is the mechanism to deploy.
type VectorGaussian struct {
	Budget     privacy.Budget     // no default; delta > 0; epsilon = +Inf means no noise
	Dim        int                // length of a value, >= 1
	Bound      float64            // largest Euclidean norm of a value, > 0, no default
	Neighbours privacy.Neighbours // zero value: one record is replaced
}

// vectorGaussian is a VectorGaussian that is calibrated.
type vectorGaussian struct {
	curator.Planned
	dim   int
	bound float64
	sd    float64
}

// vectorGaussianRun is a run of a VectorGaussian.
type vectorGaussianRun struct {
	*vectorGaussian
	noise    *privacy.Noise
	releases int
	clipped  int
	buf      []float64
}

// Open validates and calibrates.
func (of VectorGaussian) Open() (Calibrated[Vectors], error) {
	mu, err := of.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	if of.Dim < 1 {
		return nil, fmt.Errorf("mechanism: VectorGaussian.Dim = %d, want >= 1", of.Dim)
	}
	if err := size.Check(fmt.Sprintf("mechanism: VectorGaussian.Dim = %d", of.Dim), float64(of.Dim)); err != nil {
		return nil, err
	}
	if !(of.Bound > 0) || math.IsInf(2*of.Bound, 0) {
		return nil, fmt.Errorf("mechanism: VectorGaussian.Bound = %v, want finite and > 0", of.Bound)
	}
	neighbours, err := curator.Protect(of.Neighbours, "record's vector")
	if err != nil {
		return nil, err
	}
	sensitivity := 2 * of.Bound
	if neighbours.Relation == privacy.AddRemove {
		sensitivity = of.Bound
	}
	k := neighbours.Contributions
	g := &vectorGaussian{bound: of.Bound, dim: of.Dim}
	g.sd = math.Sqrt(float64(k)) * sensitivity / mu
	if math.IsInf(g.sd, 0) || g.sd == 0 && !of.Budget.None() {
		return nil, fmt.Errorf("mechanism: VectorGaussian of standard deviation %v for %v, want finite and > 0", g.sd, of.Budget)
	}
	g.Planned = curator.Reveals(privacy.Release{Law: privacy.GaussianLaw(of.Dim, g.sd), Sensitivity: privacy.Norms{L2: sensitivity}, Times: k}, neighbours, of.Budget,
		"Balle and Wang 2018, Theorem 8; Dong, Roth, Su 2022", fmt.Sprintf("values clipped to the norm %v inside the mechanism", of.Bound), apart(neighbours))
	return g, nil
}

// Start begins a run that draws its noise from n.
func (g *vectorGaussian) Start(n *privacy.Noise) Vectors {
	return &vectorGaussianRun{vectorGaussian: g, noise: n, buf: make([]float64, g.dim)}
}

// Release writes the value, clipped and under noise, into dst, which may be the value itself. It
// refuses a value that has the wrong length or is not finite.
func (g *vectorGaussianRun) Release(dst, value []float64) error {
	if err := fits(dst, value, len(g.buf)); err != nil {
		return err
	}
	if g.noise == nil {
		return curator.ErrNoNoise
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

// euclidean returns the Euclidean norm; its squares do not overflow.
func euclidean(v []float64) float64 {
	var norm float64
	for _, x := range v {
		norm = portable.Hypot(norm, x)
	}
	return norm
}

// Scale returns the standard deviation of a coordinate's noise.
func (g *vectorGaussian) Scale() float64 { return g.sd }

// Clipped returns how many values were clipped.
func (g *vectorGaussianRun) Clipped() int { return g.clipped }

// Plan returns what the releases reveal of a record.
func (g *vectorGaussian) Plan(records int) privacy.Plan { return g.Shown(records, 0).HeldBy(g) }

// Plan returns the mechanism's plan with the draws of the run.
func (g *vectorGaussianRun) Plan(records int) privacy.Plan {
	return g.Shown(records, g.releases).HeldBy(g)
}
