package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// slotNoise calibrates the noise of a tally, of which one record moves a number of released sums, its slots, by the range of a weight each. Laplace noise for
// delta = 0, Gaussian noise otherwise.
type slotNoise struct {
	budget   privacy.Budget
	gaussian bool
	mu       float64
}

func newSlotNoise(b privacy.Budget) (slotNoise, error) {
	if err := b.Validate(); err != nil {
		return slotNoise{}, err
	}
	n := slotNoise{budget: b, gaussian: b.Delta > 0}
	var err error
	if n.gaussian {
		n.mu, err = privacy.GaussianMu(b)
	}
	return n, err
}

// scale returns the noise on a sum: slots side/epsilon, or sqrt(slots) side/mu.
func (n slotNoise) scale(slots int, side float64) (float64, error) {
	ratio, name := float64(slots)/n.budget.Epsilon, "Laplace noise of scale"
	if n.gaussian {
		ratio, name = math.Sqrt(float64(slots))/n.mu, "Gaussian noise of standard deviation"
	}
	scale := ratio * side
	if math.IsInf(ratio*ratio, 0) || math.IsInf(scale, 0) || scale == 0 && !n.budget.None() {
		return 0, fmt.Errorf("mechanism: %s %v for %v, %d sums and a range of %v, want finite and > 0, and its square in units of the range finite", name, scale, n.budget, slots, side)
	}
	return scale, nil
}

// each returns the event of one of a number of slots.
func (n slotNoise) each(slots int) privacy.Event {
	if n.gaussian {
		return privacy.GaussianEvent{Mu: n.mu / math.Sqrt(float64(slots))}
	}
	return privacy.LaplaceEvent{Epsilon: n.budget.Epsilon / float64(slots)}
}

// event returns that of a record in as many releases as the noise is for.
func (n slotNoise) event(slots int) privacy.Event { return n.published(slots, slots) }

// published returns the event of a record that is in more releases than the noise is for.
func (n slotNoise) published(slots, releases int) privacy.Event {
	switch {
	case n.gaussian && slots == releases:
		return privacy.GaussianEvent{Mu: n.mu}
	case n.gaussian:
		return privacy.GaussianEvent{Mu: n.mu * math.Sqrt(float64(releases)/float64(slots))}
	}
	return times(n.each(slots), releases)
}

// worth returns the epsilon of that.
func (n slotNoise) worth(slots, releases int) float64 {
	if n.gaussian {
		return privacy.GaussianEpsilon(n.budget.Delta, n.mu*math.Sqrt(float64(releases)/float64(slots)))
	}
	return n.budget.Epsilon * float64(releases) / float64(slots)
}

// tailOf bounds the sum of independent noises, given the scale or the standard deviation of each.
//
// A Gaussian sum of variance v has P(Z > sqrt(2 v l)) <= exp(-l). For Laplace noises of scales a = a_0 >= a_1, a_2, ... the Linear part is a, which no
// bound for all l can go below, and the Root part is the lesser of two:
//
// (1) ln E exp(t Z) = -sum ln(1 - a_j^2 t^2) <= V t^2/(1 - a t) for V = sum a_j^2 and 0 <= t < 1/a, as -ln(1 - x^2) <= x^2/(1 - x) term by term of the series, with
// a_j t <= a t: Z is sub-gamma with variance factor 2 V and scale a, and so P(Z > 2 sqrt(V l) + a l) <= exp(-l) (Boucheron, Lugosi, Massart 2013, Section 2.4).
//
// (2) Write Z = Z_0 + R. The tail of Z_0 is at most exp(-u/a)/2, and so it is for u < 0, where 1 - exp(u/a)/2 <= exp(-u/a)/2 says that a square is not
// negative. Hence P(Z > z) <= E exp(-(z - R)/a)/2 = C exp(-z/a) with C = 1/2 prod_{j>0} 1/(1 - (a_j/a)^2), or P(Z > a l + a ln C) <= exp(-l). By symmetry
// nothing is to be shown for l <= ln 2, and for the others a ln C <= a ln(C) sqrt(l/ln 2), if C > 1; if not, Root is 0, as it is for one noise alone.
func tailOf(gaussian bool, scales []float64) privacy.Tail {
	var most float64
	largest := 0
	for i, a := range scales {
		if a > most {
			most, largest = a, i
		}
	}
	if most == 0 {
		return privacy.Tail{}
	}
	squares, constant := 0.0, 0.5
	for i, a := range scales {
		square := (a / most) * (a / most)
		squares += square
		if i != largest {
			constant /= 1 - square
		}
	}
	if gaussian {
		return privacy.Tail{Root: most * math.Sqrt(2*squares)}
	}
	return privacy.Tail{Root: most * min(2*math.Sqrt(squares), max(0, math.Log(constant))/math.Sqrt(math.Ln2)), Linear: most}
}
