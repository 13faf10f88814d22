package privacytest

import (
	"fmt"

	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// PolicyCase is a policy to be checked by Replay.
type PolicyCase[R any] struct {
	New       func() learner.Policy[R]
	Statistic func() privacy.Statistic[R] // what the policy reads; nil means the exact statistic
	Problem   bandit.Problem
	Rounds    int // rounds of a run; 0 means 60
}

// Replay checks that a policy's arms are a function of the broadcast, the view and its own stream:
//
//   - OtherMachine: a policy that has never learnt, and is given a copy of the broadcast, plays the
//     same arms. So the two halves can be two machines.
//   - Memory: two runs on the same records, whose views differ in one round only, play the same
//     arms in all other rounds and broadcast the same. A policy that remembers a view would carry
//     one user's context to another, past the statistic and its noise.
//
// A random policy must make as many draws in a round whatever it sees, and none in Learn. Otherwise
// Replay reports that it remembers.
func Replay[R any](t testing.TB, c PolicyCase[R]) {
	t.Helper()
	if c.Rounds == 0 {
		c.Rounds = 60
	}
	runAll(t, []check{{"OtherMachine", c.otherMachine}, {"Memory", c.memory}})
}

// replayed is a policy that is observed as it plays.
type replayed[R any] struct {
	learner.Policy[R]
	remote     learner.Policy[R] // acts on copies, if it is set
	play       [][]int           // arms to return whatever the policy does, if set
	alter      int               // the round whose view is replaced; 0 means none
	views      *rand.Rand        // draws the replacing view
	bound      float64           // norm of its contexts
	seed       uint64
	arms       [][]int // what the policy chose, by round
	elsewhere  [][]int // what the remote policy chose
	broadcasts [][]float64
}

func (p *replayed[R]) Ask(problem bandit.Problem, s *privacy.Setup) error {
	if a, ok := p.Policy.(learner.Asker); ok {
		return a.Ask(problem, s)
	}
	return nil
}

func (p *replayed[R]) Init(problem bandit.Problem, horizon int, r *R) error {
	p.bound = problem.ContextNorm
	if p.remote != nil {
		if err := p.remote.Init(problem, horizon, r); err != nil {
			return err
		}
	}
	return p.Policy.Init(problem, horizon, r)
}

func (p *replayed[R]) Reset(*rand.Rand) {
	p.Policy.Reset(stream(p.seed))
	if p.remote != nil {
		p.remote.Reset(stream(p.seed))
	}
}

func (p *replayed[R]) Learn(r *R) ([]float64, error) {
	broadcast, err := p.Policy.Learn(r)
	p.broadcasts = append(p.broadcasts, slices.Clone(broadcast))
	return broadcast, err
}

func (p *replayed[R]) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	seen := *v
	seen.X = slices.Clone(v.X)
	if v.Round == p.alter {
		contexts(p.views, seen.X, v.Dim, p.bound)
	}
	n := len(dst)
	dst, err := p.Policy.Act(broadcast, &seen, dst)
	if err != nil {
		return dst, err
	}
	p.arms = append(p.arms, slices.Clone(dst[n:]))
	if p.remote != nil {
		arms, err := p.remote.Act(slices.Clone(broadcast), &seen, nil)
		if err != nil {
			return dst, fmt.Errorf("on another machine: %w", err)
		}
		p.elsewhere = append(p.elsewhere, arms)
	}
	if p.play != nil {
		dst = append(dst[:n], p.play[len(p.arms)-1]...)
	}
	return dst, nil
}

// contexts writes random contexts of norms at most bound.
func contexts(rng *rand.Rand, x []float64, dim int, bound float64) {
	for len(x) > 0 && dim > 0 {
		norm := 0.0
		for i := range dim {
			x[i] = random.Normal(rng)
			norm = portable.Hypot(norm, x[i])
		}
		scale(x[:dim], bound*rng.Float64()/norm)
		x = x[dim:]
	}
}

// run plays the rounds. If fixed is set, all rounds except the altered one have the contexts of
// round 1; views report that they are the same, except in the altered round and the one after it.
func (c PolicyCase[R]) run(p *replayed[R], fixed bool) error {
	var s privacy.Statistic[R]
	if c.Statistic != nil {
		s = c.Statistic()
	}
	l := learner.New[R](p, s)
	if err := l.Init(c.Problem, c.Rounds); err != nil {
		return err
	}
	l.Reset(stream(0), source(30))
	rng := stream(31)
	y := make([]float64, c.Problem.Arms)
	reward := func() float64 {
		return c.Problem.RewardMin + float64((c.Problem.RewardMax-c.Problem.RewardMin)*rng.Float64())
	}
	if l.WantsWarmUp() {
		for i := range y {
			y[i] = reward()
		}
		l.WarmUp(y)
	}
	v := bandit.View{Arms: c.Problem.Arms, Dim: c.Problem.Dim, X: make([]float64, c.Problem.Arms*c.Problem.Dim)}
	var arms []int
	for v.Round = 1; v.Round <= c.Rounds; v.Round++ {
		v.Same = fixed && v.Round > 1 && v.Round != p.alter && v.Round != p.alter+1
		if !fixed || v.Round == 1 {
			contexts(rng, v.X, v.Dim, c.Problem.ContextNorm)
		}
		arms = l.Select(&v, arms[:0])
		for i := range arms {
			y[i] = reward()
		}
		l.Update(&v, arms, y[:len(arms)])
		if err := l.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (c PolicyCase[R]) otherMachine(fail report) {
	for _, fixed := range []bool{false, true} {
		p := &replayed[R]{Policy: c.New(), remote: c.New(), seed: 32}
		if err := c.run(p, fixed); err != nil {
			fail("%v", err)
			return
		}
		for i, arms := range p.arms {
			if !slices.Equal(arms, p.elsewhere[i]) {
				fail("round %d: %v is played, and %v by a policy that has not learnt and reads a copy of the broadcast: put all that Act needs into the broadcast",
					i+1, arms, p.elsewhere[i])
				break
			}
		}
	}
}

func (c PolicyCase[R]) memory(fail report) {
	for _, fixed := range []bool{false, true} {
		plain := &replayed[R]{Policy: c.New(), seed: 33}
		if err := c.run(plain, fixed); err != nil {
			fail("%v", err)
			return
		}
		for _, alter := range []int{1, 2, c.Rounds / 3, c.Rounds - 1} {
			other := &replayed[R]{Policy: c.New(), seed: 33, play: plain.arms, alter: alter, views: stream(34)}
			if err := c.run(other, fixed); err != nil {
				fail("%v", err)
				return
			}
			for i := range plain.arms {
				if i+1 != alter && !slices.Equal(plain.arms[i], other.arms[i]) {
					fail("the view of round %d changes the arms of round %d from %v to %v, with the same records: choose by broadcast, view and own stream alone",
						alter, i+1, plain.arms[i], other.arms[i])
					break
				}
			}
			if !slices.EqualFunc(plain.broadcasts, other.broadcasts, same) {
				fail("the view of round %d changes a broadcast, with the same records: learn from releases alone", alter)
			}
		}
	}
}
