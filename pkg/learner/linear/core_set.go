package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
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
//     max_a sqrt(2 l (r^2/4 a'V^-1 a + s^2 |w_a|^2)), as in AdaC-GOPE (Azize and Basu 2024).
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

// preparedCoreSet is CoreSet for a problem.
type preparedCoreSet struct {
	calibration privacy.Calibration
	problem     bandit.Problem
	horizon     int
	lengths     []int     // of the batches
	powers      []float64 // q^i
}

// CoreSetRule is the rule of [CoreSet].
type CoreSetRule struct {
	*preparedCoreSet
	broadcast []float64 // for each batch: the noise's scale and standard deviation, then sum and count by arm

	// What Act has computed from the arms, and from the batches of a broadcast.
	round    int
	arms     int
	x        []float64
	seen     []float64 // the broadcast's batches
	own      bool      // seen is a copy of the beginning of broadcast
	batches  int
	first    int   // the round before the current batch
	alive    []int // arms that survive
	best     int
	planned  bool // design and pulls are those of the current batch
	design   *design.Finder
	pulls    []int // by place in the core set, rounds up to and with its last
	tried    []int // arms with an estimate in the last batch
	estimate []float64
	width    float64
	v, l     []float64 // packed: V, its inverse
	u, theta []float64
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

// NewCoreSet returns CoreSet over noisy batches: Laplace noise if delta = 0, as in the paper, and
// Gaussian noise if delta > 0.
func NewCoreSet(b privacy.Budget) learner.Private[privacy.Means] {
	return learner.New(CoreSet{}, tally.RoundBatches{Budget: b, Lengths: CoreSetBatches{}})
}

// CoreSetAsPublished returns CoreSet with the paper's widths, which are 2 to 3 times the sound ones
// at epsilon = 1, and with core sets that start from pairs, which have more arms. Its privacy is
// the same.
func CoreSetAsPublished(epsilon float64) learner.Private[privacy.Means] {
	l := NewCoreSet(privacy.Budget{Epsilon: epsilon})
	l.Policy = CoreSet{Calibration: privacy.AsPublished, Design: design.Optimal{Pairs: true}}
	return l
}

// Prepare validates.
func (c CoreSet) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if c.Calibration != privacy.Sound && c.Calibration != privacy.AsPublished {
		return nil, fmt.Errorf("learner: CoreSet.Calibration = %v, want Sound or AsPublished", c.Calibration)
	}
	if err := checks.Contexts("CoreSet", p, horizon); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("learner: CoreSet: Problem.Dim = %d, Arms = %d", p.Dim, p.Arms)
	m := min(p.Dim, p.Arms)
	if err := size.Check(what, float64(float64(p.Arms)*(float64(p.Dim)+200))+float64(3*size.Triangle(m))); err != nil {
		return nil, err
	}
	if _, err := c.Design.Open(p.Arms, p.Dim); err != nil {
		return nil, err
	}
	ready := &preparedCoreSet{calibration: c.Calibration, problem: p, horizon: horizon}
	setup := privacy.Setup{Horizon: horizon, Dim: p.Dim + 1, Arms: p.Arms}
	for i := 0; ; i++ {
		n := CoreSetBatches{}.Length(i, setup)
		if n == 0 {
			break
		}
		ready.lengths, ready.powers = append(ready.lengths, n), append(ready.powers, corePower(i, horizon))
	}
	return learner.Begins[privacy.Means](func(*rand.Rand) learner.Rule[privacy.Means] { return ready.begin(c.Design) }), nil
}

