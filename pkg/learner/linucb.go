// Package learner holds the bandit learners, one a file.
package learner

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
	problem bandit.Problem
	optimist
	estimate
	confidence confidence
	exact      bool // the release moves by the row added and nothing else
	bounds     privacy.Bounds
	logFloor   float64   // d ln rho_min
	sum        []float64 // the release, packed, of order dim+1
	row        []float64 // (x, y)
	stale      bool      // the release has moved since the estimate was computed
	floored    int
}

var (
	_ bandit.Learner   = (*LinUCB)(nil)
	_ privacy.Ledgered = (*LinUCB)(nil)
	_ privacy.Meter    = (*LinUCB)(nil)
)

// Init validates and allocates.
func (l *LinUCB) Init(p bandit.Problem, horizon int) error {
	if err := checkLinear("LinUCB", p, horizon); err != nil {
		return err
	}
	switch {
	case !(l.Alpha >= 0 && l.Alpha <= 1):
		return fmt.Errorf("learner: LinUCB.Alpha = %v, want in (0, 1], or 0 for 1/horizon", l.Alpha)
	case !(l.Sigma >= 0 && l.Sigma <= mostTuning):
		return fmt.Errorf("learner: LinUCB.Sigma = %v, want finite and > 0, %v at most, or 0 for half the reward range", l.Sigma, mostTuning)
	case !(l.ThetaNorm >= 0 && l.ThetaNorm <= mostTuning):
		return fmt.Errorf("learner: LinUCB.ThetaNorm = %v, want finite and > 0, %v at most, or 0 for 1", l.ThetaNorm, mostTuning)
	case !(l.RhoMin >= 0 && l.RhoMin <= mostTuning):
		return fmt.Errorf("learner: LinUCB.RhoMin = %v, want finite and > 0, %v at most, or 0 for the accumulator's own", l.RhoMin, mostTuning)
	case l.RhoMin > 0 && l.OptimalShift:
		return fmt.Errorf("learner: LinUCB.RhoMin = %v and OptimalShift exclude each other", l.RhoMin)
	}
	if l.Sums == nil {
		l.Sums = &mechanism.Exact{}
	}
	bound := portable.Hypot(p.ContextNorm, p.RewardBound())
	if err := l.Sums.Init(privacy.Setup{Dim: p.Dim + 1, Horizon: horizon, Bound: bound, Context: p.ContextNorm, Alpha: l.alpha(horizon)}); err != nil {
		return err
	}
	l.problem = p
	l.confidence = confidence{p.Dim, l.sigma(), l.thetaNorm(), 2 * portable.Log(2/l.alpha(horizon))}
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
	l.logFloor = float64(d) * portable.Log(l.bounds.RhoMin)
	l.sum, l.row = make([]float64, packed.Size(d+1)), make([]float64, d+1)
	l.optimist.init(p)
	l.estimate.init(d)
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
		return optimiseShift(s, l.Sums, l.theory(horizon), l.meanBound())
	}
	return s.ShiftTo(l.RhoMin)
}

// meanBound returns the bound on the absolute mean reward: |<theta, x>| <= S L, whatever the noise.
func (l *LinUCB) meanBound() float64 {
	return min(l.problem.RewardBound(), l.problem.ContextNorm*l.thetaNorm())
}

// theory returns the parameters of the regret bounds for this learner.
func (l *LinUCB) theory(horizon int) Theory {
	return Theory{Rounds: horizon, Dim: l.problem.Dim, ContextNorm: l.problem.ContextNorm, RewardBound: max(1, l.meanBound()),
		ThetaNorm: l.thetaNorm(), Sigma: l.sigma(), Alpha: l.alpha(horizon), Bounds: l.Sums.Bounds()}
}

// Reset forgets all. LinUCB makes no random choices of its own.
func (l *LinUCB) Reset(_ *rand.Rand, noise rand.Source) {
	l.Clear()
	l.Sums.Reset(privacy.NewNoise(noise))
	l.stale, l.floored, l.memory.round = true, 0, 0
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
	best, err := l.choose(&l.ellipsoid, v)
	if err != nil {
		l.Fail(err)
	}
	return append(dst, best)
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
	d := l.problem.Dim
	x := l.row[:d]
	copy(x, v.Row(arms[0]))
	l.row[d] = y[0]
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
	l.finish()
}

// refresh reads the release and computes theta~, V^-1 and ln det V from it.
func (l *LinUCB) refresh() {
	l.Sums.Read(l.sum)
	floored, err := l.solve(l.sum, l.bounds.RhoMin)
	if floored {
		l.floored++
	}
	if err != nil {
		l.Fail(err)
		return
	}
	l.stale = false
	l.finish()
}

// finish computes what depends on V^-1 and ln det V: beta_t of Proposition 4, and the bound of |V^-1|.
func (l *LinUCB) finish() {
	l.width[0] = l.confidence.beta(l.logDet, l.logFloor, &l.bounds)
	if l.exact {
		l.tighten()
	} else {
		l.bound()
	}
}

// Confidence returns the centre theta~ and the width beta_t of the confidence set for the next round.
func (l *LinUCB) Confidence() (theta []float64, beta float64) {
	if l.stale {
		l.refresh()
	}
	return append([]float64(nil), l.theta...), l.width[0]
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

// Check lets sums whose noise is the system's compare it with what their claim rests on.
func (l *LinUCB) Check() error { return checkSystem(l.Sums) }

// checkSystem asks what draws from the system's randomness, and so past the ledger of a trial, whether it has drawn what it claims.
func checkSystem(what any) error {
	if c, ok := what.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// Spent returns what the releases of the sums after a number of rows show; all of the claim if the sums do not say.
func (l *LinUCB) Spent(records int) privacy.Event {
	if m, ok := l.Sums.(privacy.Meter); ok {
		return m.Spent(records)
	}
	return l.Claim().Event
}
