package account

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// question is what the PLD accountant was asked.
type question struct {
	accountant     PLD
	event          string // see spell
	epsilon, delta float64
	ofDelta, both  bool
}

// answers holds the bounds that the PLD accountant has computed. An experiment asks for the same
// claim again and again, and the accountant takes up to a second.
var answers numeric.Memory[question, [2]float64]

// mostSpelled limits the length of an event that is spelled.
const mostSpelled = 1 << 12

// recall returns the bounds that answer a question, and computes them if it is new or has no event.
func (q question) recall(compute func() (lo, hi float64, err error)) (lo, hi float64, err error) {
	if q.event == "" {
		return compute()
	}
	bounds, err := answers.Recall(q, func() ([2]float64, error) {
		lo, hi, err := compute()
		return [2]float64{lo, hi}, err
	})
	return bounds[0], bounds[1], err
}

// spell returns an event with all digits of its numbers, or nothing if it is too long or if it
// holds an event that is not of this package: what such an event costs may change.
func spell(e Event) string {
	if !settled(e) {
		return ""
	}
	s := fmt.Sprintf("%#v", e)
	if len(s) > mostSpelled {
		return ""
	}
	return s
}

// settled reports whether an event is made of this package's values alone.
func settled(e Event) bool {
	switch e := e.(type) {
	case nil:
		return false
	case Sequence:
		return !slices.ContainsFunc(e, unsettled)
	case Parallel:
		return !slices.ContainsFunc(e, unsettled)
	case Repeat:
		return settled(e.Event)
	case GroupEvent:
		return settled(e.Event)
	}
	t := reflect.TypeOf(e)
	return t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[question]().PkgPath()
}

func unsettled(e Event) bool { return !settled(e) }
