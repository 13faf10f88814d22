package exercise

import (
	"fmt"
	"reflect"
)

// Args are the arguments of a function.
type Args = []any

// Like makes a check out of a function that is right: for each list of arguments, the reader's
// function has to return the same number, to a relative tolerance. what is a format of the
// arguments that says which number it is.
func Like[F any](right F, tolerance float64, what string, lists []Args) func(any) error {
	return Of(func(f F) error {
		for _, args := range lists {
			if err := Near(fmt.Sprintf(what, args...), call(f, args), call(right, args), tolerance); err != nil {
				return err
			}
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

// call returns what a function returns, a number.
func call(f any, args Args) float64 {
	function := reflect.ValueOf(f)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.ValueOf(a).Convert(function.Type().In(i))
	}
	return function.Call(in)[0].Convert(reflect.TypeFor[float64]()).Float()
}
