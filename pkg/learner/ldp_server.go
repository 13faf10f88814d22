package learner

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
	Noise  LDPNoise             // the devices'
	Policy Policy[privacy.Sums] // learns from the sums; nil means LinUCB{}
	Ridge  float64              // > 0; 0 means 1

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
	alpha, err := l.ask("LDPServer", p, horizon, l.Policy, l.Ridge)
	if err != nil {
		return err
	}
	law := l.law // the ridge alone
	d, union := float64(p.Dim), portable.Log(float64(horizon)/alpha)
	switch {
	case l.scale.matrix == 0:
	case l.Noise.Calibration == privacy.AsPublished:
		law.ridge = 0
		law.matrix = l.scale.matrix * (float64(4*math.Sqrt(d)) + float64(2*(math.Ln2+union)))
		law.vector = l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(math.Ln2+union)))
	default:
		law.matrix = l.scale.matrix * (float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+union)))
		law.vector = l.scale.vector * (math.Sqrt(d) + math.Sqrt(2*(portable.Log(4)+union)))
		law.epochs = bits.Len(uint(horizon))
	}
	return l.init(p, horizon, law)
}

// Receive adds a message to the sum.
func (l *LDPServer) Receive(m Message) error {
	if err := checkMessage(m, len(l.sum), l.scale.bound); err != nil {
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

// sumServer is what servers of noisy sums share: a policy over the packed sum of the messages and
// the law of its noise. The Receive of the server that embeds it adds to sum and count and sets
// stale. It stands in this file because tests search the files of Servers for raw data.
type sumServer struct {
	dim       int
	law       sumLaw
	policy    Policy[privacy.Sums]
	prepared  Prepared[privacy.Sums]
	rule      Rule[privacy.Sums]
	release   *privacy.Sums
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

// ask sets the policy and returns the failure probability that it asks for.
func (s *sumServer) ask(who string, p bandit.Problem, horizon int, policy Policy[privacy.Sums], ridge float64) (alpha float64, err error) {
	if err := checkTuning(who, 0, tuning{"Ridge", ridge, "1"}); err != nil {
		return 0, err
	}
	if policy == nil {
		policy = LinUCB{}
	}
	if err := field.Check("learner: "+who+".Policy", policy); err != nil {
		return 0, err
	}
	setup := privacy.Setup{Horizon: horizon, Alpha: 1 / float64(horizon)}
	if a, ok := policy.(Asker); ok {
		if err := a.Ask(p, &setup); err != nil {
			return 0, err
		}
	}
	*s = sumServer{policy: policy, law: sumLaw{ridge: or(ridge, 1)}}
	return setup.Alpha, nil
}

// init allocates for a law of the noise.
func (s *sumServer) init(p bandit.Problem, horizon int, law sumLaw) error {
	s.dim, s.law = p.Dim, law
	all := make([]float64, packed.Size(p.Dim+1))
	last := len(all) - 1
	s.sum, all[last] = all[:last], math.NaN()
	s.release = &privacy.Sums{Packed: all, Spread: privacy.Spread{Fixed: true}, Epochs: law.epochs}
	_, _, s.release.Bounds = law.regulariser(1)
	prepared, err := s.policy.Prepare(p, horizon, s.release)
	s.prepared = prepared
	return err
}

// Reset forgets the messages.
func (s *sumServer) Reset(own *rand.Rand) {
	clear(s.sum)
	s.count, s.stale, s.broadcast = 0, true, nil
	s.rule = s.prepared.Begin(own)
}

// Broadcast returns what the policy learns from the sum so far. If learning fails, it returns the
// last broadcast.
func (s *sumServer) Broadcast() []float64 {
	if !s.stale {
		return s.broadcast
	}
	s.stale = false
	s.release.Shift, s.release.Least, s.release.Bounds = s.law.regulariser(max(s.count, 1))
	if b, err := s.rule.Learn(s.release); err == nil {
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
func (s *sumServer) Confidence() (theta []float64, beta float64) {
	b := s.Broadcast()
	return append([]float64(nil), b[:s.dim]...), b[len(b)-2]
}

// Warnings returns the policy's warnings.
func (s *sumServer) Warnings() []bandit.Warning {
	if p, ok := s.rule.(interface{ Warnings() []bandit.Warning }); ok {
		return p.Warnings()
	}
	return nil
}
