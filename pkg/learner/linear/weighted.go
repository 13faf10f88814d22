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
	"github.com/dpbandits/dpbandits/pkg/learner/internal/weighted"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Weighted is information-weighted regression with elimination, over the noisy sums of batches
// (Chen, Li, Rakhlin, Simchi-Levi 2025, arXiv 2502.13115). For contexts that are drawn
// independently the paper has regret of order sqrt(T) + 1/epsilon, whatever the eigenvalues of E[x
// x^T]; LinUCB over a tree has sqrt(T/epsilon). The paper's abstract was at hand, and no more: the
// algorithm and what follows are derived here. Logarithms are natural.
//
//	R = I sqrt(d)/L
//	for each batch of n rounds, twice as many as in the one before:
//		in each round:
//			play, in turn, an arm that no estimate rules out
//			z = R x, shortened to length sqrt(d);   add (x, y) z^T to the batch's sum
//		H, b = the mean of x z^T and of y z, from the sum with its noise
//		theta = (H^T + kappa R)^-1 b,   A = (H + kappa R^T)^-1
//		it rules out x for x' if <x' - x, theta> > beta |A (x' - x)|
//		R = a root of (C + kappa I)^-1,   C = H R^-T
//
// Privacy. A message has norm sqrt(d (L^2 + B^2)) at most, with L the bound on |x| and B that on
// |y|. It is in one sum, whose noise is N(0, s^2) on each number, s = 2 sqrt(d (L^2 + B^2))/mu. The
// statistic clips it, so the claim is the statistic's: see [continual.VectorBatches].
//
// Widths. Let w = |z|/|R x| <= 1, and e = b - (H^T + kappa R) theta*. Then <x, theta - theta*> =
// <A x, e>, an identity. With S the bound on |theta*|, l = ln(3 batches/alpha), and probability 1 -
// alpha in all batches,
//
//	|e| <= beta = Sigma (sqrt(d) + sqrt(2 g l))/sqrt(n)
//	              + s sqrt(1 + S^2) (sqrt(d) + sqrt(2 l))/n + kappa |R| S.
//
// The first term is for the rewards' noise. The mean of z z^T has a trace of d at most, and g <= d
// bounds its norm: it is at most R H, the mean of z (R x)^T, whose noise has norm s (2 sqrt(d) +
// sqrt(2 l)) |R|/n at most. The second term is for the sum's noise. In the local model it has n
// times the variance. kappa is lambda^2/64, with lambda the first two terms for g = 1. This holds
// for any R.
//
// Rate. Let R be such that R^T R = (C + kappa I)^-1 for its own C = E[w x x^T], and let H have no
// noise. Then H = C R^T and A^T A = R^T R: a width is beta |R x|. As E[w |R x|^2] = tr(R C R^T) <=
// d, and w |R x| >= sqrt(d) where w < 1, E|R x| <= 2 sqrt(d). Of K arms left in turn the widest has
// at most K times the mean width, so a round of the next batch costs 4 K sqrt(d) beta at most, and
// all rounds K (d sqrt(T) + d^2/mu ln T) up to constants and ln(T/alpha). No eigenvalue is in it.
//
// The step is a contraction: if P = R^T R is within a factor a of P', both ways, w is within
// sqrt(a), and so is the next P. One step a batch is enough while the contexts of what is left
// change slowly, which is not proved (see local.WeightedServer). With Steps = ln(ln T)/ln 2,
// rounded up, batches of a length between two changes, the last of them has the right R up to a
// constant, for any contexts. The bound then holds up to a power of ln T, if kappa is (4 s (2
// sqrt(d) + sqrt(2 l))/n)^2 at least, which makes the noise in H small beside R^-1. The smaller
// kappa above has less regret in runs.
type Weighted struct {
	// Steps is the number of batches after which what is ruled out may change; 0 means 1. The
	// statistic's VectorBatches.Equal should be the same.
	Steps int
	Width float64 // factor of beta, > 0; 0 means 1
	// Alpha is the failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon.
	Alpha float64
	// Sigma is the subgaussian parameter of the reward's own noise; 0 means half the length of the
	// reward range.
	Sigma     float64
	ThetaNorm float64 // bound S on |theta|; 0 means 1
}

// ridge is sqrt(kappa)/lambda. On contexts of one kind, 1/4 had up to twice the regret, and 1/16
// about the same.
const ridge = 0.125

// preparedWeighted is Weighted for a problem.
type preparedWeighted struct {
	problem       bandit.Problem
	batches       int // in a run
	steps         int
	width, size   float64 // Width and S
	sigma, union  float64 // Sigma and l
	reward, noise float64 // of lambda, for one round
	norm          float64 // of the noise in H, for one round
}

// weightedRule is the rule of Weighted.
type weightedRule struct {
	*preparedWeighted
	weighted.Eliminator
	regression weighted.Regression
	reach      float64 // bound on |R|
	published  int     // numbers of the broadcast that Act knows
	mean       []float64
	row        []float64 // (x, y)
	z, message []float64
}

var (
	_ learner.Policy[continual.Batch]  = Weighted{}
	_ learner.Exacter[continual.Batch] = Weighted{}
	_ learner.Asker                    = Weighted{}
	_ learner.Encoding                 = Weighted{}
	_ learner.Encoder                  = (*weightedRule)(nil)
	_ learner.Explainer                = (*weightedRule)(nil)
)

// Encodes says that the rules encode records.
func (Weighted) Encodes() {}

// Exact returns batches without noise.
func (w Weighted) Exact() privacy.Statistic[continual.Batch] {
	return continual.VectorBatches{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Equal: w.Steps}
}

