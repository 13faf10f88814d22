package online

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Maler has optimal regret on convex, strongly convex and exp-concave losses without being told
// which they are (Wang, Lu, Zhang 2019; LDP, Algorithms 5 to 8).
//
// The regret is O(G D sqrt T), O(G^2/mu ln T) and O(d/alpha ln T), respectively. Maler plays the
// mean of experts,
//
//	theta_t = sum_e pi_e eta_e theta_e / sum_e pi_e eta_e,
//	pi_e <- pi_e exp(-surrogate_e(theta_e)), normalised,
//
// each of which descends its own surrogate of the loss. With g the gradient at theta_t and D the
// radius of the ball, the experts are
//
//	convex, one, eta_c = 1/(4 G D sqrt T):  c(th) = -eta_c <theta_t - th, g> + (2 eta_c G D)^2
//	    th <- Pi(th - 2D/(eta_c G sqrt t) grad c) = Pi(th - 2D g/(G sqrt t))
//	strongly convex, one for each eta:
//	    s(th) = -eta <theta_t - th, g> + eta^2 G^2 |theta_t - th|^2
//	    th <- Pi(th - grad s/(2 eta^2 G^2 t)),  grad s = eta g + 2 eta^2 G^2 (th - theta_t)
//	exp-concave, one for each eta:
//	    l(th) = -eta <theta_t - th, g> + eta^2 <g, th - theta_t>^2
//	    ONS on grad l = eta (1 + 2 eta <g, th - theta_t>) g with S = I/(2 alpha D)^2
//	    and step 1/alpha, projected in the norm of S
//
// for eta = 2^-i/(10 G D), i = 0, ..., k = ceil(log2(T)/2). That makes 3 + 2k experts, 19 at T =
// 20,000. The priors are 1/3 for the convex expert and (1 + 1/(1+k))/(3 (i+1)(i+2)) for each of the
// two experts of an eta; they sum to 1.
//
// The LDP paper prints no rates, and its D is the radius: two points are at most 2D apart. Wang, Lu
// and Zhang's D is the diameter, and their rates are 1/(2 G D sqrt T) and 2^-i/(5 G D). With 2D for
// their D these are the rates above. The proof needs of them that eta |<theta_t - th, g>| <= 1/5,
// both for e^(x-x^2) <= 1 + x and for the curvature of l: the gradients of l then have length at
// most 7/(50 D) =: G_l, and l is 1-exp-concave. The prior of the convex expert and the printed
// steps (2D/(eta_c G sqrt t), I/(2 alpha D)^2, G_l) are in terms of the radius already.
type Maler struct {
	Radius   float64 // D; 0 means 1
	Gradient float64 // bound G > 0 on the norm of a gradient; no default

	// Alpha is the step parameter of the exp-concave experts, in [1e-9, 1/2]; 0 means 1/2.
	//
	// 1/2 is the printed value, min{2/(G_l D), 1}/2, and also what the lemma of Hazan (2016) gives:
	// min{1/(2 D G_l), 1}/2 = 1/2. Wang, Lu and Zhang use the lemma of 2007, which has another factor
	// of 4: min{1/(8 D G_l), 1}/2 = 25/56.
	Alpha float64
}

var _ Learner = Maler{}

// MalerRun is a [Maler] in a run.
type MalerRun struct {
	core
	alpha float64
	// learning rates of the convex, the strongly convex and the exp-concave experts, in units of 1/(G
	// D)
	rate    []float64
	etas    []float64   // the learning rates of one family, by i
	convex  []float64   // the convex expert's point, in units of D like all points here
	strong  [][]float64 // the strongly convex experts' points, by i
	concave []newton    // the exp-concave experts, by i
	logs    []float64   // ln pi in the order of rate, up to a common constant
	tilted  []float64   // pi eta, up to a common factor
	z       []float64   // theta_t
}

// Weight is the weight of one expert in a prediction.
type Weight struct {
	Name  string  // "convex", "strongly convex" or "exp-concave"
	Eta   float64 // the expert's learning rate, in units of 1/(gradient times length)
	Mass  float64 // the expert's weight pi; all masses sum to 1
	Share float64 // the share pi eta / sum(pi eta) of the prediction; all shares sum to 1
}

// grid returns the number of learning rates, 1 + ceil(log2(T)/2).
func grid(horizon int) int { return 1 + (bits.Len(uint(horizon-1))+1)/2 }

// rates returns 2^-i/10 and the natural logarithms of the priors (1 + 1/n)/((i+1)(i+2)), i < n. The
// priors sum to 1.
func rates(n int) (etas, logs []float64) {
	etas, logs = make([]float64, n), make([]float64, n)
	for i := range etas {
		etas[i] = math.Ldexp(0.1, -i)
		logs[i] = portable.Log((1 + 1/float64(n)) / float64((i+1)*(i+2)))
	}
	return etas, logs
}

