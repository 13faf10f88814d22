package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/mutationtest"
)

// long are the claims that take more than a second to check.
var long = []string{"script", "batches", "rates"}

func TestClaims(t *testing.T) { mutationtest.Claims(t, Claims, long...) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []mutationtest.Mutation{
	{"batches", "no batch is large enough", "pkg/privacy/amplification.go", "if AmplifiedDelta(b.Epsilon, high, n) > b.Delta {", "if high > 0 {"},
	{"rates", "the gradient has the wrong sign", "pkg/learner/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"event", "a device draws noise that is a tenth shorter", "pkg/learner/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.9*o.scale.sigma)"},
	{"messages", "the reward is sent twice as large", "pkg/learner/online_ucb_device.go", "o.buf[last] += y", "o.buf[last] += 2 * y"},
	{"published noise", "the claim takes the printed sensitivity", "pkg/learner/online_ucb_noise.go", "s.diameter = diameter\n", "s.diameter = 2\n"},
	{"loss", "a device draws twice the noise that it says", "pkg/learner/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 2*o.scale.sigma)"},
	{"online learners", "Maler rewards what the strongly convex experts lose", "pkg/online/maler.go", "strong[i] -= m.descend(", "strong[i] += 30 * m.descend("},
	{"prediction sets", "the set is fitted to the rewards", "pkg/learner/online_ucb_server.go", "o.sum[p+i] += float64(prediction * v)", "o.sum[p+i] += float64(reward * v)"},
	{"figure 1", "the gradient has the wrong sign", "pkg/learner/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"script", "the script's regulariser is nine times as large", "notebooks/ldp/script.go", "s.dim, s.gamma = p.Dim, gamma", "s.dim, s.gamma = p.Dim, 9*gamma"},
	{"eigenvalues", "fresh arms are fixed and fixed ones fresh", "pkg/environment/unit_features.go", "if e.round++; !e.Fixed {", "if e.round++; e.Fixed || e.round == 1 {"},
	{"radius", "the factor of the width is forgotten", "pkg/learner/online_ucb_server.go", "o.width[0] = or(o.Width, 1) * beta", "o.width[0] = beta"},
	{"equal privacy", "the factor of the width is forgotten", "pkg/learner/linucb.go", "l.factor * l.confidence.beta(", "l.confidence.beta("},
	{"knowing less", "the combiner's targets are a thousandth", "pkg/learner/combiner_server.go", "c.standings[i].Target = or(c.TargetScale, 1) *", "c.standings[i].Target = 1e-3 * or(c.TargetScale, 1) *"},
}

func TestMutations(t *testing.T) { mutationtest.Run(t, mutations, Claims.Names()) }
