package environment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// Cascade is the environment of cascading bandits (Kveton, Szepesvari, Wen, Ashkan 2015): each
// round a learner shows a list of items, and a user clicks the first one that attracts her.
//
// She looks at the list in order, and an item attracts her with its own probability, whatever
// else is in the list. The reward of the item clicked is 1, and that of all others 0. So whoever
// sees the rewards knows which items she looked at: all up to the click or, without one, all of
// them. Items after the click say nothing. Cascade of package tally reads such rewards.
//
// A list is good if some item of it attracts: the regret of a round is the best list's
// probability of a click, less that of the list shown, 1 - prod(1 - Attraction). It does not
// depend on the order of the items.
//
// A pull takes one draw, which determines the items that attract the round's user. An item
// attracts her or not whatever list it is in, and whoever shows it.
type Cascade struct {
	Attraction []float64 // the probability that an item attracts a user, for each, in [0, 1]
	Slots      int       // items in a list, K in the paper, in [1, len(Attraction)]
}

// cascade is a trial of Cascade.
type cascade struct {
	Cascade
	best  []int    // a list with the largest probability of a click
	below []uint64 // by item: it attracts if 63 random bits are below this
	shown []bool   // scratch of Regret, by item
	round int
}

// Open returns an error if a field is out of its range.
func (e Cascade) Open() (bandit.World, error) {
	switch {
	case len(e.Attraction) == 0:
		return nil, errors.New("environment: Cascade: field Attraction is empty, want a probability for each item")
	case e.Slots < 1 || e.Slots > len(e.Attraction):
		return nil, fmt.Errorf("environment: Cascade: field Slots = %d, want in [1, %d], the number of items", e.Slots, len(e.Attraction))
	}
	below := make([]uint64, len(e.Attraction))
	for a, p := range e.Attraction {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("environment: Cascade: field Attraction[%d] = %v, want in [0, 1]", a, p)
		}
		below[a] = uint64(p * (1 << 63))
	}
	e.Attraction = slices.Clone(e.Attraction)
	best := heaviest(e.Matroid(), e.Attraction)
	return bandit.NewWorld(e.Problem(), func(*rand.Rand) bandit.Instance {
		return &cascade{Cascade: e, best: best, below: below, shown: make([]bool, len(below))}
	}), nil
}

// Problem describes the environment to a learner.
func (e Cascade) Problem() bandit.Problem {
	return bandit.Problem{Arms: len(e.Attraction), Slots: e.Slots, RewardMin: 0, RewardMax: 1}
}

// Matroid returns the uniform matroid of rank Slots, for a matroid learner that shows lists. It
// is nil if Slots is out of its range.
func (e Cascade) Matroid() matroid.Matroid {
	m, err := matroid.NewUniform(len(e.Attraction), e.Slots)
	if err != nil {
		return nil
	}
	return m
}

// Next shows the items, which have no contexts, to the learner.
func (e *cascade) Next(v *bandit.View) {
	e.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, len(e.below), 0, nil, e.round > 1
}

// Pull draws the round's key, and writes the click to y.
func (e *cascade) Pull(rewards *rand.Rand, arms []int, y []float64) {
	key := rewards.Uint64()
	clear(y)
	for i, a := range arms {
		if scramble(key, a)>>1 < e.below[a] {
			y[i] = 1
			return
		}
	}
}

// Regret returns the best list's probability of a click minus that of the arms, never below 0. It
// panics, with an error, if they are not as many different items as there are slots.
//
// The items in both lists are a factor of both probabilities, so that the regret of the best list
// is 0 in any order.
func (e *cascade) Regret(arms []int) float64 {
	if len(arms) != e.Slots {
		panic(fmt.Errorf("environment: a list of arms %v, want %d", arms, e.Slots))
	}
	clear(e.shown)
	for _, a := range arms {
		if uint(a) >= uint(len(e.shown)) || e.shown[a] {
			panic(fmt.Errorf("environment: a list of arms %v, want different ones in [0, %d)", arms, len(e.shown)))
		}
		e.shown[a] = true
	}
	both, lost, gained := 1., 1., 1.
	for _, a := range e.best {
		if e.shown[a] {
			both *= 1 - e.Attraction[a]
			e.shown[a] = false
		} else {
			lost *= 1 - e.Attraction[a]
		}
	}
	for _, a := range arms {
		if e.shown[a] {
			gained *= 1 - e.Attraction[a]
		}
	}
	return max(0, both*(gained-lost)) // rounding
}
