package ldp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims lists the claims of notebook 01 that are checked against committed tables, and by shorter
// runs. Its cells check the others.
var Claims = lab.Claims{
	{"figure 1", "OnlineUCB with OGD is ahead of all rivals as printed at ε = 10, of those with S = √d alone at ε = 1, and of none, nor of random arms, at ε = 0.2; with Maler of none at ε ≤ 1; of the script's rivals it is behind at ε ≤ 1, but for LDP with S = √d at 0.2, and at ε = 10 ahead of all but JDP and SDP with S = 1", claimFigure1},
	{"script", "the script's three policies have the regrets here that they have in an implementation apart from this one", claimScript},
	{"equal privacy", "with sound noise and tuned widths joint privacy costs least at every ε, then shuffling, then the local model, where OnlineUCB is ahead of LDP LinUCB at ε = 10 only", claimEqual},
	{"knowing less", "at T = 100,000 the theory's constants leave at most two of four base learners to choose from, with targets above any reward; at ε = 10 all variants have less than a quarter of random arms' regret, and those that do not know T more than the learner that does", claimCombiner},
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

func claimFigure1(s lab.Scale) (string, error) {
	roots, ones := []string{jdpPrinted, sdpPrinted, ldpPrinted}, []string{jdpPrintedOne, sdpPrintedOne, ldpPrintedOne}
	scripts := []string{jdpScriptRoot, sdpScriptRoot, jdpScript, sdpScript, ldpScript} // and LDP with S = √d
	printed := slices.Concat(roots, ones)
	expected := map[float64][]lab.Comparison{
		0.2: slices.Concat(ahead(0, onlineOGD, append(printed, randomArms, ldpScriptRoot)...), ahead(-1, onlineOGD, scripts...)),
		1:   slices.Concat(ahead(1, onlineOGD, roots...), ahead(0, onlineOGD, ones...), ahead(-1, onlineOGD, append(scripts, ldpScriptRoot)...)),
		10:  slices.Concat(ahead(1, onlineOGD, append(printed, jdpScriptRoot, sdpScriptRoot, ldpScriptRoot, ldpScript)...), ahead(0, onlineOGD, jdpScript, sdpScript)),
	}
	var evidence []string
	for _, epsilon := range Epsilons {
		tables := panel(epsilon)
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), tables, expected[epsilon]...); err != nil {
			return "", err
		}
		for _, name := range printed {
			if z, err := lab.Lead(tables, onlineMaler, name); err != nil || epsilon == 10 && z < 3 || epsilon < 10 && z > 3 {
				return "", fmt.Errorf("ε = %g: with Maler OnlineUCB is ahead of %s by %.1f standard errors: %v", epsilon, name, z, err)
			}
		}
		_, mean, se := lab.Last(cell.Try(lab.Curve(tables, onlineOGD)))
		evidence = append(evidence, fmt.Sprintf("ε = %g: OnlineUCB %.0f ± %.0f, random arms %.0f", epsilon, mean, se, cell.Try(lab.Curve(tables, randomArms)).Final()))
	}
	trials := cell.Pick(s, 6, 6, 20)
	now, err := lab.Brief(figure1(lab.Lecture, 10), trials, jdpPrintedOne, ldpPrintedOne, onlineOGD)
	if err != nil {
		return "", err
	}
	return strings.Join(evidence, "; ") + fmt.Sprintf("; and %d trials now at ε = 10", trials),
		lab.Compare(fmt.Sprintf("%d trials, ε = 10", trials), []*simulate.Table{now}, ahead(1, onlineOGD, jdpPrintedOne, ldpPrintedOne)...)
}

// claimScript compares with the means of the other implementation, within three combined standard
// errors.
func claimScript(s lab.Scale) (string, error) {
	trials, worst, compared := cell.Pick(s, 20, 20, 50), 0.0, 0
	now, err := lab.Brief(figure1Script(lab.Lecture, 1), trials, jdpScript, sdpScript, ldpScript)
	if err != nil {
		return "", err
	}
	for _, epsilon := range Epsilons {
		committed, err := results.Table(figure1Script(lab.Paper, epsilon).Name)
		if err != nil {
			return "", err
		}
		curves := committed.Curves
		if epsilon == 1 {
			curves = slices.Concat(curves, now.Curves)
		}
		for _, c := range curves {
			other, ok := scriptElsewhere[epsilon][c.Policy]
			if !ok {
				continue
			}
			_, mean, se := lab.Last(c)
			z := math.Abs(mean-other[0]) / math.Hypot(se, other[1])
			if z > 3 {
				return "", fmt.Errorf("ε = %g, %s: %.0f ± %.0f of %d trials, %.0f ± %.0f elsewhere: z = %.1f", epsilon, c.Policy, mean, se, c.Trials, other[0], other[1], z)
			}
			worst, compared = max(worst, z), compared+1
		}
	}
	return fmt.Sprintf("%d regrets, three of them of %d trials now, at most %.1f combined standard errors apart", compared, trials, worst), nil
}

