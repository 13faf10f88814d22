package account

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// Accountant computes what an event costs, as an epsilon or a delta. For an event that it cannot
// treat it returns an error that wraps errors.ErrUnsupported.
type Accountant interface {
	String() string
	// Epsilon returns an upper bound on the least epsilon at which the event is (epsilon,
	// delta)-private: the least that this accountant can prove. +Inf means that it can prove none.
	Epsilon(e Event, delta float64) (float64, error)
	// Delta returns an upper bound on the least delta at which the event is (epsilon, delta)-private:
	// the least that this accountant can prove. epsilon >= 0.
	Delta(e Event, epsilon float64) (float64, error)
}

func unsupported(accountant string, e Event) error {
	return fmt.Errorf("privacy: %w: %s accounting of %v", loss.ErrUnsupported, accountant, e)
}

// Accountants returns all accountants, the sharpest last.
func Accountants() []Accountant {
	return []Accountant{Pure{}, Advanced{}, Concentrated{}, Renyi{}, PLD{}, GDP{}}
}

// Tightest returns the least epsilon that any accountant proves for an event at delta, and the name
// of that accountant. It is exact for Gaussian events. If all accountants refuse the event, the
// error says why each does.
func Tightest(e Event, delta float64) (epsilon float64, by string, err error) {
	if _, bare := e.(Exposed); bare {
		return math.Inf(1), "nothing hides it", nil
	}
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), "", err
	}
	if epsilon, err := (GDP{}).Epsilon(e, delta); err == nil {
		return epsilon, GDP{}.String(), nil
	}
	if events, err := branches(e); err == nil && len(events) > 1 {
		// Which branch a record is in is known before any output: each has an accountant of its own.
		for _, part := range events {
			at, a, err := Tightest(part, delta)
			if err != nil {
				return math.NaN(), "", err
			}
			if at > epsilon || by == "" {
				epsilon, by = at, a
			}
		}
		return epsilon, by, nil
	}
	epsilon = math.Inf(1)
	var refusals []error
	for _, a := range Accountants() {
		at, err := a.Epsilon(e, delta)
		switch {
		case err != nil:
			refusals = append(refusals, err)
		case at < epsilon || by == "":
			epsilon, by = at, a.String()
		}
	}
	if by == "" {
		return math.NaN(), "", errors.Join(refusals...)
	}
	return epsilon, by, nil
}

// checkArguments validates the arguments of an accountant.
func checkArguments(e Event, epsilon, delta float64) error {
	switch {
	case !(epsilon >= 0):
		return fmt.Errorf("privacy: epsilon = %v, want >= 0", epsilon)
	case !(delta >= 0 && delta < 1):
		return fmt.Errorf("privacy: delta = %v, want in [0, 1)", delta)
	}
	if nested(e) > mostNested {
		return fmt.Errorf("privacy: events in events, more than %d deep", mostNested)
	}
	return validate(e)
}

// mostNested limits how deep events may be in one another. One that holds itself has no end.
const mostNested = 1000

// nested returns how deep the events in an event go, or a number above mostNested.
func nested(e Event) (depth int) {
	var walk func(e Event, above int)
	walk = func(e Event, above int) {
		if depth = max(depth, above); depth > mostNested {
			return
		}
		switch e := e.(type) {
		case Sequence:
			for _, part := range e {
				walk(part, above+1)
			}
		case Parallel:
			for _, part := range e {
				walk(part, above+1)
			}
		case Repeat:
			walk(e.Event, above+1)
		case GroupEvent:
			walk(e.Event, above+1)
		}
	}
	walk(e, 0)
	return depth
}

// validate returns an error unless there is an event, it is valid, and the costs that it states
// are. An event that was written elsewhere may state any number.
func validate(e Event) error {
	if absent(e) {
		return errors.New("privacy: the event is nil")
	}
	if err := e.Validate(); err != nil {
		return err
	}
	var stated []error
	if e, ok := e.(PureEvent); ok {
		stated = append(stated, checkCost("PureEpsilon", e.PureEpsilon(), e))
	}
	if e, ok := e.(ConcentratedEvent); ok {
		stated = append(stated, checkCost("Rho", e.Rho(), e))
	}
	if e, ok := e.(GDPEvent); ok {
		stated = append(stated, checkCost("GDP", e.GDP(), e))
	}
	return errors.Join(stated...)
}

func checkCost(name string, cost float64, e Event) error {
	if !(cost >= 0) {
		return fmt.Errorf("privacy: %s = %v of %v, want >= 0", name, cost, e)
	}
	return nil
}

// absent reports whether there is no event: nil, or a pointer that is.
func absent(e Event) bool {
	if e == nil {
		return true
	}
	v := reflect.ValueOf(e)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// additive computes a cost that adds up under composition. Of several events of which a record
// takes part in one, the largest cost counts. leaf returns the cost of an event that is no
// composition; group scales a cost to k records.
type additive struct {
	name  string
	leaf  func(Event) (cost float64, ok bool)
	group func(cost float64, k int) (float64, bool)
}

func (a additive) of(e Event) (float64, error) {
	switch e := e.(type) {
	case Sequence:
		var sum float64
		for _, part := range e {
			cost, err := a.of(part)
			if err != nil {
				return 0, err
			}
			sum += cost
		}
		return sum, nil
	case Repeat:
		cost, err := a.of(e.Event)
		return float64(e.Times) * cost, err
	case Parallel:
		var most float64
		for _, part := range e {
			cost, err := a.of(part)
			if err != nil {
				return 0, err
			}
			most = math.Max(most, cost)
		}
		return most, nil
	case SparseVectorEvent:
		return a.of(e.parts())
	case GroupEvent:
		cost, err := a.of(e.Event)
		if err != nil {
			return 0, err
		}
		if cost, ok := a.group(cost, e.Contributions); ok {
			return cost, nil
		}
		return 0, unsupported(a.name, e)
	}
	if cost, ok := a.leaf(e); ok {
		return cost, checkCost(a.name+" cost", cost, e)
	}
	return 0, unsupported(a.name, e)
}

// squared returns x^2/over. Where it underflows it is rounded up: no cost is lost.
func squared(x, over float64) float64 {
	y := x * x / over
	if x != 0 && y < 0x1p-1000 {
		y = math.Nextafter(y, 1)
	}
	return y
}

// square scales a cost that grows as the square of the number of records.
func square(cost float64, k int) (float64, bool) { return cost * float64(k) * float64(k), true }
