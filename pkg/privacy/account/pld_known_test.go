package account_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// fickle is an event of another package, whose pair changes.
type fickle struct{ epsilon *float64 }

func (f fickle) String() string           { return "fickle" }
func (f fickle) Validate() error          { return nil }
func (f fickle) Pair() (loss.Pair, error) { return loss.Laplace(*f.epsilon) }

// TestPLDRemembers: a question has the same answer again, and any other question its own: one about
// an event that differs in the last digit, at another delta or spacing, or for the other bound.
func TestPLDRemembers(t *testing.T) {
	one, next := account.LaplaceEvent{Epsilon: 1}, account.LaplaceEvent{Epsilon: math.Nextafter(1, 2)}
	of := func(a account.PLD, e account.Event, delta float64) string {
		lo, hi, err := a.EpsilonBounds(e, delta)
		only, err1 := a.Epsilon(e, delta)
		low, high, err2 := a.DeltaBounds(e, delta) // delta in the place of epsilon
		if err != nil || err1 != nil || err2 != nil {
			t.Fatal(err, err1, err2)
		}
		if only != hi || !(lo <= hi && low <= high) {
			t.Errorf("%v, delta = %v: [%v, %v], upper bound %v, delta in [%v, %v]", e, delta, lo, hi, only, low, high)
		}
		return fmt.Sprint(lo, hi, low, high)
	}
	answers := map[string]string{}
	for name, ask := range map[string]func() string{
		"one":     func() string { return of(account.PLD{}, one, 1e-3) },
		"next":    func() string { return of(account.PLD{}, next, 1e-3) },
		"delta":   func() string { return of(account.PLD{}, one, 2e-3) },
		"spacing": func() string { return of(account.PLD{Spacing: 0.003}, one, 1e-3) },
		"twice":   func() string { return of(account.PLD{}, account.Repeat{Event: one, Times: 2}, 1e-3) },
		"both":    func() string { return of(account.PLD{}, account.Sequence{one, next}, 1e-3) },
		"group of 2": func() string {
			return of(account.PLD{}, account.GroupEvent{Event: account.GaussianEvent{Mu: 0.4}, Contributions: 2}, 1e-3)
		},
	} {
		answer := ask()
		if again := ask(); again != answer {
			t.Errorf("%s: %s, and then %s", name, answer, again)
		}
		if other, ok := answers[answer]; ok {
			t.Errorf("%s has the answer of %s: %s", name, other, answer)
		}
		answers[answer] = name
	}
	epsilon := 1.0
	for name, e := range map[string]account.Event{
		"bare": fickle{&epsilon}, "pointer": &fickle{&epsilon}, "Sequence": account.Sequence{one, fickle{&epsilon}},
		"Repeat": account.Repeat{Event: fickle{&epsilon}, Times: 2}, "Parallel": account.Parallel{gaussian(0.01), fickle{&epsilon}},
	} {
		epsilon = 1
		before, err := account.PLD{}.Epsilon(e, 1e-3)
		epsilon = 2
		after, err2 := account.PLD{}.Epsilon(e, 1e-3)
		if err != nil || err2 != nil || !(after > before+0.5) {
			t.Errorf("%s: %v for epsilon = 1, %v for 2 (%v, %v)", name, before, after, err, err2)
		}
	}
}
