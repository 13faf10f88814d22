// Package far finds neighbours that are far apart.
package far

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Rows returns two rows v, w within the bounds whose outer products are far apart, with |v| =
// Setup.Bound.
//
// If the bounds allow it, v and w are orthogonal and both of that length: the largest distance,
// sqrt(2) Bound^2 in the Frobenius norm. Otherwise the distance is the largest to within a percent.
func Rows(s privacy.Setup) (v, w []float64) {
	v, w = make([]float64, s.Dim), make([]float64, s.Dim)
	context := s.Context
	if context == 0 {
		context = s.Bound
	}
	last := s.Dim - 1
	// This is the part of the bound that is left to the last entry.
	y := math.Sqrt(max(0, float64(s.Bound*s.Bound)-float64(context*context)))
	v[0], v[last] = context, y
	switch {
	case y == 0 && last > 1: // both are contexts
		w[1] = context
	case y == 0:
		w[last] = s.Bound
	case y <= context && last > 1: // turn the context until the products cancel: context^2 cos = y^2
		cos := y * y / (context * context)
		w[0], w[1], w[last] = context*cos, context*math.Sqrt(max(0, 1-float64(cos*cos))), -y
	case y <= context: // there is one context only: a shorter one
		w[0], w[last] = y, -context
	default: // contexts too short: nearest to a right angle at full length, or a right angle at less
		w[0], w[last] = context, -y
		// The squared distances are in units of Bound^4.
		if r := context * context / (y * y); 1+float64(r*r) > 8*r/((1+r)*(1+r)) {
			w[last] = -r * y
		}
	}
	return v, w
}
