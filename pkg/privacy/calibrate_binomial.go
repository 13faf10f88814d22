package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// noBinomial reports that no noise of at most 1e15 trials will do.
func noBinomial(e account.BinomialEvent, b Budget) error {
	return fmt.Errorf("privacy: no binomial noise that can be accounted for, and of up to 1e15 trials at P = %v, has a change of norm %.4g within %v", e.P, e.Norm, b)
}

// CalibrateBinomial returns the event with the fewest Trials that is within a budget. Trials is a
// multiple of step >= 1, and Tail the best of those of TightestTail; the values in e are ignored.
// Epsilon = +Inf gives Trials = 0.
func (b Budget) CalibrateBinomial(e account.BinomialEvent, step int64) (account.BinomialEvent, error) {
	if err := b.Approximate(); err != nil {
		return e, err
	}
	if step < 1 || step > 1e15 {
		return e, fmt.Errorf("privacy: CalibrateBinomial in steps of %d, want in [1, 1e15]", step)
	}
	if b.Delta < 1e-50 && !b.None() { // the share would be below the tails of the tables
		return e, fmt.Errorf("privacy: CalibrateBinomial for delta = %v, want >= 1e-50", b.Delta)
	}
	e.Trials, e.Tail = 0, 1e-3*b.Delta
	if b.None() {
		e.Tail = 0.5 // any value will do
	}
	if err := e.Validate(); err != nil || b.None() {
		return e, err
	}
	best := e
	for _, share := range loss.Tails {
		e.Tail = float64(share * b.Delta)
		mu, err := Budget{b.Epsilon, (b.Delta - e.Tail) / (1 - e.Tail)}.GaussianMu()
		if err != nil {
			return e, err
		}
		mu *= 1 - 1e-4 // room for the PLD accountant's errors
		at := func(steps int64) float64 {
			if e.Trials = steps * step; e.Validate() != nil { // too much noise
				return 0
			}
			return e.Gaussian()
		}
		least := math.Max(1, e.Norm*e.Norm/(mu*mu*e.P*(1-e.P))) / float64(step)
		most := int64(1e15) / step // more trials are refused
		if !(least < float64(most)) {
			return e, noBinomial(e, b)
		}
		low, high := int64(0), int64(math.Ceil(least)) // low is too little noise, high is enough
		m := at(high)
		for ; m > mu; m = at(high) {
			if low, high = high, 2*high; high > most {
				return e, noBinomial(e, b)
			}
		}
		// mu falls nearly as 1/sqrt(trials), which predicts where to look next: close to that point, on
		// the other side.
		const near = 0x1p-15
		for now := high; high-low > max(1, high>>14); {
			guess := float64(now) * (m / mu) * (m / mu)
			if now == high {
				guess *= 1 - near
			} else {
				guess *= 1 + near
			}
			if now = low + (high-low)/2; guess > float64(low) && guess < float64(high) {
				now = min(max(int64(math.Round(guess)), low+1), high-1)
			}
			if m = at(now); m <= mu {
				high = now
			} else {
				low = now
			}
		}
		if best.Trials == 0 || high*step < best.Trials {
			best.Trials, best.Tail = high*step, e.Tail
		}
	}
	if err := best.Validate(); err != nil {
		return best, err
	}
	return best, nil
}
