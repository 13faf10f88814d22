package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/notebooktest"
)

// slow lists the statements whose check takes seconds.
var slow = []string{
	"After 16,000 rounds the refined recipe's error is the least of the three, and less than half of the tuned one's.",
	"Counting by the curve takes a tenth to a quarter off the noise of standard zCDP.",
	"Each recipe proves at most the ε that it was asked for, and the plain one less than 0.8 of it.",
	"A selection pays less than AnalyzeGauss, that less than hard thresholding, and LinUCB over noisy sums most.",
	"The support is complete later at ε = 0.5 than at 10.",
	"Two LASSO learners pay less than a fifth of LinUCB's regret, and LassoBandit less than 0.6 of it.",
}

func TestClaims(t *testing.T) { notebooktest.Claims(t, claims, slow...) }

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []notebooktest.Mutation{
	{"With as many dimensions as rounds LinUCB pays nearly what a random arm pays, an oracle next to nothing.", "the oracle reads other coordinates", "pkg/learner/support_oracle.go", "l.x[i] = x[j]", "l.x[i] = x[len(x)-1-j]"},
	{"In nine data sets of ten, the five of 200 coordinates that matter leave 0 first, at penalties above 0.3 sqrt(2 ln d/n).", "the penalty is twice as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 2*alpha*s.rows, 0"},
	{"In one dimension the solver soft-thresholds.", "the penalty is twice as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 2*alpha*s.rows, 0"},
	{"Two LASSO learners pay less than a fifth of LinUCB's regret, and LassoBandit less than 0.6 of it.", "the second threshold keeps the small coefficients", "pkg/learner/thresholded_lasso.go", "if math.Abs(w[j]) > least {", "if math.Abs(w[j]) < least {"},
	{"One replaced row moves a coefficient of the LASSO from above 1.9 to 0, for 100 rows as for 10,000.", "the penalty is ten times as large", "pkg/lasso/solver.go", "s.lambda, s.sweeps = alpha*s.rows, 0", "s.lambda, s.sweeps = 10*alpha*s.rows, 0"},
	{"Eight answers “below” cost more than the promised 1 with fresh thresholds, and less with one.", "each query has a threshold of its own", "pkg/mechanism/sparse_vector.go", "\tif !s.open {\n\t\ts.offset", "\tif true {\n\t\ts.offset"},
	{"From ε = 1 to 10,000 the printed selection lists about half of the coordinates that matter, and no other.", "the first set has a threshold of 0", "pkg/mechanism/thresholded_lasso.go", "if !r.Screen && !(math.Abs(v) > 4*lambda) {", "if !r.Screen && !(math.Abs(v) > 0*lambda) {"},
	{"The printed algorithm proves no ε, the mended one at most what was asked; at ε = 1 both pay what a random arm pays.", "repairs count as defects", "pkg/mechanism/thresholded_lasso_noise.go", "if !defect.mended {", "if defect.mended {"},
	{"At ε = 0.5 a selection finds the five that matter in 8000 rows, and not in 200.", "the smallest scores are chosen", "pkg/mechanism/top_scores.go", "t.scores[j] = math.Abs(u)", "t.scores[j] = -math.Abs(u)"},
	{"Each recipe proves at most the ε that it was asked for, and the plain one less than 0.8 of it.", "the Gumbel noise has half of its scale", "pkg/mechanism/sparse_episodes.go", "out.gumbel = 4 * p.Scores.Most() / pick", "out.gumbel = 2 * p.Scores.Most() / pick"},
	{"Counting by the curve takes a tenth to a quarter off the noise of standard zCDP.", "a pick gets the budget of all", "pkg/privacy/pld_range.go", "return r * math.Sqrt(8*s.share/float64(picks)), r", "return r * math.Sqrt(8*s.share), r"},
	{"The refined recipe pays less than the tuned one, and that less than the plain one; at ε = 0.5 less than plain at 2.", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
	{"Ten times the dimension costs 1.8 to 2.1 times the regret with the plain recipe, 1.2 to 1.8 times with the others.", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"More coordinates that matter and more arms cost more regret.", "the smallest scores are chosen", "pkg/mechanism/sparse_episodes.go", "e.gumbel[j] += math.Abs(u)", "e.gumbel[j] -= math.Abs(u)"},
	{"The support is complete later at ε = 0.5 than at 10.", "the noise of a score is for a budget a hundred times as large", "pkg/mechanism/sparse_episodes.go", "out.gumbel = 4 * p.Scores.Most() / pick", "out.gumbel = 0.04 * p.Scores.Most() / pick"},
	{"After 16,000 rounds the refined recipe's error is the least of the three, and less than half of the tuned one's.", "an episode does not hand on its estimate", "pkg/mechanism/sparse_episodes.go", "e.theta = e.as.Estimate.Solve(&e.release, nil)", "e.theta = nil"},
	{"A row moves FLIPHAT's release more than seven times as far as its noise hides, and an unclipped one farther.", "contexts are always clipped", "pkg/mechanism/noisy_iht.go", "bound = farContext", "bound = h.as.Context"},
	{"With the missing factor FLIPHAT pays 3.8 to 6 times the regret, and SparseJDP less than any of its variants.", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"The noise of AnalyzeGauss grows like d, that of a selection like ln d.", "the noise is for the length of a row and not for its square", "pkg/mechanism/sparse_episodes.go", "bound: float64(p.Norm*p.Norm) + float64(p.Scale*p.Scale*p.Reward*p.Reward)", "bound: p.Norm"},
	{"A selection pays less than AnalyzeGauss, that less than hard thresholding, and LinUCB over noisy sums most.", "the smallest scores are chosen", "pkg/mechanism/sparse_episodes.go", "e.gumbel[j] += math.Abs(u)", "e.gumbel[j] -= math.Abs(u)"},
	{"From d = 10 to 80 the local learner's regret grows eight- to 13.5-fold, the joint learner's less than twofold.", "the first round is taken for the last", "pkg/simulate/table.go", "last := len(c.Mean) - 1", "last := 0"},
	{"All four designs have a margin and no hidden direction, and only spherical contexts keep to one length.", "the width of the margin is forgotten", "pkg/environment/conditions.go", "c.Margin += 1 / (gap * float64(rounds))", "c.Margin += 1 / float64(rounds)"},
	{"Theorems 2 and 3 stay above a random arm up to 10^8 rounds; at 16,000 they are 100,000 times what was measured.", "the factor of the second term is forgotten", "pkg/learner/private_thresholded_lasso_theory.go", "b = 2 * rivals * 64 * float64(t.Dim) * variance * s * s / (t.Lambda0 * t.Lambda0)", "b = float64(t.Dim)"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, claims.Names()) }
