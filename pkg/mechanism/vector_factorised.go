package mechanism

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/toeplitz"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// vectorFactorised is the part that all running sums of vectors by a matrix factorisation share, as
// factorised is for matrices. Replacing a vector moves it by at most 2 Setup.Bound, so the noise of
// standard deviation s = 2 |C| Bound/mu*(epsilon, delta) makes the sequence (epsilon,
// delta)-private.
type vectorFactorised struct {
	vectors
	planned
	by     correlation
	sd     float64
	stream *privacy.Noise
	draw   func(dst []float64) `snapshot:"keep"`
}

// init calibrates and allocates. kernel makes the correlation of so many releases of so many
// numbers, once all else is valid.
func (f *vectorFactorised) init(s privacy.Setup, b privacy.Budget, besides float64, source string,
	kernel func(releases, entries int) (correlation, error)) error {
	f.planned, f.by = planned{}, nil
	if err := f.vectors.init(s, besides+2); err != nil {
		return err
	}
	mu, err := privacy.GaussianMu(b)
	if err != nil {
		return err
	}
	if f.by, err = kernel(releases(s.Horizon), s.Dim); err != nil {
		return err
	}
	column := f.by.columnNorm(releases(s.Horizon))
	if f.sd = 2 * column * s.Bound / mu; b.None() {
		f.sd = 0
	}
	if err := positive("factorised Gaussian noise", f.sd, b, s); err != nil {
		return err
	}
	p := central(privacy.ReplaceRound, b, source+"; adaptive inputs by Denisov et al. 2022, Theorem 2.1; mu-GDP (Dong, Roth, Su 2022)", clippedVectors)
	f.planned = planned{p.With(privacy.Release{Law: privacy.GaussianLaw(s.Dim, f.sd),
		Sensitivity: privacy.Norms{L2: 2 * s.Bound}}), 1}
	f.vectors.start(s)
	f.noise = make([]float64, s.Dim)
	return nil
}

// Reset forgets the data and draws new noise from n.
func (f *vectorFactorised) Reset(n *privacy.Noise) {
	f.vectors.reset()
	clear(f.noise)
	f.by.reset()
	f.stream = n
	f.draw = func(dst []float64) { f.stream.Gaussian(dst, f.sd) }
}

// Add adds a vector and draws the noise of the next release. It counts the horizon's last vector
// and drops it: no round comes after that, so no release is paid for it.
func (f *vectorFactorised) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = f.add(rec); moved {
		f.by.next(f.count, f.draw, f.noise)
	}
	return moved, err
}

// SD returns s, the standard deviation of the noise before it is correlated.
func (f *vectorFactorised) SD() float64 { return f.sd }

// plan returns what the releases after the given number of vectors reveal of one: C's leading
// block, whose first column is the longest.
func (f *vectorFactorised) plan(records int) privacy.Plan {
	return f.columns(f.by, min(records, f.setup.Horizon-1), f.released())
}

// VectorSquareRoot releases running sums of vectors under the correlated Gaussian noise of
// [SquareRoot]. It keeps the noise of every round.
//
// Setup.Bound bounds the Euclidean norm of a vector. The trust model is central; neighbouring
// streams differ in one vector, replaced. The noise is for research.
type VectorSquareRoot struct {
	Budget privacy.Budget // no default; delta > 0

	vectorFactorised
}

var _ privacy.Statistic[Total] = (*VectorSquareRoot)(nil)

// Init validates and calibrates.
func (q *VectorSquareRoot) Init(s privacy.Setup) error {
	if s.Horizon > squareRootHorizon {
		q.vectors = vectors{}
		return fmt.Errorf("mechanism: VectorSquareRoot over a horizon of %d rounds, want <= %d, as it keeps the noise of every round: use VectorBLT", s.Horizon, squareRootHorizon)
	}
	return q.init(s, q.Budget, toeplitz.Numbers(max(1, s.Horizon), 1),
		"square-root Toeplitz factorisation: Fichtenberger, Henzinger, Upadhyay 2023",
		func(releases, entries int) (correlation, error) { return newRootKernel(releases, entries), nil })
}

// Plan returns what the releases after the given number of vectors reveal of one.
func (q *VectorSquareRoot) Plan(records int) privacy.Plan { return q.plan(records).HeldBy(q) }
