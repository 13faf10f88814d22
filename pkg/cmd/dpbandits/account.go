package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// bounds is what one accountant says. AtLeast is the other side, where it has one.
type bounds struct {
	Accountant string  `json:"accountant"`
	Epsilon    number  `json:"epsilon"`
	AtLeast    *number `json:"at_least,omitempty"`
	Refuses    string  `json:"refuses,omitempty"`
}

// number is a float64 that JSON can write: what is not finite becomes a string.
type number float64

// MarshalJSON writes a number, or "+Inf" or "NaN" as a string.
func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsInf(v, 0) || math.IsNaN(v) {
		return json.Marshal(fmt.Sprint(v))
	}
	return json.Marshal(float64(n))
}

func accountCommand() command {
	return command{
		name: "account", what: "what a composition of noisy releases costs, by every accountant",
		usage: "-RELEASE NAME=NUMBER,... [-RELEASE ...] [-delta D] [-records K] [-json]",
		about: `
Prints the epsilon of a composition of releases, by every accountant, the
tightest first. Each release may be chosen by what the ones before it released.
Every release takes times=N, for N of them. In parentheses are the defaults.

  dpbandits account -laplace eps=0.1,times=1000 -gaussian sigma=5,times=200 -delta 1e-6

Epsilon is an upper bound. "at least" is a lower bound for the same composition.
Both are rounded to the side on which they hold. "-" marks an accountant that
cannot treat the composition, and +Inf one that proves nothing at this delta.
`,
		open: func(flags *flag.FlagSet) func(console) error {
			var events account.Sequence
			for _, k := range kinds() {
				flags.Var(releases{k, &events}, k.name, k.what)
			}
			delta := flags.Float64("delta", 0, "delta, a `number` in [0, 1), at which epsilon is asked for")
			records := flags.Int("records", 1, "the `number` of records of a user, for privacy of the user")
			asJSON := flags.Bool("json", false, "print JSON")
			return func(to console) error { return accountFor(events, *delta, *records, *asJSON, to) }
		},
	}
}

// accountFor prints what every accountant proves of a composition, tightest first.
func accountFor(events account.Sequence, delta float64, records int, asJSON bool, to console) error {
	switch {
	case len(events) == 0:
		return misuse("no release, want at least one, such as -gaussian sigma=5")
	case !(delta >= 0 && delta < 1):
		return misuse("-delta %v, want in [0, 1)", delta)
	case records < 1:
		return misuse("-records %d, want >= 1", records)
	}
	var event account.Event = events
	if len(events) == 1 {
		event = events[0]
	}
	if records > 1 {
		event = account.GroupEvent{Event: event, Contributions: records}
	}
	answers := ask(event, delta)
	if asJSON {
		return writeJSON(to.out, struct {
			Event   string   `json:"event"`
			Delta   float64  `json:"delta"`
			Answers []bounds `json:"answers"`
		}{event.String(), delta, answers})
	}
	fmt.Fprintf(to.out, "%v\nat delta = %g\n\n", event, delta)
	for _, a := range answers {
		switch {
		case a.Refuses != "":
			fmt.Fprintf(to.out, "%-28s -\n", a.Accountant)
		case a.AtLeast != nil:
			fmt.Fprintf(to.out, "%-28s %-11s at least %s\n", a.Accountant, rounded(float64(a.Epsilon), 1), rounded(float64(*a.AtLeast), -1))
		default:
			fmt.Fprintf(to.out, "%-28s %s\n", a.Accountant, rounded(float64(a.Epsilon), 1))
		}
	}
	return nil
}

// rounded writes a number that is not negative with six digits, rounded up (side = 1) or down
// (side = -1).
func rounded(x float64, side int) string {
	text := strconv.FormatFloat(x, 'e', 5, 64)
	v, _ := strconv.ParseFloat(text, 64)
	if (v-x)*float64(side) < 0 {
		mantissa, exponent, _ := strings.Cut(text, "e")
		digits, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
		power, _ := strconv.Atoi(exponent)
		if digits += side; digits < 100_000 {
			digits, power = 999_999, power-1
		}
		v, _ = strconv.ParseFloat(fmt.Sprintf("%de%d", digits, power-5), 64)
	}
	return fmt.Sprintf("%.6g", v)
}

// ask asks all accountants, and sorts what they say: the least epsilon first, refusals last.
func ask(e account.Event, delta float64) []bounds {
	var all []bounds
	for _, a := range account.Accountants() {
		said := bounds{Accountant: a.String()}
		epsilon, err := a.Epsilon(e, delta)
		if pld, ok := a.(account.PLD); ok && err == nil {
			if lo, _, err := pld.EpsilonBounds(e, delta); err == nil {
				said.AtLeast = new(number)
				*said.AtLeast = number(lo)
			}
		}
		if said.Epsilon = number(epsilon); err != nil {
			said.Epsilon, said.Refuses = number(math.Inf(1)), err.Error()
		}
		all = append(all, said)
	}
	slices.SortStableFunc(all, func(a, b bounds) int {
		return cmp.Or(cmp.Compare(min(len(a.Refuses), 1), min(len(b.Refuses), 1)), cmp.Compare(a.Epsilon, b.Epsilon))
	})
	return all
}
