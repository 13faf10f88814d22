package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

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
	return &learner.Local{Device: &learner.LDPDevice{Noise: learner.LDPNoise{Budget: open}}, Server: &keptServer{budget: b, norm: norm}}
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
	d, n := float64(p.Dim), float64(horizon)
	s.dim, s.gamma = p.Dim, s.sd*math.Sqrt(n*d)
	s.beta = float64(math.Sqrt(s.gamma)*s.norm) + float64((p.RewardMax-p.RewardMin)/2*math.Sqrt(d*math.Log((1+n*p.ContextNorm*p.ContextNorm/s.gamma)/(1/n))))
	s.sum = make([]float64, p.Dim*(p.Dim+3)/2)
	s.sums = privacy.NewSums(privacy.Bounds{RhoMin: s.gamma, RhoMax: 3 * s.gamma}, false, s.read, nil)
	return s.policy.Init(p, horizon, s.sums)
}

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
// a binary tree's nodes; with the regulariser 2 Gamma I, Gamma = s sqrt(d ln T), and the width beta
// = sqrt(Gamma) S + (1/2) sqrt(d ln((1 + T L^2/Gamma) T)).
type keptServer struct {
	budget privacy.Budget
	norm   float64 // S

	dim       int
	sd, shift float64
	beta      float64
	sum       []float64
	rows      int
	levels    [][]float64 // the noises
	used      int         // how many of them are in sum
	numbers   []float64
	v         *mat.SymDense
	chol      mat.Cholesky
	stale     bool
}

var _ learner.Server = (*keptServer)(nil)

// Init computes the constants.
func (k *keptServer) Init(p bandit.Problem, horizon int) error {
	d, n := float64(p.Dim), float64(horizon)
	k.dim = p.Dim
	k.sd = math.Sqrt(math.Log(n)) * math.Log(2.5/k.budget.Delta) / k.budget.Epsilon
	gamma := k.sd * math.Sqrt(d*math.Log(n))
	k.shift = 2 * gamma
	k.beta = math.Sqrt(gamma)*k.norm + math.Sqrt(d*math.Log((1+n*p.ContextNorm*p.ContextNorm/gamma)*n))/2
	packed := p.Dim * (p.Dim + 1) / 2
	k.sum, k.numbers = make([]float64, packed+p.Dim), make([]float64, packed+p.Dim+2)
	k.levels = make([][]float64, int(math.Log(n))+1)
	for i := range k.levels {
		k.levels[i] = make([]float64, len(k.sum))
	}
	k.v = mat.NewSymDense(p.Dim, nil)
	return nil
}

// Reset draws the noises of all rounds, (Z + Z^T)/2 on the matrix.
func (k *keptServer) Reset(own *rand.Rand) {
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
	clear(k.sum)
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
	k.stale = true
}

// Receive adds a message.
func (k *keptServer) Receive(m learner.Message) error {
	if len(m) != len(k.sum) {
		return fmt.Errorf("ldp: a message of %d numbers, want %d", len(m), len(k.sum))
	}
	for i, v := range m {
		k.sum[i] += v
	}
	k.rows++
	k.deepen()
	return nil
}

// Broadcast returns the ellipsoid: centre, inverse, width, and a bound of the inverse's norm.
func (k *keptServer) Broadcast() []float64 {
	if !k.stale {
		return k.numbers
	}
	k.stale = false
	d, p := k.dim, 0
	for i := range d {
		for j := range i + 1 {
			v := k.sum[p]
			if i == j {
				v += k.shift
			}
			k.v.SetSym(i, j, v)
			p++
		}
	}
	if !k.chol.Factorize(k.v) {
		return k.numbers // the ellipsoid of the round before
	}
	var inverse mat.SymDense
	if err := k.chol.InverseTo(&inverse); err != nil {
		return k.numbers
	}
	var trace float64
	u, q := k.sum[p:], d
	for i := range d {
		k.numbers[i] = 0
		for j, w := range u {
			k.numbers[i] += inverse.At(i, j) * w
		}
		for j := range i + 1 {
			k.numbers[q] = inverse.At(i, j)
			q++
		}
		trace += inverse.At(i, i)
	}
	k.numbers[q], k.numbers[q+1] = k.beta, trace
	return k.numbers
}
