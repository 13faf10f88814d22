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
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// ShiftGreedy is LinUCB over BLT with a hundredth of its width.
const ShiftGreedy = BLTSound + ", β/100"

// shiftTimes are the multiples of Theorem 5's rho_min that Shift races.
var shiftTimes = []float64{0.5, 1, 2, 4, 8}

// shiftWorld is a setting of Shift. All have setArms arms, and n = 131072 rounds.
type shiftWorld struct {
	name string
	env  environment.DecisionSets
	sums []string // what the policies read, by the names of seldomSums, and ShiftGreedy
}

// shiftWorlds are the settings: Experiment 2's, the same with arms that stay, and other dimensions.
// Each has the same public numbers as another, or one of them changed.
var shiftWorlds = []shiftWorld{
	{"gap0", environment.DecisionSets{Dim: dimension, Arms: setArms}, shiftSums},
	{"gap0.1", environment.DecisionSets{Dim: dimension, Arms: setArms, Gap: 0.1}, append(shiftSums[:3:3], ShiftGreedy)},
	{"fixed", environment.DecisionSets{Dim: dimension, Arms: setArms, Gap: 0.1, Fixed: true}, shiftSums},
	{"d3", environment.DecisionSets{Dim: 3, Arms: setArms, Gap: 0.1}, shiftSums[:1]},
	{"d10", environment.DecisionSets{Dim: 10, Arms: setArms, Gap: 0.1}, shiftSums[:1]},
}

var shiftSums = []string{BLTSound, UnboundedSound, SeldomEighth}

// race returns a race in the setting, as yet without policies.
func (w shiftWorld) race(s cell.Scale, prefix string, seed uint64) *simulate.Experiment {
	horizon := UnboundedHorizons[0]
	rounds := cell.Pick(s, 5_000, 30_000, horizon)
	return &simulate.Experiment{
		Name: prefix + w.name, Environment: w.env, Seed: seed, Horizon: horizon, Rounds: rounds,
		Trials: cell.Pick(s, 2, 8, 64), Grid: simulate.LogGrid(rounds, 30),
	}
}

// arms says whether the setting's arms stay.
func (w shiftWorld) arms() string {
	if w.env.Fixed {
		return "the same"
	}
	return "fresh"
}

// shiftName names a policy of Shift.
func shiftName(sums string, times float64) string { return fmt.Sprintf("%s, ρmin × %g", sums, times) }

// Shift races multiples of the rho_min that Theorem 5 prefers, with the trial-by-trial differences
// to that.
func Shift(s cell.Scale, world shiftWorld) *simulate.Experiment {
	e := world.race(s, "jdp-shift-", Seed+6)
	for _, name := range world.sums {
		sums, rule := seldomSums[name], linear.UCB{}
		if name == ShiftGreedy {
			sums, rule.Width = seldomSums[BLTSound], 0.01
		}
		best := theoremShift(sums, world.env.Problem(), e.Horizon)
		for _, times := range shiftTimes {
			rule := rule
			if times == 1 {
				rule.OptimalShift = true
			} else {
				rule.RhoMin = math.Round(times * best)
				e.Pairs = append(e.Pairs, [2]string{shiftName(name, times), shiftName(name, 1)})
			}
			e.Policies = append(e.Policies, simulate.Policy{Name: shiftName(name, times), Learner: learner.New(rule, sums)})
		}
	}
	return e
}

func experimentsShift(s cell.Scale) (list []*simulate.Experiment) {
	for _, world := range shiftWorlds {
		list = append(list, Shift(s, world))
	}
	return list
}

// theoremShift returns the rho_min with the least bound of Theorem 5.
func theoremShift(sums privacy.Accumulator, p bandit.Problem, horizon int) float64 {
	return linUCB(check.Try(learner.New(linear.UCB{OptimalShift: true}, sums).Open(p, horizon))).Bounds().RhoMin
}