// Open validates. A run is a [*MalerRun].
func (m Maler) Open(dim, horizon int) (Calibrated, error) {
	if !(m.Alpha >= 0 && m.Alpha <= 0.5) || m.Alpha > 0 && m.Alpha < 1e-9 {
		return nil, fmt.Errorf("online: Maler.Alpha = %v, want in [1e-9, 1/2], or 0 for 1/2", m.Alpha)
	}
	on, err := newBall("Maler", dim, horizon, m.Radius, m.Gradient, false, 2*grid(max(1, horizon)))
	if err != nil {
		return nil, err
	}
	alpha := cmp.Or(m.Alpha, 0.5)
	n := grid(horizon)
	etas, logs := rates(n)
	rate := slices.Concat([]float64{1 / (4 * math.Sqrt(float64(horizon)))}, etas, etas)
	prior := slices.Concat([]float64{0}, logs, logs) // a third of each family's
	return Starts(func(*rand.Rand, rand.Source) Run {
		r := &MalerRun{core: on.begin(), alpha: alpha, rate: rate, etas: etas, convex: make([]float64, dim),
			strong: make([][]float64, n), concave: make([]newton, n), logs: slices.Clone(prior),
			tilted: make([]float64, len(prior)), z: make([]float64, dim)}
		for i := range n {
			r.strong[i], r.concave[i] = make([]float64, dim), newNewton(dim, 0.25/(alpha*alpha))
		}
		return r
	}), nil
}

// Update takes the gradient at Predict().
func (m *MalerRun) Update(gradient []float64) error {
	if err := m.take(gradient); err != nil {
		return err
	}
	g, at := m.g, packed.Dot(m.g, m.z)
	t := float64(m.rounds)

	eta := m.rate[0]
	m.logs[0] -= float64(eta*(packed.Dot(g, m.convex)-at)) + float64(4*eta*eta)
	step := 2 / math.Sqrt(t)
	for i, v := range g {
		m.convex[i] -= float64(step * v)
	}
	shrink(m.convex)

	n := len(m.etas)
	strong, concave := m.logs[1:1+n], m.logs[1+n:]
	for i, eta := range m.etas {
		point := m.strong[i]
		strong[i] -= m.descend(point, eta, at, t)

		expert := &m.concave[i]
		move := float64(eta * (packed.Dot(g, expert.z) - at))
		concave[i] -= move + float64(move*move)
		slope := eta * (1 + float64(2*move))
		expert.step(g, slope*slope, slope/m.alpha)
	}
	m.combine()
	m.publish(m.z)
	return nil
}

// descend moves a strongly convex expert by grad s/(2 eta^2 t) = g/(2 eta t) + (th - theta)/t. It
// returns the expert's surrogate loss before the move.
func (m *MalerRun) descend(point []float64, eta, at, t float64) (loss float64) {
	var dot, distance, square float64
	along, towards := 1/(2*eta*t), 1/t
	for j, v := range m.g[:len(point)] {
		p := point[j]
		off := p - m.z[j]
		dot += float64(v * p)
		distance += float64(off * off)
		p -= float64(along*v) + float64(towards*off)
		point[j] = p
		square += float64(p * p)
	}
	if square > 1 {
		scale := 1 / math.Sqrt(square)
		for j := range point {
			point[j] *= scale
		}
	}
	return float64(eta*(dot-at)) + float64(eta*eta*distance)
}

// combine sets theta_t to the mean of the experts, weighted by pi eta.
func (m *MalerRun) combine() {
	n := len(m.etas)
	total := tilt(m.tilted, m.logs, m.rate)
	share := m.tilted[0] / total
	for j, v := range m.convex {
		m.z[j] = share * v
	}
	for i := range n {
		s, l := m.tilted[1+i]/total, m.tilted[1+n+i]/total
		strong, concave := m.strong[i], m.concave[i].z
		for j := range m.z {
			m.z[j] += float64(s*strong[j]) + float64(l*concave[j])
		}
	}
}

// Experts returns the number of experts, 3 + 2 ceil(log2(T)/2).
func (m *MalerRun) Experts() int { return len(m.logs) }

// Weights returns the weights of the experts in the next prediction: first the convex expert, then
// the strongly convex and the exp-concave ones, each by decreasing learning rate.
func (m *MalerRun) Weights() []Weight {
	w := make([]Weight, len(m.logs))
	for e := range w {
		w[e].Name = [...]string{"strongly convex", "exp-concave"}[max(0, e-1)/len(m.etas)]
	}
	w[0].Name = "convex"
	return weigh(w, m.logs, m.rate, m.bound*m.radius)
}

// weigh fills in the learning rates, masses and shares of the experts.
func weigh(w []Weight, logs, rates []float64, scale float64) []Weight {
	var mass, share float64
	for e, v := range logs {
		w[e].Eta, w[e].Mass = rates[e]/scale, portable.Exp(v) // the greatest v is 0, or a prior's
		w[e].Share = float64(w[e].Mass * rates[e])
		mass += w[e].Mass
		share += w[e].Share
	}
	for e := range w {
		w[e].Mass /= mass
		w[e].Share /= share
	}
	return w
}
