package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Secure is a run that releases sums of vectors under noise fit for deployment.
//
// [SecureGaussian] and [SecureLaplace] have such runs, and no other type can. The operating system
// is their only source of randomness, whatever noise they are handed. No release depends on
// floating-point noise, which leaks (Mironov 2012; Casacuberta, Shoemate, Vadhan, Wagaman 2022 on
// sums). Records are rounded to integer multiples of a grid, the integers are summed exactly, and
// the noise is an exact discrete one. The grid is a power of two, so a release is an exact float64.
//
// Add adds a record to the current sum. Release writes the noisy sum of the records since the last
// Release and begins the next sum, so each record is in one sum.
//
// Running times are not constant: whoever can time a release to the nanosecond learns something
// about its noise.
type Secure interface {
	privacy.Planner
	// Add clips a record to the bound, rounds it to the grid and adds it. It refuses a record that has
	// the wrong length, is not finite, or takes a sum beyond what float64 holds exactly. The error is
	// for the curator's eyes only; a refused record changes nothing.
	Add(record []float64) error
	// Release writes the noisy sum into dst and begins the next sum.
	Release(dst []float64) error
	// Check compares the noise drawn from the system with the noise that the claim requires.
	Check() error
	// Spacing returns the grid: releases are integer multiples of it.
	Spacing() float64
	// Scale returns the parameter of a coordinate's noise, in the units of the records: sigma of the
	// discrete Gaussian, or the scale of the discrete Laplace noise.
	Scale() float64
	// Clipped returns how many records were clipped.
	Clipped() int
	systemOnly() // keeps other packages' types from being a Secure
}

// secure is what the secure mechanisms are calibrated to.
type secure struct {
	curator.Planned
	dim   int
	bound float64
	grid  float64 // a power of two
	// largest absolute sum of a coordinate that noise cannot take beyond 2^53
	room int64
}

// secureRun is the part that their runs share: the sum on the grid and its noise.
type secureRun struct {
	of       *secure
	noise    *privacy.Noise
	sum      []int64
	record   []int64 // the record that is being added, rounded
	noisy    []int64
	clipped  int
	releases int
	ledger   *privacy.Ledger
}

// finest bounds a record in grid steps so that the sum of its squares fits into 64 bits.
const finest = 1 << 31

// newSecure makes room for noise of at most reach steps.
func newSecure(dim int, bound, grid float64, reach int64) (secure, error) {
	if reach > lattice.Largest-finest {
		return secure{}, fmt.Errorf("mechanism: noise of up to %d steps of the grid %v, want <= 2^53 - 2^31: use a coarser grid", reach, grid)
	}
	return secure{dim: dim, bound: bound, grid: grid, room: lattice.Largest - reach}, nil
}

// start begins a run over the system's randomness.
func (s *secure) start(n *privacy.Noise) secureRun {
	r := secureRun{of: s, sum: make([]int64, s.dim), record: make([]int64, s.dim), noisy: make([]int64, s.dim),
		ledger: privacy.NewLedger(lattice.Source(n))}
	r.noise = privacy.NewNoise(r.ledger)
	return r
}

// reveals says what a sum shows of a record that is in it.
func (s *secure) reveals(r privacy.Release, n privacy.Neighbours, asked privacy.Budget, norm, source string) {
	sums := "a record is in one sum"
	if n.Contributions > 1 {
		sums = fmt.Sprintf("a user adds at most %d records, to any sums", n.Contributions)
	}
	s.Planned = curator.Reveals(r, n, asked, source, fmt.Sprintf("records clipped to the %s %v and rounded to the grid %v inside the mechanism", norm, s.bound, s.grid), sums)
	s.One = s.One.Secured(trust.Discrete)
}

// round writes the record, scaled by shrink and rounded to the nearest grid step, into s.record.
func (s *secureRun) round(record []float64, shrink float64) {
	for i, v := range record {
		s.record[i] = int64(math.RoundToEven(v * shrink / s.of.grid))
	}
}

// towardsZero moves each coordinate that is not 0 one step towards 0.
func (s *secureRun) towardsZero() {
	for i, z := range s.record {
		switch {
		case z > 0:
			s.record[i]--
		case z < 0:
			s.record[i]++
		}
	}
}

// check refuses a record that has the wrong length or is not finite.
func (s *secureRun) check(record []float64) error {
	if len(record) != s.of.dim {
		return fmt.Errorf("mechanism: a record of length %d, want %d", len(record), s.of.dim)
	}
	for i, v := range record {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mechanism: record[%d] = %v, want finite", i, v)
		}
	}
	return nil
}

// add adds the rounded record to the sum.
func (s *secureRun) add(clipped bool) error {
	for i, z := range s.record {
		if next := s.sum[i] + z; next > s.of.room || next < -s.of.room {
			return fmt.Errorf("mechanism: coordinate %d of the sum would be %d steps of the grid %v, want within %d: release sooner or use a coarser grid", i, next, s.of.grid, s.of.room)
		}
	}
	for i, z := range s.record {
		s.sum[i] += z
	}
	if clipped {
		s.clipped++
	}
	return nil
}

// ready refuses a destination of the wrong length.
func (s *secureRun) ready(dst []float64) error {
	if len(dst) != s.of.dim {
		return fmt.Errorf("mechanism: a release into %d numbers, want %d", len(dst), s.of.dim)
	}
	return nil
}

// release adds the drawn noise to the sum, writes it into dst and begins the next sum.
func (s *secureRun) release(dst []float64) {
	for i, z := range s.noisy {
		dst[i] = float64(s.sum[i]+z) * s.of.grid
	}
	clear(s.noisy)
	clear(s.sum)
	s.releases++
}

// found compares the noise drawn from the system with the plan of x, whose part s is.
func (s *secureRun) found(x privacy.Planner) error {
	return s.ledger.CheckPlan(x, privacy.All)
}

// Spacing returns the grid: releases are integer multiples of it.
func (s *secureRun) Spacing() float64 { return s.of.grid }

// Clipped returns how many records were clipped.
func (s *secureRun) Clipped() int { return s.clipped }

func (s *secureRun) systemOnly() {}
