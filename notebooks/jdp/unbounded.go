package jdp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// UnboundedHorizons are the numbers of rounds that sums with a horizon are calibrated for: the most
// that the square root takes, and Experiment 2's.
var UnboundedHorizons = []int{1 << 17, Horizon}

// unboundedPolicies are those of Unbounded. A release for each row is too much for the longer
// horizon.
func unboundedPolicies(horizon int) []string {
	if horizon == Horizon {
		return []string{BLTSound, GaussianSound, UnboundedSound, UnboundedBlind}
	}
	return []string{BLTSound, GaussianSound, RootSound, UnboundedEach, UnboundedSound, UnboundedBlind}
}

// Unbounded compares sums that need not know the horizon with sums that do, in the setting of
// Experiment 2, with the trial-by-trial differences to BLT.
func Unbounded(s cell.Scale, horizon int, gap float64) *simulate.Experiment {
	policies := unboundedPolicies(horizon)
	e := experiment2(s, fmt.Sprintf("jdp-unbounded-n%d-gap%g", horizon, gap), gap, cell.Pick(s, 4, 8, 16), policies)
	e.Horizon, e.Rounds = horizon, cell.Pick(s, 10_000, 30_000, min(horizon, 300_000))
	e.Grid = simulate.LogGrid(e.Rounds, 30)
	for _, name := range policies[1:] {
		e.Pairs = append(e.Pairs, [2]string{name, BLTSound})
	}
	return e
}

func experimentsUnbounded(s cell.Scale) (list []*simulate.Experiment) {
	for _, horizon := range UnboundedHorizons {
		for _, gap := range Gaps {
			list = append(list, Unbounded(s, horizon, gap))
		}
	}
	return list
}

// foreseen is the regret in n rounds that the releases' bounds promise to LinUCB where contexts
// excite all directions alike. It depends on the sums through when they release, and how large the
// noise is then. The reward range is [-1, 1], and S = L = sigma = 1.
//
// Let the last release before a round hold tau rows, with the accurate bounds rho_min, rho_max and
// gamma. If theta is in the confidence sets, the round's regret is at most 2 beta |x|_{V^-1}, and
// at most 2. If lambda_min(G) >= tau/d at the releases, then |x|^2_{V^-1} <= 1/(rho_min + tau/d).
// No contexts have a greater lambda_min, as the trace of G is at most tau. foreseen sums the
// smaller of the two bounds over the rounds.
//
// Proposition 4 holds for a regulariser that only grows, with ln det V - d ln rho for the rho_min
// of the first release: V is at least G + rho I. The determinant is at most (rho_max + tau/d)^d.
func foreseen(sums privacy.Accumulator, d, n int) float64 {
	m := check.Try(sums.Open(privacy.Setup{Dim: d + 1, Horizon: n, Bound: math.Sqrt2, Context: 1, Alpha: 1 / float64(n)}))
	run := m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) }))
	none := privacy.Record{X: make([]float64, d), Y: []float64{0}}
	regret, bound, first := 0.0, 2.0, run.Release().Bounds.RhoMin
	for t := 1; t < n; t++ {
		regret += bound
		if check.Try(run.Add(&none)) {
			b := run.Release().Bounds
			excited := float64(t) / float64(d)
			beta := math.Sqrt(2*math.Log(2*float64(n))+float64(d)*math.Log((b.RhoMax+excited)/first)) + math.Sqrt(b.RhoMax) + b.Gamma
			bound = min(2, 2*beta/math.Sqrt(b.RhoMin+excited))
		}
	}
	return regret
}

func reportUnbounded(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("n", "gap", "sums", "regret", "SE", "minus BLT's", "95% interval", "of BLT's", "trials")
	t.Align = "lllrrrrrr"
	for i, table := range tables {
		_, base, _ := check.Try(table.Curve(BLTSound)).Last()
		for _, name := range unboundedPolicies(table.Provenance.Horizon) {
			c := check.Try(table.Curve(name))
			_, mean, se := c.Last()
			less, interval := less(table, name, BLTSound)
			t.Add(cell.Thousands(table.Provenance.Horizon), Gaps[i%len(Gaps)], label(name), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), less, interval, fmt.Sprintf("%.0f%%", 100*mean/base), c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret at round %s where n = %s, and at %s where n = %s, ε = %g and δ = %g asked for in every row; all but the last row of a block with the shift that minimises the regret bound. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), cell.Thousands(UnboundedHorizons[0]), cell.Thousands(tables[len(tables)-1].Provenance.Rounds), cell.Thousands(UnboundedHorizons[1]), Budget.Epsilon, Budget.Delta, tables[0].Provenance.Seed)
	return t, nil
}

// FigureUnbounded draws the regret over sums that need n, and over those that do not, with a bar
// for each n that they are calibrated for.
func FigureUnbounded() *charts.Figure {
	names := map[string]string{
		GaussianSound: "tree", UnboundedSound: "Unbounded, seldom", UnboundedBlind: "the same, n unknown",
	}
	f := &charts.Figure{
		Title: "Sums that need n, and sums that do not", Scale: committed + "jdp-unbounded-*-gap0.1.csv",
		X: charts.Axis{Name: "sums"}, Y: charts.Axis{Name: "cumulative regret"},
	}
	all := []string{GaussianSound, BLTSound, UnboundedSound, UnboundedBlind}
	for _, policy := range all {
		f.X.Categories = append(f.X.Categories, cmp.Or(names[policy], short(policy)))
	}
	for _, horizon := range UnboundedHorizons {
		t := lab.MustTable(Unbounded(cell.Paper, horizon, 0.1).Name)
		s := lasts95(t, fmt.Sprintf("n = %s", cell.Thousands(horizon)), all)
		f.Series = append(f.Series, s)
		f.Alt += s.Name + ":"
		for i, y := range s.Y {
			f.Alt += fmt.Sprintf(" %s %.0f,", f.X.Categories[i], y)
		}
		f.Alt = strings.TrimSuffix(f.Alt, ",") + ". "
		f.Caption += fmt.Sprintf("n = %s: regret at round %s. ", cell.Thousands(horizon), cell.Thousands(t.Provenance.Rounds))
		if horizon == Horizon {
			f.Caption += fmt.Sprintf("Means of %d trials with 95%% intervals; d = %d, K = %d, gap %g, %s; seed %d", t.Curves[0].Trials, dimension, setArms, Gaps[1], asked, t.Provenance.Seed)
		}
	}
	return f
}

