package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The policies of a public script for Chowdhury and Zhou 2022, because published curves are
// compared with them. norm is S.

// scriptJDP returns LinUCB as the script runs it under the name of joint privacy. It is NOT private
// at any epsilon: the noise is drawn before round 1 and kept, so that the difference of two
// releases is, in nearly all rounds, a row in the clear. The claim says so.
func scriptJDP(b privacy.Budget, norm float64) bandit.Learner {
	open := privacy.Budget{Epsilon: math.Inf(1), Delta: b.Delta} // the devices send x x^T and y x as they are
	return learner.Local{Device: local.LDPDevice{Noise: local.LDPNoise{Budget: open}}, Server: scriptServer{Norm: norm, Kept: b}}
}

// scriptLDP returns LDP LinUCB with the constants of that script: s = sqrt(ln(2.5/delta))/eps on y
// x, and on x x^T the same, made symmetric as (Z + Z^T)/2. With its contexts and delta = 0.1 that
// is worth epsilon = 3.7 where 1 is asked for, and 218 where 10 is, as the claim says.
func scriptLDP(b privacy.Budget, norm float64) bandit.Learner {
	sd := scriptSD(b)
	noise := local.LDPNoise{Budget: b, MatrixSD: sd / math.Sqrt2, VectorSD: sd}
	return learner.Local{Device: local.LDPDevice{Noise: noise}, Server: scriptServer{SD: sd, Norm: norm}}
}

// scriptSDP returns shuffle LinUCB by amplification with the constants of that script, those of
// scriptLDP at epsilon sqrt(B) and delta/B. Shuffling is not proved to amplify at all there.
func scriptSDP(b privacy.Budget, norm float64) bandit.Learner {
	sd := scriptSD(privacy.Budget{Epsilon: b.Epsilon * math.Sqrt(sdpBatch), Delta: b.Delta / sdpBatch})
	noise := local.AmplifiedNoise{Budget: b, Batch: sdpBatch, MatrixSD: sd / math.Sqrt2, VectorSD: sd}
	return learner.Local{Device: local.AmplifiedDevice{Noise: noise}, Server: scriptServer{SD: sd, Norm: norm}, Batch: sdpBatch}
}

func scriptSD(b privacy.Budget) float64 { return math.Sqrt(math.Log(2.5/b.Delta)) / b.Epsilon }

// scriptServer learns as LinUCB from the sum of the messages, with the regulariser 2 Gamma I and
// the width beta = sqrt(Gamma) S + R sqrt(d ln((1 + T L^2/Gamma) T)) in all rounds. Gamma is
// s sqrt(T d).
//
// With a kept budget it adds noise in the place of a binary tree: it holds floor(ln T) + 1 noises
// of s = sqrt(ln T) ln(2.5/delta)/eps, and adds the first floor(ln(1 + t)) + 1 of them to the sum
// of t rows. Gamma is s sqrt(d ln T).
type scriptServer struct {
	SD, Norm float64        // s, S
	Kept     privacy.Budget // zero for none
}

// scriptReady is a scriptServer for a problem.
type scriptReady struct {
	dim, levels     int // of x; noises kept
	sd, gamma, beta float64
	policy          learner.Prepared[privacy.Sums]
}

// scriptRun is a scriptServer in one trial.
type scriptRun struct {
	*scriptReady
	rule       learner.Rule[privacy.Sums]
	sums       *privacy.Sums
	sum        []float64 // of the messages, and of the noises used
	stale      bool
	numbers    []float64
	levels     [][]float64 // the noises kept
	rows, used int         // messages; noises in sum
}

var _ learner.Server = scriptServer{}

// Open computes the constants.
func (of scriptServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	d, n, releases := float64(p.Dim), float64(horizon), float64(horizon)
	s := &scriptReady{dim: p.Dim, sd: of.SD}
	if of.Kept != (privacy.Budget{}) {
		releases = math.Log(n)
		s.sd = math.Sqrt(releases) * math.Log(2.5/of.Kept.Delta) / of.Kept.Epsilon
		s.levels = int(releases) + 1
	}
	s.gamma = s.sd * math.Sqrt(d*releases)
	s.beta = float64(math.Sqrt(s.gamma)*of.Norm) + float64((p.RewardMax-p.RewardMin)/2*math.Sqrt(d*math.Log((1+n*p.ContextNorm*p.ContextNorm/s.gamma)/(1/n))))
	var err error
	s.policy, err = linear.UCB{}.Prepare(p, horizon, s.none())
	return s, err
}

// least is where LinUCB floors eigenvalues, as a share of gamma. The script floors none.
const least = 1e-3

// none returns the sums of no messages.
func (s *scriptReady) none() *privacy.Sums {
	packed := make([]float64, s.dim*(s.dim+3)/2+1)
	packed[len(packed)-1] = math.NaN() // no message holds y^2
	return &privacy.Sums{Packed: packed, Shift: 2 * s.gamma,
		Bounds: privacy.Bounds{RhoMin: least * s.gamma, RhoMax: 3 * s.gamma}, Spread: privacy.Spread{Fixed: true}}
}

// Start draws the noises of all rounds, (Z + Z^T)/2 on the matrix.
func (s *scriptReady) Start(own *rand.Rand) learner.Receiver {
	r := &scriptRun{scriptReady: s, sums: s.none(), rule: s.policy.Begin(own), stale: true}
	r.sum = r.sums.Packed[:len(r.sums.Packed)-1]
	for range s.levels {
		level := make([]float64, len(r.sum))
		for i, p := 0, 0; i < s.dim; i++ {
			for j := range i + 1 {
				sd := s.sd / math.Sqrt2
				if i == j {
					sd = s.sd
				}
				level[p] = sd * own.NormFloat64()
				p++
			}
		}
		for i := len(level) - s.dim; i < len(level); i++ {
			level[i] = s.sd * own.NormFloat64()
		}
		r.levels = append(r.levels, level)
	}
	r.deepen()
	return r
}

// deepen adds the noises that the number of rows calls for.
func (s *scriptRun) deepen() {
	for ; s.used < min(int(math.Log1p(float64(s.rows)))+1, len(s.levels)); s.used++ {
		for i, z := range s.levels[s.used] {
			s.sum[i] += z
		}
	}
}

// Receive adds a message.
func (s *scriptRun) Receive(m learner.Message) error {
	if len(m) != len(s.sum) {
		return fmt.Errorf("ldp: a message of %d numbers, want %d", len(m), len(s.sum))
	}
	for i, v := range m {
		s.sum[i] += v
	}
	s.stale = true
	s.rows++
	s.deepen()
	return nil
}

// Broadcast returns LinUCB's ellipsoid with the script's width.
func (s *scriptRun) Broadcast() []float64 {
	if s.stale {
		if numbers, err := s.rule.Learn(s.sums); err == nil {
			s.numbers, s.stale = append(s.numbers[:0], numbers...), false
			s.numbers[len(s.numbers)-2] = s.beta
		}
	}
	return s.numbers
}

// Warnings returns LinUCB's.
func (s *scriptRun) Warnings() []bandit.Warning { return bandit.Warnings(s.rule) }
