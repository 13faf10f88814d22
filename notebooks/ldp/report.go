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
	{Name: "ldp-table1", What: "Appendix G: least eigenvalues across experiments, and within a run", Report: reportTable1},
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
	t.Caption = fmt.Sprintf("Figure 1: regret at round %s, δ = %g, fixed arms, %d trials. True ε: what is proved at that δ; 0 where the noise leaves less than δ to tell two rows apart. \"as printed\": S = √d, or 1. OnlineUCB: width × %d, OGD told μ = 0.1 at ε = 10 and 0.05 below. "+
		"The differences from \"OnlineUCB, OGD\" are trial by trial, but for the script's policies, which play the script's arms. Elsewhere: the script's steps in an implementation apart from this one, 50 trials. The paper's figure has no numbers", cell.Thousands(tables[0].Provenance.Rounds), Delta, tables[0].Curves[0].Trials, figure1Width)
	t.Scale = string(s)
	return t, nil
}

// MustTableFigure1 is the committed report of Figure 1 with a row a policy: what is proved, the
// regret and how OnlineUCB with OGD stands, for each epsilon.
func MustTableFigure1() *charts.Table {
	t := charts.NewTable("policy")
	t.Align = "l"
	rows := map[string][]any{}
	var order []string
	for _, epsilon := range Epsilons {
		t.Headers = append(t.Headers, fmt.Sprintf("ε = %g: true ε", epsilon), "regret", "OnlineUCB")
		t.Align += "rrl"
		honest, script := MustTables1(epsilon)
		tables := []*simulate.Table{honest, script}
		for _, table := range tables {
			for _, c := range table.Curves {
				if strings.HasSuffix(c.Policy, " - "+OnlineOGD) || table == script && c.Policy == LinUCBPublic {
					continue
				}
				if rows[c.Policy] == nil {
					order = append(order, c.Policy)
					rows[c.Policy] = []any{c.Policy}
				}
				_, mean, se := lab.Last(c)
				how := "–"
				if !strings.HasPrefix(c.Policy, "OnlineUCB") && c.Policy != LinUCBPublic {
					z, err := lab.Lead(tables, OnlineOGD, c.Policy)
					cell.Must(err)
					how = map[string]string{"OnlineUCB ahead": "ahead", "OnlineUCB behind": "behind", "not separated": "≈"}[verdict(z, 1)]
				}
				rows[c.Policy] = append(rows[c.Policy], lab.Number(lab.TrueEpsilon(table, c.Policy)), fmt.Sprintf("%.0f ± %.0f", mean, se), how)
			}
		}
	}
	for _, name := range order {
		t.Add(rows[name]...)
	}
	t.Caption = fmt.Sprintf("Mean regret after %s rounds and its standard error, 50 trials, δ = %g, fixed arms. True ε: what is proved at that δ (0: the noise leaves less than δ to tell two rows apart). OnlineUCB: how \"OnlineUCB, OGD\" stands to the policy; ≈ is less than three standard errors of the difference. As printed: S = √d, or 1; script: S = 1, or √d", cell.Thousands(Horizon), Delta)
	t.Scale = charts.PaperScale("notebooks/results/ldp-fig1-*.csv")
	return t
}

// styles gives a policy the same colour in all panels.
var styles = map[string]int{LinUCBPublic: 1, JDPPrinted: 2, SDPPrinted: 3, LDPPrinted: 4, OnlineOGD: 5, OnlineMaler: 6, JDPScript: 2, SDPScript: 3, LDPScript: 4}

// Figure1 draws a panel of Figure 1: the honest recipe.
func Figure1(epsilon float64, honest *simulate.Table, scale string) *charts.Figure {
	f := panel(epsilon, "rivals as printed, OnlineUCB with sound noise", scale, honest, LinUCBPublic, JDPPrinted, SDPPrinted, LDPPrinted, OnlineOGD, OnlineMaler)
	f.Caption += fmt.Sprintf(". S = √d for the rivals; true ε: JDP %s, SDP %s, LDP %s, OnlineUCB %s", lab.Number(lab.TrueEpsilon(honest, JDPPrinted)), lab.Number(lab.TrueEpsilon(honest, SDPPrinted)), lab.Number(lab.TrueEpsilon(honest, LDPPrinted)), lab.Number(lab.TrueEpsilon(honest, OnlineOGD)))
	f.Caption += unseparated(honest, OnlineOGD, JDPPrinted, SDPPrinted, LDPPrinted)
	return f
}

// unseparated says which rivals' regret at the last round is within three standard errors of ours.
func unseparated(t *simulate.Table, ours string, rivals ...string) string {
	var near []string
	for _, name := range rivals {
		if z, err := lab.Lead([]*simulate.Table{t}, ours, name); err == nil && math.Abs(z) < 3 {
			near = append(near, name)
		}
	}
	if len(near) == 0 {
		return ". At the last round all rivals differ from " + ours + " by more than three standard errors"
	}
	return fmt.Sprintf(". Not told apart from %s at the last round (less than three standard errors): %s", ours, strings.Join(near, ", "))
}

// Figure1Script draws the same panel with the public script's constants for the rivals.
func Figure1Script(epsilon float64, honest, script *simulate.Table, scale string) *charts.Figure {
	f := panel(epsilon, "a public script's constants, OnlineUCB with sound noise", scale, script, LinUCBPublic, JDPScript, SDPScript, LDPScript)
	ours := panel(epsilon, "", scale, honest, OnlineOGD)
	f.Series = append(f.Series, ours.Series...)
	f.Caption += fmt.Sprintf(". S = 1; true ε: JDP none, SDP %s, LDP %s, OnlineUCB %s", lab.Number(lab.TrueEpsilon(script, SDPScript)), lab.Number(lab.TrueEpsilon(script, LDPScript)), lab.Number(lab.TrueEpsilon(honest, OnlineOGD)))
	return f
}

func panel(epsilon float64, what, scale string, t *simulate.Table, names ...string) *charts.Figure {
	var curves []simulate.Curve
	for _, name := range names {
		if c, err := t.Curve(name); err == nil {
			curves = append(curves, c)
		}
	}
	f := charts.Regret(fmt.Sprintf("Figure 1, ε = %g: %s", epsilon, what), curves)
	f.Series = charts.Curves(curves)
	for i := range f.Series {
		f.Series[i].Style = styles[f.Series[i].Name]
	}
	f.Scale = scale
	return f
}

// MustTables1 returns the committed tables of a panel of Figure 1: the honest recipe's and the
// script's.
func MustTables1(epsilon float64) (honest, script *simulate.Table) {
	e := Experiments1(lab.Paper, epsilon)
	return lab.MustTable(e[0].Name), lab.MustTable(e[1].Name)
}
