package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPNoise is the randomiser of LDP LinUCB: symmetric noise on x x^T and a vector of noise on y x.
// The devices and the server must have the same one; its numbers are public. L is the bound on |x|,
// and rewards are in [RewardMin, RewardMax]. Logarithms are natural.
//
//   - Sound: symmetric Gaussian noise of standard deviation s off the diagonal and sqrt(2) s on it,
//     and a vector of the same s. A message is mu-GDP with the exact mu of the pair (x x^T, y x); s
//     is such that mu = mu*(eps, delta).
//   - AsPublished: independent N(0, s^2) on and above the diagonal and in the vector, with s = 6
//     sqrt(2 ln(2.5/delta))/eps (Zheng et al. 2020).
//
// MatrixSD and VectorSD give the noise of Sound other standard deviations, whatever the budget, and
// the claim says what they buy. epsilon = +Inf means no noise.
type LDPNoise struct {
	Budget      privacy.Budget // of a message; no default; delta > 0
	Calibration privacy.Calibration
	// MatrixSD and VectorSD are the standard deviations of an entry of x x^T off the diagonal and of
	// one of y x; 0 means those that the budget needs.
	MatrixSD, VectorSD float64
	// Constant is the public last coordinate of every context; 0 means that there is none. It lowers
	// the sensitivity, and Sound sends its square without noise.
	Constant float64
}

// ldpScale is the noise that LDPNoise gives on a problem.
type ldpScale struct {
	dim      int
	from     privacy.Calibration
	matrix   float64 // standard deviation off the diagonal
	vector   float64
	flat     bool    // the same on the diagonal, else sqrt(2) times it
	mu       float64 // of a message
	ofMatrix float64 // the greatest change of its matrix, and of its vector
	ofVector float64
	constant float64 // Constant
	corner   bool    // the matrix's last entry is sent without noise
	bound    float64 // an honest message has a greater number with probability below 1e-300
}

// scale validates and calibrates the noise.
func (n LDPNoise) scale(p bandit.Problem) (s ldpScale, err error) {
	mu, err := n.Budget.GaussianMu()
	if err != nil {
		return s, err
	}
	if math.IsNaN(n.Constant) || math.Abs(n.Constant) > p.ContextNorm {
		return s, fmt.Errorf("learner: LDPNoise.Constant = %v, want in [-L, L], L = Problem.ContextNorm = %v", n.Constant, p.ContextNorm)
	}
	s = ldpScale{dim: p.Dim, constant: n.Constant, from: n.Calibration, corner: n.Constant != 0}
	switch given := n.MatrixSD != 0 || n.VectorSD != 0; {
	case given && (n.Calibration != privacy.Sound || !(n.MatrixSD > 0 && n.VectorSD > 0)):
		return s, fmt.Errorf("learner: LDPNoise.MatrixSD = %v and VectorSD = %v under %v, want both > 0 under Sound, or both 0", n.MatrixSD, n.VectorSD, n.Calibration)
	case given:
		s.matrix, s.vector, s.from = n.MatrixSD, n.VectorSD, privacy.Given
	case n.Calibration == privacy.Sound:
		s.matrix, s.vector = 1, 1
		s.matrix = s.sensitivity(p) / mu
		s.vector = s.matrix
	case n.Calibration == privacy.AsPublished:
		s.matrix = 6 * math.Sqrt(2*portable.Log(2.5/n.Budget.Delta)) / n.Budget.Epsilon
		s.vector, s.flat, s.corner = s.matrix, true, false
	default:
		return s, fmt.Errorf("learner: LDPNoise.Calibration = %v, want Sound or AsPublished", n.Calibration)
	}
	if n.Budget.None() {
		s.matrix, s.vector, s.mu = 0, 0, math.Inf(1)
	} else {
		s.mu = s.sensitivity(p)
		s.ofMatrix, s.ofVector = s.parts(p)
	}
	const tail = 40 // standard deviations
	square := p.ContextNorm * max(p.ContextNorm, p.RewardBound())
	if s.bound = float64(square*(1+1e-9)) + float64(tail*max(math.Sqrt2*s.matrix, s.vector)); !(s.bound < 1e100) {
		return s, fmt.Errorf("learner: LDP LinUCB's messages go up to %v for %v, want < 1e100", s.bound, n.Budget)
	}
	return s, positive("LDPNoise", min(s.matrix, s.vector), n.Budget)
}

