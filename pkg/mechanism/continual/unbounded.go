package continual

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/internal/toeplitz"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Unbounded releases running sums of a stream whose length nobody need know, and does so seldom.
// Its noise is the same numbers whatever the horizon, and its claim holds for every length.
//
// The noise is correlated by a Toeplitz factorisation A = B C of the lower triangular matrix of
// ones over releases, not rows (Jacobsen and Fawaz 2025, arXiv 2506.15018, as their code has the
// functions). Logarithms perturb the square root's generating function:
//
//	c(z) = (1-z)^(-1/2) l^gamma m^delta,   l = ln(1/(1-z))/z,   m = 2 ln(l)/z,
//	b(z) = 1/((1-z) c(z)) = (1-z)^(-1/2) l^-gamma m^-delta.
//
// As gamma < -1/2, the norm |C| of a column of infinite length is finite, and s = |C|
// L~^2/mu*(epsilon, delta) makes an endless run (epsilon, delta)-private. A run of n rounds reveals
// less, and its plan says how much less. By Parseval's theorem |C|^2 is the mean of |c|^2 on the
// unit circle. The exponents (-4, 5.25) have |C|^2 = 2.902, and about the least noise in release
// 100; with a release for each row they are (-2.5, 3.6), with |C|^2 = 6.263. The paper's exponents
// have gamma = -0.51 and delta = 0, 0.51 or 0.612. Their |C|^2 is 16.6, 1761 and 4986, of which the
// first 2^63 rows make 1.8, 5.4 and 7.1.
//
// A record is in one term of the factorisation, however many rows a term adds up. So releases that
// grow apart cost less: n rows make about k = ln(n)/ln(1 + Growth) of them, and the noise grows as
// a power of ln k, where that of [BLT] grows as ln n. What is released is older, by a share of
// Growth at most. Of the powers of two, 1/4 has the least bound on LinUCB's regret, which notebook
// evidence/03-sums derives. In units of L~^2/mu the largest standard deviations are:
//
//	rows   releases   Unbounded     BLT
//	 1e3         30       2.36    3.270
//	 1e5         51       2.54    4.736
//	 5e7         79       2.70    6.723
//
// Shift and bounds follow the noise, which grows from release to release: they do not depend on the
// horizon, either. Release k fails its bounds with probability at most alpha/(2k(k+1)). Spread
// covers all releases of the horizon. The trust model is central; neighbouring streams differ in
// one row, replaced.
type Unbounded struct {
	Budget privacy.Budget // no default; delta > 0
	// Growth is the share, in (0, 1], by which the rows grow from release to release, by one row at
	// least; 0 means 1/4. One over the horizon, or less, releases after every row.
	Growth float64
}

var _ privacy.Accumulator = Unbounded{}

// unbounded is an Unbounded for a setup.
type unbounded struct {
	*factorised
	kernel *logKernel
}

// unboundedRun is a run of an Unbounded.
type unboundedRun struct {
	seldomRun
	of *unbounded
}

const (
	unboundedGrowth   = 0.25
	unboundedOften    = 1. / 256 // a lesser growth has logOften's noise
	unboundedReleases = 1 << 20  // the noise of each is kept
)

// Open validates and calibrates.
func (u Unbounded) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkFactorised(s, u.Budget); err != nil {
		return nil, err
	}
	if !(u.Growth >= 0 && u.Growth <= 1) {
		return nil, fmt.Errorf("mechanism: Unbounded.Growth = %v, want in (0, 1], or 0 for 1/4", u.Growth)
	}
	if u.Growth == 0 {
		u.Growth = unboundedGrowth
	}
	ends := growing(u.Growth, s.Horizon-1)
	if len(ends) > unboundedReleases {
		return nil, fmt.Errorf("mechanism: Unbounded.Growth = %v over a horizon of %d rounds makes more than %d releases, and keeps the noise of each: let it grow by more", u.Growth, s.Horizon, unboundedReleases)
	}
	what := fmt.Sprintf("mechanism: Unbounded over Setup.Dim = %d, %d releases", s.Dim, len(ends))
	triangle := float64(size.Triangle(s.Dim))
	if err := size.Check(what, toeplitz.Numbers(length(len(ends)), triangle+8)+float64(4*triangle)); err != nil {
		return nil, err
	}
	powers := logSeldom
	if u.Growth < unboundedOften {
		powers = logOften
	}
	kernel := newLogKernel(ends, powers)
	f, err := newFactorised(s, u.Budget, kernel, powers.norm, 0,
		"logarithmic Toeplitz factorisation of unbounded streams: Jacobsen and Fawaz 2025")
	if err != nil {
		return nil, err
	}
	f.like.Exact = false // a release may grow by several rows
	own := &unbounded{f, kernel}
	own.bound(&f.like, 1)
	f.like.Least = f.like.Bounds.RhoMin
	return own, nil
}

// growing returns after how many rows, at most last, there is a release.
func growing(growth float64, last int) (ends []int) {
	for t := 0; len(ends) <= unboundedReleases; ends = append(ends, t) {
		step := max(1, growth*float64(t))
		if step >= math.MaxInt || int(step) > last-t {
			break
		}
		t += int(step)
	}
	return ends
}

// bound sets the shift and the bounds of the k-th release.
func (u *unbounded) bound(r *privacy.Sums, k int) {
	if u.Noiseless() {
		return
	}
	s := u.data
	s.Horizon = k * (k + 1) // sum_k 1/(k (k+1)) = 1
	operator, perturbation := symmetricUpsilon(s, float64(u.sd*u.kernel.rows[k-1]))
	r.Shift = 2 * operator
	r.Bounds = spreadAround(operator, perturbation).Bounds(r.Shift)
}

// Start begins a run that draws its noise from n.
func (u *unbounded) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(u)
	}
	return &unboundedRun{seldomRun{factorisedRun: u.start(n), ends: u.kernel.ends}, u}
}

// Add adds row row^T. If the rows have grown enough, it draws the noise of the next release, whose
// bounds follow it.
func (r *unboundedRun) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = r.seldomRun.Add(rec); moved {
		r.of.bound(r.sums, r.made)
	}
	return moved, err
}

// Plan returns what the releases after the given number of records reveal of one record.
func (u *unbounded) Plan(records int) privacy.Plan { return u.plan(records, 0).HeldBy(u) }

// Plan returns the mechanism's plan with the draws of the run.
func (r *unboundedRun) Plan(records int) privacy.Plan { return r.plan(records, r.made).HeldBy(r) }

// MaxSD is that of factorised, over the releases of the horizon.
func (u *unbounded) MaxSD() float64 { return u.widest * u.kernel.norm }

// length returns the power of two, at least 16, up to which coefficients for n releases are
// computed. A toeplitz.Product of such a length computes the bits that one of any greater does.
func length(n int) int { return max(16, 1<<bits.Len(uint(max(0, n-1)))) }
