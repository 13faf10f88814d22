package cell

import "fmt"

// Holds prints that a statement holds, with its evidence, or fails the cell. On a page, where a
// reader chooses the numbers, it prints that the statement does not hold for them.
func Holds(ok bool, statement string, evidence ...any) {
	text := fmt.Sprintf(statement, evidence...)
	if !ok {
		broken("this does not hold: " + text)
		return
	}
	fmt.Println("holds: " + text)
}

// HoldsAt is Holds at settings of which a notebook states something. At others it prints what was
// measured, and checks nothing.
func HoldsAt(stated, ok bool, statement string, evidence ...any) {
	if stated {
		Holds(ok, statement, evidence...)
		return
	}
	fmt.Println("measured, not checked at these settings: " + fmt.Sprintf(statement, evidence...))
}
