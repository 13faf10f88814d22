package local

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPServer is the server's half of LDP LinUCB (Zheng et al. 2020): LinUCB over the sum of the
// messages, whose noise has a known law. All it does is post-processing. After t messages the sum's
// noise has t times the variance of one message, so the regulariser and its bounds grow as sqrt(t).
// Logarithms are natural.
//
//   - Sound: shift = Ridge + 2 Upsilon_t, with Upsilon_t = s sqrt(t) (2 sqrt(d) + 2
//     sqrt(ln(8T/alpha))), which bounds the operator norm of the noise in all rounds, except with
//     probability alpha/4. The width beta_t is that of Proposition 4 of Shariff and Sheffet 2018.
//     Its regulariser is fixed anew each time that t doubles, with a union bound over these epochs.
//   - AsPublished: shift = 2 Upsilon_t with Upsilon_t = s sqrt(t) (4 sqrt(d) + 2 ln(2T/alpha)), and
//     beta_t by Proposition 4. (The width in print has an additional factor of about d ln T.)
//
// With epsilon = +Inf the shift is Ridge, and this is LinUCB. The broadcast is the ellipsoid. A
// round costs O(d^2), and O(d^3) if a broadcast is asked for.
type LDPServer struct {
	Noise  LDPNoise                     // the devices'
	Policy learner.Policy[privacy.Sums] // learns from the sums; nil means LinUCB{}
	Ridge  float64                      // > 0; 0 means 1
}

// ldpServer is an LDPServer for a problem.
type ldpServer struct {
	sums
	bound float64 // of a message's numbers
}

// ldpReceiver is an LDPServer in one trial.
type ldpReceiver struct {
	sumReceiver
	bound float64
}

var _ learner.Server = LDPServer{}

// Open validates, and computes the law of the noise.
func (l LDPServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	if err := ellipsoid.Check("LDPServer", p, horizon); err != nil {
		return nil, err
	}
	policy, data, alpha, err := askPolicy("LDPServer", p, horizon, l.Policy, l.Ridge)
	if err != nil {
		return nil, err
	}
	scale, err := l.Noise.scale(data)
	if err != nil {
		return nil, err
	}
	law := sumLaw{ridge: checks.Or(l.Ridge, 1)}
	d, union := float64(p.Dim), portable.Log(float64(horizon)/alpha)
	switch {
	case scale.matrix == 0:
	case l.Noise.Calibration == privacy.AsPublished:
		law.ridge = 0
		law.matrix = scale.matrix * (float64(4*math.Sqrt(d)) + float64(2*(math.Ln2+union)))
		law.vector = scale.vector * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+union)))
	default:
		law.matrix = scale.matrix * (float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+union)))
		law.vector = scale.vector * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+union)))
		law.epochs = bits.Len(uint(horizon))
	}
	shared, err := newSums(p, horizon, policy, law)
	if err != nil {
		return nil, err
	}
	return &ldpServer{shared, scale.bound}, nil
}

// Start begins a run.
func (l *ldpServer) Start(own *rand.Rand) learner.Receiver {
	return &ldpReceiver{l.start(own), l.bound}
}

// Receive adds a message to the sum.
func (l *ldpReceiver) Receive(m learner.Message) error {
	if err := m.Check(len(l.sum), l.bound); err != nil {
		return err
	}
	sum := l.sum[:len(m)]
	for i, v := range m {
		sum[i] += v
	}
	l.count++
	l.stale = true
	return nil
}

// sums is what servers of noisy sums share: a policy over the packed sum of the messages, and the
// law of its noise. It stands in this file because tests search the files of Servers for raw data.
type sums struct {
	dim    int
	law    sumLaw
	policy learner.Prepared[privacy.Sums]
}

// sumReceiver is such a server in one trial. The Receive of the type that embeds it adds to sum and
// count and sets stale.
type sumReceiver struct {
	dim       int
	law       sumLaw
	rule      learner.Rule[privacy.Sums]
	release   privacy.Sums
	sum       []float64 // the release's, without the last entry
	count     int       // messages
	stale     bool
	broadcast []float64
}

