package detect

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Claims holds the points that a subject claims, all at once.
type Claims struct {
	Points []privacy.Budget // the claim's own point comes first
	Grow   []float64        // e^epsilon
}

// NewClaims returns the claims of a point and of a curve.
func NewClaims(claim privacy.Budget, curve []privacy.Budget) Claims {
	c := Claims{Points: append([]privacy.Budget{claim}, curve...)}
	for _, p := range c.Points {
		c.Grow = append(c.Grow, portable.Exp(p.Epsilon))
	}
	return c
}

// Contradicts returns the point that rates contradict most clearly. p is a lower bound and q an
// upper bound on the rates of an event in the two worlds. mid and low are estimates of the rates in
// n runs, which weigh the points against each other. significance is the margin in standard errors,
// above 0 if the point is contradicted.
func (c Claims) Contradicts(p, q, mid, low, n float64) (at int, significance float64) {
	significance = math.Inf(-1)
	own, other := float64(mid*(1-mid))+1/n, float64(low*(1-low))+1/n
	for i, b := range c.Points {
		grow := c.Grow[i]
		margin := p - float64(grow*q) - b.Delta
		if s := margin / math.Sqrt((own+float64(grow*grow*other))/n); s > significance {
			at, significance = i, s
		}
	}
	return at, significance
}
