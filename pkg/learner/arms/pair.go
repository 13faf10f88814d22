package arms

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// pair is the part of top-two rules that plays a leader or a challenger, by the learner's own
// stream. What the users' devices are told is the two, and the probability of the leader.
type pair struct {
	own  *rand.Rand
	told [3]float64
}

// tell broadcasts the leader, the challenger, and the probability of the leader.
func (p *pair) tell(leader, challenger int, share float64) ([]float64, error) {
	p.told = [3]float64{float64(leader), float64(challenger), share}
	return p.told[:], nil
}

// Act appends the leader or the challenger.
func (p *pair) Act(pair []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(pair) != 3 || !(pair[2] >= 0 && pair[2] <= 1) {
		return dst, fmt.Errorf("a broadcast %v, want the leader, the challenger and a probability", pair)
	}
	leader, err := armOf(pair[0], v)
	if err != nil {
		return dst, err
	}
	challenger, err := armOf(pair[1], v)
	if err != nil {
		return dst, err
	}
	if float64(p.own.Uint64()>>11)*0x1p-53 < pair[2] {
		return append(dst, leader), nil
	}
	return append(dst, challenger), nil
}
