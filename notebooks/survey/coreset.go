package survey

import (
	"fmt"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The widths of survey-coreset.
const (
	PublishedWidth = "published width"
	SoundWidth     = "sound width"
	SmallCoreSet   = "sound width, small core set"
)

// CoreSets compares the widths of elimination on a core set, for 50 arms of a dimension. The core
// sets of the first two start as those of the independent program do; the third one is the
// toolkit's default, whose core sets have fewer arms.
func CoreSets(s lab.Scale, dim int) *simulate.Experiment {
	horizon := cell.Pick(s, 5_000, 100_000, 1_000_000)
	e := &simulate.Experiment{
		Name: fmt.Sprintf("survey-coreset-d%d", dim), Horizon: horizon, Trials: cell.Pick(s, 2, 10, 60), Seed: 2207,
		Environment: func() bandit.Environment { return &environment.SphereArms{Arms: 50, Dim: dim} },
		Grid:        simulate.LogGrid(horizon, 4),
	}
	epsilons := []float64{1}
	if dim == 5 {
		epsilons = []float64{1, 0.1}
	}
	for _, epsilon := range epsilons {
		add := func(name string, pairs bool, make func() *learner.Private[privacy.Means]) {
			e.Policies = append(e.Policies, simulate.Policy{Name: Name(name, epsilon), New: func() bandit.Learner {
				l := make()
				l.Policy.(*learner.CoreSet).Design.Pairs = pairs
				return l
			}})
		}
		sound := func() *learner.Private[privacy.Means] { return learner.NewCoreSet(privacy.Budget{Epsilon: epsilon}) }
		add(PublishedWidth, true, func() *learner.Private[privacy.Means] { return learner.CoreSetAsPublished(epsilon) })
		add(SoundWidth, true, sound)
		add(SmallCoreSet, false, sound)
	}
	return e
}

func coreSets(s lab.Scale) []*simulate.Experiment {
	var all []*simulate.Experiment
	for dim := 2; dim <= 5; dim++ {
		all = append(all, CoreSets(s, dim))
	}
	return all
}

// CoreSetGoldens lists the regret at round 1e6 by dimension, less 2, and policy; the best arm by
// the last estimate is played at the end.
var CoreSetGoldens = [4]map[string]Golden{
	{Name(PublishedWidth, 1): {36005, 494}, Name(SoundWidth, 1): {12005, 264}},
	{Name(PublishedWidth, 1): {45425, 825}, Name(SoundWidth, 1): {14759, 307}},
	{Name(PublishedWidth, 1): {54051, 840}, Name(SoundWidth, 1): {15952, 409}},
	{Name(PublishedWidth, 1): {60188, 798}, Name(SoundWidth, 1): {19979, 479},
		Name(PublishedWidth, 0.1): {94732, 968}, Name(SoundWidth, 0.1): {66448, 881}},
}

// coreSetReport has a row for each dimension and policy: its regret beside the golden.
func coreSetReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("dimension", "policy", "regret", "SE", "independent", "SE", "difference in SE")
	t.Align = "rlrrrrr"
	for i, table := range tables {
		for _, c := range table.Curves {
			m, se, err := final(table, c.Policy)
			if err != nil {
				return nil, err
			}
			g, ok := CoreSetGoldens[i][c.Policy]
			row := []any{i + 2, c.Policy, number(m), number(se)}
			t.Add(append(row, beside(s, m, se, g, ok && table.Provenance.Rounds == 1_000_000)...)...)
		}
	}
	t.Caption = fmt.Sprintf("Elimination on a core set: regret after %d rounds, 50 arms, %d trials, seed %d",
		tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, tables[0].Provenance.Seed)
	t.Scale = string(s)
	return t, nil
}
