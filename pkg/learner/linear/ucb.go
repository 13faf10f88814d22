package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// UCB is LinUCB: linear UCB with changing regularisers (Shariff and Sheffet 2018, Algorithm 1; the
// claim, the proposition and the theorems below are that paper's). In round t it plays
//
//	argmax_x <x, theta~> + beta_t |x|_{V^-1},   theta~ = V^-1 u~,
//
// with ties to the lowest index. V = G + H and u~ = u + h are read from a release of the sums of
// rows (x, y); beta_t follows from the release's bounds by Proposition 4.
//
// UCB is a policy, and its sums decide whether it is private. Over continual.Exact it is the
// LinUCB of Abbasi-Yadkori, Pál and Szepesvári (2011). Over a continual.Tree it is jointly
// differentially private: the action of round t depends on the other rounds through the release
// alone, and on round t's own context (Claim 7).
//
// A variant is a policy whose rule embeds a [UCBRule] and overrides what differs.
// [UCBRule.Learn] says where Act finds theta~, V^-1 and beta_t.
//
// A round costs O(K d), plus O(d^2) for each arm that a bound cannot rule out. Learning costs
// O(d^2) a round from exact sums, and O(d^3) from noisy ones.
type UCB struct {
	Alpha float64 // failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon
	// Sigma is the subgaussian parameter of the reward noise; 0 means half the length of the reward
	// range.
	Sigma     float64
	ThetaNorm float64 // bound S on |theta|; 0 means 1
	RhoMin    float64 // shift the sums such that this is their rho_min; 0 means the sums' own shift
	// OptimalShift shifts the sums to the rho_min with the least regret bound (Theorems 5 and 6). It
	// excludes RhoMin. A tighter bound is least at the same shift. In runs with fresh arms a greater
	// one has less regret, and with arms that stay the same more (notebook evidence/03-sums).
	OptimalShift bool
	// Width multiplies beta, > 0, for tuned comparisons; 0 means 1. Below 1 no theorem holds.
	Width float64
	// Shrink narrows beta as the data outgrow noise and shift, at no cost in privacy: in
	//
	//	sigma sqrt(2 ln(2/alpha) + ln det V - d ln rho_min) + r (S sqrt(rho_max) + gamma)
	//
	// r is 1 by Proposition 4, and min(1, sqrt(rho_max |V^-1|)) with Shrink. beta is never greater, so
	// that Theorems 5 and 6 hold, and covers theta on the same event (derived here): there G, H >= 0
	// and V = G + H, and of theta~ - theta noise and shift make V^-1 (h - H theta), whose V-norm is
	//
	//	|V^-1/2 H^1/2 (H^-1/2 h - H^1/2 theta)| <= |H^1/2 V^-1 H^1/2|^1/2 (gamma + S sqrt(rho_max)),
	//
	// and H^1/2 V^-1 H^1/2 is at most I, as V >= H, and at most rho_max |V^-1| I. It is of use where
	// the contexts played span all directions. It costs O(d^3) a release. The gamma of sums that cannot
	// be shifted stays as it is: that of continual.PublicContexts is in the norm of V^-1 already.
	Shrink bool
}

// UCBRule is the rule of [UCB].
type UCBRule struct {
	preparedLinUCB
	optimist ellipsoid.Optimist
	estimate ellipsoid.Estimate
	set      ellipsoid.Ellipsoid // of a broadcast from elsewhere
	least    float64             // a lower bound of rho_min that holds for longer, and d times its logarithm
	logFloor float64
	sum      []float64 // the release, packed, of order dim+1
	fresh    bool      // there is no estimate yet
	floored  int
}

// preparedLinUCB is UCB for a problem. A rule has a copy, in which the bounds follow the
// release.
type preparedLinUCB struct {
	tuning     UCB
	problem    bandit.Problem
	horizon    int
	confidence ellipsoid.Confidence
	moves      bool // the shift is LinUCB's own
	shift      float64
	bounds     privacy.Bounds // of the release under the shift
	factor     float64        // Width
}

var (
	_ learner.Policy[privacy.Sums] = UCB{}
	_ learner.Asker                = UCB{}
	_ learner.Rule[privacy.Sums]   = (*UCBRule)(nil)
)

// Ask validates Alpha and asks the statistic for bounds that hold with that failure probability.
func (l UCB) Ask(p bandit.Problem, s *privacy.Setup) error {
	s.Alpha = checks.Or(l.Alpha, s.Alpha)
	return l.check(p, s.Horizon)
}

