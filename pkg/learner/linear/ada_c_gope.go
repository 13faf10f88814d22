package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaCGOPE is AdaC-GOPE, elimination by G-optimal designs (Azize and Basu 2024; as Algorithm 8 of
// Azize's thesis has it). The arms are K, of dimension d, stay the same in all rounds, and are
// public. Phase l = 1, 2, ... of the arms A_l that are left:
//
//	beta = 2^-l
//	pi   = a design with max_a g(a) <= Most d, see design.Optimal
//	play each arm a ceil(c_l pi(a)) times
//	theta = V^-1 u + V^(-1/2) N, V = sum x x^T, u = sum x y: see tally.Regression
//	A_{l+1} = the arms a with max_b <theta, b - a> <= 2 w
//
// for rewards in [-1, 1]; others are scaled. The lengths of phases are public: ceil(c_l) rounds,
// and one less than the largest design has arms, min(d(d+1)/2, K). Rounds that are left over play
// the design in turn. Only the first phase may end after the horizon T; instead of a later one
// that would, the arm with the best estimate is played.
//
//   - Sound: with probability 1 - 1/T, w bounds the errors of the estimated means in all phases:
//     w^2 = 2 ln(2 |A_l| l (l+1) T) (1 + N^2) max_a |a|^2_{V^-1}, where N is the standard deviation
//     of the noise. c_l is what makes w at most beta for K arms: by |a|^2_{V^-1} <= D/c and N^2 <=
//     s^2 D/c, with D = Most d and s = 2/mu*(epsilon, delta), it solves beta^2 c^2 = 2 L (D c + s^2
//     D^2), L = ln(2 K l (l+1) T).
//   - AsPublished: w = beta and c_l = 8 d/beta^2 ln(4 K l (l+1) T) + 2 d/beta sqrt(2 f/rho), where
//     f = d + 2 sqrt(d m) + 2 m, m = ln(2 K l (l+1) T), delta = 1/T and rho = mu^2/2.
//
// Either reads the same releases, so privacy is the same. Rewards must have the mean <a, theta>,
// without a constant. Its rule computes the designs from the view, as [CoreSet] does.
type AdaCGOPE struct {
	Budget      privacy.Budget      // of the statistic: phases are long enough for its noise. No default
	Calibration privacy.Calibration // Sound or AsPublished; the zero value is Sound
	Most        float64             // in [1 + 1e-6, 1e6]; 0 means 1.05
}

// adaCGOPERule is the rule of [AdaCGOPE].
type adaCGOPERule struct {
	*elimination
	of AdaCGOPE
}

var (
	_ learner.Policy[tally.Equations] = AdaCGOPE{}
	_ tally.RoundLengths              = AdaCGOPE{}
)

// Private returns AdaC-GOPE, (epsilon, delta)-private for delta > 0, one reward replaced. The
// noise is calibrated exactly, as a reward is in one Gaussian release: mu-GDP, where the paper has
// rho-zCDP with rho = mu^2/2.
func (g AdaCGOPE) Private(b privacy.Budget) learner.Private[tally.Equations] {
	g.Budget = b
	return learner.New(g, tally.Regression{Budget: b, Lengths: g})
}

// Exact returns regressions without noise.
func (g AdaCGOPE) Exact() privacy.Statistic[tally.Equations] {
	return tally.Regression{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Lengths: g}
}

// Length returns the number of rounds of phase i+1, or 0 if there is none.
func (g AdaCGOPE) Length(i int, s privacy.Setup) int {
	mu, err := g.Budget.GaussianMu()
	if err != nil || i < 0 || s.Dim < 2 {
		return 0
	}
	d, total := float64(s.Dim-1), 0.0
	core := max(1, min(d*(d+1)/2, float64(s.Arms)))
	for phase := range i + 1 {
		n := math.Ceil(g.plays(phase, s, mu)) + core - 1
		if total += n; phase > 0 && !(total <= float64(s.Horizon)) {
			return 0
		}
		if phase == i {
			return int(min(n, 1<<52))
		}
	}
	return 0
}

// beta returns the accuracy that phase i+1 is for, for rewards in [-1, 1].
func beta(i int) float64 { return math.Ldexp(1, -i-1) }

// plays returns c of phase i+1.
func (g AdaCGOPE) plays(i int, s privacy.Setup, mu float64) float64 {
	d, b := float64(s.Dim-1), beta(i)
	log := g.log(i, s.Arms, s.Horizon)
	if g.Calibration == privacy.AsPublished {
		f := d + float64(2*math.Sqrt(float64(d*log))) + float64(2*log)
		return float64(8*d/float64(b*b)*(log+math.Ln2)) + float64(4*d/b*math.Sqrt(f)/mu)
	}
	spread := g.most() * d
	linear, constant := float64(2*log*spread), float64(8*log*spread*spread/mu/mu)
	return (linear + math.Sqrt(float64(linear*linear)+float64(4*b*b*constant))) / (2 * b * b)
}

// log returns ln(2 K l (l+1) T) of phase l = i+1 with so many arms.
func (g AdaCGOPE) log(i, arms, horizon int) float64 {
	phase := float64(i + 1)
	return portable.Log(float64(2*float64(arms))) + portable.Log(phase*(phase+1)) + portable.Log(float64(max(1, horizon)))
}

func (g AdaCGOPE) most() float64 {
	if g.Most == 0 {
		return 1.05
	}
	return g.Most
}

// Validate returns an error if a field is out of its range.
func (g AdaCGOPE) Validate() error {
	if g.Calibration != privacy.Sound && g.Calibration != privacy.AsPublished {
		return fmt.Errorf("learner: AdaCGOPE.Calibration = %v, want Sound or AsPublished", g.Calibration)
	}
	if _, err := g.Budget.GaussianMu(); err != nil {
		return fmt.Errorf("learner: AdaCGOPE.Budget: %w", err)
	}
	_, err := design.Optimal{Most: g.most()}.Open(1, 1)
	return err
}

// Prepare validates.
func (g AdaCGOPE) Prepare(p bandit.Problem, horizon int, _ *tally.Equations) (learner.Prepared[tally.Equations], error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	mu, err := g.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	setup := privacy.Setup{Horizon: horizon, Dim: p.Dim + 1, Arms: p.Arms}
	by := design.Optimal{Most: g.most()}
	ready, err := newEliminates("AdaCGOPE", p, horizon, p.Dim+packed.Size(p.Dim)+1, by, func(i int) (int, float64) {
		return g.Length(i, setup), g.plays(i, setup, mu)
	})
	if err != nil {
		return nil, err
	}
	return learner.Begins[tally.Equations](func(*rand.Rand) learner.Rule[tally.Equations] {
		rule := &adaCGOPERule{ready.begin(by, p.Dim), g}
		rule.by = rule
		return rule
	}), nil
}

// Learn appends a batch to the broadcast: u, V and the standard deviation of the noise in V^(-1/2)
// u.
func (c *adaCGOPERule) Learn(r *tally.Equations) ([]float64, error) {
	if r.Batches*c.stride <= len(c.broadcast) {
		return c.broadcast, nil
	}
	d := c.problem.Dim
	if len(r.U) != d || len(r.V) != packed.Size(d) {
		return nil, fmt.Errorf("equations of %d and %d numbers, want %d and %d", len(r.U), len(r.V), d, packed.Size(d))
	}
	batch, err := c.room()
	if err != nil {
		return nil, err
	}
	copy(batch, r.U)
	copy(batch[d:], r.V)
	batch[c.stride-1] = r.Noise
	return c.broadcast, nil
}

// solve computes V^-1 and theta = V^-1 u.
func (c *adaCGOPERule) solve(batch []float64) bool {
	d := c.problem.Dim
	if _, ok := packed.Cholesky(c.v, batch[d:c.stride-1], d); !ok {
		return false
	}
	packed.Invert(c.l, c.v, d)
	packed.MulVec(c.theta, c.l, batch[:d])
	return true
}

func (c *adaCGOPERule) arm(a int) []float64 {
	d := c.problem.Dim
	return c.x[a*d : (a+1)*d]
}

// mean returns the estimated mean of an arm.
func (c *adaCGOPERule) mean(a, _ int) float64 { return packed.Dot(c.theta, c.arm(a)) }

// width returns w of a phase.
func (c *adaCGOPERule) width(batch []float64) float64 {
	half := (c.problem.RewardMax - c.problem.RewardMin) / 2
	if c.of.Calibration == privacy.AsPublished {
		return float64(half * beta(c.batches))
	}
	var most float64
	for _, a := range c.alive {
		most = max(most, packed.Quadratic(c.l, c.arm(a)))
	}
	noise := batch[c.stride-1]
	log := c.of.log(c.batches, len(c.alive), c.horizon)
	return math.Sqrt(float64(2 * log * (float64(half*half) + float64(noise*noise)) * most))
}
