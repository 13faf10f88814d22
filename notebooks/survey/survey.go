// Package survey holds the experiments of the survey "Differentially Private Online Algorithms":
// functions that a notebook and `make reproduce` both call.
package survey

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
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
	Experiments: func(s cell.Scale) []*simulate.Experiment {
		return []*simulate.Experiment{Arms(s, instances[0]), Arms(s, instances[1])}
	},
	Report: armsReport,
}, {
	Name: "survey-coreset", What: "linear arms, T = 1e6: elimination on a core set, by the published and the sound width",
	Experiments: coreSets, Report: coreSetReport,
}, {
	Name: "leaderboard", What: "all learners that fit, on nine environments at four epsilons: proved, audited, regret, optimum",
	Experiments: Leaderboard, Report: leaderboardReport,
}, {
	Name: "leaderboard-audits", What: "the epsilon that attacks exclude, of each learner of the leaderboard",
	Report: auditReport,
}, {
	Name: "survey-imed", What: "many arms, T = 1e7: regret over the d_eps bound of all private learners, in the 16 cells of DP-IMED's paper",
	Experiments: imedExperiments, Report: imedReport,
}, {
	Name: "survey-regularisers", What: "Theorem 1 on the ball, the simplex and a cube: regret over its bound, as printed and mended",
	Studies: regularisers, Report: lab.Measured("Theorem 1 beside runs: losses of length 1 in ten dimensions that do not depend on what is played"),
}, {
	Name: "survey-pulls", What: "Lemma 4.1: how often DP-SE pulls an arm, beside the bound",
	Studies: pulls, Report: lab.Measured("Lemma 4.1 with the constants of its proof, on arms with gaps from 0.125 to 0.5, beta = 0.05"),
}, {
	Name: "survey-best-arm", What: "the best arm: rounds of TopTwo and of AdaP-TT over the lower bound, at two epsilons on two instances",
	Studies: bestArms, Report: bestArmReport,
}}

// MustReport lays a figure's numbers out from the committed tables.
func MustReport(figure string) *charts.Table {
	f := cell.Try(Figures.Named(figure))
	t := cell.Try(f.Committed())
	t.Scale = lab.Committed(cell.Try(f.Tables())[0])
	return t
}

// Name returns the name of a learner's policy at an epsilon.
func Name(learner string, epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return learner + ", no noise"
	}
	return fmt.Sprintf("%s, epsilon = %g", learner, epsilon)
}

// independent compares with an independent program's numbers after a million rounds. Where their
// standard error is not known, it counts as 0.3% of them.
var independent = charts.Beside{Share: 0.003, Rounds: 1_000_000}

// An instance has the mean rewards of arms in published comparisons.
type instance struct {
	name  string
	means []float64
}

// instances are those of the paper of DP-IMED (Azize, Wu, Honda, Orabona, Ito, Basu 2025).
var instances = []instance{
	{"c1", []float64{0.75, 0.7, 0.7, 0.7, 0.7}},
	{"c2", []float64{0.75, 0.625, 0.5, 0.375, 0.25}},
	{"c3", []float64{0.75, 0.53125, 0.375, 0.28125, 0.25}},
	{"c4", []float64{0.75, 0.71875, 0.625, 0.46875, 0.25}},
}

// environment returns arms with these means.
func (i instance) environment() environment.Arms { return environment.Arms{Means: i.means} }

// compared lists the learners of survey-arms with the epsilons that they run at.
var compared = []struct {
	name     string
	epsilons []float64
}{
	{"DP-SE", []float64{0.05, 0.1, 0.25, 0.5, 1, math.Inf(1)}},
	{"AdaP-UCB", []float64{0.1, 0.25, 0.5, 1, math.Inf(1)}},
	{"DP-UCB", []float64{0.1, 0.25, 0.5, 1}},
	{"UCB1", []float64{math.Inf(1)}}, {"KL-UCB", []float64{math.Inf(1)}}, {"Thompson", []float64{math.Inf(1)}},
}

// Arms compares learners on an instance for as long as the independent program did.
func Arms(s cell.Scale, on instance) *simulate.Experiment {
	horizon := cell.Pick(s, 5_000, 100_000, 1_000_000)
	e := &simulate.Experiment{
		Name: "survey-arms-" + on.name, Horizon: horizon, Trials: cell.Pick(s, 2, 10, 60), Seed: 2025,
		Environment: on.environment(), Grid: simulate.LogGrid(horizon, 4),
	}
	for _, l := range compared {
		e.Policies = append(e.Policies, policies(l.epsilons, bandit.Problem{}, contestants(l.name)...)...)
	}
	return e
}

