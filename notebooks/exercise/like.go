package exercise

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/check"
)

// Args are the arguments of a function.
type Args = []any

// Like makes a check out of a function that is right: for each list of arguments, the reader's
// function has to return the same numbers, to a relative tolerance, and to leave the arguments as
// they are. what is a format of the arguments that says which numbers these are.
func Like[F any](right F, tolerance float64, what string, lists []Args) func(any) error {
	return Of(func(f F) error {
		for _, args := range lists {
			text, before := fmt.Sprintf(what, args...), fmt.Sprint(args...)
			want, got := call(right, args), call(f, args)
			after := fmt.Sprint(args...)
			check.That(after == before, "%s: the arguments %s have become %s", text, before, after)
			if len(want) == 1 && len(got) == 1 {
				check.OK(Near(text, got[0], want[0], tolerance))
			}
			check.That(slices.EqualFunc(got, want, func(g, w float64) bool { return Near("", g, w, tolerance) == nil }),
				"%s is %.4g, and you have %.4g", text, want, got)
		}
		return nil
	})
}

// Grid returns all lists that have one of each argument's values.
func Grid(values ...Args) []Args {
	lists := []Args{nil}
	for _, of := range values {
		var longer []Args
		for _, list := range lists {
			for _, v := range of {
				longer = append(longer, append(list[:len(list):len(list)], v))
			}
		}
		lists = longer
	}
	return lists
}

// UpTo returns the values 1, ..., n of an argument.
func UpTo(n int) (values Args) {
	for i := range n {
		values = append(values, i+1)
	}
	return values
}

// call returns the numbers that a function returns, one by one or in slices.
func call(f any, args Args) (numbers []float64) {
	function := reflect.ValueOf(f)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a).Convert(function.Type().In(i))
	}
	number := reflect.TypeFor[float64]()
	for _, out := range function.Call(in) {
		if out.Kind() != reflect.Slice {
			numbers = append(numbers, out.Convert(number).Float())
			continue
		}
		for _, v := range out.Seq2() {
			numbers = append(numbers, v.Convert(number).Float())
		}
	}
	return numbers
}