// endless returns |C|^2 of the exponents p and q, gamma and delta in their code.
//
// It is the mean over the unit circle of |c|^2, from angle exp(-far) on, by Simpson's rule in s =
// -ln(angle). Beyond s = 44, where the circle is at 1, it is in u = ln s, and beyond u = 20 of the
// leading term.
func endless(gamma, delta, far float64) (sum float64) {
	simpson := func(from, to float64, f func(float64) float64) {
		const steps = 20_000
		h := (to - from) / steps
		for i := range steps {
			x := from + float64(i)*h
			sum += (f(x) + 4*f(x+h/2) + f(x+h)) * h / 6
		}
	}
	of := func(log, angle, turn float64) float64 { // l = log + i angle, z = exp(i turn)
		square, m := log*log+angle*angle, math.Atan2(angle, log)-turn
		return math.Pow(square, gamma) * math.Pow(math.Log(square)*math.Log(square)+4*m*m, delta) / math.Pi
	}
	simpson(-math.Log(math.Pi), min(far, 44), func(s float64) float64 {
		turn := math.Exp(-s)
		side := 2 * math.Sin(turn/2)
		return turn / side * of(-math.Log(side), (math.Pi-turn)/2, turn)
	})
	if far > 44 {
		simpson(math.Log(44), 20, func(u float64) float64 { return math.Exp(u) * of(math.Exp(u), math.Pi/2, 0) })
		simpson(20, 20+60/(-2*gamma-1), func(u float64) float64 {
			return math.Exp((2*gamma+1)*u) * math.Pow(2*u, 2*delta) / math.Pi
		})
	}
	return sum
}

// claimUnbounded checks that Unbounded's growth is the one with the least bound, that what it plays
// does not depend on the horizon, and, in the committed tables, that it has less regret than BLT.
func claimUnbounded(s cell.Scale) (string, error) {
	const n = 100_000
	quarter, blt := foreseen(continual.Unbounded{Budget: Budget}, dimension, n), foreseen(continual.BLT{Budget: Budget}, dimension, n)
	for _, growth := range []float64{1. / 64, 1. / 16, 1. / 8, 0.25, 0.5, 1} {
		bound := foreseen(continual.Unbounded{Budget: Budget, Growth: growth}, dimension, n)
		check.That(bound >= quarter, "a growth of %v has the bound %.5g, the default %.5g", growth, bound, quarter)
		check.That(growth == 0.25 || bound > quarter*1.001, "a growth of %v has the bound %.5g of the default", growth, bound)
	}
	check.That(quarter < 0.9*blt, "the bound over Unbounded is %.5g, over BLT %.5g", quarter, blt)
	evidence := fmt.Sprintf("bound %.3g, of BLT %.3g (d = 5, n = %d); ", quarter, blt, n)
	var blind []float64
	for _, horizon := range UnboundedHorizons {
		e := Unbounded(s, horizon, 0.1)
		e.Policies, e.Pairs, e.Trials, e.Rounds, e.Grid = e.Policies[len(e.Policies)-1:], nil, 2, 5_000, nil
		blind = append(blind, check.Try(e.Run(context.Background())).Curves()[0].Final())
	}
	check.That(blind[0] == blind[1], "with n unknown, the regret is %v for one horizon and %v for the other", blind[0], blind[1])
	for _, e := range experimentsUnbounded(cell.Paper) {
		table := check.Try(results.Table(e.Name))
		round, mean, se := check.Try(table.Curve(UnboundedSound + " - " + BLTSound)).Last()
		check.That(mean < -3*se, "%s, round %d: Unbounded less BLT is %.0f ± %.0f", e.Name, round, mean, se)
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", e.Name, mean, se)
	}
	evidence += "Unbounded less BLT, trial by trial; |C|²"
	for _, c := range [][4]float64{ // exponents, and what scipy has: |C|² and the share of 2⁶³ rows
		{-0.51, 0, 16.587, 1.830}, {-0.51, 0.51, 1761.05, 5.362}, {-0.51, 0.612, 4986, 7.083},
		{-2.5, 3.6, 6.263316, 6.18}, {-4, 5.25, 2.902402, 2.902},
	} {
		all, countable := endless(c[0], c[1], math.Inf(1)), endless(c[0], c[1], 63*math.Ln2)
		check.That(math.Abs(all/c[2]-1) < 1e-4 && math.Abs(countable/c[3]-1) < 2e-3,
			"|C|² of p = %v, q = %v is %v, of which 2⁶³ rows make %v, want %v and %v", c[0], c[1], all, countable, c[2], c[3])
		evidence += fmt.Sprintf(", %.4g for p = %v and q = %v, of which the first 2⁶³ rows make %.1f", all, c[0], c[1], countable)
	}
	return evidence, nil
}