// ArmsGoldens lists the regret at round 1e6 by policy, on c1 and on c2.
var ArmsGoldens = map[string][]charts.Known{
	Name("DP-SE", 0.05):           {{Mean: 27549, SE: 528}, {Mean: 9263, SE: 103}},
	Name("DP-SE", 0.1):            {{Mean: 10563, SE: 20}, {Mean: 5020, SE: 51}},
	Name("DP-SE", 0.25):           {{Mean: 10453}, {Mean: 3959, SE: 6}},
	Name("DP-SE", 0.5):            {{Mean: 10448}, {Mean: 3941}},
	Name("DP-SE", 1):              {{Mean: 10417}, {Mean: 3801}},
	Name("DP-SE", math.Inf(1)):    {{Mean: 10204, SE: 45}, {Mean: 3337, SE: 29}},
	Name("AdaP-UCB", 0.1):         {{Mean: 10379, SE: 130}, {Mean: 7629, SE: 16}},
	Name("AdaP-UCB", 0.25):        {{Mean: 6500, SE: 14}, {Mean: 3651, SE: 19}},
	Name("AdaP-UCB", 0.5):         {{Mean: 5239, SE: 59}, {Mean: 2322, SE: 20}},
	Name("AdaP-UCB", 1):           {{Mean: 4028, SE: 53}, {Mean: 1678, SE: 14}},
	Name("AdaP-UCB", math.Inf(1)): {{Mean: 3279, SE: 23}, {Mean: 939, SE: 10}},
	Name("DP-UCB", 0.1):           {{Mean: 13107}, {Mean: 10103, SE: 213}},
	Name("DP-UCB", 0.25):          {{Mean: 6554}, {Mean: 4838, SE: 105}},
	Name("DP-UCB", 0.5):           {{Mean: 5545, SE: 160}, {Mean: 3311, SE: 30}},
	Name("DP-UCB", 1):             {{Mean: 3495, SE: 67}, {Mean: 1954, SE: 32}},
	Name("UCB1", math.Inf(1)):     {{Mean: 1794, SE: 19}, {Mean: 430, SE: 5}},
	Name("KL-UCB", math.Inf(1)):   {{Mean: 380, SE: 14}, {Mean: 91, SE: 3}},
	Name("Thompson", math.Inf(1)): {{Mean: 200, SE: 6}, {Mean: 65, SE: 2}},
}

// armsReport has a row for each policy: its regret on both instances beside the golden.
func armsReport(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	return independent.Regrets(nil, ArmsGoldens, tables...)
}

// The widths of survey-coreset.
const (
	PublishedWidth = "published width"
	SoundWidth     = "sound width"
	SmallCoreSet   = "sound width, small core set"
)

// CoreSets compares the widths of elimination on a core set, for 50 arms of a dimension. The core
// sets of the first two start as those of the independent program do; the third one is the
// toolkit's default, whose core sets have fewer arms.
func CoreSets(s cell.Scale, dim int) *simulate.Experiment {
	horizon := cell.Pick(s, 5_000, 100_000, 1_000_000)
	e := &simulate.Experiment{
		Name: fmt.Sprintf("survey-coreset-d%d", dim), Horizon: horizon, Trials: cell.Pick(s, 2, 10, 60), Seed: 2207,
		Environment: environment.SphereArms{Arms: 50, Dim: dim},
		Grid:        simulate.LogGrid(horizon, 4),
	}
	add := func(name string, epsilon float64, pairs bool, l learner.Private[privacy.Means]) {
		policy := l.Policy.(linear.CoreSet)
		policy.Design.Pairs = pairs
		l.Policy = policy
		e.Policies = append(e.Policies, simulate.Policy{Name: Name(name, epsilon), Learner: l})
	}
	epsilons := []float64{1}
	if dim == 5 {
		epsilons = []float64{1, 0.1}
	}
	for _, epsilon := range epsilons {
		sound := linear.CoreSet{}.Private(privacy.Budget{Epsilon: epsilon})
		add(PublishedWidth, epsilon, true, linear.CoreSet{}.AsPublished(epsilon))
		add(SoundWidth, epsilon, true, sound)
		add(SmallCoreSet, epsilon, false, sound)
	}
	return e
}

func coreSets(s cell.Scale) (all []*simulate.Experiment) {
	for dim := 2; dim <= 5; dim++ {
		all = append(all, CoreSets(s, dim))
	}
	return all
}

// CoreSetGoldens lists the regret at round 1e6 by dimension, less 2, and policy; the best arm by
// the last estimate is played at the end.
var CoreSetGoldens = [4]map[string][]charts.Known{
	{Name(PublishedWidth, 1): {{Mean: 36005, SE: 494}}, Name(SoundWidth, 1): {{Mean: 12005, SE: 264}}},
	{Name(PublishedWidth, 1): {{Mean: 45425, SE: 825}}, Name(SoundWidth, 1): {{Mean: 14759, SE: 307}}},
	{Name(PublishedWidth, 1): {{Mean: 54051, SE: 840}}, Name(SoundWidth, 1): {{Mean: 15952, SE: 409}}},
	{Name(PublishedWidth, 1): {{Mean: 60188, SE: 798}}, Name(SoundWidth, 1): {{Mean: 19979, SE: 479}},
		Name(PublishedWidth, 0.1): {{Mean: 94732, SE: 968}}, Name(SoundWidth, 0.1): {{Mean: 66448, SE: 881}}},
}

// coreSetReport has a row for each dimension and policy: its regret beside the golden.
func coreSetReport(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable(append([]string{"dimension", "policy"}, independent.Headers("regret")...)...)
	t.Align = "rlrrrrr"
	for i, table := range tables {
		for _, row := range check.Try(independent.Regrets(nil, CoreSetGoldens[i], table)).Rows {
			t.Add(append([]any{i + 2}, row...)...)
		}
	}
	t.Caption = fmt.Sprintf("Elimination on a core set: regret after %d rounds, 50 arms, %d trials, seed %d",
		tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, tables[0].Provenance.Seed)
	return t, nil
}

// contestants returns those of the leaderboard with these names.
func contestants(names ...string) (all []catalogue.Entry) {
	for _, e := range Contestants {
		if slices.Contains(names, e.Name) {
			all = append(all, e)
		}
	}
	return all
}

// policies makes a policy of each learner and epsilon.
func policies(epsilons []float64, p bandit.Problem, of ...catalogue.Entry) (all []simulate.Policy) {
	for _, e := range of {
		for _, epsilon := range epsilons {
			all = append(all, simulate.Policy{Name: Name(e.Name, epsilon), Learner: e.New(p, budget(epsilon))})
		}
	}
	return all
}
