package account

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Event describes to an accountant all releases of a run that show one record.
//
// An event states its cost by implementing at least one of PureEvent, ConcentratedEvent,
// RenyiEvent, GDPEvent and LossEvent. Write an event of your own in this way for a mechanism of
// your own.
type Event interface {
	String() string
	Validate() error // returns an error if a field is out of its range
}

// PureEvent is an event whose privacy loss is bounded: pure differential privacy.
type PureEvent interface {
	Event
	PureEpsilon() float64 // the bound on the absolute privacy loss
}

// ConcentratedEvent is a zero-concentrated event: its Rényi divergence of order alpha is at most
// Rho alpha, for every alpha > 1 (Bun and Steinke 2016).
type ConcentratedEvent interface {
	Event
	Rho() float64
}

// RenyiEvent is an event whose Rényi divergences are bounded (Mironov 2017).
type RenyiEvent interface {
	Event
	Renyi(alpha float64) float64 // a bound on the divergence of order alpha > 1, in both directions
}

// GDPEvent is an event whose trade-off curve is at least that of a Gaussian (Dong, Roth, Su 2022).
type GDPEvent interface {
	Event
	GDP() float64 // mu
}

// LossEvent is an event with a pair of distributions that dominates it. The PLD accountant composes
// any such event with those of this package.
type LossEvent interface {
	Event
	// Pair returns a pair (P, Q) with M(D)(S) - x M(D')(S) <= sup_E P(E) - x Q(E) for every x >= 0,
	// every set S of outputs and every two neighbours D, D', in either order.
	Pair() (Pair, error)
}

// GaussianEvent is an adaptive sequence of releases under Gaussian noise. Over all of them one
// record moves the means by at most Mu standard deviations, in the Euclidean norm.
type GaussianEvent struct{ Mu float64 }

func (e GaussianEvent) String() string { return fmt.Sprintf("Gaussian, mu = %.4g", e.Mu) }

// Validate returns an error unless Mu is in [0, Inf).
func (e GaussianEvent) Validate() error {
	return nonNegative("GaussianEvent.Mu", e.Mu, "no noise hides no record")
}

// GDP returns mu.
func (e GaussianEvent) GDP() float64 { return e.Mu }

// Rho returns mu^2/2.
func (e GaussianEvent) Rho() float64 { return squared(e.Mu, 2) }

// Renyi returns alpha mu^2/2, and +Inf unless alpha > 1.
func (e GaussianEvent) Renyi(alpha float64) float64 {
	if !(alpha > 1) {
		return math.Inf(1)
	}
	return alpha * e.Rho()
}

// LaplaceEvent is a release under Laplace noise of scale s/Epsilon, where s is its L1 sensitivity.
//
// All accountants use the privacy loss of a single coordinate, since a change that is spread over
// several coordinates costs no more. Reason: moving one coordinate by s and then another by t has a
// trade-off of at least f_t(1 - f_s) (the lemma of group privacy; Dong, Roth, Su 2022, Thm. 2.14).
// For noise of a log-concave density that is the trade-off f_{s+t} of moving one coordinate by s +
// t.
type LaplaceEvent struct{ Epsilon float64 }

func (e LaplaceEvent) String() string { return fmt.Sprintf("Laplace, epsilon = %.4g", e.Epsilon) }

// Validate returns an error unless Epsilon is in (0, Inf).
func (e LaplaceEvent) Validate() error { return positive("LaplaceEvent.Epsilon", e.Epsilon) }

// PureEpsilon returns epsilon.
func (e LaplaceEvent) PureEpsilon() float64 { return e.Epsilon }

// Renyi returns ln(alpha/(2 alpha-1) e^((alpha-1) eps) + (alpha-1)/(2 alpha-1) e^(-alpha
// eps))/(alpha-1) (Mironov 2017, Prop. 6), and +Inf unless alpha > 1.
func (e LaplaceEvent) Renyi(alpha float64) float64 {
	if !(alpha > 1) {
		return math.Inf(1)
	}
	if alpha > 1e300 { // all that a pure epsilon allows
		return e.Epsilon
	}
	if alpha*e.Epsilon < 1e-4 {
		// The terms of first order cancel. What is left is e^x - 1 - x of both exponents.
		rest := func(x float64) float64 { return x * x * (0.5 + float64(x*(1./6+float64(x*(1./24+x/120))))) }
		sum := float64(alpha*rest((alpha-1)*e.Epsilon)) + float64((alpha-1)*rest(-alpha*e.Epsilon))
		return portable.Log1p(sum/(float64(2*alpha)-1)) / (alpha - 1)
	}
	if alpha*e.Epsilon < 1 { // keeps the digits of a sum next to 1
		return portable.Log1p((float64(alpha*portable.Expm1((alpha-1)*e.Epsilon))+float64((alpha-1)*portable.Expm1(-alpha*e.Epsilon)))/(float64(2*alpha)-1)) / (alpha - 1)
	}
	return (float64((alpha-1)*e.Epsilon) + portable.Log((alpha+float64((alpha-1)*portable.Exp((1-float64(2*alpha))*e.Epsilon)))/(float64(2*alpha)-1))) / (alpha - 1)
}

