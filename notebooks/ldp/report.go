package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "ldp-fig1", What: "regret at epsilon = 0.2, 1, 10: rivals as printed and OnlineUCB with sound noise; a public script's constants", Experiments: forEpsilons(figure1, figure1Script), Report: reportFigure1},
	{Name: "ldp-Table1", What: "Appendix G: least eigenvalues across experiments, and within a run", Report: reportTable1},
	{Name: "ldp-radius", What: "beyond the paper: regret of OnlineUCB by the factor of its confidence width", Experiments: forEpsilons(Radius), Report: reportRadius},
	{Name: "ldp-equal", What: "beyond the paper: all trust models at the same epsilon and delta, with sound noise", Experiments: forEpsilons(equal), Report: reportEqual},
	{Name: "ldp-long", What: "beyond the paper: the anytime variant and the combiner to 100,000 rounds", Experiments: func(s cell.Scale) []*simulate.Experiment {
		return []*simulate.Experiment{longRun(s)}
	}, Report: reportLong},
	{Name: "ldp-events", What: "Appendix B: how often each part of event E fails; Corollary C.1 and Theorem C.2 beside the same runs", Studies: events, Report: lab.Measured(eventsCaption)},
	{Name: "ldp-rates", What: "Remark 3.7: regret against T and d, local, shuffle, the worst case, the anytime variant and the combiner", Experiments: rates, Report: reportRates},
	{Name: "ldp-sqrt", What: "what came after: largest regret against T and epsilon on ill-conditioned contexts, with information-weighted regression", Studies: sqrtStudy, Report: reportSqrt},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

// size says at which round a table's curves end, and of how many trials they are.
func size(t *simulate.Table) (round string, trials int) {
	return cell.Thousands(t.Provenance.Rounds), t.Curves[0].Trials
}

// byEpsilon lays out the last regrets of tables, one for each epsilon, with a row a policy.
func byEpsilon(tables []*simulate.Table, head []string, tails bool, row func(policy string) []any) *charts.Table {
	var runs []charts.Run
	for i, epsilon := range Epsilons {
		runs = append(runs, charts.Run{Name: fmt.Sprintf("ε = %g", epsilon), Curves: tables[i].Curves})
	}
	return check.Try(charts.Ends(head, tails, row, runs...))
}

func reportRadius(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := byEpsilon(tables, []string{"width ×"}, true, func(policy string) []any { return []any{strings.TrimPrefix(policy, "width × ")} })
	round, trials := size(tables[0])
	t.Caption = fmt.Sprintf("Regret of OnlineUCB at round %s by the factor of its confidence width; sound noise, OGD, fixed arms, %d trials, seed %d. Worst tenth: nine trials of ten have less", round, trials, Seed)
	return t, nil
}

func reportEqual(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := byEpsilon(tables, []string{"policy", "trust model"}, false, func(policy string) []any {
		switch {
		case strings.Contains(policy, " - "):
			return nil // a difference
		case strings.HasPrefix(policy, linUCBPublic):
			return []any{policy, "none"}
		}
		return []any{policy, lab.ClaimLine(tables[0].Claims[policy], "model")}
	})
	round, trials := size(tables[0])
	t.Caption = fmt.Sprintf("Regret at round %s, all with sound noise at the same ε and δ = %g, fixed arms, %d trials, seed %d; vector sums of batches of %d. Widths other than × 1 are tuned: no theorem holds for them, nor for OnlineUCB's × 1", round, Delta, trials, Seed, equalBatch)
	return t, nil
}

func reportLong(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy", "regret", "SE", "trials")
	for _, c := range tables[0].Curves {
		_, mean, se := c.Last()
		t.Add(c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), c.Trials)
	}
	round, _ := size(tables[0])
	t.Caption = fmt.Sprintf("Regret at round %s, ε = %d, δ = %g, sound noise, OGD, fixed arms, seed %d. Scaled: the combiner's bounds × 0.02, its targets × 0.01", round, longEpsilon, Delta, Seed)
	return t, nil
}

