package jdp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The figures of the committed tables. Each ends the cell if its tables cannot be read.

const committed = "paper-scale, from notebooks/results/"

// What captions say of Experiment 2 and of games like it.
var (
	asked      = fmt.Sprintf("ε = %g, δ = %g", Budget.Epsilon, Budget.Delta)
	setting    = fmt.Sprintf("d = %d, K = %d, %s", dimension, setArms, asked)
	calibrated = fmt.Sprintf("calibrated for n = %g·10⁷", Horizon/1e7)
)

// trialsBut names the tables whose number of trials is not that of the first, and their seed.
func trialsBut(tables []*simulate.Table, name func(i int) string) (text string) {
	for i, t := range tables {
		if n := t.Curves[0].Trials; n != tables[0].Curves[0].Trials {
			text += fmt.Sprintf("; %d trials for %s", n, name(i))
		}
	}
	return text + fmt.Sprintf("; seed %d", tables[0].Provenance.Seed)
}

// ends returns a finding, and then the regret of each curve at its end.
func ends(finding string, curves []simulate.Curve) string {
	finding += ". Regret at the end:"
	for _, c := range curves {
		finding += fmt.Sprintf(" %s %.0f;", label(c.Policy), c.Final())
	}
	return finding
}

// Figure2 draws Experiment 1's regret over time for one law of the reward, in nine dimensions.
func Figure2(law environment.Reward) *charts.Figure {
	dims := []int{4, 6, 8, 11, 16, 23, 32, 45, 64}
	var tables []*simulate.Table
	for _, d := range dims {
		tables = append(tables, lab.MustTables(Experiment1(cell.Paper, d, law))...)
	}
	name := func(i int) string { return fmt.Sprintf("d = %d", dims[i]) }
	curves := lab.Curves(tables)
	for i := range curves {
		curves[i].Policy = name(i)
	}
	f := charts.Regret(fmt.Sprintf("Experiment 1: regret over time, %s rewards", lawName(law)), curves)
	f.Scale = committed
	f.Caption += trialsBut(tables, name) + ". LinUCB without privacy, K = d² arms, ridge 1, gap 0.1"
	first, last := curves[0].Final(), curves[len(curves)-1].Final()
	f.Alt = ends(fmt.Sprintf("The last tenth of the rounds adds at most %.2g%% to the regret of any curve. %g times the dimension has %.0f times the regret",
		100*lateShare(tables), float64(dims[len(dims)-1])/float64(dims[0]), last/first), curves)
	return f
}

// lateShare returns the largest share of a first curve's regret that its last tenth of the rounds
// adds.
func lateShare(tables []*simulate.Table) (most float64) {
	for _, t := range tables {
		c := t.Curves[0]
		late, _ := slices.BinarySearch(c.Rounds, c.Rounds[len(c.Rounds)-1]*9/10)
		most = max(most, 1-c.Mean[late]/c.Final())
	}
	return most
}

// Figure3 draws the regret against the dimension for Gaussian rewards and for signs, with the
// fitted powers.
func Figure3() *charts.Figure {
	share, dims := signsOfGaussian(), Dims(cell.Paper)
	last := len(dims) - 1
	alt := fmt.Sprintf("Regret against dimension, with a line for each law of the reward. ±1 rewards have %.2f of the regret of Gaussian ones at d = %d, and %.2f at %d.",
		share[0], dims[0], share[last], dims[last])
	f := &charts.Figure{
		Title: "Experiment 1: regret against dimension", Scale: committed,
		X: charts.Axis{Name: "dimension d", Log: true, Range: [2]float64{3, 100}}, Y: charts.Axis{Name: "cumulative regret", Log: true},
		Alt: alt,
	}
	for i, law := range rewardLaws {
		tables := lab.MustTables(experiments1(cell.Paper, law)...)
		slope := cell.Try(Slope(Dims(cell.Paper), tables))
		var x []float64
		var runs [][]simulate.Curve
		for k, t := range tables {
			x, runs = append(x, float64(Dims(cell.Paper)[k])), append(runs, t.Curves)
		}
		points := charts.Finals(x, runs)[0]
		points.Name, points.Kind = lawName(law)+" rewards", charts.Scatter
		fit := charts.Function(fmt.Sprintf("slope %.2f [%.2f, %.2f]", slope.Value, slope.Lo, slope.Hi), x, func(d float64) float64 {
			return math.Exp(slope.LogC + slope.Value*math.Log(d))
		})
		points.Style, fit.Style = i+1, i+1
		f.Series = append(f.Series, points, fit)
		f.Caption = fmt.Sprintf("Mean of %d trials a point, seed %d. Error bars: 95%%. The lines are least-squares fits on logarithms, "+
			"with the 95%% interval of the slope", tables[0].Curves[0].Trials, tables[0].Provenance.Seed)
	}
	return f
}

// styles gives a policy of Experiment 2 the same colour in all figures.
var styles = map[string]int{NonPrivate: 1, GaussianSound: 2, GaussianAuthors: 3, WishartAuthors: 4, UnshiftedAuthors: 5,
	HonakerSound: 3, BLTSound: 5, GaussianPrinted: 6, WishartPrinted: 7, UnshiftedPrinted: 8, GaussianTwice: 7, WishartFour: 9, WishartSound: 8}

