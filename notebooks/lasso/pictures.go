package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"gonum.org/v1/gonum/mat"
)

// Column returns the last regrets of a committed table's policies over a parameter, as a series.
func Column(label string, at []float64, of func(value float64) (table *simulate.Table, policy string)) charts.Series {
	var runs [][]simulate.Curve
	for _, v := range at {
		table, policy := of(v)
		c, err := table.Curve(policy)
		cell.Must(err)
		c.Policy = label
		runs = append(runs, []simulate.Curve{c})
	}
	return charts.Finals(at, runs)[0]
}

// Measured is the committed regret of the refined recipe at epsilon = 0.5, as a point over the
// horizon.
func Measured() charts.Series {
	s := Column("measured: refined, ε = 0.5", []float64{16000}, func(float64) (*simulate.Table, string) {
		return lab.MustTable("lasso-sparse-d100"), Name(Refined, 0.5)
	})
	s.Kind = charts.Scatter
	return s
}

// ByBudget shows the committed regrets in so many dimensions, 100 or 1000, over the budget.
func ByBudget(dim int) *charts.Figure {
	table, budgets := lab.MustTable(fmt.Sprintf("lasso-sparse-d%d", dim)), []float64{0.5, 1, 2, 10}
	column := func(label string, name func(epsilon float64) string) charts.Series {
		return Column(label, budgets, func(e float64) (*simulate.Table, string) { return table, name(e) })
	}
	f := &charts.Figure{
		Title: fmt.Sprintf("Regret after 16,000 rounds in %d dimensions, by budget", dim), Scale: lab.Committed(table),
		X: charts.Axis{Name: "ε", Log: true}, Y: charts.Axis{Name: "regret", Log: true, Range: [2]float64{5, 40000}},
		Caption: committedTrials(table) + fmt.Sprintf(", at δ = %g", Delta),
		Alt: fmt.Sprintf("Regret in %d dimensions against the budget, both axes logarithmic: the three private recipes fall nearly as straight lines, plain above tuned above refined, "+
			"between a random arm above and the learner without noise and the oracle below.", dim),
		Series: []charts.Series{
			column("random arm", func(float64) string { return Random }), column("oracle", func(float64) string { return Oracle }),
			column("not private", func(float64) string { return Name(Plain, math.Inf(1)) }),
		},
	}
	for _, recipe := range []string{Plain, Tuned, Refined} {
		f.Series = append(f.Series, column(recipe, func(e float64) string { return Name(recipe, e) }))
	}
	plain := f.Series[3].Y[1] // at epsilon = 1
	line := charts.Function("in proportion to ε^−0.9", budgets, func(e float64) float64 { return plain * math.Pow(e, -0.9) })
	line.Reference = true
	f.Series = append(f.Series, line)
	return f
}

// FLIPHATByBudget shows the committed regrets of FLIPHAT by its noise, over the budget.
func FLIPHATByBudget() *charts.Figure {
	table := lab.MustTable("lasso-fliphat")
	f := &charts.Figure{
		Title: "FLIPHAT in its paper's setting: 400 dimensions, 40,000 rounds", Scale: lab.Committed(table),
		X: charts.Axis{Name: "ε", Log: true}, Y: charts.Axis{Name: "regret", Log: true, Range: [2]float64{5, 100_000}},
		Caption: committedTrials(table) + fmt.Sprintf(", at δ = %g", FLIPHATDelta),
		Alt: "Regret against the budget: FLIPHAT with the missing factor in its noise pays four to six times what it pays with the public constants, exact accounting and Gumbel noise " +
			"bring some of it back, and plain SparseJDP is below all of them.",
	}
	column := func(label string, name func(epsilon float64) string) {
		f.Series = append(f.Series, Column(label, FLIPHATEpsilons, func(e float64) (*simulate.Table, string) { return table, name(e) }))
	}
	column("random arm", func(float64) string { return Random })
	column("oracle", func(float64) string { return Oracle })
	column("SparseJDP, not private", func(float64) string { return Name(Beside, math.Inf(1)) })
	for _, name := range []string{Corrected, Accounted, Ranged, PublicCode, Beside} {
		column(name, func(e float64) string { return Name(name, e) })
	}
	return f
}

