package jdp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Logistic rewards: the game and the first table of Sarmasarkar (2026, arXiv:2602.00417).

// The setting of that table.
const (
	logisticRounds = 10_000
	logisticNorm   = 2.5 // S, and |theta|
	logisticDelta  = 0.02
	logisticBatch  = 200 // of the shuffled learners: the best of 50, 100, 200, 500 and 1000
)

// logisticEpsilons are its budgets. 0 is not private.
var logisticEpsilons = []float64{0, 4, 8}

// logisticPrinted is a row of the published program: what its table prints, if that has the row,
// and the mean of ten trials, run again.
type logisticPrinted struct {
	program string
	epsilon float64
	regret  float64 // 0: not printed
	again   Published
}

// logisticTable is the table of regret_table_output.txt in the repository
// github.com/Sahasrajit123/Shuffle_joint_dp_generalized_linear_contextual_bandits, run again at its
// first commit, ab8fd16, with numpy 2.4 and scipy 1.17. What has no noise comes to the printed
// digits, so that the table is of that commit; noise has no seed there. A later commit repairs the
// tree and the accountant, and leaves the table as it is. Copied has one line of rs_glinucb.py
// changed, prev_H = curr_H.copy(), and the last row has lmbda = 102.35, too.
var logisticTable = []logisticPrinted{
	{"ECOLog", 0, 359.34, Published{359.340, 28.1}},
	{"GLOC", 0, 545.43, Published{545.428, 2.6}},
	{"RS-GLinUCB", 0, 734.14, Published{734.145, 184.1}},
	{"Private-GLM", 4, 454.06, Published{453.700, 5.6}},
	{"Private-GLM", 6, 311.79, Published{312.106, 15.0}},
	{"Private-GLM", 8, 307.13, Published{317.519, 15.0}},
	{"RS-GLinUCB, copied", 0, 0, Published{395.007, 23.9}},
	{"RS-GLinUCB, copied, ridge 102", 0, 0, Published{375.053, 1.7}},
}

// logisticModel is a learner of ours: its policy reads sums from BLT, or from a shuffler.
type logisticModel struct {
	name     string
	policy   learner.Policy[privacy.Sums]
	shuffled bool
}

// logisticModels are ours, by name: the logistic model with the width that LinUCB has for its rows,
// and with a quarter of it, and the linear model, which is wrong here.
var logisticModels = []logisticModel{
	{"logistic UCB", linear.Logistic{ThetaNorm: logisticNorm}, false},
	{"logistic UCB, β/4", linear.Logistic{ThetaNorm: logisticNorm, Width: 0.25}, false},
	{"LinUCB", linear.UCB{}, false},
	{"logistic UCB, shuffled", linear.Logistic{ThetaNorm: logisticNorm}, true},
	{"logistic UCB, shuffled, β/4", linear.Logistic{ThetaNorm: logisticNorm, Width: 0.25}, true},
}

// playedAt returns the budgets at which a model is played. A shuffler is for privacy alone.
func (m logisticModel) playedAt() []float64 {
	if m.shuffled {
		return logisticEpsilons[1:]
	}
	return logisticEpsilons
}

// logisticName names a model at a budget.
func logisticName(model string, epsilon float64) string {
	if epsilon == 0 {
		return model + ", not private"
	}
	return fmt.Sprintf("%s, ε = %g", model, epsilon)
}

// playing returns a model's learner at a budget.
func (m logisticModel) playing(epsilon float64) bandit.Learner {
	budget := privacy.Budget{Epsilon: epsilon, Delta: logisticDelta}
	switch {
	case epsilon == 0:
		return learner.New(m.policy, nil)
	case m.shuffled:
		return local.VectorSum{Budget: budget, Batch: logisticBatch}.Logistic(m.policy.(linear.Logistic))
	}
	return learner.New[privacy.Sums](m.policy, continual.BLT{Budget: budget})
}

