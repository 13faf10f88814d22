package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/weighted"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// WeightedDevice is the devices' half of information-weighted regression with elimination (Chen,
// Li, Rakhlin, Simchi-Levi, arXiv 2502.13115). It drops the arms that an estimate of the broadcast
// rules out and plays the others in turn. It reports its row (x, y) times a unit vector,
//
//	M = (x, y) u^T + N(0, sigma^2),   u = R x/|R x|,
//
// with the broadcast's lower triangular R, which says in which directions contexts are short. So a
// message is as long as the row itself, however much R stretches short contexts. [WeightedServer]
// says what that buys.
//
// The noise is sound: |(x, y)| is at most sqrt(L^2 + B^2), with L the bound on |x| and B that on
// |y|, so two messages are at most D = 2 sqrt(L^2 + B^2) apart, and sigma = D/mu*(epsilon, delta).
// No smaller D would do. Take x = (a, c), x' = (-a, c) with c^2 = L^2 - a^2, R = diag(1, r), and
// y = y' = B. Let a -> 0 and r c/a -> 0: then u and u' go to (1, 0) and (-1, 0), x - x' goes to 0,
// and M - M' tends to (2x, 2B) (1, 0)^T, of norm D.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The message
// is Gaussian whatever the broadcast was, so the guarantee is sequentially interactive: it holds
// against any server.
type WeightedDevice struct {
	Budget privacy.Budget // of a message; no default; delta > 0
}

// weightedDevice is a WeightedDevice for a problem.
type weightedDevice struct {
	problem bandit.Problem
	noise   weightedNoise
	plan    privacy.Plan
}

// weightedReporter is what runs on the devices.
type weightedReporter struct {
	data  choice // clips; it has no rule
	noise weightedNoise
	arms  weighted.Eliminator
	u     []float64
	buf   learner.Message
}

// weightedNoise is the noise on a message of d+1 rows of d numbers.
type weightedNoise struct {
	diameter, sigma float64
	bound           float64 // an honest message has a greater number with probability below 1e-300
}

var _ learner.Device = WeightedDevice{}

// weightedScale validates the budget and calibrates the noise.
func weightedScale(p bandit.Problem, b privacy.Budget) (n weightedNoise, err error) {
	mu, err := b.GaussianMu()
	if err != nil {
		return n, err
	}
	radius := portable.Hypot(p.ContextNorm, p.RewardBound())
	n.diameter = 2 * radius
	n.sigma = n.diameter / mu
	if b.None() {
		n.sigma = 0
	}
	const tail = 40 // standard deviations
	if n.bound = float64(radius*(1+1e-9)) + float64(tail*n.sigma); !(n.bound < 1e50) {
		return n, fmt.Errorf("learner: messages of a WeightedDevice go up to %v for %v, want < 1e50", n.bound, b)
	}
	return n, positive("the noise of a WeightedDevice", n.sigma, b)
}

// Open validates and calibrates the noise.
func (w WeightedDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	if err := ellipsoid.Check("WeightedDevice", p, horizon); err != nil {
		return nil, err
	}
	d := &weightedDevice{problem: p}
	var err error
	if d.noise, err = weightedScale(p, w.Budget); err != nil {
		return nil, err
	}
	d.plan = learner.MessagePlan(w.Budget, privacy.Sound, 0, "Chen, Li, Rakhlin, Simchi-Levi, arXiv 2502.13115; mu-GDP (Dong, Roth, Su 2022)",
		privacy.Release{Law: privacy.GaussianLaw((p.Dim+1)*p.Dim, d.noise.sigma), Sensitivity: privacy.Norms{L2: d.noise.diameter}})
	return d, nil
}

// Plan returns what a message shows of its user.
func (w *weightedDevice) Plan(int) privacy.Plan { return w.plan.HeldBy(w) }

// Start allocates.
func (w *weightedDevice) Start() learner.Reporter {
	d := w.problem.Dim
	return &weightedReporter{
		data: choice{problem: w.problem, data: w.problem, x: make([]float64, d)}, noise: w.noise,
		arms: weighted.NewEliminator(w.problem), u: make([]float64, d), buf: make(learner.Message, (d+1)*d),
	}
}

// Act plays in turn the arms that no estimate rules out. An estimate rules out an arm whose mean
// reward by theta is below that of the best arm that is left by more than |A (x_best - x)|.
func (w *weightedReporter) Act(broadcast []float64, v *bandit.View) (int, error) {
	return w.arms.Act(broadcast, v)
}

// Explain appends what the last estimate knows of the arms. Those that are ruled out have the index
// -Inf, and the others none.
func (w *weightedReporter) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return w.arms.Explain(broadcast, v, dst)
}

// Report appends M to dst, row by row. Where R x is 0, so is u.
func (w *weightedReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	r, _, err := w.arms.Split(broadcast)
	if err != nil {
		return dst, err
	}
	if y, err = w.data.admit(x, y); err != nil {
		return dst, err
	}
	d := len(w.u)
	var sum float64
	for i := range d {
		w.u[i] = packed.Dot(r[:i+1], w.data.x)
		sum += float64(w.u[i] * w.u[i])
		r = r[i+1:]
	}
	scale := 0.0
	if sum >= 1e-280 {
		scale = 1 / math.Sqrt(sum)
	}
	for i := range w.u {
		w.u[i] *= scale
	}
	if w.noise.sigma > 0 {
		noise.Gaussian(w.buf, w.noise.sigma)
	} else {
		clear(w.buf)
	}
	for i := range d + 1 {
		part := y
		if i < d {
			part = w.data.x[i]
		}
		for j, v := range w.u {
			w.buf[i*d+j] += float64(part * v)
		}
	}
	return append(dst, w.buf...), nil
}
