package continual

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/toeplitz"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// vectorFactorised is the part that all running sums of vectors by a matrix factorisation share, as
// factorised is for matrices. Replacing a vector moves it by at most 2 Setup.Bound, so the noise of
// standard deviation s = 2 |C| Bound/mu*(epsilon, delta) makes the sequence (epsilon,
// delta)-private.
type vectorFactorised struct {
	curator.Planned
	data privacy.Setup
	by   correlation
	sd   float64
}

// vectorFactorisedRun is a run of such a sum.
type vectorFactorisedRun struct {
	*vectorFactorised
	vectors
	by     correlated
	stream *privacy.Noise
}

// newVectorFactorised calibrates. kernel makes the correlation of so many releases, once all else
// is valid.
func newVectorFactorised(s privacy.Setup, b privacy.Budget, besides float64, source string,
	kernel func(releases int) (correlation, error)) (*vectorFactorised, error) {
	if err := checkVectors(s, besides+2); err != nil {
		return nil, err
	}
	mu, err := b.GaussianMu()
	if err != nil {
		return nil, err
	}
	f := &vectorFactorised{data: s}
	if f.by, err = kernel(releases(s.Horizon)); err != nil {
		return nil, err
	}
	column := f.by.columnNorm(releases(s.Horizon))
	if f.sd = 2 * column * s.Bound / mu; b.None() {
		f.sd = 0
	}
	if err := curator.Positive("factorised Gaussian noise", f.sd, b, s); err != nil {
		return nil, err
	}
	p := curator.Central(privacy.ReplaceRound, b, source+"; adaptive inputs by Denisov et al. 2022, Theorem 2.1; mu-GDP (Dong, Roth, Su 2022)", clippedVectors)
	f.Planned = curator.Plans(p.With(privacy.Release{Law: privacy.GaussianLaw(s.Dim, f.sd),
		Sensitivity: privacy.Norms{L2: 2 * s.Bound}}), 1)
	return f, nil
}

// start returns a run that draws its noise from n.
func (f *vectorFactorised) start(n *privacy.Noise) vectorFactorisedRun {
	r := vectorFactorisedRun{vectorFactorised: f, vectors: newVectors(f.data), by: f.by.begin(f.data.Dim), stream: n}
	r.noise = make([]float64, f.data.Dim)
	return r
}

// Start begins a run that draws its noise from n.
func (f *vectorFactorised) Start(n *privacy.Noise) privacy.Stream[Total] {
	if n == nil {
		return curator.WithoutNoise(f)
	}
	r := f.start(n)
	return &r
}

// Draw writes a fresh z into dst.
func (f *vectorFactorised) Draw(n *privacy.Noise, dst []float64) { n.Gaussian(dst, f.sd) }

// Add adds a vector and draws the noise of the next release. It counts the horizon's last vector
// and drops it: no round comes after that, so no release is paid for it.
func (f *vectorFactorisedRun) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = f.add(rec); moved {
		f.by.next(f.count, f.vectorFactorised, f.stream, f.noise)
	}
	return moved, err
}

// SD returns s, the standard deviation of the noise before it is correlated.
func (f *vectorFactorised) SD() float64 { return f.sd }

// Plan returns what the releases after the given number of vectors reveal of one.
func (f *vectorFactorised) Plan(records int) privacy.Plan { return f.plan(records, 0).HeldBy(f) }

// Plan returns the mechanism's plan with the draws of the run.
func (f *vectorFactorisedRun) Plan(records int) privacy.Plan {
	return f.plan(records, f.released()).HeldBy(f)
}

// plan returns what the releases after the given number of vectors reveal of one: C's leading
// block, whose first column is the longest. Noise is drawn for each of the t vectors released.
func (f *vectorFactorised) plan(records, t int) privacy.Plan {
	return columns(&f.Planned, f.by, min(records, f.data.Horizon-1), t)
}

// VectorSquareRoot releases running sums of vectors under the correlated Gaussian noise of
// [SquareRoot]. It keeps the noise of every round.
//
// Setup.Bound bounds the Euclidean norm of a vector. The trust model is central; neighbouring
// streams differ in one vector, replaced. The noise is for research.
type VectorSquareRoot struct {
	Budget privacy.Budget // no default; delta > 0
}

var _ privacy.Statistic[Total] = VectorSquareRoot{}

// Open validates and calibrates.
func (q VectorSquareRoot) Open(s privacy.Setup) (privacy.Mechanism[Total], error) {
	if s.Horizon > squareRootHorizon {
		return nil, fmt.Errorf("mechanism: VectorSquareRoot over a horizon of %d rounds, want <= %d, as it keeps the noise of every round: use VectorBLT", s.Horizon, squareRootHorizon)
	}
	f, err := newVectorFactorised(s, q.Budget, toeplitz.Numbers(max(1, s.Horizon), 1),
		"square-root Toeplitz factorisation: Fichtenberger, Henzinger, Upadhyay 2023",
		func(releases int) (correlation, error) { return newRootKernel(releases), nil })
	if err != nil {
		return nil, err
	}
	return f, nil
}
