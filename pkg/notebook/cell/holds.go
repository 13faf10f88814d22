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
