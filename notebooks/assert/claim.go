// Package assert checks what a notebook states.
//
// A notebook's claims are a list, and a cell calls [Claims.Assert] where it makes one. Package
// notebooktest sees each of them fail in code that is broken on purpose.
package assert

import (
	"cmp"
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
)

// Claim is a statement that a notebook makes and a cell checks. Assert is called with its Name, or
// with the Statement if it has none. The Check returns the evidence, or an error if the statement
// does not hold; it may end by package check.
type Claim = struct {
	Name, Statement string
	Check           func(cell.Scale) (evidence string, err error)
}

// Claims lists the claims of a notebook.
type Claims []Claim

// Check checks the claim of that name at a scale.
func (list Claims) Check(name string, s cell.Scale) (statement, evidence string, err error) {
	for _, c := range list {
		if cmp.Or(c.Name, c.Statement) == name {
			if evidence, err = attempt(c, s); err != nil {
				err = fmt.Errorf("this does not hold: %s: %w", c.Statement, err)
			}
			return c.Statement, evidence, err
		}
	}
	return "", "", fmt.Errorf("assert: no claim %q", name)
}

func attempt(c Claim, s cell.Scale) (evidence string, err error) {
	defer check.Catch(&err)
	return c.Check(s)
}

// Assert checks a claim at the scale of the run and prints the evidence. A claim that does not hold
// fails the cell.
func (list Claims) Assert(name string) {
	statement, evidence, err := list.Check(name, cell.MustScale())
	cell.Must(err)
	fmt.Printf("holds: %s\n       %s\n", statement, evidence)
}

// Names returns what Assert is called with.
func (list Claims) Names() (names []string) {
	for _, c := range list {
		names = append(names, cmp.Or(c.Name, c.Statement))
	}
	return names
}

// Holds returns the evidence if a statement holds, and an error that has it if not.
func Holds(holds bool, format string, args ...any) (evidence string, err error) {
	if evidence = fmt.Sprintf(format, args...); !holds {
		return "", fmt.Errorf("it is: %s", evidence)
	}
	return evidence, nil
}
