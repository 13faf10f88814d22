package ldp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims lists the claims of notebook 01 that are checked against committed tables, and by shorter
// runs. Its cells check the others.
var Claims = assert.Claims{
	{"figure 1", "OnlineUCB with OGD is ahead of all rivals as printed at ε = 10, of those with S = √d alone at ε = 1, and of none, nor of random arms, at ε = 0.2; with Maler of none at ε ≤ 1; of the script's rivals it is behind at ε ≤ 1, but for LDP with S = √d at 0.2, and at ε = 10 ahead of all but JDP and SDP with S = 1; no rival as printed has a larger ε than it is asked for, but SDP at ε = 10", claimFigure1},
	{"script", "the script's three policies have the regrets here that they have in an implementation apart from this one", claimScript},
	{"equal privacy", "with noise proved enough for the same ε (rivals with width × 0.2, OnlineUCB with the best of four) joint privacy costs least at every ε, then shuffling, then the local model, where OnlineUCB is ahead of LDP LinUCB at ε = 10 only", claimEqual},
	{"knowing less", "at T = 100,000 the theory's constants leave at most two of four base learners to choose from, with targets above any reward; at ε = 10 all variants have less than a quarter of random arms' regret, and those that do not know T more than the learner that does; restarts alone make it three to five times as large", claimCombiner},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

// ahead says how a policy stands to others: ahead (1), behind (-1) or neither.
func ahead(want int, policy string, others ...string) (list []lab.Comparison) {
	for _, name := range others {
		list = append(list, lab.Comparison{A: policy, B: name, Want: want})
	}
	return list
}

func claimFigure1(s cell.Scale) (string, error) {
	roots, ones := []string{jdpPrinted, sdpPrinted, ldpPrinted}, []string{jdpPrintedOne, sdpPrintedOne, ldpPrintedOne}
	scripts := []string{jdpScriptRoot, sdpScriptRoot, jdpScript, sdpScript, ldpScript} // and LDP with S = √d
	printed := slices.Concat(roots, ones)
	expected := map[float64][]lab.Comparison{
		0.2: slices.Concat(ahead(0, onlineOGD, append(printed, randomArms, ldpScriptRoot)...), ahead(-1, onlineOGD, scripts...)),
		1:   slices.Concat(ahead(1, onlineOGD, roots...), ahead(0, onlineOGD, ones...), ahead(-1, onlineOGD, append(scripts, ldpScriptRoot)...)),
		10:  slices.Concat(ahead(1, onlineOGD, append(printed, jdpScriptRoot, sdpScriptRoot, ldpScriptRoot, ldpScript)...), ahead(0, onlineOGD, jdpScript, sdpScript)),
	}
	evidence := ""
	for _, epsilon := range Epsilons {
		tables := panel(epsilon)
		check.OK(lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), lab.Curves(tables), expected[epsilon]...))
		for _, name := range printed {
			z := check.Try(simulate.Lead(lab.Curves(tables), onlineMaler, name))
			check.That((tables[0].Epsilon(name) > epsilon) == (epsilon == 10 && strings.HasPrefix(name, sdpPrinted)), "ε = %g: %s has %g", epsilon, name, tables[0].Epsilon(name))
			check.That(epsilon == 10 && z >= 3 || epsilon < 10 && z <= 3, "ε = %g: with Maler OnlineUCB is ahead of %s by %.1f standard errors", epsilon, name, z)
		}
		_, mean, se := check.Try(lab.Curve(tables, onlineOGD)).Last()
		evidence += fmt.Sprintf("ε = %g: OnlineUCB %.0f ± %.0f, random arms %.0f; ", epsilon, mean, se, check.Try(lab.Curve(tables, randomArms)).Final())
	}
	evidence += atOne(roots)
	most, least := 0.0, math.Inf(1)
	for _, epsilon := range Epsilons {
		for _, name := range scripts {
			if e := lab.MustTables(figure1Script(cell.Paper, epsilon))[0].Epsilon(name); !math.IsInf(e, 1) {
				most, least = max(most, e), min(least, e)
			}
		}
	}
	evidence += fmt.Sprintf("at ε = 10 SDP as printed has %.1f; the script's rivals have from %.2g to %.4g, where they have any; ",
		panel(10)[0].Epsilon(sdpPrinted), least, most)
	trials := cell.Pick(s, 6, 6, 20)
	now := check.Try(lab.Brief(figure1(cell.Lecture, 10), trials, jdpPrintedOne, ldpPrintedOne, onlineOGD))
	return evidence + fmt.Sprintf("and %d trials now at ε = 10", trials),
		lab.Compare(fmt.Sprintf("%d trials, ε = 10", trials), now.Curves, ahead(1, onlineOGD, jdpPrintedOne, ldpPrintedOne)...)
}

