package jdp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Corollaries 10 and 12: the regret for Wishart and for Gaussian noise as powers of n, d and
// epsilon.

// RateAt is a point at which regret is bounded, or measured: alpha = 1/n, delta is Experiment 2's.
type RateAt struct {
	Rounds, Dim int
	Epsilon     float64
}

// RateBase is the point that one of n, d and epsilon is varied from in runs. RateFar is where the
// bounds come near their powers.
var (
	RateBase = RateAt{50_000, 6, 10}
	RateFar  = RateAt{50_000 << 40, 6, 10}
)

// RateAxes are what is varied.
var RateAxes = []string{"n", "d", "ε"}

// Over lists four points, of which each has twice the n, d or epsilon of the one before.
func (at RateAt) Over(axis string) (x []float64, points []RateAt) {
	for i := range 4 {
		p, v := at, 0.0
		switch axis {
		case "n":
			p.Rounds = at.Rounds / 4 << i
			v = float64(p.Rounds)
		case "d":
			p.Dim = at.Dim / 2 << i
			v = float64(p.Dim)
		case "ε":
			p.Epsilon = at.Epsilon / 8 * float64(int(1)<<i)
			v = p.Epsilon
		}
		x, points = append(x, v), append(points, p)
	}
	return x, points
}

// RatePower fits the power of n, d or epsilon about a point, by least squares on logarithms.
func RatePower(at RateAt, axis string, of func(RateAt) float64) float64 {
	x, points := at.Over(axis)
	y := make([][]float64, len(x))
	for i, p := range points {
		y[i] = []float64{of(p)}
	}
	return check.Try(simulate.LogLogSlope(x, y)).Value
}

// RateOf is a kind of noise in one calibration, under the paper's rule for its shift.
type RateOf struct {
	Noise       string // Wishart or Gaussian
	Calibration privacy.Calibration
}

// RatesOf lists them, those of Corollary 10 first.
var RatesOf = []RateOf{
	{"Wishart", privacy.AsPublished}, {"Wishart", privacy.Sound},
	{"Gaussian", privacy.AsPublished}, {"Gaussian", privacy.Sound},
}

// String names the noise in figures.
func (of RateOf) String() string {
	return map[privacy.Calibration]string{privacy.AsPublished: "printed ", privacy.Sound: "sound "}[of.Calibration] + of.Noise
}

// nodes returns the noise at a budget.
func (of RateOf) nodes(b privacy.Budget) continual.NodeNoise {
	if of.Noise == "Wishart" {
		return continual.Wishart{Budget: b, Calibration: of.Calibration}
	}
	return continual.Gaussian{Budget: b, Calibration: of.Calibration}
}

// play returns the decision sets and LinUCB over a tree with the noise. There are as many arms in
// any dimension.
func (of RateOf) play(at RateAt, gap float64) (environment.DecisionSets, bandit.Learner) {
	nodes := of.nodes(privacy.Budget{Epsilon: at.Epsilon, Delta: Budget.Delta})
	return environment.DecisionSets{Dim: at.Dim, Arms: 25, Gap: gap}, learner.New(linear.UCB{}, continual.Tree{Noise: nodes})
}

// Bound returns Theorem 5's bound on the regret, or Theorem 6's where there is a gap.
func (of RateOf) Bound(at RateAt, gap float64) float64 {
	env, l := of.play(at, gap)
	return promised(check.Try(l.Open(env.Problem(), at.Rounds)), at.Rounds, gap)
}

// regret plays one run.
func (of RateOf) regret(at RateAt, gap float64, seed uint64) (sum float64) {
	env, l := of.play(at, gap)
	check.OK(simulate.Play(env, l, at.Rounds, seed, func(r *simulate.Round) { sum += r.Trial.Regret(r.Played) }))
	return sum
}

// Spread returns the root of rho_max, for a failure probability alpha = 1/n and a delta.
func (of RateOf) Spread(at RateAt, delta float64) float64 {
	nodes := check.Try(of.nodes(privacy.Budget{Epsilon: at.Epsilon, Delta: delta}).Open(privacy.Setup{
		Dim: at.Dim + 1, Horizon: at.Rounds, Bound: math.Sqrt2, Context: 1, Alpha: 1 / float64(at.Rounds),
	}))
	return math.Sqrt(nodes.Bounds(nodes.Shift()).RhoMax)
}

