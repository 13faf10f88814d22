package matroid

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "mat-fig1", What: "per-round return on Table 2 at epsilon = 2: DPUCB-MAT, OMM", Experiments: runs(returns), Report: reportReturns("Figure 1", at(dpucbPrinted, Epsilon), at(dpucbForced, Epsilon), ommPublic)},
	{Name: "mat-fig2", What: "per-round return on Table 2 at epsilon = 1e5, 2, 1e-4", Experiments: runs(returns), Report: reportReturns("Figure 2", atAll(private, epsilons...)...)},
	{Name: "mat-fig3", What: "per-round return on movies at epsilon = 2: DPUCB-MAT, OMM", Experiments: runs(movieReturns), Report: reportMovies("Figure 3", dpucbPrinted, dpucbForced, ommPublic)},
	{Name: "mat-fig4", What: "per-round return of DPTS-MAT and CTS on Table 2 and on movies", Experiments: runs(returns, movieReturns), Report: report4},
	{Name: "mat-fig5", What: "regret: its rate to n = 1e6, and against 1/epsilon for 50 values of epsilon", Experiments: runs(rate, sweep), Report: report5},
	{Name: "mat-equal", What: "the same privacy for less regret, on Table 2 and on movies", Experiments: experimentsEqual, Report: reportEqual},
	{Name: "mat-table3", What: "the recommended movies that are in the best basis, and their genres", Report: reportTable3},
	{Name: "mat-table1", What: "bounds of OMM and CTS, private and not, beside regret over some L, K, gaps and epsilons", Experiments: table1, Report: reportTable1},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

func runs(experiments ...func(cell.Scale) *simulate.Experiment) func(cell.Scale) []*simulate.Experiment {
	return func(s cell.Scale) (list []*simulate.Experiment) {
		for _, e := range experiments {
			list = append(list, e(s))
		}
		return list
	}
}

// elsewhere is a mean of an implementation apart from this one, on Table 2 at n = 10,000 and
// initialised as published, and the number of its trials.
type elsewhere struct {
	value  float64
	trials int
}

// returnsElsewhere are per-round returns, regretElsewhere cumulative regrets. Where it is not
// known that there were more trials, four are taken.
var (
	returnsElsewhere = map[string]elsewhere{
		ommPublic: {2.138, 4}, ctsPublic: {2.143, 4},
		at(dpucbPrinted, 1e5): {2.098, 4}, at(dpucbPrinted, 2): {2.044, 4}, at(dpucbPrinted, 1e-4): {1.47, 4},
		at(dptsPrinted, 1e5): {2.135, 4}, at(dptsPrinted, 2): {2.090, 4}, at(dptsPrinted, 1e-4): {1.53, 4},
	}
	regretElsewhere = map[string]elsewhere{
		at(dpucbPrinted, 0.5): {2015, 20}, at(dpucbPrinted, 2): {1063, 4}, at(dpucbPrinted, 10): {618, 20}, at(dpucbPrinted, 50): {519, 4},
		at(dptsPrinted, 0.5): {1459, 4}, at(dptsPrinted, 2): {600, 4}, at(dptsPrinted, 10): {285, 20}, at(dptsPrinted, 50): {180, 20},
	}
)

// beside compares a mean and its standard error in a number of trials with the one elsewhere, whose
// standard error is taken to be that of as many trials of ours as it had.
func (e elsewhere) beside(mean, se float64, trials int) (z float64) {
	return (mean - e.value) / math.Hypot(se, se*math.Sqrt(float64(trials)/float64(e.trials)))
}

// perRound turns a regret into the mean return of a round so far, the quantity of the paper's
// figures.
func perRound(optimum float64, n int, regret, se float64) (mean, meanSE float64) {
	return optimum - regret/float64(n), se / float64(n)
}

// returnTable lays out what is proved of policies, their return and regret, and the other
// implementation's return where it is known.
func returnTable(table *simulate.Table, optimum float64, known map[string]elsewhere, policies ...string) *charts.Table {
	t := charts.NewTable("policy", "true ε", "return a round", "SE", "regret", "SE ", "elsewhere", "z")
	t.Align = "lrrrrrrr"
	for _, name := range policies {
		c := check.Try(table.Curve(name))
		n, regret, regretSE := c.Last()
		mean, se := perRound(optimum, n, regret, regretSE)
		row := []any{Label(name), lab.Number(table.Epsilon(name)), fmt.Sprintf("%.4f", mean), fmt.Sprintf("%.4f", se), fmt.Sprintf("%.0f", regret), fmt.Sprintf("%.0f", regretSE), "–", "–"}
		if e, ok := known[name]; ok && n == Horizon {
			row[6], row[7] = fmt.Sprintf("%.3f", e.value), fmt.Sprintf("%.1f", e.beside(mean, se, c.Trials))
		}
		t.Add(row...)
	}
	return t
}