// atOne compares OnlineUCB at ε = 1 with rivals as printed: in the run of Figure 1, and, as far as
// JDP and SDP go, in two more runs of the same policy.
func atOne(rivals []string) string {
	tables, least, most := panel(1), math.Inf(1), 0.0
	for _, name := range rivals {
		z := check.Try(simulate.Lead(lab.Curves(tables), onlineOGD, name))
		least, most = min(least, z), max(most, z)
	}
	var again []float64
	for _, run := range []simulate.Curve{
		check.Try(lab.MustTable(Radius(cell.Paper, 1).Name).Curve("width × 4")),
		check.Try(lab.MustTable(equal(cell.Paper, 1).Name).Curve("OnlineUCB, width × 4")),
	} {
		for _, name := range []string{jdpPrinted, sdpPrinted} {
			again = append(again, apart(run, check.Try(lab.Curve(tables, name))))
		}
	}
	check.That(least > 3 && most < 4 && slices.Max(again) < 3, "ε = 1: ahead by %.1f to %.1f standard errors, and by %.1f in other runs", least, most, again)
	ogd, maler := check.Try(lab.Curve(tables, onlineOGD)), check.Try(lab.Curve(tables, onlineMaler))
	check.That(apart(ogd, maler) < 3, "ε = 1: OGD and Maler are %.1f standard errors apart", apart(ogd, maler))
	return fmt.Sprintf("at ε = 1 it is ahead by %.1f to %.1f standard errors, and of JDP and SDP by %.1f to %.1f in two more runs; OGD's %.0f and Maler's %.0f are %.1f apart; ",
		least, most, slices.Min(again), slices.Max(again), ogd.Final(), maler.Final(), apart(ogd, maler))
}

// apart is by how many standard errors the regret of b at the end is larger than that of a, if the
// two are independent.
func apart(a, b simulate.Curve) float64 {
	_, less, lessSE := a.Last()
	_, more, moreSE := b.Last()
	return (more - less) / math.Hypot(lessSE, moreSE)
}

// claimScript compares with the means of the other implementation, within three combined standard
// errors.
func claimScript(s cell.Scale) (string, error) {
	trials, worst, compared := cell.Pick(s, 20, 20, 50), 0.0, 0
	now := check.Try(lab.Brief(figure1Script(cell.Lecture, 1), trials, jdpScript, sdpScript, ldpScript))
	for _, epsilon := range Epsilons {
		tables := lab.MustTables(figure1Script(cell.Paper, epsilon))
		if epsilon == 1 {
			tables = append(tables, now)
		}
		for _, c := range lab.Curves(tables) {
			if other, ok := scriptElsewhere[epsilon][c.Policy]; ok {
				_, mean, se := c.Last()
				z := math.Abs(mean-other[0]) / math.Hypot(se, other[1])
				check.That(z <= 3, "ε = %g, %s: %.0f ± %.0f of %d trials, %.0f ± %.0f elsewhere: z = %.1f", epsilon, c.Policy, mean, se, c.Trials, other[0], other[1], z)
				worst, compared = max(worst, z), compared+1
			}
		}
	}
	return fmt.Sprintf("%d regrets, three of them of %d trials now, at most %.1f combined standard errors apart", compared, trials, worst), nil
}

