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
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "jdp-fig1", What: "an example decision set in three dimensions, K = 1000", Report: report1},
	{Name: "jdp-fig2", What: "Experiment 1: regret over time for varying dimensions, two laws of the reward", Experiments: allLaws, Report: report2},
	{Name: "jdp-fig3", What: "Experiment 1: regret against dimension on log-log axes, slopes", Experiments: allLaws, Report: report3},
	{Name: "jdp-fig4", What: "Experiment 2: regret over time of all mechanisms, with and without a gap", Experiments: experiments2, Report: report4},
	{Name: "jdp-fig5", What: "Experiment 3: regret against the shift, three gaps, both mechanisms", Experiments: experiments3, Report: report5},
	{Name: "jdp-fig5-late", What: "Experiment 3 to its last round: the authors' five gaps at their largest shift, and no privacy", Experiments: experiments3Late, Report: report5Late},
	{Name: "jdp-fig5-small", What: "Experiment 3 at the authors' two smallest gaps and their sixth and seventh shift", Experiments: experiments3Small, Report: report5Small},
	{Name: "jdp-streaming", What: "beyond the paper: other ways to release the sums, at the same privacy as the sound tree", Experiments: experimentsStreaming, Report: reportStreaming},
	{Name: "jdp-logistic", What: "beyond the paper: logistic rewards, beside the first table of Sarmasarkar 2026", Experiments: experimentsLogistic, Report: reportLogistic},
	{Name: "jdp-unbounded", What: "beyond the paper: sums that need not know the number of rounds, and are released seldom", Experiments: experimentsUnbounded, Report: reportUnbounded},
	{Name: "jdp-joint", What: "beyond the paper: largest regret against T and epsilon on ill-conditioned contexts, with information-weighted regression", Studies: jointStudy, Report: reportJoint},
	{Name: "jdp-seldom", What: "beyond the paper: less noise for sums that are released seldom, where the number of rounds is known", Experiments: experimentsSeldom, Report: reportSeldom},
	{Name: "jdp-shift", What: "beyond the paper: multiples of the shift that Theorem 5 prefers, on fresh arms and on arms that stay the same", Experiments: experimentsShift, Report: reportShift},
	{Name: "jdp-shrink", What: "beyond the paper: a width that shrinks as the data outgrow noise and shift", Experiments: experimentsShrink, Report: reportShrink},
	{Name: "jdp-adac", What: "beyond the paper: public contexts, AdaC-GOPE and AdaC-OFUL beside core sets and LinUCB", Experiments: experimentsAdaC, Report: reportAdaC},
	{Name: "jdp-pulls", What: "Claim 14: how often private learners pull the second of two arms, beside the lower bound", Studies: pulls,
		Report: lab.Measured("Claim 14 beside runs: two arms with rewards ±1 and a gap of 0.2")},
	{Name: "jdp-rates", What: "Corollaries 10 and 12: powers of n, d and ε in the regret, as printed, of the bounds, and in runs", Studies: rates, Report: reportRates},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

// rewardLaws are Experiment 1's.
var rewardLaws = []environment.Reward{environment.Gaussian, environment.Signs}

func lawName(law environment.Reward) string {
	return map[environment.Reward]string{environment.Gaussian: "Gaussian", environment.Signs: "±1"}[law]
}

func experiments1(s cell.Scale, laws ...environment.Reward) (list []*simulate.Experiment) {
	for _, law := range laws {
		for _, d := range Dims(s) {
			list = append(list, Experiment1(s, d, law))
		}
	}
	return list
}

func allLaws(s cell.Scale) []*simulate.Experiment { return experiments1(s, rewardLaws...) }

func experiments2(s cell.Scale) []*simulate.Experiment {
	return append(Experiment2(s, Gaps[0]), Experiment2(s, Gaps[1])...)
}

func experiments3(s cell.Scale) (list []*simulate.Experiment) {
	for _, gap := range Gaps3 {
		list = append(list, Experiment3(s, gap))
	}
	return list
}

func experiments3Late(s cell.Scale) (list []*simulate.Experiment) {
	for _, gap := range AuthorsGaps {
		list = append(list, Experiment3Late(s, gap))
	}
	return list
}

func experiments3Small(s cell.Scale) (list []*simulate.Experiment) {
	for _, gap := range SmallGaps {
		list = append(list, Experiment3Small(s, gap))
	}
	return list
}

func experimentsStreaming(s cell.Scale) []*simulate.Experiment {
	return []*simulate.Experiment{Streaming(s, Gaps[0]), Streaming(s, Gaps[1])}
}

// Published is a number read off a paper's figure, with its standard error.
type Published struct{ Mean, SE float64 }

// authorsCurves are the cumulative regrets at round 2e7 in the authors' Figure 4 (means of about 35
// runs), by gap and mechanism. Their bands are visible for WishartUnshifted alone (0.16e5 and
// 0.04e5); reading a curve is good to about 3%, which stands for the standard error of the others
// and adds to that of the one.
var authorsCurves = map[float64]map[string]Published{
	0:   {GaussianAuthors: read(1.4e4, 0), WishartAuthors: read(9.7e4, 0), UnshiftedAuthors: read(2.47e5, 0.16e5)},
	0.1: {GaussianAuthors: read(1.2e4, 0), WishartAuthors: read(8.0e4, 0), UnshiftedAuthors: read(8.7e4, 0.04e5)},
}

