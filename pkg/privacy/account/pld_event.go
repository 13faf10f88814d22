package account

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// maxAlternatives is the largest number of alternatives of which a record takes part in one.
const maxAlternatives = 64

// branches returns the alternatives whose costliest is the cost of an event. Which one a record is
// in is known before any output, so that the worst alternative bounds all.
func branches(e Event) ([]Event, error) {
	var out []Event
	switch e := e.(type) {
	case Parallel:
		for _, part := range e {
			more, err := branches(part)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
	default:
		out = []Event{e}
	}
	if len(out) > maxAlternatives {
		return nil, fmt.Errorf("privacy: %d alternatives of which a record takes part in one, want at most %d", len(out), maxAlternatives)
	}
	return out, nil
}

// factoring gathers the pairs of an event: equal events in one power, and Gaussians in one
// Gaussian.
type factoring struct {
	parts  loss.Composition
	index  map[member]int
	square float64 // mu^2 of the Gaussians
}

// member is an event, and how many records a user has in it.
type member struct {
	Event
	records int
}

func factorise(e Event) (loss.Composition, error) {
	f := factoring{index: map[member]int{}}
	if err := f.add(e, 1, 1); err != nil {
		return nil, err
	}
	if f.square > 0 || len(f.parts) == 0 {
		x, err := loss.Gaussian(math.Sqrt(f.square))
		if err != nil {
			return nil, err
		}
		f.parts = append(f.parts, loss.Factor{Pair: x, Times: 1})
	}
	if err := f.parts.Sketch(); err != nil {
		return nil, fmt.Errorf("privacy: %v: %w", e, err)
	}
	return f.parts, nil
}

// add adds an event that is repeated. A user with several records has them all in each part of a
// composition: the parts' pairs for so many records compose.
func (f *factoring) add(e Event, times, records int) error {
	switch e := e.(type) {
	case Sequence:
		for _, part := range e {
			if err := f.add(part, times, records); err != nil {
				return err
			}
		}
		return nil
	case Repeat:
		if e.Times > math.MaxInt32/times {
			return fmt.Errorf("privacy: an event %d times %d times over, want at most %d in all", e.Times, times, math.MaxInt32)
		}
		return f.add(e.Event, times*e.Times, records)
	case SparseVectorEvent:
		return f.add(e.parts(), times, records)
	case Parallel:
		if records == 1 {
			return f.worst(e, times)
		}
		// The records may be in several branches, but none costs more than the costliest.
		mu, err := GDP{}.Mu(e)
		if err != nil {
			return unsupported(PLD{}.String(), GroupEvent{e, records})
		}
		f.square += float64(float64(times) * squared(float64(records)*mu, 1))
		return nil
	case GroupEvent:
		if e.Contributions > math.MaxInt32/records {
			return fmt.Errorf("privacy: %w: %d times %d records of a user, want at most %d in all", loss.ErrUnsupported, e.Contributions, records, math.MaxInt32)
		}
		return f.add(e.Event, times, records*e.Contributions)
	case GDPEvent:
		if _, ok := e.(LossEvent); !ok {
			f.square += float64(float64(times) * squared(float64(records)*e.GDP(), 1))
			return nil
		}
	}
	key := member{e, records}
	if reflect.ValueOf(e).Comparable() {
		if i, ok := f.index[key]; ok {
			if f.parts[i].Times > math.MaxInt32-times {
				return fmt.Errorf("privacy: an event more than %d times, want fewer", math.MaxInt32)
			}
			f.parts[i].Times += times
			return nil
		}
		f.index[key] = len(f.parts)
	}
	x, err := pairOf(e)
	if err == nil && records > 1 {
		x, err = x.Grouped(records)
	}
	if err != nil {
		return err
	}
	f.parts = append(f.parts, loss.Factor{Pair: x, Times: times})
	return nil
}

// worst adds the pointwise maximum of the curves of several events. Inside a composition an
// adversary may choose the branch by what it has seen, so that the worst fixed branch would not be
// enough.
func (f *factoring) worst(e Parallel, times int) error {
	events, err := branches(e)
	if err != nil {
		return err
	}
	var all []loss.Composition
	seen := map[Event]bool{}
	for _, part := range events {
		if reflect.ValueOf(part).Comparable() {
			if seen[part] {
				continue
			}
			seen[part] = true
		}
		branch, err := factorise(part)
		if err != nil {
			return err
		}
		all = append(all, branch)
	}
	if len(all) == 1 {
		return f.add(events[0], times, 1)
	}
	f.parts = append(f.parts, loss.Factor{Worst: all, Times: times})
	return nil
}

// pairOf returns the dominating pair of an event that is no composition.
func pairOf(e Event) (Pair, error) {
	switch e := e.(type) {
	case LossEvent:
		x, err := e.Pair()
		if err == nil && !x.Valid() {
			err = errors.New("privacy: an empty pair, want one that a constructor made")
		}
		return x, err
	case LaplaceEvent:
		return loss.Laplace(e.Epsilon)
	case ExponentialEvent:
		return loss.BoundedRange(e.Epsilon)
	case ResponseEvent:
		return loss.Response(e.Epsilon, 0, e.Choices)
	case DiscreteLaplaceEvent:
		if e.Sensitivity <= loss.MaxSteps {
			return loss.DiscreteLaplace(e.Sensitivity, e.Scale)
		}
	case DiscreteGaussianEvent:
		if e.Dim == 1 && e.Sensitivity == math.Trunc(e.Sensitivity) && e.Sensitivity <= loss.MaxSteps && e.Sigma <= loss.MaxSigma {
			return loss.DiscreteGaussian(int64(e.Sensitivity), e.Sigma)
		}
	case ApproximateEvent:
		return loss.Response(e.Epsilon, e.Delta, 2)
	case ShuffleEvent:
		return loss.Shuffle(e.Local, e.Users)
	case PureEvent:
		return loss.Response(e.PureEpsilon(), 0, 2)
	}
	if e, ok := e.(PureEvent); ok {
		return loss.Response(e.PureEpsilon(), 0, 2)
	}
	return Pair{}, unsupported(PLD{}.String(), e)
}