// shiftBounds are bounds on the regret that depend on rho_min, by name. S = L = sigma = 1, rewards
// are in [-1, 1], alpha is 1/n, and sums are released after every row.
//
// On the event of Proposition 4, of probability 1 - alpha, a round's regret is at most 2, and at
// most 2 beta_t w_t with w_t = |x_t|_{V_t^-1} and
//
//	beta_t <= B_t = sqrt(2 ln(2/alpha) + d ln(rho_max/rho_min + t/(d rho_min)))
//	                + sqrt(rho_max) + gamma.
//
// V_t >= U_t = rho_min I + G_t, and sum_t ln(1 + |x_t|^2_{U_t^-1}) = ln det U_{n+1} - d ln rho_min
// <= P = d ln(1 + n/(d rho_min)).
//
//   - printed: Theorem 5. It has B_n for all B_t, and min(1, w^2) <= 2 ln(1 + w^2).
//   - tighter: as w^2 <= 1/rho_min, w^2 <= k ln(1 + w^2) with k = (1/rho_min)/ln(1 + 1/rho_min).
//     By Cauchy and Schwarz the regret is at most 2 sqrt(k P sum_t B_t^2). k is near 1.
//   - excited: if G_t = (t/d) I, which is the best that contexts of norm 1 can do, w_t is at most
//     1/sqrt(rho_min + t/d), and the regret at most sum_t min(2, 2 B_t w_t): J of the notebook.
//   - early: excited, summed up to the round from which 2 B_t w_t < 1.5. Arms that are worse by 1.5
//     or more are not played after that.
var shiftBounds = []struct {
	name string
	of   func(s privacy.Spread, d, n int, rho float64) float64
}{
	{"printed", func(s privacy.Spread, d, n int, rho float64) float64 {
		width := widthAt(s, d, n, rho, float64(n))
		return width * math.Sqrt(8*float64(n)*float64(d)*math.Log1p(float64(n)/(float64(d)*rho)))
	}},
	{"tighter", func(s privacy.Spread, d, n int, rho float64) float64 {
		var sum float64
		blocks(n, func(first, last float64) {
			width := widthAt(s, d, n, rho, last)
			sum += (last - first) * width * width
		})
		k := 1 / (rho * math.Log1p(1/rho))
		return min(2*float64(n), 2*math.Sqrt(k*float64(d)*math.Log1p(float64(n)/(float64(d)*rho))*sum))
	}},
	{"excited", func(s privacy.Spread, d, n int, rho float64) float64 { return excited(s, d, n, rho, 0) }},
	{"early", func(s privacy.Spread, d, n int, rho float64) float64 { return excited(s, d, n, rho, 1.5) }},
}

// widthAt bounds beta_t after so many rows.
func widthAt(s privacy.Spread, d, n int, rho, rows float64) float64 {
	b := s.Bounds(rho - s.Low)
	return math.Sqrt(2*math.Log(2*float64(n))+float64(d)*math.Log((b.RhoMax+rows/float64(d))/b.RhoMin)) + math.Sqrt(b.RhoMax) + b.Gamma
}

// excited sums min(2, 2 B_t w_t) over the rounds where 2 B_t w_t is at least a gap. In a block of
// rounds, B is that of the last and w that of the first. The last block counts in part.
func excited(s privacy.Spread, d, n int, rho, gap float64) (regret float64) {
	blocks(n, func(first, last float64) {
		width := 2 * widthAt(s, d, n, rho, last)
		bound, after := width/math.Sqrt(rho+first/float64(d)), width/math.Sqrt(rho+last/float64(d))
		part := max(0, min(1, (bound-gap)/(bound-after)))
		regret += part * (last - first) * min(2, bound)
	})
	return regret
}

// blocks cuts n rounds into blocks that grow by a fiftieth.
func blocks(n int, do func(first, last float64)) {
	for first := 0; first < n; {
		last := min(n, first+1+first/50)
		do(float64(first), float64(last))
		first = last
	}
}

// leastAt returns where a function of rho_min is least, to a percent.
func leastAt(of func(rho float64) float64) (at float64) {
	least := math.Inf(1)
	for rho := 1.0; rho < 1e6; rho *= 1.02 {
		if value := of(rho); value < least {
			at, least = rho, value
		}
	}
	return at
}

