package survey

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Record is the toolkit's own learner in survey-imed.
const Record = "TargetIMED"

// imedEpsilons are the budgets of the paper of DP-IMED (Azize, Wu, Honda, Orabona, Ito, Basu 2025).
var imedEpsilons = []float64{0.01, 0.1, 0.5, 1}

// imedInstances has the mean rewards of its four instances, each a cell with each budget.
var imedInstances = []struct {
	name  string
	means []float64
}{
	{"c1", Instances["c1"]},
	{"c2", Instances["c2"]},
	{"c3", []float64{0.75, 0.53125, 0.375, 0.28125, 0.25}},
	{"c4", []float64{0.75, 0.71875, 0.625, 0.46875, 0.25}},
}

// The rivals of survey-imed are the leaderboard's private learners of the central model, with their
// default constants. Those that do not play batches go round by round. They are not played to the
// end: the regret of an earlier round is no larger. DPUCB-MAT is Lazy-UCB where one arm is played.
var (
	forwarded    = []string{Record, "DP-IMED", "DP-KLUCB", "AdaP-KLUCB", "AdaP-UCB", "AdaC-UCB", "DP-SE"}
	roundByRound = []string{"DP-UCB", "Lazy-UCB", "Lazy-DP-TS", "DPTS-MAT", "CUCB, tree"}
)

// imedSeed is the one that is reported. Record was tuned on seeds below 100.
const imedSeed = 2505_05613

// IMED compares all private learners of the central model on an instance at four epsilons. The
// second experiment has the learners that go round by round.
func IMED(s lab.Scale, name string, means []float64) []*simulate.Experiment {
	horizon := cell.Pick(s, 2_000, 1_000_000, 10_000_000)
	e := &simulate.Experiment{
		Name: "survey-imed-" + name, Horizon: horizon, Trials: cell.Pick(s, 2, 40, 400), Seed: imedSeed, FastForward: true,
		Environment: func() bandit.Environment { return &environment.Arms{Means: means} },
		Grid:        simulate.LogGrid(horizon, 8), Fingerprint: fmt.Sprintf("delta %g", Delta),
	}
	slow := *e
	slow.Name, slow.FastForward = e.Name+"-rounds", false
	slow.Rounds, slow.Trials = horizon/10, cell.Pick(s, 2, 4, 10)
	slow.Grid = simulate.LogGrid(slow.Rounds, 7)
	e.Policies, slow.Policies = imedPolicies(e, forwarded), imedPolicies(e, roundByRound)
	return []*simulate.Experiment{e, &slow}
}

// imedPolicies makes a policy of each learner and epsilon.
func imedPolicies(e *simulate.Experiment, learners []string) (policies []simulate.Policy) {
	problem := e.Environment().Problem()
	for _, c := range Contestants {
		for _, name := range learners {
			if c.Name != name {
				continue
			}
			for _, epsilon := range imedEpsilons {
				policies = append(policies, simulate.Policy{Name: Name(name, epsilon), New: func() bandit.Learner {
					return c.New(problem, epsilon)
				}})
			}
		}
	}
	return policies
}

func imedExperiments(s lab.Scale) (all []*simulate.Experiment) {
	for _, i := range imedInstances {
		all = append(all, IMED(s, i.name, i.means)...)
	}
	return all
}

// imedReport has a row for each cell and learner: its regret, that of the worst tenth of its trials,
// both over the lower bound, and by how many combined standard errors Record is below it. A record
// in a cell is a regret at least 3 of them below every rival's.
func imedReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("instance", "epsilon", "learner", "regret", "SE", "times the bound", "SE", "worst tenth", "round", "trials", "above "+Record+", in SE")
	t.Align = "lrlrrrrrrrr"
	records, worst := 0, 0.0
	for i, instance := range imedInstances {
		for _, epsilon := range imedEpsilons {
			bound := arms.DEpsBound(epsilon, instance.means, float64(tables[2*i].Provenance.Horizon))
			ours, ourSE, err := final(tables[2*i], Name(Record, epsilon))
			if err != nil {
				return nil, err
			}
			least := math.Inf(1)
			for _, table := range tables[2*i : 2*i+2] {
				for _, c := range table.Curves {
					learner, ok := strings.CutSuffix(c.Policy, Name("", epsilon))
					if !ok {
						continue
					}
					k := len(c.Rounds) - 1
					above := "–"
					if learner != Record {
						z := (c.Mean[k] - ours) / math.Hypot(c.SE[k], ourSE)
						least, above = min(least, z), fmt.Sprintf("%+.1f", z)
					}
					if learner == "DP-IMED" {
						worst = max(worst, c.Mean[k]/bound)
					}
					t.Add(instance.name, epsilon, learner, number(c.Mean[k]), number(c.SE[k]), fmt.Sprintf("%.3f", c.Mean[k]/bound),
						fmt.Sprintf("%.3f", c.SE[k]/bound), fmt.Sprintf("%.3f", c.Worst[k]/bound), c.Rounds[k], c.Trials, above)
				}
			}
			if least >= 3 {
				records++
			}
		}
	}
	p := tables[0].Provenance
	t.Caption = fmt.Sprintf("Regret at T = %d, fast-forwarded; of the last five learners, after the first %d rounds. %s is 3 standard errors below all others in %d of %d cells. The largest ratio of DP-IMED is %.2f",
		p.Horizon, tables[1].Provenance.Rounds, Record, records, len(imedInstances)*len(imedEpsilons), worst)
	t.Scale = string(s)
	return t, nil
}