// scriptElsewhere are the regrets of the public script's policies, mean and standard error of 50
// trials, in an implementation apart from this one, in Python, that follows the script step by
// step. The script itself has S = sqrt(d).
var scriptElsewhere = map[float64]map[string][2]float64{
	0.2: {jdpScript: {2179, 124}, sdpScript: {3547, 141}, ldpScript: {6381, 359}, jdpScriptRoot: {3360, 100}, sdpScriptRoot: {4959, 113}, ldpScriptRoot: {6939, 203}},
	1:   {jdpScript: {1074, 39}, sdpScript: {1586, 55}, ldpScript: {2846, 87}, jdpScriptRoot: {1891, 48}, sdpScriptRoot: {2795, 56}, ldpScriptRoot: {4227, 77}},
	10:  {jdpScript: {648, 17}, sdpScript: {780, 21}, ldpScript: {1051, 29}, jdpScriptRoot: {911, 24}, sdpScriptRoot: {1201, 30}, ldpScriptRoot: {1773, 44}},
}

// verdict says how OnlineUCB stands to a rival that has so many standard errors more regret.
func verdict(z float64) string {
	switch {
	case z > 3:
		return "ahead"
	case z < -3:
		return "behind"
	}
	return "≈"
}

func reportFigure1(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("ε", "policy", "trust model", "true ε", "regret", "SE", "less OnlineUCB's", "SE ", "z > 3?", "elsewhere")
	t.Align = "rllrrrrrlr"
	says := map[string]string{"ahead": "OnlineUCB ahead", "behind": "OnlineUCB behind", "≈": "not separated"}
	for i, epsilon := range Epsilons {
		_, base, baseSE := check.Try(tables[2*i].Curve(onlineOGD)).Last()
		for _, table := range tables[2*i : 2*i+2] {
			for _, c := range table.Curves {
				if strings.HasSuffix(c.Policy, " - "+onlineOGD) || table == tables[2*i+1] && c.Policy == linUCBPublic {
					continue
				}
				_, mean, se := c.Last()
				difference, differenceSE := mean-base, math.Hypot(se, baseSE)
				if pair, err := table.Curve(c.Policy + " - " + onlineOGD); err == nil {
					_, difference, differenceSE = pair.Last()
				}
				row := []any{fmt.Sprint(epsilon), c.Policy, lab.ClaimLine(table.Claims[c.Policy], "model"), lab.Number(table.Epsilon(c.Policy)), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se),
					fmt.Sprintf("%.0f", difference), fmt.Sprintf("%.0f", differenceSE), says[verdict(difference/differenceSE)], "–"}
				if other, ok := scriptElsewhere[epsilon][c.Policy]; ok {
					row[9] = fmt.Sprintf("%.0f ± %.0f", other[0], other[1])
				}
				switch {
				case c.Policy == linUCBPublic:
					row[2], row[8] = "none", "–"
				case c.Policy == randomArms:
					row[2], row[3] = "looks at nothing", "–"
				case strings.HasPrefix(c.Policy, jdpScript):
					row[2] = "none: its noise is kept"
				case c.Policy == onlineOGD:
					row[6], row[7], row[8] = "–", "–", "–"
				case strings.HasPrefix(c.Policy, "OnlineUCB"):
					row[8] = "–"
				}
				t.Add(row...)
			}
		}
	}
	round, trials := size(tables[0])
	t.Caption = fmt.Sprintf("Figure 1: regret at round %s, δ = %g, fixed arms, %d trials. True ε: what is proved at that δ; 0 where the noise leaves less than δ to tell two rows apart. \"as printed\": S = √d, or 1. OnlineUCB: width × %d, OGD told curvature 0.1 at ε = 10 and 0.05 below. "+
		"The differences from \"OnlineUCB, OGD\" are trial by trial, but for the script's policies, which play the script's arms. Elsewhere: the script's steps in an implementation apart from this one, 50 trials. The paper's figure has no numbers", round, Delta, trials, onlineWidth)
	return t, nil
}

// panel returns the committed tables of a panel of Figure 1: the honest recipe's and the script's.
func panel(epsilon float64) []*simulate.Table {
	return lab.MustTables(figure1(cell.Paper, epsilon), figure1Script(cell.Paper, epsilon))
}

// bestWidth returns the name of OnlineUCB with the width that has the least regret at equal
// privacy.
func bestWidth(equal *simulate.Table) (best string) {
	least := math.Inf(1)
	for _, p := range onlineWidths.at(1) {
		if mean := cell.Try(equal.Curve(p.Name)).Final(); mean < least {
			best, least = p.Name, mean
		}
	}
	return best
}

