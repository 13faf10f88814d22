package sparse

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SparseBits describes a local learner for many dimensions of which few matter, to its devices and
// its server. It explores in two stages, then commits. All numbers are public.
//
// In each round the server names a coordinate j, and the device answers with one bit: the sign of
// x_j y by randomised response, the truth with probability e^eps/(1 + e^eps). The answer is eps-LDP
// whatever j is: for any two users' (x, y) its probabilities are at most e^eps apart. As a user
// answers once, and j depends on other users' answers only, all that the server sees is eps-LDP,
// too. Neither clipping nor delta is needed.
//
// With c = (e^eps-1)/(e^eps+1), the mean of an answer, divided by c, is a_j = E sign(x_j y). For
// normal contexts of independent coordinates, and random arms, a_j = (2/pi) asin(rho_j), where
// rho_j is the correlation of x_j and y, proportional to theta_j. Stage one asks for all d
// coordinates in turn and keeps the 2 Sparsity with the largest |sum|; stage two asks for those
// alone. Then the server broadcasts sin(pi a_j/2) for the Sparsity largest, and devices play the
// best arm for it.
//
// A stage of m answers a coordinate leaves noise of at most about sqrt(2 m ln 2d) in each of d
// sums, beside a signal m c |a_j|. Stage one has m = 4 ln(2d)/(c Signal)^2, so that the weakest
// signal is sqrt 2 times the noise: 4 d ln(2d)/(c Signal)^2 rounds. The regret is linear in d, up
// to the logarithm, where the joint model's is logarithmic: each bit is about one coordinate of the
// d.
//
// This has not been published.
type SparseBits struct {
	Budget   privacy.Budget // of an answer; no default; delta is not used
	Sparsity int            // coordinates that matter, in [1, d], no default
	// Signal is the least |E sign(x_j y)| of a coordinate that matters, in (0, 1]; 0 means 0.15.
	Signal float64
}

// sparseStages is what SparseBits gives on a problem.
type sparseStages struct {
	contrast    float64 // c
	first, last int     // rounds after which each stage ends
	kept        int     // coordinates of the second stage
}

// validate returns an error if a field is out of its range.
func (b SparseBits) validate(p bandit.Problem) error {
	switch {
	case b.Sparsity < 1 || b.Sparsity > p.Dim:
		return fmt.Errorf("learner: SparseBits.Sparsity = %d, want in [1, Problem.Dim = %d]", b.Sparsity, p.Dim)
	case !(b.Signal >= 0 && b.Signal <= 1):
		return fmt.Errorf("learner: SparseBits.Signal = %v, want in (0, 1], or 0 for 0.15", b.Signal)
	}
	return b.Budget.Validate()
}

// stages validates and computes the lengths of the stages.
func (b SparseBits) stages(p bandit.Problem, horizon int) (s sparseStages, err error) {
	if err := b.validate(p); err != nil {
		return s, err
	}
	signal := checks.Or(b.Signal, 0.15)
	s.contrast, s.kept = 1, min(2*b.Sparsity, p.Dim)
	if !b.Budget.None() {
		s.contrast = portable.Tanh(b.Budget.Epsilon / 2)
	}
	d, reach := float64(p.Dim), s.contrast*signal
	first := float64(math.Ceil(4*portable.Log(2*d)/(reach*reach)) * d)
	second := math.Ceil(math.Sqrt(2*float64(horizon)) * float64(b.Sparsity) / s.contrast)
	if !(first+second < float64(horizon)) {
		return s, fmt.Errorf("learner: SparseBits over %d rounds in %d dimensions, want more than the %.4g rounds of its two stages at %v", horizon, p.Dim, first+second, b.Budget)
	}
	s.first, s.last = int(first), int(first+second)
	return s, nil
}

// Learner returns the local learner of devices and a server with these numbers.
func (b SparseBits) Learner() learner.Local {
	return learner.Local{Device: SparseBitsDevice{Bits: b}, Server: SparseBitsServer{Bits: b}}
}
