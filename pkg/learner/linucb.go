// Package learner holds the bandit learners, one a file.
package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LinUCB is linear UCB with changing regularisers (JDP, Algorithm 1): in round t it plays
//
//	argmax_x <x, theta~> + beta_t |x|_{V^-1},   theta~ = V^-1 u~,
//
// ties by the lowest index, with V = G + H and u~ = u + h read from an accumulator of the rows (x, y), and beta_t from the accumulator's
// bounds by Proposition 4. It does not know whether it is private; its sums do. Over mechanism.Exact it is LinUCB (Abbasi-Yadkori, Pál,
// Szepesvári 2011), over a mechanism.Tree it is jointly differentially private: the action of round t depends on the
// other rounds through the release alone, and on round t's own context (Claim 7).
//
// A round costs O(K d) and, for the arms that a bound cannot rule out, O(d^2) each; the sums O(d^2) if they are exact,
// O(d^3) if they are noisy.
type LinUCB struct {
	Sums privacy.Accumulator // where the rows go; nil means &mechanism.Exact{}, not private

	Alpha        float64 // failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon
	Sigma        float64 // the reward noise is Sigma-subgaussian; 0 means half the length of the reward range
	ThetaNorm    float64 // bound S on |theta|; 0 means 1
	RhoMin       float64 // shift the sums such that this is their rho_min; 0 means the accumulator's own shift
	OptimalShift bool    // shift the sums such that the regret bound (Theorems 5 and 6) is least; excludes RhoMin

	bandit.Base
	problem  bandit.Problem
	dim      int
	exact    bool // the release moves by the row added and nothing else
	bounds   privacy.Bounds
	twoLog   float64 // 2 ln(2/alpha)
	logFloor float64 // d ln rho_min

	sum     []float64 // the release, packed, of order dim+1
	work    []float64 // Cholesky factor
	inverse []float64 // V^-1
	theta   []float64 // theta~
	logDet  float64   // ln det V
	beta    float64
	norm    float64   // upper bound of |V^-1|, which shrinks as exact sums grow
	powers  []float64 // work space for it
	stale   bool      // the release has moved since theta~ and the rest were computed
	steps   int       // rank-one updates since the last factorisation

	row     []float64 // (x, y)
	vector  []float64
	dots    []float64 // <x, theta~> by arm
	squares []float64 // |x|^2 by arm
	floored int
}

var (
	_ bandit.Learner   = (*LinUCB)(nil)
	_ privacy.Ledgered = (*LinUCB)(nil)
	_ privacy.Meter    = (*LinUCB)(nil)
)

// tightenEvery is the number of rank-one updates between two computations of the bound of |V^-1|: it costs O(d^3), and
// stays a bound, as rank-one updates only shrink V^-1.
const tightenEvery = 64

// refactorEvery bounds the drift of rank-one updates: at most about 1e-13 relative a thousand of them.
const refactorEvery = 1024

