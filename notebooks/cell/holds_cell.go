//go:build !page

package cell

import "log"

func broken(text string) { log.Fatal(text) }
