package continual

import (
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// factorised is the part that all releases of running sums by a matrix factorisation share:
// everything but the correlation of the noise.
//
// Let A be the lower triangular matrix of ones, which maps the rows' outer products x to their
// prefix sums, and let A = B C. The release is A x + B z = B (C x + z), where z has a symmetric
// Gaussian matrix z_t of standard deviation s for each row; it is post-processing of a Gaussian
// mechanism on C x. Replacing one row moves x by at most L~^2 in standard deviations of z at s = 1
// (as in Gaussian), and C x by that times the largest norm of a column of C. Hence s = |C|
// L~^2/mu*(epsilon, delta) makes the whole sequence (epsilon, delta)-private.
//
// A bandit's inputs depend on earlier releases. The guarantee holds for them, too, as C and B are
// lower triangular and z is Gaussian (Denisov, McMahan, Rush, Smith, Thakurta 2022, Theorem 2.1).
// The releases are those of rows 1, ..., n-1, as in Tree.
type factorised struct {
	curator.Planned
	data privacy.Setup
	by   correlation
	// inner is 1 if the nodes of a tree above its leaves have noise of their own
	inner  int
	sd     float64 // s
	widest float64 // |B|, the largest norm of a row
	like   privacy.Sums
}

// factorisedRun is a run of a factorised release.
type factorisedRun struct {
	*factorised
	rows
	sum    []float64
	by     correlated
	stream *privacy.Noise
	noise  []float64 // (B z)_t
}

// correlation is the correlation of a factorisation's noise. It never changes.
type correlation interface {
	// columnNorm bounds the Euclidean norms of the columns of C's leading rows x rows block. It does
	// not decrease in rows >= 1.
	columnNorm(rows int) float64
	// rowNorm bounds the Euclidean norms of the rows of B.
	rowNorm() float64
	// begin returns the noise of a run, of so many numbers a row.
	begin(size int) correlated
}

// correlated is the noise of a run.
type correlated interface {
	// next writes (B z)_t, the noise of the prefix of t rows, into dst. fresh draws each z from n.
	// Calls have t = 1, 2, ... in turn.
	next(t int, fresh Drawer, n *privacy.Noise, dst []float64)
}

// checkFactorised validates the input that every factorisation is given, before the work of its
// Open.
func checkFactorised(s privacy.Setup, b privacy.Budget) error {
	if err := s.CheckRows(); err != nil {
		return err
	}
	_, err := b.GaussianMu()
	return err
}

// releases returns how many releases a horizon has to pay for, at least 1.
func releases(horizon int) int { return max(1, horizon-1) }

// newFactorised calibrates, once the correlation is ready. column bounds the norms of C's columns.
func newFactorised(s privacy.Setup, b privacy.Budget, by correlation, column float64, inner int, source string) (*factorised, error) {
	if err := checkRows(s, 3); err != nil {
		return nil, err
	}
	mu, err := b.GaussianMu()
	if err != nil {
		return nil, err
	}
	f := &factorised{data: s, by: by, inner: inner, widest: by.rowNorm()}
	f.sd = column * f.sensitivity() / mu
	if b.None() {
		f.sd = 0
	}
	if err := curator.Positive("factorised Gaussian noise", f.sd, b, s); err != nil {
		return nil, err
	}
	f.Planned = curator.Symmetric(b, privacy.Sound, source+"; adaptive inputs by Denisov et al. 2022, Theorem 2.1; mu-GDP (Dong, Roth, Su 2022)",
		1, privacy.Release{Law: privacy.SymmetricGaussianLaw(s.Dim, f.sd), Sensitivity: privacy.Norms{L2: f.sensitivity()}})
	operator, perturbation := symmetricUpsilon(s, f.sd*f.widest)
	shift := 2 * operator
	if f.Noiseless() {
		shift = 1
	}
	spread := spreadAround(operator, perturbation)
	f.like = privacy.Sums{Shift: shift, Bounds: spread.Bounds(shift), Spread: spread, Exact: f.Noiseless()}
	return f, nil
}

// sensitivity returns L~^2. The Frobenius norm |vv^T - ww^T|_F is at most sqrt(2) L~^2, and the
// symmetric Gaussian cancels the sqrt(2).
func (f *factorised) sensitivity() float64 { return f.data.Bound * f.data.Bound }

// start returns a run that draws its noise from n.
func (f *factorised) start(n *privacy.Noise) factorisedRun {
	r := factorisedRun{factorised: f, rows: newRows(f.data, f.like), stream: n}
	r.sum, r.noise, r.by = make([]float64, r.size), make([]float64, r.size), f.by.begin(r.size)
	return r
}

// Start begins a run that draws its noise from n.
func (f *factorised) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(f)
	}
	r := f.start(n)
	return &r
}

// Draw writes a fresh z into dst.
func (f *factorised) Draw(n *privacy.Noise, dst []float64) {
	n.SymmetricGaussian(dst, f.data.Dim, f.sd)
}

// Add adds row row^T and draws the noise of the next release. It counts the horizon's last row and
// drops it: no round comes after that row, so no release is paid for it.
func (f *factorisedRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := f.rows.take(rec)
	if row == nil {
		return false, err
	}
	packed.AddOuter(f.sum, row)
	f.by.next(f.count, f.factorised, f.stream, f.noise)
	return true, nil
}

// Release returns the prefix sum with its noise.
func (f *factorisedRun) Release() *privacy.Sums { return f.under(f.sum, f.noise) }

// Plan returns what the releases after the given number of records reveal of one record.
func (f *factorised) Plan(records int) privacy.Plan { return f.plan(records, 0).HeldBy(f) }

// Plan returns the mechanism's plan with the draws of the run.
func (f *factorisedRun) Plan(records int) privacy.Plan {
	return f.plan(records, f.released()).HeldBy(f)
}

// plan returns what the releases after the given number of records reveal of one record: C's
// leading block, whose first column is the longest. Noise is drawn for each of the t rows released.
func (f *factorised) plan(records, t int) privacy.Plan {
	return columns(&f.Planned, f.by, min(records, f.data.Horizon-1), t+f.inner*finished(t))
}

// SD returns s, the standard deviation of an entry of z off the diagonal.
func (f *factorised) SD() float64 { return f.sd }

// MaxSD bounds the standard deviation of an entry off the diagonal of any release, in units of
// L~^2/mu. It is the largest norm of a row of B times the largest norm of a column of C. For a
// binary tree of m levels the same product is about m.
func (f *factorised) MaxSD() float64 {
	return f.widest * f.by.columnNorm(releases(f.data.Horizon))
}

// Noiseless reports whether epsilon is +Inf.
func (f *factorised) Noiseless() bool { return f.sd == 0 }

// columns returns the plan of releases by a matrix factorisation after so many rows and draws. A
// record is in one release, and moves it as the longest column of the leading block does.
func columns(p *curator.Planned, by correlation, rows, draws int) privacy.Plan {
	plan := p.Shown(rows, draws)
	for _, c := range plan.Cases {
		c[0].Sensitivity.L2 *= by.columnNorm(rows)
	}
	return plan
}
