package privacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrDisagree is wrapped by the error for claims that cannot be composed because they promise different things.
var ErrDisagree = errors.New("claims disagree")

// Compose returns the claim of several mechanisms that see the same records: each may be chosen by what the ones before it released.
// It is an error if their trust models or their neighbouring relations differ, as no sentence about both would be true. The composed claim is for
// the sum of the deltas, and its epsilon is by the tightest accountant that can treat all events.
func Compose(claims ...Claim) (Claim, error) {
	if len(claims) == 0 {
		return Claim{}, fmt.Errorf("privacy: no claims to compose")
	}
	first := claims[0]
	if err := first.Neighbours.Validate(); err != nil {
		return Claim{}, fmt.Errorf("privacy: claim 0: %w", err)
	}
	sum := Claim{Model: first.Model, Neighbours: first.Neighbours, Calibration: first.Calibration}
	var events Sequence
	var sources []string
	for i, c := range claims {
		switch {
		case c.Model != first.Model:
			return Claim{}, fmt.Errorf("privacy: %w: claim 0 is in the %v model, claim %d in the %v model", ErrDisagree, first.Model, i, c.Model)
		case c.Neighbours != first.Neighbours:
			return Claim{}, fmt.Errorf("privacy: %w: claim 0 is for data sets that differ as %q, claim %d for %q", ErrDisagree, first.Neighbours, i, c.Neighbours)
		case c.Event == nil:
			return Claim{}, fmt.Errorf("privacy: claim %d has no event: an accountant needs one", i)
		}
		if c.Calibration != Sound {
			sum.Calibration = c.Calibration
		}
		sum.Nominal.Epsilon += c.Nominal.Epsilon
		sum.Nominal.Delta += c.Nominal.Delta
		events = append(events, c.Event)
		for _, condition := range c.Conditions {
			if !slices.Contains(sum.Conditions, condition) {
				sum.Conditions = append(sum.Conditions, condition)
			}
		}
		if !slices.Contains(sources, c.Source) {
			sources = append(sources, c.Source)
		}
	}
	if err := sum.Nominal.Validate(); err != nil {
		return Claim{}, fmt.Errorf("privacy: the sum of the budgets: %w", err)
	}
	sum.Event, sum.Source = events, strings.Join(sources, "; ")
	var err error
	sum.Epsilon, _, err = Tightest(events, sum.Nominal.Delta)
	return sum, err
}

// ForUsers returns the claim for a user who contributes to up to k >= 1 records, by group privacy. It is an error for a claim that is
// at the level of users already.
func (c Claim) ForUsers(k int) (Claim, error) {
	switch {
	case k < 1:
		return Claim{}, fmt.Errorf("privacy: a user with k = %d records, want k >= 1", k)
	case c.Neighbours.Contributions > 1:
		return Claim{}, fmt.Errorf("privacy: the claim is for users with up to %d records already", c.Neighbours.Contributions)
	case c.Event == nil:
		return Claim{}, fmt.Errorf("privacy: the claim has no event: an accountant needs one")
	}
	c.Neighbours.Contributions = k
	c.Event = GroupEvent{c.Event, k}
	c.Conditions = append(slices.Clone(c.Conditions), fmt.Sprintf("a user takes part in %d rounds at most", k))
	c.Conditions = slices.DeleteFunc(c.Conditions, func(s string) bool { return s == OneRound })
	var err error
	c.Epsilon, _, err = Tightest(c.Event, c.Nominal.Delta)
	return c, err
}
