package matroid

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "mat-fig1", What: "per-round return on Table 2 at epsilon = 2: DPUCB-MAT, OMM", Experiments: one(Returns), Report: reportReturns("Figure 1", Name(DPUCBPrinted, Epsilon), Name(DPUCBForced, Epsilon), OMMPublic)},
	{Name: "mat-fig2", What: "per-round return on Table 2 at epsilon = 1e5, 2, 1e-4", Experiments: one(Returns), Report: reportReturns("Figure 2", policyNames(Private, Epsilons)...)},
	{Name: "mat-fig3", What: "per-round return on movies at epsilon = 2: DPUCB-MAT, OMM", Experiments: one(MovieReturns), Report: reportMovies("Figure 3", DPUCBPrinted, DPUCBForced, OMMPublic)},
	{Name: "mat-fig4", What: "per-round return of DPTS-MAT and CTS on Table 2 and on movies", Experiments: func(s lab.Scale) []*simulate.Experiment {
		return []*simulate.Experiment{Returns(s), MovieReturns(s)}
	}, Report: report4},
	{Name: "mat-fig5", What: "regret: its rate to n = 1e6, and against 1/epsilon for 50 values of epsilon", Experiments: func(s lab.Scale) []*simulate.Experiment {
		return []*simulate.Experiment{Rate(s), Sweep(s)}
	}, Report: report5},
	{Name: "mat-equal", What: "the same privacy for less regret, on Table 2 and on movies", Experiments: experimentsEqual, Report: reportEqual},
	{Name: "mat-table3", What: "the recommended movies that are in the best basis, and their genres", Report: reportTable3},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

func one(e func(lab.Scale) *simulate.Experiment) func(lab.Scale) []*simulate.Experiment {
	return func(s lab.Scale) []*simulate.Experiment { return []*simulate.Experiment{e(s)} }
}

func policyNames(policies []string, epsilons []float64) (names []string) {
	for _, p := range policies {
		for _, epsilon := range epsilons {
			names = append(names, Name(p, epsilon))
		}
	}
	return names
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
		OMMPublic: {2.138, 4}, CTSPublic: {2.143, 4},
		Name(DPUCBPrinted, 1e5): {2.098, 4}, Name(DPUCBPrinted, 2): {2.044, 4}, Name(DPUCBPrinted, 1e-4): {1.47, 4},
		Name(DPTSPrinted, 1e5): {2.135, 4}, Name(DPTSPrinted, 2): {2.090, 4}, Name(DPTSPrinted, 1e-4): {1.53, 4},
	}
	regretElsewhere = map[string]elsewhere{
		Name(DPUCBPrinted, 0.5): {2015, 20}, Name(DPUCBPrinted, 2): {1063, 4}, Name(DPUCBPrinted, 10): {618, 20}, Name(DPUCBPrinted, 50): {519, 4},
		Name(DPTSPrinted, 0.5): {1459, 4}, Name(DPTSPrinted, 2): {600, 4}, Name(DPTSPrinted, 10): {285, 20}, Name(DPTSPrinted, 50): {180, 20},
	}
)

// beside compares a mean and its standard error in a number of trials with the one elsewhere, whose
// standard error is taken to be that of as many trials of ours as it had.
func (e elsewhere) beside(mean, se float64, trials int) (z float64) {
	return (mean - e.value) / math.Hypot(se, se*math.Sqrt(float64(trials)/float64(e.trials)))
}

// perRound turns cumulative regret into the mean return of a round so far, the quantity of the
// paper's figures.
func perRound(c simulate.Curve, optimum float64) simulate.Curve {
	out := simulate.Curve{Policy: c.Policy, Rounds: c.Rounds, Trials: c.Trials}
	for k, t := range c.Rounds {
		out.Mean = append(out.Mean, optimum-c.Mean[k]/float64(t))
		out.SE = append(out.SE, c.SE[k]/float64(t))
	}
	return out
}

// tableOptimum is the mean return of the best basis of Table 2.
func tableOptimum() float64 {
	e := Table2()
	e.Reset(nil)
	return e.Optimum()
}

func movieOptimum() (float64, error) {
	m, err := LoadMovies()
	if err != nil {
		return 0, err
	}
	e := m.Environment()
	e.Reset(nil)
	return e.Optimum(), nil
}

// returnRows adds the policies' rows to a table: what is proved, return, regret, and the other
// implementation's where it is known.
func returnRows(t *charts.Table, table *simulate.Table, optimum float64, compare bool, policies ...string) error {
	for _, name := range policies {
		c, err := table.Curve(name)
		if err != nil {
			return err
		}
		n, regret, regretSE := lab.Last(c)
		_, mean, se := lab.Last(perRound(c, optimum))
		row := []any{Label(name), lab.Number(lab.TrueEpsilon(table, name)), fmt.Sprintf("%.4f", mean), fmt.Sprintf("%.4f", se), fmt.Sprintf("%.0f", regret), fmt.Sprintf("%.0f", regretSE), "–", "–"}
		if e, ok := returnsElsewhere[name]; ok && compare && n == Horizon {
			row[6], row[7] = fmt.Sprintf("%.3f", e.value), fmt.Sprintf("%.1f", e.beside(mean, se, c.Trials))
		}
		t.Add(row...)
	}
	return nil
}

func newReturns() *charts.Table {
	t := charts.NewTable("policy", "true ε", "return a round", "SE", "regret", "SE ", "elsewhere", "z")
	t.Align = "lrrrrrrr"
	return t
}

