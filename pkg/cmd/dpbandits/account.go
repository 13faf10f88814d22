package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// kind is a kind of release that account takes as a flag.
type kind struct {
	name, what string
	fields     []string // allowed, the required ones first
	required   int
	event      func(f fields) privacy.Event
}

// fields are the numbers of a release, by name.
type fields map[string]float64

func (f fields) or(name string, otherwise float64) float64 {
	if v, ok := f[name]; ok {
		return v
	}
	return otherwise
}

// whole names the fields that are whole numbers.
var whole = []string{"times", "choices", "users", "accepted", "dim", "records"}

func kinds() []kind {
	return []kind{
		{"gaussian", "Gaussian noise of standard deviation sigma on what a record moves by sensitivity, in the L2 norm",
			[]string{"sigma", "sensitivity"}, 1, func(f fields) privacy.Event {
				return privacy.GaussianEvent{Mu: f.or("sensitivity", 1) / f["sigma"]}
			}},
		{"laplace", "Laplace noise of scale sensitivity/eps, in the L1 norm", []string{"eps"}, 1,
			func(f fields) privacy.Event { return privacy.LaplaceEvent{Epsilon: f["eps"]} }},
		{"discrete-gaussian", "discrete Gaussian noise on dim integers", []string{"sigma", "sensitivity", "dim"}, 1,
			func(f fields) privacy.Event {
				return privacy.DiscreteGaussianEvent{Dim: int(f.or("dim", 1)), Sensitivity: f.or("sensitivity", 1), Sigma: f["sigma"]}
			}},
		{"discrete-laplace", "discrete Laplace noise on integers", []string{"scale", "sensitivity"}, 1,
			func(f fields) privacy.Event {
				return privacy.DiscreteLaplaceEvent{Sensitivity: int64(f.or("sensitivity", 1)), Scale: f["scale"]}
			}},
		{"response", "randomised response among choices values", []string{"eps", "choices"}, 1,
			func(f fields) privacy.Event {
				return privacy.ResponseEvent{Epsilon: f["eps"], Choices: int(f.or("choices", 2))}
			}},
		{"exponential", "a choice by the exponential mechanism whose privacy loss has a range of at most eps", []string{"eps"}, 1,
			func(f fields) privacy.Event { return privacy.ExponentialEvent{Epsilon: f["eps"]} }},
		{"sparse-vector", "comparisons with a noisy threshold, eps for each of the accepted ones", []string{"eps", "accepted"}, 1,
			func(f fields) privacy.Event {
				return privacy.SparseVectorEvent{Epsilon: f["eps"], Accepted: int(f.or("accepted", 1))}
			}},
		{"shuffle", "messages of eps local privacy, of as many users, in random order", []string{"eps", "users"}, 2,
			func(f fields) privacy.Event { return privacy.ShuffleEvent{Local: f["eps"], Users: int(f["users"])} }},
		{"approximate", "any (eps, delta)-private release", []string{"eps", "delta"}, 2,
			func(f fields) privacy.Event {
				return privacy.ApproximateEvent{Budget: privacy.Budget{Epsilon: f["eps"], Delta: f["delta"]}}
			}},
	}
}

// parse reads a release such as "sigma=5,sensitivity=1,times=200".
func (k kind) parse(text string) (privacy.Event, error) {
	f := fields{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name != "times" && !slices.Contains(k.fields, name) {
			return nil, fmt.Errorf("%w: %q in -%s %s: want NAME=NUMBER of %s", errUsage, part, k.name, text, strings.Join(append(slices.Clone(k.fields), "times"), ", "))
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %s=%s in -%s: want a number", errUsage, name, value, k.name)
		}
		if _, twice := f[name]; twice {
			return nil, fmt.Errorf("%w: two values of %s in -%s %s, want one", errUsage, name, k.name, text)
		}
		if slices.Contains(whole, name) && !(v >= 1 && v <= 1<<53 && v == math.Floor(v)) {
			return nil, fmt.Errorf("%w: %s=%s in -%s: want a whole number in [1, 2^53]", errUsage, name, value, k.name)
		}
		f[name] = v
	}
	for _, name := range k.fields[:k.required] {
		if _, ok := f[name]; !ok {
			return nil, fmt.Errorf("%w: -%s %s without %s, which has no default", errUsage, k.name, text, name)
		}
	}
	if s := f.or("sensitivity", 1); k.name == "discrete-laplace" && !(s >= 1 && s <= 1<<53 && s == math.Floor(s)) {
		return nil, fmt.Errorf("%w: sensitivity=%v in -%s: want a whole number in [1, 2^53]", errUsage, s, k.name)
	}
	e := k.event(f)
	if times := int(f.or("times", 1)); times > 1 {
		e = privacy.Repeat{Event: e, Times: times}
	}
	if err := e.Validate(); err != nil {
		return nil, fmt.Errorf("%w: -%s %s: %w", errUsage, k.name, text, err)
	}
	return e, nil
}

