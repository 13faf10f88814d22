package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Scales is an environment whose contexts are ill conditioned. A user is of one of several kinds,
// drawn evenly. One of kind i has the two contexts (e_i s, 1)/sqrt(2) and (-e_i s, 1)/sqrt(2), with
// s = Sizes[i], in random order. Whatever is played, E[x x^T] of d-1 kinds has the eigenvalues
// s^2/(2(d-1)) and 1/2.
//
// With theta = (v, 1)/sqrt(2), v_i = 1/sqrt(d-1) or its negative, her better arm is better by
// s/sqrt(d-1). Only the signs of v have to be learnt, which a trial draws. Rewards are Bernoulli.
type Scales struct {
	Sizes []float64 // in (0, 1]
}

// scales is a trial of Scales.
type scales struct {
	Scales
	contexts *rand.Rand
	sign     []float64 // of v, by kind
	x        []float64
	mean     [2]float64
	round    int
}

// Open returns an error if a size is out of its range.
func (s Scales) Open() (bandit.World, error) {
	if len(s.Sizes) == 0 {
		return nil, fmt.Errorf("ldp: Scales.Sizes is empty, want >= 1 sizes")
	}
	for i, size := range s.Sizes {
		if !(size > 0 && size <= 1) {
			return nil, fmt.Errorf("ldp: Scales.Sizes[%d] = %v, want in (0, 1]", i, size)
		}
	}
	p := bandit.Problem{Arms: 2, Dim: len(s.Sizes) + 1, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
	return bandit.NewWorld(p, s.start), nil
}

func (s Scales) start(contexts *rand.Rand) bandit.Instance {
	e := &scales{Scales: s, contexts: contexts, x: make([]float64, 2*len(s.Sizes)+2)}
	for range s.Sizes {
		e.sign = append(e.sign, float64(1-2*contexts.IntN(2)))
	}
	return e
}

// Next draws a user.
func (s *scales) Next(v *bandit.View) {
	s.round++
	last := len(s.Sizes)
	kind := s.contexts.IntN(last)
	size := s.Sizes[kind] * float64(1-2*s.contexts.IntN(2))
	clear(s.x)
	s.x[kind], s.x[last+1+kind] = size/math.Sqrt2, -size/math.Sqrt2
	s.x[last], s.x[2*last+1] = 1/math.Sqrt2, 1/math.Sqrt2
	along := s.sign[kind] * size / math.Sqrt(float64(last))
	s.mean = [2]float64{(1 + along) / 2, (1 - along) / 2}
	v.Round, v.Arms, v.Dim, v.X, v.Same = s.round, 2, last+1, s.x, false
}

// Pull draws the reward of each arm played.
func (s *scales) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = 0
		if rewards.Float64() < s.mean[a] {
			y[i] = 1
		}
	}
}

// Regret returns by how much the better arm is better than the one played.
func (s *scales) Regret(arms []int) float64 { return max(s.mean[0], s.mean[1]) - s.mean[arms[0]] }
