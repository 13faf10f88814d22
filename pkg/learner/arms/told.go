package arms

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// told is the base of rules that choose anew every round, by draws of their own or by the time.
//
// What the users' devices are told is the arms' estimates: arm a's mean is number armSize*a+mean of
// the broadcast, its count number armSize*a+count, and so on. Act calls unseenIn, and reads the
// rest there: of is for Learn alone, which may run elsewhere. Where a round's arm is drawn, Explain
// shows NaN as indices.
type told struct {
	estimates
	numbers []float64
	fresh   []int // arms whose numbers have changed since somebody emptied this
}

// arm is what a broadcast says of an arm.
type arm = [armSize]float64

// The numbers of an arm; its count is 0 until it is seen.
const (
	mean  = iota // of rewards in [0, 1]
	count        // of the rewards in it
	width        // 1/sqrt(count)
	noise        // scale of the Laplace noise in it
	root         // of a bound on Gaussian or summed noise in it: privacy.Tail's
	armSize
)

// newTold allocates.
func newTold(p bandit.Problem) told {
	return told{newEstimates(p), make([]float64, armSize*p.Arms), make([]int, 0, 2*p.Arms)}
}

// Learn broadcasts the estimates.
func (t *told) Learn(r *privacy.Means) ([]float64, error) {
	t.take(r)
	for _, a := range r.Changed {
		of := &t.of[a]
		n := float64(of.Count)
		*(*arm)(t.numbers[armSize*a:]) = arm{of.Mean, n, 1 / math.Sqrt(n), of.Tail.Linear, of.Tail.Root}
	}
	if t.fresh = append(t.fresh, r.Changed...); len(t.fresh) > len(t.of) {
		t.fresh = t.fresh[:0]
		for a := range t.of {
			t.fresh = append(t.fresh, a)
		}
	}
	return t.numbers, nil
}

// shown appends the means of a broadcast, and what a function returns of an arm that was seen: its
// index, and how far above its mean the true one may be, both for rewards in [0, 1].
func (t *told) shown(broadcast []float64, dst []bandit.Insight, of func(arm int) (index, above float64)) ([]bandit.Insight, error) {
	if _, err := t.unseenIn(broadcast); err != nil {
		return dst, err
	}
	lo, span := t.problem.RewardMin, t.problem.RewardMax-t.problem.RewardMin
	for a := range t.of {
		x, about := checks.Unseen(), (*arm)(broadcast[armSize*a:])
		if about[count] >= 1 {
			index, above := of(a)
			x = bandit.Insight{Index: lo + float64(index*span), Estimate: lo + float64(about[mean]*span), Width: max(0, float64(above*span))}
		}
		dst = append(dst, x)
	}
	return dst, nil
}

// ours reports whether a broadcast is that of this very rule, which needs no check.
func (t *told) ours(broadcast []float64) bool {
	return len(broadcast) > 0 && &broadcast[0] == &t.numbers[0]
}

// unseenIn checks a broadcast, and returns the first arm that was not seen, or -1.
func (t *told) unseenIn(broadcast []float64) (unseen int, err error) {
	if len(broadcast) != len(t.numbers) {
		return -1, fmt.Errorf("a broadcast of %d numbers, want %d for each of %d arms", len(broadcast), armSize, len(t.of))
	}
	if t.ours(broadcast) {
		if t.unseen < len(t.of) {
			return t.unseen, nil
		}
		return -1, nil
	}
	unseen = -1
	for i, x := range broadcast {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0) || i%armSize != mean && x < 0:
			return -1, fmt.Errorf("number %d of a broadcast is %v", i, x)
		case i%armSize == count && x < 1 && unseen < 0:
			unseen = i / armSize
		}
	}
	return unseen, nil
}