// DiscreteGaussianEvent is a release of Dim integers under discrete Gaussian noise, P(z) ~
// exp(-z^2/(2 Sigma^2)).
type DiscreteGaussianEvent struct {
	Dim         int
	Sensitivity float64 // L2, in units of the integers
	Sigma       float64
}

func (e DiscreteGaussianEvent) String() string {
	return fmt.Sprintf("discrete Gaussian of dimension %d, sensitivity %.4g, sigma = %.4g", e.Dim, e.Sensitivity, e.Sigma)
}

// Validate returns an error unless Dim >= 1 and the other fields are in (0, Inf).
func (e DiscreteGaussianEvent) Validate() error {
	if e.Dim < 1 {
		return fmt.Errorf("privacy: DiscreteGaussianEvent.Dim = %d, want >= 1", e.Dim)
	}
	if err := positive("DiscreteGaussianEvent.Sigma", e.Sigma); err != nil {
		return err
	}
	return positive("DiscreteGaussianEvent.Sensitivity", e.Sensitivity)
}

// Rho returns Sensitivity^2/(2 Sigma^2) (Canonne, Kamath, Steinke 2020, Thm. 4 and Cor. 16). The
// event is no GDPEvent, as the exact curve of the Gaussian is not that of the discrete Gaussian.
func (e DiscreteGaussianEvent) Rho() float64 {
	return squared(math.Max(e.Sensitivity/e.Sigma, math.SmallestNonzeroFloat64), 2)
}

// DiscreteLaplaceEvent is a release of integers under discrete Laplace noise, P(z) ~
// exp(-|z|/Scale).
type DiscreteLaplaceEvent struct {
	Sensitivity int64 // L1, in units of the integers
	Scale       float64
}

func (e DiscreteLaplaceEvent) String() string {
	return fmt.Sprintf("discrete Laplace, sensitivity %d, scale %.4g", e.Sensitivity, e.Scale)
}

// Validate returns an error unless Sensitivity >= 1 and Scale is in (0, Inf).
func (e DiscreteLaplaceEvent) Validate() error {
	if e.Sensitivity < 1 {
		return fmt.Errorf("privacy: DiscreteLaplaceEvent.Sensitivity = %d, want >= 1", e.Sensitivity)
	}
	return positive("DiscreteLaplaceEvent.Scale", e.Scale)
}

// PureEpsilon returns Sensitivity/Scale.
func (e DiscreteLaplaceEvent) PureEpsilon() float64 { return float64(e.Sensitivity) / e.Scale }

// ResponseEvent is a randomised response among Choices >= 2 values.
type ResponseEvent struct {
	Epsilon float64
	Choices int
}

func (e ResponseEvent) String() string {
	return fmt.Sprintf("randomised response, epsilon = %.4g, %d choices", e.Epsilon, e.Choices)
}

// Validate returns an error unless Choices >= 2 and Epsilon is in (0, Inf).
func (e ResponseEvent) Validate() error {
	if e.Choices < 2 {
		return fmt.Errorf("privacy: ResponseEvent.Choices = %d, want >= 2", e.Choices)
	}
	return positive("ResponseEvent.Epsilon", e.Epsilon)
}

// PureEpsilon returns epsilon.
func (e ResponseEvent) PureEpsilon() float64 { return e.Epsilon }

// Renyi returns ln(p^alpha q^(1-alpha) + q^alpha p^(1-alpha) + (K-2) q)/(alpha-1) for K = Choices,
// where p is the probability of the true answer and q that of each other one. It is +Inf unless
// alpha > 1.
func (e ResponseEvent) Renyi(alpha float64) float64 {
	return responseRenyi(alpha, e.Epsilon, e.Choices)
}