// answer is what one accountant says. Bounds are both sides where it has them.
type answer struct {
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

// account composes the releases that its flags name and prints what every accountant proves of
// them, tightest first.
func account(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("account", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var events privacy.Sequence
	for _, k := range kinds() {
		flags.Func(k.name, k.what, func(text string) error {
			e, err := k.parse(text)
			if err == nil {
				events = append(events, e)
			}
			return err
		})
	}
	delta := flags.Float64("delta", 0, "delta, in [0, 1), at which epsilon is asked for")
	records := flags.Int("records", 1, "records of a user, for privacy of the user")
	asJSON := flags.Bool("json", false, "print JSON")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		accountUsage(out)
		return err
	case err != nil:
		return fmt.Errorf("%w: %v", errUsage, strings.TrimSuffix(err.Error(), ": "+errUsage.Error()))
	case flags.NArg() > 0:
		return fmt.Errorf("%w: %q, want flags alone", errUsage, flags.Args())
	case len(events) == 0:
		return fmt.Errorf("%w: no release, want at least one, such as -gaussian sigma=5", errUsage)
	case !(*delta >= 0 && *delta < 1):
		return fmt.Errorf("%w: -delta %v, want in [0, 1)", errUsage, *delta)
	case *records < 1:
		return fmt.Errorf("%w: -records %d, want >= 1", errUsage, *records)
	}
	var event privacy.Event = events
	if len(events) == 1 {
		event = events[0]
	}
	if *records > 1 {
		event = privacy.GroupEvent{Event: event, Contributions: *records}
	}
	answers := ask(event, *delta)
	if *asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			Event   string   `json:"event"`
			Delta   float64  `json:"delta"`
			Answers []answer `json:"answers"`
		}{event.String(), *delta, answers})
	}
	fmt.Fprintf(out, "%v\nat delta = %g\n\n", event, *delta)
	for _, a := range answers {
		switch {
		case a.Refuses != "":
			fmt.Fprintf(out, "%-28s -           cannot treat it\n", a.Accountant)
		case a.AtLeast != nil:
			fmt.Fprintf(out, "%-28s %-11.6g at least %.6g\n", a.Accountant, float64(a.Epsilon), float64(*a.AtLeast))
		default:
			fmt.Fprintf(out, "%-28s %.6g\n", a.Accountant, float64(a.Epsilon))
		}
	}
	return nil
}

// ask asks all accountants, and sorts what they say: the least epsilon first, refusals last.
func ask(e privacy.Event, delta float64) []answer {
	var all []answer
	for _, a := range privacy.Accountants() {
		said := answer{Accountant: a.String()}
		epsilon, err := a.Epsilon(e, delta)
		if pld, ok := a.(privacy.PLD); ok && err == nil {
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
	slices.SortStableFunc(all, func(a, b answer) int {
		return cmp.Or(cmp.Compare(min(len(a.Refuses), 1), min(len(b.Refuses), 1)), cmp.Compare(a.Epsilon, b.Epsilon))
	})
	return all
}

func accountUsage(w io.Writer) {
	fmt.Fprint(w, `Usage: dpbandits account -KIND NAME=NUMBER,... [-KIND ...] [-delta D] [-records K] [-json]

Prints the epsilon of a composition of releases, by every accountant, tightest first. Each release may
be chosen by what the ones before it released. Every release takes times=N for N of them.

`)
	for _, k := range kinds() {
		values := make([]string, len(k.fields))
		for i, name := range k.fields {
			values[i] = name + "=..."
			if i >= k.required {
				values[i] = "[" + values[i] + "]"
			}
		}
		fmt.Fprintf(w, "  -%-18s %s\n  %19s %s\n", k.name, strings.Join(values, ","), "", k.what)
	}
	fmt.Fprint(w, `
  -delta D            delta, in [0, 1), at which epsilon is asked for (0)
  -records K          records of a user, for privacy of the user (1)
  -json               print JSON
`)
}
