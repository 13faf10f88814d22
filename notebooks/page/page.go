// Package page runs the cells of a notebook in the program that its page holds. The program is
// generated: charts/pages says how.
package page

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Value returns what the reader has set the control of this name to, or the notebook's own value.
func Value[V ~int | ~uint64 | ~float64](name string, own V) V {
	if len(os.Args) < 2 {
		return own
	}
	for _, arg := range os.Args[2:] {
		key, text, _ := strings.Cut(arg, "=")
		if key != name {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if v := V(x); err == nil && float64(v) == x {
			return v
		}
		fmt.Fprintf(os.Stderr, "page: %s = %s, want a value of type %T\n", name, text, own)
		os.Exit(1)
	}
	return own
}

// Run runs the cell that the first argument names. The others are name=value, one for each control.
func Run(cells map[string]func()) {
	if len(os.Args) < 2 || cells[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "page: arguments %q name no cell\n", os.Args[1:])
		os.Exit(1)
	}
	cells[os.Args[1]]()
}