func claimEqual(s lab.Scale) (string, error) {
	var evidence []string
	for _, epsilon := range Epsilons {
		t := lab.MustTable(equal(lab.Paper, epsilon).Name)
		for _, p := range equals {
			if proved := lab.TrueEpsilon(t, p.name); proved > epsilon*(1+1e-3) && !strings.HasPrefix(p.name, linUCBPublic) {
				return "", fmt.Errorf("%s: ε = %g at %g", p.name, proved, epsilon)
			}
		}
		ours := bestWidth(t)
		list := append(ahead(1, sdpTuned, ours, ldpTuned), ahead(1, bltTuned, sdpTuned)...)
		if epsilon == 10 {
			list = append(list, ahead(1, ours, ldpTuned)...)
		} else if z, err := lab.Lead([]*simulate.Table{t}, ours, ldpTuned); err != nil || z > 0 {
			return "", fmt.Errorf("ε = %g: OnlineUCB is ahead of LDP LinUCB by %.1f standard errors: %v", epsilon, z, err)
		}
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), []*simulate.Table{t}, list...); err != nil {
			return "", err
		}
		row := fmt.Sprintf("ε = %g:", epsilon)
		for _, name := range []string{bltTuned, sdpTuned, ldpTuned, ours} {
			row += fmt.Sprintf(" %.0f", cell.Try(t.Curve(name)).Final())
		}
		evidence = append(evidence, row+fmt.Sprintf(" (%s)", ours))
	}
	trials, plain := cell.Pick(s, 6, 6, 20), onlineWidths[0].name
	now, err := lab.Brief(equal(lab.Lecture, 1), trials, bltTuned, plain)
	if err != nil {
		return "", err
	}
	joint, local := now.Curves[0].Final(), now.Curves[1].Final()
	if joint > local/3 || joint > 1000 {
		return "", fmt.Errorf("%d trials, ε = 1: regret %.0f of %s and %.0f of %s", trials, joint, bltTuned, local, plain)
	}
	return "regret of JDP, SDP, LDP LinUCB, OnlineUCB: " + strings.Join(evidence, "; ") + fmt.Sprintf("; %d trials now at ε = 1: JDP %.0f, OnlineUCB × 1 %.0f", trials, joint, local), nil
}

// claimCombiner: at T = 100,000 the theory's constants ask for more than rewards can hold and leave
// at most two of four base learners to choose from; all variants learn, and forgetting is what
// costs most.
func claimCombiner(lab.Scale) (string, error) {
	const rounds = 100_000
	l := policies(longEpsilon, []contender{{longTheory, combiner(1, 1)}})[0].New().(*learner.Local)
	if err := simulate.Play(paperArms(), l, rounds, Seed, func(*bandit.View, []int) {}); err != nil {
		return "", err
	}
	playing, least := 0, math.Inf(1)
	standings := l.Server.(*learner.CombinerServer).Standings(nil)
	for _, b := range standings {
		least = min(least, b.Target)
		if b.Played > 0 {
			playing++
		}
	}
	if len(standings) != 4 || playing > 2 || least < 1 {
		return "", fmt.Errorf("%d of %d base learners play, and the least target is %.3g; want at most 2 of 4, and more than 1", playing, len(standings), least)
	}
	if guesses := learner.CombinerGuesses(rounds)[1:]; slices.Min(guesses) < 0.2 {
		return "", fmt.Errorf("the guesses %.3g of a least eigenvalue begin below 1/d", guesses)
	}
	tables, evidence := []*simulate.Table{lab.MustTable(longRun(lab.Paper).Name)}, ""
	random := cell.Try(lab.Curve(panel(longEpsilon), randomArms)).Final() * rounds / Horizon // each round costs the same
	for _, c := range tables[0].Curves {
		_, mean, se := lab.Last(c)
		if mean > random/4 {
			return "", fmt.Errorf("%s: regret %.0f, more than a quarter of random arms' %.0f", c.Policy, mean, random)
		}
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", c.Policy, mean, se)
	}
	err := lab.Compare("T = 100,000", tables, ahead(1, longKnown, longForgets, longAnytime, longCombined, longTheory)...)
	return evidence + fmt.Sprintf("random arms: %.0f; with the theory's constants the least target is %.3g", random, least), err
}
