package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "ldp-fig1", What: "regret at epsilon = 0.2, 1, 10: rivals as printed and OnlineUCB with sound noise; a public script's constants", Experiments: experimentsFigure1, Report: reportFigure1},
	{Name: "ldp-Table1", What: "Appendix G: least eigenvalues across experiments, and within a run", Report: reportTable1},
	{Name: "ldp-radius", What: "beyond the paper: regret of OnlineUCB by the factor of its confidence width", Experiments: experimentsRadius, Report: reportRadius},
	{Name: "ldp-equal", What: "beyond the paper: all trust models at the same epsilon and delta, with sound noise", Experiments: experimentsEqual, Report: reportEqual},
	{Name: "ldp-long", What: "beyond the paper: the anytime variant and the combiner to 100,000 rounds", Experiments: experimentsLong, Report: reportLong},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

func experimentsFigure1(s lab.Scale) (list []*simulate.Experiment) {
	for _, epsilon := range Epsilons {
		list = append(list, Experiments1(s, epsilon)...)
	}
	return list
}

// scriptElsewhere are the regrets of the public script's policies, mean and standard error of 50
// trials, in an implementation apart from this one, in Python, that follows the script step by
// step. The script itself has S = sqrt(d).
var scriptElsewhere = map[float64]map[string][2]float64{
	0.2: {JDPScript: {2179, 124}, SDPScript: {3547, 141}, LDPScript: {6381, 359}, JDPScriptRoot: {3360, 100}, SDPScriptRoot: {4959, 113}, LDPScriptRoot: {6939, 203}},
	1:   {JDPScript: {1074, 39}, SDPScript: {1586, 55}, LDPScript: {2846, 87}, JDPScriptRoot: {1891, 48}, SDPScriptRoot: {2795, 56}, LDPScriptRoot: {4227, 77}},
	10:  {JDPScript: {648, 17}, SDPScript: {780, 21}, LDPScript: {1051, 29}, JDPScriptRoot: {911, 24}, SDPScriptRoot: {1201, 30}, LDPScriptRoot: {1773, 44}},
}

// verdict says by how much a rival's regret is more than OnlineUCB's, in standard errors of the
// difference.
func verdict(difference, se float64) string {
	switch z := difference / se; {
	case z > 3:
		return "OnlineUCB ahead"
	case z < -3:
		return "OnlineUCB behind"
	default:
		return "not separated"
	}
}

func reportFigure1(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("ε", "policy", "trust model", "true ε", "regret", "SE", "less OnlineUCB's", "SE ", "z > 3?", "elsewhere")
	t.Align = "rllrrrrrlr"
	for i, epsilon := range Epsilons {
		honest, script := tables[2*i], tables[2*i+1]
		ours, err := honest.Curve(OnlineOGD)
		if err != nil {
			return nil, err
		}
		_, base, baseSE := lab.Last(ours)
		for _, table := range []*simulate.Table{honest, script} {
			for _, c := range table.Curves {
				if strings.HasSuffix(c.Policy, " - "+OnlineOGD) || table == script && c.Policy == LinUCBPublic {
					continue
				}
				_, mean, se := lab.Last(c)
				difference, differenceSE := mean-base, math.Hypot(se, baseSE)
				if pair, err := table.Curve(c.Policy + " - " + OnlineOGD); err == nil {
					_, difference, differenceSE = lab.Last(pair)
				}
				row := []any{fmt.Sprint(epsilon), c.Policy, lab.ClaimLine(table.Claims[c.Policy], "model"), lab.Number(lab.TrueEpsilon(table, c.Policy)), fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se),
					fmt.Sprintf("%.0f", difference), fmt.Sprintf("%.0f", differenceSE), verdict(difference, differenceSE), "–"}
				if other, ok := scriptElsewhere[epsilon][c.Policy]; ok {
					row[9] = fmt.Sprintf("%.0f ± %.0f", other[0], other[1])
				}
				switch {
				case c.Policy == LinUCBPublic:
					row[2], row[8] = "none", "–"
				case c.Policy == RandomArms:
					row[2], row[3] = "looks at nothing", "–"
				case strings.HasPrefix(c.Policy, "JDP, script"):
					row[2] = "none: its noise is kept"
				case strings.HasPrefix(c.Policy, "OnlineUCB"):
					row[8] = "–"
				}
				if c.Policy == OnlineOGD {
					row[6], row[7] = "–", "–"
				}
				t.Add(row...)
			}
		}
	}
	t.Caption = fmt.Sprintf("Figure 1: regret at round %s, δ = %g, fixed arms, %d trials. True ε: what is proved at that δ; 0 where the noise leaves less than δ to tell two rows apart. \"as printed\": S = √d, or 1. OnlineUCB: width × %d, OGD told curvature 0.1 at ε = 10 and 0.05 below. "+
		"The differences from \"OnlineUCB, OGD\" are trial by trial, but for the script's policies, which play the script's arms. Elsewhere: the script's steps in an implementation apart from this one, 50 trials. The paper's figure has no numbers", cell.Thousands(tables[0].Provenance.Rounds), Delta, tables[0].Curves[0].Trials, figure1Width)
	t.Scale = string(s)
	return t, nil
}

