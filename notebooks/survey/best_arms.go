package survey

import (
	"fmt"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// bestArmDelta is the probability with which a learner may name another arm.
const bestArmDelta = 0.01

// bestArmInstances are those of the figure of Jourdan and Azize 2025. The first arm is the best.
var bestArmInstances = []instance{
	{"mu1", []float64{0.95, 0.9, 0.9, 0.9, 0.5}},
	{"mu2", []float64{0.75, 0.7, 0.7, 0.7, 0.7}},
}

// bestArmTitles name the instances in a figure.
var bestArmTitles = []string{"A", "B"}

// bestArmEpsilons are the budgets. At the smaller one noise decides, at the larger one chance.
var bestArmEpsilons = []float64{0.02, 1}

// bestArmLearners find the best arm. The last one is played at the largest epsilon alone.
var bestArmLearners = []struct {
	name string
	of   func(epsilon float64) learner.Private[privacy.Means]
}{
	{"TopTwo", func(epsilon float64) learner.Private[privacy.Means] {
		return arms.TopTwo{}.Private(epsilon, bestArmDelta)
	}},
	{"AdaP-TT", func(epsilon float64) learner.Private[privacy.Means] {
		return arms.AdaPTT{}.Private(epsilon, bestArmDelta)
	}},
	{"AdaP-TT, as run", func(epsilon float64) learner.Private[privacy.Means] {
		l := arms.AdaPTT{}.Private(epsilon, bestArmDelta)
		l.Policy = arms.AdaPTT{Delta: bestArmDelta, AsRun: true}
		return l
	}},
	{"TopTwo, local", func(epsilon float64) learner.Private[privacy.Means] {
		return arms.TopTwo{}.Local(epsilon, bestArmDelta)
	}},
}

// verdict plays until a learner names the best arm. The streams are those of simulate.Play.
func verdict(of bandit.Learner, means []float64, seed uint64) (rounds float64, wrong bool) {
	world := check.Try(bandit.OpenWorld(environment.Arms{Means: means}))
	trial, rewards := world.Start(random.New(seed, 0, "contexts")), random.New(seed, 0, "rewards")
	run := check.Try(of.Open(world.Problem(), 1<<40)).Start(random.New(seed, 0, "learner/"), random.Source(seed, 0, "noise/"))
	rule := run.(meansRun).Rule().(interface {
		Stopped() (int, bool)
		Recommend() int
	})
	var v bandit.View
	var played []int
	for y := make([]float64, 1); ; {
		trial.Next(&v)
		played = check.Try(run.Select(&v, played[:0]))
		trial.Pull(rewards, played, y)
		check.OK(run.Update(&v, played, y))
		if round, ok := rule.Stopped(); ok {
			return float64(round), rule.Recommend() != 0
		}
	}
}

// bestArmName names a study.
func bestArmName(on instance, epsilon float64) string {
	return fmt.Sprintf("survey-best-arm-%s-eps%g", on.name, epsilon)
}

func bestArms(s cell.Scale) (all []*lab.Study) {
	for _, on := range bestArmInstances {
		for i, epsilon := range bestArmEpsilons {
			played := bestArmLearners[:len(bestArmLearners)-1+i]
			study := &lab.Study{
				Name: bestArmName(on, epsilon), Seed: 2510, Trials: cell.Pick(s, 1, 4, 100), Rounds: 1,
				Trial: func(trial int) (values []float64) {
					for _, l := range played {
						rounds, wrong := verdict(l.of(epsilon), on.means, uint64(2510_000+trial))
						values = append(values, rounds, map[bool]float64{true: 1}[wrong])
					}
					return values
				},
			}
			for _, l := range played {
				study.What = append(study.What, l.name, l.name+": wrong")
			}
			all = append(all, study)
		}
	}
	return all
}

// bestArmReport lays rounds beside the lower bound.
func bestArmReport(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("means", "ε", "learner", "rounds", "SE", "times the bound", "SE", "wrong", "trials")
	t.Align = "lrlrrrrrr"
	for k, table := range tables {
		on, epsilon := bestArmInstances[k/len(bestArmEpsilons)], bestArmEpsilons[k%len(bestArmEpsilons)]
		bound := arms.BestArmBound(epsilon, on.means, bestArmDelta)
		for i := 0; i < len(table.Curves); i += 2 {
			rounds, wrong := table.Curves[i], table.Curves[i+1]
			t.Add(fmt.Sprint(on.means), epsilon, rounds.Policy, fmt.Sprintf("%.0f", rounds.Mean[0]), fmt.Sprintf("%.0f", rounds.SE[0]),
				fmt.Sprintf("%.2f", rounds.Mean[0]/bound), fmt.Sprintf("%.2f", rounds.SE[0]/bound), fmt.Sprintf("%g", wrong.Mean[0]), rounds.Trials)
		}
	}
	t.Caption = fmt.Sprintf("When a learner names the best arm, wrong with probability %g at most. "+
		"As run: by the threshold of the authors' program, which is not proved. Local: no curator is trusted; its bound is not this one", bestArmDelta)
	return t, nil
}