// begin makes a rule, which makes no random choices.
func (c *preparedCoreSet) begin(by design.Optimal) *CoreSetRule {
	p := c.problem
	m, numbers := min(p.Dim, p.Arms), len(c.lengths)*c.stride()
	find, _ := by.Open(p.Arms, p.Dim) // Prepare has seen that it can be had
	return &CoreSetRule{
		preparedCoreSet: c, design: find, round: -1,
		broadcast: make([]float64, 0, numbers), seen: make([]float64, 0, numbers),
		x: make([]float64, p.Arms*p.Dim), estimate: make([]float64, p.Arms),
		alive: make([]int, 0, p.Arms), tried: make([]int, 0, p.Arms), pulls: make([]int, 0, p.Arms),
		v: make([]float64, packed.Size(m)), l: make([]float64, packed.Size(m)),
		u: make([]float64, m), theta: make([]float64, m),
	}
}

// Exact returns batches without noise.
func (c CoreSet) Exact() privacy.Tally {
	return tally.RoundBatches{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Lengths: CoreSetBatches{}}
}

// stride returns the length of a batch in the broadcast.
func (c *preparedCoreSet) stride() int { return 2 + 2*c.problem.Arms }

// forget forgets the batches that Act has seen.
func (c *CoreSetRule) forget() {
	c.seen, c.own, c.batches, c.first, c.planned, c.best = c.seen[:0], false, 0, 0, false, 0
	c.tried, c.width = c.tried[:0], 0
	c.alive = c.alive[:0]
	for a := range c.arms {
		c.alive = append(c.alive, a)
	}
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
	n := len(c.broadcast)
	if n == cap(c.broadcast) {
		return nil, fmt.Errorf("more than %d releases, want one for each batch: CoreSet reads tally.RoundBatches by CoreSetBatches", len(c.lengths))
	}
	c.broadcast = c.broadcast[:n+c.stride()]
	batch := c.broadcast[n:]
	clear(batch)
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
			c.broadcast = c.broadcast[:n]
			return nil, fmt.Errorf("noise that is Gaussian, of standard deviation %v, want Laplace noise for CoreSet.Calibration = AsPublished", batch[1])
		}
	}
	return c.broadcast, nil
}

// Act appends the arm of the core set whose turn it is or, after the last batch, the best.
func (c *CoreSetRule) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if err := c.follow(broadcast, v); err != nil {
		return dst, err
	}
	place := v.Round - c.first - 1
	if c.batches == len(c.lengths) || place < 0 || place >= c.lengths[c.batches] {
		return append(dst, c.best), nil
	}
	if !c.planned {
		if err := c.schedule(); err != nil {
			return dst, err
		}
	}
	core, _ := c.design.Core()
	if len(core) == 0 { // all arms are 0
		return append(dst, c.best), nil
	}
	if last := c.pulls[len(core)-1]; place >= last {
		return append(dst, c.alive[core[(place-last)%len(core)]]), nil
	}
	i := 0
	for place >= c.pulls[i] {
		i++
	}
	return append(dst, c.alive[core[i]]), nil
}

// follow brings what Act has computed up to date with the arms and the broadcast.
func (c *CoreSetRule) follow(broadcast []float64, v *bandit.View) error {
	if len(broadcast)%c.stride() != 0 || len(broadcast) > cap(c.seen) {
		return fmt.Errorf("a broadcast of %d numbers, want %d for each of at most %d batches", len(broadcast), c.stride(), len(c.lengths))
	}
	same := v.Same && v.Round == c.round+1 && v.Arms == c.arms
	if x := v.X[:v.Arms*v.Dim]; !same && !(v.Arms == c.arms && slices.Equal(x, c.x[:len(x)])) {
		if !packed.Finite(x) {
			return fmt.Errorf("contexts that are not finite, want finite numbers")
		}
		copy(c.x, x)
		c.arms = v.Arms
		c.forget()
	}
	c.round = v.Round
	own := len(broadcast) > 0 && len(broadcast) <= len(c.broadcast) && &broadcast[0] == &c.broadcast[0]
	if n := len(c.seen); n > len(broadcast) || !(own && c.own) && !slices.Equal(broadcast[:n], c.seen) {
		c.forget()
	}
	c.own = own
	for n := len(c.seen); n < len(broadcast); n = len(c.seen) {
		c.seen = append(c.seen, broadcast[n:n+c.stride()]...)
		if !packed.Finite(c.seen[n:]) {
			c.forget()
			return fmt.Errorf("a broadcast with numbers that are not finite, want finite numbers")
		}
		if err := c.eliminate(c.seen[n:]); err != nil {
			return err
		}
	}
	return nil
}

