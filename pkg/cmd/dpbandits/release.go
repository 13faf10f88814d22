package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// kind is a kind of release that account takes as a flag.
type kind struct {
	name, what string
	fields     []string // allowed, the required ones first
	required   int
	event      func(f fields) account.Event
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
var whole = []string{"times", "choices", "users", "accepted", "dim", "trials", "most"}

func kinds() []kind {
	return []kind{
		{"gaussian", "Gaussian noise of standard deviation sigma on what a record moves by sensitivity (1), in the L2 norm",
			[]string{"sigma", "sensitivity"}, 1, func(f fields) account.Event {
				return account.GaussianEvent{Mu: f.or("sensitivity", 1) / f["sigma"]}
			}},
		{"laplace", "Laplace noise of scale sensitivity/eps, in the L1 norm", []string{"eps"}, 1,
			func(f fields) account.Event { return account.LaplaceEvent{Epsilon: f["eps"]} }},
		{"discrete-gaussian", "discrete Gaussian noise on dim (1) integers that a record moves by sensitivity (1), in the L2 norm", []string{"sigma", "sensitivity", "dim"}, 1,
			func(f fields) account.Event {
				return account.DiscreteGaussianEvent{Dim: int(f.or("dim", 1)), Sensitivity: f.or("sensitivity", 1), Sigma: f["sigma"]}
			}},
		{"discrete-laplace", "discrete Laplace noise on integers that a record moves by sensitivity (1), in the L1 norm", []string{"scale", "sensitivity"}, 1,
			func(f fields) account.Event {
				return account.DiscreteLaplaceEvent{Sensitivity: int64(f.or("sensitivity", 1)), Scale: f["scale"]}
			}},
		{"response", "randomised response among choices (2) values", []string{"eps", "choices"}, 1,
			func(f fields) account.Event {
				return account.ResponseEvent{Epsilon: f["eps"], Choices: int(f.or("choices", 2))}
			}},
		{"exponential", "a choice by the exponential mechanism whose privacy loss has a range of at most eps", []string{"eps"}, 1,
			func(f fields) account.Event { return account.ExponentialEvent{Epsilon: f["eps"]} }},
		{"sparse-vector", "comparisons with a noisy threshold, eps for each of the accepted (1) ones", []string{"eps", "accepted"}, 1,
			func(f fields) account.Event {
				return account.SparseVectorEvent{Epsilon: f["eps"], Accepted: int(f.or("accepted", 1))}
			}},
		{"shuffle", "messages of eps local privacy, one from each of users, in random order", []string{"eps", "users"}, 2,
			func(f fields) account.Event { return account.ShuffleEvent{Local: f["eps"], Users: int(f["users"])} }},
		{"binomial", "binomial noise on dim integers; a record moves each by at most most (1), and all by norm (most) in the\nL2 norm; the tails cost tail of delta",
			[]string{"trials", "p", "tail", "most", "norm", "dim"}, 3, func(f fields) account.Event {
				return account.BinomialEvent{Trials: int64(f["trials"]), P: f["p"], Coordinates: int(f.or("dim", 1)),
					Most: int(f.or("most", 1)), Norm: f.or("norm", f.or("most", 1)), Tail: f["tail"]}
			}},
		{"approximate", "any (eps, delta)-private release", []string{"eps", "delta"}, 2,
			func(f fields) account.Event {
				return account.ApproximateEvent{Epsilon: f["eps"], Delta: f["delta"]}
			}},
	}
}

// releases is the value of a flag that adds a release of its kind to a composition.
type releases struct {
	kind
	to *account.Sequence
}

const releaseHeading = "Releases"

func (r releases) heading() string { return releaseHeading }

// argument shows the numbers of a release, those that have a default in brackets.
func (r releases) argument() string {
	text := r.fields[0] + "=N"
	for i, name := range r.fields[1:] {
		if i+1 < r.required {
			text += "," + name + "=N"
		} else {
			text += "[," + name + "=N]"
		}
	}
	return text
}

// String returns "": a flag of this kind has no value to begin with.
func (r releases) String() string { return "" }

// Set adds a release.
func (r releases) Set(text string) error {
	e, err := r.parse(text)
	if err == nil {
		*r.to = append(*r.to, e)
	}
	return err
}

// complete offers the numbers that a release does not have yet.
func (r releases) complete(word string) (candidates []string) {
	last := strings.LastIndex(word, ",") + 1
	for _, name := range append(slices.Clone(r.fields), "times") {
		if !strings.Contains(","+word[:last], ","+name+"=") {
			candidates = append(candidates, word[:last]+name+"=")
		}
	}
	return candidates
}

// parse reads a release such as "sigma=5,sensitivity=1,times=200".
func (k kind) parse(text string) (account.Event, error) {
	f := fields{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name != "times" && !slices.Contains(k.fields, name) {
			return nil, fmt.Errorf("%q, want NAME=NUMBER of %s", part, strings.Join(append(slices.Clone(k.fields), "times"), ", "))
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%s=%s, want a number", name, value)
		}
		if _, twice := f[name]; twice {
			return nil, fmt.Errorf("two values of %s, want one", name)
		}
		integer := slices.Contains(whole, name) || name == "sensitivity" && k.name == "discrete-laplace"
		if integer && !(v >= 1 && v <= 1<<53 && v == math.Floor(v)) {
			return nil, fmt.Errorf("%s=%s, want a whole number in [1, 2^53]", name, value)
		}
		f[name] = v
	}
	for _, name := range k.fields[:k.required] {
		if _, ok := f[name]; !ok {
			return nil, fmt.Errorf("without %s, which has no default", name)
		}
	}
	e := k.event(f)
	if times := int(f.or("times", 1)); times > 1 {
		e = account.Repeat{Event: e, Times: times}
	}
	return e, e.Validate()
}