// sumLaw describes the noise in a sum of n messages: bounds on its norms, which grow as sqrt(n).
// Without noise there is only the ridge.
type sumLaw struct {
	ridge  float64
	matrix float64 // Upsilon_1, of the operator norm of the noise on x x^T in a message
	vector float64 // of the norm of that on y x
	// epochs is how often n doubles in a run; the width's regulariser is fixed anew each time. 0 means
	// in each round.
	epochs int
}

// askPolicy returns the policy, the bounds of what is reported, and the failure probability that
// the policy asks for.
func askPolicy(who string, p bandit.Problem, horizon int, policy learner.Policy[privacy.Sums], ridge float64) (_ learner.Policy[privacy.Sums], data bandit.Problem, alpha float64, err error) {
	if err := checks.Tunings(who, 0, checks.Tuned("Ridge", ridge, "1")); err != nil {
		return nil, p, 0, err
	}
	if policy == nil {
		policy = linear.UCB{}
	}
	if err := field.Check("learner: "+who+".Policy", policy); err != nil {
		return nil, p, 0, err
	}
	data, alpha, err = reported(p, horizon, policy)
	return policy, data, alpha, err
}

// newSums prepares the policy for sums whose noise has a law.
func newSums(p bandit.Problem, horizon int, policy learner.Policy[privacy.Sums], law sumLaw) (sums, error) {
	none := law.none(p.Dim)
	prepared, err := policy.Prepare(p, horizon, &none)
	return sums{p.Dim, law, prepared}, err
}

// none returns the release of no messages.
func (l *sumLaw) none(dim int) privacy.Sums {
	all := make([]float64, packed.Size(dim+1))
	all[len(all)-1] = math.NaN()
	r := privacy.Sums{Packed: all, Spread: privacy.Spread{Fixed: true}, Epochs: l.epochs}
	_, _, r.Bounds = l.regulariser(1)
	return r
}

// start begins a run.
func (s *sums) start(own *rand.Rand) sumReceiver {
	r := sumReceiver{dim: s.dim, law: s.law, rule: s.policy.Begin(own), release: s.law.none(s.dim), stale: true}
	r.sum = r.release.Packed[:len(r.release.Packed)-1]
	return r
}

// Broadcast returns what the policy learns from the sum so far. If learning fails, it returns the
// last broadcast.
func (s *sumReceiver) Broadcast() []float64 {
	if !s.stale {
		return s.broadcast
	}
	s.stale = false
	s.release.Shift, s.release.Least, s.release.Bounds = s.law.regulariser(max(s.count, 1))
	if b, err := s.rule.Learn(&s.release); err == nil {
		s.broadcast = b
	}
	return s.broadcast
}

// regulariser returns what is added to a sum of n messages and what is known of the result: shift
// is the multiple of the identity, b the bounds that hold with the noise, and least a lower bound
// on rho_min. With epochs, least is the same for all n with the same binary length.
func (l *sumLaw) regulariser(n int) (shift, least float64, b privacy.Bounds) {
	root := math.Sqrt(float64(n))
	b = privacy.Bounds{RhoMin: l.ridge + float64(l.matrix*root), RhoMax: l.ridge + float64(3*l.matrix*root)}
	b.Gamma = l.vector * root / math.Sqrt(b.RhoMin)
	least = b.RhoMin
	if l.epochs > 0 {
		epoch := uint(1) << (bits.Len(uint(n)) - 1)
		least = l.ridge + float64(l.matrix*math.Sqrt(float64(epoch)))
	}
	return l.ridge + float64(2*l.matrix*root), least, b
}

// Confidence returns the centre and the width of the confidence set for the next round. It requires
// a policy that broadcasts them, as LinUCB does.
func (s *sumReceiver) Confidence() (theta []float64, beta float64) {
	b := s.Broadcast()
	return append([]float64(nil), b[:s.dim]...), b[len(b)-2]
}

// Warnings returns the policy's warnings.
func (s *sumReceiver) Warnings() []bandit.Warning { return bandit.Warnings(s.rule) }