func claimEqual(s cell.Scale) (string, error) {
	t := charts.NewTable("ε", "JDP", "SDP", "LDP LinUCB", "OnlineUCB", "its width", "less in the mean", "by standard errors")
	t.Align = "rrrrrllr"
	for _, epsilon := range Epsilons {
		tables := lab.MustTables(equal(cell.Paper, epsilon))
		for _, p := range contenders(equals).at(epsilon) {
			proved := tables[0].Epsilon(p.Name)
			check.That(proved <= epsilon*(1+1e-3) || strings.HasPrefix(p.Name, linUCBPublic), "%s: ε = %g at %g", p.Name, proved, epsilon)
		}
		ours := bestWidth(tables[0])
		check.OK(lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), lab.Curves(tables), append(ahead(1, sdpTuned, ours, ldpTuned), ahead(1, bltTuned, sdpTuned)...)...))
		z := check.Try(simulate.Lead(lab.Curves(tables), ours, ldpTuned))
		check.That(epsilon == 10 && z > 3 || epsilon < 10 && z <= 0 && z > -3, "ε = %g: OnlineUCB is ahead of LDP LinUCB by %.1f standard errors", epsilon, z)
		row := []any{fmt.Sprint(epsilon)}
		for _, name := range []string{bltTuned, sdpTuned, ldpTuned, ours} {
			row = append(row, fmt.Sprintf("%.0f", check.Try(lab.Curve(tables, name)).Final()))
		}
		less := "LDP LinUCB"
		if z > 0 {
			less = "OnlineUCB"
		}
		_, width, _ := strings.Cut(ours, "width ")
		t.Add(append(row, width, less, fmt.Sprintf("%.1f", math.Abs(z)))...)
	}
	const wide = "width × 16"
	twice := apart(check.Try(lab.MustTable(Radius(cell.Paper, 1).Name).Curve(wide)), check.Try(lab.MustTable(equal(cell.Paper, 1).Name).Curve("OnlineUCB, "+wide)))
	check.That(twice > 3, "ε = 1: OnlineUCB × 16 differs from itself by %.1f standard errors", twice)
	round, runs := size(lab.MustTable(equal(cell.Paper, 1).Name))
	evidence := fmt.Sprintf("mean regret after %s rounds, %d trials; the last two columns compare LDP LinUCB and OnlineUCB\n\n%s\ntwo runs of OnlineUCB × 16 at ε = 1 are %.1f standard errors apart; ", round, runs, t.Text(), twice)
	trials, plain := cell.Pick(s, 6, 6, 20), onlineWidths.at(1)[0].Name
	now := check.Try(lab.Brief(equal(cell.Lecture, 1), trials, bltTuned, plain))
	joint, local := now.Curves[0].Final(), now.Curves[1].Final()
	check.That(joint <= min(local/3, 1000), "%d trials, ε = 1: regret %.0f of %s and %.0f of %s", trials, joint, bltTuned, local, plain)
	return evidence + fmt.Sprintf("%d trials now at ε = 1: JDP %.0f, OnlineUCB × 1 %.0f", trials, joint, local), nil
}

func claimCombiner(cell.Scale) (string, error) {
	const rounds = 100_000
	var run bandit.Run
	check.OK(simulate.Play(paperArms, combiner(privacy.Budget{Epsilon: longEpsilon, Delta: Delta}, 1, 1), rounds, Seed, func(r *simulate.Round) { run = r.Run }))
	playing, least := 0, math.Inf(1)
	standings := run.(*learner.LocalRun).Server().(*local.CombinerReceiver).Standings(nil)
	for _, b := range standings {
		least = min(least, b.Target)
		if b.Played > 0 {
			playing++
		}
	}
	check.That(len(standings) == 4 && playing <= 2 && least >= 1, "%d of %d base learners play, and the least target is %.3g; want at most 2 of 4, and more than 1", playing, len(standings), least)
	guesses := local.CombinerGuesses(rounds)[1:]
	check.That(slices.Min(guesses) >= 0.2, "the guesses %.3g of a least eigenvalue begin below 1/d", guesses)
	tables, evidence := lab.MustTables(longRun(cell.Paper)), ""
	random := check.Try(lab.Curve(panel(longEpsilon), randomArms)).Final() * rounds / Horizon // each round costs the same
	for _, c := range tables[0].Curves {
		_, mean, se := c.Last()
		check.That(mean <= random/4, "%s: regret %.0f, more than a quarter of random arms' %.0f", c.Policy, mean, random)
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", c.Policy, mean, se)
	}
	times := check.Try(lab.Curve(tables, longForgets)).Final() / check.Try(lab.Curve(tables, longKnown)).Final()
	check.That(times > 3 && times < 5, "restarts alone make the regret %.1f times as large", times)
	return evidence + fmt.Sprintf("random arms: %.0f; with the theory's constants the least target is %.3g", random, least),
		lab.Compare("T = 100,000", lab.Curves(tables), ahead(1, longKnown, longForgets, longAnytime, longCombined, longTheory)...)
}
