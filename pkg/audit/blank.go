package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Blank shows the noise of an accumulator: it releases sums of rows of zeros, which hold nothing
// else but the shift.
type Blank struct {
	Of     privacy.Mechanism[privacy.Sums] // opened for more than Rounds rounds
	Dim    int                             // the length of a row that it was opened for
	Rounds int                             // rows in a run, each with a release; >= 1
	Runs   int                             // >= 1
	Seed   uint64                          // of the noise; a run has the source random.Source(Seed, run, Stream)
	Stream string
}

// Visit calls visit with each release of all runs. Rounds count from 1. The release is packed as
// privacy.Sums says, and valid until visit returns.
func (b Blank) Visit(visit func(round int, release []float64)) error {
	return b.visit(func(round int, _ privacy.Bounds, release []float64) { visit(round, release) })
}

func (b Blank) visit(visit func(round int, said privacy.Bounds, release []float64)) error {
	switch {
	case b.Of == nil:
		return fmt.Errorf("audit: Blank.Of is nil, want an accumulator that was opened")
	case b.Dim < 2 || b.Rounds < 1 || b.Runs < 1:
		return fmt.Errorf("audit: Blank.Dim = %d, Rounds = %d, Runs = %d, want >= 2, >= 1 and >= 1", b.Dim, b.Rounds, b.Runs)
	}
	zero, release := privacy.Row(make([]float64, b.Dim)), make([]float64, packed.Size(b.Dim))
	for run := range b.Runs {
		acc := b.Of.Start(privacy.NewNoise(random.Source(b.Seed, run, b.Stream)))
		for round := 1; round <= b.Rounds; round++ {
			moved, err := acc.Add(zero)
			if err != nil {
				return err
			}
			if !moved {
				return fmt.Errorf("audit: row %d has no release: Blank.Rounds = %d, want fewer than the horizon", round, b.Rounds)
			}
			r := acc.Release()
			r.Read(release)
			visit(round, r.Bounds, release)
		}
	}
	return nil
}

// SD measures the standard deviation of the noise, by round: sd[t-1] is that of the release after
// row t, off the diagonal. It is the root mean square of so many samples, so its standard error is
// about 1/sqrt(2 samples) of it.
func (b Blank) SD() (sd []float64, samples int, err error) {
	sd = make([]float64, max(0, b.Rounds))
	err = b.Visit(func(round int, release []float64) {
		for i := 1; i < b.Dim; i++ {
			for _, v := range release[packed.Size(i):][:i] {
				sd[round-1] += float64(v * v)
			}
		}
	})
	samples = b.Runs * packed.Size(b.Dim-1)
	for i, sum := range sd {
		sd[i] = math.Sqrt(sum / float64(samples))
	}
	return sd, samples, err
}

// Regularised says how the noise of blank runs keeps to the bounds of the releases.
type Regularised struct {
	Releases, Broken int     // how many were looked at, and how many break a bound
	Filled           float64 // share of [RhoMin, RhoMax] between the least and the largest eigenvalue
}

// Bounds compares the noise with the bounds that each release says of itself (JDP, Definition 3).
// It looks at the rounds that at chooses; nil means all.
func (b Blank) Bounds(at func(round int) bool) (found Regularised, err error) {
	least, largest := math.Inf(1), math.Inf(-1) // as shares
	failed := b.visit(func(round int, said privacy.Bounds, release []float64) {
		if err != nil || at != nil && !at(round) {
			return
		}
		var m privacy.Bounds
		m, err = boundsOf(release, b.Dim)
		width := said.RhoMax - said.RhoMin
		least, largest = min(least, (m.RhoMin-said.RhoMin)/width), max(largest, (m.RhoMax-said.RhoMin)/width)
		found.Releases++
		if m.RhoMin < said.RhoMin || m.RhoMax > said.RhoMax || m.Gamma > said.Gamma {
			found.Broken++
		}
	})
	found.Filled = max(0, largest-least)
	return found, errors.Join(failed, err)
}

// boundsOf measures what privacy.Bounds bound, in a release of rows of zeros: the least and the
// largest eigenvalue of its leading block H, and the norm |h|_{H^-1} of the row h next to it, which
// is +Inf if H is not positive definite.
func boundsOf(release []float64, dim int) (measured privacy.Bounds, err error) {
	if dim < 2 || len(release) != packed.Size(dim) {
		return measured, fmt.Errorf("audit: a release of %d numbers for dim = %d, want dim(dim+1)/2 and dim >= 2", len(release), dim)
	}
	d := dim - 1
	block := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			block.SetSym(i, j, release[packed.Size(i)+j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(block, false) {
		return measured, fmt.Errorf("audit: no eigenvalues of %v", release)
	}
	values := eigen.Values(nil)
	measured = privacy.Bounds{RhoMin: slices.Min(values), RhoMax: slices.Max(values), Gamma: math.Inf(1)}
	var chol mat.Cholesky
	if h, solved := mat.NewVecDense(d, release[packed.Size(d):][:d]), new(mat.VecDense); chol.Factorize(block) && chol.SolveVecTo(solved, h) == nil {
		measured.Gamma = math.Sqrt(mat.Dot(h, solved))
	}
	return measured, nil
}
