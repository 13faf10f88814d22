package online

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// MetaGrad adapts to the curvature of the losses by mixing second-order experts of different
// learning rates (van Erven, Koolen 2016, Algorithms 1 and 2, the full-matrix version).
//
// It is the ancestor of [Maler] and has its exp-concave experts only: one for each eta = 2^-i/(10 G
// D), i = 0, ..., k = ceil(log2(T)/2), with prior (1 + 1/(1+k))/((i+1)(i+2)). With g the gradient
// at
//
//	theta_t = sum_i pi_i eta_i th_i / sum_i pi_i eta_i,   pi_i <- pi_i exp(-l_i(th_i)), normalised,
//
// the expert of eta has the surrogate l(th) = -eta <theta_t - th, g> + eta^2 <g, theta_t - th>^2
// and moves by
//
//	S  =  I/(2D)^2 + 2 eta^2 sum g g^T,
//	y  =  th - S^-1 eta (1 + 2 eta <g, th - theta_t>) g,
//	th <- argmin_{|z| <= D} (z-y)^T S (z-y).
//
// Its regret adapts to the losses through sum_t <theta_t - u, g_t>^2. It is O(G D sqrt(T ln ln T))
// at worst, and O(d ln T) for exp-concave and for strongly convex losses; for the latter Maler has
// O(ln T).
//
// In the paper D bounds the distance of two points, here it is the radius, half of that. The
// paper's rates 2^-i/(5 G D) thus become 2^-i/(10 G D), so that eta |<theta_t - th, g>| <= 1/5 as
// its lemmas need, and its first covariance D^2 I becomes (2D)^2 I.
type MetaGrad struct {
	Radius   float64 // D; 0 means 1
	Gradient float64 // bound G > 0 on the norm of a gradient; no default
}

var _ Learner = MetaGrad{}

// metaGradRun is a [MetaGrad] in a run.
type metaGradRun struct {
	core
	etas    []float64 // in units of 1/(G D)
	experts []newton
	logs    []float64 // ln pi, up to a common constant
	tilted  []float64
	z       []float64 // theta_t in units of D
}

// Open validates.
func (m MetaGrad) Open(dim, horizon int) (Calibrated, error) {
	on, err := newBall("MetaGrad", dim, horizon, m.Radius, m.Gradient, false, 2*grid(max(1, horizon)))
	if err != nil {
		return nil, err
	}
	n := grid(horizon)
	etas, prior := rates(n)
	return Starts(func(*rand.Rand, rand.Source) Run {
		r := &metaGradRun{core: on.begin(), etas: etas, experts: make([]newton, n), logs: slices.Clone(prior),
			tilted: make([]float64, n), z: make([]float64, dim)}
		for i := range r.experts {
			r.experts[i] = newNewton(dim, 0.25)
		}
		return r
	}), nil
}

// Update takes the gradient at Predict().
func (m *metaGradRun) Update(gradient []float64) error {
	if err := m.take(gradient); err != nil {
		return err
	}
	at := packed.Dot(m.g, m.z)
	for i, eta := range m.etas {
		expert := &m.experts[i]
		move := float64(eta * (packed.Dot(m.g, expert.z) - at))
		m.logs[i] -= move + float64(move*move)
		expert.step(m.g, 2*eta*eta, eta*(1+float64(2*move)))
	}
	total := tilt(m.tilted, m.logs, m.etas)
	clear(m.z)
	for i := range m.experts {
		share := m.tilted[i] / total
		for j, v := range m.experts[i].z {
			m.z[j] += float64(share * v)
		}
	}
	m.publish(m.z)
	return nil
}

// Experts returns the number of experts, 1 + ceil(log2(T)/2).
func (m *metaGradRun) Experts() int { return len(m.experts) }

// Weights returns the weights of the experts in the next prediction, by decreasing learning rate.
func (m *metaGradRun) Weights() []Weight {
	w := make([]Weight, len(m.etas))
	for i := range w {
		w[i].Name = "exp-concave"
	}
	return weigh(w, m.logs, m.etas, m.bound*m.radius)
}

// tilt writes pi eta, up to a common factor, into dst and returns its sum. It also shifts the
// logarithms of pi so that their maximum is 0.
func tilt(dst, logs, etas []float64) (total float64) {
	top := math.Inf(-1)
	for _, v := range logs {
		top = max(top, v)
	}
	for e, v := range logs {
		v -= top
		logs[e] = v
		dst[e] = float64(portable.Exp(v) * etas[e])
		total += dst[e]
	}
	return total
}