// MustTableFigure1 lays what the paper says of Figure 1 beside the committed tables: for each
// epsilon and rival its regret, and how OnlineUCB stands to it.
func MustTableFigure1() *charts.Table {
	t := charts.NewTable("ε", "rival", "OnlineUCB, says the paper", "printed, S = √d", "printed, S = 1", "script, S = √d", "script, S = 1", "equal privacy")
	t.Align = "rllrrrrr"
	says := map[float64][]any{0.2: {"", "comparable", "ahead"}, 1: {"ahead", "ahead", "ahead"}, 10: {"ahead", "ahead", "ahead"}}
	for _, epsilon := range Epsilons {
		both, fair := panel(epsilon), lab.MustTables(equal(cell.Paper, epsilon))
		best := bestWidth(fair[0])
		regret := func(tables []*simulate.Table, name string) string {
			return fmt.Sprintf("%.0f", cell.Try(lab.Curve(tables, name)).Final())
		}
		stands := func(tables []*simulate.Table, ours, name string) string {
			return regret(tables, name) + ", " + verdict(cell.Try(simulate.Lead(lab.Curves(tables), ours, name)))
		}
		for i, names := range [][]string{
			{"JDP", jdpPrinted, jdpPrintedOne, jdpScriptRoot, jdpScript, bltTuned}, {"SDP", sdpPrinted, sdpPrintedOne, sdpScriptRoot, sdpScript, sdpTuned},
			{"LDP", ldpPrinted, ldpPrintedOne, ldpScriptRoot, ldpScript, ldpTuned},
		} {
			cells := []any{fmt.Sprint(epsilon), names[0], says[epsilon][i]}
			for _, name := range names[1:5] {
				cells = append(cells, stands(both, onlineOGD, name))
			}
			t.Add(append(cells, stands(fair, best, names[5]))...)
		}
		ours := regret(both, onlineOGD)
		t.Add(fmt.Sprint(epsilon), "OnlineUCB", "", ours, ours, ours, ours, regret(fair, best))
		t.Add(fmt.Sprint(epsilon), "random arms", "", stands(both, onlineOGD, randomArms), "", "", "", "")
	}
	_, trials := size(panel(1)[0])
	t.Caption = fmt.Sprintf("Mean regret after %s rounds, %d trials, seed %d, δ = %g, fixed arms. Ahead, behind, ≈: how OnlineUCB (OGD) stands to the rival by three standard errors of the difference, and less. "+
		"Equal privacy: noise that is proved enough for the same ε, rivals' widths × 0.2, OnlineUCB's the best of × 1, 2, 4, 16. The paper's figure prints no numbers", cell.Thousands(Horizon), trials, Seed, Delta)
	t.Scale = charts.PaperScale("notebooks/results/ldp-fig1-*.csv and ldp-equal-*.csv")
	return t
}

// MustFigure1 draws the three panels of Figure 1 as frames, each in both readings of the rivals.
func MustFigure1() *charts.Figure {
	f := charts.Regret("Figure 1, in both readings of the rivals", nil)
	_, trials := size(panel(1)[0])
	f.Slider = &charts.Slider{Label: "ε, rivals", Start: 4}
	f.Caption = fmt.Sprintf("Mean of %d trials, seed %d, with 95%% bands; δ = %g, fixed arms. OnlineUCB has sound noise and width × %d. The script's rivals play the script's arms", trials, Seed, Delta, onlineWidth)
	f.Scale = charts.PaperScale("notebooks/results/ldp-fig1-*.csv")
	f.Alt = "Regret at the end."
	for _, epsilon := range Epsilons {
		tables := panel(epsilon)
		for _, names := range [][]string{
			{"as printed", linUCBPublic, jdpPrinted, sdpPrinted, ldpPrinted, onlineOGD, onlineMaler, randomArms},
			{"the script's", linUCBPublic, jdpScriptRoot, sdpScriptRoot, ldpScriptRoot, onlineOGD, onlineMaler, randomArms},
		} {
			frame, ends := charts.Frame{Value: fmt.Sprintf("%g, %s", epsilon, names[0])}, []string(nil)
			for i, name := range names[1:] {
				c := cell.Try(lab.Curve(tables, name))
				s := charts.Curves([]simulate.Curve{c})[0]
				s.Style, ends = 1+i, append(ends, fmt.Sprintf(" %s %.0f", c.Policy, c.Final()))
				frame.Series = append(frame.Series, s)
			}
			f.Slider.Frames = append(f.Slider.Frames, frame)
			f.Alt += " ε = " + frame.Value + ":" + strings.Join(ends, ",") + "."
		}
	}
	return f
}
