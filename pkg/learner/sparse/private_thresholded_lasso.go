package sparse

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// PrivateThresholdedLasso plays the arm with the largest <x, theta>, where theta is the regression
// on the support that was released: line 12 and 13 of Algorithm 1 of Shukla, Differentially Private
// High-dimensional Bandits (arXiv:2402.03737). As printed, over a [episodes.ThresholdedLasso]
// without repairs, it is not private, and plays little better than at random: it is here to be
// looked at, not to be used.
//
// theta solves (G + Ridge I) theta = X'y of the release. Where that matrix is not positive
// definite, and as long as the support is empty, it plays arm 0. Ties go to the lowest index. A
// round costs O(K s + s^3) for s coordinates.
type PrivateThresholdedLasso struct {
	Ridge float64 // >= 0; 0, as printed, adds none
}

// privateThresholdedLasso is the rule of PrivateThresholdedLasso.
type privateThresholdedLasso struct {
	coordinates
	ridge     float64
	matrix, l []float64
	theta     []float64
	singular  int
}

var _ learner.Policy[episodes.SparseGram] = PrivateThresholdedLasso{}

// Private returns the algorithm as printed, with the bounds that hold for nearly
// all rounds of environment.Sparse: 1.5 on rewards, and 3.8 on a context's norm on the support.
// What it claims is computed: nothing.
func (l PrivateThresholdedLasso) Private(b privacy.Budget, sparsity int) learner.Private[episodes.SparseGram] {
	return learner.New(l, episodes.ThresholdedLasso{Budget: b, Sparsity: sparsity, Reward: 1.5, Row: 3.8})
}

// Prepare validates. No choice is random.
func (l PrivateThresholdedLasso) Prepare(p bandit.Problem, horizon int, _ *episodes.SparseGram) (learner.Prepared[episodes.SparseGram], error) {
	if err := checks.Tunings("PrivateThresholdedLasso", 0, checks.Tuned("Ridge", l.Ridge, "none")); err != nil {
		return nil, err
	}
	return learner.Begins[episodes.SparseGram](func(*rand.Rand) learner.Rule[episodes.SparseGram] {
		return &privateThresholdedLasso{coordinates: coordinates{problem: p}, ridge: l.Ridge}
	}), checkCoordinates("PrivateThresholdedLasso", p, horizon)
}

// Learn solves for theta. The broadcast lists its coordinates, each as its index and its value.
func (l *privateThresholdedLasso) Learn(r *episodes.SparseGram) ([]float64, error) {
	if err := l.checkDim(r.Dim); err != nil {
		return nil, err
	}
	l.broadcast = l.broadcast[:0]
	k := len(r.Support)
	if k == 0 {
		return l.broadcast, nil
	}
	l.matrix = append(l.matrix[:0], r.Gram...)
	for i := range k {
		l.matrix[packed.Size(i)+i] += l.ridge
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
	packed.Solve(l.l, l.theta)
	if !packed.Finite(l.theta) { // of rows that are not clipped
		l.singular++
		return l.broadcast, nil
	}
	return l.tell(r.Support, l.theta)
}

// Warnings counts rounds whose matrix was not positive definite.
func (l *privateThresholdedLasso) Warnings() []bandit.Warning {
	if l.singular == 0 {
		return nil
	}
	return []bandit.Warning{{What: "rounds whose matrix is not positive definite, played by arm 0", Count: l.singular}}
}