// ByDimension shows the committed regrets of the local and the joint model over the dimension.
func ByDimension() *charts.Figure {
	dims := []float64{10, 20, 40, 80}
	table := func(d float64) *simulate.Table { return lab.MustTable(fmt.Sprintf("lasso-local-d%g", d)) }
	f := &charts.Figure{
		Title: fmt.Sprintf("Regret after 100,000 rounds at ε = %d, by dimension", LocalEpsilon),
		X:     charts.Axis{Name: "dimension d", Log: true}, Y: charts.Axis{Name: "regret", Log: true},
		Scale: charts.PaperScale("notebooks/results/lasso-local-d*.csv"), Caption: committedTrials(table(dims[0])),
		Alt: "Regret against the dimension: the local learner's grows a little more slowly than d ln 2d, to four fifths of a random arm's; the joint learner's stays nearly flat, 73 to 451 times lower.",
	}
	for _, p := range [][2]string{{"random arm", Random}, {"oracle", Oracle}, {"not private", Name(Plain, math.Inf(1))}, {"local: one bit a user", Locally}, {"joint: SparseJDP, refined", Jointly}} {
		f.Series = append(f.Series, Column(p[0], dims, func(d float64) (*simulate.Table, string) { return table(d), p[1] }))
	}
	local := f.Series[3].Y[0]
	line := charts.Function("in proportion to d ln 2d", dims, func(d float64) float64 { return local * d * math.Log(2*d) / (10 * math.Log(20)) })
	line.Reference = true
	f.Series = append(f.Series, line)
	return f
}

// committedTrials says how a committed table's numbers were made.
func committedTrials(t *simulate.Table) string {
	return fmt.Sprintf("Mean of %d trials with 95%% confidence bands, seed %d", t.Curves[0].Trials, t.Provenance.Seed)
}

// RandomArm is the regret a round of a random arm of 10 whose means are standard normal.
const RandomArm = 1.5388

// Bounds returns the paper's Theorems 2 and 3 after so many rounds, for 10 arms in so many
// dimensions of which 5 matter, and noise of standard deviation 0.3. lambda_0 is 0.1, as where the
// algorithm is run, and all other constants that may be chosen are 1. Left out are the noise for
// privacy and the term with C_0, so that the theorems' bounds are larger.
func Bounds(dim, rounds float64) []float64 {
	const variance, arms, sparsity, lambda0 = 0.3 * 0.3, 10, 5.0, 0.1
	head := 1048 * math.Pow(1+math.Log(4*sparsity), 1.5) * variance * (arms - 1) * sparsity
	rest := 2 * (arms - 1) * 64 * dim * variance * sparsity * sparsity / (lambda0 * lambda0)
	return []float64{(head + rest) * math.Log(rounds), head*math.Sqrt(rounds) + rest*math.Log(rounds)}
}

// designs returns an environment for each design, with a correlation where there is one.
func designs(correlation float64) []environment.Sparse {
	return []environment.Sparse{
		{Design: environment.Independent}, {Design: environment.Autoregressive, Correlation: correlation},
		{Design: environment.Equicorrelated, Correlation: correlation}, {Design: environment.Spherical},
	}
}

// Assumptions are what the theorems assume of an environment, measured.
type Assumptions struct {
	Entry, Norm float64 // the largest entry and norm of a context
	Margin      float64 // P(the means of the first two arms are within 0.2)/0.2
	All, Best   float64 // least eigenvalues of E xx', of all arms and of the best ones
}

// Measure plays n rounds of an environment.
func Measure(e *environment.Sparse, n int) (a Assumptions) {
	var v bandit.View
	e.Reset(random.New(12, 0, "contexts"))
	theta := mat.NewVecDense(e.Dim, e.Theta())
	all, best := mat.NewSymDense(e.Dim, nil), mat.NewSymDense(e.Dim, nil)
	for range n {
		e.Next(&v)
		for arm := range v.Arms {
			x := mat.NewVecDense(e.Dim, v.Row(arm))
			a.Entry, a.Norm = max(a.Entry, mat.Norm(x, math.Inf(1))), max(a.Norm, mat.Norm(x, 2))
			all.SymRankOne(all, 1/float64(n*v.Arms), x)
			if e.Regret([]int{arm}) == 0 {
				best.SymRankOne(best, 1/float64(n), x)
			}
			if arm == 1 && math.Abs(mat.Dot(x, theta)-mat.Dot(mat.NewVecDense(e.Dim, v.Row(0)), theta)) <= 0.2 {
				a.Margin += 1 / (0.2 * float64(n))
			}
		}
	}
	least := func(m *mat.SymDense) float64 {
		var eigen mat.EigenSym
		eigen.Factorize(m, false)
		return eigen.Values(nil)[0]
	}
	a.All, a.Best = least(all), least(best)
	return a
}
