package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SparseJDP is a linear bandit of which few coordinates matter. It plays random arms until the
// first release, and then the arm with the largest <x, theta~>, with ties to the lowest index.
//
// theta~ is the ridge regression on the support that the last episode released. There is no
// confidence width: fresh contexts explore by themselves. The learner is jointly differentially
// private over episodes.SparseEpisodes with a finite budget. It is a sound form of
// PrivateThresholdedLASSO (Shukla, arXiv:2402.03737), whose privacy does not hold as printed. It
// never releases a LASSO solution, which one record may change completely.
//
// Selection by scores assumes that coordinates are weakly correlated: one that does not matter, but
// is correlated with one that does, scores high. Where episodes refine, as in [SparseJDP.Private],
// later picks are scored by what the estimate leaves unexplained, and first ones that were wrong
// are dropped: contexts may be correlated.
//
// A round costs O(K k) for k coordinates, a look at all contexts, and a draw of the policy's
// stream.
type SparseJDP struct {
	Estimate episodes.SparseEstimate
}

// sparseJDP is the rule of SparseJDP.
type sparseJDP struct {
	coordinates
	estimate episodes.SparseEstimate
	rng      *rand.Rand
	theta    []float64
	hidden   int // episodes whose estimate its noise hides
}

var _ learner.Policy[episodes.SparseGram] = SparseJDP{}

// Private returns SparseJDP for a theta of the given sparsity, with episodes that refine the
// estimate before them.
//
// The first episode picks half of the coordinates, with most of its budget: it is as long as these
// take to stand out, and its random arms cost the most regret of all. Each later episode picks a
// few more from what the estimate leaves unexplained, with less of its budget, and regresses that
// on all of them: residuals shrink, and with them the bound at which they are clipped and the
// noise.
//
// The constants were tuned on 8 arms in 300 dimensions, of which 6 matter, and noise of standard
// deviation 0.4, for normal contexts of variance 1, a theta of length 1 and epsilon from 0.5 to 10.
// Scale contexts and rewards to that. Epsilon = +Inf returns the same without noise.
func (l SparseJDP) Private(b privacy.Budget, sparsity int) learner.Private[episodes.SparseGram] {
	estimate := episodes.SparseEstimate{Ridge: 0.5, Keep: sparsity}
	norm := 0.9 * math.Sqrt(float64(sparsity))
	half := (sparsity + 1) / 2
	l.Estimate = estimate
	return learner.New(l, episodes.SparseEpisodes{
		Budget:   b,
		Refine:   true,
		Estimate: estimate,
		Lengths:  episodes.Growing{Signal: 0.45, Factor: 1.3},
		Phases: []episodes.Phase{
			{Picks: half, Share: 0.8, Norm: norm, Reward: 1.5},
			{Picks: half, Share: 0.6, Norm: norm, Reward: 1.2},
			{Picks: min(2, half), Share: 0.4, Norm: norm, Reward: 0.8},
			{Picks: min(2, half), Share: 0.3, Norm: norm, Reward: 0.6},
			{Picks: min(2, half), Share: 0.2, Norm: norm, Reward: 0.4},
		},
	})
}

// Tuned returns SparseJDP with one tuned recipe for forgetful episodes: selection by
// signs, of 6 parts in 10 of the budget, exact accounting, a first episode as long as its noise
// demands, and a second solve on the largest coordinates.
func (l SparseJDP) Tuned(b privacy.Budget, sparsity int) learner.Private[episodes.SparseGram] {
	l.Estimate = episodes.SparseEstimate{Keep: sparsity, Again: true}
	return learner.New(l, episodes.SparseEpisodes{
		Budget:  b,
		Lengths: episodes.Growing{Noise: 4.5},
		Phases: []episodes.Phase{{
			Picks: sparsity + 2, Share: 0.6, Scores: episodes.Signs{Y: 1}, Norm: 2.4, Reward: 1.5,
		}},
	})
}

// Plain returns SparseJDP as it is easiest to prove: selection by correlations, of 3 parts
// in 10 of a zCDP budget, and episodes of 32, 64, ... rounds.
func (l SparseJDP) Plain(b privacy.Budget, sparsity int) learner.Private[episodes.SparseGram] {
	k := 2 * sparsity
	return learner.New(l, episodes.SparseEpisodes{
		Budget: b, Concentrated: true,
		Phases: []episodes.Phase{{
			Picks: k, Share: 0.3, Scores: episodes.Correlations{X: 2, Y: 1.5},
			Norm: 1.2 * math.Sqrt(float64(k)), Reward: 1.5, Scale: 1,
		}},
	})
}

// Prepare validates. Random arms are drawn from the rule's own stream.
func (l SparseJDP) Prepare(p bandit.Problem, horizon int, _ *episodes.SparseGram) (learner.Prepared[episodes.SparseGram], error) {
	if err := l.Estimate.Validate(); err != nil {
		return nil, err
	}
	if err := checkCoordinates("SparseJDP", p, horizon); err != nil {
		return nil, err
	}
	if l.Estimate.Keep > p.Dim {
		return nil, fmt.Errorf("learner: SparseJDP.Estimate.Keep = %d, want <= Problem.Dim = %d", l.Estimate.Keep, p.Dim)
	}
	return learner.Begins[episodes.SparseGram](func(own *rand.Rand) learner.Rule[episodes.SparseGram] {
		return &sparseJDP{coordinates: coordinates{problem: p}, estimate: l.Estimate, rng: own}
	}), nil
}

// Learn computes theta~ from a release. The broadcast lists the coordinates that are not 0, each as
// its index and its value; it is empty before the first release, and if no coordinate is kept.
func (l *sparseJDP) Learn(r *episodes.SparseGram) ([]float64, error) {
	if r.Episode == 0 {
		l.broadcast = l.broadcast[:0]
		return l.broadcast, nil
	}
	if err := l.checkDim(r.Dim); err != nil {
		return nil, err
	}
	l.theta = l.estimate.Solve(r, l.theta)
	told, err := l.tell(r.Support, l.theta)
	if err != nil {
		return nil, err
	}
	var square float64
	for _, v := range l.theta {
		square += float64(v * v)
	}
	if k := float64(len(told) / 2); math.Sqrt(square)*float64(r.Records) < r.CrossNoise*math.Sqrt(k) {
		l.hidden++
	}
	return told, nil
}

// Act appends the arm with the largest estimate, or a random arm if the broadcast is empty.
func (l *sparseJDP) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	arm, err := bestArm(broadcast, v)
	if err != nil {
		return dst, err
	}
	// Drawn in each round, so that the stream does not depend on what is broadcast.
	if random := l.rng.IntN(v.Arms); len(broadcast) == 0 {
		arm = random
	}
	return append(dst, arm), nil
}

// Explain appends the estimates <x, theta>, once there are any.
func (l *sparseJDP) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if len(broadcast) == 0 {
		return checks.Unguided(v.Arms, dst), nil
	}
	return l.coordinates.Explain(broadcast, v, dst)
}

// Warnings reports episodes whose signal is less than their noise.
func (l *sparseJDP) Warnings() []bandit.Warning {
	if l.hidden == 0 {
		return nil
	}
	return []bandit.Warning{{What: "episodes whose noise exceeds the estimate's signal, a signal-to-noise ratio below 1", Count: l.hidden}}
}
