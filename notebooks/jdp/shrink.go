package jdp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// shrinkWorlds are the settings of Shrink: arms that stay, with and without a gap, and fresh ones.
var shrinkWorlds = []shiftWorld{
	{"fixed-gap0", environment.DecisionSets{Dim: 5, Arms: 25, Fixed: true}, shiftSums},
	{"fixed-gap0.1", environment.DecisionSets{Dim: 5, Arms: 25, Gap: 0.1, Fixed: true}, shiftSums},
	{"gap0.1", environment.DecisionSets{Dim: 5, Arms: 25, Gap: 0.1}, shiftSums},
}

// shrinking names a policy of Shrink whose width shrinks.
func shrinking(sums string) string { return sums + ", β shrinks" }

// Shrink compares LinUCB with the width of Proposition 4 and with the one that shrinks as the data
// outgrow noise and shift, with the trial-by-trial differences.
func Shrink(s cell.Scale, world shiftWorld) *simulate.Experiment {
	e := world.race(s, "jdp-shrink-", Seed+7)
	for _, name := range world.sums {
		e.Policies = append(e.Policies,
			simulate.Policy{Name: name, Learner: learner.New(linear.UCB{OptimalShift: true}, seldomSums[name])},
			simulate.Policy{Name: shrinking(name), Learner: learner.New(linear.UCB{OptimalShift: true, Shrink: true}, seldomSums[name])})
		e.Pairs = append(e.Pairs, [2]string{shrinking(name), name})
	}
	return e
}

func experimentsShrink(s cell.Scale) (list []*simulate.Experiment) {
	for _, world := range shrinkWorlds {
		list = append(list, Shrink(s, world))
	}
	return list
}

func reportShrink(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("arms", "gap", "sums", "regret", "SE", "with a shrinking β", "SE ", "minus", "95% interval", "of the regret", "trials")
	t.Align = "lrlrrrrrrrr"
	for i, world := range shrinkWorlds {
		for _, name := range world.sums {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			_, shrunk, shrunkSE := check.Try(tables[i].Curve(shrinking(name))).Last()
			less, interval := less(tables[i], shrinking(name), name)
			t.Add(world.arms(), world.env.Gap, label(name), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se),
				fmt.Sprintf("%.0f", shrunk), fmt.Sprintf("%.0f", shrunkSE), less, interval, fmt.Sprintf("%.0f%%", 100*shrunk/mean), c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret after n = %s rounds with the width of Proposition 4, and with one that shrinks as the data outgrow noise and shift; d = 5, 25 arms, ε = 1 and δ = 0.1 asked for in every row, all with the shift that minimises Theorem 5. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), tables[0].Provenance.Seed)
	return t, nil
}

// claimShrink plays a run on fresh arms, in which theta must be in every confidence set, and
// compares the committed tables.
func claimShrink(s cell.Scale) (string, error) {
	rounds := cell.Pick(s, 5_000, 30_000, 1<<17)
	l := learner.New(linear.UCB{OptimalShift: true, Shrink: true}, seldomSums[BLTSound])
	env := shrinkWorlds[2].env
	trial := check.Try(env.Open()).Start(random.New(Seed, 0, "contexts"))
	run := check.Try(l.Open(env.Problem(), rounds)).Start(random.New(Seed, 0, "own"), random.Source(Seed, 0, "noise"))
	rewards := random.New(Seed, 0, "rewards")
	var v bandit.View
	arms, y, worst, first, last := []int{}, []float64{0}, 0.0, 0.0, 0.0
	for round := range rounds {
		trial.Next(&v)
		arms = check.Try(run.Select(&v, arms[:0]))
		worst = math.Max(worst, check.Try(ruleOf(run).Distance(environment.Theta(trial))))
		if _, last = ruleOf(run).Confidence(); round == 0 {
			first = last
		}
		trial.Pull(rewards, arms, y)
		check.OK(run.Update(&v, arms, y))
	}
	check.That(worst <= 1, "theta left the confidence set: |theta - centre|_V = %.3f beta", worst)
	check.That(last < first, "beta is %.1f at first and %.1f at last", first, last)
	evidence := []string{fmt.Sprintf("θ is within %.2f β of the centre in %d rounds; β falls from %.1f to %.1f", worst, rounds, first, last)}
	for _, world := range shrinkWorlds {
		table := lab.MustTable("jdp-shrink-" + world.name)
		for _, name := range world.sums {
			_, mean, se := check.Try(table.Curve(shrinking(name) + " - " + name)).Last()
			check.That(!world.env.Fixed || mean < -3*se, "%s, %s: with a shrinking width %.0f ± %.0f", world.name, name, mean, se)
			check.That(mean < 3*se, "%s, %s: with a shrinking width %.0f ± %.0f", world.name, name, mean, se)
			evidence = append(evidence, fmt.Sprintf("%s, %s: %+.0f ± %.0f", world.name, name, mean, se))
		}
	}
	return strings.Join(evidence, "; "), nil
}
