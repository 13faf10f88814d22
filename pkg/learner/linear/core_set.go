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

// CoreSet eliminates the arms of a linear bandit by batches that sample a core set only (Hanna,
// Girgis, Fragouli, Diggavi 2022; Chari, Differentially Private Online Algorithms, Algorithm 4).
//
// The arms are finitely many, stay the same in all rounds, and are public. A batch plays a few of
// the arms that survive, as often as a G-optimal design says (see [design.Optimal]), and releases
// the sum of each one's rewards under fresh noise. Few arms mean few noises. From the sums follows
// an estimate of theta, and arms whose estimated mean is more than two widths below the best are
// eliminated. After the last batch the arm with the best estimate is played.
//
// Batch i = 1, 2, ..., floor(ln T) - 1 plays arm a ceil(pi(a) q^i) times, q = (2T)^(1/ln T), with
// natural logarithms: base 2, which the text leaves open, would plan more than T rounds. Batches
// have the public lengths of [CoreSetBatches]; rounds that are left over play the core set in turn.
// A batch that the horizon T cuts short releases nothing.
//
// The width gamma_i bounds the error of the estimated mean of every surviving arm, with |A| of them
// of rank m, for noise of scale b on a sum and rewards of range r:
//
//   - Sound: max_a r/2 sqrt(2 a'V^-1 a l) + max(b |w_a|_2 sqrt(8 l), 4 b |w_a|_inf l), where l =
//     ln(4 |A| T), V is the sum of a a' over the rounds played, and w_a(c) = a'V^-1 c. It fails in
//     a batch with probability at most 1/T. Under Gaussian noise of standard deviation s it is
//     max_a sqrt(2 l (r^2/4 a'V^-1 a + s^2 |w_a|^2)).
//   - AsPublished, for Laplace noise only: r sqrt(4 m l/q^i) + b (2 |C| m + 2 m l)/q^i, where l =
//     ln(4 |A| T^2) and the core set has |C| arms.
//
// Both read releases only, so privacy is the same: see [tally.RoundBatches]. Rewards must have
// mean <a, theta>, without a constant. [CoreSetRule.Act] computes the designs from the view, and
// keeps them while the arms stay the same; arms that change make estimates useless, not releases
// less private.
type CoreSet struct {
	Calibration privacy.Calibration // of the width: Sound or AsPublished; the zero value is Sound
	Design      design.Optimal      // finds the core sets; the zero value is a good default
}

// CoreSetRule is the rule of [CoreSet].
type CoreSetRule struct {
	*elimination
	calibration privacy.Calibration
}

var _ learner.Policy[privacy.Means] = CoreSet{}

// CoreSetBatches is the rule of the lengths of [CoreSet]'s batches: ceil(q^i) rounds, and one less
// than the largest core set has arms, min(d(d+1)/2, K), for i = 1, ..., floor(ln T) - 1, at least
// one batch. What is rounded up fits in.
type CoreSetBatches struct{}

// Length returns the number of rounds of batch i+1, or 0 if there is none.
func (CoreSetBatches) Length(i int, s privacy.Setup) int {
	q := corePower(i, s.Horizon)
	if q == 0 {
		return 0
	}
	d := float64(s.Dim - 1)
	return int(math.Ceil(q)) + int(max(1, min(d*(d+1)/2, float64(s.Arms)))) - 1
}

// corePower returns q^(i+1), or 0 if there is no such batch.
func corePower(i, horizon int) float64 {
	t := float64(max(horizon, 3))
	log := portable.Log(t)
	if i < 0 || i >= max(1, int(log)-1) {
		return 0
	}
	return portable.Exp(float64(i+1) * portable.Log(2*t) / log)
}

// Private returns CoreSet over noisy batches: Laplace noise if delta = 0, as in the paper, and
// Gaussian noise if delta > 0.
func (c CoreSet) Private(b privacy.Budget) learner.Private[privacy.Means] {
	return learner.New(c, tally.RoundBatches{Budget: b, Lengths: CoreSetBatches{}})
}

// AsPublished returns CoreSet with the paper's widths, which are 2 to 3 times the sound ones
// at epsilon = 1, and with core sets that start from pairs, which have more arms. Its privacy is
// the same.
func (c CoreSet) AsPublished(epsilon float64) learner.Private[privacy.Means] {
	c.Calibration, c.Design.Pairs = privacy.AsPublished, true
	return c.Private(privacy.Budget{Epsilon: epsilon})
}

