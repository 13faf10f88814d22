package jdp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// long are the claims that take more than a second to check.
var long = []string{"attacked", "logistic", "sound noise is enough", "gaussian beats wishart", "theorems hold", "features"}

func TestClaims(t *testing.T) { notebooktest.Claims(t, Claims, long...) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []notebooktest.Mutation{
	{"standard privacy fails", "the action is not randomised", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 0*lie)"},
	{"joint privacy", "the noise does not grow with the depth of the tree", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = square / mu"},
	{"confidence sets", "beta forgets the perturbation and the regulariser", "pkg/learner/internal/ellipsoid/ellipsoid.go", " + float64(c.ThetaNorm*math.Sqrt(b.RhoMax)) + b.Gamma", ""},
	{"tree", "a new node drops the older ones", "pkg/mechanism/continual/tree.go", "return level + 1 + bits.TrailingZeros(uint(higher))", "return p.levels"},
	{"accurate bounds", "the operator norm's tail is left out", "pkg/mechanism/continual/gaussian.go", "float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+tail))", "math.Sqrt(d)"},
	{"dimension", "the inverse Gram matrix never shrinks, and exploration never ends", "pkg/learner/internal/ellipsoid/ellipsoid.go", "packed.AddScaledOuter(e.Inverse, -gain, k)", "packed.AddScaledOuter(e.Inverse, 0*gain, k)"},
	{"gaussian beats wishart", "Wishart noise has too few degrees of freedom", "pkg/mechanism/internal/degrees/wishart.go", "return 28 * portable.Log(4/node.Delta)", "return 0.0028 * portable.Log(4/node.Delta)"},
	{"authors' curves", "the first round is taken for the last", "pkg/simulate/result.go", "k := len(c.Rounds) - 1", "k := 0"},
	{"theorems hold", "Theorem 5 forgets the number of rounds", "pkg/learner/linear/theory.go", "math.Sqrt(8*float64(t.Rounds)*potential)", "math.Sqrt(8*potential)"},
	{"shift", "the search for the shift stops at its edge", "pkg/learner/linear/theory.go", "portable.Exp((a + b) / 2)", "portable.Exp(high)"},
	{"gap decides", "the gaps are listed from the other end", "notebooks/jdp/jdp.go", "[]float64{0, 0.025, 0.1}", "[]float64{0.1, 0.025, 0}"},
	{"streaming", "the streaming noise is calibrated ten times too large", "pkg/mechanism/continual/factorised.go", "f.sd = column * f.sensitivity() / mu", "f.sd = 10 * column * f.sensitivity() / mu"},
	{"logistic", "the rows have no weights", "pkg/learner/linear/logistic.go", "root := math.Sqrt(w)", "root := 1.0"},
	{"unbounded", "releases do not grow apart", "pkg/mechanism/continual/unbounded.go", "step := max(1, growth*float64(t))", "step := max(1, 0*growth*float64(t))"},
	{"seldom", "BLT between releases is calibrated for twice the noise", "pkg/mechanism/continual/seldom.go", "kernel.columnNorm(n), 0,", "2*kernel.columnNorm(n), 0,"},
	{"best shift", "Theorem 5 forgets the perturbation", "pkg/learner/linear/theory.go", "float64(t.ThetaNorm*math.Sqrt(t.RhoMax)) + t.Gamma", "float64(t.ThetaNorm*math.Sqrt(t.RhoMax))"},
	{"shrinking width", "the shift has no part in the width", "pkg/learner/linear/ucb.go", "bounds.RhoMax *= share // beta has its root", "bounds.RhoMax *= 0 * share"},
	{"adac", "the noise is for twice the range of the rewards", "pkg/mechanism/continual/public_contexts.go", "moves / mu", "2 * moves / mu"},
	{"features", "the features hardly differ", "pkg/learner/kernel.go", "ready.turns[i] /= 2 * math.Pi * length", "ready.turns[i] /= 2000 * math.Pi * length"},
	{"attacked", "the tree keeps its first noise", "pkg/mechanism/continual/tree.go", "p.drawer.Draw(p.source, p.node)", "if p.lowest == p.levels {\n\t\tp.drawer.Draw(p.source, p.node)\n\t}"},
	{"sound noise is enough", "sound noise is ten times too large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 10 * math.Sqrt(float64(g.levels)) * square / mu"},
}

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"60f1491d", "the gap is forgotten", "pkg/environment/decision_sets.go", "Hi: top - e.Gap}", "Hi: top}"},
	{"j03-ridges", "the ridge is divided by 100", "pkg/mechanism/continual/exact.go", "shift := e.Ridge", "shift := e.Ridge / 100"},
	{"j03-spectra", "Wishart noise has too few degrees of freedom", "pkg/mechanism/internal/degrees/wishart.go", "return 28 * portable.Log(4/node.Delta)", "return 0.0028 * portable.Log(4/node.Delta)"},
	{"4bf29d29", "a node's epsilon is not checked", "pkg/mechanism/continual/wishart.go", "node.Epsilon >= 1 || ", ""},
	{"4a2b1110", "sound noise is twice as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 2 * math.Sqrt(float64(g.levels)) * square / mu"},
	{"j03-eighth", "a table gives the curve of another policy", "notebooks/lab/read.go", "if c.Policy == policy {", "if c.Policy != policy {"},
	{"j03-standard", "the action is not randomised", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 0*lie)"},
	{"b90a8fd9", "the package's width forgets the perturbation and the regulariser", "pkg/learner/internal/ellipsoid/ellipsoid.go", " + float64(c.ThetaNorm*math.Sqrt(b.RhoMax)) + b.Gamma", ""},
	{"j03-width", "sound noise is a hundredth as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = math.Sqrt(float64(g.levels)) * square / mu / 100"},
	{"1a965fc7", "a prefix is summed from its leaves", "pkg/mechanism/continual/tree.go", "level := bits.Len(uint(rest)) - 1", "level := 0"},
	{"a27799a6", "no finding excludes a claim", "pkg/audit/audit.go", "return f.Epsilon > f.Claim.Epsilon || f.Delta > f.At.Delta || f.Mu > f.ClaimedMu", "return false"},
	{"j03-budgets", "sound noise is a hundred times as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 100 * math.Sqrt(float64(g.levels)) * square / mu"},
	{"j03n-bounds", "sound noise is ten times as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 10 * math.Sqrt(float64(g.levels)) * square / mu"},
	{"j03-buys", "sound noise is twice as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 2 * math.Sqrt(float64(g.levels)) * square / mu"},
	{"720f39c8", "the streaming noise is calibrated ten times too large", "pkg/mechanism/continual/factorised.go", "f.sd = column * f.sensitivity() / mu", "f.sd = 10 * column * f.sensitivity() / mu"},
	{"j03b-foreseen-table", "releases grow apart by the square of the growth", "pkg/mechanism/continual/unbounded.go", "step := max(1, growth*float64(t))", "step := max(1, growth*growth*float64(t))"},
	{"j03b-adac-race", "correlated noise is ten times as large", "pkg/mechanism/continual/public_contexts.go", "p.by.columnNorm(p.most) * moves", "math.Pow(p.by.columnNorm(p.most), 9) * moves"},
	{"j03b-logistic-race", "the noise is half of what it should be", "pkg/mechanism/continual/factorised.go", "f.sd = column * f.sensitivity() / mu", "f.sd = 0.5 * column * f.sensitivity() / mu"},
	{"j03b-kernel", "the features hardly differ", "pkg/learner/kernel.go", "ready.turns[i] /= 2 * math.Pi * length", "ready.turns[i] /= 2000 * math.Pi * length"},
	{"j03b-joint-sign", "a batch has ten times the noise", "pkg/mechanism/continual/vector_batches.go", "b.sd = 2 * s.Bound / mu;", "b.sd = 20 * s.Bound / mu;"},
	{"j03b-joint", "the powers are those of 1/T", "notebooks/jdp/joint.go", "add(float64(rounds), rounds, JointEpsilon)", "add(1/float64(rounds), rounds, JointEpsilon)"},
	{"j03b-joint-learnt", "the standard error is taken for the mean", "pkg/simulate/result.go", "return c.Mean[len(c.Mean)-1] }", "return c.SE[len(c.Mean)-1] }"},
	{"j03b-joint-table", "the first size is taken for the worst", "notebooks/lab/study.go", "; mean > regret {", "; regret == 0 {"},
	{"st03-pulls", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st03-rates-logs", "a node's degrees of freedom do not grow with its delta", "pkg/mechanism/internal/degrees/wishart.go", "return 28 * portable.Log(4/node.Delta)", "return 28 * portable.Log(4/0.1)"},
	{"st03-rates-powers", "Theorem 5 forgets the number of rounds", "pkg/learner/linear/theory.go", "math.Sqrt(8*float64(t.Rounds)*potential)", "math.Sqrt(8*potential)"},
	{"st03-rates-figure", "sound noise is ten times as large", "pkg/mechanism/continual/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 10 * math.Sqrt(float64(g.levels)) * square / mu"},
	{"st03-rates-in-runs", "the standard error is taken for the mean", "pkg/simulate/result.go", "return c.Mean[len(c.Mean)-1] }", "return c.SE[len(c.Mean)-1] }"},
	{"st03-rates-near", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, "../03-jdp-linucb.ipynb", cellMutations) }

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, Claims.Names()) }

func TestAsserted(t *testing.T) {
	notebooktest.Asserted(t, "../03-jdp-linucb.ipynb", Claims.Names())
}