const elsewhereCaption = "Elsewhere: the return in an implementation apart from this one, 4 trials; z: the difference in combined standard errors"

func reportReturns(figure string, policies ...string) func(lab.Scale, []*simulate.Table) (*charts.Table, error) {
	return func(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
		t := newReturns()
		err := returnRows(t, tables[0], tableOptimum(), true, policies...)
		t.Caption = fmt.Sprintf("%s: Table 2, round %s, %d trials; the best basis has %.4g. True ε: what is proved of the user with the least privacy. %s", figure,
			cell.Thousands(tables[0].Provenance.Rounds), tables[0].Curves[0].Trials, tableOptimum(), elsewhereCaption)
		t.Scale = string(s)
		return t, err
	}
}

func reportMovies(figure string, policies ...string) func(lab.Scale, []*simulate.Table) (*charts.Table, error) {
	return func(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
		optimum, err := movieOptimum()
		if err != nil {
			return nil, err
		}
		t := newReturns()
		err = returnRows(t, tables[0], optimum, false, policies...)
		t.Caption = fmt.Sprintf("%s: %s, round %s, %d trials, ε = %g; the best basis has %.4g", figure, tables[0].Provenance.Fingerprint, cell.Thousands(tables[0].Provenance.Rounds), tables[0].Curves[0].Trials, float64(Epsilon), optimum)
		t.Scale = string(s)
		return t, err
	}
}

func report4(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	a, err := reportReturns("Figure 4a", Name(DPTSPrinted, Epsilon), Name(DPTSForced, Epsilon), CTSPublic)(s, tables[:1])
	if err != nil {
		return nil, err
	}
	b, err := reportMovies("Figure 4b, the last three rows", DPTSPrinted, DPTSForced, CTSPublic)(s, tables[1:])
	if err != nil {
		return nil, err
	}
	a.Rows = append(a.Rows, b.Rows...)
	a.Caption += ". " + b.Caption
	return a, nil
}

// sweepEpsilons reads the epsilons off a table of Sweep.
func sweepEpsilons(t *simulate.Table) (list []float64) {
	for _, c := range t.Curves {
		var epsilon float64
		if name, tail, ok := strings.Cut(c.Policy, ", ε = "); ok && name == Private[0] {
			if _, err := fmt.Sscan(tail, &epsilon); err == nil {
				list = append(list, epsilon)
			}
		}
	}
	return list
}

// linearFit is a + b/epsilon, and the share R^2 of the variation that it explains.
type linearFit struct{ a, b, r2 float64 }

func (f linearFit) String() string {
	return fmt.Sprintf("%.0f + %.0f/ε (R² %.2f)", f.a, f.b, f.r2)
}

func (f linearFit) at(epsilon float64) float64 { return f.a + f.b/epsilon }

// sweepFit fits regret = a + b/epsilon by least squares to a policy's regrets at the table's
// epsilons from one on.
func sweepFit(t *simulate.Table, policy string, from float64) (linearFit, error) {
	var x, y []float64
	for _, epsilon := range sweepEpsilons(t) {
		c, err := t.Curve(Name(policy, epsilon))
		if err != nil {
			return linearFit{}, err
		}
		if _, mean, _ := lab.Last(c); epsilon >= from {
			x, y = append(x, 1/epsilon), append(y, mean)
		}
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return linearFit{a, b, stat.RSquared(x, y, nil, a, b)}, nil
}

func report5(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	rate, sweep := tables[0], tables[1]
	t := charts.NewTable("policy", "ε", "n", "regret", "SE", "regret/ln n", "elsewhere", "z")
	t.Align = "lrrrrrrr"
	add := func(table *simulate.Table, policy string, epsilon float64) error {
		c, err := table.Curve(Name(policy, epsilon))
		if err != nil {
			return err
		}
		n, mean, se := lab.Last(c)
		row := []any{Label(policy), fmt.Sprint(epsilon), cell.Thousands(n), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), fmt.Sprintf("%.1f", mean/math.Log(float64(n))), "–", "–"}
		if e, ok := regretElsewhere[c.Policy]; ok && n == Horizon {
			row[6], row[7] = fmt.Sprintf("%.0f", e.value), fmt.Sprintf("%.1f", e.beside(mean, se, c.Trials))
		}
		t.Add(row...)
		return nil
	}
	var fits []string
	for _, policy := range Private {
		if err := add(rate, policy, Epsilon); err != nil {
			return nil, err
		}
	}
	for _, policy := range Private {
		for _, epsilon := range []float64{0.5, 2, 10, 50} {
			if err := add(sweep, policy, epsilon); err != nil {
				return nil, err
			}
		}
		fit, err := sweepFit(sweep, policy, 0)
		if err != nil {
			return nil, err
		}
		near, err := sweepFit(sweep, policy, 0.6)
		if err != nil {
			return nil, err
		}
		fits = append(fits, fmt.Sprintf("%s %v, without ε = 0.5 %v", Label(policy), fit, near))
	}
	t.Caption = fmt.Sprintf("Figure 5: Table 2, %d trials. Least-squares fits of the regret: %s. Elsewhere: an implementation apart from this one, initialised as published, 4 to 20 trials; z: the difference in combined standard errors",
		rate.Curves[0].Trials, strings.Join(fits, "; "))
	t.Scale = string(s)
	return t, nil
}
