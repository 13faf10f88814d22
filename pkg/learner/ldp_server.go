package learner

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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

	sumServer
	scale ldpScale
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
	l.sumServer.init(p, horizon, t, "sums of messages")
	d, union := float64(p.Dim), portable.Log(float64(horizon)/l.alpha)
	switch {
	case l.scale.matrix == 0:
	case l.Noise.Calibration == privacy.Illustrative:
		gamma := l.scale.vector * math.Sqrt(float64(l.horizon)*d)
		l.law = sumLaw{matrix: gamma, fixed: true}
	case l.Noise.Calibration == privacy.AsPublished:
		l.law = sumLaw{
			matrix: l.scale.matrix * (float64(4*math.Sqrt(d)) + float64(2*(math.Ln2+union))),
			vector: l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+union))),
		}
	default:
		l.law.matrix = l.scale.matrix * (float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+union)))
		l.law.vector = l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+union)))
		l.epochs(horizon)
	}
	return nil
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

// sumServer is what servers of noisy sums share: LinUCB over the sum of the messages, packed, by what is known of its noise. Its user's Receive adds to sum and count, and sets
// stale. It stands here as tests search the files of Servers for raw data.
type sumServer struct {
	estimate
	confidence confidence
	law        sumLaw
	horizon    int
	contexts   float64 // L
	alpha      float64
	factor     float64 // of beta
	what       string  // the sums are, in a warning
	sum        []float64
	work       []float64
	count      int // messages
	stale      bool
	floored    int
}

// sumLaw is what is known of the noise in a sum of n messages: bounds on its norms, which grow as sqrt(n). Without noise there is the ridge alone.
type sumLaw struct {
	ridge  float64
	matrix float64 // Upsilon_1, of the operator norm of the noise on x x^T in a message
	vector float64 // of the norm of that on y x
	epochs bool    // the width's regulariser is fixed anew each time that n doubles
	fixed  bool    // matrix is Gamma, the same for all n, and so is beta: Illustrative
}

// init takes the tuning and allocates. The law is that of no noise.
func (s *sumServer) init(p bandit.Problem, horizon int, t tuning, what string) {
	d := p.Dim
	s.horizon, s.contexts, s.alpha = horizon, p.ContextNorm, or(t.alpha, 1/float64(horizon))
	s.confidence = confidence{d, or(t.sigma, (p.RewardMax-p.RewardMin)/2), or(t.thetaNorm, 1), 2 * portable.Log(2/s.alpha)}
	s.law, s.factor, s.what = sumLaw{ridge: or(t.ridge, 1)}, or(t.width, 1), what
	s.sum, s.work = make([]float64, packed.Size(d)+d), make([]float64, packed.Size(d)+d)
	s.estimate.init(d)
}

// epochs asks for them, and for a union over those of a run of so many messages.
func (s *sumServer) epochs(messages int) {
	s.law.epochs = true
	s.confidence.twoLog += float64(2 * portable.Log(float64(bits.Len(uint(messages)))))
}

// Reset forgets the messages. There are no random choices.
func (s *sumServer) Reset(*rand.Rand) {
	clear(s.sum)
	s.count, s.floored, s.stale = 0, 0, true
}

// Broadcast returns the ellipsoid for the next round.
func (s *sumServer) Broadcast() []float64 {
	if s.stale {
		s.refresh()
	}
	return s.numbers
}

func (s *sumServer) refresh() {
	shift, least, bounds := s.law.regulariser(max(s.count, 1))
	copy(s.work, s.sum)
	for i, p := 0, 0; i < s.dim; i, p = i+1, p+i+2 {
		s.work[p] += shift
	}
	floored, err := s.solve(s.work, bounds.RhoMin)
	if floored {
		s.floored++
	}
	s.stale = false
	if err != nil {
		return // the ellipsoid of the round before
	}
	s.bound()
	if s.law.fixed {
		gamma := bounds.RhoMin
		s.width[0] = float64(math.Sqrt(gamma)*s.confidence.thetaNorm) +
			float64(s.confidence.sigma*math.Sqrt(float64(s.dim)*portable.Log((1+float64(s.horizon)*s.contexts*s.contexts/gamma)/s.alpha)))
	} else {
		s.width[0] = s.confidence.beta(s.logDet, float64(float64(s.dim)*portable.Log(least)), &bounds)
	}
	s.width[0] *= s.factor
}

// regulariser returns the multiple of the identity that is added to a sum of n messages, the bounds that hold for it with the noise, and a lower bound of
// rho_min; with epochs that is the same for all n with as many bits.
func (l *sumLaw) regulariser(n int) (shift, least float64, b privacy.Bounds) {
	root := 1.0
	if !l.fixed {
		root = math.Sqrt(float64(n))
	}
	b = privacy.Bounds{RhoMin: l.ridge + float64(l.matrix*root), RhoMax: l.ridge + float64(3*l.matrix*root)}
	b.Gamma = l.vector * root / math.Sqrt(b.RhoMin)
	least = b.RhoMin
	if l.epochs {
		epoch := uint(1) << (bits.Len(uint(n)) - 1)
		least = l.ridge + float64(l.matrix*math.Sqrt(float64(epoch)))
	}
	return l.ridge + float64(2*l.matrix*root), least, b
}

// Confidence returns the centre and the width of the confidence set for the next round.
func (s *sumServer) Confidence() (theta []float64, beta float64) {
	s.Broadcast()
	return append([]float64(nil), s.theta...), s.width[0]
}

// Warnings counts repaired sums.
func (s *sumServer) Warnings() []bandit.Warning {
	if s.floored == 0 {
		return nil
	}
	return []bandit.Warning{{What: s.what + " not positive definite, eigenvalues floored at rho_min", Count: s.floored}}
}

// tuning is what the servers' confidence sets are made with.
type tuning struct{ alpha, sigma, thetaNorm, ridge, width float64 }

// mostTuning bounds a factor that tunes a learner: the products of a few such factors do not overflow.
const mostTuning = 1e60

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
		if !(f.value >= 0 && f.value <= mostTuning) {
			return fmt.Errorf("learner: %s.%s = %v, want finite and > 0, %v at most, or 0 for %s", who, f.name, f.value, mostTuning, f.zero)
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
