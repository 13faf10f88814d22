package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []notebooktest.Mutation{
	{"printed noise", "the printed scale is twice as large", "pkg/mechanism/continual/vector_tree.go", "t.by.scale = root * s.Bound * portable.Log(", "t.by.scale = 2 * root * s.Bound * portable.Log("},
	{"printed answer", "the printed noise is divided by t, too", "pkg/mechanism/stopping.go", "mean = s.sum/n + noise", "mean = (s.sum + noise) / n"},
	{"first epoch", "an epoch has a quarter of its plays", "pkg/learner/arms/dp_elimination.go", "math.Ldexp(32*l.log(8), 2*l.epoch)", "math.Ldexp(8*l.log(8), 2*l.epoch)"},
	{"independent program", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
	{"adaptive adversary", "DP-FTRL reads the exact sums", "pkg/online/ftrl.go", "sums := f.Sums", "var sums privacy.Statistic[continual.Total]"},
	{"core sets", "a design may have max g up to 9m", "pkg/design/optimal.go", "\t\tmost = 2\n", "\t\tmost = 9\n"},
	{"width covers", "the width is a tenth", "pkg/learner/linear/core_set.go", "width = max(width, float64(math.Sqrt(float64(2*log*variance)))+noise)", "width = max(width, 0.1*(float64(math.Sqrt(float64(2*log*variance)))+noise))"},
	{"width saves", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"best arm", "it stops as soon as one mean is the best", "pkg/learner/arms/glr.go", ">= t.distance(of, best, a)) {", ">= 0*t.distance(of, best, a)) {"},
	{"sooner", "the lower bound is a tenth", "pkg/learner/arms/best_arm_bound.go", "return float64((1 - 2*delta) *", "return float64(0.1 * (1 - 2*delta) *"},
	{"own draws", "a draw is taken to move by the reward's share of the mean alone", "pkg/mechanism/tally/posterior_draws.go", "moved := side / math.Sqrt(float64(d.first)+1)", "moved := side / (float64(d.first) + 1)"},
	{"limited draws", "a draw is taken to have twice its noise", "pkg/mechanism/tally/limited_draws.go", "Law: privacy.GaussianLaw(1, d.sd), Sensitivity", "Law: privacy.GaussianLaw(1, 2*d.sd), Sensitivity"},
	{"few draws", "the largest draw is that of all epochs", "pkg/mechanism/tally/limited_draws.go", "d.left[arm], d.most[arm] = 0, 2*n, d.draws, math.Inf(-1)", "d.left[arm] = 0, 2*n, d.draws"},
	{"fixed budget", "the worse half is left", "pkg/learner/arms/sequential_halving.go", "cmp.Compare(l.of[int(b)].Mean, l.of[int(a)].Mean)", "cmp.Compare(l.of[int(a)].Mean, l.of[int(b)].Mean)"},
	{"beside KL-UCB", "the width of an interval is read as the regret", "notebooks/survey/leaderboard.go", "Regret: m, Within: 1.96 * se,", "Regret: se, Within: 1.96 * se,"},
	{"audits", "what is audited is tripled", "notebooks/survey/leaderboard.go", "r.Audited = found", "r.Audited = 3 * found"},
	{"drifting losses", "the step size is twice as large", "pkg/online/ftrl.go", "math.Sqrt(2/float64(horizon))", "math.Sqrt(8/float64(horizon))"},
	{"one draw of noise", "fresh noise is drawn once, too", "pkg/online/ftpl.go", "if f.fresh {", "if false {"},
	{"first three", "the width of an interval is read as the regret", "notebooks/survey/leaderboard.go", "Regret: m, Within: 1.96 * se,", "Regret: se, Within: 1.96 * m,"},
	{"longer race", "the farthest rival is taken for the nearest", "notebooks/survey/imed.go", "least = min(least, check", "least = max(least, check"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, claims.Names()) }

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"st05-regularisers", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st05-pulls", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"c05", "the tree forgets its root", "pkg/mechanism/continual/rows.go", "return bits.Len(uint(max(0, min(records, s.Horizon-1))))", "return max(1, bits.Len(uint(max(0, min(records, s.Horizon-1))))-1)"},
	{"c11b", "the printed scale is four times as large", "pkg/mechanism/continual/vector_tree.go", "t.by.scale = root * s.Bound * portable.Log(", "t.by.scale = 4 * root * s.Bound * portable.Log("},
	{"c07c", "correlated noise is ten times as large", "pkg/mechanism/continual/vector_factorised.go", "n.Gaussian(dst, f.sd)", "n.Gaussian(dst, 10*f.sd)"},
	{"c16d", "chance adds a fifth more to what is compared", "pkg/mechanism/stopping.go", "float64(h*(1+1/s.alpha))", "float64(1.2*h*(1+1/s.alpha))"},
	{"main", "a node of a tree has the noise of a single release", "pkg/mechanism/tally/tree.go", "t.perRound.scale(s.Slots*t.levels, s.Hi-s.Lo)", "t.perRound.scale(s.Slots, s.Hi-s.Lo)"},
	{"c18b", "a curve's values are one more", "charts/function.go", "s.Y[i] = f(v)", "s.Y[i] = f(v) + 1"},
	{"c30b", "a batch is released twice", "pkg/mechanism/tally/round_batches.go", "return min(n, 1)", "return 2 * min(n, 1)"},
	{"c32", "the lower bound is twice as large", "pkg/learner/arms/lower_bounds.go", "return float64(sum * portable.Log(t))", "return float64(2 * sum * portable.Log(t))"},
	{"c22", "the sum is compared with a tenth", "pkg/mechanism/stopping.go", "float64(s.compare*(log+3*math.Ln2))", "float64(s.compare*(log+3*math.Ln2)) - 0.9*s.fixed - float64(0.9*h*(1+1/s.alpha))"},
	{"c32b", "the lower bound is three times as large", "pkg/learner/arms/lower_bounds.go", "return float64(sum * portable.Log(t))", "return float64(3 * sum * portable.Log(t))"},
	{"bd1", "the lower bound is a half", "pkg/learner/arms/best_arm_bound.go", "return float64((1 - 2*delta) *", "return float64(0.5 * (1 - 2*delta) *"},
	{"best2", "the program's threshold is the proved one", "pkg/learner/arms/ada_p_tt.go", "test: glr{l.Delta, l.AsRun}", "test: glr{l.Delta, false}"},
	{"lt2", "arms rest later", "pkg/learner/arms/target_imed.go", "portable.Log(float64(horizon)) + float64(0.5*", "portable.Log(float64(horizon)) + 2 + float64(0.5*"},
	{"c45b", "a design may have max g up to 40m", "pkg/design/optimal.go", "\t\tmost = 2\n", "\t\tmost = 40\n"},
	{"ad6", "the seesaw stands still", "pkg/environment/adversary.go", "t.phase%2 == 0 {", "t.phase < 0 {"},
	{"ad10", "a batch is as long as epsilon = 1 needs, whatever epsilon is", "pkg/learner/arms/htinf.go", "math.Ceil(math.Sqrt2 / epsilon)", "math.Ceil(math.Sqrt2)"},
	{"c47b", "LinUCB is as bold as can be", "pkg/learner/linear/ucb.go", "l.estimate.Width[0] = l.factor * l.confidence", "l.estimate.Width[0] = 1e9 * l.confidence"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, notebook, cellMutations) }
