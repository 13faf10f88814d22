package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// VectorSum is the randomiser of shuffle LinUCB by vector sums (Chowdhury and Zhou, "Shuffle
// private linear contextual bandits", 2022, after Cheu, Joseph, Mao, Peng, "Shuffle private
// stochastic convex optimization", 2022). The devices and the server must have the same one. A
// batch of B users releases nothing but the sums of x x^T and y x over the batch, with binomial
// noise of which each device makes a part.
//
// For each entry of x x^T and y x, a device sends a count of ones. The entry is shifted to be
// positive, scaled to g levels, and rounded up or down at random without bias; b bits that are 1
// with probability 1/4 are added. BitSum mixes the bits, so the sum's noise is Binomial(b B, 1/4).
// The server subtracts b B/4 and the shift, and scales back.
//
// Diagonal entries lie in [0, L^2], others in [-L^2/2, L^2/2] because 2|x_i x_j| <= x_i^2 + x_j^2,
// and y x_i in [-L Y, L Y] with Y the bound on |y|. Each range has g levels, and b is the least for
// which the account.BinomialEvent of a replacement is within the budget. Its Norm and Most are
// computed so: if two values are rounded by one and the same uniform number, the rounded values
// differ by the floor or the ceiling of the values' difference D_j in levels. So a coordinate
// changes by at most g, and all m of them by at most |D| + sqrt(m) in the Euclidean norm, where |D|
// is the exact sensitivity of the pair, as in LDPNoise.
//
// The constants of the papers' proofs are not offered. epsilon = +Inf means no noise and no
// rounding.
//
// Trust model: shuffle. Neighbouring relation: one user's (context, reward) is replaced.
type VectorSum struct {
	// Budget is a user's privacy; no default. Delta must be at least the sampler's error,
	// random.Binomial.Error, times the count of numbers drawn in a batch: the distribution drawn may
	// differ from the one accounted for by that much.
	Budget privacy.Budget
	Batch  int // B >= 1, users whose messages are summed
	// Levels is g >= 1; 0 means max(2 sqrt(B), d, 4) as in the papers, rounded up. More levels cost
	// more bits, about g^2 in all, but rounding adds a smaller part, sqrt(m) levels, to the
	// sensitivity.
	Levels   int
	Constant float64 // as in LDPNoise
}

// vectorSumP is the probability that a bit of the noise is 1.
const vectorSumP = 0.25

// vectorScale is the noise that VectorSum gives on a problem.
type vectorScale struct {
	VectorSum
	dim, size int
	none      bool
	unit      []float64 // levels per unit, by coordinate
	shift     []float64 // what is added to an entry
	width     []float64 // of an entry's range
	bits      int64     // b
	most      float64   // ones among a coordinate's bits, in a message
	corner    int       // the coordinate that is public and not sent, or -1
	noise     *random.Binomial
	event     account.BinomialEvent // of a batch; Trials = b B
}

