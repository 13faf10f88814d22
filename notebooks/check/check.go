// Package check lets a check end at the first thing that is wrong.
//
// The check of a claim or of an exercise asks many questions, and each may fail. With [That] and
// [Try] each is a line. Whoever runs the check turns the end into an error:
//
//	func run(check func()) (err error) {
//		defer check.Catch(&err)
//		check()
//		return nil
//	}
package check

import "fmt"

// failure is what That and Try end a check with.
type failure struct{ error }

// That ends the check unless a condition holds. The error is formatted as by fmt.Errorf.
func That(holds bool, format string, args ...any) {
	if !holds {
		panic(failure{fmt.Errorf(format, args...)})
	}
}

// OK ends the check with an error that is not nil.
func OK(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Try returns a value. It ends the check with an error beside it that is not nil.
func Try[V any](v V, err error) V {
	OK(err)
	return v
}

// Catch, deferred, sets an error to that which ended a check. Other panics go on.
func Catch(err *error) {
	switch end := recover().(type) {
	case nil:
	case failure:
		*err = end.error
	default:
		panic(end)
	}
}