func read(mean, band float64) Published { return Published{mean, math.Hypot(band, 0.03*mean)} }

// z is a difference from a published number in combined standard errors.
func (p Published) z(mean, se float64) float64 { return (mean - p.Mean) / math.Hypot(se, p.SE) }

// report1 draws Figure 1's decision set, K = 1000 arms in three dimensions with a gap of 0.1.
func report1(cell.Scale, []*simulate.Table) (*charts.Table, error) {
	env := environment.DecisionSets{Dim: 3, Arms: 1000, Gap: 0.1}
	trial := check.Try(env.Open()).Start(random.New(Seed, 0, "contexts"))
	var v bandit.View
	trial.Next(&v)
	theta, low, high, optimal := environment.Theta(trial), math.Inf(1), math.Inf(-1), 0.0
	for a := range v.Arms {
		x := v.Row(a)
		height := x[0]*theta[0] + x[1]*theta[1] + x[2]*theta[2]
		if trial.Regret([]int{a}) == 0 {
			optimal = height
		} else {
			low, high = min(low, height), max(high, height)
		}
	}
	t := charts.NewTable("quantity", "here", "paper")
	t.Add("arms", v.Arms, "1000")
	t.Add("optimal arm's mean reward", lab.Number(optimal), "0.75")
	t.Add("least mean reward of the others", lab.Number(low), ">= -0.75")
	t.Add("greatest mean reward of the others", lab.Number(high), "<= 0.65")
	t.Caption = "One decision set of Experiment 1 in three dimensions, seed " + fmt.Sprint(Seed)
	return t, nil
}

func report2(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "d", "K", "rounds", "regret", "SE", "trials")
	for i, law := range rewardLaws {
		for j, d := range Dims(s) {
			table := tables[i*len(Dims(s))+j]
			round, mean, se := table.Curves[0].Last()
			t.Add(lawName(law), d, d*d, round, lab.Number(mean), lab.Number(se), table.Curves[0].Trials)
		}
	}
	t.Caption = "Experiment 1: cumulative regret of the non-private LinUCB. The paper's Figure 2 shows the curves without numbers: regret grows with d, and is somewhat lower for ±1 rewards than for Gaussian ones"
	return t, nil
}

// Slope fits the power of d in Experiment 1's regret for one law of the reward, from its tables
// in the order of the dimensions.
func Slope(dims []int, tables []*simulate.Table) (simulate.Slope, error) {
	x, y := make([]float64, len(dims)), make([][]float64, len(dims))
	for i, table := range tables {
		_, mean, _ := table.Curves[0].Last()
		x[i], y[i] = float64(dims[i]), []float64{mean}
	}
	return simulate.LogLogSlope(x, y)
}

func report3(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "dimensions", "slope", "95% interval", "R²", "paper")
	for i, law := range rewardLaws {
		n := len(Dims(s))
		slope := check.Try(Slope(Dims(s), tables[i*n:(i+1)*n]))
		t.Add(lawName(law), strings.Trim(fmt.Sprint(Dims(s)), "[]"), fmt.Sprintf("%.3f", slope.Value),
			fmt.Sprintf("%.3f to %.3f", slope.Lo, slope.Hi), fmt.Sprintf("%.4f", slope.R2), "roughly 2")
	}
	t.Caption = "Experiment 1: exponent of d in the cumulative regret, least squares on logarithms, t interval from the scatter of the dimensions around the line; seed " + fmt.Sprint(Seed)
	return t, nil
}

// rows are the setup of Experiment 2's sums.
var rows = privacy.Setup{Dim: dimension + 1, Horizon: Horizon, Bound: math.Sqrt2, Context: 1, Alpha: 1. / Horizon}

// ready returns a policy of Experiment 2 as it is before the first round.
func ready(policy string, gap float64) (bandit.Calibrated, error) {
	return Policy(policy).Open(environment.DecisionSets{Dim: dimension, Gap: gap}.Problem(), Horizon)
}

// promised is the bound on a policy's regret of Theorem 6 where there is a gap, else of Theorem 5.
func promised(l bandit.Calibrated, round int, gap float64) float64 {
	general, gapped := linUCB(l).RegretBound(round, gap)
	if gap > 0 {
		return gapped
	}
	return general
}

// less writes the paired difference of a policy's last regret to another's, and its 95% interval.
func less(t *simulate.Table, policy, than string) (difference, interval string) {
	if policy == than {
		return "–", "–"
	}
	c := check.Try(t.Curve(policy + " - " + than))
	_, d, se := c.Last()
	half := c.Student95() * se
	return fmt.Sprintf("%.0f", d), fmt.Sprintf("%.0f to %.0f", d-half, d+half)
}

