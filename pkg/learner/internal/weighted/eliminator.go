package weighted

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// Largest bounds the numbers of a broadcast.
const Largest = 1e100

// Eliminator plays in turn the arms that no estimate rules out. An estimate rules out an arm whose
// mean reward by theta is below that of the best arm that is left by more than |beta A (x_best -
// x)|.
type Eliminator struct {
	problem bandit.Problem
	delta   []float64 // the best arm's context minus another's
	left    []int     // arms
}

// NewEliminator allocates.
func NewEliminator(p bandit.Problem) Eliminator {
	return Eliminator{problem: p, delta: make([]float64, p.Dim), left: make([]int, 0, p.Arms)}
}

// Split returns R, packed, and the estimates of a broadcast.
func (e *Eliminator) Split(broadcast []float64) (r, estimates []float64, err error) {
	d := e.problem.Dim
	first, each := packed.Size(d), d+d*d
	if len(broadcast) < first || (len(broadcast)-first)%each != 0 {
		return nil, nil, fmt.Errorf("learner: a broadcast of %d numbers, want %d and %d for each epoch: R, theta and A in dimension %d", len(broadcast), first, each, d)
	}
	for i, v := range broadcast {
		if !(math.Abs(v) <= Largest) {
			return nil, nil, fmt.Errorf("learner: number %d of a broadcast is %v, want in [-%v, %v]", i, v, Largest, Largest)
		}
	}
	return broadcast[:first], broadcast[first:], nil
}

// Act returns the arm whose turn it is.
func (e *Eliminator) Act(broadcast []float64, v *bandit.View) (int, error) {
	left, _, err := e.remain(broadcast, v)
	if err != nil {
		return 0, err
	}
	return left[(v.Round-1)%len(left)], nil
}

// Explain appends what the last estimate knows of the arms. Those that are ruled out have the index
// -Inf, and the others none.
func (e *Eliminator) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	left, last, err := e.remain(broadcast, v)
	if err != nil {
		return dst, err
	}
	d := v.Dim
	for a := range v.Arms {
		known := bandit.Insight{Index: math.Inf(-1), Estimate: math.NaN(), Width: math.NaN()}
		if slices.Contains(left, a) {
			known.Index = math.NaN()
		}
		if last != nil {
			known.Estimate, known.Width = packed.Dot(last[:d], v.Row(a)), math.Sqrt(square(last[d:], v.Row(a)))
		}
		dst = append(dst, known)
	}
	return dst, nil
}

// remain returns the arms that no estimate rules out, and the last estimate, if there is one.
func (e *Eliminator) remain(broadcast []float64, v *bandit.View) (left []int, last []float64, err error) {
	_, estimates, err := e.Split(broadcast)
	if err != nil {
		return nil, nil, err
	}
	d := e.problem.Dim
	switch {
	case !v.Fits(&e.problem):
		return nil, nil, fmt.Errorf("learner: %w", e.problem.CheckView(v))
	case !packed.Finite(v.X[:v.Arms*d]):
		return nil, nil, fmt.Errorf("learner: round %d: contexts %v, want finite numbers", v.Round, append([]float64(nil), v.X[:v.Arms*d]...))
	}
	left = e.left[:0]
	for a := range v.Arms {
		left = append(left, a)
	}
	each := d + d*d
	if n := len(estimates); n > 0 {
		last = estimates[n-each:]
	}
	for ; len(estimates) > 0 && len(left) > 1; estimates = estimates[each:] {
		left = e.keep(left, estimates[:d], estimates[d:each], v)
	}
	return left, last, nil
}

// keep returns the arms that an estimate does not rule out, in place.
func (e *Eliminator) keep(left []int, theta, widths []float64, v *bandit.View) []int {
	best, top := -1, math.Inf(-1)
	for _, a := range left {
		if value := packed.Dot(theta, v.Row(a)); value > top || best < 0 {
			best, top = a, value
		}
	}
	x, kept := v.Row(best), left[:0]
	for _, a := range left {
		if a == best {
			kept = append(kept, a)
			continue
		}
		for i, value := range v.Row(a) {
			e.delta[i] = x[i] - value
		}
		gap := packed.Dot(theta, e.delta)
		if !(gap > 0) || gap*gap <= square(widths, e.delta) {
			kept = append(kept, a)
		}
	}
	return kept
}

// square returns |A x|^2, for A by its rows.
func square(a, x []float64) (sum float64) {
	for ; len(a) > 0; a = a[len(x):] {
		side := packed.Dot(x, a)
		sum += float64(side * side)
	}
	return sum
}
