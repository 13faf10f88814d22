package account

import (
	"errors"
	"math"
	"testing"
)

// TestGroupsOfEvents: in a composition each part has a pair of its own for k records, exactly where
// one is known; and no group costs more than by its rho or its epsilon.
func TestGroupsOfEvents(t *testing.T) {
	for _, c := range []struct {
		of, is Event
	}{
		{GaussianEvent{0.2}, GaussianEvent{0.6}},
		{LaplaceEvent{0.3}, LaplaceEvent{0.9}},
		{Repeat{LaplaceEvent{0.3}, 50}, Repeat{LaplaceEvent{0.9}, 50}},
		{Sequence{GaussianEvent{0.4}, Repeat{LaplaceEvent{0.1}, 9}}, Sequence{GaussianEvent{1.2}, Repeat{LaplaceEvent{0.3}, 9}}},
		{DiscreteLaplaceEvent{2, 3}, DiscreteLaplaceEvent{6, 3}},
		{Repeat{DiscreteGaussianEvent{1, 1, 2}, 10}, Repeat{DiscreteGaussianEvent{1, 3, 2}, 10}},
		{Repeat{ExponentialEvent{0.1}, 20}, Repeat{ExponentialEvent{0.3}, 20}},
		{BinomialEvent{4000, 0.5, 2, 1, 1.2, 1e-8}, BinomialEvent{4000, 0.5, 2, 3, 3.6, 1e-8}},
		{Sequence{GroupEvent{LaplaceEvent{0.1}, 3}, LaplaceEvent{0.3}}, Sequence{LaplaceEvent{0.9}, LaplaceEvent{0.9}}},
		{Parallel{GaussianEvent{0.2}, GaussianEvent{0.1}}, GaussianEvent{0.6}},
		{Sequence{LaplaceEvent{0.1}, Parallel{GaussianEvent{0.2}, GaussianEvent{0.1}}}, Sequence{LaplaceEvent{0.3}, GaussianEvent{0.6}}},
	} {
		got, err := PLD{}.Epsilon(GroupEvent{c.of, 3}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		want, err := PLD{}.Epsilon(c.is, 1e-5)
		if err != nil || !(math.Abs(got-want) <= 1e-4*want) {
			t.Errorf("3 records in %v: epsilon = %v, want %v of %v, %v", c.of, got, want, c.is, err)
		}
		best, by, err := Tightest(GroupEvent{c.of, 3}, 1e-5)
		if err != nil || best > got {
			t.Errorf("3 records in %v: %v by %v, %v", c.of, best, by, err)
		}
	}
	for _, e := range []Event{
		ResponseEvent{1, 5}, Repeat{ResponseEvent{0.4, 2}, 30}, SparseVectorEvent{0.2, 10}, ShuffleEvent{1, 1000},
		ApproximateEvent{0.3, 1e-9}, Repeat{pure{0.2}, 12},
	} {
		group := GroupEvent{e, 4}
		got, by, err := Tightest(group, 1e-6)
		if err != nil {
			t.Fatalf("%v: %v", group, err)
		}
		for _, a := range []Accountant{Pure{}, Concentrated{}} {
			if most, err := a.Epsilon(group, 1e-6); err == nil && got > most {
				t.Errorf("%v: epsilon = %v by %v, want at most %v by %v", group, got, by, most, a)
			}
		}
		if least, _, err := Tightest(e, 1e-6); err != nil || got < least {
			t.Errorf("%v: epsilon = %v, below %v of one record, %v", group, got, least, err)
		}
	}
}

// TestGroupsBoundMessages: of two records, each in a message of its own, the loss is that of two
// messages. As a group it is an upper bound, and so it is where the messages differ.
func TestGroupsBoundMessages(t *testing.T) {
	weak, strong := ResponseEvent{0.5, 3}, LaplaceEvent{0.8}
	for _, c := range []struct {
		group GroupEvent
		shown Event
	}{
		{GroupEvent{weak, 2}, Repeat{weak, 2}},
		{GroupEvent{Parallel{weak, strong}, 2}, Sequence{weak, strong}},
		{GroupEvent{Parallel{weak, strong}, 2}, Repeat{strong, 2}},
		{GroupEvent{Sequence{strong, Parallel{weak, strong}}, 2}, Repeat{strong, 4}},
	} {
		for _, delta := range []float64{0, 1e-6, 1e-2} {
			got, by, err := Tightest(c.group, delta)
			if err != nil {
				t.Fatal(err)
			}
			if shown, err := (PLD{}).Epsilon(c.shown, delta); err != nil || got < shown*(1-1e-9) {
				t.Errorf("%v: epsilon = %v by %v, below %v of %v, %v", c.group, got, by, shown, c.shown, err)
			}
		}
	}
	for _, e := range []Event{Parallel{weak, strong}, WishartEvent{0.1, 1e-6, 20}, DiscreteGaussianEvent{2, 1, 3}} {
		if _, err := (PLD{}).Epsilon(GroupEvent{e, 2}, 1e-6); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("two records in %v: error %v, want one that wraps errors.ErrUnsupported", e, err)
		}
	}
}

// TestGroupsHaveLimits: no group is so large that its pair is not made, or its number overflows.
func TestGroupsHaveLimits(t *testing.T) {
	for _, e := range []GroupEvent{
		{LaplaceEvent{1}, math.MaxInt}, {GroupEvent{LaplaceEvent{1}, 1 << 20}, 1 << 20}, {DiscreteLaplaceEvent{1 << 20, 1e9}, 5},
		{DiscreteGaussianEvent{1, 1 << 20, 1e5}, 5}, {ResponseEvent{1, 2}, 1 << 22}, {ShuffleEvent{1, 1e6}, 100},
		{BinomialEvent{4000, 0.5, 2, 1, 1.2, 1e-8}, 1 << 30},
	} {
		got, err := PLD{}.Epsilon(e, 1e-6)
		if err == nil && !math.IsInf(got, 1) {
			t.Errorf("%v: epsilon = %v, want an error or +Inf", e, got)
		}
	}
}