// check reports a problem or a tuning field that is out of its range.
func (l UCB) check(p bandit.Problem, horizon int) error {
	if err := ellipsoid.Check("LinUCB", p, horizon); err != nil {
		return err
	}
	if err := checks.Tunings("LinUCB", l.Alpha,
		checks.Tuned("Sigma", l.Sigma, "half the reward range"), checks.Tuned("ThetaNorm", l.ThetaNorm, "1"),
		checks.Tuned("RhoMin", l.RhoMin, "the sums' own"), checks.Tuned("Width", l.Width, "1")); err != nil {
		return err
	}
	if l.RhoMin > 0 && l.OptimalShift {
		return fmt.Errorf("learner: LinUCB.RhoMin = %v and OptimalShift exclude each other", l.RhoMin)
	}
	return nil
}

// Prepare validates, and shifts the sums if RhoMin or OptimalShift says so.
func (l UCB) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	if err := l.check(p, horizon); err != nil {
		return nil, err
	}
	alpha := checks.Or(l.Alpha, 1/float64(horizon))
	ready := &preparedLinUCB{tuning: l, problem: p, horizon: horizon, factor: checks.Or(l.Width, 1)}
	ready.confidence = ellipsoid.Confidence{
		Dim: p.Dim, Sigma: ready.sigma(), ThetaNorm: checks.Or(l.ThetaNorm, 1),
		TwoLog: float64(2*portable.Log(2/alpha)) + float64(2*portable.Log(float64(max(1, r.Epochs)))),
	}
	moved, err := *r, error(nil)
	if ready.moves = l.OptimalShift || l.RhoMin > 0; l.OptimalShift {
		if moved, err = optimiseShift(r, ready.theory(r.Bounds), ready.meanBound()); err != nil {
			return nil, fmt.Errorf("learner: LinUCB.OptimalShift: %w", err)
		}
	} else if ready.moves {
		if moved, err = r.Shifted(l.RhoMin); err != nil {
			return nil, fmt.Errorf("learner: LinUCB.RhoMin: %w", err)
		}
	}
	ready.shift, ready.bounds = moved.Shift, moved.Bounds
	if !(ready.bounds.RhoMin > 0) {
		return nil, fmt.Errorf("learner: LinUCB's sums have rho_min = %v, want > 0: shift them up", ready.bounds.RhoMin)
	}
	return ready, nil
}

// Begin makes a rule, which is a *UCBRule. LinUCB makes no random choices of its own.
func (l *preparedLinUCB) Begin(*rand.Rand) learner.Rule[privacy.Sums] {
	rule := &UCBRule{preparedLinUCB: *l, fresh: true, sum: make([]float64, packed.Size(l.problem.Dim+1))}
	rule.optimist.Init(l.problem)
	rule.estimate.Init(l.problem.Dim)
	return rule
}

func (l *preparedLinUCB) sigma() float64 {
	return checks.Or(l.tuning.Sigma, (l.problem.RewardMax-l.problem.RewardMin)/2)
}

// meanBound returns the bound S L on the absolute mean reward |<theta, x>|, or that on the rewards
// if it is less.
func (l *preparedLinUCB) meanBound() float64 {
	return min(l.problem.RewardBound(), l.problem.ContextNorm*checks.Or(l.tuning.ThetaNorm, 1))
}

// theory returns the parameters of the regret bounds for this learner.
func (l *preparedLinUCB) theory(b privacy.Bounds) Theory {
	p := l.problem
	return Theory{Rounds: l.horizon, Dim: p.Dim, ContextNorm: p.ContextNorm, RewardBound: max(1, l.meanBound()),
		ThetaNorm: checks.Or(l.tuning.ThetaNorm, 1), Sigma: l.sigma(), Alpha: checks.Or(l.tuning.Alpha, 1/float64(l.horizon)), Bounds: b}
}

// Learn computes theta~, V^-1 and beta_t from the release and returns them as the broadcast. If the
// release has grown by a single row, they are updated by that row; otherwise they are computed
// anew.
//
// The broadcast is one slice: theta~ (d numbers), the lower triangle of V^-1 by rows (d(d+1)/2 of
// them), beta_t, and an upper bound on the operator norm of V^-1. It belongs to the
// rule: a variant that wants other numbers changes a copy, which [UCBRule.Act] takes as well.
func (l *UCBRule) Learn(r *privacy.Sums) ([]float64, error) {
	d := l.problem.Dim
	least := l.bounds.RhoMin
	if !l.moves {
		l.shift, l.bounds, least = r.Shift, r.Bounds, checks.Or(r.Least, r.Bounds.RhoMin)
	}
	if r.Row != nil && !l.fresh && l.estimate.Steps < ellipsoid.RefactorEvery {
		gain, residual := l.estimate.Step(r.Row[:d], r.Row[d])
		l.optimist.Step(&l.estimate, gain, residual)
	} else {
		if len(r.Packed) != len(l.sum) {
			return nil, fmt.Errorf("learner: LinUCB: sums of %d numbers, want %d for contexts of dimension %d", len(r.Packed), len(l.sum), d)
		}
		packed.Shift(l.sum, r.Packed, d+1, l.shift)
		floored, err := l.estimate.Solve(l.sum, l.bounds.RhoMin)
		if floored {
			l.floored++
		}
		if err != nil {
			return nil, err
		}
		l.fresh = false
		l.optimist.Jump()
	}
	if least != l.least {
		l.least, l.logFloor = least, float64(d)*portable.Log(least)
	}
	bounds := l.bounds
	if l.tuning.Shrink {
		l.estimate.Tighten()
		share := min(1, bounds.RhoMax*l.estimate.Width[1])
		bounds.RhoMax *= share // beta has its root
		if !r.Spread.Fixed {
			bounds.Gamma *= math.Sqrt(share)
		}
	} else if r.Exact {
		l.estimate.Tighten()
	} else {
		l.estimate.Bound()
	}
	l.estimate.Width[0] = l.factor * l.confidence.Beta(l.estimate.LogDet, l.logFloor, &bounds)
	return l.estimate.Numbers, nil
}

