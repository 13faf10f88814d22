package jdp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claim13 plays the two contexts of Claim 13: with actions private in the standard sense, whose
// inner learner is free to be not private at all, and with joint differential privacy.
func Claim13(s lab.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 5_000, 20_000, 100_000)
	e := &simulate.Experiment{
		Name:        "jdp-claim13",
		Environment: func() bandit.Environment { return &environment.TwoContexts{Dim: 2} },
		Horizon:     rounds, Trials: cell.Pick(s, 4, 8, 24), Seed: Seed, Grid: simulate.LinearGrid(rounds, 40),
		Fingerprint: "d 2",
	}
	for _, eps := range []float64{0.2, 0.5, 0.69} {
		e.Policies = append(e.Policies, simulate.Policy{Name: fmt.Sprintf("standard DP, ε = %g", eps), New: func() bandit.Learner {
			return &learner.RandomisedAction{Epsilon: eps, Learner: learner.New(&learner.LinUCB{}, nil)}
		}})
	}
	e.Policies = append(e.Policies, simulate.Policy{Name: "joint DP, ε = 0.2", New: func() bandit.Learner {
		return Gaussian(privacy.Budget{Epsilon: 0.2, Delta: 0.1}, privacy.Sound)
	}})
	return e
}

// PrefixSpectrum draws the noise of tree releases, reset again and again, and returns the least and
// the largest eigenvalue of its leading block in units of the bound that should hold them:
// (lambda_min, lambda_max), one pair a reset and round.
type PrefixSpectrum struct {
	Least      []float64
	Largest    []float64
	Bounds     privacy.Bounds
	Violations int // of Definition 3, gamma's included
	Releases   int
}

// Spectrum samples releases of a tree without data: what is released is H and h, and nothing
// else.
func Spectrum(noise mechanism.NodeNoise, horizon, resets int) (PrefixSpectrum, error) {
	const d = 5
	tree := &mechanism.Tree{Noise: noise}
	setup := privacy.Setup{Dim: d + 1, Horizon: horizon, Bound: math.Sqrt2, Alpha: 1 / float64(horizon)}
	if err := tree.Init(setup); err != nil {
		return PrefixSpectrum{}, err
	}
	s := PrefixSpectrum{Bounds: tree.Release().Bounds}
	zero, release := privacy.Row(make([]float64, d+1)), make([]float64, (d+1)*(d+2)/2)
	for i := range resets {
		tree.Reset(privacy.NewNoise(random.Source(Seed, i, "spectrum")))
		for t := 1; t < horizon; t++ {
			if _, err := tree.Add(zero); err != nil {
				return s, err
			}
			if t&(t+1) != 0 { // only the rounds 1, 3, 7, 15, ... whose prefixes have most nodes
				continue
			}
			tree.Release().Read(release)
			least, largest, gamma := spectrum(release, d)
			s.Least, s.Largest = append(s.Least, least), append(s.Largest, largest)
			s.Releases++
			if least < s.Bounds.RhoMin || largest > s.Bounds.RhoMax || gamma > s.Bounds.Gamma {
				s.Violations++
			}
		}
	}
	return s, nil
}

// Figure2 draws Experiment 1's regret over time for one law of the reward; the tables are in the
// order of the dimensions.
func Figure2(law environment.Reward, dims []int, tables []*simulate.Table, scale string) *charts.Figure {
	var curves []simulate.Curve
	for i, t := range tables {
		c := t.Curves[0]
		c.Policy = fmt.Sprintf("d = %d", dims[i])
		curves = append(curves, c)
	}
	f := charts.Regret(fmt.Sprintf("Experiment 1: regret over time, %s rewards", lawName(law)), curves)
	f.Scale = scale
	for i, c := range curves {
		if c.Trials != curves[0].Trials {
			f.Caption += fmt.Sprintf("; %d trials for d = %d", c.Trials, dims[i])
		}
	}
	f.Caption += ". LinUCB without privacy, K = d² arms, ridge 1, gap 0.1"
	return f
}