// Logistic races our models in the game of the table.
func Logistic(s cell.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, logisticRounds, logisticRounds)
	e := &simulate.Experiment{
		Name: "jdp-logistic", Environment: environment.Logistic{Norm: logisticNorm}, Horizon: rounds,
		Trials: cell.Pick(s, 4, 10, 200), Seed: Seed, Grid: simulate.LinearGrid(rounds, 40),
		Fingerprint: fmt.Sprintf("d 3, K 20, |theta| %g, delta %g, alpha 1/n", logisticNorm, logisticDelta),
	}
	for _, m := range logisticModels {
		for _, epsilon := range m.playedAt() {
			e.Policies = append(e.Policies, simulate.Policy{Name: logisticName(m.name, epsilon), Learner: m.playing(epsilon)})
		}
	}
	return e
}

func experimentsLogistic(s cell.Scale) []*simulate.Experiment {
	return []*simulate.Experiment{Logistic(s)}
}

// reportLogistic puts the published program beside ours.
func reportLogistic(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("learner", "ε", "claim", "printed", "regret in runs", "trials")
	t.Align = "lrlrrr"
	of := func(epsilon float64) string {
		if epsilon == 0 {
			return "–"
		}
		return fmt.Sprint(epsilon)
	}
	for _, r := range logisticTable {
		printed := "–"
		if r.regret > 0 {
			printed = fmt.Sprintf("%.2f", r.regret)
		}
		t.Add(r.program, of(r.epsilon), map[bool]string{true: "does not hold", false: "–"}[r.epsilon > 0],
			printed, fmt.Sprintf("%.2f ± %.1f", r.again.Mean, r.again.SE), 10)
	}
	for _, m := range logisticModels {
		for _, epsilon := range m.playedAt() {
			_, mean, se := check.Try(tables[0].Curve(logisticName(m.name, epsilon))).Last()
			claim := "–"
			if epsilon > 0 {
				proved := check.Try(learner.ClaimOf(m.playing(epsilon), environment.Logistic{}.Problem(), logisticRounds))
				claim = fmt.Sprintf("ε = %.4g proved", proved.Epsilon())
			}
			t.Add("ours: "+m.name, of(epsilon), claim, "–", fmt.Sprintf("%.2f ± %.1f", mean, se), tables[0].Curves[0].Trials)
		}
	}
	t.Caption = fmt.Sprintf("Logistic rewards, |θ| = S = %g, K = 20 contexts uniform in the ball of d = 3, δ = %g: regret after %d rounds ± its standard error. "+
		"Printed: the first table of Sarmasarkar 2026, of ten trials; beside it the same program, run again. Ours are over BLT, or over vector sums of batches of %d that a shuffler mixes; seed %d",
		logisticNorm, logisticDelta, tables[0].Provenance.Rounds, logisticBatch, tables[0].Provenance.Seed)
	return t, nil
}

// FigureLogistic draws the regret of our models, and of the published program, with a bar for each
// budget.
func FigureLogistic() *charts.Figure {
	t := lab.MustTable("jdp-logistic")
	f := &charts.Figure{
		Title: "Logistic rewards", Scale: committed + "jdp-logistic.csv",
		X: charts.Axis{Name: "learner (published: the program of the paper)"}, Y: charts.Axis{Name: "cumulative regret"},
	}
	for _, epsilon := range logisticEpsilons {
		s := charts.Series{Kind: charts.Bar, Name: "not private"}
		if epsilon > 0 {
			s.Name = fmt.Sprintf("ε = %g", epsilon)
		}
		bar := func(at int, mean, half float64) {
			with(&s, at, mean, mean-half, mean+half)
			f.Alt += fmt.Sprintf(" %s %.0f,", f.X.Categories[at], mean)
		}
		f.Alt += s.Name + ":"
		f.X.Categories = []string{"published"}
		for _, r := range logisticTable {
			if epsilon > 0 && r.epsilon == epsilon {
				bar(0, r.again.Mean, 2*r.again.SE)
			}
		}
		for i, m := range logisticModels {
			f.X.Categories = append(f.X.Categories, strings.NewReplacer("logistic UCB, s", "s", " UCB, ", ", ").Replace(m.name))
			if slices.Contains(m.playedAt(), epsilon) {
				c := check.Try(t.Curve(logisticName(m.name, epsilon)))
				_, mean, se := c.Last()
				bar(i+1, mean, c.Student95()*se)
			}
		}
		f.Alt = strings.TrimSuffix(f.Alt, ",") + ". "
		f.Series = append(f.Series, s)
	}
	f.Caption = fmt.Sprintf("Regret after %s rounds, |θ| = %g, K = 20, d = 3, δ = %g. Ours: %d trials, seed %d, with 95%% intervals; the published program, run again: 10 trials, with two standard errors. That program's privacy claim does not hold",
		cell.Thousands(t.Provenance.Rounds), logisticNorm, logisticDelta, t.Curves[0].Trials, t.Provenance.Seed)
	return f
}

