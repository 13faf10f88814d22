package learner

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPServer is the server's half of LDP LinUCB (Zheng et al. 2020): LinUCB over the sum of the messages, whose noise it knows the law of. All it does is
// post-processing. After t messages the sum's noise has t times the variance of one, so the regulariser and its bounds grow as sqrt(t):
//
//   - Sound: shift = Ridge + 2 Upsilon_t, with Upsilon_t = s sqrt(t) (2 sqrt(d) + 2 sqrt(ln(8T/alpha))), which all rounds' operator norms stay below but for
//     alpha/4; the width beta_t by Proposition 4 of Shariff and Sheffet 2018, its regulariser fixed anew each time that t doubles, with a union over these epochs.
//   - AsPublished: shift 2 Upsilon_t with Upsilon_t = s sqrt(t) (4 sqrt(d) + 2 ln(2T/alpha)); beta_t by Proposition 4 (the width that is printed has another factor of some d ln T).
//   - Illustrative: shift 2 Gamma, Gamma = s sqrt(T d), and beta = sqrt(Gamma) S + R sqrt(d ln((1 + T L^2/Gamma)/alpha)) in every round.
//
// With epsilon = +Inf the shift is Ridge, and this is LinUCB. The broadcast is the ellipsoid. A round costs O(d^2), and O(d^3) where a broadcast is asked for.
type LDPServer struct {
	Noise LDPNoise // the devices'

	Alpha     float64 // failure probability of the confidence sets, in (0, 1]; 0 means 1/horizon
	Sigma     float64 // R: the reward's own noise is Sigma-subgaussian; 0 means half the length of the reward range
	ThetaNorm float64 // bound S on |theta|; 0 means 1
	Ridge     float64 // > 0; 0 means 1
	Width     float64 // factor of beta, > 0, for tuned comparisons; 0 means 1. Below 1 no theorem holds

	estimate
	scale      ldpScale
	confidence confidence
	horizon    int
	contexts   float64 // L
	alpha      float64
	sum        []float64 // of the messages
	work       []float64
	count      int
	stale      bool
	floored    int
}

var _ Server = (*LDPServer)(nil)

// Init validates and allocates.
func (l *LDPServer) Init(p bandit.Problem, horizon int) (err error) {
	if err := checkLinear("LDPServer", p, horizon); err != nil {
		return err
	}
	if l.scale, err = l.Noise.scale(p); err != nil {
		return err
	}
	t := tuning{l.Alpha, l.Sigma, l.ThetaNorm, l.Ridge, l.Width}
	if err := t.check("LDPServer"); err != nil {
		return err
	}
	d := p.Dim
	l.horizon, l.contexts, l.alpha = horizon, p.ContextNorm, or(l.Alpha, 1/float64(horizon))
	l.confidence = confidence{d, or(l.Sigma, (p.RewardMax-p.RewardMin)/2), or(l.ThetaNorm, 1), 2 * math.Log(2/l.alpha)}
	if l.Noise.Calibration == privacy.Sound && l.scale.matrix > 0 {
		l.confidence.twoLog += 2 * math.Log(float64(bits.Len(uint(horizon)))) // epochs
	}
	l.sum, l.work = make([]float64, l.scale.size()), make([]float64, l.scale.size())
	l.estimate.init(d)
	return nil
}

// Reset forgets the messages. LDPServer makes no random choices.
func (l *LDPServer) Reset(*rand.Rand) {
	clear(l.sum)
	l.count, l.floored, l.stale = 0, 0, true
}

// Receive adds a message to the sum.
func (l *LDPServer) Receive(m Message) error {
	if err := checkMessage(m, len(l.sum), l.scale.bound); err != nil {
		return err
	}
	for i, v := range m {
		l.sum[i] += v
	}
	l.count++
	l.stale = true
	return nil
}

// Broadcast returns the ellipsoid for the next round.
func (l *LDPServer) Broadcast() []float64 {
	if l.stale {
		l.refresh()
	}
	return l.numbers
}

