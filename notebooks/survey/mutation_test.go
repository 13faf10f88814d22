package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/mutationtest"
)

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []mutationtest.Mutation{
	{"DP-FTRL's printed noise buys 2.8 to 3.1 times the epsilon that is asked for.", "the printed scale is twice as large", "pkg/mechanism/vector_tree.go", "t.by.scale = root * s.Bound * portable.Log(", "t.by.scale = 2 * root * s.Bound * portable.Log("},
	{"DP-NAS is right in fewer than 4 runs of 100 as printed, and in all with L/t.", "the printed noise is divided by t, too", "pkg/mechanism/stopping.go", "mean = s.sum/n + noise", "mean = (s.sum + noise) / n"},
	{"In 100,000 rounds, DP-SE plays each arm more than 1800 times before it drops one.", "an epoch has a quarter of its plays", "pkg/arms/dp_elimination.go", "math.Ldexp(32*l.log(8), 2*l.epoch)", "math.Ldexp(8*l.log(8), 2*l.epoch)"},
	{"After a million rounds, each learner's regret is within 3 standard errors of the independent program's.", "the first round is taken for the last", "notebooks/survey/survey.go", "k := len(c.Rounds) - 1", "k := 0"},
	{"Against the adaptive adversary, private DP-FTRL's regret over sqrt T grows with T.", "DP-FTRL reads the exact sums", "pkg/online/ftrl.go", "sums := f.Sums", "var sums privacy.Statistic[mechanism.Total]"},
	{"On 200 random arm sets, max g is at most 2m and a core set has at most m(m+1)/2 arms.", "a design may have max g up to 9m", "pkg/design/optimal.go", "\t\tmost = 2\n", "\t\tmost = 9\n"},
	{"The sound width covers the error of every arm, and is less than half of the published one at epsilon = 1.", "the width is a tenth", "pkg/learner/core_set.go", "width = max(width, float64(math.Sqrt(float64(2*log*variance)))+noise)", "width = max(width, 0.1*(float64(math.Sqrt(float64(2*log*variance)))+noise))"},
	{"After a million rounds at epsilon = 1, the sound width has at most 0.4 of the published regret.", "the standard error is taken for the mean", "notebooks/survey/survey.go", "return c.Mean[k], c.SE[k], nil", "return c.SE[k], c.Mean[k], nil"},
	{"AdaP-TT names the best arm in at least 9 runs of 10, and by its proved threshold in all.", "it stops as soon as one mean is the best", "pkg/arms/ada_p_tt.go", ">= l.distance(l.best, a)) {", ">= 0*l.distance(l.best, a)) {"},
	{"The draws of Thompson sampling cost an epsilon above 2000, or 90 if each arm is played 100 times first.", "a draw is taken to move by the reward's share of the mean alone", "pkg/mechanism/posterior_draws.go", "moved := side / math.Sqrt(float64(d.first)+1)", "moved := side / (float64(d.first) + 1)"},
	{"No audit of the leaderboard excludes an epsilon that is proved.", "what is audited is read as what is proved", "notebooks/survey/leaderboard.go", "&r.Asked, &r.Proved, &r.Audited, &r.Regret,", "&r.Asked, &r.Audited, &r.Proved, &r.Regret,"},
}

func TestMutations(t *testing.T) { mutationtest.Run(t, mutations, claims.Names()) }
