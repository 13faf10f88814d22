package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// FLIPHAT plays the arm with the largest <x, theta>, where theta is the estimate that the last
// episode released (Chakraborty, Roy and Basu, arXiv:2405.14038). Ties go to the lowest index, so
// it plays arm 0 as long as theta is 0.
//
// Over mechanism.NoisyIHT with a finite budget and a claim it is jointly differentially private. A
// round costs O(K s) for s coordinates.
type FLIPHAT struct {
	problem   bandit.Problem
	broadcast []float64
}

var _ Policy[mechanism.SparseTheta] = (*FLIPHAT)(nil)

// NewFLIPHAT returns FLIPHAT for a theta of the given sparsity and a bound on |theta|_1, with the
// constants of its paper's experiments and noise that is accounted exactly. The estimate keeps
// twice as many coordinates as theta has.
func NewFLIPHAT(b privacy.Budget, sparsity int, l1 float64) *Private[mechanism.SparseTheta] {
	return New(&FLIPHAT{}, &mechanism.NoisyIHT{Budget: b, Sparsity: 2 * sparsity, L1: l1})
}

// Init validates.
func (l *FLIPHAT) Init(p bandit.Problem, horizon int, _ *mechanism.SparseTheta) error {
	if err := checkContexts("FLIPHAT", p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: FLIPHAT: Problem.Dim = %d, Arms = %d", p.Dim, p.Arms)
	if err := size.Check(what, float64(p.Dim)+float64(p.Arms)); err != nil {
		return err
	}
	l.problem = p
	return nil
}

// Reset forgets everything. No choice is random.
func (l *FLIPHAT) Reset(*rand.Rand) { l.broadcast = nil }

// Learn returns the coordinates that are not 0, each as its index and its value.
func (l *FLIPHAT) Learn(r *mechanism.SparseTheta) ([]float64, error) {
	if r.Episode > 0 && r.Dim != l.problem.Dim {
		return nil, fmt.Errorf("a release of dimension %d, want %d", r.Dim, l.problem.Dim)
	}
	return l.tell(r.Support, r.Theta)
}

func (l *FLIPHAT) tell(support []int, theta []float64) (_ []float64, err error) {
	l.broadcast, err = pairs(l.broadcast[:0], support, theta)
	return l.broadcast, err
}

// pairs appends the coordinates that are not 0 to dst, each as its index and its value.
func pairs(dst []float64, support []int, theta []float64) ([]float64, error) {
	for i, v := range theta {
		if v-v != 0 {
			return nil, fmt.Errorf("an estimate of %v for coordinate %d, want finite", v, support[i])
		}
		if v != 0 {
			dst = append(dst, float64(support[i]), v)
		}
	}
	return dst, nil
}

// Act appends the arm with the largest estimate.
func (l *FLIPHAT) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	arm, err := bestOfPairs(broadcast, v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}

// bestOfPairs returns the arm with the largest <x, theta>, the first if there are several, for a
// theta of pairs.
func bestOfPairs(broadcast []float64, v *bandit.View) (arm int, err error) {
	if !packed.Finite(v.X) {
		return 0, fmt.Errorf("contexts that are not finite, want finite numbers")
	}
	if len(broadcast)%2 != 0 || len(broadcast) > 2*v.Dim {
		return 0, fmt.Errorf("a broadcast of %d numbers, want pairs of %d coordinates at most", len(broadcast), v.Dim)
	}
	for i := 0; i < len(broadcast); i += 2 {
		if j := broadcast[i]; !(j >= 0 && j < float64(v.Dim) && j == math.Trunc(j)) || broadcast[i+1]-broadcast[i+1] != 0 {
			return 0, fmt.Errorf("a broadcast of %v for coordinate %v, want finite numbers for coordinates in [0, %d)", broadcast[i+1], j, v.Dim)
		}
	}
	best := math.Inf(-1)
	for a := range v.Arms {
		row, mean := v.Row(a), 0.0
		for i := 0; i < len(broadcast); i += 2 {
			mean += float64(broadcast[i+1] * row[int(broadcast[i])])
		}
		if math.IsNaN(mean) { // of products that overflow
			mean = math.Inf(-1)
		}
		if mean > best {
			arm, best = a, mean
		}
	}
	return arm, nil
}
