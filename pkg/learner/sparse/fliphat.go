package sparse

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// FLIPHAT plays the arm with the largest <x, theta>, where theta is the estimate that the last
// episode released (Chakraborty, Roy and Basu, arXiv:2405.14038). Ties go to the lowest index, so
// it plays arm 0 as long as theta is 0.
//
// Over episodes.NoisyIHT with a finite budget and a claim it is jointly differentially private. A
// round costs O(K s) for s coordinates.
type FLIPHAT struct{}

// fliphat is the rule of FLIPHAT.
type fliphat struct{ coordinates }

var _ learner.Policy[episodes.SparseTheta] = FLIPHAT{}

// Private returns FLIPHAT for a theta of the given sparsity and a bound on |theta|_1, with the
// constants of its paper's experiments and noise that is accounted exactly. The estimate keeps
// twice as many coordinates as theta has.
func (l FLIPHAT) Private(b privacy.Budget, sparsity int, l1 float64) learner.Private[episodes.SparseTheta] {
	return learner.New(l, episodes.NoisyIHT{Budget: b, Sparsity: 2 * sparsity, L1: l1})
}

// Prepare validates. No choice is random.
func (l FLIPHAT) Prepare(p bandit.Problem, horizon int, _ *episodes.SparseTheta) (learner.Prepared[episodes.SparseTheta], error) {
	return learner.Begins[episodes.SparseTheta](func(*rand.Rand) learner.Rule[episodes.SparseTheta] {
		return &fliphat{coordinates{problem: p}}
	}), checkCoordinates("FLIPHAT", p, horizon)
}

// Learn returns the coordinates that are not 0, each as its index and its value.
func (l *fliphat) Learn(r *episodes.SparseTheta) ([]float64, error) {
	if r.Episode > 0 {
		if err := l.checkDim(r.Dim); err != nil {
			return nil, err
		}
	}
	return l.tell(r.Support, r.Theta)
}
