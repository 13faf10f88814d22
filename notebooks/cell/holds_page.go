//go:build page

package cell

import "fmt"

func broken(text string) { fmt.Println(text) }