// MustTables1 returns the committed tables of Experiment 1 for one law of the reward, in the order
// of Dims(lab.Paper).
func MustTables1(law environment.Reward) (tables []*simulate.Table) {
	for _, d := range Dims(lab.Paper) {
		tables = append(tables, lab.MustTable(Experiment1(lab.Paper, d, law).Name))
	}
	return tables
}

// MustTables3 returns the committed tables of Experiment 3, in the order of Gaps3.
func MustTables3() (tables []*simulate.Table) {
	for _, e := range experiments3(lab.Paper) {
		tables = append(tables, lab.MustTable(e.Name))
	}
	return tables
}

// Figure3 draws the regret against the dimension for Gaussian rewards and for signs, with the
// fitted powers.
func Figure3(dims []int, gaussian, signs []*simulate.Table, scale string) (*charts.Figure, error) {
	tables := [][]*simulate.Table{gaussian, signs}
	f := &charts.Figure{
		Title: "Experiment 1: regret against dimension",
		X:     charts.Axis{Name: "dimension d", Log: true, Range: [2]float64{3, 100}}, Y: charts.Axis{Name: "cumulative regret", Log: true},
		Scale: scale,
	}
	for i, law := range rewardLaws {
		points := charts.Series{Name: lawName(law) + " rewards", Kind: charts.Scatter, Style: i + 1}
		fit := charts.Series{Style: i + 1}
		slope, err := Slope(dims, tables[i])
		if err != nil {
			return nil, err
		}
		for k, t := range tables[i] {
			_, mean, se := lab.Last(t.Curves[0])
			points.X, points.Y = append(points.X, float64(dims[k])), append(points.Y, mean)
			points.Lo, points.Hi = append(points.Lo, mean-1.96*se), append(points.Hi, mean+1.96*se)
			fit.X, fit.Y = append(fit.X, float64(dims[k])), append(fit.Y, math.Exp(slope.LogC+slope.Value*math.Log(float64(dims[k]))))
		}
		fit.Name = fmt.Sprintf("slope %.2f [%.2f, %.2f]", slope.Value, slope.Lo, slope.Hi)
		f.Series = append(f.Series, points, fit)
	}
	f.Caption = "Error bars: 95%. The lines are least-squares fits on logarithms, with the 95% interval of the slope"
	return f, nil
}

// styles gives a policy of Experiment 2 the same colour in all figures.
var styles = map[string]int{NonPrivate: 1, GaussianSound: 2, GaussianAuthors: 3, WishartAuthors: 4, UnshiftedAuthors: 5,
	HonakerSound: 3, BLTSound: 5, GaussianPrinted: 6, WishartPrinted: 7, UnshiftedPrinted: 8, GaussianTwice: 7, WishartFour: 9, WishartSound: 8}

func styled(curves []simulate.Curve) []charts.Series {
	series := charts.Curves(curves)
	for i := range series {
		series[i].Style = styles[series[i].Name]
	}
	return series
}

// MustTables2 returns the committed tables of Experiment 2 for one gap.
func MustTables2(gap float64) (tables []*simulate.Table) {
	for _, e := range Experiment2(lab.Paper, gap) {
		tables = append(tables, lab.MustTable(e.Name))
	}
	return tables
}

// Figure4 draws Experiment 2 for one gap, on linear axes as the paper does: the policies as
// published and the sound Gaussian.
func Figure4(gap float64, tables []*simulate.Table, scale string) *charts.Figure {
	curves := lab.Curves(tables[:2])
	f := charts.Regret(fmt.Sprintf("Experiment 2: regret over time, gap %g", gap), curves)
	f.Series = styled(curves)
	f.Height, f.Scale = 520, scale
	f.Caption += ". d = 5, K = 25, ε = 1, δ = 0.1, calibrated for n = 5·10⁷"
	return f
}

