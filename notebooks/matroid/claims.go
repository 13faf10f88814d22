package matroid

import (
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/lab"
)

// Claims lists the claims of notebook 02.
var Claims lab.Claims = slices.Concat(returnsClaims, equalClaims)

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }
