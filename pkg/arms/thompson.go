package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Thompson is Thompson sampling with Beta posteriors (Thompson 1933; Agrawal and Goyal 2012). In
// each round it plays the arm with the largest draw of
//
//	Beta(1 + n mean, 1 + n (1 - mean))
//
// for n rewards in [0, 1] of an arm: the posterior of a uniform prior, if rewards are 0 or 1. The
// draws are from the learner's own stream.
type Thompson struct {
	told
	normals *random.Normals
}

var _ learner.Policy[privacy.Means] = (*Thompson)(nil)

// NewThompson returns Thompson sampling, which is not private.
func NewThompson() *learner.Private[privacy.Means] {
	return learner.New(&Thompson{}, &mechanism.Counts{})
}

// Init validates and allocates.
func (l *Thompson) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	return l.init("Thompson", p, horizon)
}

// Reset forgets everything.
func (l *Thompson) Reset(own *rand.Rand) {
	l.estimates.Reset(own)
	l.normals = random.NewNormals(own)
}

// Act appends the arm with the largest draw.
func (l *Thompson) Act(broadcast []float64, _ *bandit.View, dst []int) ([]int, error) {
	unseen, err := l.receive(broadcast)
	if err != nil || unseen >= 0 {
		return append(dst, max(unseen, 0)), err
	}
	best, most := 0, -1.0
	for a := range l.of {
		of := (*arm)(broadcast[armSize*a:])
		if x := drawBeta(l.normals, of[count], clipped(of[mean])); x > most {
			best, most = a, x
		}
	}
	return append(dst, best), nil
}

// drawBeta returns a draw of Beta(1 + n m, 1 + n (1 - m)), as a ratio of chi-squares.
func drawBeta(g *random.Normals, n, m float64) float64 {
	x := random.ChiSquare(g, 2+float64(2*n*m))
	y := random.ChiSquare(g, 2+float64(2*n*(1-m)))
	return x / (x + y)
}