// scale validates and calibrates the noise.
func (v VectorSum) scale(p bandit.Problem) (s vectorScale, err error) {
	if err := v.Budget.Approximate(); err != nil {
		return s, err
	}
	switch {
	case v.Batch < 1 || int64(v.Batch) > 1<<31:
		return s, fmt.Errorf("learner: VectorSum.Batch = %d, want in [1, 2^31]", v.Batch)
	case v.Levels < 0 || v.Levels > 1<<20:
		return s, fmt.Errorf("learner: VectorSum.Levels = %d, want in [1, 2^20], or 0 for max(2 sqrt(Batch), Dim, 4)", v.Levels)
	case math.IsNaN(v.Constant) || math.Abs(v.Constant) > p.ContextNorm:
		return s, fmt.Errorf("learner: VectorSum.Constant = %v, want in [-L, L], L = Problem.ContextNorm = %v", v.Constant, p.ContextNorm)
	}
	matrix := packed.Size(p.Dim)
	s = vectorScale{VectorSum: v, dim: p.Dim, size: matrix + p.Dim, none: v.Budget.None(), corner: -1}
	batch := float64(v.Batch)
	g := math.Ceil(max(2*math.Sqrt(batch), float64(p.Dim), 4))
	if v.Levels > 0 {
		g = float64(v.Levels)
	}
	square, reward := float64(p.ContextNorm*p.ContextNorm), float64(p.ContextNorm*p.RewardBound())
	s.unit, s.shift, s.width = make([]float64, s.size), make([]float64, s.size), make([]float64, s.size)
	for i := range s.size {
		s.shift[i], s.width[i], s.unit[i] = square/2, square, g/square
		if i >= matrix {
			s.shift[i], s.width[i], s.unit[i] = reward, 2*reward, g/(2*reward)
		}
	}
	for i := range p.Dim {
		s.shift[packed.Size(i+1)-1] = 0
	}
	if v.Constant != 0 {
		s.corner = matrix - 1
	}
	levels := math.Ceil(s.width[0] * s.unit[0] * (1 - 1e-12))
	if !(levels <= 1<<21) {
		return s, fmt.Errorf("learner: VectorSum of %.4g levels, for Batch = %d, want <= 2^21", levels, v.Batch)
	}
	sensitivity := (&ldpScale{matrix: 1 / s.unit[0], vector: 1 / s.unit[matrix], flat: true, constant: v.Constant}).sensitivity(p)
	m := s.size
	if s.corner >= 0 {
		m--
	}
	root := math.Sqrt(float64(m))
	s.event = account.BinomialEvent{
		P: vectorSumP, Coordinates: m, Most: int(levels), Norm: min(float64(sensitivity*(1+1e-9))+root, root*levels), Tail: 1e-3 * v.Budget.Delta,
	}
	if s.none {
		s.event.Tail = 0.5
	} else if s.event, err = v.Budget.CalibrateBinomial(s.event, int64(v.Batch)); err != nil {
		return s, err
	}
	s.bits = s.event.Trials / int64(v.Batch)
	if err := s.event.Validate(); err != nil {
		return s, err
	}
	s.most = levels + float64(s.bits)
	if s.noise, err = random.NewBinomial(s.bits, vectorSumP); err != nil {
		return s, err
	}
	if drawn := batch * float64(m) * s.noise.Error(); !s.none && v.Budget.Delta < drawn {
		return s, fmt.Errorf("learner: VectorSum.Budget.Delta = %v, want >= %.4g: the noise drawn by %d devices for %d numbers each may be that far from binomial", v.Budget.Delta, drawn, v.Batch, m)
	}
	return s, nil
}

// proxy returns a sub-Gaussian variance for a coordinate's noise in one message, in levels:
// (1-2p)/(2 ln((1-p)/p)) for each bit (Kearns and Saul 1998) plus 1/4 for the rounding (Hoeffding
// 1963).
func (s *vectorScale) proxy() float64 {
	if s.none {
		return 0
	}
	return float64(s.bits)*(1-2*vectorSumP)/(2*portable.Log((1-vectorSumP)/vectorSumP)) + 0.25
}

// plan returns what the sum over a batch shows of one of its users. Rounding hides nothing.
func (s *vectorScale) plan(batch int) privacy.Plan {
	round := privacy.RoundLaw(s.size)
	p := learner.MessagePlan(s.Budget, privacy.Sound, s.Constant, "Chowdhury and Zhou 2022; protocol of Cheu, Joseph, Mao, Peng 2022; exact binomial trade-off curves (account.BinomialEvent)",
		privacy.Release{Law: round})
	if s.bits > 0 { // the public corner's noise is drawn, too, and not added
		p.Cases[0][0] = privacy.Release{Law: privacy.BinomialLaw(s.event.Coordinates, s.noise), Sensitivity: privacy.Norms{L2: s.event.Norm, LInf: float64(s.event.Most)}}
		p.Draws = []privacy.Draws{{Law: round, Count: 1}, {Law: privacy.BinomialLaw(s.size, s.noise), Count: 1}}
	}
	if batch > 1 {
		p = shuffled(p.Mixed(trust.Sum, batch), "an honest shuffler that mixes the bits of a batch, or sums them, and nobody sees a message before",
			fmt.Sprintf("all %d users of a batch follow the protocol: if f of them add no noise, what is left is that of %d - f", batch, batch))
	}
	return p
}

// Logistic returns a learner of logistic rewards by vector sums: each device weights its
// row by the batch's estimate, which it is told, and clips it to the policy's bounds. Its claim is
// that of any row within these. (Sarmasarkar 2026 fits the batches by noisy gradient descent
// instead; see [linear.Logistic].)
func (v VectorSum) Logistic(policy linear.Logistic) learner.Local {
	l := v.Learner()
	l.Device, l.Server = VectorSumDevice{Noise: v, Policy: policy}, VectorSumServer{Noise: v, Policy: policy}
	return l
}

// Learner returns shuffle LinUCB by vector sums. To tune it, replace its Server, a
// VectorSumServer.
func (v VectorSum) Learner() learner.Local {
	l := learner.Local{Device: VectorSumDevice{Noise: v}, Server: VectorSumServer{Noise: v}, Batch: v.Batch}
	if v.Batch > 1 {
		l.Shuffler = learner.BitSum{}
	}
	return l
}