// Init validates and allocates.
func (l *LinUCB) Init(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	switch {
	case p.Dim < 1:
		return fmt.Errorf("learner: LinUCB needs contexts: Problem.Dim = %d, want >= 1", p.Dim)
	case p.Slots != 1:
		return fmt.Errorf("learner: LinUCB plays one arm a round: Problem.Slots = %d, want 1", p.Slots)
	case !(l.Alpha >= 0 && l.Alpha <= 1):
		return fmt.Errorf("learner: LinUCB.Alpha = %v, want in (0, 1], or 0 for 1/horizon", l.Alpha)
	case !(l.Sigma >= 0) || math.IsInf(l.Sigma, 1):
		return fmt.Errorf("learner: LinUCB.Sigma = %v, want finite and > 0, or 0 for half the reward range", l.Sigma)
	case !(l.ThetaNorm >= 0) || math.IsInf(l.ThetaNorm, 1):
		return fmt.Errorf("learner: LinUCB.ThetaNorm = %v, want finite and > 0, or 0 for 1", l.ThetaNorm)
	case !(l.RhoMin >= 0) || math.IsInf(l.RhoMin, 1):
		return fmt.Errorf("learner: LinUCB.RhoMin = %v, want finite and > 0, or 0 for the accumulator's own", l.RhoMin)
	case l.RhoMin > 0 && l.OptimalShift:
		return fmt.Errorf("learner: LinUCB.RhoMin = %v and OptimalShift exclude each other", l.RhoMin)
	}
	if l.Sums == nil {
		l.Sums = &mechanism.Exact{}
	}
	bound := math.Hypot(p.ContextNorm, p.RewardBound())
	if err := l.Sums.Init(privacy.Setup{Dim: p.Dim + 1, Horizon: horizon, Bound: bound, Context: p.ContextNorm, Alpha: l.alpha(horizon)}); err != nil {
		return err
	}
	l.problem, l.dim = p, p.Dim
	l.twoLog = 2 * math.Log(2/l.alpha(horizon))
	if err := l.shift(horizon); err != nil {
		return err
	}
	exact, ok := l.Sums.(privacy.Exact)
	l.exact = ok && exact.Noiseless()
	l.bounds = l.Sums.Bounds()
	if !(l.bounds.RhoMin > 0) {
		return fmt.Errorf("learner: LinUCB's sums have rho_min = %v, want > 0: shift them up", l.bounds.RhoMin)
	}
	d := p.Dim
	l.logFloor = float64(d) * math.Log(l.bounds.RhoMin)
	l.sum, l.work, l.inverse = make([]float64, packed.Size(d+1)), make([]float64, packed.Size(d)), make([]float64, packed.Size(d))
	l.theta, l.vector, l.row = make([]float64, d), make([]float64, d), make([]float64, d+1)
	if l.exact {
		l.powers = make([]float64, 2*d*d)
	}
	l.dots, l.squares = make([]float64, p.Arms), make([]float64, p.Arms)
	return nil
}

func (l *LinUCB) alpha(horizon int) float64 {
	if l.Alpha == 0 {
		return 1 / float64(horizon)
	}
	return l.Alpha
}

func (l *LinUCB) sigma() float64 {
	if l.Sigma == 0 {
		return (l.problem.RewardMax - l.problem.RewardMin) / 2
	}
	return l.Sigma
}

func (l *LinUCB) thetaNorm() float64 {
	if l.ThetaNorm == 0 {
		return 1
	}
	return l.ThetaNorm
}

// shift moves the sums where the tuning says so.
func (l *LinUCB) shift(horizon int) error {
	if l.RhoMin == 0 && !l.OptimalShift {
		return nil
	}
	s, ok := l.Sums.(privacy.Shifter)
	if !ok {
		return fmt.Errorf("learner: LinUCB.RhoMin = %v or OptimalShift with sums of type %T, which cannot be shifted", l.RhoMin, l.Sums)
	}
	if l.OptimalShift {
		return optimiseShift(s, l.Sums, l.theory(horizon))
	}
	return s.ShiftTo(l.RhoMin)
}

// theory returns the parameters of the regret bounds for this learner.
func (l *LinUCB) theory(horizon int) Theory {
	mean := min(l.problem.RewardBound(), l.problem.ContextNorm*l.thetaNorm()) // |<theta, x>| <= S L, whatever the noise
	return Theory{Rounds: horizon, Dim: l.problem.Dim, ContextNorm: l.problem.ContextNorm, RewardBound: max(1, mean),
		ThetaNorm: l.thetaNorm(), Sigma: l.sigma(), Alpha: l.alpha(horizon), Bounds: l.Sums.Bounds()}
}

// Reset forgets all. LinUCB makes no random choices of its own.
func (l *LinUCB) Reset(_ *rand.Rand, noise rand.Source) {
	l.Clear()
	l.Sums.Reset(privacy.NewNoise(noise))
	l.stale, l.floored = true, 0
}

