package environment

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Arms is the K-armed bandit: each round a learner plays one of K arms and sees its reward, whose
// law does not change.
//
// There are no contexts. Arms equals, draw for draw, the [SemiBandit] on the uniform matroid of
// rank 1, and has its range of rewards, [0, 1].
//
//	env := &environment.Arms{Means: []float64{0.1, 0.6, 0.3}}
type Arms struct {
	// Means has the mean reward of each arm, in [0, 1] for Bernoulli rewards, finite for Gaussian
	// ones.
	Means []float64
	Law   WeightLaw // law of rewards; the zero value is Bernoulli
	Sigma float64   // standard deviation of Gaussian rewards, > 0; 0 for others

	semi SemiBandit
}

var _ bandit.Summable = (*Arms)(nil)

// Matroid returns the uniform matroid of rank 1, for a matroid learner that plays here. It panics
// if there are no arms.
func (e *Arms) Matroid() matroid.Matroid {
	m, err := matroid.NewUniform(len(e.Means), 1)
	if err != nil {
		panic(err)
	}
	return m
}

// Validate returns an error if a field is out of its range.
func (e *Arms) Validate() error {
	if len(e.Means) == 0 {
		return errors.New("environment: Arms: field Means is empty, want a mean for each arm")
	}
	semi := SemiBandit{Matroid: e.Matroid(), Means: e.Means, Law: e.Law, Sigma: e.Sigma}
	if err := semi.validate(); err != nil {
		return fmt.Errorf("environment: Arms: %w", err)
	}
	return nil
}

// Problem describes the environment to a learner.
func (e *Arms) Problem() bandit.Problem {
	return bandit.Problem{Arms: len(e.Means), Slots: 1, RewardMin: 0, RewardMax: 1}
}

// Best returns the arm with the largest mean, the first if there are several.
func (e *Arms) Best() int {
	best := 0
	for a, mean := range e.Means {
		if mean > e.Means[best] {
			best = a
		}
	}
	return best
}

// Optimum returns the largest mean.
func (e *Arms) Optimum() float64 { return e.Means[e.Best()] }

// Reset starts a trial. It draws nothing: the instance is fixed. It panics if Validate fails.
func (e *Arms) Reset(contexts *rand.Rand) {
	if err := e.Validate(); err != nil {
		panic(err)
	}
	e.semi = SemiBandit{Matroid: e.Matroid(), Means: e.Means, Law: e.Law, Sigma: e.Sigma}
	e.semi.Reset(contexts)
}

// Next shows the arms, which have no contexts, to the learner.
func (e *Arms) Next(v *bandit.View) { e.semi.Next(v) }

// Pull draws the reward of the arm played.
func (e *Arms) Pull(rewards *rand.Rand, arms []int, y []float64) { e.semi.Pull(rewards, arms, y) }

// CheckSums returns an error unless rewards are Bernoulli: learners clip others one by one.
func (e *Arms) CheckSums() error {
	if e.Law != BernoulliWeights {
		return fmt.Errorf("environment: Arms: field Law = %v, want Bernoulli for sums of rewards", e.Law)
	}
	return nil
}

// PullSums draws the sums of rewards as binomial variables.
func (e *Arms) PullSums(rewards *rand.Rand, plays []bandit.Plays) {
	for i := range plays {
		plays[i].Sum = float64(random.Successes(rewards, plays[i].Times, e.Means[plays[i].Arm]))
	}
}

// Regret returns the largest mean minus the mean of the arm played. It panics unless exactly one
// arm is played.
func (e *Arms) Regret(arms []int) float64 { return e.semi.Regret(arms) }