type report = func(cell.Scale, []*simulate.Table) (*charts.Table, error)

func reportReturns(figure string, policies ...string) report {
	return func(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
		t := returnTable(tables[0], Table2().Optimum(), returnsElsewhere, policies...)
		t.Caption = fmt.Sprintf("%s: Table 2, round %s, %d trials; the best basis has %.4g. True ε: what is proved of the user with the least privacy. "+
			"Elsewhere: the return in an implementation apart from this one, 4 trials; z: the difference in combined standard errors",
			figure, cell.Thousands(tables[0].Provenance.Rounds), tables[0].Curves[0].Trials, Table2().Optimum())
		return t, nil
	}
}

func reportMovies(figure string, policies ...string) report {
	return func(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
		optimum := MustMovies().Environment().Optimum()
		t := returnTable(tables[0], optimum, nil, policies...)
		from := tables[0].Provenance
		t.Caption = fmt.Sprintf("%s: %s, round %s, %d trials, ε = %g; the best basis has %.4g", figure, from.Fingerprint, cell.Thousands(from.Rounds), tables[0].Curves[0].Trials, float64(Epsilon), optimum)
		return t, nil
	}
}

func report4(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	a := check.Try(reportReturns("Figure 4a", at(dptsPrinted, Epsilon), at(dptsForced, Epsilon), ctsPublic)(s, tables[:1]))
	b := check.Try(reportMovies("Figure 4b, the last three rows", dptsPrinted, dptsForced, ctsPublic)(s, tables[1:]))
	a.Rows, a.Caption = append(a.Rows, b.Rows...), a.Caption+". "+b.Caption
	return a, nil
}

// sweepEpsilons reads the epsilons off a table of sweep.
func sweepEpsilons(t *simulate.Table) (list []float64) {
	for _, c := range t.Curves {
		var epsilon float64
		if tail, ok := strings.CutPrefix(c.Policy, private[0]+", ε = "); ok && check.Try(fmt.Sscan(tail, &epsilon)) == 1 {
			list = append(list, epsilon)
		}
	}
	return list
}

// linearFit is a + b/epsilon, and the share R^2 of the variation that it explains.
type linearFit struct{ a, b, r2 float64 }

func (f linearFit) String() string { return fmt.Sprintf("%.0f + %.0f/ε (R² %.2f)", f.a, f.b, f.r2) }

func (f linearFit) at(epsilon float64) float64 { return f.a + f.b/epsilon }

// sweepFit fits regret = a + b/epsilon by least squares to a policy's regrets at the table's
// epsilons from one on.
func sweepFit(t *simulate.Table, policy string, from float64) linearFit {
	var x, y []float64
	for _, epsilon := range sweepEpsilons(t) {
		if epsilon >= from {
			mean, _ := end(t, at(policy, epsilon))
			x, y = append(x, 1/epsilon), append(y, mean)
		}
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return linearFit{a, b, stat.RSquared(x, y, nil, a, b)}
}

// end returns a policy's regret at the last round, and its standard error.
func end(t *simulate.Table, policy string) (mean, se float64) {
	_, mean, se = check.Try(t.Curve(policy)).Last()
	return mean, se
}

func report5(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	rate, sweep := tables[0], tables[1]
	t := charts.NewTable("policy", "ε", "n", "regret", "SE", "regret/ln n", "elsewhere", "z")
	t.Align = "lrrrrrrr"
	add := func(table *simulate.Table, policy string, epsilon float64) {
		c := check.Try(table.Curve(at(policy, epsilon)))
		n, mean, se := c.Last()
		row := []any{Label(policy), fmt.Sprint(epsilon), cell.Thousands(n), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), fmt.Sprintf("%.1f", mean/math.Log(float64(n))), "–", "–"}
		if e, ok := regretElsewhere[c.Policy]; ok && n == Horizon {
			row[6], row[7] = fmt.Sprintf("%.0f", e.value), fmt.Sprintf("%.1f", e.beside(mean, se, c.Trials))
		}
		t.Add(row...)
	}
	for _, policy := range private {
		add(rate, policy, Epsilon)
	}
	var fits []string
	for _, policy := range private {
		for _, epsilon := range []float64{0.5, 2, 10, 50} {
			add(sweep, policy, epsilon)
		}
		fits = append(fits, fmt.Sprintf("%s %v, without ε = 0.5 %v", Label(policy), sweepFit(sweep, policy, 0), sweepFit(sweep, policy, 0.6)))
	}
	t.Caption = fmt.Sprintf("Figure 5: Table 2, %d trials. Least-squares fits of the regret: %s. Elsewhere: an implementation apart from this one, initialised as published, 4 to 20 trials; z: the difference in combined standard errors",
		rate.Curves[0].Trials, strings.Join(fits, "; "))
	return t, nil
}
