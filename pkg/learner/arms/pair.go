package arms

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// pair is the part of top-two rules that plays a leader or a challenger, by the learner's own
// stream. What the users' devices are told is the two.
type pair struct {
	own  *rand.Rand
	told [2]float64
}

// tell broadcasts the leader and the challenger.
func (p *pair) tell(leader, challenger int) ([]float64, error) {
	p.told = [2]float64{float64(leader), float64(challenger)}
	return p.told[:], nil
}

// Act appends the leader or the challenger, with probability 1/2 each.
func (p *pair) Act(pair []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(pair) != 2 {
		return dst, fmt.Errorf("a broadcast of %d numbers, want the leader and the challenger", len(pair))
	}
	leader, err := armOf(pair[0], v)
	if err != nil {
		return dst, err
	}
	challenger, err := armOf(pair[1], v)
	if err != nil {
		return dst, err
	}
	if p.own.Uint64()>>63 == 0 {
		return append(dst, leader), nil
	}
	return append(dst, challenger), nil
}
