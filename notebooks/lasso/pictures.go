package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// line is a line of a figure over a parameter: its label, and the policy's name at each value.
type line struct {
	label  string
	policy func(value float64) string
}

// level is a line of one policy.
func level(label, policy string) line { return line{label, func(float64) string { return policy }} }

// budgeted are lines of learners, each at the epsilons of the figure.
func budgeted(learners ...string) (lines []line) {
	for _, l := range learners {
		lines = append(lines, line{l, func(epsilon float64) string { return Name(l, epsilon) }})
	}
	return lines
}

// drawn returns the last regrets over a parameter from committed tables, a series for each line.
func drawn(at []float64, table func(value float64) *simulate.Table, lines ...line) []charts.Series {
	runs := make([][]simulate.Curve, len(at))
	for i, v := range at {
		for _, l := range lines {
			c := cell.Try(table(v).Curve(l.policy(v)))
			c.Policy = l.label
			runs[i] = append(runs[i], c)
		}
	}
	return charts.Finals(at, runs)
}

// proportional is a grey line through the point (x, y) of a series, in proportion to a function.
func proportional(label string, at []float64, x, y float64, to func(x float64) float64) charts.Series {
	return charts.Guide("in proportion to "+label, at, func(v float64) float64 { return y * to(v) / to(x) })
}

// Measured is the committed regret of the refined recipe at epsilon = 0.5, as a point over the
// horizon.
func Measured() charts.Series {
	s := drawn([]float64{16000}, func(float64) *simulate.Table { return lab.MustTable("lasso-sparse-d100") },
		level("measured: refined, ε = 0.5", Name(Refined, 0.5)))[0]
	s.Kind = charts.Scatter
	return s
}

// byBudget shows regrets of a committed table over the budget: those of random arms and the oracle,
// and others.
func byBudget(table *simulate.Table, epsilons []float64, top, delta float64, title string, lines ...line) *charts.Figure {
	lines = append([]line{level("random arm", Random), level("oracle", Oracle)}, lines...)
	f := charts.LogLog(title, "ε", "regret", drawn(epsilons, func(float64) *simulate.Table { return table }, lines...)...)
	f.Y.Range, f.Scale = [2]float64{5, top}, lab.Committed(table)
	last := len(epsilons) - 1
	f.Alt = fmt.Sprintf("%s: from ε = %g to %g.", title, epsilons[0], epsilons[last])
	for _, s := range f.Series {
		f.Alt += fmt.Sprintf(" %s: %.0f to %.0f.", s.Name, s.Y[0], s.Y[last])
	}
	f.Caption = committedTrials(table) + fmt.Sprintf(", at δ = %g", delta)
	return f
}

// ByBudget shows the committed regrets in so many dimensions, 100 or 1000, over the budget.
func ByBudget(dim int) *charts.Figure {
	epsilons := []float64{0.5, 1, 2, 10}
	f := byBudget(lab.MustTable(fmt.Sprintf("lasso-sparse-d%d", dim)), epsilons, 40_000, Delta,
		fmt.Sprintf("Regret after 16,000 rounds in %d dimensions, by budget", dim),
		append([]line{level("not private", Name(Plain, math.Inf(1)))}, budgeted(Plain, Tuned, Refined)...)...)
	f.Caption += fmt.Sprintf("; K = 10, s₀ = %d", Sparsity)
	plain := f.Series[3].Y[1] // at epsilon = 1
	f.Series = append(f.Series, proportional("1/ε", epsilons, 1, plain, func(e float64) float64 { return 1 / e }))
	return f
}

// FLIPHATByBudget shows the committed regrets of FLIPHAT by its noise, over the budget.
func FLIPHATByBudget() *charts.Figure {
	f := byBudget(lab.MustTable("lasso-fliphat"), FLIPHATEpsilons, 100_000, FLIPHATDelta,
		"FLIPHAT in its paper's setting: 400 dimensions, 40,000 rounds",
		append([]line{level("SparseJDP, not private", Name(Beside, math.Inf(1)))}, budgeted(Corrected, Accounted, Ranged, PublicCode, Beside)...)...)
	f.Caption += fmt.Sprintf("; d = 400, K = 3, s₀ = %d, r = 0.1, 40,000 rounds", Sparsity)
	return f
}

// ByDimension shows the committed regrets of the local and the joint model over the dimension.
func ByDimension() *charts.Figure {
	dims := []float64{10, 20, 40, 80}
	table := func(d float64) *simulate.Table { return lab.MustTable(fmt.Sprintf("lasso-local-d%g", d)) }
	f := charts.LogLog(fmt.Sprintf("Regret after 100,000 rounds at ε = %d, by dimension", LocalEpsilon), "dimension d", "regret",
		drawn(dims, table, level("random arm", Random), level("oracle", Oracle), level("not private", Name(Plain, math.Inf(1))),
			level("local: one bit a user", Locally), level("joint: SparseJDP, refined", Jointly))...)
	f.Scale, f.Caption = charts.PaperScale("notebooks/results/lasso-local-d*.csv"), committedTrials(table(dims[0]))+
		fmt.Sprintf("; K = 10, s₀ = %d; δ = %g for the joint learner, 0 for the local one", Sparsity, Delta)
	local, joint, last := f.Series[3].Y, f.Series[4].Y, len(dims)-1
	f.Alt = fmt.Sprintf("Regret against the dimension: from d = %g to %g the local learner's grows %.1f-fold, to %.2f of a random arm's, where d ln 2d grows %.1f-fold; "+
		"the joint learner's grows %.1f-fold, and is %.0f to %.0f times lower.", dims[0], dims[last], local[last]/local[0], local[last]/f.Series[0].Y[last],
		dims[last]*math.Log(2*dims[last])/(dims[0]*math.Log(2*dims[0])), joint[last]/joint[0], local[0]/joint[0], local[last]/joint[last])
	f.Series = append(f.Series, proportional("d ln 2d", dims, dims[0], local[0], func(d float64) float64 { return d * math.Log(2*d) }))
	return f
}

// PrintedStandings lists the committed regrets of the printed algorithm, as charts.Standings lists
// those of a run.
func PrintedStandings() *charts.Table {
	runs := lab.MustTable("lasso-printed")
	random, _, err := runs.Final(Random)
	cell.Must(err)
	t := charts.NewTable("policy", "regret", "standard error", "of "+Random, "ε proved")
	t.Align, t.Scale = "lrrrr", lab.Committed(runs)
	for _, c := range runs.Curves {
		mean, se, err := runs.Final(c.Policy)
		cell.Must(err)
		proved := "none"
		if e := runs.Epsilon(c.Policy); !math.IsInf(e, 1) {
			proved = fmt.Sprintf("%.3g", e)
		}
		t.Add(c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), fmt.Sprintf("%.1f%%", 100*mean/random), proved)
	}
	t.Caption = fmt.Sprintf("Regret after 16,000 rounds, mean of %d trials, d = 100, s₀ = %d, K = 10, δ = %g, seed %d",
		runs.Curves[0].Trials, Sparsity, Delta, runs.Provenance.Seed)
	return t
}

// committedTrials says how a committed table's numbers were made.
func committedTrials(t *simulate.Table) string {
	return fmt.Sprintf("Mean of %d trials with 95%% confidence bands, seed %d", t.Curves[0].Trials, t.Provenance.Seed)
}