// row returns the regret of a policy and how OnlineUCB stands to it.
func row(tables []*simulate.Table, ours, name string) string {
	_, mean, _ := lab.Last(cell.Try(lab.Curve(tables, name)))
	if ours == name {
		return fmt.Sprintf("%.0f", mean)
	}
	short := map[string]string{"OnlineUCB ahead": ", ahead", "OnlineUCB behind": ", behind", "not separated": ", ≈"}
	return fmt.Sprintf("%.0f%s", mean, short[verdict(cell.Try(lab.Lead(tables, ours, name)), 1)])
}

// BestWidth returns the name of OnlineUCB with the width that has the least regret at equal
// privacy.
func BestWidth(equal *simulate.Table) (best string) {
	least := math.Inf(1)
	for _, width := range onlineWidths {
		if _, mean, _ := lab.Last(cell.Try(equal.Curve(OnlineWidth(width)))); mean < least {
			best, least = OnlineWidth(width), mean
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
		honest, script := MustTables1(epsilon)
		both, equal := []*simulate.Table{honest, script}, lab.MustTable(Equal(lab.Paper, epsilon).Name)
		best, fair := BestWidth(equal), []*simulate.Table{equal}
		for i, names := range [][]string{
			{JDPPrinted, JDPPrintedOne, JDPScriptRoot, JDPScript, bltTuned}, {SDPPrinted, SDPPrintedOne, SDPScriptRoot, SDPScript, sdpTuned},
			{LDPPrinted, LDPPrintedOne, LDPScriptRoot, LDPScript, ldpTuned},
		} {
			cells := []any{fmt.Sprint(epsilon), []string{"JDP", "SDP", "LDP"}[i], says[epsilon][i]}
			for _, name := range names[:4] {
				cells = append(cells, row(both, OnlineOGD, name))
			}
			t.Add(append(cells, row(fair, best, names[4]))...)
		}
		ours := row(both, OnlineOGD, OnlineOGD)
		t.Add(fmt.Sprint(epsilon), "OnlineUCB", "", ours, ours, ours, ours, row(fair, best, best))
		t.Add(fmt.Sprint(epsilon), "random arms", "", row(both, OnlineOGD, RandomArms), "", "", "", "")
	}
	t.Caption = fmt.Sprintf("Mean regret after %s rounds, %d trials, seed %d, δ = %g, fixed arms. Ahead, behind, ≈: how OnlineUCB (OGD) stands to the rival by three standard errors of the difference, and less. "+
		"Equal privacy: noise that is proved enough for the same ε, rivals' widths × 0.2, OnlineUCB's the best of × 1, 2, 4, 16. The paper's figure prints no numbers", cell.Thousands(Horizon), lab.MustTable(Experiments1(lab.Paper, 1)[0].Name).Curves[0].Trials, Seed, Delta)
	t.Scale = charts.PaperScale("notebooks/results/ldp-fig1-*.csv and ldp-equal-*.csv")
	return t
}

// MustFigure1 draws the three panels of Figure 1 as frames, each in both readings of the rivals.
func MustFigure1() *charts.Figure {
	f := charts.Regret("Figure 1, in both readings of the rivals", nil)
	f.Slider = &charts.Slider{Label: "ε, rivals", Start: 4}
	f.Caption = fmt.Sprintf("Mean of %d trials, seed %d, with 95%% bands; δ = %g, fixed arms. OnlineUCB has sound noise and width × %d. The script's rivals play the script's arms", lab.MustTable(Experiments1(lab.Paper, 1)[0].Name).Curves[0].Trials, Seed, Delta, figure1Width)
	f.Scale = charts.PaperScale("notebooks/results/ldp-fig1-*.csv")
	f.Alt = "Figure 1: at ε = 10 OnlineUCB's regret flattens below that of all rivals; at ε = 1 and 0.2 it keeps growing, above the script's rivals."
	for _, epsilon := range Epsilons {
		honest, script := MustTables1(epsilon)
		both := []*simulate.Table{honest, script}
		for _, names := range [][]string{
			{"as printed", LinUCBPublic, JDPPrinted, SDPPrinted, LDPPrinted, OnlineOGD, OnlineMaler, RandomArms},
			{"the script's", LinUCBPublic, JDPScriptRoot, SDPScriptRoot, LDPScriptRoot, OnlineOGD, OnlineMaler, RandomArms},
		} {
			frame := charts.Frame{Value: fmt.Sprintf("%g, %s", epsilon, names[0])}
			for i, name := range names[1:] {
				s := charts.Curves([]simulate.Curve{cell.Try(lab.Curve(both, name))})[0]
				s.Style = 1 + i
				frame.Series = append(frame.Series, s)
			}
			f.Slider.Frames = append(f.Slider.Frames, frame)
		}
	}
	return f
}

// MustTables1 returns the committed tables of a panel of Figure 1: the honest recipe's and the
// script's.
func MustTables1(epsilon float64) (honest, script *simulate.Table) {
	e := Experiments1(lab.Paper, epsilon)
	return lab.MustTable(e[0].Name), lab.MustTable(e[1].Name)
}
