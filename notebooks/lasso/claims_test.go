package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// slow lists the statements whose check takes seconds.
var slow = []string{
	"least error",
	"proved epsilons",
	"ways to release",
	"The support is complete later at ε = 0.5 than at 10.",
	"LASSO learners",
}

func TestClaims(t *testing.T) { notebooktest.Claims(t, claims, slow...) }

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []notebooktest.Mutation{
	{"leave 0 first", "the penalty is twice as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 2*alpha*s.rows, 0"},
	{"LASSO learners", "the second threshold keeps the small coefficients", "pkg/learner/sparse/thresholded_lasso.go", "if math.Abs(w[j]) > least {", "if math.Abs(w[j]) < least {"},
	{"printed selection", "the first set has a threshold of 0", "pkg/mechanism/episodes/thresholded_lasso.go", "if !r.Screen && !(math.Abs(v) > 4*lambda) {", "if !r.Screen && !(math.Abs(v) > 0*lambda) {"},
	{"printed proof", "repairs count as defects", "pkg/mechanism/episodes/thresholded_lasso_noise.go", "if !defect.mended {", "if defect.mended {"},
	{"printed regret", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"At ε = 0.5 a selection finds the five that matter in 8000 rows, and not in 200.", "the smallest scores are chosen", "pkg/mechanism/episodes/top_scores.go", "t.scores[j] = math.Abs(u)", "t.scores[j] = -math.Abs(u)"},
	{"proved epsilons", "the Gumbel noise has half of its scale", "pkg/mechanism/episodes/sparse_episodes.go", "out.gumbel = 4 * p.Scores.Most() / pick", "out.gumbel = 2 * p.Scores.Most() / pick"},
	{"Refined beats tuned, and tuned plain; refined at ε = 0.5 beats plain at 2.", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
	{"Ten times the dimension costs plain 1.8 to 2.1 times, the others 1.2 to 1.8 times.", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"The support is complete later at ε = 0.5 than at 10.", "the noise of a score is for a budget a hundred times as large", "pkg/mechanism/episodes/sparse_episodes.go", "out.gumbel = 4 * p.Scores.Most() / pick", "out.gumbel = 0.04 * p.Scores.Most() / pick"},
	{"least error", "an episode does not hand on its estimate", "pkg/mechanism/episodes/sparse_episodes.go", "e.theta = e.as.Estimate.Solve(&e.release, nil)", "e.theta = nil"},
	{"missing factor", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"ways to release", "the smallest scores are chosen", "pkg/mechanism/episodes/sparse_episodes.go", "e.gumbel[j] += math.Abs(u)", "e.gumbel[j] -= math.Abs(u)"},
	{"trust models", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
}

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"m1", "the noise of a pick has a tenth of its scale", "pkg/mechanism/top_k.go", "t.scale = factor * of.Sensitivity", "t.scale = 0.1 * factor * of.Sensitivity"},
	{"t05", "the penalty is a tenth as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 0.1*alpha*s.rows, 0"},
	{"cell-04", "the oracle reads other coordinates", "pkg/learner/sparse/support_oracle.go", "l.x[i] = x[j]", "l.x[i] = x[len(x)-1-j]"},
	{"cell-17", "the penalty is ten times as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 10*alpha*s.rows, 0"},
	{"cell-31", "the penalty is a hundred times as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 100*alpha*s.rows, 0"},
	{"cell-27", "values of a function are in reverse order", "charts/function.go", "s.Y[i] = f(v)", "s.Y[len(x)-1-i] = f(v)"},
	{"cell-28", "values of a function are in reverse order", "charts/function.go", "s.Y[i] = f(v)", "s.Y[len(x)-1-i] = f(v)"},
	{"cell-21", "each query has a threshold of its own", "pkg/mechanism/sparse_vector.go", "\tif !s.open {\n\t\ts.offset", "\tif true {\n\t\ts.offset"},
	{"cell-55", "a pick's loss has twice its range", "pkg/privacy/internal/loss/range.go", "all := -portable.Expm1(-epsilon)", "all := -portable.Expm1(-2*epsilon)"},
	{"cell-58", "a pick gets the budget of all", "pkg/privacy/calibrate_selection.go", "return r * math.Sqrt(8*share/float64(picks)), r", "return r * math.Sqrt(8*share), r"},
	{"assert-6b", "the smallest scores are chosen", "pkg/mechanism/episodes/sparse_episodes.go", "e.gumbel[j] += math.Abs(u)", "e.gumbel[j] -= math.Abs(u)"},
	{"cell-86", "contexts are always clipped", "pkg/mechanism/episodes/noisy_iht.go", "bound = farContext", "bound = h.as.Context"},
	{"assert-7b", "the noise is for the length of a row and not for its square", "pkg/mechanism/episodes/sparse_episodes.go", "bound: float64(p.Norm*p.Norm) + float64(p.Scale*p.Scale*p.Reward*p.Reward)", "bound: p.Norm"},
	{"cell-109", "the width of the margin is forgotten", "pkg/environment/conditions.go", "c.Margin += 1 / (gap * float64(rounds))", "c.Margin += 1 / float64(rounds)"},
	{"cell-111b", "the factor of the second term is forgotten", "pkg/learner/sparse/private_thresholded_lasso_theory.go", "b = 2 * rivals * 64 * float64(t.Dim) * variance * s * s / (t.Lambda0 * t.Lambda0)", "b = float64(t.Dim)"},
	{"cell-111c", "theta is not normalised", "pkg/environment/sparse.go", "s.theta[j] /= math.Sqrt(square)", "s.theta[j] /= 1"},
	{"cell-42", "an episode is three times as long as the one before", "pkg/mechanism/episodes/episode_lengths.go", "factor = 2", "factor = 3"},
	{"cell-66", "the first round is taken for the last", "charts/curves.go", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[last])", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[0])"},
	{"assert-4a", "signs are counted and not added", "pkg/mechanism/episodes/scores.go", "bits ^ math.Float64bits(v)&sign", "bits &^ sign"},
	{"cell-88", "what is released has no noise", "pkg/mechanism/episodes/noisy_iht_steps.go", "h.noise.Laplace(values, at.value)", "clear(values)"},
	{"cell-96", "a matrix has thirty times the noise that it needs", "pkg/mechanism/episodes/sparse_episodes.go", "out.sd = out.bound / mu", "out.sd = 30 * out.bound / mu"},
	{"cell-119", "a matrix has a tenth of its noise", "pkg/mechanism/episodes/sparse_episodes.go", "out.sd = out.bound / mu", "out.sd = 0.1 * out.bound / mu"},
	{"st04-assumptions", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st04-selection", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st04-supports", "a negative coefficient is tested by its size", "pkg/mechanism/episodes/thresholded_lasso.go", "if r.TwoSided {", "if true {"},
	{"st04-errors", "a node has the budget of all", "pkg/privacy/advanced.go", "return Budget{b.Epsilon / math.Sqrt(8*float64(k)*portable.Log(2/b.Delta)), b.Delta / (2 * float64(k))}", "return b"},
	{"st04-regret", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, notebook, cellMutations) }

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, claims.Names()) }
