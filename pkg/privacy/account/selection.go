package account

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// SelectionEvent is a number of choices of bounded range, one after the other, and then a Gaussian
// release; each may depend on all that came before. It costs what the worst adversary achieves, who
// chooses each mechanism by the outputs so far. The composition of the same choices as
// ExponentialEvents costs more: it grants the adversary the worst response for each epsilon of the
// curve at once.
//
// Let H_0(x) be the curve of the Gaussian: delta at epsilon = ln x. In general, h_0(a, b) = a
// H_0(b/a) is what is left to gain when the outputs so far have probability a in one world and b in
// the other. A choice (P, Q) before it turns this into the sum of h_0(a P(o), b Q(o)) over its
// outputs o. Its losses lie in [t - r, t] for some t in [0, r], where r = Epsilon. Split each
// output into two with the losses t and t - r and the same masses in both worlds: the sum does not
// fall, as h_0 is convex and homogeneous. So the response of two outputs with these losses is worst
// for its t (Dong, Durfee and Rogers 2020), and
//
//	H_1(x) = max over t of p H_0(x e^-t) + (1-p) H_0(x e^(r-t)),  p = (1 - e^(t-r))/(1 - e^-r).
//
// h_1 is convex and homogeneous as well. By induction, H_k is what k choices before the Gaussian
// are worth, exactly, and no pair with a lower curve dominates them. (The maximum may be at another
// t for each x and each step, so it is no composition of fixed pairs.)
//
// Pair computes on a grid of x, e^h apart, with chords between the points. H_0 is convex, so chords
// are above it; the maximum over t for chords has a closed form; and this maximum is convex in x
// again. So the result is an upper bound. Rounding errors are charged in each step.
type SelectionEvent struct {
	Epsilon float64 // bounded range of a choice
	Picks   int     // choices, in [1, 4096]
	Mu      float64 // of the Gaussian, >= 0
}

var _ LossEvent = SelectionEvent{}

func (e SelectionEvent) String() string {
	return fmt.Sprintf("%d choices of range %.4g, then a Gaussian of mu = %.4g", e.Picks, e.Epsilon, e.Mu)
}

// Validate returns an error unless all fields are in their ranges.
func (e SelectionEvent) Validate() error {
	switch {
	case !(e.Epsilon >= 1e-9 && e.Epsilon <= 100):
		return fmt.Errorf("privacy: SelectionEvent.Epsilon = %v, want in [1e-9, 100]", e.Epsilon)
	case e.Picks < 1 || e.Picks > MostPicks:
		return fmt.Errorf("privacy: SelectionEvent.Picks = %d, want in [1, %d]", e.Picks, MostPicks)
	case !(e.Mu >= 0 && e.Mu <= 100 && e.Mu <= 1e3*e.Epsilon):
		return fmt.Errorf("privacy: SelectionEvent.Mu = %v, want in [0, 100], and at most 1000 Epsilon = %v", e.Mu, 1e3*e.Epsilon)
	}
	return nil
}

// Pair returns the pair that dominates the event.
func (e SelectionEvent) Pair() (Pair, error) {
	if err := e.Validate(); err != nil {
		return Pair{}, err
	}
	x, err := loss.Selection(e.Epsilon, e.Picks, e.Mu, GaussianDelta)
	if err != nil {
		return Pair{}, fmt.Errorf("privacy: %v: %w", e, err)
	}
	return x.With(func(k int) (Pair, error) {
		return SelectionEvent{float64(k) * e.Epsilon, e.Picks, float64(k) * e.Mu}.Pair()
	}), nil
}

// MostPicks is the largest number of choices of a SelectionEvent.
const MostPicks = 1 << 12