func (l *LDPServer) refresh() {
	shift, fixed, bounds := l.regulariser()
	copy(l.work, l.sum)
	for i, p := 0, 0; i < l.dim; i, p = i+1, p+i+2 {
		l.work[p] += shift
	}
	floored, err := l.solve(l.work, bounds.RhoMin)
	if floored {
		l.floored++
	}
	l.stale = false
	if err != nil {
		return // the ellipsoid of the round before
	}
	l.bound()
	if l.Noise.Calibration == privacy.Illustrative && l.scale.matrix > 0 {
		gamma := bounds.RhoMin
		l.width[0] = math.Sqrt(gamma)*l.confidence.thetaNorm +
			l.confidence.sigma*math.Sqrt(float64(l.dim)*math.Log((1+float64(l.horizon)*l.contexts*l.contexts/gamma)/l.alpha))
	} else {
		l.width[0] = l.confidence.beta(l.logDet, float64(l.dim)*math.Log(fixed), &bounds)
	}
	l.width[0] *= or(l.Width, 1)
}

// regulariser returns the multiple of the identity that is added to the sum of the messages so far, the bounds that hold for it with the noise, and a
// lower bound of rho_min that is the same for all rounds in which the number of messages has as many bits.
func (l *LDPServer) regulariser() (shift, fixed float64, b privacy.Bounds) {
	d, t := float64(l.dim), float64(max(l.count, 1))
	ridge := or(l.Ridge, 1)
	if l.scale.matrix == 0 {
		return ridge, ridge, privacy.Bounds{RhoMin: ridge, RhoMax: ridge}
	}
	union := math.Log(float64(l.horizon) / l.alpha)
	var upsilon, perturbation float64 // of one message
	switch l.Noise.Calibration {
	case privacy.Illustrative:
		gamma := l.scale.vector * math.Sqrt(float64(l.horizon)*d)
		return 2 * gamma, gamma, privacy.Bounds{RhoMin: gamma, RhoMax: 3 * gamma}
	case privacy.AsPublished:
		ridge = 0
		upsilon = l.scale.matrix * (4*math.Sqrt(d) + 2*(math.Ln2+union))
		perturbation = l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+union)))
	default:
		upsilon = l.scale.matrix * (2*math.Sqrt(d) + 2*math.Sqrt(math.Log(8)+union))
		perturbation = l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(math.Log(4)+union)))
	}
	root := math.Sqrt(t)
	b = privacy.Bounds{RhoMin: ridge + upsilon*root, RhoMax: ridge + 3*upsilon*root}
	b.Gamma = perturbation * root / math.Sqrt(b.RhoMin)
	fixed = b.RhoMin
	if l.Noise.Calibration == privacy.Sound {
		epoch := uint(1) << (bits.Len(uint(max(l.count, 1))) - 1)
		fixed = ridge + upsilon*math.Sqrt(float64(epoch))
	}
	return ridge + 2*upsilon*root, fixed, b
}

// Confidence returns the centre and the width of the confidence set for the next round.
func (l *LDPServer) Confidence() (theta []float64, beta float64) {
	l.Broadcast()
	return append([]float64(nil), l.theta...), l.width[0]
}

// Warnings counts repaired sums.
func (l *LDPServer) Warnings() []bandit.Warning {
	if l.floored == 0 {
		return nil
	}
	return []bandit.Warning{{What: "sums of messages not positive definite, eigenvalues floored at rho_min", Count: l.floored}}
}

// tuning is what the servers' confidence sets are made with.
type tuning struct{ alpha, sigma, thetaNorm, ridge, width float64 }

func (t tuning) check(who string) error {
	if !(t.alpha >= 0 && t.alpha <= 1) {
		return fmt.Errorf("learner: %s.Alpha = %v, want in (0, 1], or 0 for 1/horizon", who, t.alpha)
	}
	for _, f := range []struct {
		name  string
		value float64
		zero  string
	}{
		{"Sigma", t.sigma, "half the reward range"}, {"ThetaNorm", t.thetaNorm, "1"}, {"Ridge", t.ridge, "1"}, {"Width", t.width, "1"},
	} {
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("learner: %s.%s = %v, want finite and > 0, or 0 for %s", who, f.name, f.value, f.zero)
		}
	}
	return nil
}

// or returns a tuning field, or what its zero means.
func or(field, zero float64) float64 {
	if field == 0 {
		return zero
	}
	return field
}
