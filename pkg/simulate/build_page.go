//go:build page

package simulate

import "errors"

// buildOf returns "": the program of a page is not told what it was built from.
func (e *Experiment) buildOf(code) string { return "" }

// Build returns "", for the same reason.
func Build() string { return "" }

// keepable returns an error.
func (p *Prepared) keepable() error { return errors.New("a page keeps no trials") }

// describe returns nothing: what is not kept need not be told apart.
func describe(any) ([]string, code) { return nil, code{} }

// difference returns "", as descriptions are empty.
func difference([]string, []string) string { return "" }
