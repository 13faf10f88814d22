package survey

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Instances has the mean rewards of arms in the published comparisons, by name.
var Instances = map[string][]float64{
	"c1": {0.75, 0.7, 0.7, 0.7, 0.7},
	"c2": {0.75, 0.625, 0.5, 0.375, 0.25},
}

// compared lists the learners of survey-arms with the epsilons that they run at.
var compared = []struct {
	name     string
	epsilons []float64
	make     func(epsilon float64) bandit.Learner
}{
	{"DP-SE", []float64{0.05, 0.1, 0.25, 0.5, 1, math.Inf(1)}, func(e float64) bandit.Learner { return arms.NewDPElimination(e) }},
	{"AdaP-UCB", []float64{0.1, 0.25, 0.5, 1, math.Inf(1)}, func(e float64) bandit.Learner { return arms.NewAdaPUCB(e) }},
	{"DP-UCB", []float64{0.1, 0.25, 0.5, 1}, func(e float64) bandit.Learner { return arms.NewDPUCB(e) }},
	{"UCB1", []float64{math.Inf(1)}, func(float64) bandit.Learner { return arms.NewUCB1() }},
	{"KL-UCB", []float64{math.Inf(1)}, func(float64) bandit.Learner { return arms.NewKLUCB() }},
	{"Thompson", []float64{math.Inf(1)}, func(float64) bandit.Learner { return arms.NewThompson() }},
}

// Arms compares learners on an instance for as long as the independent program did.
func Arms(s lab.Scale, instance string) *simulate.Experiment {
	horizon := cell.Pick(s, 5_000, 100_000, 1_000_000)
	e := &simulate.Experiment{
		Name: "survey-arms-" + instance, Horizon: horizon, Trials: cell.Pick(s, 2, 10, 60), Seed: 2025,
		Environment: func() bandit.Environment { return &environment.Arms{Means: Instances[instance]} },
		Grid:        simulate.LogGrid(horizon, 4),
	}
	for _, l := range compared {
		for _, epsilon := range l.epsilons {
			e.Policies = append(e.Policies, simulate.Policy{Name: Name(l.name, epsilon), New: func() bandit.Learner {
				return l.make(epsilon)
			}})
		}
	}
	return e
}

// ArmsGoldens lists the regret at round 1e6 by policy, on c1 and on c2.
var ArmsGoldens = map[string][2]Golden{
	Name("DP-SE", 0.05):           {{27549, 528}, {9263, 103}},
	Name("DP-SE", 0.1):            {{10563, 20}, {5020, 51}},
	Name("DP-SE", 0.25):           {{10453, 0}, {3959, 6}},
	Name("DP-SE", 0.5):            {{10448, 0}, {3941, 0}},
	Name("DP-SE", 1):              {{10417, 0}, {3801, 0}},
	Name("DP-SE", math.Inf(1)):    {{10204, 45}, {3337, 29}},
	Name("AdaP-UCB", 0.1):         {{10379, 130}, {7629, 16}},
	Name("AdaP-UCB", 0.25):        {{6500, 14}, {3651, 19}},
	Name("AdaP-UCB", 0.5):         {{5239, 59}, {2322, 20}},
	Name("AdaP-UCB", 1):           {{4028, 53}, {1678, 14}},
	Name("AdaP-UCB", math.Inf(1)): {{3279, 23}, {939, 10}},
	Name("DP-UCB", 0.1):           {{13107, 0}, {10103, 213}},
	Name("DP-UCB", 0.25):          {{6554, 0}, {4838, 105}},
	Name("DP-UCB", 0.5):           {{5545, 160}, {3311, 30}},
	Name("DP-UCB", 1):             {{3495, 67}, {1954, 32}},
	Name("UCB1", math.Inf(1)):     {{1794, 19}, {430, 5}},
	Name("KL-UCB", math.Inf(1)):   {{380, 14}, {91, 3}},
	Name("Thompson", math.Inf(1)): {{200, 6}, {65, 2}},
}

// armsReport has a row for each policy: its regret on both instances beside the golden.
func armsReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy")
	t.Align = "l"
	for _, table := range tables {
		t.Headers = append(t.Headers, table.Provenance.Experiment, "SE", "independent", "SE", "difference in SE")
		t.Align += "rrrrr"
	}
	for _, l := range compared {
		for _, epsilon := range l.epsilons {
			name := Name(l.name, epsilon)
			row := []any{name}
			for i, table := range tables {
				mean, se, err := final(table, name)
				if err != nil {
					return nil, err
				}
				g, ok := ArmsGoldens[name]
				ok = ok && table.Provenance.Rounds == 1_000_000
				row = append(row, number(mean), number(se))
				row = append(row, beside(s, mean, se, g[i], ok)...)
			}
			t.Add(row...)
		}
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, seed %d",
		tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, tables[0].Provenance.Seed)
	t.Scale = string(s)
	return t, nil
}
