// Package draw has laws that environments draw from: numbers of successes, and heights on a sphere.
package draw

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// Successes draws the number of successes in so many trials of probability p, in [0, 1].
//
// It is for laws that change from draw to draw; [random.Binomial] is faster for one law. The law is
// the binomial one up to the rounding of its uniform and gamma variables, at any number of trials.
// A Beta variable is drawn that is the middle one of the trials' uniform numbers in increasing
// order (Ahrens and Dieter 1974): p lies below or above it, and so half of the trials are decided
// at a time. Up to 32 trials are drawn one by one. A draw takes four words of r, and none if p is 0
// or 1 or there are no trials.
func Successes(r *rand.Rand, trials int, p float64) int {
	switch {
	case trials < 0 || !(p >= 0 && p <= 1):
		panic("draw: Successes: a negative number of trials, or a probability outside [0, 1]")
	case trials == 0 || p == 0:
		return 0
	case p == 1:
		return trials
	}
	var g random.Normals
	g.Seed(r)
	won := 0
	for trials > 32 {
		below := trials / 2 // numbers below the middle one
		a, b := g.ChiSquared(float64(2*(below+1))), g.ChiSquared(float64(2*(trials-below)))
		if middle := a / (a + b); middle <= p {
			won += below + 1
			trials -= below + 1
			p = min(max((p-middle)/(1-middle), 0), 1)
		} else {
			trials = below
			p = min(p/middle, 1)
		}
	}
	for range trials {
		if g.Uniform() < p {
			won++
		}
	}
	return won
}
