package trust

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// RatingSum is the lesson's mechanism: a sum of ratings in [-1, 1] under Laplace noise of scale
// sensitivity/epsilon. In world 0 a user's rating is -1, in world 1 it is +1: replaced, it moves
// the sum by 2.
func RatingSum(epsilon, sensitivity float64) audit.Mechanism {
	return audit.Mechanism{
		Name: fmt.Sprintf("sum of ratings, sensitivity %g", sensitivity), Claim: privacy.Budget{Epsilon: epsilon}, Exact: 2 * epsilon / sensitivity,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, sensitivity/epsilon)
			out[0] += 2*float64(world) - 1
			return nil
		},
	}
}

// claimAudit: ten audits of each, with a confidence of 99.9%: a false alarm for two of a hundred
// new seeds at most.
func claimAudit(s lab.Scale) (string, error) {
	runs, least := cell.Pick(s, 10_000, 50_000, 100_000), math.Inf(1)
	for seed := range 10 {
		o := audit.Options{Runs: runs, Seed: uint64(seed), Confidence: 0.999}
		for _, sensitivity := range []float64{1, 2} {
			found, err := RatingSum(1, sensitivity).Run(context.Background(), o)
			switch {
			case err != nil:
				return "", err
			case found.Epsilon > found.Exact:
				return "", fmt.Errorf("%s, seed %d: epsilon = %.3f is excluded, %.3g is true", found.Name, seed, found.Epsilon, found.Exact)
			case found.Excluded() != (sensitivity == 1):
				return "", fmt.Errorf("%s, seed %d: the claim is %s", found.Name, seed, found.Verdict())
			case sensitivity == 1:
				least = math.Min(least, found.Epsilon)
			}
		}
	}
	return fmt.Sprintf("10 seeds, %s runs in each world, 99.9%% confidence: the wrong one is caught every time (ε ≥ %.2f at least, claimed 1, true 2), the right one never", cell.Thousands(runs), least), nil
}

// NoisyGreedy plays the arm with the largest noisy sum of rewards. Its plan is that of fresh
// Laplace noise in every round.
type NoisyGreedy struct {
	bandit.Base
	KeepNoise bool // the bug: noise is drawn in the first round only

	horizon  int
	noise    *privacy.Noise
	sum, z   []float64
	selected int
}

const noisyGreedyScale = 5

// Init allocates.
func (g *NoisyGreedy) Init(p bandit.Problem, horizon int) error {
	g.horizon, g.sum, g.z = horizon, make([]float64, p.Arms), make([]float64, p.Arms)
	return nil
}

// Reset forgets everything.
func (g *NoisyGreedy) Reset(_ *rand.Rand, noise rand.Source) {
	g.Clear()
	g.noise, g.selected = privacy.NewNoise(noise), 0
	clear(g.sum)
}

// Select plays the arm with the largest noisy sum.
func (g *NoisyGreedy) Select(_ *bandit.View, dst []int) []int {
	if g.selected++; !g.KeepNoise || g.selected == 1 {
		g.noise.Laplace(g.z, noisyGreedyScale)
	}
	best := 0
	for a, v := range g.sum {
		if v+g.z[a] > g.sum[best]+g.z[best] {
			best = a
		}
	}
	return append(dst, best)
}

// Update adds the reward.
func (g *NoisyGreedy) Update(_ *bandit.View, arms []int, y []float64) { g.sum[arms[0]] += y[0] }

// Plan is that of Laplace noise on each round's sums, up to the horizon, of which a replaced reward
// in [-1, 1] moves one by 2.
func (g *NoisyGreedy) Plan(records int) privacy.Plan {
	p := privacy.Plan{
		Neighbours: privacy.Neighbours{Relation: privacy.Replace, Record: "round's reward", Contributions: 1},
		Asked:      privacy.Budget{Epsilon: 2.0 / noisyGreedyScale * float64(g.horizon)},
		Conditions: []string{"rewards are in [-1, 1]"}, Source: "basic composition (Dwork et al. 2006)",
	}
	law := privacy.LaplaceLaw(len(g.sum), noisyGreedyScale)
	p.Draws = []privacy.Draws{{Law: law, Count: g.selected}} // fresh noise for every arm in every round
	if rounds := min(records, g.horizon); rounds > 0 {
		p.Cases = [][]privacy.Release{{{Laws: []privacy.Law{law}, Sensitivity: privacy.Norms{L1: 2}, Times: rounds}}}
	}
	return p.HeldBy(g)
}

// TryNoisyGreedy simulates it for a hundred rounds.
func TryNoisyGreedy(keepNoise bool) error {
	e := &simulate.Experiment{
		Name: "noisy greedy", Environment: func() bandit.Environment { return &environment.DecisionSets{Dim: 3, Gap: 0.1} },
		Policies: []simulate.Policy{{Name: "noisy greedy", New: func() bandit.Learner { return &NoisyGreedy{KeepNoise: keepNoise} }}},
		Horizon:  100, Trials: 1, Seed: Seed,
	}
	_, err := e.Run(context.Background())
	return err
}

func claimLedger(lab.Scale) (string, error) {
	if err := TryNoisyGreedy(false); err != nil {
		return "", fmt.Errorf("fresh noise: %w", err)
	}
	err := TryNoisyGreedy(true)
	if err == nil {
		return "", fmt.Errorf("noise that is kept between rounds goes unnoticed")
	}
	return err.Error(), nil
}

// claimLineUp attacks the suite's subjects; the sound ones if all broken ones are caught.
func claimLineUp(lab.Scale) (string, error) {
	var r suite.Report
	var err error
	if r.Broken, err = suite.Broken(context.Background(), nil); err != nil {
		return "", err
	}
	if !r.OK() {
		return "", fmt.Errorf("%d of %d broken caught", r.Broken.Excluded(), len(r.Broken.Findings))
	}
	if r.Sound, err = suite.Sound(context.Background(), suite.Quick, nil); err != nil {
		return "", err
	}
	if !r.OK() {
		return "", fmt.Errorf("%s", r.Summary())
	}
	return r.Summary(), nil
}