// Select appends the arm with the highest upper confidence bound.
func (l *LinUCB) Select(v *bandit.View, dst []int) []int {
	if err := l.check(v); err != nil {
		l.Fail(err)
		return append(dst, 0)
	}
	if l.stale {
		l.refresh()
	}
	// Without its width an arm cannot be chosen, but it can be ruled out: <x, theta~> + beta sqrt(|V^-1| |x|^2) bounds it. The arm with the
	// greatest inner product comes first and sets the mark.
	best, ok := l.products(v)
	if !ok {
		return append(dst, 0)
	}
	beta2 := l.beta * l.beta
	mark := l.dots[best] + l.beta*math.Sqrt(packed.Quadratic(l.inverse, v.Row(best)))
	reach := beta2 * l.norm * (1 + 1e-9) // the margin is for rounding: no arm that could win is ruled out
	for a, dot := range l.dots[:v.Arms] {
		lead := mark - dot
		if lead > 0 && lead*lead > reach*l.squares[a] {
			continue
		}
		square := packed.Quadratic(l.inverse, v.Row(a))
		if lead > 0 && lead*lead > beta2*square*(1+1e-9) {
			continue
		}
		if ucb := dot + l.beta*math.Sqrt(square); ucb > mark || ucb == mark && a < best {
			best, mark = a, ucb
		}
	}
	return append(dst, best)
}

// products fills dots and squares and returns the arm with the greatest dot.
func (l *LinUCB) products(v *bandit.View) (best int, ok bool) {
	dots, squares := l.dots[:v.Arms], l.squares[:v.Arms]
	packed.Products(dots, squares, v.X, l.theta)
	var sum float64 // not finite if one of them is not
	top := math.Inf(-1)
	for a, dot := range dots {
		sum += dot + squares[a]
		if dot > top {
			best, top = a, dot
		}
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		l.refuse(v)
		return 0, false
	}
	return best, true
}

// refuse reports the first arm whose context is not finite.
func (l *LinUCB) refuse(v *bandit.View) {
	for a, square := range l.squares[:v.Arms] {
		if math.IsNaN(square) || math.IsInf(square, 0) {
			l.Fail(fmt.Errorf("learner: round %d: the context of arm %d is %v, want finite numbers of finite squared norm", v.Round, a, append([]float64(nil), v.Row(a)...)))
			return
		}
	}
	l.Fail(fmt.Errorf("learner: round %d: the contexts' products with theta overflow", v.Round))
}

func (l *LinUCB) check(v *bandit.View) error {
	switch {
	case v.Dim != l.dim:
		return fmt.Errorf("learner: round %d: contexts of dimension %d, want %d", v.Round, v.Dim, l.dim)
	case v.Arms < 1 || v.Arms > l.problem.Arms:
		return fmt.Errorf("learner: round %d: %d arms, want in [1, %d]", v.Round, v.Arms, l.problem.Arms)
	case len(v.X) < v.Arms*v.Dim:
		return fmt.Errorf("learner: round %d: %d numbers in View.X, want Arms x Dim = %d", v.Round, len(v.X), v.Arms*v.Dim)
	}
	return nil
}

// Update adds the row (x, y) of the arm played.
func (l *LinUCB) Update(v *bandit.View, arms []int, y []float64) {
	if err := l.check(v); err != nil {
		l.Fail(err)
		return
	}
	if len(arms) != 1 || len(y) != 1 {
		l.Fail(fmt.Errorf("learner: round %d: %d arms and %d rewards in Update, want 1 and 1", v.Round, len(arms), len(y)))
		return
	}
	if arms[0] < 0 || arms[0] >= v.Arms {
		l.Fail(fmt.Errorf("learner: round %d: arm %d in Update, want in [0, %d)", v.Round, arms[0], v.Arms))
		return
	}
	x := l.row[:l.dim]
	copy(x, v.Row(arms[0]))
	l.row[l.dim] = y[0]
	clipped := l.Sums.Clipped()
	if err := l.Sums.AddOuter(l.row); err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return
	}
	if !l.exact || l.stale || l.Sums.Clipped() > clipped || l.steps == refactorEvery {
		l.stale = true
		return
	}
	l.step(x, y[0])
}

