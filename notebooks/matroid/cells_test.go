package matroid

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"e99ee151", "a check finds no violation", "pkg/matroid/check.go", "if c.found == nil {\n\t\tc.found =", "if false {\n\t\tc.found ="},
	{"8d1d36b5", "greedy takes the lightest first", "pkg/matroid/greedy.go", "r.w = weights[r.e]", "r.w = -weights[r.e]"},
	{"6379d15d", "greedy takes the lightest first", "pkg/matroid/greedy.go", "r.w = weights[r.e]", "r.w = -weights[r.e]"},
	{"m02-blocks", "a release counts twice what its block holds", "pkg/mechanism/tally/blocks.go", "l.count = int(1 / square * (1 + 1e-12))", "l.count = 2 * int(1/square*(1+1e-12))"},
	{"m02-widths", "a block's mean is a tenth", "pkg/mechanism/tally/blocks.go", "b.means[arm] = mean", "b.means[arm] = mean / 10"},
	{"m02-main", "OMM forgets the factor of its width", "pkg/learner/slots/omm.go", "checks.Or(l.Width, 1)", "1."},
	{"m02-same", "Laplace noise is twice as large", "pkg/mechanism/tally/slot_noise.go", "ratio, name := float64(slots)/n.budget.Epsilon", "ratio, name := 2*float64(slots)/n.budget.Epsilon"},
	{"m02-unlucky", "OMM forgets the factor of its width", "pkg/learner/slots/omm.go", "checks.Or(l.Width, 1)", "1."},
	{"m02-public", "KL-OSM's index has nine times the budget", "pkg/learner/slots/kl_osm.go", "budget := l.explore * (t", "budget := 9 * l.explore * (t"},
	{"e96c072c", "Laplace noise is twice as large", "pkg/mechanism/tally/slot_noise.go", "ratio, name := float64(slots)/n.budget.Epsilon", "ratio, name := 2*float64(slots)/n.budget.Epsilon"},
	{"4e6f0839", "a block begins with the sum of the last", "pkg/mechanism/tally/blocks.go", "b.sums[arm] = 0", "b.sums[arm] += 0"},
	{"m02-attack", "Laplace noise is drawn at a quarter of its scale", "pkg/mechanism/tally/slot_noise.go", "t.noise.Laplace(t.buf[:], scale)", "t.noise.Laplace(t.buf[:], scale/4)"},
	{"bad57354", "an arm stands for any arm of the best basis", "pkg/environment/semi_bandit_bases.go", "b.used[place] || !b.builder.Add(b.best[place])", "b.used[place]"},
	{"c754ba20", "KL-OSM forgets the factor of its boost", "pkg/learner/slots/kl_osm.go", "byLinear := l.boost * confidences * log", "byLinear := confidences * log"},
	{"d3153f93", "a movie that she has not rated counts", "pkg/environment/ratings.go", "y[i] = float64(set[a/64] >> (a % 64) & 1)", "y[i] = float64(^set[a/64] >> (a % 64) & 1)"},
	{"f1107886", "the last user never comes", "pkg/environment/ratings.go", "user := rewards.IntN(e.users)", "user := rewards.IntN(e.users - 1)"},
	{"m02-order", "a curve's final regret is its first", "pkg/simulate/result.go", "return c.Mean[len(c.Mean)-1]", "return c.Mean[0]"},
	{"m02-assert-staircase", "the index has thirty times the confidence", "pkg/learner/slots/omm.go", "const confidences = 3", "const confidences = 90"},
	{"m02-assert-bounds", "a curve's final regret is its first", "pkg/simulate/result.go", "return c.Mean[len(c.Mean)-1]", "return c.Mean[0]"},
	{"m02-equal-race", "Gaussian noise grows with the number of arms", "pkg/mechanism/tally/slot_noise.go", "math.Sqrt(float64(slots))/n.mu", "float64(slots)/n.mu"},
	{"m02r-lists-race", "clicks and skips have the noise of one number too few", "pkg/mechanism/tally/cascade.go", "noise.scale(s.Slots+1, 1)", "noise.scale(s.Slots, 1)"},
	{"st02-table", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st02-shape", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, "../02-matroid-bandits.ipynb", cellMutations) }
