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
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// shrinkWorlds are the settings of Shrink: arms that stay, with and without a gap, and fresh ones.
var shrinkWorlds = []shiftWorld{
	{"fixed-gap0", environment.DecisionSets{Dim: dimension, Arms: setArms, Fixed: true}, shiftSums},
	{"fixed-gap0.1", environment.DecisionSets{Dim: dimension, Arms: setArms, Gap: 0.1, Fixed: true}, shiftSums},
	{"gap0.1", environment.DecisionSets{Dim: dimension, Arms: setArms, Gap: 0.1}, shiftSums},
}

// shrinking names a policy of Shrink whose width shrinks.
func shrinking(sums string) string { return sums + ", β shrinks" }

// Shrink compares LinUCB with the width of Proposition 4 and with the one that shrinks as the data
// outgrow noise and shift, with the trial-by-trial differences.
func Shrink(s cell.Scale, world shiftWorld) *simulate.Experiment {
	e := world.race(s, "jdp-shrink-", Seed+7)
	for _, name := range world.sums {
		e.Policies = append(e.Policies,
			simulate.Policy{Name: name, Learner: learner.New(linear.UCB{OptimalShift: true}, seldomSums[name])},
			simulate.Policy{Name: shrinking(name), Learner: learner.New(linear.UCB{OptimalShift: true, Shrink: true}, seldomSums[name])})
		e.Pairs = append(e.Pairs, [2]string{shrinking(name), name})
	}
	return e
}

func experimentsShrink(s cell.Scale) (list []*simulate.Experiment) {
	for _, world := range shrinkWorlds {
		list = append(list, Shrink(s, world))
	}
	return list
}

func reportShrink(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("arms", "gap", "sums", "regret", "SE", "with a shrinking β", "SE ", "minus", "95% interval", "of the regret", "trials")
	t.Align = "lrlrrrrrrrr"
	for i, world := range shrinkWorlds {
		for _, name := range world.sums {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			_, shrunk, shrunkSE := check.Try(tables[i].Curve(shrinking(name))).Last()
			less, interval := less(tables[i], shrinking(name), name)
			t.Add(world.arms(), world.env.Gap, label(name), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se),
				fmt.Sprintf("%.0f", shrunk), fmt.Sprintf("%.0f", shrunkSE), less, interval, fmt.Sprintf("%.0f%%", 100*shrunk/mean), c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret after n = %s rounds with the width of Proposition 4, and with one that shrinks as the data outgrow noise and shift; d = %d, %d arms, ε = %g and δ = %g asked for in every row, all with the shift that minimises Theorem 5. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), dimension, setArms, Budget.Epsilon, Budget.Delta, tables[0].Provenance.Seed)
	return t, nil
}

// FigureShrink draws the regret with a width that shrinks over that with Proposition 4's, with a
// bar for each setting.
func FigureShrink() *charts.Figure {
	f := &charts.Figure{
		Title: "Regret with a width that shrinks", Scale: committed + "jdp-shrink-*.csv",
		X: charts.Axis{Name: "sums"}, Y: charts.Axis{Name: "regret over that with Proposition 4's β", Range: [2]float64{0, 1.2}},
		Marks: []charts.Mark{charts.AtY(1, "")},
	}
	for _, name := range shiftSums {
		f.X.Categories = append(f.X.Categories, short(name))
	}
	for i, world := range shrinkWorlds {
		t, s := lab.MustTable("jdp-shrink-"+world.name), charts.Series{Kind: charts.Bar}
		s.Name = fmt.Sprintf("%s, gap %g", map[bool]string{true: "arms that stay", false: "fresh arms"}[world.env.Fixed], world.env.Gap)
		f.Alt += s.Name + ":"
		for i, name := range world.sums {
			share, lo, hi := over(t, shrinking(name), name)
			with(&s, i, share, lo, hi)
			f.Alt += fmt.Sprintf(" %.2f over %s,", share, short(name))
		}
		f.Alt = strings.TrimSuffix(f.Alt, ",") + ". "
		f.Series = append(f.Series, s)
		if i == 0 {
			f.Caption = fmt.Sprintf("LinUCB, d = %d, %d arms, %s, n = %s rounds, Theorem 5's shift; %d trials, seed %d. Intervals: 95%%, of paired differences",
				dimension, setArms, asked, cell.Thousands(t.Provenance.Rounds), t.Curves[0].Trials, t.Provenance.Seed)
		}
	}
	return f
}

// shrinkRound plays LinUCB over BLT, and shows after each choice how far theta is from the centre
// of the confidence set, in units of beta, and beta.
func shrinkRound(world shiftWorld, shrink bool, rounds int, see func(round int, far, beta float64)) {
	l, env := learner.New(linear.UCB{OptimalShift: true, Shrink: shrink}, seldomSums[BLTSound]), world.env
	trial := check.Try(env.Open()).Start(random.New(Seed, 0, "contexts"))
	run := check.Try(l.Open(env.Problem(), rounds)).Start(random.New(Seed, 0, "own"), random.Source(Seed, 0, "noise"))
	rewards := random.New(Seed, 0, "rewards")
	var v bandit.View
	arms, y := []int{}, []float64{0}
	for round := range rounds {
		trial.Next(&v)
		arms = check.Try(run.Select(&v, arms[:0]))
		far := check.Try(ruleOf(run).Distance(environment.Theta(trial)))
		_, beta := ruleOf(run).Confidence()
		see(round, far, beta)
		trial.Pull(rewards, arms, y)
		check.OK(run.Update(&v, arms, y))
	}
}