// responseRenyi computes the sum without cancellation or overflow. It is 1 + q (e^(alpha eps) - 1)
// (1 - e^((1-alpha) eps)), which loses no digits next to 1; where factors might overflow,
// e^((alpha-1) eps) is taken out first.
func responseRenyi(alpha, epsilon float64, choices int) float64 {
	if !(alpha > 1) {
		return math.Inf(1)
	}
	if alpha*epsilon < 1 {
		q := 1 / (portable.Exp(epsilon) + float64(choices-1))
		return portable.Log1p(-q*portable.Expm1(alpha*epsilon)*portable.Expm1((1-alpha)*epsilon)) / (alpha - 1)
	}
	total := 1 + float64(float64(choices-1)*portable.Exp(-epsilon)) // 1/p
	rest := portable.Exp((1-float64(2*alpha))*epsilon) + float64(float64(choices-2)*portable.Exp(-alpha*epsilon))
	return math.Max(0, epsilon+(portable.Log1p(rest)-portable.Log(total))/(alpha-1))
}

// ExponentialEvent is a choice by the exponential mechanism, or by the noisy maximum with Gumbel
// noise.
//
// Epsilon bounds the range of its privacy loss, max - min over the outputs. That is stronger than
// epsilon-DP (Durfee and Rogers 2019).
type ExponentialEvent struct{ Epsilon float64 }

func (e ExponentialEvent) String() string {
	return fmt.Sprintf("exponential mechanism, epsilon = %.4g", e.Epsilon)
}

// Validate returns an error unless Epsilon is in (0, Inf).
func (e ExponentialEvent) Validate() error { return positive("ExponentialEvent.Epsilon", e.Epsilon) }

// PureEpsilon returns epsilon.
func (e ExponentialEvent) PureEpsilon() float64 { return e.Epsilon }

// Rho returns Epsilon^2/8 (Cesar and Rogers 2021, Lemma 3.4: Hoeffding's lemma for a loss of range
// Epsilon).
func (e ExponentialEvent) Rho() float64 { return squared(e.Epsilon, 8) }

// SparseVectorEvent is a stream of threshold queries of which at most Accepted come out above. Each
// acceptance costs Epsilon, and is followed by fresh noise on the threshold.
type SparseVectorEvent struct {
	Epsilon  float64
	Accepted int
}

func (e SparseVectorEvent) String() string {
	return fmt.Sprintf("sparse vector, epsilon = %.4g for each of %d accepted", e.Epsilon, e.Accepted)
}

// Validate returns an error unless Accepted >= 1 and Epsilon is in (0, Inf).
func (e SparseVectorEvent) Validate() error {
	if e.Accepted < 1 {
		return fmt.Errorf("privacy: SparseVectorEvent.Accepted = %d, want >= 1", e.Accepted)
	}
	return positive("SparseVectorEvent.Epsilon", e.Epsilon)
}

// parts returns the acceptances as a composition of pure events.
func (e SparseVectorEvent) parts() Repeat { return Repeat{pure{e.Epsilon}, e.Accepted} }

// pure is an event of which only a pure epsilon is known.
type pure struct{ epsilon float64 }

func (e pure) String() string       { return fmt.Sprintf("pure, epsilon = %.4g", e.epsilon) }
func (e pure) Validate() error      { return positive("epsilon", e.epsilon) }
func (e pure) PureEpsilon() float64 { return e.epsilon }

// WishartEvent is Nodes releases of a Gram matrix under Wishart noise, each (Epsilon,
// Delta)-private.
//
// Only the composition theorems for (epsilon, delta) guarantees apply to it: its Rényi divergence
// is infinite at every order, since the supports of neighbouring releases differ.
type WishartEvent struct {
	Epsilon, Delta float64 // of a node
	Nodes          int
}

func (e WishartEvent) String() string {
	return fmt.Sprintf("Wishart, %d nodes at %s each", e.Nodes, pair(e.Epsilon, e.Delta))
}

// Validate returns an error unless Nodes >= 1, Epsilon is in (0, 1) and Delta in [0, 1). Nothing is
// proved for a larger epsilon.
func (e WishartEvent) Validate() error {
	switch {
	case e.Nodes < 1:
		return fmt.Errorf("privacy: WishartEvent.Nodes = %d, want >= 1", e.Nodes)
	case e.Epsilon >= 1:
		return fmt.Errorf("privacy: WishartEvent.Epsilon = %v, want < 1: the theorem proves nothing beyond it", e.Epsilon)
	}
	return checkGuarantee(e.Epsilon, e.Delta)
}

// ApproximateEvent is a release of which only an (epsilon, delta) guarantee is known.
type ApproximateEvent struct{ Epsilon, Delta float64 }

func (e ApproximateEvent) String() string { return pair(e.Epsilon, e.Delta) + "-private release" }

