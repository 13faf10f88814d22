package environment

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/draw"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// Arms is the K-armed bandit: each round a learner plays one of K arms and sees its reward, whose
// law does not change.
//
// There are no contexts. Arms equals, draw for draw, the [SemiBandit] on the uniform matroid of
// rank 1, and has its range of rewards, [0, 1].
//
//	env := environment.Arms{Means: []float64{0.1, 0.6, 0.3}}
type Arms struct {
	// Means has the mean reward of each arm, in [0, 1] for Bernoulli rewards, finite for Gaussian
	// ones.
	Means []float64
	// Sigma is the standard deviation of Gaussian rewards. 0 means Bernoulli rewards, which are 1 with
	// probability the mean, and else 0.
	Sigma float64
}

// Open returns an error if a field is out of its range.
func (e Arms) Open() (bandit.World, error) {
	if len(e.Means) == 0 {
		return nil, errors.New("environment: Arms: field Means is empty, want a mean for each arm")
	}
	semi := SemiBandit{Matroid: e.Matroid(), Means: e.Means, Sigma: e.Sigma}
	if err := semi.validate(); err != nil {
		return nil, fmt.Errorf("environment: Arms: %w", err)
	}
	start := semi.open()
	return armsWorld{bandit.NewWorld(e.Problem(), func(*rand.Rand) bandit.Instance { return arms{start()} }), e.Sigma}, nil
}

// Problem describes the environment to a learner.
func (e Arms) Problem() bandit.Problem {
	return bandit.Problem{Arms: len(e.Means), Slots: 1, RewardMin: 0, RewardMax: 1}
}

// Best returns the arm with the largest mean, the first if there are several.
func (e Arms) Best() int {
	best := 0
	for a, mean := range e.Means {
		if mean > e.Means[best] {
			best = a
		}
	}
	return best
}

// Optimum returns the largest mean. It is NaN if there are no arms.
func (e Arms) Optimum() float64 {
	if len(e.Means) == 0 {
		return math.NaN()
	}
	return e.Means[e.Best()]
}

// Matroid returns the uniform matroid of rank 1, for a matroid learner that plays here. It is nil
// if there are no arms.
func (e Arms) Matroid() matroid.Matroid {
	m, err := matroid.NewUniform(len(e.Means), 1)
	if err != nil {
		return nil
	}
	return m
}

// armsWorld is Arms, ready.
type armsWorld struct {
	bandit.World
	sigma float64
}

var _ bandit.Summable = armsWorld{}

// CheckSums returns an error unless rewards are Bernoulli: learners clip others one by one.
func (w armsWorld) CheckSums() error {
	if w.sigma > 0 {
		return fmt.Errorf("environment: Arms: field Sigma = %v, want 0, Bernoulli rewards, for sums of them", w.sigma)
	}
	return nil
}

// arms is a trial of Arms.
type arms struct{ *semiBandit }

// PullSums draws the sums of rewards as binomial variables.
func (t arms) PullSums(rewards *rand.Rand, plays []bandit.Plays) {
	for i := range plays {
		plays[i].Sum = float64(draw.Successes(rewards, plays[i].Times, t.means[plays[i].Arm]))
	}
}