// Formula is what stands under the O of the noise's corollary, for sigma = S = B = 1 and L~^2 = 2:
// of its general bound, or of the one for a gap.
func (of RateOf) Formula(at RateAt, gap float64) float64 {
	n, d := float64(at.Rounds), float64(at.Dim)
	log := math.Log(n) // of 1/alpha, too
	sum := log + d*log + of.Private(at, Budget.Delta)
	if gap > 0 {
		return sum * sum / gap
	}
	return math.Sqrt(n) * sum
}

// Private is the summand of that formula that privacy causes.
func (of RateOf) Private(at RateAt, delta float64) float64 {
	d, log, secret := float64(at.Dim), math.Log(float64(at.Rounds)), -math.Log(delta)
	if of.Noise == "Wishart" {
		return math.Sqrt(2*d) * math.Pow(log, 0.75) * (math.Pow(d, 0.25) + math.Pow(secret, 0.25)/math.Sqrt(at.Epsilon)) *
			(math.Pow(d, 0.25) + math.Pow(2*log, 0.25))
	}
	return math.Sqrt2 * log * math.Sqrt(d*(math.Sqrt(d)+2*log)*secret/at.Epsilon)
}

// LogPower fits the power of log n, or of log(1/δ), in the summand that privacy causes where the
// term with ε is the larger: of the bound, S sqrt(rho_max) sqrt(d log n), and of the corollary.
func (of RateOf) LogPower(axis string) (bound, formula float64) {
	var x []float64
	var y, printed [][]float64
	for _, e := range []int{7, 15, 30, 60} {
		at, delta := RateAt{1 << 26, 2, 0.01}, math.Pow(10, -5*float64(e))
		v := -math.Log(delta)
		if axis == "n" {
			at.Rounds, delta = 1<<e, Budget.Delta
			v = math.Log(float64(at.Rounds))
		}
		x, printed = append(x, v), append(printed, []float64{of.Private(at, delta)})
		y = append(y, []float64{of.Spread(at, delta) * math.Sqrt(math.Log(float64(at.Rounds)))})
	}
	return check.Try(simulate.LogLogSlope(x, y)).Value, check.Try(simulate.LogLogSlope(x, printed)).Value
}

// RateUseful returns the least power of two of rounds whose bound is below 2n, which no regret
// exceeds.
func RateUseful(of RateOf, at RateAt, gap float64) int {
	for at.Rounds = 1 << 10; of.Bound(at, gap) >= 2*float64(at.Rounds); at.Rounds *= 2 {
	}
	return at.Rounds
}

// The names of what is measured: the regret at a point, and its power of n, d or epsilon.
func RateRegret(of RateOf, at RateAt, gap float64) string {
	return fmt.Sprintf("%v, gap %g: regret at n = %d, d = %d, ε = %g", of, gap, at.Rounds, at.Dim, at.Epsilon)
}

// RateRun is the power of n, d or epsilon in the regret of a run.
func RateRun(of RateOf, axis string, gap float64) string {
	return fmt.Sprintf("%v, gap %g: power of %s", of, gap, axis)
}

// rates plays all points with one seed a trial, so that powers are of the same contexts.
func rates(s cell.Scale) []*lab.Study {
	base := RateBase
	base.Rounds = cell.Pick(s, 400, 2_000, base.Rounds)
	var points []RateAt
	known := map[RateAt]bool{}
	for _, axis := range RateAxes {
		_, some := base.Over(axis)
		for _, p := range some {
			if !known[p] {
				known[p], points = true, append(points, p)
			}
		}
	}
	study := &lab.Study{Name: "jdp-rates", Seed: Seed, Trials: cell.Pick(s, 2, 3, 8), Rounds: base.Rounds}
	each := func(visit func(of RateOf, gap float64)) {
		for _, gap := range Gaps {
			for _, of := range RatesOf {
				visit(of, gap)
			}
		}
	}
	each(func(of RateOf, gap float64) {
		for _, p := range points {
			study.What = append(study.What, RateRegret(of, p, gap))
		}
		for _, axis := range RateAxes {
			study.What = append(study.What, RateRun(of, axis, gap))
		}
	})
	study.Trial = func(trial int) (out []float64) {
		each(func(of RateOf, gap float64) {
			regret := map[RateAt]float64{}
			for _, p := range points {
				regret[p] = of.regret(p, gap, uint64(Seed*1000+trial))
				out = append(out, regret[p])
			}
			for _, axis := range RateAxes {
				out = append(out, RatePower(base, axis, func(p RateAt) float64 { return regret[p] }))
			}
		})
		return out
	}
	return []*lab.Study{study}
}

