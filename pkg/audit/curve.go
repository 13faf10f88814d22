package audit

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// CurveOf returns points (epsilon, delta) of the privacy curve of an event, by the tightest
// accountant at each. They reach from epsilon = 0, where delta bounds the total variation distance,
// to where delta falls no further. Note that Budget.Validate refuses epsilon = 0.
//
// A claim that rests on an event promises the whole curve. Testing all of it takes fewer runs than
// testing a single point, above all if that point's delta is small.
func CurveOf(e account.Event) ([]privacy.Budget, error) {
	if e == nil {
		return nil, fmt.Errorf("audit: the event is nil, want one to account")
	}
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("audit: the event %v: %w", e, err)
	}
	const points, negligible = 40, 1e-12
	delta := func(epsilon float64) (float64, error) {
		least, refusal := math.Inf(1), error(nil)
		for _, a := range accountantsOf(e) {
			d, err := a.Delta(e, epsilon)
			if err != nil {
				refusal = err
				continue
			}
			least = min(least, d)
		}
		if math.IsInf(least, 1) || math.IsNaN(least) {
			return 0, fmt.Errorf("audit: the event %v: %w", e, refusal)
		}
		return max(0, least), nil
	}
	// Delta falls to 0, or to the probability that all is shown. The curve is followed that far.
	last := 512.0
	floor, err := delta(last)
	if err != nil {
		return nil, err
	}
	for range 60 {
		if d, err := delta(last / 2); err != nil {
			return nil, err
		} else if d > float64(floor*(1+1e-6))+negligible {
			break
		}
		last /= 2
	}
	var curve []privacy.Budget
	for i := range points + 1 {
		epsilon := last * float64(i) / points
		d, err := delta(epsilon)
		if err != nil {
			return nil, err
		}
		if d < 1 {
			curve = append(curve, privacy.Budget{Epsilon: epsilon, Delta: d})
		}
	}
	return curve, nil
}

// Claimed returns the point and the curve of a claim for an audit to test. The point is what is
// proved, or what was asked for if nothing is proved because delta exceeds any difference. The
// curve is that of the claim's event, if an accountant treats it.
func Claimed(c privacy.Claim) (privacy.Budget, []privacy.Budget) {
	b := c.Proved()
	if b.Epsilon == 0 {
		b = c.Asked()
	}
	if b.None() {
		return b, nil
	}
	curve, err := CurveOf(c.Event())
	if err != nil {
		curve = nil
	}
	return b, curve
}

// accountantsOf returns the accountants worth asking: for a Gaussian event, the exact one only.
func accountantsOf(e account.Event) []account.Accountant {
	if _, err := (account.GDP{}).Mu(e); err == nil {
		return []account.Accountant{account.GDP{}}
	}
	return account.Accountants()
}
