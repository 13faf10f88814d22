package page_test

import (
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/notebooks/page"
)

func Example() {
	// What the page runs when its reader has set epsilon to 0.5 below the cell "race".
	os.Args = []string{"page", "race", "epsilon=0.5"}
	epsilon, rounds := 1.0, 1000
	page.Run(map[string]func(){"race": func() {
		epsilon = page.Value("epsilon", epsilon)
		rounds = page.Value("rounds", rounds)
		fmt.Println(epsilon, rounds)
	}})
	// Output: 0.5 1000
}
