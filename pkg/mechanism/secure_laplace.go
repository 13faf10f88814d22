package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SecureLaplace releases sums of vectors of L1 norm at most Bound under discrete Laplace noise from
// the operating system's randomness; it is pure epsilon-DP (Ghosh, Roughgarden, Sundararajan 2012;
// sampled as by Canonne, Kamath, Steinke 2020).
//
// The trust model is central. Let g be the grid and d the dimension. In grid steps a record is an
// integer vector of L1 norm at most R = floor(Bound/g + d/2), as rounding to nearest moves each
// coordinate by at most 1/2. The bound is enforced on the integers, so rounding errors of the
// clipping cannot break it.
//
// The L1 sensitivity D is 2 R if a record is replaced: the 2 Bound/g of exact arithmetic, plus d
// for rounding two records. It is R under AddRemove. For a user with k = Neighbours.Contributions
// records it is k times that. The noise has scale D/epsilon steps, rounded up.
type SecureLaplace struct {
	Epsilon float64 // > 0 and finite, no default
	Dim     int     // length of a record, d >= 1
	Bound   float64 // largest L1 norm of a record, > 0, no default
	// Grid is the spacing of the releases, a power of two; 0 means one that costs less than 0.1% of
	// noise where that is possible.
	Grid       float64
	Neighbours privacy.Neighbours // zero value: one record is replaced
}

// secureLaplace is a SecureLaplace that is calibrated.
type secureLaplace struct {
	secure
	radius int64 // R
	law    *random.DiscreteLaplace
}

// secureLaplaceRun is a run of a SecureLaplace.
type secureLaplaceRun struct {
	*secureLaplace
	secureRun
}

// Open validates and calibrates.
func (of SecureLaplace) Open() (Calibrated[Secure], error) {
	nominal := privacy.Budget{Epsilon: of.Epsilon}
	if err := nominal.Validate(); err != nil {
		return nil, err
	}
	const name = "SecureLaplace"
	neighbours, err := lattice.Check(name, of.Epsilon, of.Dim, of.Bound, of.Grid, of.Neighbours)
	if err != nil {
		return nil, err
	}
	factor := float64(neighbours.Contributions) // of R, in the sensitivity
	if neighbours.Relation == privacy.Replace {
		factor *= 2
	}
	grid := of.Grid
	bound, err := lattice.Steps(name, of.Bound, factor*of.Bound/of.Epsilon, float64(of.Dim), &grid)
	if err != nil {
		return nil, err
	}
	radius := math.Floor(bound + float64(float64(of.Dim)/2))
	if radius >= finest {
		return nil, fmt.Errorf("mechanism: %s.Bound = %v of %d coordinates is %.4g steps of the grid %v, want < 2^31: use a coarser grid", name, of.Bound, of.Dim, radius, grid)
	}
	sensitivity := factor * radius
	if sensitivity > lattice.Largest {
		return nil, fmt.Errorf("mechanism: %s: %d contributions of %.4g steps of the grid %v, want 2^53 steps at most: use a coarser grid", name, neighbours.Contributions, radius, grid)
	}
	if sensitivity < 1 {
		return nil, fmt.Errorf("mechanism: %s.Bound = %v rounds to 0 on the grid %v: noise of zero, want a finer grid", name, of.Bound, grid)
	}
	// 1e-12 is more than the rounding errors of this line.
	num, den := lattice.Fraction(sensitivity / of.Epsilon * (1 + 1e-12))
	law, err := random.NewDiscreteLaplace(num, den)
	if err != nil {
		return nil, fmt.Errorf("mechanism: %s: noise in steps of the grid %v: %w: use a coarser grid", name, grid, err)
	}
	to, err := newSecure(of.Dim, of.Bound, grid, law.Max())
	if err != nil {
		return nil, err
	}
	s := &secureLaplace{secure: to, radius: int64(radius), law: law}
	s.reveals(privacy.Release{Law: privacy.DiscreteLaplaceLaw(of.Dim, law), Sensitivity: privacy.Norms{L1: sensitivity}}, neighbours, nominal, "L1 norm",
		"Ghosh, Roughgarden, Sundararajan 2012; Canonne, Kamath, Steinke 2020, Algorithm 2")
	return s, nil
}

// Start begins a run over the system's randomness: that of n, or its own if that is seeded.
func (s *secureLaplace) Start(n *privacy.Noise) Secure { return &secureLaplaceRun{s, s.start(n)} }

// Plan returns what the sums reveal of a record.
func (s *secureLaplace) Plan(records int) privacy.Plan { return s.Shown(records, 0).HeldBy(s) }

// Plan returns the mechanism's plan with the draws of the run.
func (s *secureLaplaceRun) Plan(records int) privacy.Plan {
	return s.Shown(records, s.releases).HeldBy(s)
}

// Add clips a record to the bound, rounds it to the grid and adds it to the current sum.
func (s *secureLaplaceRun) Add(record []float64) error {
	if err := s.check(record); err != nil {
		return err
	}
	shrink, norm := 1.0, 0.0
	for _, v := range record {
		norm += math.Abs(v)
	}
	if norm > s.bound {
		shrink = s.bound / norm
	}
	s.round(record, shrink)
	for s.magnitude() > s.radius { // only if the norm was rounded down
		s.towardsZero()
	}
	return s.add(norm > s.bound*(1+1e-12))
}

func (s *secureLaplaceRun) magnitude() (sum int64) {
	for _, z := range s.record {
		sum += max(z, -z)
	}
	return sum
}

// Release writes the noisy sum of the records since the last release into dst and begins the next
// sum.
func (s *secureLaplaceRun) Release(dst []float64) error {
	if err := s.ready(dst); err != nil {
		return err
	}
	s.noise.DiscreteLaplace(s.noisy, s.law)
	s.release(dst)
	return nil
}

// Scale returns the scale of a coordinate's noise, in the units of the records.
func (s *secureLaplace) Scale() float64 { return s.law.Scale() * s.grid }

// Check compares the noise drawn from the system with the noise that the claim requires.
func (s *secureLaplaceRun) Check() error { return s.found(s) }
