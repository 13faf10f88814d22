package slots

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// CTS is combinatorial Thompson sampling (Wang and Chen 2018) with Gaussian posteriors. In round t
// it plays the heaviest basis of a matroid by the draws
//
//	theta_t(e) ~ N(w~_e + Boost z_e, (Width B)^2/T_e),
//
// with ties to the lowest index. The tally has released w~_e, an estimate from T_e weights of arm
// e. B is the length of the range of rewards. z_e bounds the tally's noise, except with probability
// at most (K t)^-3, K being the number of arms of a basis. Each round draws anew for every arm that
// is not a loop, from the learner's own stream, which is not secret.
//
// CTS is a policy, and its tally decides whether it is private. Over exact counts it is CTS. Over
// tally.Blocks it is DPTS-MAT ([CTS.Private]) with the paper's boost: Laplace noise of scale B/eps0
// in a sum has z_e = 3 ln(K t) B/(eps0 T_e), natural logarithm. Actions and estimates are
// post-processing of the tally, so they are private as it is: in the central model, with one
// round's weight vector replaced.
//
// The boost serves the proof. With Sample, theta_t(e) is instead w~_e plus N(0, (Width B)^2/T_e)
// plus Boost times a draw from the learner's own stream that imitates the noise. It has the exact
// law of Laplace or Gaussian noise in one block, and a similar law in several. This variant has no
// proof of its regret; its privacy is the tally's. On the paper's Table 2, in 10,000 rounds over
// blocks that remember, with Width = 0.5 and Boost = 1.4, its mean regret is 97 at epsilon = 2 and
// 310 at epsilon = 0.5, where DPTS-MAT has 620 and 1,490 at the same privacy. Its regret is over
// 500 in one run of two hundred at epsilon = 2, and in one run of sixteen at epsilon = 0.5.
//
// A round costs a few ns an arm plus the greedy algorithm. [CTSBeta] has Beta posteriors.
type CTS struct {
	Matroid matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	WarmUp  bool            // begin with a round 0 that shows all arms; see the package

	// Width multiplies the posteriors' standard deviation, > 0; 0 means 1. The standard deviation of
	// weights in a range of length B is at most B/2.
	Width float64
	// Boost multiplies the bound of the noise, or its draw, > 0; 0 means 1. A smaller Boost explores
	// less and is equally private.
	Boost  float64
	Sample bool // draw the noise anew in place of its bound
}

// cts is the rule of CTS.
type cts struct {
	semiBandit
	width, boost float64
	sampled      bool
	normals      *random.Normals
	draw         []float64
}

var (
	_ learner.Policy[privacy.Means] = CTS{}
	_ learner.Asker                 = CTS{}
)

// Private returns DPTS-MAT (the matroid paper's Algorithm 3): CTS over blocks of doubling length
// that share epsilon between the K arms of a basis. It is epsilon-differentially private in the
// central model, with one round's weight vector replaced (Theorem 3). It plays unseen arms first.
func (l CTS) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}})
}

// AsPublished returns Algorithm 3 to the letter, to reproduce its figures: DPTS-MAT with a
// warm-up. The user of round 0 gets L epsilon/K, L being the number of arms, where all others get
// epsilon, and the claim says so.
func (l CTS) AsPublished(epsilon float64) learner.Private[privacy.Means] {
	l.WarmUp = true
	return learner.New(l, publishedBlocks(epsilon))
}

// Ask asks for a warm-up if WarmUp is set.
func (l CTS) Ask(_ bandit.Problem, s *privacy.Setup) error { return askWarmUp(l.WarmUp, s) }

// Prepare validates.
func (l CTS) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checks.Tunings("CTS", 0, checks.Tuned("Width", l.Width, "1"), checks.Tuned("Boost", l.Boost, "1")); err != nil {
		return nil, err
	}
	arms, err := prepareSemiBandit("CTS", l.Matroid, p, horizon)
	if err != nil {
		return nil, err
	}
	n := len(arms.free)
	if l.Sample {
		n *= 1 + noiseDraws
	}
	return learner.Begins[privacy.Means](func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &cts{arms.begin(), checks.Or(l.Width, 1), checks.Or(l.Boost, 1), l.Sample, random.NewNormals(own), make([]float64, n)}
	}), nil
}

// Act appends the basis with the highest draws, in order of decreasing draw.
func (l *cts) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if !l.ours(broadcast) {
		if err := l.receive(broadcast); err != nil {
			return dst, err
		}
	}
	l.normals.Fill(l.draw)
	if l.sampled {
		l.sampleNoise(broadcast)
		return l.play(dst), nil
	}
	log := logarithm(float64(l.problem.Slots) * float64(v.Round))
	byLinear := l.boost * confidences * log
	byRoot := l.boost * math.Sqrt(confidences*log)
	index, draw, byWidth := l.index, l.draw[:len(l.free)], l.width
	for i, e := range l.free {
		a := (*arm)(broadcast)
		index[e] = a[mean] + float64(byRoot*a[root]) + float64(byLinear*a[linear]) + float64(byWidth*a[width]*draw[i])
		broadcast = broadcast[armSize:]
	}
	return l.play(dst), nil
}

// Explain appends the estimates, and the draws as indices. The width is that of the posterior: its
// mean above the estimate, and its standard deviation.
func (l *cts) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	log := logarithm(float64(l.problem.Slots) * float64(v.Round))
	return l.insights(broadcast, 0, 1, dst, func(_ float64, a *arm) float64 {
		sd := float64(l.width * a[width])
		if l.sampled { // the noise has a variance of 2 linear^2 + root^2/2
			return math.Sqrt(float64(sd*sd) + float64(l.boost*l.boost*(float64(2*a[linear]*a[linear])+float64(a[root]*a[root]/2))))
		}
		return float64(l.boost*(float64(math.Sqrt(confidences*log)*a[root])+float64(confidences*log*a[linear]))) + sd
	})
}

// noiseDraws is the number of normals that make one draw of imitated noise.
const noiseDraws = 5

// sampleNoise makes the draws of the posteriors and of the noise from normals. Half the difference
// of two chi-squares with two degrees of freedom is a Laplace variable of scale 1, whose tail is
// Linear = 1; a standard normal has Root = sqrt(2).
func (l *cts) sampleNoise(broadcast []float64) {
	n := len(l.free)
	for i, e := range l.free {
		a := (*arm)(broadcast[armSize*i:])
		z := l.draw[n+noiseDraws*i:][:noiseDraws]
		laplace := (float64(z[0]*z[0]) + float64(z[1]*z[1]) - float64(z[2]*z[2]) - float64(z[3]*z[3])) / 2
		noise := float64(a[linear]*laplace) + float64(a[root]*z[4]*(math.Sqrt2/2))
		l.index[e] = a[mean] + float64(l.width*a[width]*l.draw[i]) + float64(l.boost*noise)
	}
}