// claimLogistic reads the committed table, and plays some trials of another seed.
func claimLogistic(cell.Scale) (string, error) {
	table := lab.MustTable("jdp-logistic")
	e := Logistic(cell.Lecture)
	e.Policies, e.Seed = e.Policies[:3], Seed+1
	fresh := lab.Tables([]*simulate.Result{check.Try(e.Run(context.Background()))})[0]
	var evidence string
	for _, epsilon := range logisticEpsilons {
		name := logisticName(logisticModels[0].name, epsilon)
		_, mean, se := check.Try(table.Curve(name)).Last()
		_, again, _ := check.Try(fresh.Curve(name)).Last()
		// five standard errors by the scatter of the committed trials, which one seed of 2e6 exceeds
		apart := math.Sqrt(1 + float64(table.Curves[0].Trials)/float64(e.Trials))
		check.That(math.Abs(again-mean) <= 5*se*apart, "%s: regret %.4g, committed %.4g ± %.2g", name, again, mean, se)
		if epsilon > 0 {
			proved := check.Try(learner.ClaimOf(logisticModels[0].playing(epsilon), e.Environment.(environment.Logistic).Problem(), logisticRounds))
			check.That(math.Abs(proved.Epsilon()/epsilon-1) <= 1e-6, "%s claims %v", name, proved.Epsilon())
		}
		for _, r := range logisticTable {
			if r.epsilon == epsilon && r.regret > 0 {
				check.That(mean+3*se <= 0.6*r.regret, "%s: regret %.4g ± %.2g, %s prints %v", name, mean, se, r.program, r.regret)
				check.That(math.Abs(r.again.Mean-r.regret) <= 3*r.again.SE, "%s prints %v, and has %.4g ± %.2g again", r.program, r.regret, r.again.Mean, r.again.SE)
				evidence += fmt.Sprintf("%s: printed %.2f, run again %.2f ± %.1f, ours %.1f ± %.1f; ", r.program, r.regret, r.again.Mean, r.again.SE, mean, se)
			}
		}
	}
	shuffled := logisticModels[3]
	for _, epsilon := range shuffled.playedAt() {
		_, mean, se := check.Try(table.Curve(logisticName(shuffled.name, epsilon))).Last()
		_, joint, _ := check.Try(table.Curve(logisticName(logisticModels[0].name, epsilon))).Last()
		proved := check.Try(learner.ClaimOf(shuffled.playing(epsilon), e.Environment.(environment.Logistic).Problem(), logisticRounds))
		check.That(proved.Model() == privacy.Shuffled && proved.Epsilon() <= epsilon, "%s claims %v", shuffled.name, proved.Epsilon())
		check.That(mean-3*se > joint && mean < 3*joint, "shuffled at ε = %g: regret %.4g ± %.2g, over BLT %.4g", epsilon, mean, se, joint)
		evidence += fmt.Sprintf("shuffled at ε = %g: %.1f ± %.1f; ", epsilon, mean, se)
	}
	return evidence + fmt.Sprintf("%d rounds, δ = %g, %d trials of ours", logisticRounds, logisticDelta, table.Curves[0].Trials), nil
}