// positive refuses noise that is zero or not finite, or so near to either that numbers computed
// from it are.
func positive(who string, sd float64, b privacy.Budget) error {
	if !b.None() && !(sd >= 1e-150 && sd <= 1e150) {
		return fmt.Errorf("learner: %s of standard deviation %v for %v, want in [1e-150, 1e150]", who, sd, b)
	}
	return nil
}

// sensitivity returns mu of a message: the greatest change of the pair (x x^T, y x), in standard
// deviations, when (x, y) is replaced by (w, z).
//
// A symmetric change D counts |D|_F^2/(2 s^2) under symmetric noise, and at most |D|_F^2/s^2 under
// flat noise, with equality for a diagonal D. With |x| = |w| = L and c = <x, w>/L^2, the square of
// mu is
//
//	a L^4 2(1 - c^2) + b L^2 (y^2 + z^2 - 2 y z c),   a = 1/(2 s^2) or 1/s^2,  b = 1/s_v^2.
//
// This is concave in c for given y and z, and convex in each of those, so y and z are at the ends
// of their range. Shorter contexts are no worse: for given <x, w> the square grows with |x| and
// |w|. c is at least -1, and at least 2 k^2/L^2 - 1 with a public constant k. For contexts of one
// dimension the result is an upper bound.
func (s *ldpScale) sensitivity(p bandit.Problem) float64 {
	square := p.ContextNorm * p.ContextNorm
	a := square * square / (s.matrix * s.matrix) // 2 a L^4 above
	if s.flat {
		a *= 2
	}
	b := square / (s.vector * s.vector)
	least := 2*s.constant*s.constant/square - 1
	var worst float64
	for _, y := range [][2]float64{{p.RewardMin, p.RewardMin}, {p.RewardMin, p.RewardMax}, {p.RewardMax, p.RewardMax}} {
		c := min(max(-b*y[0]*y[1]/a, least), 1)
		worst = max(worst, float64(a*(1-float64(c*c)))+float64(b*(float64(y[0]*y[0])+float64(y[1]*y[1])-float64(2*y[0]*y[1]*c))))
	}
	return math.Sqrt(worst)
}

// parts returns the greatest change of the matrix, in the norm of symmetric noise, and that of the
// vector: what sensitivity says if the other's noise hides all of it.
func (s *ldpScale) parts(p bandit.Problem) (matrix, vector float64) {
	const hidden = 1e30
	m, v := *s, *s
	m.vector *= hidden
	v.matrix *= hidden
	return m.sensitivity(p) * s.matrix, v.sensitivity(p) * s.vector
}

// size returns the length of a message: the matrix, packed by the rows of its lower triangle, then
// the vector.
func (s *ldpScale) size() int { return packed.Size(s.dim) + s.dim }

// draw writes a message's noise to dst.
func (s *ldpScale) draw(n *privacy.Noise, dst []float64) {
	matrix := packed.Size(s.dim)
	switch {
	case s.matrix == 0:
		clear(dst)
		return
	case s.flat: // one standard deviation for all
		n.Gaussian(dst, s.matrix)
		return
	}
	n.GaussianPair(dst, s.dim, s.matrix, s.vector)
	if s.corner {
		dst[matrix-1] = 0
	}
}

// plan returns what a message shows of its user: by itself, or in a batch that is shuffled.
func (s *ldpScale) plan(asked privacy.Budget, source string, batch int) privacy.Plan {
	r := privacy.Release{Law: privacy.GaussianLaw(s.size(), s.matrix), Sensitivity: privacy.Norms{L2: s.mu * s.matrix}}
	if !s.flat { // matrix and vector do not move most at once
		r = privacy.Release{Joint: s.mu, Law: privacy.SymmetricGaussianLaw(s.dim, s.matrix), Sensitivity: privacy.Norms{L2: s.ofMatrix},
			Parts: []privacy.Part{{Law: privacy.GaussianLaw(s.dim, s.vector), Sensitivity: privacy.Norms{L2: s.ofVector}}}}
	}
	p := learner.MessagePlan(asked, s.from, s.constant, source, r)
	if batch > 1 {
		p = p.Mixed(trust.Order, batch)
	}
	return p
}