// Act appends the arm with the highest upper confidence bound in the broadcast's ellipsoid.
func (l *UCBRule) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	set, err := l.told(broadcast)
	if err != nil {
		return dst, err
	}
	best, err := l.optimist.Choose(set, v)
	return append(dst, best), err
}

// told returns the ellipsoid that a broadcast is.
func (l *UCBRule) told(broadcast []float64) (*ellipsoid.Ellipsoid, error) {
	set := &l.estimate.Ellipsoid
	if len(broadcast) != len(set.Numbers) || &broadcast[0] != &set.Numbers[0] { // from another machine
		set = &l.set
		return set, set.Receive(broadcast, l.problem.Dim)
	}
	return set, nil
}

// Explain appends the arms' estimates <x, theta~>, and their upper confidence bounds as indices. A
// variant that chooses by other numbers overrides it beside Act.
func (l *UCBRule) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	set, err := l.told(broadcast)
	if err != nil {
		return dst, err
	}
	for a := range v.Arms {
		dot, width := ellipsoid.Upper(set, v, a)
		dst = append(dst, bandit.Insight{Index: dot + width, Estimate: dot, Width: width})
	}
	return dst, nil
}

// Confidence returns the centre theta~ and the width beta_t of the confidence set for the next
// round.
func (l *UCBRule) Confidence() (theta []float64, beta float64) {
	return append([]float64(nil), l.estimate.Theta...), l.estimate.Width[0]
}

// Distance returns how far a parameter is from the centre of the confidence set for the next round,
// |theta - theta~|_V/beta. The set holds the parameters at a distance of 1 or less. It allocates,
// and is an error before the first Learn.
func (l *UCBRule) Distance(theta []float64) (float64, error) {
	d := len(l.estimate.Theta)
	if len(theta) != d {
		return 0, fmt.Errorf("learner: LinUCB: the distance of %d numbers, want %d", len(theta), d)
	}
	off, root := make([]float64, d), make([]float64, packed.Size(d))
	for i, v := range theta {
		off[i] = v - l.estimate.Theta[i]
	}
	if _, ok := packed.Cholesky(root, l.estimate.Inverse, d); !ok {
		return 0, fmt.Errorf("learner: LinUCB: there is no confidence set before the first round")
	}
	solved := slices.Clone(off)
	packed.Solve(root, solved)
	return math.Sqrt(max(0, packed.Dot(off, solved))) / l.estimate.Width[0], nil
}

// Bounds returns the accurate bounds (rho_min, rho_max, gamma) that the confidence width is
// computed from.
func (l *preparedLinUCB) Bounds() privacy.Bounds { return l.bounds }

// RegretBound returns the regret bounds of Theorems 5 and 6 after a number of rounds. Theorem 6
// needs a gap > 0; for gap = 0 its bound is +Inf. The theorems are about sums that are released
// after every row.
func (l *preparedLinUCB) RegretBound(rounds int, gap float64) (general, gapped float64) {
	t := l.theory(l.bounds)
	t.Rounds = rounds
	return t.General(), t.Gap(gap)
}

// RegretBound is that of the policy, with the rho_min that the confidence width counts from where a
// release's own has grown beyond it.
func (l *UCBRule) RegretBound(rounds int, gap float64) (general, gapped float64) {
	own := l.preparedLinUCB
	if l.least > 0 {
		own.bounds.RhoMin = min(l.least, own.bounds.RhoMin)
	}
	return own.RegretBound(rounds, gap)
}

// Warnings counts the releases whose eigenvalues had to be floored.
func (l *UCBRule) Warnings() []bandit.Warning {
	if l.floored == 0 {
		return nil
	}
	return []bandit.Warning{{What: "releases not positive definite, eigenvalues floored at rho_min", Count: l.floored}}
}
