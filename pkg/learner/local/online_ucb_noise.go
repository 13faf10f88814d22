package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// OnlineNoise is the randomiser of OnlineUCB (LDP, Algorithm 1): x~ = x + N(0, sigma^2 I), y~ = y +
// N(0, sigma^2). The devices and the server must have the same one; its numbers are public.
// Logarithms are natural.
//
//   - Sound: sigma = D/mu*(eps, delta), with D the diameter of the pairs (x, y): sqrt((2L)^2 +
//     (RewardMax-RewardMin)^2) for contexts of norm at most L. A public Constant k needs no noise
//     and gets none; then D = sqrt(4(L^2-k^2) + (RewardMax-RewardMin)^2), which is sqrt(3) for the
//     paper's experiment.
//   - AsPublished: sigma = 2 sqrt(2 ln(1.25/delta))/eps, on all coordinates. Its proof (Theorem
//     3.2) treats x~ and y~ separately, although the pair's D is up to 2 sqrt(2), and the classic
//     Gaussian mechanism is proved for eps < 1 only. The claim is the exact one for the pair. The
//     device also adds zeta, N(0, Delta^2 I) with the broadcast's Delta, to x~ (lines 3 to 5 and
//     11); it counts nothing towards privacy.
//
// epsilon = +Inf means no noise: Online LinUCB (LDP, Algorithm 4).
type OnlineNoise struct {
	Budget      privacy.Budget // of a message; no default; delta > 0
	Calibration privacy.Calibration
	// Constant is the public last coordinate of every context; 0 means that there is none.
	Constant float64
}

// onlineScale is the noise that OnlineNoise gives on a problem.
type onlineScale struct {
	dim      int
	noisy    int     // leading coordinates of x that have noise; a message is these and y
	sigma    float64 // standard deviation
	diameter float64 // of the pairs (x, y)
	constant float64
	zeta     bool    // the device draws zeta
	bound    float64 // an honest message has a greater number with probability below 1e-300
}

// maxDelta is the largest Delta that a broadcast may have.
const maxDelta = 1e3

// scale validates and calibrates the noise.
func (n OnlineNoise) scale(p bandit.Problem) (s onlineScale, err error) {
	mu, err := n.Budget.GaussianMu()
	if err != nil {
		return s, err
	}
	if math.IsNaN(n.Constant) || math.Abs(n.Constant) > p.ContextNorm {
		return s, fmt.Errorf("learner: OnlineNoise.Constant = %v, want in [-L, L], L = Problem.ContextNorm = %v", n.Constant, p.ContextNorm)
	}
	s = onlineScale{dim: p.Dim, noisy: p.Dim, constant: n.Constant}
	diameter := portable.Hypot(2*math.Sqrt(max(0, float64(p.ContextNorm*p.ContextNorm)-float64(n.Constant*n.Constant))), p.RewardMax-p.RewardMin)
	switch n.Calibration {
	case privacy.Sound:
		s.sigma = diameter / mu
		if n.Constant != 0 {
			s.noisy--
		}
	case privacy.AsPublished:
		s.sigma = 2 * math.Sqrt(2*portable.Log(1.25/n.Budget.Delta)) / n.Budget.Epsilon
		s.zeta = true
	default:
		return s, fmt.Errorf("learner: OnlineNoise.Calibration = %v, want Sound or AsPublished", n.Calibration)
	}
	s.diameter = diameter
	if n.Budget.None() {
		s.sigma = 0
	}
	const tail = 40 // standard deviations
	s.bound = float64(max(p.ContextNorm, p.RewardBound())*(1+1e-9)) + float64(tail*s.sigma)
	if s.zeta {
		s.bound += tail * maxDelta
	}
	if !(s.bound < 1e50) {
		return s, fmt.Errorf("learner: OnlineUCB's messages go up to %v for %v, want < 1e50", s.bound, n.Budget)
	}
	return s, positive("OnlineNoise", s.sigma, n.Budget)
}

// PublishedDelta returns Delta^2 as the algorithms of LDP set it: the threshold rounds^-power if
// lambdaMin, the least eigenvalue of E[x x^T], is at most that, else 0. The power is 1/4 in
// Algorithm 1, and 1/8 or 1/4 for a block of Algorithm 9.
func PublishedDelta(lambdaMin float64, rounds int, power float64) float64 {
	if threshold := portable.Pow(float64(rounds), -power); lambdaMin <= threshold {
		return threshold
	}
	return 0
}