// shrinkRounds is the length of a run of shrinkRound.
func shrinkRounds(s cell.Scale) int { return cell.Pick(s, 5_000, 30_000, 1<<17) }

// FigureWidths draws beta over the rounds of runs, with Proposition 4's width and with one that
// shrinks.
func FigureWidths(s cell.Scale) *charts.Figure {
	rounds := shrinkRounds(s)
	const from = 100
	grid := simulate.LogGrid(rounds, 60)
	f := &charts.Figure{
		Title: "The width β over the rounds", Scale: cell.Here(s),
		X: charts.Axis{Name: "round t", Log: true, Range: [2]float64{from, float64(rounds)}}, Y: charts.Axis{Name: "width β"},
	}
	for i, of := range []struct {
		name   string
		shrink bool
		world  int
	}{{"Proposition 4, arms that stay", false, 1}, {"shrinks, arms that stay", true, 1}, {"shrinks, fresh arms", true, 2}} {
		line := charts.Series{Name: of.name, Style: []int{1, 5, 2}[i]}
		shrinkRound(shrinkWorlds[of.world], of.shrink, rounds, func(round int, _, beta float64) {
			if round+1 >= from && slices.Contains(grid, round+1) {
				line.X, line.Y = append(line.X, float64(round+1)), append(line.Y, beta)
			}
		})
		last := line.Y[len(line.Y)-1]
		f.Series = append(f.Series, line)
		f.Alt += fmt.Sprintf("%s: from %.1f to %.1f. ", of.name, line.Y[0], last)
	}
	f.Y.Range = [2]float64{0, 10 * math.Ceil(f.Series[0].Y[len(f.Series[0].Y)-1]/10)}
	f.Caption = fmt.Sprintf("One run of LinUCB over BLT for each line, calibrated for its %s rounds, from round %d on: d = %d, %d arms, gap %g, %s; seed %d",
		cell.Thousands(rounds), from, dimension, setArms, shrinkWorlds[1].env.Gap, asked, Seed)
	return f
}

// paidWide returns the round from which a shrinking width is below Proposition 4's if the arms
// played excite all directions alike, and the share of the regret on fresh arms that is paid before
// it, over BLT with Proposition 4's: in the last round that the table has.
func paidWide() (from int, share float64) {
	world := shrinkWorlds[2]
	ready := check.Try(learner.New(linear.UCB{OptimalShift: true}, seldomSums[BLTSound]).Open(world.env.Problem(), UnboundedHorizons[0]))
	b := linUCB(ready).Bounds()
	from = int(dimension * (b.RhoMax - b.RhoMin))
	c := check.Try(lab.MustTable("jdp-shrink-" + world.name).Curve(BLTSound))
	later := slices.IndexFunc(c.Rounds, func(t int) bool { return t > from })
	return from, c.Mean[later-1] / c.Final()
}

// claimShrink plays a run on fresh arms, in which theta must be in every confidence set, and
// compares the committed tables.
func claimShrink(s cell.Scale) (string, error) {
	rounds := shrinkRounds(s)
	worst, first, last := 0.0, 0.0, 0.0
	shrinkRound(shrinkWorlds[2], true, rounds, func(round int, far, beta float64) {
		if worst, last = math.Max(worst, far), beta; round == 0 {
			first = beta
		}
	})
	check.That(worst <= 1, "theta left the confidence set: |theta - centre|_V = %.3f beta", worst)
	check.That(last < first, "beta is %.1f at first and %.1f at last", first, last)
	evidence := []string{fmt.Sprintf("θ is within %.2f β of the centre in %d rounds; β falls from %.1f to %.1f", worst, rounds, first, last)}
	from, share := paidWide()
	check.That(share > 0.75, "on fresh arms %.2f of the regret is paid by round %d, before beta falls", share, from)
	evidence = append(evidence, fmt.Sprintf("if all directions are excited alike, β falls from round %d on, before which %.2f of the regret on fresh arms is paid over BLT", from, share))
	for _, world := range shrinkWorlds {
		table := lab.MustTable("jdp-shrink-" + world.name)
		for _, name := range world.sums {
			_, mean, se := check.Try(table.Curve(shrinking(name) + " - " + name)).Last()
			check.That(!world.env.Fixed || mean < -3*se, "%s, %s: with a shrinking width %.0f ± %.0f", world.name, name, mean, se)
			check.That(mean < 3*se, "%s, %s: with a shrinking width %.0f ± %.0f", world.name, name, mean, se)
			evidence = append(evidence, fmt.Sprintf("%s, %s: %+.0f ± %.0f", world.name, name, mean, se))
		}
	}
	return strings.Join(evidence, "; "), nil
}
