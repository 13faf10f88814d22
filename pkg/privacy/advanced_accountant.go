package privacy

import (
	"fmt"
	"math"
)

// Advanced is the accountant of events of which only an (epsilon, delta) guarantee is known, such as Wishart noise: it
// composes the guarantees, by basic composition or by the advanced theorem for guarantees that differ,
//
//	eps = sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/slack) sum eps_i^2),   1 - delta = (1 - slack) prod (1 - delta_i)
//
// (Kairouz, Oh, Viswanath 2015, Thm. 3.5), whichever is less. It holds for any mechanism, adaptively chosen, and is loose for Gaussians.
type Advanced struct{}

func (Advanced) String() string { return "advanced composition" }

// guarantees is a composition of (epsilon, delta) guarantees, summed up.
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

func guarantee(b Budget) guarantees {
	return guarantees{b.Epsilon, b.Epsilon * b.Epsilon, b.Epsilon * math.Tanh(b.Epsilon/2), math.Log1p(-b.Delta), b.Delta}
}

// alternatives returns the compositions that a record may take part in, one for each way to choose among Parallel events.
func alternatives(e Event) ([]guarantees, error) {
	const most = 1024
	switch e := e.(type) {
	case Sequence:
		all := []guarantees{{}}
		for _, part := range e {
			more, err := alternatives(part)
			if err != nil {
				return nil, err
			}
			if len(all)*len(more) > most {
				return nil, fmt.Errorf("privacy: %w: advanced composition of %d ways to choose among parallel events, want at most %d", ErrUnsupported, len(all)*len(more), most)
			}
			var next []guarantees
			for _, a := range all {
				for _, b := range more {
					next = append(next, a.plus(b))
				}
			}
			all = next
		}
		return all, nil
	case Repeat:
		// Between two branches of a Parallel the most costly choice of n is one branch n times for each of the sums, but not always for all of
		// them together: bound each sum by its largest.
		one, err := alternatives(e.Event)
		if err != nil {
			return nil, err
		}
		return []guarantees{largest(one).times(float64(e.Times))}, nil
	case Parallel:
		var all []guarantees
		for _, part := range e {
			more, err := alternatives(part)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	case TreeEvent:
		return alternatives(e.parts())
	case DoublingEvent:
		return alternatives(e.Block)
	case SparseVectorEvent:
		return alternatives(e.parts())
	case WishartEvent:
		return []guarantees{guarantee(e.Node).times(float64(e.Nodes))}, nil
	case ApproximateEvent:
		return []guarantees{guarantee(e.Budget)}, nil
	case PureEvent:
		return []guarantees{guarantee(Budget{Epsilon: e.PureEpsilon()})}, nil
	}
	return nil, unsupported(Advanced{}.String(), e)
}

func largest(of []guarantees) (most guarantees) {
	for _, g := range of {
		most = guarantees{math.Max(most.epsilon, g.epsilon), math.Max(most.square, g.square), math.Max(most.tanh, g.tanh),
			math.Min(most.logKeep, g.logKeep), math.Max(most.delta, g.delta)}
	}
	return most
}

// Epsilon composes the guarantees; it is +Inf where delta does not even pay for those of the events. Users with several records have no
// better bound than the group property of the whole, which is not taken here: GroupEvent is refused.
func (a Advanced) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	all, err := alternatives(e)
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
	if slack := -math.Expm1(math.Log1p(-delta) - g.logKeep); slack > 0 {
		least = math.Min(least, g.tanh+math.Sqrt(-2*math.Log(slack)*g.square))
	}
	return least
}

// Delta inverts Epsilon.
func (a Advanced) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	all, err := alternatives(e)
	if err != nil {
		return math.NaN(), err
	}
	most := 0.0
	for _, g := range all {
		if g.epsilon <= epsilon {
			most = math.Max(most, g.delta)
			continue
		}
		most = math.Max(most, bisect(0, 1, func(delta float64) bool { return g.at(delta) <= epsilon }))
	}
	return most, nil
}
