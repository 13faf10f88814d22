// Package exercise checks the exercises of a notebook.
//
// A [Set] has a notebook's exercises by name. A cell hands a function to Check, which prints
// whether it is right, or where it is not. It gives no hint: that is folded below the cell. The
// check of a new exercise is made by Like, or of Of and Near:
//
//	exercise.Set{"half": exercise.Of(func(f func(float64) float64) error {
//		return exercise.Near("half of 3", f(3), 1.5, 1e-9)
//	})}
package exercise

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/check"
)

// Set holds exercises by name. Each is a check of a reader's answer, a function.
type Set map[string]func(answer any) error

// width is the longest line that Check prints, in bytes.
const width = 95

// Check checks a reader's answer, a function, and prints whether it is right, or where it is not.
// If the environment variable DPBANDITS_MARKS is set, it prints the latter to the standard error:
// nbgrader gives no marks to a cell that does.
func (s Set) Check(name string, answer any) {
	err := s.Answer(name, answer)
	if err == nil {
		fmt.Printf("%s: right\n", name)
		return
	}
	out := os.Stdout
	if os.Getenv("DPBANDITS_MARKS") != "" {
		out = os.Stderr
	}
	line := ""
	for _, word := range strings.Fields(fmt.Sprintf("%s: not yet: %v", name, err)) {
		if line != "" && len(line)+1+len(word) > width {
			fmt.Fprintln(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(out, line)
}

// Answer returns nil if the answer to an exercise is right, or an error that says where it is not.
func (s Set) Answer(name string, answer any) error {
	task, ok := s[name]
	if !ok {
		return fmt.Errorf("no exercise of that name")
	}
	return task(answer)
}

// Of makes a check of a function into one of any answer, which fails if the types differ. It may
// end by package check.
func Of[F any](right func(F) error) func(any) error {
	return func(answer any) (err error) {
		defer check.Catch(&err)
		f, ok := answer.(F)
		check.That(ok, "the answer is a %T, want a %T", answer, f)
		return right(f)
	}
}

// Near returns an error unless two numbers agree to a relative tolerance.
func Near(what string, got, want, tolerance float64) error {
	if !(math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-300)) {
		return fmt.Errorf("%s is %.4g, and you have %.4g", what, want, got)
	}
	return nil
}
