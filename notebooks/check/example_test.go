package check_test

import (
	"fmt"
	"strconv"

	"github.com/dpbandits/dpbandits/notebooks/check"
)

// even checks that a text is an even number.
func even(text string) (err error) {
	defer check.Catch(&err)
	n := check.Try(strconv.Atoi(text))
	check.That(n%2 == 0, "%d is odd", n)
	return nil
}

func Example() {
	fmt.Println(even("2"))
	fmt.Println(even("3"))
	fmt.Println(even("4 "))
	// Output:
	// <nil>
	// 3 is odd
	// strconv.Atoi: parsing "4 ": invalid syntax
}