// Ask asks the statistic for vectors that hold a message.
func (Weighted) Ask(p bandit.Problem, s *privacy.Setup) error {
	s.Dim = (p.Dim + 1) * p.Dim
	s.Bound *= math.Sqrt(float64(p.Dim)) * (1 + 1e-12)
	return nil
}

// Prepare validates, and computes the constants.
func (w Weighted) Prepare(p bandit.Problem, horizon int, r *continual.Batch) (learner.Prepared[continual.Batch], error) {
	if err := ellipsoid.Check("Weighted", p, horizon); err != nil {
		return nil, err
	}
	if err := checks.Tunings("Weighted", w.Alpha, checks.Tuned("Width", w.Width, "1"),
		checks.Tuned("Sigma", w.Sigma, "half the reward range"), checks.Tuned("ThetaNorm", w.ThetaNorm, "1")); err != nil {
		return nil, err
	}
	if w.Steps < 0 {
		return nil, fmt.Errorf("learner: Weighted.Steps = %d, want >= 1, or 0 for 1", w.Steps)
	}
	ready := &preparedWeighted{
		problem: p, batches: r.Most, steps: max(1, w.Steps), width: checks.Or(w.Width, 1),
		size: checks.Or(w.ThetaNorm, 1), sigma: checks.Or(w.Sigma, (p.RewardMax-p.RewardMin)/2),
		union: portable.Log(3 * float64(max(1, r.Most)) / checks.Or(w.Alpha, 1/float64(horizon))),
	}
	root, tail := math.Sqrt(float64(p.Dim)), math.Sqrt(2*ready.union)
	ready.reward = ready.sigma * (root + tail)
	ready.noise = r.SD * portable.Hypot(1, ready.size) * (root + tail)
	ready.norm = r.SD * (float64(2*root) + tail)
	return ready, nil
}

// root returns sqrt(kappa) of a batch of n rounds.
func (w *preparedWeighted) root(n int) float64 {
	return ridge * (w.reward/math.Sqrt(float64(n)) + w.noise/float64(n))
}

// Begin makes a rule. It makes no random choices.
func (w *preparedWeighted) Begin(*rand.Rand) learner.Rule[continual.Batch] {
	d := w.problem.Dim
	r := &weightedRule{preparedWeighted: w, Eliminator: weighted.NewEliminator(w.problem)}
	r.reach = math.Sqrt(float64(d)) / w.problem.ContextNorm
	r.regression = weighted.NewRegression(d, w.batches, r.reach)
	r.published = len(r.regression.Broadcast)
	r.row, r.z = make([]float64, d+1), make([]float64, d)
	r.mean, r.message = make([]float64, (d+1)*d), make([]float64, (d+1)*d)
	return r
}

// Learn appends the batch's estimate to the broadcast, and takes the step of R. The broadcast is R,
// and theta and beta A of each batch, up to the last change of what is ruled out.
func (w *weightedRule) Learn(r *continual.Batch) ([]float64, error) {
	if len(r.Of) != len(w.mean) {
		return nil, fmt.Errorf("a release of %d numbers, want %d: Weighted reads the sums of its own messages", len(r.Of), len(w.mean))
	}
	if r.Number == 0 {
		return w.regression.Broadcast[:w.published], nil
	}
	n := float64(r.Records)
	for i, v := range r.Of {
		w.mean[i] = v / n
	}
	d := float64(w.problem.Dim)
	spread := min(d, w.regression.Spread(w.mean)+float64(w.norm/n*w.reach))
	root := w.root(r.Records)
	beta := float64(w.sigma/math.Sqrt(n)*(math.Sqrt(d)+math.Sqrt(2*spread*w.union))) + w.noise/n + float64(root*root*w.reach*w.size)
	w.regression.Estimate(w.mean, w.width*beta, root*root)
	if r.Next > 0 {
		root = w.root(r.Next)
		w.regression.Step(w.mean, root*root)
		w.reach = 1 / root
	}
	if r.Number%w.steps == 0 {
		w.published = len(w.regression.Broadcast)
	}
	return w.regression.Broadcast[:w.published], nil
}

// far is where numbers of a record are cut, so that its message is finite. The statistic then clips
// it, and counts it.
const far = 1e50

// Encode replaces a record by its message (x, y) z^T, row by row.
func (w *weightedRule) Encode(broadcast []float64, r *privacy.Record) error {
	factor, _, err := w.Split(broadcast)
	if err != nil {
		return err
	}
	d := len(w.z)
	if len(r.X) != d || len(r.Y) != 1 {
		return fmt.Errorf("learner: Weighted: a record of %d numbers and %d rewards, want %d and 1", len(r.X), len(r.Y), d)
	}
	copy(w.row, r.X)
	w.row[d] = r.Y[0]
	for i, v := range w.row {
		w.row[i] = min(max(v, -far), far)
	}
	for i := range w.z {
		w.z[i] = packed.Dot(factor[packed.Size(i):packed.Size(i+1)], w.row)
	}
	if square := packed.Dot(w.z, w.z); packed.Beyond(square, math.Sqrt(float64(d))) {
		packed.Shorten(w.z, math.Sqrt(float64(d)))
	}
	for i, v := range w.row {
		for j, z := range w.z {
			w.message[i*d+j] = v * z
		}
	}
	r.X, r.Y = w.message, nil
	return nil
}

// Act appends the arm whose turn it is, of those that no estimate rules out.
func (w *weightedRule) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	arm, err := w.Eliminator.Act(broadcast, v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}
