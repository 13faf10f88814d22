package lab

import (
	"cmp"
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// Claim is a statement that a notebook makes and a cell checks. Assert is called with its Name, or
// with the Statement if it has none. The Check returns the evidence, or an error if the statement
// does not hold.
type Claim = struct {
	Name, Statement string
	Check           func(Scale) (evidence string, err error)
}

// Claims lists the claims of a notebook.
type Claims []Claim

// Check checks the claim of that name at a scale.
func (list Claims) Check(name string, s Scale) (statement, evidence string, err error) {
	for _, c := range list {
		if cmp.Or(c.Name, c.Statement) == name {
			evidence, err = guarded(c.Check, s)
			if err != nil {
				err = fmt.Errorf("this does not hold: %s: %w", c.Statement, err)
			}
			return c.Statement, evidence, err
		}
	}
	return "", "", fmt.Errorf("lab: no claim %q", name)
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

// failure is an error that ends a check.
type failure struct{ err error }

// Need ends the check of a claim with an error, unless it is nil. It must be called in the
// goroutine of the check.
func Need(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns a value. If there is an error beside it, it ends the check of a claim as Need does.
func Get[V any](v V, err error) V {
	Need(err)
	return v
}

// Holds returns the evidence if a statement holds, and an error that has it if not.
func Holds(holds bool, format string, args ...any) (evidence string, err error) {
	if evidence = fmt.Sprintf(format, args...); !holds {
		return "", fmt.Errorf("it is: %s", evidence)
	}
	return evidence, nil
}

// guarded runs a check, and returns the error that ended it.
func guarded(check func(Scale) (string, error), s Scale) (evidence string, err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.err
		default:
			panic(f)
		}
	}()
	return check(s)
}