// Prepare validates.
func (c CoreSet) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if c.Calibration != privacy.Sound && c.Calibration != privacy.AsPublished {
		return nil, fmt.Errorf("learner: CoreSet.Calibration = %v, want Sound or AsPublished", c.Calibration)
	}
	setup := privacy.Setup{Horizon: horizon, Dim: p.Dim + 1, Arms: p.Arms}
	ready, err := newEliminates("CoreSet", p, horizon, 2+2*p.Arms, c.Design, func(i int) (int, float64) {
		return CoreSetBatches{}.Length(i, setup), corePower(i, horizon)
	})
	if err != nil {
		return nil, err
	}
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] {
		rule := &CoreSetRule{ready.begin(c.Design, min(p.Dim, p.Arms)), c.Calibration}
		rule.by = rule
		return rule
	}), nil
}

// Exact returns batches without noise.
func (c CoreSet) Exact() privacy.Tally {
	return tally.RoundBatches{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Lengths: CoreSetBatches{}}
}

// Learn appends a batch to the broadcast: the noise on its sums, and the sum and the number of
// observations of each arm.
func (c *CoreSetRule) Learn(r *privacy.Means) ([]float64, error) {
	if len(r.Of) != c.problem.Arms {
		return nil, fmt.Errorf("a release of %d arms, want %d", len(r.Of), c.problem.Arms)
	}
	if len(r.Changed) == 0 {
		return c.broadcast, nil
	}
	batch, err := c.room()
	if err != nil {
		return nil, err
	}
	for _, a := range r.Changed {
		e := r.Of[a]
		count := float64(e.Count)
		if sum := float64(e.Mean * count); sum-sum == 0 && e.Count > 0 {
			batch[2+2*a], batch[3+2*a] = sum, count
		}
		if e.Tail.Linear > 0 {
			batch[0] = max(batch[0], e.Tail.Linear*count)
		} else {
			batch[1] = max(batch[1], e.Tail.Root*count/math.Sqrt2)
		}
		if c.calibration == privacy.AsPublished && batch[1] > 0 {
			c.broadcast = c.broadcast[:len(c.broadcast)-c.stride]
			return nil, fmt.Errorf("noise that is Gaussian, of standard deviation %v, want Laplace noise for CoreSet.Calibration = AsPublished", batch[1])
		}
	}
	return c.broadcast, nil
}

// solve computes V^-1, packed, and theta = V^-1 u from a batch's sums, in the design's coordinates.
// It returns false if the arms played do not span the others, which no batch of the design does.
func (c *CoreSetRule) solve(batch []float64) bool {
	m := c.design.Rank()
	if m == 0 {
		return false
	}
	v, u := c.v[:packed.Size(m)], c.u[:m]
	clear(v)
	clear(u)
	for place, a := range c.alive {
		sum, n := batch[2+2*a], batch[3+2*a]
		if n == 0 {
			continue
		}
		z := c.design.Coordinates(place)
		p := 0
		for i, x := range z {
			u[i] += float64(sum * x)
			for _, y := range z[:i+1] {
				v[p] += float64(n * x * y)
				p++
			}
		}
	}
	if _, ok := packed.Cholesky(v, v, m); !ok {
		return false
	}
	packed.Invert(c.l, v, m)
	packed.MulVec(c.theta[:m], c.l, u)
	return true
}

// mean returns the estimated mean of an arm.
func (c *CoreSetRule) mean(_, place int) float64 {
	return packed.Dot(c.theta[:c.design.Rank()], c.design.Coordinates(place))
}

// width returns the width gamma of a batch.
func (c *CoreSetRule) width(batch []float64) float64 {
	m := c.design.Rank()
	scale, sd := batch[0], batch[1]
	side := c.problem.RewardMax - c.problem.RewardMin
	log := portable.Log(4*float64(len(c.alive))) + portable.Log(float64(c.horizon))
	if c.calibration == privacy.AsPublished {
		log += portable.Log(float64(c.horizon))
		core, _ := c.design.Core()
		n, d := c.plays[c.batches], float64(m)
		return float64(side*math.Sqrt(4*d*log/n)) + float64(scale*(float64(2*float64(len(core))*d)+float64(2*d*log))/n)
	}
	var width float64
	for place := range c.alive {
		z := c.design.Coordinates(place)
		packed.MulVec(c.u[:m], c.l, z)
		reward := float64(side * side / 4 * packed.Dot(c.u[:m], z))
		var square, largest float64
		for other, a := range c.alive {
			if batch[3+2*a] == 0 {
				continue
			}
			w := packed.Dot(c.u[:m], c.design.Coordinates(other))
			square += float64(w * w)
			largest = max(largest, math.Abs(w))
		}
		noise := float64(max(float64(scale*math.Sqrt(8*square*log)), float64(4*scale*largest*log)))
		variance := reward + float64(sd*sd*square)
		width = max(width, float64(math.Sqrt(float64(2*log*variance)))+noise)
	}
	return width
}
