package account

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// Advanced is the accountant for events of which only an (epsilon, delta) guarantee is known, such
// as Wishart noise. It takes the lesser of basic composition and the advanced composition theorem
// for unequal guarantees,
//
//	eps = sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/slack) sum eps_i^2),
//	1 - delta = (1 - slack) prod (1 - delta_i)
//
// (Kairouz, Oh, Viswanath 2015, Thm. 3.5). It holds for any mechanisms, adaptively chosen, and is
// loose for Gaussian noise. A WishartEvent of up to 1024 nodes that is alone is composed optimally,
// by OptimalEpsilon.
type Advanced struct{}

func (Advanced) String() string { return "advanced composition" }

// guarantees holds the sums over a composition of (epsilon, delta) guarantees.
type guarantees struct {
	epsilon, square, tanh float64 // sums of eps, eps^2 and eps tanh(eps/2)
	logKeep               float64 // sum of ln(1 - delta)
	delta                 float64 // sum of delta
}

func (g guarantees) times(n float64) guarantees {
	return guarantees{n * g.epsilon, n * g.square, n * g.tanh, n * g.logKeep, n * g.delta}
}

func (g guarantees) plus(o guarantees) guarantees {
	return guarantees{g.epsilon + o.epsilon, g.square + o.square, g.tanh + o.tanh, g.logKeep + o.logKeep, g.delta + o.delta}
}

func guarantee(epsilon, delta float64) guarantees {
	return guarantees{epsilon, epsilon * epsilon, epsilon * portable.Tanh(epsilon/2), portable.Log1p(-delta), delta}
}

// compose adds up guarantees. For a Parallel inside a composition, whose branch may be chosen by
// what was released before it, it takes the largest of each sum.
func (a Advanced) compose(e Event) (sum guarantees, err error) {
	switch e := e.(type) {
	case Sequence:
		for _, part := range e {
			one, err := a.compose(part)
			if err != nil {
				return sum, err
			}
			sum = sum.plus(one)
		}
		return sum, nil
	case Repeat:
		one, err := a.compose(e.Event)
		return one.times(float64(e.Times)), err
	case Parallel:
		for _, part := range e {
			one, err := a.compose(part)
			if err != nil {
				return sum, err
			}
			sum = sum.largest(one)
		}
		return sum, nil
	case SparseVectorEvent:
		return a.compose(e.parts())
	case WishartEvent:
		return guarantee(e.Epsilon, e.Delta).times(float64(e.Nodes)), nil
	case ApproximateEvent:
		return guarantee(e.Epsilon, e.Delta), nil
	case PureEvent:
		return guarantee(e.PureEpsilon(), 0), nil
	}
	return sum, unsupported(a.String(), e)
}

func (g guarantees) largest(o guarantees) guarantees {
	return guarantees{math.Max(g.epsilon, o.epsilon), math.Max(g.square, o.square), math.Max(g.tanh, o.tanh),
		math.Min(g.logKeep, o.logKeep), math.Max(g.delta, o.delta)}
}

// branch is a composition. wishart is set if the composition is a single WishartEvent.
type branch struct {
	guarantees
	wishart WishartEvent
}

// branches returns the alternatives of which a record takes part in one. Which one is known before
// anything is released.
func (a Advanced) branches(e Event) (all []branch, err error) {
	switch e := e.(type) {
	case Parallel:
		for _, part := range e {
			more, err := a.branches(part)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	}
	one, err := a.compose(e)
	wishart, _ := e.(WishartEvent)
	return []branch{{one, wishart}}, err
}

// mostOptimal is how many nodes are composed optimally, which takes time in proportion to them; of
// more the theorem's bound is taken. A tree has 63 at most.
const mostOptimal = 1 << 10

func (b branch) at(delta float64) float64 {
	epsilon := b.guarantees.at(delta)
	if k := b.wishart.Nodes; k > 0 && k <= mostOptimal {
		epsilon = math.Min(epsilon, OptimalEpsilon(b.wishart.Epsilon, b.wishart.Delta, k, delta))
	}
	return epsilon
}

// Epsilon returns the epsilon of the composed guarantees, or +Inf if delta is less than what the
// deltas of the events compose to. It refuses GroupEvent: the only bound for users with several
// records would be the group property of the whole, which it does not apply.
func (a Advanced) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	all, err := a.branches(e)
	if err != nil {
		return math.NaN(), err
	}
	most := 0.0
	for _, g := range all {
		most = math.Max(most, g.at(delta))
	}
	return most, nil
}

func (g guarantees) at(delta float64) float64 {
	least := math.Inf(1)
	if g.delta <= delta {
		least = g.epsilon
	}
	if slack := -portable.Expm1(portable.Log1p(-delta) - g.logKeep); slack > 0 {
		least = math.Min(least, g.tanh+math.Sqrt(-2*portable.Log(slack)*g.square))
	}
	return least
}

// Delta returns the least delta at which Epsilon is at most epsilon.
func (a Advanced) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	all, err := a.branches(e)
	if err != nil {
		return math.NaN(), err
	}
	most := 0.0
	for _, g := range all {
		if g.epsilon <= epsilon {
			most = math.Max(most, math.Min(1, g.delta)) // the sum of many may be larger
			continue
		}
		delta := numeric.Bisect(0, 1, func(delta float64) bool { return g.guarantees.at(delta) <= epsilon })
		if k := g.wishart.Nodes; k > 0 && k <= mostOptimal {
			delta = math.Min(delta, OptimalDelta(g.wishart.Epsilon, g.wishart.Delta, k, epsilon))
		}
		most = math.Max(most, delta)
	}
	return most, nil
}

// Tightest returns the event of as many nodes that has the least epsilon at delta. It splits delta
// between the nodes and their composition; epsilon says what a node of a delta costs. If no split
// gives a valid event, it is an error.
func (e WishartEvent) Tightest(delta float64, epsilon func(delta float64) float64) (WishartEvent, error) {
	nodes := e.Nodes
	if !(delta >= 0 && delta < 1) || epsilon == nil {
		return WishartEvent{}, fmt.Errorf("privacy: Wishart noise at delta = %v, want in [0, 1), and the epsilon of a node", delta)
	}
	n := float64(nodes)
	best, least := WishartEvent{Nodes: nodes}, math.Inf(1)
	middle, low, high := 0.5, 1e-9, 1-1e-9
	// A grid over the share of delta that the composition gets, then finer grids around the best
	// share.
	for range 6 {
		step := float64((high - low) / 16)
		for i := range 17 {
			share := low + float64(step*float64(i))
			node := WishartEvent{Delta: -portable.Expm1(portable.Log1p(-(1-share)*delta) / n), Nodes: nodes}
			node.Epsilon = epsilon(node.Delta)
			all := branch{guarantee(node.Epsilon, node.Delta).times(n), node}.at(delta)
			if best.Epsilon == 0 || node.Epsilon < 1 && all < least {
				best, least, middle = node, all, share
			}
		}
		low, high = math.Max(low, middle-step), math.Min(high, middle+step)
	}
	return best, best.Validate()
}