// step moves theta~, V^-1 and ln det V by one row (Sherman and Morrison; the determinant lemma).
func (l *LinUCB) step(x []float64, y float64) {
	k := l.vector
	packed.MulVec(k, l.inverse, x)
	width := packed.Dot(x, k)
	gain := 1 / (1 + width)
	residual := (y - packed.Dot(x, l.theta)) * gain
	p := 0
	for i, v := range k {
		l.theta[i] += residual * v
		scaled := gain * v
		row := l.inverse[p : p+i+1]
		for j, w := range k[:len(row)] {
			row[j] -= scaled * w
		}
		p += i + 1
	}
	l.logDet += math.Log1p(width)
	l.steps++
	l.finish()
}

// refresh reads the release and computes theta~, V^-1 and ln det V from it.
func (l *LinUCB) refresh() {
	l.Sums.Read(l.sum)
	d := l.dim
	v, u := l.sum[:packed.Size(d)], l.sum[packed.Size(d):packed.Size(d)+d]
	logDet, ok := packed.Cholesky(l.work, v, d)
	if !ok { // the noise has outgrown its bounds; what is done to a release is post-processing
		l.floored++
		packed.Floor(v, d, l.bounds.RhoMin)
		if logDet, ok = packed.Cholesky(l.work, v, d); !ok {
			l.Fail(fmt.Errorf("learner: LinUCB's Gram matrix has no Cholesky factor with its eigenvalues floored at %v: %v", l.bounds.RhoMin, append([]float64(nil), v...)))
			return
		}
	}
	packed.Invert(l.inverse, l.work, d)
	packed.MulVec(l.theta, l.inverse, u)
	l.logDet, l.stale, l.steps = logDet, false, 0
	l.finish()
}

// finish computes what depends on V^-1 and ln det V: beta_t of Proposition 4, and the bound of |V^-1|.
func (l *LinUCB) finish() {
	inside := l.twoLog + l.logDet - l.logFloor
	l.beta = l.sigma()*math.Sqrt(max(0, inside)) + l.thetaNorm()*math.Sqrt(l.bounds.RhoMax) + l.bounds.Gamma
	switch {
	case !l.exact:
		l.norm = packed.NormBound(l.inverse, l.vector, l.dim)
	case l.steps%tightenEvery == 0:
		l.norm = packed.NormBoundTight(l.inverse, l.powers, l.dim)
	}
}

// Confidence returns the centre theta~ and the width beta_t of the confidence set for the next round.
func (l *LinUCB) Confidence() (theta []float64, beta float64) {
	if l.stale {
		l.refresh()
	}
	return append([]float64(nil), l.theta...), l.beta
}

// Bounds returns the accurate bounds that the confidence width is computed from.
func (l *LinUCB) Bounds() privacy.Bounds { return l.bounds }

// RegretBound returns the right-hand sides of Theorems 5 and 6 after a number of rounds (Theorem 6 for a gap > 0, else +Inf).
func (l *LinUCB) RegretBound(rounds, horizon int, gap float64) (general, gapped float64) {
	t := l.theory(horizon)
	t.Rounds = rounds
	return t.General(), t.Gap(gap)
}

// Warnings counts clipped rows and repaired releases.
func (l *LinUCB) Warnings() []bandit.Warning {
	var w []bandit.Warning
	if n := l.Sums.Clipped(); n > 0 {
		w = append(w, bandit.Warning{What: "contexts x or rows (x, y) longer than their bound, clipped", Count: n})
	}
	if l.floored > 0 {
		w = append(w, bandit.Warning{What: "releases not positive definite, eigenvalues floored at rho_min", Count: l.floored})
	}
	return w
}

// Claim returns the claim of the sums: the rest is post-processing (Claim 7).
func (l *LinUCB) Claim() privacy.Claim { return l.Sums.Claim() }

// Draws returns the draws of the sums.
func (l *LinUCB) Draws() []privacy.Draws { return l.Sums.Draws() }

// Spent returns what the releases of the sums after a number of rows show; all of the claim if the sums do not say.
func (l *LinUCB) Spent(records int) privacy.Event {
	if m, ok := l.Sums.(privacy.Meter); ok {
		return m.Spent(records)
	}
	return l.Claim().Event
}