// spreadOf returns the spread of the sums' noise in rows of d + 1 numbers.
func spreadOf(sums privacy.Accumulator, d, n int) privacy.Spread {
	m := check.Try(sums.Open(privacy.Setup{Dim: d + 1, Horizon: n, Bound: math.Sqrt2, Context: 1, Alpha: 1 / float64(n)}))
	return m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) })).Release().Spread
}

// shiftSetting is a setting in which the bounds are minimised.
type shiftSetting struct {
	sums func(privacy.Budget) privacy.Accumulator
	what string
	eps  float64
	d, n int
}

// shiftSettings are Experiment 2's with n = 131072, and those with one of its numbers changed.
func shiftSettings() (list []shiftSetting) {
	blt := func(b privacy.Budget) privacy.Accumulator { return continual.BLT{Budget: b} }
	of := map[string]func(privacy.Budget) privacy.Accumulator{
		"BLT": blt, "Unbounded": func(b privacy.Budget) privacy.Accumulator { return continual.Unbounded{Budget: b} },
		"Seldom": func(b privacy.Budget) privacy.Accumulator { return continual.Seldom{Budget: b, Growth: 1. / 8} },
		"tree": func(b privacy.Budget) privacy.Accumulator {
			return continual.Tree{Noise: continual.Gaussian{Budget: b}}
		},
	}
	for _, name := range []string{"BLT", "Unbounded", "Seldom", "tree"} {
		list = append(list, shiftSetting{of[name], name, 1, dimension, 1 << 17})
	}
	for _, eps := range []float64{0.3, 3} {
		list = append(list, shiftSetting{blt, fmt.Sprintf("ε = %g", eps), eps, dimension, 1 << 17})
	}
	for _, d := range []int{3, 10} {
		list = append(list, shiftSetting{blt, fmt.Sprintf("d = %d", d), 1, d, 1 << 17})
	}
	for _, n := range []int{1 << 15, 1 << 20} {
		list = append(list, shiftSetting{blt, fmt.Sprintf("n = %s", cell.Thousands(n)), 1, dimension, n})
	}
	return list
}

