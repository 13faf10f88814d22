package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// cellMutations breaks the code once for each cell that asserts what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"l01-equal", "the trusted server's noise is a hundred times as large", "pkg/mechanism/continual/factorised.go", "f.sd = column * f.sensitivity() / mu", "f.sd = 100 * column * f.sensitivity() / mu"},
	{"l01-wire", "a device draws half the noise that it says", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.5*o.scale.sigma)"},
	{"l01-levels", "a device draws half the noise that it says", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.5*o.scale.sigma)"},
	{"m01-scatters", "a device draws half the noise that it says", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.5*o.scale.sigma)"},
	{"df6cd5d4", "the set is fitted to the rewards", "pkg/learner/local/online_ucb_server.go", "o.sum[p+i] += float64(prediction * v)", "o.sum[p+i] += float64(reward * v)"},
	{"l01-assert-rates", "the gradient has the wrong sign", "pkg/learner/local/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"1477a0b5", "the reward is sent twice as large", "pkg/learner/local/online_ucb_device.go", "o.buf[last] += y", "o.buf[last] += 2 * y"},
	{"l01-deltas", "a device draws half the noise that it says", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.5*o.scale.sigma)"},
	{"6ced265c", "the claim takes the printed sensitivity", "pkg/learner/local/online_ucb_noise.go", "s.diameter = diameter\n", "s.diameter = 2\n"},
	{"9e6b86af", "no batch is large enough", "pkg/privacy/amplified_mu.go", "if amplified.MixedDelta(b.Epsilon, high, n) > b.Delta {", "if high > 0 {"},
	{"49a6f61c", "a device draws twice the noise that it says", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 2*o.scale.sigma)"},
	{"84d9cb92", "Maler rewards what the strongly convex experts lose", "pkg/online/maler.go", "strong[i] -= m.descend(", "strong[i] += 30 * m.descend("},
	{"abd07942", "the set is fitted to the rewards", "pkg/learner/local/online_ucb_server.go", "o.sum[p+i] += float64(prediction * v)", "o.sum[p+i] += float64(reward * v)"},
	{"4ec23f47", "the width of the theory is a tenth", "pkg/learner/local/online_ucb_server.go", "beta = o.theory.width(float64(o.count))", "beta = 0.1 * o.theory.width(float64(o.count))"},
	{"l01-assert-corollary", "the bound on gradients is a hundredth", "pkg/learner/local/online_ucb_server.go", "return o.theory.gradient }", "return 0.01 * o.theory.gradient }"},
	{"l01-assert-event", "a device draws noise that is a tenth shorter", "pkg/learner/local/online_ucb_device.go", "noise.Gaussian(o.buf, o.scale.sigma)", "noise.Gaussian(o.buf, 0.9*o.scale.sigma)"},
	{"l01-assert-lemma", "the gradient has the wrong sign", "pkg/learner/local/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"l01-fresh", "the gradient has the wrong sign", "pkg/learner/local/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"94ebb5c7", "fresh arms are fixed and fixed ones fresh", "pkg/environment/unit_features.go", "if e.round++; !e.of.Fixed {", "if e.round++; e.of.Fixed || e.round == 1 {"},
	{"47d8339a", "the factor of the width is forgotten", "pkg/learner/local/online_ucb_server.go", "o.estimate.Width[0] = checks.Or(o.tuning.Width, 1) * beta", "o.estimate.Width[0] = beta"},
	{"l01-infinity", "the width of OnlineUCB is half as large", "pkg/learner/local/online_ucb_server.go", "float64(t.own*math.Sqrt(float64(t.dim)*portable.Log((1", "float64(t.own/2*math.Sqrt(float64(t.dim)*portable.Log((1"},
	{"l01-assert-dimension", "the gradient has the wrong sign", "pkg/learner/local/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"st01-events", "the standard error is taken for the mean", "pkg/simulate/table.go", "return c.Mean[last], c.SE[last], nil", "return c.SE[last], c.Mean[last], nil"},
	{"st01-by-T", "regret is squared", "charts/curves.go", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[last])", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[last]*c.Mean[last])"},
	{"st01-sqrt", "the first size is taken for the worst", "notebooks/lab/study.go", "; mean > regret {", "; regret == 0 {"},
	{"st01-sqrt-table", "less noise is taken for more", "notebooks/ldp/sqrt.go", "x, y = append(x, 1/mu)", "x, y = append(x, mu)"},
	{"st01-by-d", "the standard error is taken for the mean", "charts/curves.go", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.Mean[last])", "s.X, s.Y = append(s.X, values[i]), append(s.Y, c.SE[last])"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, notebook, cellMutations) }
