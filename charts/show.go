//go:build !page

package charts

import (
	"fmt"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
)

// Show displays items below a notebook's cell, or prints them as text in a terminal. An error ends
// the program with a message and status 1. So a cell needs no error handling, and a notebook with a
// broken figure fails.
func Show(items ...Item) {
	for _, it := range items {
		if err := show(it); err != nil {
			fmt.Fprintln(os.Stderr, err)
			gonbui.Sync()
			os.Exit(1)
		}
	}
	gonbui.Sync()
}

func show(it Item) error {
	if !gonbui.IsNotebook {
		if c, ok := it.(interface{ check() error }); ok {
			if err := c.check(); err != nil {
				return err
			}
		}
		fmt.Println(it.Text())
		return nil
	}
	chunk, err := it.HTML()
	if err != nil {
		return err
	}
	gonbui.DisplayHTML(chunk)
	return gonbui.Error()
}
