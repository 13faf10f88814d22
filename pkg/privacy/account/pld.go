package account

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// PLD is the accountant of privacy loss distributions, which bounds epsilon and delta numerically
// with all numerical errors charged.
//
// For each event it takes a pair of distributions that dominates the event (Zhu, Dong, Wang 2022),
// and composes the losses of the pairs. Epsilon and Delta are upper bounds, never below the truth.
// EpsilonBounds and DeltaBounds add lower bounds, which show how far the upper ones may be off.
//
// The bounds bracket the composition of the dominating pairs, which is not always the mechanism.
// The pairs of ExponentialEvent, SparseVectorEvent and ShuffleEvent are themselves upper bounds. In
// a Parallel inside a composition an adversary may choose the branch by what it has seen: the upper
// bound composes the maximum of the branches' curves, the lower bound one branch.
//
// Discretisation is by connecting the dots, with an error of the order of Spacing^2 in each event
// (Doroshenko et al. 2022). Composition is by FFT of the laws of the loss, tilted to the epsilon in
// question, so that deltas of 1e-15 are as accurate as others. Equal events are composed first, on
// a grid of their own that contains the atoms of discrete laws, and then unequal ones.
type PLD struct {
	// Spacing is the largest spacing of the grid of the privacy loss. 0 chooses it for an error of
	// epsilon below 1e-4. Atoms that have a spacing of their own keep it.
	Spacing float64
}

var _ Accountant = PLD{}

func (PLD) String() string { return "privacy loss distribution" }

// Epsilon returns the upper bound of EpsilonBounds.
func (a PLD) Epsilon(e Event, delta float64) (float64, error) {
	_, hi, err := a.epsilon(e, delta, false)
	return hi, err
}

// Delta returns the upper bound of DeltaBounds.
func (a PLD) Delta(e Event, epsilon float64) (float64, error) {
	_, hi, err := a.delta(e, epsilon, false)
	return hi, err
}

// EpsilonBounds returns lower and upper bounds on the least epsilon >= 0 at which the event is
// (epsilon, delta)-private.
func (a PLD) EpsilonBounds(e Event, delta float64) (lo, hi float64, err error) {
	return a.epsilon(e, delta, true)
}

// DeltaBounds returns lower and upper bounds on the least delta at which the event is (epsilon,
// delta)-private. epsilon >= 0.
func (a PLD) DeltaBounds(e Event, epsilon float64) (lo, hi float64, err error) {
	return a.delta(e, epsilon, true)
}

func (a PLD) epsilon(e Event, delta float64, both bool) (lo, hi float64, err error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), math.NaN(), err
	}
	return question{a, spell(e), 0, delta, false, both}.recall(func() (lo, hi float64, err error) {
		return a.each(e, func(c loss.Composition) (lo, hi float64, err error) { return c.Epsilon(delta, a.Spacing, both) })
	})
}

func (a PLD) delta(e Event, epsilon float64, both bool) (lo, hi float64, err error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), math.NaN(), err
	}
	return question{a, spell(e), epsilon, 0, true, both}.recall(func() (lo, hi float64, err error) {
		return a.each(e, func(c loss.Composition) (lo, hi float64, err error) { return c.Delta(epsilon, a.Spacing, both) })
	})
}

// each returns the worst bounds over the alternatives of an event.
func (a PLD) each(e Event, of func(loss.Composition) (lo, hi float64, err error)) (lo, hi float64, err error) {
	nan := math.NaN()
	if !(a.Spacing >= 0) || math.IsInf(a.Spacing, 1) {
		return nan, nan, fmt.Errorf("privacy: PLD.Spacing = %v, want finite and >= 0", a.Spacing)
	}
	events, err := branches(e)
	if err != nil {
		return nan, nan, err
	}
	for _, e := range events {
		factors, err := factorise(e)
		if err != nil {
			return nan, nan, err
		}
		l, h, err := of(factors)
		if err != nil {
			return nan, nan, err
		}
		lo, hi = math.Max(lo, l), math.Max(hi, h)
	}
	return lo, hi, nil
}
