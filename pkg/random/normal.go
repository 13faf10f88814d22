package random

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/ziggurat"
)

// Normal draws a standard normal variable: the number that r.NormFloat64 returns, but the same on
// every machine. The one of math/rand compares exponentials whose last digits may differ between
// machines.
func Normal(r *rand.Rand) float64 { return ziggurat.Normal(r) }
