package learner

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// CTS is combinatorial Thompson sampling (Wang and Chen 2018) with Gaussian posteriors: in round t it plays the heaviest basis of a matroid by draws
//
//	theta_t(e) ~ N(w~_e + Boost z_e, (Width B)^2/T_e),
//
// ties by the lowest index. w~_e is the estimate of T_e weights of arm e that the tally has released, B the length of the range of rewards, and z_e
// bounds the tally's noise: it is exceeded with probability (K t)^-3 at most, K being the number of arms of a basis. Every arm that is not a loop gets a fresh draw
// each round, from the learner's own stream, which is no secret.
//
// It does not know whether it is private; its tally does. Over exact counts it is CTS. Over mechanism.Blocks it is DPTS-MAT ([DPTSMAT]), boost and all, as Laplace noise
// of scale B/eps0 in a sum has z_e = 3 ln(K t) B/(eps0 T_e), natural logarithm. Actions and estimates then are private in the tally's sense, all else being
// post-processing: in the central model, one round's weight vector replaced.
//
// The boost is for the proof. With Sample, theta_t(e) is w~_e plus N(0, (Width B)^2/T_e) plus Boost times a fresh draw of what the noise may have been, from the learner's own
// stream: of the very law of Laplace or Gaussian noise in one block, and of one near it in several. That has no proof of its regret; its privacy is the tally's. On the paper's Table 2, in 10,000
// rounds over blocks that remember, with Width = 0.5 and Boost = 1.4 it has a mean regret of 97 at epsilon = 2 and of 310 at epsilon = 0.5, where DPTS-MAT has 620 and 1,490 at
// the same privacy; in one run of two hundred, and of sixteen, it is over 500.
//
// A round costs a few ns an arm, and the greedy algorithm. [CTSBeta] has Beta posteriors.
type CTS struct {
	Matroid        matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default
	Tally          privacy.Tally   // where the weights go; nil means &mechanism.Counts{}, not private
	Initialisation Initialisation  // Forced or AsPublished

	Width  float64 // scales the posteriors' standard deviation, > 0; 0 means 1. Weights in a range of length B have B/2 at most
	Boost  float64 // scales the bound of the noise, or its draw, > 0; 0 means 1. Less explores less, and is as private
	Sample bool    // draw the noise anew in place of its bound

	semiBandit
	width, boost float64
	sampled      bool // Sample, as it was in Init
	normals      *random.Normals
	draw         []float64
}

var (
	_ bandit.Warmer    = (*CTS)(nil)
	_ privacy.Ledgered = (*CTS)(nil)
	_ privacy.Meter    = (*CTS)(nil)
)

// DPTSMAT returns DPTS-MAT (the matroid paper's Algorithm 3), epsilon-differentially private in the central model for one round's weight vector replaced
// (Theorem 3): CTS over blocks of doubling length, which share epsilon between the K arms of a basis. It starts as Forced.
func DPTSMAT(m matroid.Matroid, epsilon float64) *CTS {
	return &CTS{Matroid: m, Tally: &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}}
}

// DPTSMATAsPublished returns Algorithm 3 to the letter, for reproducing its figures. The user of its round 0 has L epsilon/K where all others have epsilon, and the claim says so.
func DPTSMATAsPublished(m matroid.Matroid, epsilon float64) *CTS {
	return &CTS{Matroid: m, Tally: publishedBlocks(epsilon), Initialisation: AsPublished}
}

// Init validates and allocates.
func (l *CTS) Init(p bandit.Problem, horizon int) error {
	l.width, l.boost = l.Width, l.Boost
	if err := factor("CTS.Width", &l.width); err != nil {
		return err
	}
	if err := factor("CTS.Boost", &l.boost); err != nil {
		return err
	}
	if err := l.init("CTS", l.Matroid, l.Tally, l.Initialisation, p, horizon); err != nil {
		return err
	}
	n := len(l.free)
	if l.sampled = l.Sample; l.sampled {
		n *= 1 + noiseDraws
	}
	l.draw = make([]float64, n)
	return nil
}

// Reset forgets all.
func (l *CTS) Reset(own *rand.Rand, noise rand.Source) {
	l.reset(noise)
	l.normals = random.NewNormals(own)
}

// Select appends the basis with the highest draws, by decreasing draw.
func (l *CTS) Select(v *bandit.View, dst []int) []int {
	if l.ready(v) {
		l.sample(v.Round)
	}
	return l.play(dst)
}

// sample draws from the posteriors of a round.
func (l *CTS) sample(round int) {
	l.normals.Fill(l.draw)
	if l.sampled {
		l.sampleNoise()
		return
	}
	log := logarithm(float64(l.problem.Slots) * float64(round))
	linear := l.boost * confidences * log
	root := l.boost * math.Sqrt(confidences*log)
	index, free, draw := l.index, l.free, l.draw
	for i := range l.arm {
		a := &l.arm[i]
		index[free[i]] = a.mean + float64(root*a.root) + float64(linear*a.linear) + float64(l.width*a.width*draw[i])
	}
}

// noiseDraws is the number of normals that a draw of noise is made of.
const noiseDraws = 5

// sampleNoise makes draws of the posteriors and of the noise from normals: half the difference of two chi-squares with two degrees of freedom is a Laplace variable of scale 1, whose tail
// is Linear = 1; a standard normal has Root = sqrt(2).
func (l *CTS) sampleNoise() {
	n := len(l.arm)
	for i := range l.arm {
		a := &l.arm[i]
		z := l.draw[n+noiseDraws*i:][:noiseDraws]
		laplace := (float64(z[0]*z[0]) + float64(z[1]*z[1]) - float64(z[2]*z[2]) - float64(z[3]*z[3])) / 2
		noise := float64(a.linear*laplace) + float64(a.root*z[4]*(math.Sqrt2/2))
		l.index[l.free[i]] = a.mean + float64(l.width*a.width*l.draw[i]) + float64(l.boost*noise)
	}
}