// Validate returns an error unless Epsilon is in (0, Inf) and Delta in [0, 1).
func (e ApproximateEvent) Validate() error {
	if math.IsInf(e.Epsilon, 1) {
		return fmt.Errorf("privacy: ApproximateEvent.Epsilon = %v, want finite: no noise hides no record", e.Epsilon)
	}
	return checkGuarantee(e.Epsilon, e.Delta)
}

// pair writes an (epsilon, delta) guarantee.
func pair(epsilon, delta float64) string { return fmt.Sprintf("(%.4g, %.4g)", epsilon, delta) }

// checkGuarantee returns an error unless epsilon > 0 and delta is in [0, 1).
func checkGuarantee(epsilon, delta float64) error {
	switch {
	case !(epsilon > 0):
		return fmt.Errorf("privacy: epsilon = %v, want > 0", epsilon)
	case !(delta >= 0 && delta < 1):
		return fmt.Errorf("privacy: delta = %v, want in [0, 1)", delta)
	}
	return nil
}

// Sequence is the adaptive composition of events that show the same record.
type Sequence []Event

func (s Sequence) String() string { return "all of: " + list(s) }

// Validate returns an error unless there is at least one event and each is valid.
func (s Sequence) Validate() error { return each("Sequence", s) }

// Repeat is the adaptive composition of Times equal events that show the same record.
type Repeat struct {
	Event Event
	Times int
}

func (e Repeat) String() string { return fmt.Sprintf("%d times: %v", e.Times, e.Event) }

// Validate returns an error unless the event is valid and Times >= 1.
func (e Repeat) Validate() error {
	if e.Times < 1 {
		return fmt.Errorf("privacy: %d times an event, want >= 1", e.Times)
	}
	return each("Repeat", []Event{e.Event})
}

// Parallel is a set of events of which at most one shows the record.
type Parallel []Event

func (p Parallel) String() string { return "one of: " + list(p) }

// Validate returns an error unless there is at least one event and each is valid.
func (p Parallel) Validate() error { return each("Parallel", p) }

// GroupEvent is an event seen by a user with at most Contributions records in it: group privacy.
//
// GDP is exact for it: k records of a Gaussian are one of k mu. PLD composes the pairs of k
// records: additive noise under k times the sensitivity, choices of k times the range, and any
// other pair raised k times. Pure multiplies epsilon by k, and Concentrated rho by k^2.
type GroupEvent struct {
	Event         Event
	Contributions int
}

func (e GroupEvent) String() string {
	return fmt.Sprintf("%d records in: %v", e.Contributions, e.Event)
}

// Validate returns an error unless the event is valid and Contributions >= 1.
func (e GroupEvent) Validate() error {
	if e.Contributions < 1 {
		return fmt.Errorf("privacy: GroupEvent.Contributions = %d, want >= 1", e.Contributions)
	}
	return each("GroupEvent", []Event{e.Event})
}

// ShuffleEvent is one message from each of Users users, in random order. Each message alone is
// Local-locally private.
type ShuffleEvent struct {
	Local float64 // epsilon of one message
	Users int
}

func (e ShuffleEvent) String() string {
	return fmt.Sprintf("%d messages shuffled, each with local epsilon = %.4g", e.Users, e.Local)
}

// Validate returns an error unless Users >= 1 and Local is in (0, Inf).
func (e ShuffleEvent) Validate() error {
	if e.Users < 1 {
		return fmt.Errorf("privacy: ShuffleEvent.Users = %d, want >= 1", e.Users)
	}
	return positive("ShuffleEvent.Local", e.Local)
}

// PureEpsilon returns the local epsilon: shuffling never weakens the guarantee of a message.
func (e ShuffleEvent) PureEpsilon() float64 { return e.Local }

func list(events []Event) string {
	var s []string
	for _, e := range events {
		s = append(s, fmt.Sprint(e))
	}
	return strings.Join(s, "; ")
}

func each(of string, events []Event) error {
	if len(events) == 0 {
		return fmt.Errorf("privacy: %s of no events, want one at least", of)
	}
	for i, e := range events {
		if absent(e) {
			return fmt.Errorf("privacy: event %d of a %s is nil", i, of)
		}
		if err := validate(e); err != nil {
			return err
		}
	}
	return nil
}

func positive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("privacy: %s = %v, want finite and > 0", name, v)
	}
	return nil
}

func nonNegative(name string, v float64, infinite string) error {
	switch {
	case math.IsInf(v, 1):
		return fmt.Errorf("privacy: %s = %v, want finite: %s", name, v, infinite)
	case !(v >= 0):
		return fmt.Errorf("privacy: %s = %v, want >= 0", name, v)
	}
	return nil
}
