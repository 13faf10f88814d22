//go:build page

package simulate

import (
	"errors"

	"github.com/dpbandits/dpbandits/pkg/internal/describe"
)

// buildOf returns "": the program of a page is not told what it was built from.
func (e *Experiment) buildOf(describe.Code) string { return "" }

// Build returns "", for the same reason.
func Build() string { return "" }

// keepable returns an error.
func (p *Prepared) keepable() error { return errors.New("a page keeps no trials") }