// schedule finds the design of the arms that survive, and how often it plays each.
func (c *CoreSetRule) schedule() error {
	if err := c.design.Find(c.x[:c.arms*c.problem.Dim], c.alive); err != nil {
		return err
	}
	_, weights := c.design.Core()
	c.pulls = c.pulls[:0]
	total := 0
	for _, w := range weights {
		total += int(math.Ceil(w * c.powers[c.batches]))
		c.pulls = append(c.pulls, total)
	}
	c.planned = true
	return nil
}

// eliminate takes in a batch: it estimates the means of the arms that survive and eliminates those
// that are two widths below the best.
func (c *CoreSetRule) eliminate(batch []float64) error {
	if !c.planned {
		if err := c.schedule(); err != nil {
			return err
		}
	}
	m := c.design.Rank()
	if c.solve(batch, m) {
		top := math.Inf(-1)
		c.tried = append(c.tried[:0], c.alive...)
		for place, a := range c.alive {
			mean := packed.Dot(c.theta[:m], c.design.Coordinates(place))
			c.estimate[a] = mean
			if mean > top {
				top, c.best = mean, a
			}
		}
		c.width = c.bound(batch, m)
		c.alive = c.alive[:0]
		for _, a := range c.tried {
			if c.estimate[a] >= top-float64(2*c.width) {
				c.alive = append(c.alive, a)
			}
		}
	}
	c.first += c.lengths[c.batches]
	c.batches++
	c.planned = false
	return nil
}

// solve computes V^-1, packed, and theta = V^-1 u from a batch's sums, in the design's coordinates.
// It returns false if the arms played do not span the others, which no batch of the design does.
func (c *CoreSetRule) solve(batch []float64, m int) bool {
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

// bound returns the width gamma of a batch.
func (c *CoreSetRule) bound(batch []float64, m int) float64 {
	scale, sd := batch[0], batch[1]
	side := c.problem.RewardMax - c.problem.RewardMin
	log := portable.Log(4*float64(len(c.alive))) + portable.Log(float64(c.horizon))
	if c.calibration == privacy.AsPublished {
		log += portable.Log(float64(c.horizon))
		core, _ := c.design.Core()
		n, d := c.powers[c.batches], float64(m)
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

// Explain appends the means that the last batch has estimated, and the width, which is the same for
// all. Arms that are eliminated keep the estimate that they were eliminated by, if that was in the
// last batch, and have the index -Inf. The others are played in turn, as the design says, or by
// their estimates after the last batch.
func (c *CoreSetRule) Explain(_ []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if v.Arms != c.arms { // Act has not seen the view
		return checks.Unguided(v.Arms, dst), nil
	}
	n := len(dst)
	for range v.Arms {
		dst = append(dst, bandit.Insight{Index: math.Inf(-1), Estimate: math.NaN(), Width: math.NaN()})
	}
	for _, a := range c.tried {
		dst[n+a].Estimate, dst[n+a].Width = c.estimate[a], c.width
	}
	for _, a := range c.alive {
		dst[n+a].Index = math.NaN()
		if c.batches == len(c.lengths) {
			dst[n+a].Index = c.estimate[a]
		}
	}
	return dst, nil
}

// Survivors returns the arms that Act has not eliminated.
func (c *CoreSetRule) Survivors() []int { return slices.Clone(c.alive) }

// Estimates returns the arms that had survived when the last batch ended, their estimated mean
// rewards, and the width gamma, which bounds the error of all of them.
func (c *CoreSetRule) Estimates() (arms []int, means []float64, width float64) {
	for _, a := range c.tried {
		means = append(means, c.estimate[a])
	}
	return slices.Clone(c.tried), means, c.width
}
