package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/notebooktest"
)

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []notebooktest.Mutation{
	{"DP-FTRL's printed noise buys 2.8 to 3.1 times the epsilon that is asked for, read with ln, and 2 to 2.2 times with log2.", "the printed scale is twice as large", "pkg/mechanism/vector_tree.go", "t.by.scale = root * s.Bound * portable.Log(", "t.by.scale = 2 * root * s.Bound * portable.Log("},
	{"DP-NAS is right in fewer than 4 runs of 100 as printed, and in all with W/t; it stops when an independent program's does.", "the printed noise is divided by t, too", "pkg/mechanism/stopping.go", "mean = s.sum/n + noise", "mean = (s.sum + noise) / n"},
	{"In 100,000 rounds, DP-SE plays each arm more than 1800 times before it drops one.", "an epoch has a quarter of its plays", "pkg/arms/dp_elimination.go", "math.Ldexp(32*l.log(8), 2*l.epoch)", "math.Ldexp(8*l.log(8), 2*l.epoch)"},
	{"After a million rounds, each learner's regret is within 3 standard errors of the independent program's.", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
	{"Against the adaptive adversary, DP-FTRL's regret over sqrt T grows with T, with Laplace and with correlated noise.", "DP-FTRL reads the exact sums", "pkg/online/ftrl.go", "sums := f.Sums", "var sums privacy.Statistic[mechanism.Total]"},
	{"On 200 random arm sets, max g is at most 2m and a core set has at most 2m arms.", "a design may have max g up to 9m", "pkg/design/optimal.go", "\t\tmost = 2\n", "\t\tmost = 9\n"},
	{"After every batch, the sound width covers the error of every arm left; at the end it is less than half the published one.", "the width is a tenth", "pkg/learner/core_set.go", "width = max(width, float64(math.Sqrt(float64(2*log*variance)))+noise)", "width = max(width, 0.1*(float64(math.Sqrt(float64(2*log*variance)))+noise))"},
	{"After a million rounds at epsilon = 1, the sound width has at most 0.4 of the published regret.", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"AdaP-TT names the best arm in at least 9 runs of 10, and by its proved threshold in all.", "it stops as soon as one mean is the best", "pkg/arms/glr.go", ">= t.distance(of, best, a)) {", ">= 0*t.distance(of, best, a)) {"},
	{"The draws of Thompson sampling cost an epsilon above 2000, or 90 if each arm is played 100 times first.", "a draw is taken to move by the reward's share of the mean alone", "pkg/mechanism/posterior_draws.go", "moved := side / math.Sqrt(float64(d.first)+1)", "moved := side / (float64(d.first) + 1)"},
	{"At epsilon = 3 on 5 arms, spread, DP-IMED pays 5 to 20% more than KL-UCB, DP-KLUCB 15 to 30% more, and IMED without privacy 20 to 35% less.", "the width of an interval is read as the regret", "notebooks/survey/leaderboard.go", "Regret: m, Within: 1.96 * se,", "Regret: se, Within: 1.96 * se,"},
	{"No audit of the leaderboard excludes an epsilon that is proved.", "what is audited is tripled", "notebooks/survey/leaderboard.go", "r.Audited = found", "r.Audited = 3 * found"},
	{"On drifting losses, DP-FTRL's regret is within 3 standard errors of an independent program's.", "the step size is twice as large", "pkg/online/ftrl.go", "math.Sqrt(2/float64(horizon))", "math.Sqrt(8/float64(horizon))"},
	{"FTPL pays as much with one draw as with fresh noise on drifting losses, and at least twice as much against the adversary.", "fresh noise is drawn once, too", "pkg/online/ftpl.go", "if f.fresh {", "if false {"},
	{"TargetIMED, DP-IMED and DP-KLUCB have the three lowest regrets of all private learners, in every environment at every epsilon.", "the width of an interval is read as the regret", "notebooks/survey/leaderboard.go", "Regret: m, Within: 1.96 * se,", "Regret: se, Within: 1.96 * m,"},
	{"With 4,000 trials, TargetIMED has the lowest mean regret in all 16 cells, in 13 of them by more than 3 standard errors.", "the farthest rival is taken for the nearest", "notebooks/survey/imed.go", "least = min(least, check", "least = max(least, check"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, claims.Names()) }

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"c07c", "correlated noise is ten times as large", "pkg/mechanism/vector_factorised.go", "n.Gaussian(dst, f.sd)", "n.Gaussian(dst, 10*f.sd)"},
	{"c16d", "chance adds a fifth more to what is compared", "pkg/mechanism/stopping.go", "float64(h*(1+1/s.alpha))", "float64(1.2*h*(1+1/s.alpha))"},
	{"main", "a node of a tree has the noise of a single release", "pkg/mechanism/tree_tally.go", "t.perRound.scale(s.Slots*t.levels, s.Hi-s.Lo)", "t.perRound.scale(s.Slots, s.Hi-s.Lo)"},
	{"c18b", "a curve's values are one more", "charts/function.go", "s.Y[i] = f(v)", "s.Y[i] = f(v) + 1"},
	{"c22", "the sum is compared with a tenth", "pkg/mechanism/stopping.go", "float64(s.compare*(log+3*math.Ln2))", "float64(s.compare*(log+3*math.Ln2)) - 0.9*s.fixed - float64(0.9*h*(1+1/s.alpha))"},
	{"c32b", "the lower bound is three times as large", "pkg/arms/lower_bounds.go", "return float64(sum * portable.Log(t))", "return float64(3 * sum * portable.Log(t))"},
	{"best2", "the program's threshold is the proved one", "pkg/arms/ada_p_tt.go", "test: glr{l.Delta, l.AsRun}", "test: glr{l.Delta, false}"},
	{"c45b", "a design may have max g up to 40m", "pkg/design/optimal.go", "\t\tmost = 2\n", "\t\tmost = 40\n"},
	{"c47b", "LinUCB is as bold as can be", "pkg/learner/linucb.go", "l.width[0] = l.factor * l.confidence", "l.width[0] = 1e9 * l.confidence"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, notebook, cellMutations) }
