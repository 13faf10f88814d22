package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// factorised is what the releases of running sums by a matrix factorisation share: all but the correlation of the noise.
//
// Let A be the lower triangular matrix of ones, which takes the rows' outer products to their prefix sums, and A = B C. The release is
// A x + B z = B (C x + z), with a symmetric Gaussian matrix z_t of standard deviation s for each row: that of a Gaussian
// mechanism on C x. One row replaced moves x by at most L~^2 in standard deviations of z with s = 1 (as in Gaussian), and C x by that times the
// largest norm of a column of C. So with s = |C| L~^2/mu*(eps, delta) the whole sequence is (eps, delta)-private. As C and B
// are lower triangular and z Gaussian this holds for inputs that depend on earlier releases too
// (Denisov, McMahan, Rush, Smith, Thakurta 2022, Theorem 2.1): a bandit's do. Releases are those of rows 1..n-1, as in Tree.
type factorised struct {
	rows
	sum   []float64
	shift float64

	by     correlation
	sd     float64 // s
	widest float64 // |B|, the largest norm of a row
	claim  privacy.Claim
	draw   func(dst []float64) // a fresh z into dst
	noise  []float64           // (B z)_t
}

// correlation is the noise of a factorisation.
type correlation interface {
	// columnNorm bounds the Euclidean norms of the columns of C's leading rows x rows block. It does not fall in rows >= 1.
	columnNorm(rows int) float64
	// rowNorm bounds the Euclidean norms of the rows of B.
	rowNorm() float64
	// reset forgets the noise.
	reset()
	// next writes (B z)_t, the noise of the prefix of t rows, into dst: called for t = 1, 2, ... in turn.
	next(t int, draw func(dst []float64), dst []float64)
}

// check validates what every factorisation is given, before the work of its Init, until the end of which no row is taken.
func (f *factorised) check(s privacy.Setup, b privacy.Budget) error {
	f.rows = rows{}
	if err := s.Validate(); err != nil {
		return err
	}
	_, err := privacy.GaussianMu(b)
	return err
}

// releases returns how many releases a horizon has to pay for, and at least 1.
func releases(horizon int) int { return max(1, horizon-1) }

// init calibrates and allocates, once the correlation is ready.
func (f *factorised) init(s privacy.Setup, b privacy.Budget, by correlation, source string) error {
	if err := f.rows.init(s, 2); err != nil {
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
	f.claim = privacy.Claim{
		Model: privacy.Joint, Neighbours: privacy.ReplaceRound,
		Nominal: b, Epsilon: privacy.GaussianEpsilon(b.Delta, column*f.sensitivity()/f.sd),
		Event:      f.event(releases(s.Horizon)),
		Conditions: []string{"rows clipped to the bound inside the mechanism", privacy.OneRound},
		Source:     source + "; adaptive inputs by Denisov et al. 2022, Theorem 2.1; accounted by mu-GDP (Dong, Roth, Su 2022)",
	}
	operator, _ := f.upsilon()
	if f.shift = 2 * operator; f.Noiseless() {
		f.shift = 1
	}
	return nil
}

// sensitivity returns L~^2: |vv^T - ww^T|_F <= sqrt(2) L~^2, and the symmetric Gaussian returns the sqrt(2).
func (f *factorised) sensitivity() float64 { return f.setup.Bound * f.setup.Bound }

// Reset forgets the data and draws new noise.
func (f *factorised) Reset(n *privacy.Noise) {
	f.rows.reset()
	clear(f.sum)
	clear(f.noise)
	f.by.reset()
	f.draw = func(dst []float64) { n.SymmetricGaussian(dst, f.setup.Dim, f.sd) }
}

// AddOuter adds row row^T and draws the noise of the next release. The last row of the horizon is counted and
// dropped: no round comes after it, and no release is paid for it.
func (f *factorised) AddOuter(row []float64) error {
	if f.count >= f.setup.Horizon {
		return beyond(f.setup.Horizon)
	}
	row, err := f.admit(row)
	if err != nil || f.count == f.setup.Horizon {
		return err
	}
	addOuter(f.sum, row)
	f.by.next(f.count, f.draw, f.noise)
	return nil
}

// Read writes the noisy, shifted prefix sum into dst.
func (f *factorised) Read(dst []float64) {
	for i, v := range f.sum {
		dst[i] = v + f.noise[i]
	}
	addDiagonal(dst, f.setup.Dim, f.shift)
}

// Draws returns one symmetric Gaussian a row.
func (f *factorised) Draws() []privacy.Draws {
	return []privacy.Draws{{Law: privacy.SymmetricGaussianLaw(f.setup.Dim, f.sd), Count: f.released()}}
}

// Spent returns the event of the releases after a number of rows: that of C's leading block, whose first column is the longest.
func (f *factorised) Spent(records int) privacy.Event {
	return f.event(min(records, f.setup.Horizon-1))
}

func (f *factorised) event(rows int) privacy.Event {
	e := privacy.MatrixEvent{Sensitivity: f.sensitivity(), SD: f.sd}
	if rows > 0 {
		e.ColumnNorm = f.by.columnNorm(rows)
	}
	return e
}

// SD returns s, the standard deviation of an entry of z off the diagonal.
func (f *factorised) SD() float64 { return f.sd }

// MaxSD returns a bound on the standard deviation of an entry off the diagonal of a release, in units of L~^2/mu: the largest norm of a row of B
// times that of a column of C. The binary tree's is its number of nodes, sqrt(m) sqrt(m), or little less.
func (f *factorised) MaxSD() float64 {
	return f.widest * f.by.columnNorm(releases(f.setup.Horizon))
}

// upsilon bounds the operator norm of a release's noise, and the norm of h next to it: that noise is a symmetric Gaussian of standard deviation at most s |B|.
func (f *factorised) upsilon() (operator, perturbation float64) {
	return symmetricUpsilon(f.setup, f.sd*f.widest)
}

// ShiftTo moves the release such that rho_min has the value given.
func (f *factorised) ShiftTo(rhoMin float64) error {
	if !(rhoMin > 0) || math.IsInf(rhoMin, 1) {
		return fmt.Errorf("mechanism: rho_min = %v, want finite and > 0", rhoMin)
	}
	operator, _ := f.upsilon()
	f.shift = rhoMin + operator
	return nil
}

// Bounds returns rho_min = shift - Upsilon, rho_max = shift + Upsilon, gamma = |h|/sqrt(rho_min).
func (f *factorised) Bounds() privacy.Bounds {
	operator, perturbation := f.upsilon()
	return boundsAround(f.shift, operator, perturbation)
}

// Noiseless reports epsilon = +Inf.
func (f *factorised) Noiseless() bool { return f.sd == 0 }

// Claim returns what the noise buys.
func (f *factorised) Claim() privacy.Claim { return f.claim }
