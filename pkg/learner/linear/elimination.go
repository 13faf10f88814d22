package linear

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// eliminates is the problem of a rule that eliminates arms, and its batches.
type eliminates struct {
	problem bandit.Problem
	horizon int
	stride  int       // numbers of a batch in the broadcast
	lengths []int     // of the batches
	plays   []float64 // batch i plays arm a ceil(pi(a) plays[i]) times
}

// newEliminates checks the problem, and that the designs and so many numbers a batch fit into
// memory. batch returns length and plays of batch i = 0, 1, ..., or a length of 0 if there is none.
func newEliminates(who string, p bandit.Problem, horizon, stride int, by design.Optimal, batch func(i int) (int, float64)) (*eliminates, error) {
	if err := checks.Contexts(who, p, horizon); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	m := min(p.Dim, p.Arms)
	if err := size.Check(what, float64(float64(p.Arms)*(float64(p.Dim)+4))+float64(100*float64(stride))+float64(3*size.Triangle(m))); err != nil {
		return nil, err
	}
	if _, err := by.Open(p.Arms, p.Dim); err != nil {
		return nil, err
	}
	e := &eliminates{problem: p, horizon: horizon, stride: stride}
	for i := 0; ; i++ {
		n, plays := batch(i)
		if n == 0 {
			return e, nil
		}
		e.lengths, e.plays = append(e.lengths, n), append(e.plays, plays)
	}
}

// batchEstimate is how an elimination reads a batch.
type batchEstimate interface {
	// solve takes in a batch of the broadcast. It returns false if nothing can be estimated from it.
	solve(batch []float64) bool
	// mean returns the estimated mean of an arm, and its place among those that survive.
	mean(arm, place int) float64
	// width bounds the errors of the means of all arms that survive.
	width(batch []float64) float64
}

// elimination is the rule of batches that play a design of the arms that survive, and eliminate
// those whose estimated mean is more than two widths below the best.
type elimination struct {
	*eliminates
	by        batchEstimate
	broadcast []float64 // the batches so far

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
	widest   float64
	v, l     []float64 // packed: V, its inverse
	u, theta []float64
}

// begin makes a rule, which makes no random choices. by is told later.
func (e *eliminates) begin(by design.Optimal, rank int) *elimination {
	p := e.problem
	numbers := len(e.lengths) * e.stride
	find, _ := by.Open(p.Arms, p.Dim) // newEliminates has seen that it can be had
	return &elimination{
		eliminates: e, design: find, round: -1,
		broadcast: make([]float64, 0, numbers), seen: make([]float64, 0, numbers),
		x: make([]float64, p.Arms*p.Dim), estimate: make([]float64, p.Arms),
		alive: make([]int, 0, p.Arms), tried: make([]int, 0, p.Arms), pulls: make([]int, 0, p.Arms),
		v: make([]float64, packed.Size(rank)), l: make([]float64, packed.Size(rank)),
		u: make([]float64, rank), theta: make([]float64, rank),
	}
}

// room makes room for another batch in the broadcast, and returns it.
func (c *elimination) room() (batch []float64, err error) {
	n := len(c.broadcast)
	if n == cap(c.broadcast) {
		return nil, fmt.Errorf("more than %d releases, want one for each batch of the policy's lengths", len(c.lengths))
	}
	c.broadcast = c.broadcast[:n+c.stride]
	clear(c.broadcast[n:])
	return c.broadcast[n:], nil
}

// forget forgets the batches that Act has seen.
func (c *elimination) forget() {
	c.seen, c.own, c.batches, c.first, c.planned, c.best = c.seen[:0], false, 0, 0, false, 0
	c.tried, c.widest = c.tried[:0], 0
	c.alive = c.alive[:0]
	for a := range c.arms {
		c.alive = append(c.alive, a)
	}
}

// Act appends the arm of the core set whose turn it is or, after the last batch, the best.
func (c *elimination) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
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
func (c *elimination) follow(broadcast []float64, v *bandit.View) error {
	if len(broadcast)%c.stride != 0 || len(broadcast) > cap(c.seen) {
		return fmt.Errorf("a broadcast of %d numbers, want %d for each of at most %d batches", len(broadcast), c.stride, len(c.lengths))
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
		c.seen = append(c.seen, broadcast[n:n+c.stride]...)
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
func (c *elimination) schedule() error {
	if err := c.design.Find(c.x[:c.arms*c.problem.Dim], c.alive); err != nil {
		return err
	}
	_, weights := c.design.Core()
	c.pulls = c.pulls[:0]
	total := 0
	for _, w := range weights {
		total += int(math.Ceil(w * c.plays[c.batches]))
		c.pulls = append(c.pulls, total)
	}
	c.planned = true
	return nil
}

// eliminate takes in a batch: it estimates the means of the arms that survive and eliminates those
// that are two widths below the best.
func (c *elimination) eliminate(batch []float64) error {
	if !c.planned {
		if err := c.schedule(); err != nil {
			return err
		}
	}
	if c.by.solve(batch) {
		top := math.Inf(-1)
		c.tried = append(c.tried[:0], c.alive...)
		for place, a := range c.alive {
			mean := c.by.mean(a, place)
			c.estimate[a] = mean
			if mean > top {
				top, c.best = mean, a
			}
		}
		c.widest = c.by.width(batch)
		c.alive = c.alive[:0]
		for _, a := range c.tried {
			if c.estimate[a] >= top-float64(2*c.widest) {
				c.alive = append(c.alive, a)
			}
		}
	}
	c.first += c.lengths[c.batches]
	c.batches++
	c.planned = false
	return nil
}

// Explain appends the means that the last batch has estimated, and the width, which is the same for
// all. Arms that are eliminated keep the estimate that they were eliminated by, if that was in the
// last batch, and have the index -Inf. The others are played in turn, as the design says, or by
// their estimates after the last batch.
func (c *elimination) Explain(_ []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if v.Arms != c.arms { // Act has not seen the view
		return checks.Unguided(v.Arms, dst), nil
	}
	n := len(dst)
	for range v.Arms {
		dst = append(dst, bandit.Insight{Index: math.Inf(-1), Estimate: math.NaN(), Width: math.NaN()})
	}
	for _, a := range c.tried {
		dst[n+a].Estimate, dst[n+a].Width = c.estimate[a], c.widest
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
func (c *elimination) Survivors() []int { return slices.Clone(c.alive) }

// Estimates returns the arms that had survived when the last batch ended, their estimated mean
// rewards, and the width gamma, which bounds the error of all of them.
func (c *elimination) Estimates() (arms []int, means []float64, width float64) {
	for _, a := range c.tried {
		means = append(means, c.estimate[a])
	}
	return slices.Clone(c.tried), means, c.widest
}
