package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SecureGaussian releases sums of vectors of Euclidean norm at most Bound under discrete Gaussian
// noise from the operating system's randomness (Canonne, Kamath, Steinke 2020).
//
// The trust model is central. Let g be the grid and d the dimension. In grid steps a record is an
// integer vector of squared norm at most R^2 = floor((Bound/g + sqrt(d)/2)^2), as rounding to
// nearest moves each coordinate by at most 1/2. The bound is enforced on the integers, so rounding
// errors of the clipping cannot break it.
//
// The L2 sensitivity D is 2 R if a record is replaced: the 2 Bound/g of exact arithmetic, plus
// sqrt(d) for rounding two records. It is R under AddRemove. For a user with k =
// Neighbours.Contributions records it is k times that.
//
// Noise of sigma steps is D^2/(2 sigma^2)-zCDP (Canonne, Kamath, Steinke, Thm. 4; for a vector by
// composition). sigma is calibrated to the rho that privacy.ConcentratedRho gives for the budget. A
// discrete Gaussian is not mu-GDP, as its privacy curve is not the Gaussian's.
type SecureGaussian struct {
	Budget privacy.Budget // no default; epsilon finite, delta > 0
	Dim    int            // length of a record, d >= 1
	Bound  float64        // largest Euclidean norm of a record, > 0, no default
	// Grid is the spacing of the releases, a power of two; 0 means one that costs less than 0.1% of
	// noise where that is possible.
	Grid       float64
	Neighbours privacy.Neighbours // zero value: one record is replaced

	secure
	square uint64 // R^2
	law    *random.DiscreteGaussian
}

var (
	_ Secure = (*SecureGaussian)(nil)
)

// Init validates, calibrates and allocates; it begins a run.
func (s *SecureGaussian) Init() error {
	rho, err := privacy.ConcentratedRho(s.Budget)
	if err != nil {
		return err
	}
	const name = "SecureGaussian"
	neighbours, err := checkSecure(name, s.Budget.Epsilon, s.Dim, s.Bound, s.Grid, s.Neighbours)
	if err != nil {
		return err
	}
	factor := float64(neighbours.Contributions) // of R, in the sensitivity
	if neighbours.Relation == privacy.Replace {
		factor *= 2
	}
	root := math.Sqrt(float64(s.Dim))
	grid := s.Grid
	bound, err := steps(name, s.Bound, factor*s.Bound/math.Sqrt(2*rho), root, &grid)
	if err != nil {
		return err
	}
	radius := bound + float64(root/2)
	if radius >= finest {
		return fmt.Errorf("mechanism: %s.Bound = %v of %d coordinates is %.4g steps of the grid %v, want < 2^31: use a coarser grid", name, s.Bound, s.Dim, radius, grid)
	}
	square := math.Floor(radius * radius)
	if square < 1 {
		return fmt.Errorf("mechanism: %s.Bound = %v rounds to 0 on the grid %v: noise of zero, want a finer grid", name, s.Bound, grid)
	}
	// 1e-12 is more than the rounding errors of this line.
	num, den := fraction(factor * factor * square / (2 * rho) * (1 + 1e-12))
	law, err := random.NewDiscreteGaussian(num, den)
	if err != nil {
		return fmt.Errorf("mechanism: %s: noise in steps of the grid %v: %w: use a coarser grid", name, grid, err)
	}
	if err := s.init(s.Dim, s.Bound, grid, law.Max()); err != nil {
		return err
	}
	s.square, s.law = uint64(square), law
	s.reveals(privacy.Release{Law: privacy.DiscreteGaussianLaw(s.Dim, law), Sensitivity: privacy.Norms{L2: factor * math.Sqrt(square)}}, neighbours, s.Budget, "norm",
		"Canonne, Kamath, Steinke 2020, Theorem 4 and Algorithm 3; zCDP (Bun and Steinke 2016)")
	return nil
}

// Plan returns what the sums reveal of a record.
func (s *SecureGaussian) Plan(records int) privacy.Plan { return s.plan(records).HeldBy(s) }

// Add clips a record to the bound, rounds it to the grid and adds it to the current sum.
func (s *SecureGaussian) Add(record []float64) error {
	if err := s.check(record); err != nil {
		return err
	}
	shrink, norm := 1.0, euclidean(record)
	if norm > s.bound {
		shrink = s.bound / norm
	}
	s.round(record, shrink)
	for s.squares() > s.square { // only if the norm was rounded down
		s.towardsZero()
	}
	return s.add(norm > s.bound*(1+1e-12))
}

func (s *SecureGaussian) squares() (sum uint64) {
	for _, z := range s.record {
		sum += uint64(z * z)
	}
	return sum
}

// Release writes the noisy sum of the records since the last release into dst and begins the next
// sum.
func (s *SecureGaussian) Release(dst []float64) error {
	if err := s.ready(dst); err != nil {
		return err
	}
	s.noise.DiscreteGaussian(s.noisy, s.law)
	s.release(dst)
	return nil
}

// SD returns sigma, the parameter of a coordinate's noise, in the units of the records.
func (s *SecureGaussian) SD() float64 { return s.law.Sigma() * s.grid }

// Check compares the noise drawn from the system since Init with the noise that the claim requires.
func (s *SecureGaussian) Check() error { return s.found(s) }