func report4(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "policy", "regret", "SE", "trials", "authors", "z", "of printed", "true ε", "theorem")
	for i, gap := range Gaps {
		tables := tables[3*i : 3*i+3]
		_, reference, _ := check.Try(lab.Curve(tables, GaussianPrinted)).Last()
		for _, c := range lab.Curves(tables) {
			round, mean, se := c.Last()
			authors, z := "–", "–"
			if p, ok := authorsCurves[gap][c.Policy]; ok && s == cell.Paper {
				authors, z = fmt.Sprintf("%.0f ± %.0f", p.Mean, p.SE), fmt.Sprintf("%+.1f", p.z(mean, se))
			}
			l := check.Try(ready(c.Policy, gap))
			t.Add(gap, label(c.Policy), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), c.Trials, authors, z, fmt.Sprintf("%.3f", mean/reference),
				lab.Number(privacy.ClaimOf(l).Epsilon()), lab.Number(promised(l, round, gap)))
		}
	}
	t.Caption = fmt.Sprintf("Experiment 2: cumulative regret at round %d, d = %d, K = %d, calibrated for n = %d, epsilon = %g, delta = %g; seed %d. z is the difference from the authors' Figure 4 in combined standard errors; of printed is the regret over that of Gaussian noise as printed; "+
		"true ε is what is proved at that delta; theorem is the bound of Theorem 5 (no gap) or 6 (gap), which holds with probability 1 - 1/n", tables[0].Provenance.Rounds, dimension, setArms, Horizon, Budget.Epsilon, Budget.Delta, tables[0].Provenance.Seed)
	return t, nil
}

func report5(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("mechanism", "gap", "rho_min", "regret", "SE", "trials", "paper")
	t.Caption = "Experiment 3: cumulative regret against the shift. The paper's Figure 5 shows curves without numbers: tuning matters for small gaps alone. "
	for _, name := range Mechanisms {
		for i, gap := range Gaps3 {
			paper := map[bool]string{true: "about flat", false: "depends on rho_min"}[gap == 0.1]
			for _, rho := range Rhos(s) {
				c := check.Try(tables[i].Curve(Shifted(name, rho)))
				_, mean, se := c.Last()
				t.Add(label(name), gap, lab.Number(rho), lab.Number(mean), lab.Number(se), c.Trials, paper)
			}
		}
		t.Caption += fmt.Sprintf("%s itself has rho_min = %.4g. ", label(name), linUCB(check.Try(ready(name, 0))).Bounds().RhoMin)
	}
	return t, nil
}

func report5Late(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("mechanism", "gap", "at 2/5 of the rounds", "at the last", "SE", "trials")
	for _, name := range append([]string{NonPrivate}, Mechanisms...) {
		for i, gap := range AuthorsGaps {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			t.Add(label(name), lab.Number(gap), lab.Number(c.Mean[len(c.Mean)*2/5-1]), lab.Number(mean), lab.Number(se), c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Experiment 3 at the authors' gaps and their largest shift, a ρmin of %.3g: cumulative regret at rounds %d and %d", LateShift(), tables[0].Provenance.Rounds*2/5, tables[0].Provenance.Rounds)
	return t, nil
}

func report5Small(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("mechanism", "gap", "ρmin", "regret", "SE", "trials")
	for _, name := range Mechanisms {
		for i, gap := range SmallGaps {
			for _, rho := range LargeShifts() {
				c := check.Try(tables[i].Curve(Shifted(name, rho)))
				_, mean, se := c.Last()
				t.Add(label(name), lab.Number(gap), fmt.Sprintf("10^%.2f", math.Log10(rho)), lab.Number(mean), lab.Number(se), c.Trials)
			}
		}
	}
	t.Caption = fmt.Sprintf("Experiment 3 at the authors' two smallest gaps and their sixth and seventh shift: cumulative regret at round %d", tables[0].Provenance.Rounds)
	return t, nil
}

func reportStreaming(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "sums", "largest sd", "regret", "se", "less the tree's", "se ", "of the tree's", "trials")
	t.Align = "llrrrrrrr"
	for i, gap := range Gaps {
		_, base, _ := check.Try(tables[i].Curve(GaussianSound)).Last()
		for _, name := range StreamingPolicies {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			less, lessSE := "–", "–"
			if name != GaussianSound {
				_, d, dse := check.Try(tables[i].Curve(name + " - " + GaussianSound)).Last()
				less, lessSE = lab.Number(d), lab.Number(dse)
			}
			sums := check.Try(Policy(name).Statistic.Open(rows)).(interface{ MaxSD() float64 })
			t.Add(fmt.Sprint(gap), label(name), lab.Number(sums.MaxSD()), lab.Number(mean), lab.Number(se), less, lessSE, fmt.Sprintf("%.0f%%", 100*mean/base), c.Trials)
		}
	}
	round, _, _ := tables[0].Curves[0].Last()
	t.Caption = fmt.Sprintf("Cumulative regret at round %d, %s, %s: the same privacy in every row. The largest standard deviation of a release is in units of sensitivity/μ; differences are trial by trial; seed %d", round, calibrated, asked, tables[0].Provenance.Seed)
	return t, nil
}
