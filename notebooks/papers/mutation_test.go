package papers

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/mutationtest"
)

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []mutationtest.Mutation{
	{"betting odds", "Laplace noise has half its scale", "pkg/privacy/noise.go", "z := random.Exponential(n.rng) * scale", "z := random.Exponential(n.rng) * scale / 2"},
	{"trade-off", "the Gaussian is calibrated for twice delta", "pkg/privacy/gaussian.go", "GaussianDelta(b.Epsilon, mu) > b.Delta", "GaussianDelta(b.Epsilon, mu) > 2*b.Delta"},
	{"beyond the tree", "BLT's weights are squared", "pkg/mechanism/blt_kernel.go", "dst[i] += float64(beta * v)", "dst[i] += float64(beta * beta * v)"},
	{"composition", "zCDP takes a pure loss for a quarter of what it is", "pkg/privacy/concentrated.go", "return e.PureEpsilon() * e.PureEpsilon() / 2, true", "return e.PureEpsilon() * e.PureEpsilon() / 8, true"},
	{"trust", "randomised response tells the truth too rarely", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 2*lie) || choices == 1"},
	{"users", "a group's mu grows with the root of its size", "pkg/privacy/accountant.go", "return cost * float64(k) * float64(k), true", "return cost * float64(k), true"},
	{"odometer", "the tree forgets its root", "pkg/mechanism/mechanism.go", "return bits.Len(uint(max(0, min(records, r.setup.Horizon-1))))", "return max(1, bits.Len(uint(max(0, min(records, r.setup.Horizon-1))))-1)"},
	{"audit catches", "the audit takes one world's rate for the other's", "pkg/audit/event.go", "hits[event.world], hits[1-event.world]", "hits[1-event.world], hits[event.world]"},
	{"line-up", "a broken fixture has the noise that it claims", "pkg/audit/broken/broken.go", "privacy.NewNoise(source).Laplace(out, 1/epsilon)", "privacy.NewNoise(source).Laplace(out, 2/epsilon)"},
	{"ledger", "the ledger does not compare", "pkg/privacy/ledger.go", "d.Count != want[d.Law]", "d.Count < 0"},
	{"sparse vector", "the threshold's noise is always fresh", "pkg/mechanism/sparse_vector.go", "if !s.open {", "if s.open || !s.open {"},
	{"low bits", "float64 noise is rounded to a grid", "pkg/privacy/noise.go", "z := random.Exponential(n.rng) * scale", "z := float64(int64(random.Exponential(n.rng)*scale*1024+0.5)) / 1024"},
	{"discrete noise", "zero is drawn twice as often", "pkg/random/discrete_laplace.go", "case z > 0: // a second zero would count double", "case z >= 0:"},
	{"batches", "no batch is large enough", "pkg/privacy/amplification.go", "if AmplifiedDelta(b.Epsilon, high, n) > b.Delta {", "if high > 0 {"},
	{"messages", "the reward is sent twice as large", "pkg/learner/online_ucb_device.go", "o.buf[last] += y", "o.buf[last] += 2 * y"},
	{"published noise", "the claim takes the printed sensitivity", "pkg/learner/online_ucb_noise.go", "s.diameter = diameter\n", "s.diameter = 2\n"},
	{"loss", "a device draws twice the noise that it says", "pkg/learner/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 2*o.scale.sigma)"},
	{"online learners", "Maler rewards what the strongly convex experts lose", "pkg/online/maler.go", "strong[i] -= m.descend(", "strong[i] += 30 * m.descend("},
	{"prediction sets", "the set is fitted to the rewards", "pkg/learner/online_ucb_server.go", "o.sum[p+i] += float64(prediction * v)", "o.sum[p+i] += float64(reward * v)"},
	{"figure 1", "the gradient has the wrong sign", "pkg/learner/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"script", "the script's regulariser is nine times as large", "notebooks/papers/ldp_script.go", "= p.Dim, s.sd*math.Sqrt(n*d)", "= p.Dim, 9*s.sd*math.Sqrt(n*d)"},
	{"eigenvalues", "fresh arms are fixed and fixed ones fresh", "pkg/environment/unit_features.go", "if e.round++; !e.Fixed {", "if e.round++; e.Fixed || e.round == 1 {"},
	{"radius", "the factor of the width is forgotten", "pkg/learner/online_ucb_server.go", "o.width[0] = or(o.Width, 1) * beta", "o.width[0] = beta"},
	{"equal privacy", "the factor of the width is forgotten", "pkg/learner/linucb.go", "l.factor * l.confidence.beta(", "l.confidence.beta("},
	{"knowing less", "the combiner's targets are a thousandth", "pkg/learner/combiner_server.go", "c.standings[i].Target = or(c.TargetScale, 1) *", "c.standings[i].Target = 1e-3 * or(c.TargetScale, 1) *"},
	{"table 2", "the noise's share of the index is a third", "pkg/learner/omm.go", "const confidences = 3", "const confidences = 1"},
	{"round 0", "the claim forgets that round 0 shows all arms", "pkg/mechanism/slot_noise.go", "t.setup.Arms*min(records, 1)", "t.setup.Slots*min(records, 1)"},
	{"sweep", "the noise of a block is ten times too large", "pkg/mechanism/slot_noise.go", "t.later, err = n.scale(t.setup.Slots, side)", "t.later, err = n.scale(10*t.setup.Slots, side)"},
	{"movies", "a movie that she has not rated counts", "pkg/environment/ratings.go", "y[i] = float64(set[a/64] >> (a % 64) & 1)", "y[i] = float64(^set[a/64] >> (a % 64) & 1)"},
	{"decision sets", "the gap is forgotten", "pkg/environment/decision_sets.go", "Hi: e.top - e.Gap}", "Hi: e.top}"},
	{"standard privacy fails", "the action is not randomised", "pkg/privacy/noise.go", "!(u < lie) || choices == 1", "!(u < 0*lie)"},
	{"joint privacy", "the noise does not grow with the depth of the tree", "pkg/mechanism/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = square / mu"},
	{"confidence sets", "beta forgets the perturbation and the regulariser", "pkg/learner/ellipsoid.go", " + float64(c.thetaNorm*math.Sqrt(b.RhoMax)) + b.Gamma", ""},
	{"tree", "a new node drops the older ones", "pkg/mechanism/tree.go", "return level + 1 + bits.TrailingZeros(uint(higher))", "return p.levels"},
	{"accurate bounds", "the operator norm's tail is left out", "pkg/mechanism/gaussian.go", "float64(2*math.Sqrt(d)) + float64(2*math.Sqrt(portable.Log(8)+tail))", "math.Sqrt(d)"},
	{"dimension", "the inverse Gram matrix never shrinks, and exploration never ends", "pkg/learner/ellipsoid.go", "row[j] -= float64(scaled * w)", "row[j] -= float64(0 * scaled * w)"},
	{"gaussian beats wishart", "Wishart noise has too few degrees of freedom", "pkg/mechanism/wishart.go", "return 28 * portable.Log(4/node.Delta)", "return 0.0028 * portable.Log(4/node.Delta)"},
	{"authors' curves", "the first round is taken for the last", "notebooks/papers/jdp_report.go", "k := len(c.Rounds) - 1", "k := 0"},
	{"theorems hold", "Theorem 5 forgets the number of rounds", "pkg/learner/theory.go", "math.Sqrt(8*float64(t.Rounds)*potential)", "math.Sqrt(8*potential)"},
	{"shift", "the search for the shift stops at its edge", "pkg/learner/theory.go", "portable.Exp((a + b) / 2)", "portable.Exp(high)"},
	{"gap decides", "the gaps are listed from the other end", "notebooks/papers/jdp.go", "[]float64{0, 0.025, 0.1}", "[]float64{0.1, 0.025, 0}"},
	{"wishart needs small epsilon", "a node's epsilon is not checked", "pkg/mechanism/wishart.go", "node.Epsilon >= 1 || ", ""},
	{"streaming", "the streaming noise is calibrated ten times too large", "pkg/mechanism/factorised.go", "f.sd = column * f.sensitivity() / mu", "f.sd = 10 * column * f.sensitivity() / mu"},
	{"attacked", "the tree keeps its first noise", "pkg/mechanism/tree.go", "p.drawer.Draw(p.source, p.node)", "if p.lowest == p.levels {\n\t\tp.drawer.Draw(p.source, p.node)\n\t}"},
	{"matroids", "the greedy algorithm passes over the heaviest element", "pkg/matroid/greedy.go", "for i := from; i < len(g.order) &&", "for i := from + 1; i < len(g.order) &&"},
	{"blocks", "blocks keep what the ones before them had", "pkg/mechanism/blocks.go", "\tb.sums[arm] = 0\n", ""},
	{"shared epsilon", "each arm has all of epsilon", "pkg/mechanism/slot_noise.go", "float64(slots)/n.budget.Epsilon, \"Laplace", "1/n.budget.Epsilon, \"Laplace"},
	{"viewers", "half of the users never come", "pkg/environment/ratings.go", "user := rewards.IntN(e.users)", "user := rewards.IntN((e.users + 1) / 2)"},
	{"pairs", "an arm stands for any arm of the best basis", "pkg/environment/semi_bandit_bases.go", "for b.used[place] || !b.builder.Add(b.best[place]) {", "for b.used[place] {"},
	{"equal privacy, matroids", "KL-OSM forgets the factor of its boost", "pkg/learner/kl_osm.go", "byLinear := l.boost * confidences * log", "byLinear := confidences * log"},
	{"sound noise is enough", "sound noise is ten times too large", "pkg/mechanism/gaussian.go", "g.sd = math.Sqrt(float64(g.levels)) * square / mu", "g.sd = 10 * math.Sqrt(float64(g.levels)) * square / mu"},
}

func TestMutations(t *testing.T) {
	var claims []string
	for _, c := range Claims {
		claims = append(claims, c.Name)
	}
	mutationtest.Run(t, mutations, claims)
}