// FigureStreaming draws the ways to release the sums at the same privacy, for one gap.
func FigureStreaming(gap float64, t *simulate.Table, scale string) *charts.Figure {
	curves := t.Curves[:len(StreamingPolicies)] // and then the differences
	f := charts.Regret(fmt.Sprintf("Same privacy, other correlations of the noise, gap %g", gap), curves)
	f.Series = styled(curves)
	top := 0.0
	for _, s := range f.Series {
		for _, hi := range s.Hi {
			top = math.Max(top, hi)
		}
	}
	f.X.Log, f.Scale, f.Y.Range = true, scale, [2]float64{0, 100 * math.Ceil(top/100)}
	f.Caption += ". d = 5, K = 25, ε = 1, δ = 0.1, calibrated for n = 5·10⁷, shifts chosen by the regret bound"
	return f
}

// Figure4Theory draws the sound mechanisms of Experiment 2 with the bounds of the theorems, on
// log axes.
func Figure4Theory(gap float64, tables []*simulate.Table, scale string) (*charts.Figure, error) {
	f := &charts.Figure{
		Title: fmt.Sprintf("Regret and what the theorems promise, gap %g", gap),
		X:     charts.Axis{Name: "round t", Log: true}, Y: charts.Axis{Name: "cumulative regret", Log: true},
		Height: 560, Scale: scale,
	}
	for _, name := range []string{NonPrivate, GaussianSound, GaussianTwice, WishartSound} {
		c, err := lab.Curve(tables, name)
		if err != nil {
			return nil, err
		}
		f.Series = append(f.Series, styled([]simulate.Curve{c})...)
		if name != NonPrivate && name != GaussianSound {
			continue
		}
		bounds, err := Theory(name, gap, c.Rounds)
		if err != nil {
			return nil, err
		}
		theorem := map[bool]string{false: "Theorem 5, ", true: "Theorem 6, "}[gap > 0]
		bound := charts.Series{Name: theorem + name, Y: bounds.tightest(gap), Style: 2 + styles[name]}
		for _, n := range c.Rounds {
			bound.X = append(bound.X, float64(n))
		}
		f.Series = append(f.Series, bound)
		k := len(c.Rounds) - 1
		f.Caption += fmt.Sprintf("%s at round %d: measured %.4g, bound %.4g. ", name, c.Rounds[k], c.Mean[k], bound.Y[k])
	}
	f.Caption += "The bounds carry the theorems' own constants"
	return f, nil
}

// MustTheory draws Figure4Theory from the committed tables.
func MustTheory(gap float64) *charts.Figure {
	tables := MustTables2(gap)
	f, err := Figure4Theory(gap, tables, lab.Committed(tables[0]))
	cell.Must(err)
	return f
}

// Figure5 draws Experiment 3 for one mechanism: regret at the last round against rho_min, a
// curve a gap.
func Figure5(mechanism string, rhos []float64, tables []*simulate.Table, scale string) (*charts.Figure, error) {
	own, err := ownRho(mechanism)
	if err != nil {
		return nil, err
	}
	f := &charts.Figure{
		Title: "Experiment 3: regret against the shift, " + mechanism,
		X:     charts.Axis{Name: "ρmin", Log: true}, Y: charts.Axis{Name: "cumulative regret at the last round"},
		Marks: []charts.Mark{charts.AtX(own, "the mechanism's own")}, Scale: scale,
	}
	for i, gap := range Gaps3 {
		s := charts.Series{Name: fmt.Sprintf("gap %g", gap), X: rhos, Style: i + 1}
		for _, rho := range rhos {
			c, err := tables[i].Curve(Shifted(mechanism, rho))
			if err != nil {
				return nil, err
			}
			_, mean, se := lab.Last(c)
			s.Y = append(s.Y, mean)
			s.Lo, s.Hi = append(s.Lo, math.Max(0, mean-1.96*se)), append(s.Hi, mean+1.96*se)
		}
		f.Series = append(f.Series, s)
	}
	trials := tables[0].Curves[0].Trials
	f.Caption = fmt.Sprintf("Mean of %d trials at round %d, band: ± 1.96 standard errors", trials, tables[0].Provenance.Rounds)
	for i, t := range tables {
		if n := t.Curves[0].Trials; n != trials {
			f.Caption += fmt.Sprintf("; %d trials for gap %g", n, Gaps3[i])
		}
	}
	return f, nil
}
