package jdp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The policies of Seldom, beside BLTSound and UnboundedSound: BLT between releases, and releases
// after the rows have grown by an eighth.
const (
	SeldomSound  = "Seldom Sound"
	SeldomEighth = "Seldom Sound, η = 1/8"
)

// seldomSums are the sums of the policies of Seldom, by name.
var seldomSums = map[string]privacy.Accumulator{
	BLTSound:       continual.BLT{Budget: Budget},
	UnboundedSound: continual.Unbounded{Budget: Budget},
	SeldomSound:    continual.Seldom{Budget: Budget},
	SeldomEighth:   continual.Seldom{Budget: Budget, Growth: 1. / 8},
}

// seldomPolicies lists them.
var seldomPolicies = []string{BLTSound, UnboundedSound, SeldomSound, SeldomEighth}

// Seldom compares ways to release sums seldom where the horizon is known, in the setting of
// Experiment 2, with the trial-by-trial differences to Unbounded. What is looked for is a few
// percent: there are four times as many trials as elsewhere.
func Seldom(s cell.Scale, gap float64) *simulate.Experiment {
	horizon := UnboundedHorizons[0]
	e := &simulate.Experiment{
		Name: fmt.Sprintf("jdp-seldom-gap%g", gap), Environment: environment.DecisionSets{Dim: dimension, Gap: gap}, Seed: Seed + 5,
		Horizon: horizon, Rounds: cell.Pick(s, 10_000, 30_000, horizon), Trials: cell.Pick(s, 4, 8, 64),
	}
	e.Grid = simulate.LogGrid(e.Rounds, 30)
	for _, name := range seldomPolicies {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: learner.New(linear.UCB{OptimalShift: true}, seldomSums[name])})
		if name != UnboundedSound {
			e.Pairs = append(e.Pairs, [2]string{name, UnboundedSound})
		}
	}
	return e
}

func experimentsSeldom(s cell.Scale) []*simulate.Experiment {
	return []*simulate.Experiment{Seldom(s, Gaps[0]), Seldom(s, Gaps[1])}
}

// largest returns the largest standard deviation of a release of sums, in units of sensitivity/mu.
func largest(sums privacy.Accumulator) float64 {
	s := rows
	s.Horizon = UnboundedHorizons[0]
	return check.Try(sums.Open(s)).(interface{ MaxSD() float64 }).MaxSD()
}

func reportSeldom(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "sums", "largest sd", "J", "regret", "SE", "minus Unbounded's", "95% interval", "trials")
	t.Align = "llrrrrrrr"
	for i, gap := range Gaps {
		for _, name := range seldomPolicies {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			less, interval := less(tables[i], name, UnboundedSound)
			sums := seldomSums[name]
			t.Add(gap, label(name), fmt.Sprintf("%.2f", largest(sums)), cell.Thousands(int(foreseen(sums, dimension, UnboundedHorizons[0]))),
				fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), less, interval, c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret after n = %s rounds, ε = %g and δ = %g asked for, all with the shift that minimises the regret bound. The largest standard deviation of a release is in units of sensitivity/μ; J is that of the text, with the shift of twice the noise's bound, d = %d. η is 1/4 where nothing is said. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), Budget.Epsilon, Budget.Delta, dimension, tables[0].Provenance.Seed)
	return t, nil
}

// claimSeldom checks the noise and J of the table and, in the committed tables, that less of both
// has not made for less regret than Unbounded's, beyond three standard errors.
func claimSeldom(cell.Scale) (string, error) {
	var evidence []string
	least := foreseen(seldomSums[SeldomSound], dimension, UnboundedHorizons[0])
	for _, name := range seldomPolicies {
		j := foreseen(seldomSums[name], dimension, UnboundedHorizons[0])
		check.That(j >= least, "J is %.5g over %s, and %.5g over %s", j, name, least, SeldomSound)
		evidence = append(evidence, fmt.Sprintf("%s: J %.5g, largest sd %.3f", name, j, largest(seldomSums[name])))
	}
	check.That(least < 0.96*foreseen(seldomSums[UnboundedSound], dimension, UnboundedHorizons[0]), "J is %.5g over %s, hardly less than over Unbounded", least, SeldomSound)
	check.That(largest(seldomSums[SeldomSound]) < 0.93*largest(seldomSums[UnboundedSound]), "the noise of %s is not less than Unbounded's", SeldomSound)
	for _, gap := range Gaps {
		table := check.Try(results.Table(Seldom(cell.Paper, gap).Name))
		_, mean, se := check.Try(table.Curve(SeldomSound + " - " + UnboundedSound)).Last()
		check.That(math.Abs(mean) < 3*se, "gap %v: %s less Unbounded is %.0f ± %.0f", gap, SeldomSound, mean, se)
		evidence = append(evidence, fmt.Sprintf("gap %v: Seldom less Unbounded %.0f ± %.0f", gap, mean, se))
	}
	return strings.Join(evidence, "; "), nil
}