func styled(curves []simulate.Curve) []charts.Series {
	series := charts.Curves(curves)
	for i := range series {
		series[i].Style = styles[series[i].Name]
		series[i].Name = label(series[i].Name)
	}
	return series
}

// label is what figures and reports call a policy of the committed tables.
func label(policy string) string {
	return strings.NewReplacer(NonPrivate, "not private", "WishartUnshifted", "Wishart unshifted",
		" AsPublished", ", as printed", " AuthorsCode", ", as run", " Sound", ", sound").Replace(policy)
}

// Setting writes the fingerprint of a table of Experiment 2 for readers of a caption.
func Setting(fingerprint string) string {
	return strings.NewReplacer("d ", "d = ", "K ", "K = ", "budget", "(ε, δ) =", "alpha ", "α = ").Replace(fingerprint)
}

// MustTables2 returns the committed tables of Experiment 2 for one gap.
func MustTables2(gap float64) []*simulate.Table {
	return lab.MustTables(Experiment2(cell.Paper, gap)...)
}

// regret draws policies of Experiment 2 from a committed table and those after it.
func regret(title string, curves []simulate.Curve, first *simulate.Table, more, finding string) *charts.Figure {
	f := charts.Regret(title, curves)
	f.Series, f.Scale, f.Alt = styled(curves), lab.Committed(first), ends(finding, curves)
	f.Caption += fmt.Sprintf(". %s, %s%s; seed %d", setting, calibrated, more, first.Provenance.Seed)
	return f
}

// Figure4 draws Experiment 2 for one gap, on linear axes as the paper does: the policies as
// published and the sound Gaussian.
func Figure4(gap float64) *charts.Figure {
	tables := MustTables2(gap)
	final := func(policy string) float64 { return cell.Try(lab.Curve(tables, policy)).Final() }
	f := regret(fmt.Sprintf("Experiment 2: regret over time, gap %g", gap), lab.Curves(tables[:2]), tables[0], "",
		fmt.Sprintf("Printed Gaussian noise costs %.2f times the regret of printed Wishart noise, and sound Gaussian noise %.2f times that of printed Gaussian noise",
			final(GaussianPrinted)/final(WishartPrinted), final(GaussianSound)/final(GaussianPrinted)))
	f.Height = 520
	return f
}

// MustBars draws the Gaussian noises of Experiment 2, and none, for one gap. A bar is the regret at
// the end of a committed curve. It returns the curves, too, under names for readers.
func MustBars(gap float64) (bars charts.Series, curves []simulate.Curve) {
	tables := MustTables2(gap)
	bars = charts.Series{Name: fmt.Sprintf("gap %g", gap), Kind: charts.Bar}
	for _, noise := range []struct{ policy, name string }{
		{GaussianAuthors, "as run"}, {GaussianPrinted, "printed"},
		{GaussianSound, "exact, best shift"}, {NonPrivate, "not private"},
	} {
		c := cell.Try(lab.Curve(tables, noise.policy))
		_, mean, se := c.Last()
		half := c.Student95() * se
		bars.Y, bars.Lo, bars.Hi = append(bars.Y, mean), append(bars.Lo, mean-half), append(bars.Hi, mean+half)
		c.Policy = noise.name
		curves = append(curves, c)
	}
	return bars, curves
}

// FigureStreaming draws the regret over each way to release the sums at the same privacy, with a
// bar for each gap. The largest noise of a release stands beside its name.
func FigureStreaming() *charts.Figure {
	f := &charts.Figure{
		Title: "The same privacy, other correlations of the noise",
		X:     charts.Axis{Name: "sums (the largest standard deviation of a release)"}, Y: charts.Axis{Name: "cumulative regret"},
	}
	for _, policy := range StreamingPolicies {
		sums := check.Try(Policy(policy).Statistic.Open(rows)).(interface{ MaxSD() float64 })
		f.X.Categories = append(f.X.Categories, fmt.Sprintf("%s (%.1f)", short(policy), sums.MaxSD()))
	}
	for i, gap := range Gaps {
		t := lab.MustTable(Streaming(cell.Paper, gap).Name)
		s := lasts95(t, fmt.Sprintf("gap %g", gap), StreamingPolicies)
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("%s: Honaker's tree has %.2f of the tree's regret, BLT %.2f. ", s.Name, s.Y[1]/s.Y[0], s.Y[2]/s.Y[0])
		if i == 0 {
			f.Scale = committed + "jdp-streaming-gap*.csv"
			f.Caption = fmt.Sprintf("Regret at round %s, means of %d trials with 95%% intervals; standard deviations are in units of sensitivity/μ. %s, %s, shifts chosen by the regret bound; seed %d",
				cell.Thousands(t.Provenance.Rounds), t.Curves[0].Trials, setting, calibrated, t.Provenance.Seed)
		}
	}
	return f
}

