package trust

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// long are the claims that take more than a second to check.
var long = []string{"line-up"}

func TestClaims(t *testing.T) { notebooktest.Claims(t, Claims, long...) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []notebooktest.Mutation{
	{"trade-off", "the Gaussian is calibrated for twice delta", "pkg/privacy/budget.go", "GaussianDelta(b.Epsilon, mu) > b.Delta", "GaussianDelta(b.Epsilon, mu) > 2*b.Delta"},
	{"beyond the tree", "BLT's weights are squared", "pkg/mechanism/continual/blt_kernel.go", "dst[i] += float64(beta * v)", "dst[i] += float64(beta * beta * v)"},
	{"composition", "zCDP takes a pure loss for a quarter of what it is", "pkg/privacy/account/concentrated.go", "return squared(e.PureEpsilon(), 2), true", "return squared(e.PureEpsilon(), 8), true"},
	{"waste", "zCDP takes a pure loss for twice what it is", "pkg/privacy/account/concentrated.go", "return squared(e.PureEpsilon(), 2), true", "return squared(e.PureEpsilon(), 0.5), true"},
	{"line-up", "a broken fixture has the noise that it claims", "pkg/audit/broken/broken.go", "privacy.NewNoise(source).Laplace(out, 1/epsilon)", "privacy.NewNoise(source).Laplace(out, 2/epsilon)"},
	{"sparse vector", "the threshold's noise is always fresh", "pkg/mechanism/sparse_vector.go", "if !s.open {", "if s.open || !s.open {"},
	{"discrete noise", "zero is drawn twice as often", "pkg/random/discrete_laplace.go", "case z > 0: // a second zero would count double", "case z >= 0:"},
}

// cellMutations does so for each cell that checks what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"p00b-success", "Laplace noise has half its scale", "pkg/privacy/noise.go", "z := ziggurat.Exponential(n.rng) * scale", "z := ziggurat.Exponential(n.rng) * scale / 2"},
	{"p00b-game", "a curve's values are negative", "charts/function.go", "s.Y[i] = f(v)", "s.Y[i] = -f(v)"},
	{"b05", "a curve's values are one more", "charts/function.go", "s.Y[i] = f(v)", "s.Y[i] = f(v) + 1"},
	{"p00b-walk", "randomised response tells the truth too rarely", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 2*lie) || choices == 1"},
	{"p00b-account", "a release counts half of its epsilon", "pkg/privacy/account/optimal.go", "float64(k-2*l)*eps0*(1+0x1p-51)", "float64(k-2*l)*eps0/2"},
	{"p00b-Gaussian", "Gaussian noise has twice its scale", "pkg/privacy/noise.go", "law := GaussianLaw(len(dst), sd)", "law := GaussianLaw(len(dst), sd)\n\tsd *= 2"},
	{"p00b-composition", "a Gaussian's noise does not depend on epsilon", "pkg/privacy/budget.go", "GaussianDelta(b.Epsilon, mu) > b.Delta", "GaussianDelta(1, mu) > b.Delta"},
	{"p00b-tightest", "the first answer counts", "pkg/privacy/account/accountant.go", "case at < epsilon || by == \"\":", "case by == \"\":"},
	{"p00b-users", "a group's mu grows with the root of its size", "pkg/privacy/account/accountant.go", "return cost * float64(k) * float64(k), true", "return cost * float64(k), true"},
	{"p00b-trust", "randomised response tells the truth too rarely", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 2*lie) || choices == 1"},
	{"b27", "plans compose whatever their models", "pkg/privacy/plan.go", "case p.Model != sum.Model || p.Neighbours", "case p.Neighbours"},
	{"b30", "Gaussian noise is calibrated for half of epsilon", "pkg/privacy/budget.go", "GaussianDelta(b.Epsilon, mu) > b.Delta", "GaussianDelta(b.Epsilon/2, mu) > b.Delta"},
	{"p00b-max", "half of the tree's nodes count", "pkg/mechanism/continual/tree.go", "nodes := max(1, bits.Len(uint(t.data.Horizon))-1)", "nodes := max(1, bits.Len(uint(t.data.Horizon))/2)"},
	{"p00b-cost", "BLT keeps a thousand times as many buffers", "pkg/mechanism/continual/blt_kernel.go", "make([]float64, len(k.beta)*size)", "make([]float64, 1000*len(k.beta)*size)"},
	{"p00b-odometer", "the tree forgets its root", "pkg/mechanism/continual/rows.go", "return bits.Len(uint(max(0, min(records, s.Horizon-1))))", "return max(1, bits.Len(uint(max(0, min(records, s.Horizon-1))))-1)"},
	{"p00b-power", "the audit takes one world's rate for the other's", "pkg/audit/event.go", "e.hits[i][event.World].Load()), float64(e.hits[i][1-event.World].Load())", "e.hits[i][1-event.World].Load()), float64(e.hits[i][event.World].Load())"},
	{"b55", "the ledger does not compare", "pkg/privacy/ledger.go", "d.Count != want[d.Law]", "d.Count < 0"},
	{"b58", "a broken fixture has the noise that it claims", "pkg/audit/broken/broken.go", "privacy.NewNoise(source).Laplace(out, 1/epsilon)", "privacy.NewNoise(source).Laplace(out, 2/epsilon)"},
	{"p00b-sound-run", "Laplace noise has half its scale", "pkg/privacy/noise.go", "z := ziggurat.Exponential(n.rng) * scale", "z := ziggurat.Exponential(n.rng) * scale / 2"},
	{"p00b-lowbits", "float64 noise is rounded to a grid", "pkg/privacy/noise.go", "z := ziggurat.Exponential(n.rng) * scale", "z := float64(int64(ziggurat.Exponential(n.rng)*scale*1024+0.5)) / 1024"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, "../00b-privacy.ipynb", cellMutations) }

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, Claims.Names()) }

func TestAsserted(t *testing.T) {
	notebooktest.Asserted(t, "../00b-privacy.ipynb", Claims.Names())
}
