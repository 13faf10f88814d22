package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// ScriptJDP returns LinUCB as a public script for Chowdhury and Zhou 2022 runs it under the name of
// joint privacy. It is NOT private at any epsilon: the noise is drawn before round 1 and kept, so
// that the difference of two releases is, in nearly all rounds, a row in the clear. The claim says
// so. norm is S. It is here because published curves are compared with it.
func ScriptJDP(b privacy.Budget, norm float64) *learner.Local {
	open := privacy.Budget{Epsilon: math.Inf(1), Delta: b.Delta} // the devices send x x^T and y x as they are
	return &learner.Local{Device: &learner.LDPDevice{Noise: learner.LDPNoise{Budget: open}}, Server: &keptServer{scriptServer: scriptServer{norm: norm}, budget: b}}
}

// ScriptLDP returns LDP LinUCB with the constants of that script: s = sqrt(ln(2.5/delta))/eps on y
// x, and on x x^T the same, made symmetric as (Z + Z^T)/2. With its contexts and delta = 0.1 that
// is worth epsilon = 3.7 where 1 is asked for, and 218 where 10 is, as the claim says. norm is S.
func ScriptLDP(b privacy.Budget, norm float64) *learner.Local {
	sd := scriptSD(b)
	noise := learner.LDPNoise{Budget: b, MatrixSD: sd / math.Sqrt2, VectorSD: sd}
	return &learner.Local{Device: &learner.LDPDevice{Noise: noise}, Server: &scriptServer{sd: sd, norm: norm}}
}

// ScriptSDP returns shuffle LinUCB by amplification with the constants of that script, those of
// ScriptLDP at epsilon sqrt(B) and delta/B. Shuffling is not proved to amplify at all there.
func ScriptSDP(b privacy.Budget, norm float64) *learner.Local {
	sd := scriptSD(privacy.Budget{Epsilon: b.Epsilon * math.Sqrt(SDPBatch), Delta: b.Delta / SDPBatch})
	noise := learner.AmplifiedNoise{Budget: b, Batch: SDPBatch, MatrixSD: sd / math.Sqrt2, VectorSD: sd}
	return &learner.Local{Device: &learner.AmplifiedDevice{Noise: noise}, Server: &scriptServer{sd: sd, norm: norm}, Batch: SDPBatch}
}

func scriptSD(b privacy.Budget) float64 { return math.Sqrt(math.Log(2.5/b.Delta)) / b.Epsilon }

// scriptServer learns as LinUCB from the sum of the messages, with the regulariser 2 Gamma I, Gamma
// = s sqrt(T d), and the width beta = sqrt(Gamma) S + R sqrt(d ln((1 + T L^2/Gamma) T)) in all
// rounds.
type scriptServer struct {
	sd, norm float64 // s, S

	policy      learner.LinUCB
	sums        *privacy.Sums
	dim         int
	gamma, beta float64
	sum         []float64 // of the messages
	stale       bool
	numbers     []float64
}

var _ learner.Server = (*scriptServer)(nil)

// Init computes the constants.
func (s *scriptServer) Init(p bandit.Problem, horizon int) error {
	return s.start(p, horizon, s.sd*math.Sqrt(float64(horizon)*float64(p.Dim)))
}

// start allocates for a regulariser of 2 gamma.
func (s *scriptServer) start(p bandit.Problem, horizon int, gamma float64) error {
	d, n := float64(p.Dim), float64(horizon)
	s.dim, s.gamma = p.Dim, gamma
	s.beta = float64(math.Sqrt(s.gamma)*s.norm) + float64((p.RewardMax-p.RewardMin)/2*math.Sqrt(d*math.Log((1+n*p.ContextNorm*p.ContextNorm/s.gamma)/(1/n))))
	s.sum = make([]float64, p.Dim*(p.Dim+3)/2)
	s.sums = privacy.NewSums(privacy.Bounds{RhoMin: least * gamma, RhoMax: 3 * gamma}, false, s.read, nil)
	return s.policy.Init(p, horizon, s.sums)
}

// least is where LinUCB floors eigenvalues, as a share of gamma. The script floors none.
const least = 1e-3

// Reset forgets the messages.
func (s *scriptServer) Reset(own *rand.Rand) {
	clear(s.sum)
	s.stale = true
	s.policy.Reset(own)
}

// Receive adds a message.
func (s *scriptServer) Receive(m learner.Message) error {
	if len(m) != len(s.sum) {
		return fmt.Errorf("ldp: a message of %d numbers, want %d", len(m), len(s.sum))
	}
	for i, v := range m {
		s.sum[i] += v
	}
	s.stale = true
	return nil
}

func (s *scriptServer) read(dst []float64) {
	n := copy(dst, s.sum)
	for i, p := 0, 0; i < s.dim; i, p = i+1, p+i+2 {
		dst[p] += 2 * s.gamma
	}
	dst[n] = math.NaN() // no message holds y^2
}

// Broadcast returns LinUCB's ellipsoid with the script's width.
func (s *scriptServer) Broadcast() []float64 {
	if s.stale {
		if numbers, err := s.policy.Learn(s.sums); err == nil {
			s.numbers, s.stale = numbers, false
			s.numbers[len(s.numbers)-2] = s.beta
		}
	}
	return s.numbers
}

// Warnings returns LinUCB's.
func (s *scriptServer) Warnings() []bandit.Warning { return s.policy.Warnings() }

// keptServer holds floor(ln T) + 1 noises of standard deviation s = sqrt(ln T) ln(2.5/delta)/eps,
// and adds the sum of the first floor(ln(1 + t)) + 1 of them to the sums of t rows, in the place of
// a binary tree's nodes; with Gamma = s sqrt(d ln T).
type keptServer struct {
	scriptServer
	budget privacy.Budget

	rows   int
	levels [][]float64 // the noises
	used   int         // how many of them are in sum
}

var _ learner.Server = (*keptServer)(nil)

// Init computes the constants.
func (k *keptServer) Init(p bandit.Problem, horizon int) error {
	n := math.Log(float64(horizon))
	k.sd = math.Sqrt(n) * math.Log(2.5/k.budget.Delta) / k.budget.Epsilon
	k.levels = make([][]float64, int(n)+1)
	for i := range k.levels {
		k.levels[i] = make([]float64, p.Dim*(p.Dim+3)/2)
	}
	return k.start(p, horizon, k.sd*math.Sqrt(float64(p.Dim)*n))
}

// Reset draws the noises of all rounds, (Z + Z^T)/2 on the matrix.
func (k *keptServer) Reset(own *rand.Rand) {
	k.scriptServer.Reset(own)
	for _, level := range k.levels {
		p := 0
		for i := range k.dim {
			for j := range i + 1 {
				sd := k.sd / math.Sqrt2
				if i == j {
					sd = k.sd
				}
				level[p] = sd * own.NormFloat64()
				p++
			}
		}
		for i := range k.dim {
			level[p+i] = k.sd * own.NormFloat64()
		}
	}
	k.rows, k.used = 0, 0
	k.deepen()
}

// deepen adds the noises that the number of rows calls for.
func (k *keptServer) deepen() {
	for ; k.used < min(int(math.Log1p(float64(k.rows)))+1, len(k.levels)); k.used++ {
		for i, z := range k.levels[k.used] {
			k.sum[i] += z
		}
	}
}

// Receive adds a message.
func (k *keptServer) Receive(m learner.Message) error {
	err := k.scriptServer.Receive(m)
	k.rows++
	k.deepen()
	return err
}