// lasts95 returns bars of the regrets of policies at the last round, with 95% intervals.
func lasts95(t *simulate.Table, name string, policies []string) charts.Series {
	s := charts.Series{Name: name, Kind: charts.Bar}
	for i, policy := range policies {
		c := check.Try(t.Curve(policy))
		_, mean, se := c.Last()
		half := c.Student95() * se
		with(&s, i, mean, mean-half, mean+half)
	}
	return s
}

// with appends to a series what it has at a category, and its interval.
func with(s *charts.Series, category int, y, lo, hi float64) {
	s.X, s.Y, s.Lo, s.Hi = append(s.X, float64(category)), append(s.Y, y), append(s.Lo, lo), append(s.Hi, hi)
}

// over returns a policy's last regret as a multiple of another's. The 95% interval is that of their
// paired difference.
func over(t *simulate.Table, policy, base string) (share, lo, hi float64) {
	if policy == base {
		return 1, 1, 1
	}
	_, unit, _ := check.Try(t.Curve(base)).Last()
	c := check.Try(t.Curve(policy + " - " + base))
	_, d, se := c.Last()
	half := c.Student95() * se
	return 1 + d/unit, 1 + (d-half)/unit, 1 + (d+half)/unit
}

// short is what this notebook's figures call a policy. All noise in them is sound, so that is not
// said.
func short(policy string) string {
	if policy == GaussianSound {
		return "tree"
	}
	return strings.NewReplacer(" Sound", "", "AsPublished", "as printed", NonPrivate, "not private").Replace(policy)
}

// MustTheory draws policies of Experiment 2 with the bounds of the theorems, on log axes.
func MustTheory(gap float64) *charts.Figure {
	tables := MustTables2(gap)
	f := &charts.Figure{
		Title: fmt.Sprintf("Regret and what the theorems promise, gap %g", gap), Height: 560, Scale: lab.Committed(tables[0]),
		X: charts.Axis{Name: "round t", Log: true}, Y: charts.Axis{Name: "cumulative regret", Log: true},
		Alt: "Regret of three policies, and the bound of the theorem for each.",
	}
	for i, name := range []string{NonPrivate, GaussianSound, WishartSound} {
		c := cell.Try(lab.Curve(tables, name))
		f.Series = append(f.Series, styled([]simulate.Curve{c})...)
		theorem := map[bool]string{false: "Theorem 5, ", true: "Theorem 6, "}[gap > 0]
		bound, l := charts.Series{Name: theorem + label(name), Style: 3 + i}, cell.Try(ready(name, gap))
		for _, n := range c.Rounds {
			bound.X, bound.Y = append(bound.X, float64(n)), append(bound.Y, promised(l, n, gap))
		}
		f.Series = append(f.Series, bound)
		round, mean, _ := c.Last()
		f.Caption += fmt.Sprintf("%s: measured %.4g in %d trials, bound %.3g. ", label(name), mean, c.Trials, promised(l, round, gap))
		f.Alt += fmt.Sprintf(" %s: the bound is %.0f times the regret at the last round.", label(name), promised(l, round, gap)/mean)
	}
	f.Caption = fmt.Sprintf("At round %d. %sThe bounds carry the theorems' own constants. %s, %s; seed %d", tables[0].Provenance.Rounds, f.Caption, setting, calibrated, tables[0].Provenance.Seed)
	return f
}

// Figure5 draws Experiment 3 for one mechanism: regret at the last round against rho_min, a
// curve a gap.
func Figure5(mechanism string) *charts.Figure {
	tables, rhos := lab.MustTables(experiments3(cell.Paper)...), Rhos(cell.Paper)
	name := func(i int) string { return fmt.Sprintf("gap %g", Gaps3[i]) }
	runs := make([][]simulate.Curve, len(rhos))
	for i, rho := range rhos {
		for k, t := range tables {
			c := cell.Try(t.Curve(Shifted(mechanism, rho)))
			c.Policy = name(k)
			runs[i] = append(runs[i], c)
		}
	}
	f := &charts.Figure{
		Title: "Experiment 3: regret against the shift, " + label(mechanism), Scale: committed, Series: charts.Finals(rhos, runs),
		X: charts.Axis{Name: "ρmin", Log: true}, Y: charts.Axis{Name: "cumulative regret at the last round"},
		Marks: []charts.Mark{charts.AtX(linUCB(cell.Try(ready(mechanism, 0))).Bounds().RhoMin, "the mechanism's own")},
		Caption: fmt.Sprintf("Mean of %d trials at round %d, with 95%% bands. %s, %s%s",
			tables[0].Curves[0].Trials, tables[0].Provenance.Rounds, setting, calibrated, trialsBut(tables, name)),
	}
	for i, s := range f.Series {
		f.Series[i].Style = i + 1
		least := slices.Index(s.Y, slices.Min(s.Y))
		f.Alt += fmt.Sprintf("%s: least regret at a ρmin of %.0e, up to %.1f times as much at smaller shifts and %.1f times at larger ones. ",
			s.Name, s.X[least], slices.Max(s.Y[:least+1])/s.Y[least], slices.Max(s.Y[least:])/s.Y[least])
		for k, low := range s.Lo {
			s.Lo[k] = math.Max(0, low)
		}
	}
	return f
}
