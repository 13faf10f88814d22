package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Logistic is LinUCB for rewards of a logistic model: the mean reward at a context x is mu(<x,
// theta>), mu(z) = 1/(1 + exp(-z)), after the reward's range is moved to [0, 1].
//
// Let theta~ be the estimate before a round, z = <x, theta~>, cut to [-LS, LS], and w = mu'(z). The
// statistic takes in, in place of the row (x, y),
//
//	(sqrt(w) x, a c/sqrt(w)),   c = y - mu(z) + w z.
//
// Its sums are V, of w x x^T, and a u, with u the sum of c x; the arm is LinUCB's by them. As V
// theta~ = u, a row moves the estimate by the likelihood's Newton step for it,
//
//	theta~_t = theta~_(t-1) + V_t^-1 (y - mu(z)) x.
//
// This is the stochastic Newton method (Bercu, Godichon-Baggioni, Portier 2020; in bandits Zhang,
// Yang, Jin, Xiao, Zhou 2016). A row's weight is final. The share of those that were added while
// theta~ was poor falls as 1/t.
//
// The claim is that of the statistic: a row is a function of its own round and of earlier releases,
// as the context that a bandit plays is anyway, and the mechanism clips it. So a round that is
// replaced replaces one row. All that the learner knows is in these sums. There is no fit to pay
// for, no number of fits to keep small, and no phase whose rounds show that they were of it. The
// price: noise on u is in proportion to sqrt(kappa), kappa = 1/mu'(LS), as a row whose reward
// surprises may be that long.
//
// Over messages, a device weights and clips its own row, by the estimate of the broadcast: see
// local.VectorSum.Logistic.
//
// What is published for joint privacy (Sarmasarkar 2026, arXiv:2602.00417) differs. It fits all
// records by noisy gradient descent, when a noisy sum H of weighted rows has grown. Rounds whose
// contexts are uncertain are a warm-up with an estimate and a sum of its own. In the program that
// goes with it, the two sums, the fits of the warm-up and the later fits have epsilon/3 each, as a
// record is in three of them. A round that is replaced by one of the other kind changes all four.
//
// beta is LinUCB's for rows whose noise has the standard deviation a, which is theirs where theta~
// = theta. It leaves out what is wrong with w and with a linear model while theta~ is away from
// theta, so no theorem holds, and Width tunes it.
type Logistic struct {
	ThetaNorm float64 // bound S on |theta|, S L <= 30, L = Problem.ContextNorm; 0 means 1
	Alpha     float64 // failure probability of LinUCB's confidence sets, in (0, 1]; 0 means 1/horizon
	Width     float64 // multiplies beta, > 0; 0 means 1
}

var (
	_ learner.Policy[privacy.Sums] = Logistic{}
	_ learner.Asker                = Logistic{}
	_ learner.Encoding             = Logistic{}
	_ learner.Encoder              = (*logisticRule)(nil)
	_ learner.Explainer            = (*logisticRule)(nil)
)

// mostReach bounds L S: beyond it a row may weigh a million million times what another does.
const mostReach = 30

// farReward is where a reward in units of its range is cut, so that its row is finite. The
// statistic then clips the row, and counts it.
const farReward = 1e50

// weights is what rows are weighted by.
type weights struct {
	reach       float64 // L S
	scale       float64 // a
	bound       float64 // of a row, L~
	low, length float64 // of the reward's range
}

// logisticRule is the rule of Logistic.
type logisticRule struct {
	*UCBRule // of rows of theta a
	weights
	row []float64 // the row of the last record
}

// weights computes a and L~.
//
// The square of a row's length is w |x|^2 + a^2 c^2/w. For |x| = L and y = 1 it is greatest at an
// end of z in [-LS, 0]; y = 0 and -z give the same row but for its sign. At z = 0 it is L^2/4 +
// a^2, and at z = -LS it is w L^2 + a^2 q, with w = mu'(LS) and q = (mu(LS) - w L S)^2/w. Both are
// equal for a^2 = L^2 (1/4 - w)/(q - 1), which tends to L^2/4 as LS does to 0. A smaller a leaves
// more noise on u, and a greater one more on both sums.
func (l Logistic) weights(p bandit.Problem, horizon int) (of weights, err error) {
	if err := ellipsoid.Check("Logistic", p, horizon); err != nil {
		return of, err
	}
	if err := checks.Tunings("Logistic", l.Alpha,
		checks.Tuned("ThetaNorm", l.ThetaNorm, "1"), checks.Tuned("Width", l.Width, "1")); err != nil {
		return of, err
	}
	norm := p.ContextNorm
	of = weights{reach: norm * checks.Or(l.ThetaNorm, 1), low: p.RewardMin, length: p.RewardMax - p.RewardMin}
	if !(of.reach <= mostReach) {
		return of, fmt.Errorf("learner: Logistic.ThetaNorm = %v for contexts of norm %v, want a product of at most %d", l.ThetaNorm, norm, mostReach)
	}
	mu, w := logistic(of.reach)
	c := mu - float64(w*of.reach)
	q := c * c / w
	of.scale = norm / 2
	if of.reach > 1e-3 { // below, a differs from its limit by less than a thousandth
		of.scale = norm * math.Sqrt((0.25-w)/(q-1))
	}
	square := float64(of.scale * of.scale)
	of.bound = math.Sqrt(max(float64(norm*norm/4)+square, float64(w*norm*norm)+float64(square*q))) * (1 + 1e-12)
	return of, nil
}

// logistic returns mu(z) and mu'(z).
func logistic(z float64) (mu, slope float64) {
	e := portable.Exp(-math.Abs(z))
	mu = 1 / (1 + e)
	slope = e * mu * mu
	if z < 0 {
		mu = e * mu
	}
	return mu, slope
}

// Encodes says that the rules encode records.
func (Logistic) Encodes() {}

// Ask validates, and asks the statistic for bounds on the weighted rows.
func (l Logistic) Ask(p bandit.Problem, s *privacy.Setup) error {
	of, err := l.weights(p, s.Horizon)
	s.Alpha = checks.Or(l.Alpha, s.Alpha)
	s.Context, s.Bound = p.ContextNorm/2, of.bound
	return err
}

// Prepare prepares LinUCB for the weighted rows, whose parameter is a theta and whose noise has
// standard deviation a.
func (l Logistic) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	of, err := l.weights(p, horizon)
	if err != nil {
		return nil, err
	}
	inner, err := UCB{Alpha: l.Alpha, Sigma: of.scale, ThetaNorm: of.scale * checks.Or(l.ThetaNorm, 1), Width: l.Width}.Prepare(p, horizon, r)
	if err != nil {
		return nil, err
	}
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return &logisticRule{inner.Begin(own).(*UCBRule), of, make([]float64, p.Dim+1)}
	}), nil
}

