package notebooktest_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

func ExampleParse() {
	cells, err := notebooktest.Parse([]byte(`{"cells": [
		{"id": "title", "cell_type": "markdown", "source": ["# One sum"]},
		{"id": "sum", "cell_type": "code", "source": ["%%\n", "fmt.Println(1 + 1)"]}
	]}`))
	fmt.Println(len(cells), cells[1].ID, cells[1].Code, err)
	// Output: 2 sum true <nil>
}
