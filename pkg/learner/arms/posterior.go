package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// posterior is the base of rules of Beta draws, which play the arm with the largest draw, from the
// learner's own stream.
//
// Most draws are not computed, which changes nothing but the time. In a lap, some rounds long,
// there is a floor, which the largest draw is hardly ever below. Only those draws are computed that
// may reach it. If none does, all draws of the round are made again from the same random numbers.
type posterior struct {
	told
	normals *random.Normals
	before  random.Normals // as they were before the draws of the last round
	drawn   bool           // there was a round with draws

	below     []random.BetaBelow // by arm, for draws below the floor
	floor     float64
	from, end int // the first and the last round of the lap; there is none before round 1
	computed  int // draws in the lap
}

// newPosterior allocates, and takes the seed of its draws from a stream.
func newPosterior(p bandit.Problem, own *rand.Rand) posterior {
	return posterior{told: newTold(p), normals: random.NewNormals(own), below: make([]random.BetaBelow, p.Arms)}
}

// largest appends the arm with the largest draw, or one without an estimate. An arm's mean is
// raised by boost ln t times the scale of its noise.
func (l *posterior) largest(broadcast []float64, boost float64, round int, dst []int) ([]int, error) {
	unseen, err := l.unseenIn(broadcast)
	if err != nil || unseen >= 0 {
		return append(dst, max(unseen, 0)), err
	}
	raise := raised(boost, round)
	l.before, l.drawn = *l.normals, true
	if l.ours(broadcast) {
		if round < l.from || round > l.end || l.computed > 32*len(l.of) {
			l.begin(boost, round)
		}
		for _, a := range l.fresh {
			l.below[a] = random.BetaBelow{}
		}
		l.fresh = l.fresh[:0]
		if best := l.over(broadcast, raise); best >= 0 {
			return append(dst, best), nil
		}
		*l.normals = l.before
		l.computed += len(l.of)
	}
	best, most := 0, -1.0
	for a := range l.of {
		if x := l.draw((*arm)(broadcast[armSize*a:]), raise); x > most {
			best, most = a, x
		}
	}
	return append(dst, best), nil
}

// explain appends the means, and the draws of the last round as indices, which it makes again: most
// were not computed. The width is that of the posterior.
func (l *posterior) explain(broadcast []float64, boost float64, round int, dst []bandit.Insight) ([]bandit.Insight, error) {
	unseen, err := l.unseenIn(broadcast)
	if err != nil {
		return dst, err
	}
	normals, raise := l.before, raised(boost, round)
	return l.shown(broadcast, dst, func(a int) (index, above float64) {
		of := (*arm)(broadcast[armSize*a:])
		x, y := shapes(of, raise)
		m := x / (x + y)
		above = m + math.Sqrt(m*(1-m)/(x+y+1)) - of[mean]
		if unseen >= 0 || !l.drawn {
			return math.NaN(), above
		}
		return normals.Beta(x, y), above
	})
}

// over returns the arm with the largest draw, or -1 if none is over the floor. Draws are compared
// as integers, which takes no branch: it would often be guessed wrong.
func (l *posterior) over(broadcast []float64, raise float64) int {
	best, most := -1, math.Float64bits(l.floor)
	for a := l.normals.SkipBelow(l.below); a < len(l.below); a += 1 + l.normals.SkipBelow(l.below[a+1:]) {
		l.computed++
		x := math.Float64bits(l.draw((*arm)(broadcast[armSize*a:]), raise))
		if x > most {
			best = a
		}
		most = max(most, x)
	}
	return best
}

// begin begins a lap. The floor is 2.5 standard deviations below an arm's mean, of the arm for
// which that is the largest. What is below it at the end of the lap is below it before: a draw
// grows with the raise.
func (l *posterior) begin(boost float64, round int) {
	l.from, l.end, l.computed = round, round+round/16, 0
	l.fresh, l.floor = l.fresh[:0], 0
	now, later := raised(boost, l.from), raised(boost, l.end)
	for a := range l.of {
		x, y := shapes((*arm)(l.numbers[armSize*a:]), now)
		m := x / (x + y)
		l.floor = max(l.floor, m-float64(2.5*math.Sqrt(m*(1-m)/(x+y))))
	}
	for a := range l.below {
		low, _ := shapes((*arm)(l.numbers[armSize*a:]), now)
		high, least := shapes((*arm)(l.numbers[armSize*a:]), later)
		l.below[a].Set(low, high, least, l.floor)
	}
}

// draw draws from the posterior of an arm.
func (l *posterior) draw(of *arm, raise float64) float64 {
	x, y := shapes(of, raise)
	return l.normals.Beta(x, y)
}

// shapes returns the parameters of an arm's posterior, Beta(1 + n m, 1 + n (1 - m)).
func shapes(of *arm, raise float64) (x, y float64) {
	m := clipped(of[mean] + float64(raise*of[noise]))
	return 1 + float64(of[count]*m), 1 + float64(of[count]*(1-m))
}

// raised returns boost ln t.
func raised(boost float64, round int) float64 {
	if boost == 0 {
		return 0
	}
	return boost * logarithm(round)
}
