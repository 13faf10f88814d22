//go:build page

package simulate

import "errors"

// buildOf returns "": the program of a page is not told what it was built from.
func (e *Experiment) buildOf(code) string { return "" }

// keepable returns an error.
func (p *Prepared) keepable() error { return errors.New("a page keeps no trials") }
