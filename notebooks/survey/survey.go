// Package survey holds the experiments of the survey "Differentially Private Online Algorithms":
// functions that a notebook and `make reproduce` both call.
package survey

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{{
	Name: "survey-ftrl", What: "DP-FTRL: regret over sqrt T on a drifting and on an adaptive stream, four mechanisms",
	Report: ftrlReport,
}, {
	Name: "survey-nas", What: "DP-NAS: when it stops, and how often it is right, as printed and mended",
	Report: nasReport,
}, {
	Name: "survey-arms", What: "many arms, T = 1e6: DP-SE, AdaP-UCB, DP-UCB, UCB1, KL-UCB and Thompson sampling on two instances",
	Experiments: func(s lab.Scale) []*simulate.Experiment {
		return []*simulate.Experiment{Arms(s, "c1"), Arms(s, "c2")}
	},
	Report: armsReport,
}, {
	Name: "survey-coreset", What: "linear arms, T = 1e6: elimination on a core set, by the published and the sound width",
	Experiments: coreSets, Report: coreSetReport,
}, {
	Name: "leaderboard", What: "all learners that fit, on six environments at four epsilons: proved, audited, regret, optimum, cost",
	Experiments: Leaderboard, Report: leaderboardReport,
}, {
	Name: "survey-imed", What: "many arms, T = 1e7: regret over the d_eps bound of all private learners, in the 16 cells of DP-IMED's paper",
	Experiments: imedExperiments, Report: imedReport,
}}

// Golden is a number with its standard error, which an independent program found. An SE of 0 means
// that none is known.
type Golden struct{ Mean, SE float64 }

// Name returns the name of a learner's policy at an epsilon.
func Name(learner string, epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return learner + ", no noise"
	}
	return fmt.Sprintf("%s, epsilon = %g", learner, epsilon)
}

// apart returns how many combined standard errors a mean is from a golden. Where the golden's own
// is not known, it counts as 0.3% of it.
func apart(mean, se float64, g Golden) float64 {
	known := g.SE
	if known == 0 {
		known = 0.003 * g.Mean
	}
	return (mean - g.Mean) / math.Hypot(se, known)
}

// beside returns the cells of a golden, and of the difference, for a report. Scale smoke runs
// something else, so that there is nothing to compare.
func beside(s lab.Scale, mean, se float64, g Golden, ok bool) []any {
	if !ok || s == lab.Smoke {
		return []any{"–", "–", "–"}
	}
	known := "–"
	if g.SE > 0 {
		known = number(g.SE)
	}
	return []any{number(g.Mean), known, fmt.Sprintf("%+.1f", apart(mean, se, g))}
}

// number writes a number with at least three digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".")
}

// final returns the mean regret of a policy at the last round, and its standard error.
func final(t *simulate.Table, policy string) (mean, se float64, err error) {
	c, err := t.Curve(policy)
	if err != nil {
		return 0, 0, err
	}
	k := len(c.Rounds) - 1
	return c.Mean[k], c.SE[k], nil
}