func reportShift(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("arms", "d", "gap", "sums", "ρmin", "of Theorem 5's", "regret", "SE", "minus Theorem 5's", "95% interval", "trials")
	t.Align = "lrrlrrrrrrr"
	for i, world := range shiftWorlds {
		for _, name := range world.sums {
			sums := seldomSums[strings.TrimSuffix(name, ", β/100")]
			best := theoremShift(sums, world.env.Problem(), UnboundedHorizons[0])
			for _, times := range shiftTimes {
				c := check.Try(tables[i].Curve(shiftName(name, times)))
				_, mean, se := c.Last()
				less, interval := less(tables[i], shiftName(name, times), shiftName(name, 1))
				t.Add(world.arms(), world.env.Dim, world.env.Gap, label(name), cell.Thousands(int(math.Round(times*best))), fmt.Sprintf("%g", times),
					fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), less, interval, c.Trials)
			}
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret after n = %s rounds against the shift, %d arms, ε = %g and δ = %g asked for in every row. Of Theorem 5's is ρmin over the one with the least bound of Theorem 5; β/100 has a hundredth of the width, for which no theorem holds. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), setArms, Budget.Epsilon, Budget.Delta, tables[0].Provenance.Seed)
	return t, nil
}

// FigureShift draws the regret over BLT against the shift, both as multiples of what they are at
// Theorem 5's shift. A line is a setting.
func FigureShift() *charts.Figure {
	const top = 1.8
	f := &charts.Figure{
		Title: "Regret against the shift", Scale: committed + "jdp-shift-*.csv", Height: 520,
		X: charts.Axis{Name: "ρmin over Theorem 5's ρmin"}, Y: charts.Axis{Name: "regret over that at Theorem 5's ρmin", Range: [2]float64{0, top}},
		Marks: []charts.Mark{charts.AtY(1, "")},
	}
	for _, times := range shiftTimes {
		f.X.Categories = append(f.X.Categories, fmt.Sprintf("%g", times))
	}
	beyond := ""
	for _, of := range []struct {
		name, world, sums string
		style             int
	}{
		{"fresh arms, d = 3", "d3", BLTSound, 1}, {"fresh arms, d = 5", "gap0.1", BLTSound, 2}, {"fresh arms, d = 10", "d10", BLTSound, 3},
		{"arms that stay, d = 5", "fixed", BLTSound, 5}, {"fresh arms, d = 5, β/100", "gap0.1", ShiftGreedy, 4},
	} {
		t, s := lab.MustTable("jdp-shift-"+of.world), charts.Series{Name: of.name, Style: of.style}
		for i, times := range shiftTimes {
			share, lo, hi := over(t, shiftName(of.sums, times), shiftName(of.sums, 1))
			with(&s, i, share, lo, hi)
			if share > top && times == shiftTimes[len(shiftTimes)-1] {
				beyond = fmt.Sprintf("; the line of β/100 leaves the picture, and is at %.1f in the end", share)
			}
		}
		f.Series = append(f.Series, s)
		f.Alt += fmt.Sprintf("%s: %.2f at half of the shift, %.2f at four times, %.2f at eight times. ", of.name, s.Y[0], s.Y[3], s.Y[4])
	}
	t := lab.MustTable("jdp-shift-fixed")
	f.Caption = fmt.Sprintf("LinUCB over BLT, gap %g, %d arms, %s, n = %s rounds; %d trials, seed %d. Bands are the 95%% intervals of paired differences%s",
		shiftWorlds[2].env.Gap, setArms, asked, cell.Thousands(t.Provenance.Rounds), t.Curves[0].Trials, t.Provenance.Seed, beyond)
	return f
}

// claimBestShift minimises the bounds, plays a run under them, and compares what they ask for with
// the committed tables.
func claimBestShift(s cell.Scale) (string, error) {
	var evidence []string
	for _, at := range shiftSettings() {
		sums := at.sums(privacy.Budget{Epsilon: at.eps, Delta: Budget.Delta})
		spread := spreadOf(sums, at.d, at.n)
		var least []float64
		for _, bound := range shiftBounds {
			least = append(least, leastAt(func(rho float64) float64 { return bound.of(spread, at.d, at.n, rho) }))
		}
		p := environment.DecisionSets{Dim: at.d, Arms: setArms}.Problem()
		for i, of := range []func(ratio float64) bool{
			func(r float64) bool { return math.Abs(r-1) < 0.03 }, // printed
			func(r float64) bool { return math.Abs(r-1) < 0.05 }, // tighter
			func(r float64) bool { return r > 0.35 && r < 0.7 },  // excited
			func(r float64) bool { return r > 0.45 && r < 0.95 }, // early
		} {
			ratio := least[i] / theoremShift(sums, p, at.n)
			check.That(of(ratio), "%s: the bound %s is least at %.2f of Theorem 5's rho_min", at.what, shiftBounds[i].name, ratio)
			least[i] = ratio
		}
		evidence = append(evidence, fmt.Sprintf("%s %.2f, %.2f, %.2f", at.what, least[1], least[2], least[3]))
	}
	evidence[0] = "ρmin of the tighter bound, of J, and of its early rounds, over Theorem 5's: " + evidence[0]
	regret, summed, bound := underBounds(cell.Pick(s, 1<<15, 1<<17, 1<<17))
	evidence = append(evidence, fmt.Sprintf("a run has regret %.0f, its widths promise %.0f, the bound %.0f", regret, summed, bound))
	for _, of := range []struct {
		world, sums string
		times, sign float64
	}{
		{"gap0", BLTSound, 4, -1}, {"gap0", UnboundedSound, 4, -1}, {"gap0", SeldomEighth, 4, -1},
		{"gap0.1", BLTSound, 4, -1}, {"gap0.1", UnboundedSound, 4, -1}, {"gap0.1", SeldomEighth, 4, -1},
		{"d10", BLTSound, 4, -1}, {"d10", BLTSound, 8, -1},
		{"fixed", BLTSound, 4, 1}, {"fixed", UnboundedSound, 4, 1}, {"fixed", SeldomEighth, 4, 1},
		{"gap0", BLTSound, 0.5, 1}, {"gap0.1", BLTSound, 0.5, 1}, {"gap0.1", ShiftGreedy, 4, 1},
	} {
		table := lab.MustTable("jdp-shift-" + of.world)
		_, mean, se := check.Try(table.Curve(shiftName(of.sums, of.times) + " - " + shiftName(of.sums, 1))).Last()
		check.That(of.sign*mean > 3*se, "%s, %s: %g times less Theorem 5's is %.0f ± %.0f", of.world, of.sums, of.times, mean, se)
		evidence = append(evidence, fmt.Sprintf("%s, %s × %g: %+.0f ± %.0f", of.world, of.sums, of.times, mean, se))
	}
	for _, of := range []struct {
		world       string
		least, most float64 // share of the regret at Theorem 5's shift that is paid in the first 25th
	}{{"gap0.1", 0.9, 1}, {"fixed", 0, 0.2}} {
		table := lab.MustTable("jdp-shift-" + of.world)
		base := check.Try(table.Curve(shiftName(BLTSound, 1)))
		at := slices.IndexFunc(base.Rounds, func(t int) bool { return 25*t > base.Rounds[len(base.Rounds)-1] })
		share := base.Mean[at-1] / base.Final()
		d := check.Try(table.Curve(shiftName(BLTSound, 4) + " - " + shiftName(BLTSound, 1)))
		check.That(share >= of.least && share <= of.most && d.Mean[at-1] < -3*d.SE[at-1],
			"%s: %.2f of the regret is paid by round %d, where four times the shift is ahead by %.0f ± %.0f", of.world, share, base.Rounds[at-1], -d.Mean[at-1], d.SE[at-1])
		evidence = append(evidence, fmt.Sprintf("%s, %s: by round %d %.2f is paid, and × 4 %+.0f ± %.0f", of.world, BLTSound, base.Rounds[at-1], share, d.Mean[at-1], d.SE[at-1]))
	}
	return strings.Join(evidence, "; "), nil
}

// underBounds plays LinUCB over BLT and checks in every round that the regret so far is at most
// what the widths of the arms played promise, and that this is at most the tighter bound.
func underBounds(rounds int) (regret, summed, bound float64) {
	env := environment.DecisionSets{Dim: dimension, Gap: 0.1}
	l := check.Try(learner.New(linear.UCB{OptimalShift: true}, seldomSums[BLTSound]).Open(env.Problem(), rounds))
	rule, spread := linUCB(l), spreadOf(seldomSums[BLTSound], dimension, rounds)
	bound = shiftBounds[1].of(spread, dimension, rounds, rule.Bounds().RhoMin)
	trial := check.Try(env.Open()).Start(random.New(Seed, 0, "contexts"))
	run, rewards := l.Start(random.New(Seed, 0, "own"), random.Source(Seed, 0, "noise")), random.New(Seed, 0, "rewards")
	var v bandit.View
	var arms []int
	var insights []bandit.Insight
	y, widths := []float64{0}, 0.0
	for range rounds {
		trial.Next(&v)
		arms = check.Try(run.Select(&v, arms[:0]))
		insights = check.Try(bandit.Explain(run, &v, insights[:0]))
		regret += trial.Regret(arms)
		widths += 2 * insights[arms[0]].Width
		summed += min(2, 2*insights[arms[0]].Width)
		check.That(regret <= summed, "a regret of %v, and the widths promise %v", regret, summed)
		trial.Pull(rewards, arms, y)
		check.OK(run.Update(&v, arms, y))
	}
	check.That(min(widths, 2*float64(rounds)) <= bound, "the widths add up to %v, and the bound is %v", widths, bound)
	return regret, summed, bound
}
