package mechanism

import (
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
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
	rows
	planned
	sum []float64

	by     correlation
	inner  int     // 1 if the nodes of a tree above its leaves have noise of their own
	sd     float64 // s
	widest float64 // |B|, the largest norm of a row
	stream *privacy.Noise
	draw   func(dst []float64) `snapshot:"keep"` // writes a fresh z from stream into dst
	noise  []float64           // (B z)_t
}

// correlation is the correlation of a factorisation's noise.
type correlation interface {
	// columnNorm bounds the Euclidean norms of the columns of C's leading rows x rows block. It does
	// not decrease in rows >= 1.
	columnNorm(rows int) float64
	// rowNorm bounds the Euclidean norms of the rows of B.
	rowNorm() float64
	// reset forgets the noise.
	reset()
	// next writes (B z)_t, the noise of the prefix of t rows, into dst. Calls have t = 1, 2, ... in
	// turn.
	next(t int, draw func(dst []float64), dst []float64)
}

// check validates the input that every factorisation is given, before the work of its Init. No row
// is taken until Init has ended.
func (f *factorised) check(s privacy.Setup, b privacy.Budget) error {
	f.rows, f.planned = rows{}, planned{}
	if err := s.CheckRows(); err != nil {
		return err
	}
	_, err := privacy.GaussianMu(b)
	return err
}

// releases returns how many releases a horizon has to pay for, at least 1.
func releases(horizon int) int { return max(1, horizon-1) }

// init calibrates and allocates, once the correlation is ready.
func (f *factorised) init(s privacy.Setup, b privacy.Budget, by correlation, source string) error {
	if err := f.rows.init(s, 3); err != nil {
		return err
	}
	mu, err := privacy.GaussianMu(b)
	if err != nil {
		return err
	}
	column := by.columnNorm(releases(s.Horizon))
	f.by, f.widest = by, by.rowNorm()
	f.sum, f.noise = make([]float64, f.size), make([]float64, f.size)
	f.sd = column * f.sensitivity() / mu
	if b.None() {
		f.sd = 0
	}
	if err := positive("factorised Gaussian noise", f.sd, b, s); err != nil {
		f.rows = rows{}
		return err
	}
	f.planned = symmetric(b, privacy.Sound, source+"; adaptive inputs by Denisov et al. 2022, Theorem 2.1; mu-GDP (Dong, Roth, Su 2022)",
		1, privacy.Release{Law: privacy.SymmetricGaussianLaw(s.Dim, f.sd), Sensitivity: privacy.Norms{L2: f.sensitivity()}})
	operator, perturbation := symmetricUpsilon(s, f.sd*f.widest)
	shift := 2 * operator
	if f.Noiseless() {
		shift = 1
	}
	f.exact = f.Noiseless()
	spread := spreadAround(operator, perturbation)
	f.sums = &privacy.Sums{Packed: make([]float64, f.size), Shift: shift, Bounds: spread.Bounds(shift), Spread: spread}
	return nil
}

// sensitivity returns L~^2. The Frobenius norm |vv^T - ww^T|_F is at most sqrt(2) L~^2, and the
// symmetric Gaussian cancels the sqrt(2).
func (f *factorised) sensitivity() float64 { return f.setup.Bound * f.setup.Bound }

// Reset forgets the data and draws new noise from n.
func (f *factorised) Reset(n *privacy.Noise) {
	f.rows.reset()
	clear(f.sum)
	clear(f.noise)
	f.by.reset()
	f.stream = n
	f.draw = func(dst []float64) { f.stream.SymmetricGaussian(dst, f.setup.Dim, f.sd) }
}

// Add adds row row^T and draws the noise of the next release. It counts the horizon's last row and
// drops it: no round comes after that row, so no release is paid for it.
func (f *factorised) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := f.rows.take(rec)
	if row == nil {
		return false, err
	}
	packed.AddOuter(f.sum, row)
	f.by.next(f.count, f.draw, f.noise)
	return true, nil
}

// Release returns the prefix sum with its noise.
func (f *factorised) Release() *privacy.Sums { return f.under(f.sum, f.noise) }

// plan returns what the releases after the given number of records reveal of one record: C's
// leading block, whose first column is the longest. Noise is drawn for each row.
func (f *factorised) plan(records int) privacy.Plan {
	t := f.released()
	return f.columns(f.by, min(records, f.setup.Horizon-1), t+f.inner*finished(t))
}

// SD returns s, the standard deviation of an entry of z off the diagonal.
func (f *factorised) SD() float64 { return f.sd }

// MaxSD bounds the standard deviation of an entry off the diagonal of any release, in units of
// L~^2/mu. It is the largest norm of a row of B times the largest norm of a column of C. For a binary
// tree of m levels the same product is about m.
func (f *factorised) MaxSD() float64 {
	return f.widest * f.by.columnNorm(releases(f.setup.Horizon))
}

// Noiseless reports whether epsilon is +Inf.
func (f *factorised) Noiseless() bool { return f.sd == 0 }
