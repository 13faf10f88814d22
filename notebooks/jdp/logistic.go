package jdp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Logistic rewards: the first table of Sarmasarkar 2026 (arXiv:2602.00417), |theta| = 2.5.

// LogisticRounds, LogisticNorm and LogisticDelta are those of that table.
const (
	LogisticRounds = 10_000
	LogisticNorm   = 2.5
	LogisticDelta  = 0.02
)

// LogisticEpsilons are its budgets.
var LogisticEpsilons = []float64{4, 8}

// LogisticPrinted is a row of the table: what is printed, and the mean of so many trials of the
// same program on its own instance, run again.
type LogisticPrinted struct {
	Program string
	Epsilon float64 // 0: not private
	Regret  float64
	Again   Published
	Trials  int
}

// LogisticTable are its rows.
var LogisticTable = []LogisticPrinted{}

// LogisticPolicy names one of ours: a model, over BLT, at an epsilon; 0 means not private.
func LogisticPolicy(model string, epsilon float64) string {
	if epsilon == 0 {
		return model + ", not private"
	}
	return fmt.Sprintf("%s, ε = %g", model, epsilon)
}

// LogisticModels are the models: theirs, and the linear one, which is wrong here.
var LogisticModels = []string{"logistic UCB", "LinUCB"}

// logisticLearner returns the learner of that name. Widths are one for all budgets.
func logisticLearner(model string, epsilon float64) bandit.Learner {
	var sums privacy.Accumulator = continual.Exact{}
	if epsilon > 0 {
		sums = continual.BLT{Budget: privacy.Budget{Epsilon: epsilon, Delta: LogisticDelta}}
	}
	if model == LogisticModels[0] {
		return learner.New(linear.Logistic{ThetaNorm: LogisticNorm}, sums)
	}
	return learner.New(linear.UCB{}, sums)
}

// Logistic races ours in the game of the table.
func Logistic(s cell.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 1_000, LogisticRounds, LogisticRounds)
	e := &simulate.Experiment{
		Name: "jdp-logistic", Environment: environment.Logistic{Norm: LogisticNorm}, Horizon: rounds,
		Trials: cell.Pick(s, 2, 8, 200), Seed: Seed, Grid: simulate.LinearGrid(rounds, 40),
		Fingerprint: fmt.Sprintf("d 3, K 20, |theta| %g, delta %g, alpha 1/n", LogisticNorm, LogisticDelta),
	}
	for _, model := range LogisticModels {
		for _, epsilon := range append([]float64{0}, LogisticEpsilons...) {
			e.Policies = append(e.Policies, simulate.Policy{Name: LogisticPolicy(model, epsilon), Learner: logisticLearner(model, epsilon)})
		}
	}
	return e
}

func experimentsLogistic(s cell.Scale) []*simulate.Experiment {
	return []*simulate.Experiment{Logistic(s)}
}

// reportLogistic puts the table's rows beside ours.
func reportLogistic(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("learner", "ε", "claim", "printed", "run again", "trials")
	t.Align = "lrlrrr"
	privacyOf := func(epsilon float64) string {
		if epsilon == 0 {
			return "–"
		}
		return fmt.Sprint(epsilon)
	}
	for _, r := range LogisticTable {
		claim := "–"
		if r.Epsilon > 0 {
			claim = "excluded"
		}
		t.Add(r.Program, privacyOf(r.Epsilon), claim, fmt.Sprintf("%.2f", r.Regret), fmt.Sprintf("%.1f ± %.1f", r.Again.Mean, r.Again.SE), r.Trials)
	}
	for _, model := range LogisticModels {
		for _, epsilon := range append([]float64{0}, LogisticEpsilons...) {
			c := check.Try(tables[0].Curve(LogisticPolicy(model, epsilon)))
			_, mean, se := c.Last()
			claim := "–"
			if epsilon > 0 {
				of := check.Try(learner.ClaimOf(logisticLearner(model, epsilon), environment.Logistic{}.Problem(), LogisticRounds))
				claim = "proved"
				check.That(math.Abs(of.Epsilon()/epsilon-1) < 1e-6, "%s claims %v, want %v", c.Policy, of.Epsilon(), epsilon)
			}
			t.Add(model+" (ours)", privacyOf(epsilon), claim, "–", fmt.Sprintf("%.1f ± %.1f", mean, se), c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Logistic rewards, |θ| = %g, K = 20 contexts uniform in the ball of d = 3, δ = %g: regret after %d rounds, ± its standard error. "+
		"Printed: Sarmasarkar 2026; run again: the same program, and our learners, over BLT; seed %d",
		LogisticNorm, LogisticDelta, tables[0].Provenance.Rounds, tables[0].Provenance.Seed)
	return t, nil
}
