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

// PrivateThresholdedLasso plays the arm with the largest <x, theta>, where theta is the regression
// on the support that was released: line 12 and 13 of Algorithm 1 of Shukla, Differentially Private
// High-dimensional Bandits (arXiv:2402.03737). As printed, over a [mechanism.ThresholdedLasso]
// without repairs, it is not private, and plays little better than at random: it is here to be
// looked at, not to be used.
//
// theta solves (G + Ridge I) theta = X'y of the release. Where that matrix is not positive
// definite, and as long as the support is empty, it plays arm 0. Ties go to the lowest index. A
// round costs O(K s + s^3) for s coordinates.
type PrivateThresholdedLasso struct {
	Ridge float64 // >= 0; 0, as printed, adds none

	problem   bandit.Problem
	matrix, l []float64
	theta     []float64
	broadcast []float64
	singular  int
}

var _ Policy[mechanism.SparseGram] = (*PrivateThresholdedLasso)(nil)

// NewPrivateThresholdedLasso returns the algorithm as printed, with the bounds that hold for nearly
// all rounds of environment.Sparse: 1.5 on rewards, and 3.8 on a context's norm on the support.
// What it claims is computed: nothing.
func NewPrivateThresholdedLasso(b privacy.Budget, sparsity int) *Private[mechanism.SparseGram] {
	return New(&PrivateThresholdedLasso{}, &mechanism.ThresholdedLasso{Budget: b, Sparsity: sparsity, Reward: 1.5, Row: 3.8})
}

// Init validates and allocates.
func (l *PrivateThresholdedLasso) Init(p bandit.Problem, horizon int, _ *mechanism.SparseGram) error {
	if err := checkContexts("PrivateThresholdedLasso", p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: PrivateThresholdedLasso: Problem.Dim = %d, Arms = %d", p.Dim, p.Arms)
	if err := size.Check(what, float64(p.Dim)+float64(p.Arms)); err != nil {
		return err
	}
	if err := checkTuning("PrivateThresholdedLasso", 0, tuning{"Ridge", l.Ridge, "none"}); err != nil {
		return err
	}
	l.problem = p
	return nil
}

// Reset forgets everything. No choice is random.
func (l *PrivateThresholdedLasso) Reset(*rand.Rand) { l.broadcast, l.singular = nil, 0 }

// Learn solves for theta. The broadcast lists its coordinates, each as its index and its value.
func (l *PrivateThresholdedLasso) Learn(r *mechanism.SparseGram) ([]float64, error) {
	if r.Dim != l.problem.Dim {
		return nil, fmt.Errorf("a release of dimension %d, want %d", r.Dim, l.problem.Dim)
	}
	l.broadcast = l.broadcast[:0]
	k := len(r.Support)
	if k == 0 {
		return l.broadcast, nil
	}
	l.matrix = append(l.matrix[:0], r.Gram...)
	for i := range k {
		l.matrix[packed.Size(i)+i] += l.Ridge
	}
	if cap(l.l) < len(l.matrix) {
		l.l = make([]float64, len(l.matrix))
	}
	l.l = l.l[:len(l.matrix)]
	l.theta = append(l.theta[:0], r.Cross...)
	if _, ok := packed.Cholesky(l.l, l.matrix, k); !ok {
		l.singular++
		return l.broadcast, nil
	}
	solve(l.l, l.theta)
	for i, v := range l.theta {
		if math.Abs(v) > math.MaxFloat64 || v != v { // of rows that are not clipped
			l.broadcast = l.broadcast[:0]
			l.singular++
			return l.broadcast, nil
		}
		if v != 0 {
			l.broadcast = append(l.broadcast, float64(r.Support[i]), v)
		}
	}
	return l.broadcast, nil
}

// solve solves L L' w = b in place of b.
func solve(l, b []float64) {
	n := len(b)
	for i := range n {
		for j := range i {
			b[i] -= float64(l[packed.Size(i)+j] * b[j])
		}
		b[i] /= l[packed.Size(i)+i]
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= float64(l[packed.Size(j)+i] * b[j])
		}
		b[i] /= l[packed.Size(i)+i]
	}
}

// Act appends the arm with the largest estimate, or arm 0.
func (l *PrivateThresholdedLasso) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	arm, err := bestOfPairs(broadcast, v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}

// Warnings counts rounds whose matrix was not positive definite.
func (l *PrivateThresholdedLasso) Warnings() []bandit.Warning {
	if l.singular == 0 {
		return nil
	}
	return []bandit.Warning{{What: "rounds whose matrix is not positive definite, played by arm 0", Count: l.singular}}
}