// printedPowers are those of n, d and epsilon in the main term, without logarithms.
var printedPowers = map[float64][]string{0: {"1/2", "3/4", "−1/2"}, Gaps[1]: {"0", "3/2", "−1"}}

// reportRates has a row for each power of each corollary: as printed, of the formula under the O,
// of the theorem's bound, and in runs.
func reportRates(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("noise", "gap", "of", "printed", "formula", "bound", "in runs", "95% interval", "formula, far", "bound, far")
	base := RateBase
	base.Rounds = tables[0].Provenance.Rounds
	for _, of := range RatesOf {
		for _, gap := range Gaps {
			formula := func(at RateAt) float64 { return of.Formula(at, gap) }
			bound := func(at RateAt) float64 { return of.Bound(at, gap) }
			for i, axis := range RateAxes {
				c := check.Try(tables[0].Curve(RateRun(of, axis, gap)))
				half := c.Student95() * c.SE[0]
				number := func(x float64) string { return fmt.Sprintf("%.2f", x) }
				t.Add(of.String(), gap, axis, printedPowers[gap][i], number(RatePower(base, axis, formula)), number(RatePower(base, axis, bound)),
					number(c.Final()), fmt.Sprintf("%.2f to %.2f", c.Final()-half, c.Final()+half),
					number(RatePower(RateFar, axis, formula)), number(RatePower(RateFar, axis, bound)))
			}
		}
	}
	t.Align = "lrlrrrrrrr"
	t.Caption = fmt.Sprintf("Powers of n, d and ε about n = %d, d = %d, ε = %g, δ = %g, K = 25, and of bounds far off, at n = %.0e. Printed is the main term without logarithms, "+
		"formula what stands under the O, bound Theorem 5, or 6 with a gap; %s", base.Rounds, base.Dim, base.Epsilon, Budget.Delta, float64(RateFar.Rounds), lab.Size(tables[0]))
	return t, nil
}

// FigureRates draws the regret a round over n: what Theorem 5 promises, and what runs without a gap
// have.
func FigureRates() *charts.Figure {
	f := &charts.Figure{
		Title: "Regret a round: promised, and in runs", Scale: committed,
		X: charts.Axis{Name: "rounds n", Log: true}, Y: charts.Axis{Name: "regret a round", Log: true},
		Marks: []charts.Mark{charts.AtY(2, "no regret is larger")},
		Caption: fmt.Sprintf("Lines: Theorem 5. Points: means of %s, no gap. d = %d, ε = %g, δ = %g", lab.Size(lab.MustTable("jdp-rates")),
			RateBase.Dim, RateBase.Epsilon, Budget.Delta),
	}
	at := RateBase
	for i, of := range RatesOf {
		x, points := RateBase.Over("n")
		bound, runs := charts.Series{Name: "bound, " + of.String(), Style: i + 1}, charts.Series{Name: "runs, " + of.String(), Style: i + 1, Kind: charts.Scatter, X: x}
		for at.Rounds = 1 << 12; at.Rounds <= 1<<40; at.Rounds *= 4 {
			bound.X, bound.Y = append(bound.X, float64(at.Rounds)), append(bound.Y, of.Bound(at, 0)/float64(at.Rounds))
		}
		for k, p := range points {
			c := cell.Try(lab.MustTable("jdp-rates").Curve(RateRegret(of, p, 0)))
			half := c.Student95() * c.SE[0]
			runs.Y, runs.Lo, runs.Hi = append(runs.Y, c.Final()/x[k]), append(runs.Lo, (c.Final()-half)/x[k]), append(runs.Hi, (c.Final()+half)/x[k])
		}
		f.Series = append(f.Series, bound, runs)
		last := len(runs.Y) - 1
		f.Alt += fmt.Sprintf("%s: at n = %g the bound is %.1f a round, and runs have %.4f. ", of, x[last], of.Bound(points[last], 0)/x[last], runs.Y[last])
	}
	return f
}
