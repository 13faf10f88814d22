// Package degrees says how many degrees of freedom Wishart noise needs.
package degrees

import (
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Wishart returns 28 ln(4/delta0)/eps0^2, the degrees of freedom beyond p that a node needs.
func Wishart(node privacy.Budget) float64 {
	return 28 * portable.Log(4/node.Delta) / (node.Epsilon * node.Epsilon)
}
