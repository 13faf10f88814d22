package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
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
// composition). sigma is calibrated to the rho that the budget's ConcentratedRho gives. A
// discrete Gaussian is not mu-GDP, as its privacy curve is not the Gaussian's.
type SecureGaussian struct {
	Budget privacy.Budget // no default; epsilon finite, delta > 0
	Dim    int            // length of a record, d >= 1
	Bound  float64        // largest Euclidean norm of a record, > 0, no default
	// Grid is the spacing of the releases, a power of two; 0 means one that costs less than 0.1% of
	// noise where that is possible.
	Grid       float64
	Neighbours privacy.Neighbours // zero value: one record is replaced
}

// secureGaussian is a SecureGaussian that is calibrated.
type secureGaussian struct {
	secure
	square uint64 // R^2
	law    *random.DiscreteGaussian
}

// secureGaussianRun is a run of a SecureGaussian.
type secureGaussianRun struct {
	*secureGaussian
	secureRun
}

// Open validates and calibrates.
func (of SecureGaussian) Open() (Calibrated[Secure], error) {
	rho, err := of.Budget.ConcentratedRho()
	if err != nil {
		return nil, err
	}
	const name = "SecureGaussian"
	neighbours, err := lattice.Check(name, of.Budget.Epsilon, of.Dim, of.Bound, of.Grid, of.Neighbours)
	if err != nil {
		return nil, err
	}
	factor := float64(neighbours.Contributions) // of R, in the sensitivity
	if neighbours.Relation == privacy.Replace {
		factor *= 2
	}
	root := math.Sqrt(float64(of.Dim))
	grid := of.Grid
	bound, err := lattice.Steps(name, of.Bound, factor*of.Bound/math.Sqrt(2*rho), root, &grid)
	if err != nil {
		return nil, err
	}
	radius := bound + float64(root/2)
	if radius >= finest {
		return nil, fmt.Errorf("mechanism: %s.Bound = %v of %d coordinates is %.4g steps of the grid %v, want < 2^31: use a coarser grid", name, of.Bound, of.Dim, radius, grid)
	}
	square := math.Floor(radius * radius)
	if square < 1 {
		return nil, fmt.Errorf("mechanism: %s.Bound = %v rounds to 0 on the grid %v: noise of zero, want a finer grid", name, of.Bound, grid)
	}
	// 1e-12 is more than the rounding errors of this line.
	num, den := lattice.Fraction(factor * factor * square / (2 * rho) * (1 + 1e-12))
	law, err := random.NewDiscreteGaussian(num, den)
	if err != nil {
		return nil, fmt.Errorf("mechanism: %s: noise in steps of the grid %v: %w: use a coarser grid", name, grid, err)
	}
	to, err := newSecure(of.Dim, of.Bound, grid, law.Max())
	if err != nil {
		return nil, err
	}
	s := &secureGaussian{secure: to, square: uint64(square), law: law}
	s.reveals(privacy.Release{Law: privacy.DiscreteGaussianLaw(of.Dim, law), Sensitivity: privacy.Norms{L2: factor * math.Sqrt(square)}}, neighbours, of.Budget, "norm",
		"Canonne, Kamath, Steinke 2020, Theorem 4 and Algorithm 3; zCDP (Bun and Steinke 2016)")
	return s, nil
}

// Start begins a run over the system's randomness: that of n, or its own if that is seeded.
func (s *secureGaussian) Start(n *privacy.Noise) Secure { return &secureGaussianRun{s, s.start(n)} }

// Plan returns what the sums reveal of a record.
func (s *secureGaussian) Plan(records int) privacy.Plan { return s.Shown(records, 0).HeldBy(s) }

// Plan returns the mechanism's plan with the draws of the run.
func (s *secureGaussianRun) Plan(records int) privacy.Plan {
	return s.Shown(records, s.releases).HeldBy(s)
}

// Add clips a record to the bound, rounds it to the grid and adds it to the current sum.
func (s *secureGaussianRun) Add(record []float64) error {
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

func (s *secureGaussianRun) squares() (sum uint64) {
	for _, z := range s.record {
		sum += uint64(z * z)
	}
	return sum
}

// Release writes the noisy sum of the records since the last release into dst and begins the next
// sum.
func (s *secureGaussianRun) Release(dst []float64) error {
	if err := s.ready(dst); err != nil {
		return err
	}
	s.noise.DiscreteGaussian(s.noisy, s.law)
	s.release(dst)
	return nil
}

// Scale returns sigma, the parameter of a coordinate's noise, in the units of the records.
func (s *secureGaussian) Scale() float64 { return s.law.Sigma() * s.grid }

// Check compares the noise drawn from the system with the noise that the claim requires.
func (s *secureGaussianRun) Check() error { return s.found(s) }