// Encode replaces a record by the weighted row.
func (l *logisticRule) Encode(broadcast []float64, r *privacy.Record) error {
	d := len(l.row) - 1
	if len(broadcast) < d || len(r.X) != d || len(r.Y) != 1 {
		return fmt.Errorf("learner: Logistic: a record of %d numbers and %d rewards under a broadcast of %d, want %d, 1 and at least %d", len(r.X), len(r.Y), len(broadcast), d, d)
	}
	z := min(max(packed.Dot(r.X, broadcast[:d])/l.scale, -l.reach), l.reach)
	if math.IsNaN(z) { // of a broadcast beyond all bounds; a refusal would tell of the context
		z = 0
	}
	mu, w := logistic(z)
	root := math.Sqrt(w)
	for i, x := range r.X {
		l.row[i] = root * x
	}
	y := min(max((r.Y[0]-l.low)/l.length, -farReward), farReward)
	l.row[d] = l.scale * (y - mu + float64(w*z)) / root
	r.X, r.Y = l.row[:d], l.row[d:]
	return nil
}

// Explain appends what UCB does, in units of <x, theta>.
func (l *logisticRule) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	n := len(dst)
	dst, err := l.UCBRule.Explain(broadcast, v, dst)
	for i := range dst[n:] {
		s := &dst[n+i]
		s.Index, s.Estimate, s.Width = s.Index/l.scale, s.Estimate/l.scale, s.Width/l.scale
	}
	return dst, err
}
