// Package describe writes down what a value's numbers depend on.
//
//   - [Value]: a line for each field, and the [Code] that the fields leave open
//   - [Difference]: of two descriptions
package describe

import (
	"cmp"
	"maps"
)

// Code says what a description leaves to code.
type Code struct {
	Packages map[string]bool // of the types and functions
	// Open names what neither the description nor the toolkit's code decides, and why: a closure, a
	// type of the program's own, a value that says so of itself. It is empty if there is none.
	Open string
}

// Join is what several descriptions leave to code.
func Join(codes []Code) Code {
	whole := Code{Packages: make(map[string]bool)}
	for _, c := range codes {
		maps.Copy(whole.Packages, c.Packages)
		whole.Open = cmp.Or(whole.Open, c.Open)
	}
	return whole
}
