package arms

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// leader is the base of rules that choose again when an estimate changes, and otherwise repeat
// their arm. Users' devices are told the arm.
type leader struct {
	estimates
	race race
	arm  [1]float64
}

// index is an upper confidence bound of each arm, for the leader with the largest. While an arm's
// estimate stays, its bound must not decrease in time.
type index interface {
	// at sets the time t of the next calls of bound and above. Its argument is ln t.
	at(log float64)
	// bound returns the bound of an arm that was seen.
	bound(arm int) float64
	// above is a quick test of bound(arm) > x. True is certain; false means above or not.
	above(arm int, x float64) bool
}

// newLeader allocates.
func newLeader(p bandit.Problem) leader {
	return leader{estimates: newEstimates(p), race: newRace(p.Arms)}
}

// play makes an arm the leader.
func (l *leader) play(arm int) ([]float64, error) {
	l.arm[0] = float64(arm)
	return l.arm[:], nil
}

// follow makes the first arm that was not seen the leader or, if there is none, the one with the
// largest bound. The release was read.
func (l *leader) follow(r *privacy.Means, x index) ([]float64, error) {
	if l.unseen < len(l.of) {
		return l.play(l.unseen)
	}
	return l.play(l.race.first(len(l.of), r.Changed, l.round, x))
}

// bounds appends the means, and the bounds by which the leader was chosen. It sets the time of x,
// which has to be a copy of the rule.
func (l *leader) bounds(dst []bandit.Insight, x index) ([]bandit.Insight, error) {
	x.at(logarithm(l.round))
	return l.insights(dst, x.bound), nil
}

// Act appends the leader.
func (l *leader) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(broadcast) != 1 {
		return dst, fmt.Errorf("a broadcast of %d numbers, want the arm", len(broadcast))
	}
	arm, err := armOf(broadcast[0], v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}

// Turn appends the leader, which is played until an estimate changes.
func (l *leader) Turn(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	return l.Act(broadcast, v, dst)
}

// armOf returns the arm that a number of a broadcast names.
func armOf(x float64, v *bandit.View) (int, error) {
	arm := int(x)
	if !(x >= 0 && x < float64(v.Arms)) || float64(arm) != x {
		return 0, fmt.Errorf("the arm %v in a broadcast, want a whole number in [0, %d)", x, v.Arms)
	}
	return arm, nil
}
