package privacy

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Event is what a mechanism releases in a whole run, as far as one record is concerned: what an
// accountant needs to say what it costs.
//
// What an event tells an accountant it says by implementing PureEvent, ConcentratedEvent, RenyiEvent, GDPEvent or LossEvent. A mechanism of one's
// own gets an event of one's own in this way.
type Event interface {
	String() string
	Validate() error // names a field that is out of its range
}

// PureEvent is an event whose privacy loss is bounded.
type PureEvent interface {
	Event
	PureEpsilon() float64 // the bound on the absolute loss
}

// ConcentratedEvent is a zero-concentrated event: its Rényi divergence of order alpha is at most Rho alpha (Bun and Steinke 2016).
type ConcentratedEvent interface {
	Event
	Rho() float64
}

// RenyiEvent is an event with bounded Rényi divergences (Mironov 2017).
type RenyiEvent interface {
	Event
	Renyi(alpha float64) float64 // a bound on the divergence of order alpha > 1, in both directions
}

// GDPEvent is an event whose trade-off curve is that of a Gaussian or above it (Dong, Roth, Su 2022).
type GDPEvent interface {
	Event
	GDP() float64 // mu
}

// GaussianEvent is an adaptive sequence of Gaussian releases in which one record moves the means by mu
// standard deviations in all, in the Euclidean sense.
type GaussianEvent struct{ Mu float64 }

func (e GaussianEvent) String() string { return fmt.Sprintf("Gaussian, mu = %.4g", e.Mu) }

// Validate wants mu in [0, Inf).
func (e GaussianEvent) Validate() error {
	return nonNegative("GaussianEvent.Mu", e.Mu, "no noise hides no record")
}

// GDP returns mu.
func (e GaussianEvent) GDP() float64 { return e.Mu }

// Rho returns mu^2/2.
func (e GaussianEvent) Rho() float64 { return e.Mu * e.Mu / 2 }

// Renyi returns alpha mu^2/2.
func (e GaussianEvent) Renyi(alpha float64) float64 { return alpha * e.Rho() }

// LaplaceEvent is a release under Laplace noise, whose scale is the L1 sensitivity divided by Epsilon. All accountants take the loss of a single
// coordinate; a change that is spread over several costs no more. For moving one by s and then another by t has a trade-off of at least
// f_t(1 - f_s) (the lemma of group privacy; Dong, Roth, Su 2022, Thm. 2.14), which for noise of a log-concave density is the
// trade-off f_{s+t} of moving one coordinate by s + t.
type LaplaceEvent struct{ Epsilon float64 }

func (e LaplaceEvent) String() string { return fmt.Sprintf("Laplace, epsilon = %.4g", e.Epsilon) }

// Validate wants epsilon in (0, Inf).
func (e LaplaceEvent) Validate() error { return positive("LaplaceEvent.Epsilon", e.Epsilon) }

// PureEpsilon returns epsilon.
func (e LaplaceEvent) PureEpsilon() float64 { return e.Epsilon }

// Renyi returns ln(alpha/(2 alpha-1) e^((alpha-1) eps) + (alpha-1)/(2 alpha-1) e^(-alpha eps))/(alpha-1) (Mironov 2017, Prop. 6).
func (e LaplaceEvent) Renyi(alpha float64) float64 {
	if alpha*e.Epsilon < 1 { // without losing the digits of a sum next to 1
		return portable.Log1p((float64(alpha*portable.Expm1((alpha-1)*e.Epsilon))+float64((alpha-1)*portable.Expm1(-alpha*e.Epsilon)))/(float64(2*alpha)-1)) / (alpha - 1)
	}
	return (float64((alpha-1)*e.Epsilon) + portable.Log((alpha+float64((alpha-1)*portable.Exp((1-float64(2*alpha))*e.Epsilon)))/(float64(2*alpha)-1))) / (alpha - 1)
}

// DiscreteGaussianEvent is a release of Dim integers under discrete Gaussian noise, P(z) ~ exp(-z^2/(2 Sigma^2)), whose L2 sensitivity is Sensitivity.
type DiscreteGaussianEvent struct {
	Dim         int
	Sensitivity float64 // L2, in units of the integers
	Sigma       float64
}

func (e DiscreteGaussianEvent) String() string {
	return fmt.Sprintf("discrete Gaussian of dimension %d, sensitivity %.4g, sigma = %.4g", e.Dim, e.Sensitivity, e.Sigma)
}

// Validate wants Dim >= 1, and the others in (0, Inf).
func (e DiscreteGaussianEvent) Validate() error {
	if e.Dim < 1 {
		return fmt.Errorf("privacy: DiscreteGaussianEvent.Dim = %d, want >= 1", e.Dim)
	}
	if err := positive("DiscreteGaussianEvent.Sigma", e.Sigma); err != nil {
		return err
	}
	return positive("DiscreteGaussianEvent.Sensitivity", e.Sensitivity)
}

// Rho returns sensitivity^2/(2 sigma^2) (Canonne, Kamath, Steinke 2020, Thm. 4 and Cor. 16). The Gaussian's exact curve is
// not that of the discrete one.
func (e DiscreteGaussianEvent) Rho() float64 {
	ratio := e.Sensitivity / e.Sigma
	return ratio * ratio / 2
}

// DiscreteLaplaceEvent is a release of integers under discrete Laplace noise, P(z) ~ exp(-|z|/Scale), whose L1 sensitivity is Sensitivity.
type DiscreteLaplaceEvent struct {
	Sensitivity int64 // L1, in units of the integers
	Scale       float64
}

func (e DiscreteLaplaceEvent) String() string {
	return fmt.Sprintf("discrete Laplace, sensitivity %d, scale %.4g", e.Sensitivity, e.Scale)
}

// Validate wants Sensitivity >= 1 and Scale in (0, Inf).
func (e DiscreteLaplaceEvent) Validate() error {
	if e.Sensitivity < 1 {
		return fmt.Errorf("privacy: DiscreteLaplaceEvent.Sensitivity = %d, want >= 1", e.Sensitivity)
	}
	return positive("DiscreteLaplaceEvent.Scale", e.Scale)
}

// PureEpsilon returns sensitivity/scale.
func (e DiscreteLaplaceEvent) PureEpsilon() float64 { return float64(e.Sensitivity) / e.Scale }

// ResponseEvent is a randomised response among Choices >= 2.
type ResponseEvent struct {
	Epsilon float64
	Choices int
}

func (e ResponseEvent) String() string {
	return fmt.Sprintf("randomised response, epsilon = %.4g, %d choices", e.Epsilon, e.Choices)
}

// Validate wants Choices >= 2 and epsilon in (0, Inf).
func (e ResponseEvent) Validate() error {
	if e.Choices < 2 {
		return fmt.Errorf("privacy: ResponseEvent.Choices = %d, want >= 2", e.Choices)
	}
	return positive("ResponseEvent.Epsilon", e.Epsilon)
}

// PureEpsilon returns epsilon.
func (e ResponseEvent) PureEpsilon() float64 { return e.Epsilon }

// Renyi returns ln(p^alpha q^(1-alpha) + q^alpha p^(1-alpha) + (K-2) q)/(alpha-1), p the probability of the truth and q of another choice.
func (e ResponseEvent) Renyi(alpha float64) float64 {
	return responseRenyi(alpha, e.Epsilon, e.Choices)
}

// responseRenyi takes the sum as 1 + q (e^(alpha eps) - 1) (1 - e^((1-alpha) eps)), which is the same and loses no digits next to 1, or factors
// e^((alpha-1) eps) out, which may overflow.
func responseRenyi(alpha, epsilon float64, choices int) float64 {
	if alpha*epsilon < 1 {
		q := 1 / (portable.Exp(epsilon) + float64(choices-1))
		return portable.Log1p(-q*portable.Expm1(alpha*epsilon)*portable.Expm1((1-alpha)*epsilon)) / (alpha - 1)
	}
	total := 1 + float64(float64(choices-1)*portable.Exp(-epsilon)) // 1/p
	rest := portable.Exp((1-float64(2*alpha))*epsilon) + float64(float64(choices-2)*portable.Exp(-alpha*epsilon))
	return epsilon + (portable.Log1p(rest)-portable.Log(total))/(alpha-1)
}

// ExponentialEvent is a choice by the exponential mechanism, or a report of the noisy maximum with Gumbel noise: Epsilon bounds the range of its
// privacy loss, max - min over the outputs, which is stronger than epsilon-DP (Durfee and Rogers 2019).
type ExponentialEvent struct{ Epsilon float64 }

func (e ExponentialEvent) String() string {
	return fmt.Sprintf("exponential mechanism, epsilon = %.4g", e.Epsilon)
}

// Validate wants epsilon in (0, Inf).
func (e ExponentialEvent) Validate() error { return positive("ExponentialEvent.Epsilon", e.Epsilon) }

// PureEpsilon returns epsilon.
func (e ExponentialEvent) PureEpsilon() float64 { return e.Epsilon }

// Rho returns epsilon^2/8 (Cesar and Rogers 2021, Lemma 3.4: Hoeffding's lemma for a loss of range epsilon).
func (e ExponentialEvent) Rho() float64 { return e.Epsilon * e.Epsilon / 8 }

// SparseVectorEvent is a stream of threshold queries of which at most Accepted come out above, with a fresh threshold noise for each
// acceptance; Epsilon is spent for each.
type SparseVectorEvent struct {
	Epsilon  float64
	Accepted int
}

func (e SparseVectorEvent) String() string {
	return fmt.Sprintf("sparse vector, epsilon = %.4g for each of %d accepted", e.Epsilon, e.Accepted)
}

// Validate wants Accepted >= 1 and epsilon in (0, Inf).
func (e SparseVectorEvent) Validate() error {
	if e.Accepted < 1 {
		return fmt.Errorf("privacy: SparseVectorEvent.Accepted = %d, want >= 1", e.Accepted)
	}
	return positive("SparseVectorEvent.Epsilon", e.Epsilon)
}

// parts returns the acceptances as a composition of pure events.
func (e SparseVectorEvent) parts() Repeat { return Repeat{pure{e.Epsilon}, e.Accepted} }

// pure is an event of which no more is known than that it is epsilon-private.
type pure struct{ epsilon float64 }

func (e pure) String() string       { return fmt.Sprintf("pure, epsilon = %.4g", e.epsilon) }
func (e pure) Validate() error      { return positive("epsilon", e.epsilon) }
func (e pure) PureEpsilon() float64 { return e.epsilon }

// WishartEvent is Nodes releases of a Gram matrix under Wishart noise, each (Node.Epsilon, Node.Delta)-private.
// Its Rényi divergence is infinite at every order, since the supports differ: no
// accountant but the composition theorems for (eps, delta) may treat it.
type WishartEvent struct {
	Node  Budget
	Nodes int
}

func (e WishartEvent) String() string {
	return fmt.Sprintf("Wishart, %d nodes at %v each", e.Nodes, e.Node)
}

// Validate wants Nodes >= 1 and a node's epsilon below 1: beyond it the noise is not private.
func (e WishartEvent) Validate() error {
	switch {
	case e.Nodes < 1:
		return fmt.Errorf("privacy: WishartEvent.Nodes = %d, want >= 1", e.Nodes)
	case e.Node.Epsilon >= 1:
		return fmt.Errorf("privacy: WishartEvent.Node.Epsilon = %v, want < 1: beyond it the supports of neighbouring releases differ too much", e.Node.Epsilon)
	}
	return e.Node.Validate()
}

// ApproximateEvent is any release of which nothing is known but that it is (epsilon, delta)-private.
type ApproximateEvent struct{ Budget Budget }

func (e ApproximateEvent) String() string { return fmt.Sprintf("%v-private release", e.Budget) }

// Validate validates the budget.
func (e ApproximateEvent) Validate() error {
	if e.Budget.None() {
		return fmt.Errorf("privacy: ApproximateEvent.Budget.Epsilon = %v, want finite: no noise hides no record", e.Budget.Epsilon)
	}
	return e.Budget.Validate()
}

// TreeEvent is a binary tree of releases, each record in at most Nodes of them.
type TreeEvent struct {
	Node  Event
	Nodes int
}

func (e TreeEvent) String() string { return fmt.Sprintf("tree, %d nodes of: %v", e.Nodes, e.Node) }

// Validate validates the node, and wants Nodes >= 1.
func (e TreeEvent) Validate() error { return e.parts().Validate() }

func (e TreeEvent) parts() Repeat { return Repeat{e.Node, e.Nodes} }

// MatrixEvent is a release of prefix sums by a lower triangular factorisation A = B C under Gaussian noise of standard deviation SD between the
// factors: the inputs may be adaptive (Denisov et al. 2022). It is Gaussian with mu = ColumnNorm Sensitivity/SD.
type MatrixEvent struct {
	ColumnNorm  float64 // largest Euclidean norm of a column of C
	Sensitivity float64 // L2, of one input
	SD          float64
}

func (e MatrixEvent) String() string {
	return fmt.Sprintf("matrix factorisation, column norm %.4g, sensitivity %.4g, sd %.4g", e.ColumnNorm, e.Sensitivity, e.SD)
}

// Validate wants SD > 0 and the others >= 0, all finite.
func (e MatrixEvent) Validate() error {
	if err := positive("MatrixEvent.SD", e.SD); err != nil {
		return err
	}
	if err := nonNegative("MatrixEvent.Sensitivity", e.Sensitivity, "nothing hides it"); err != nil {
		return err
	}
	return nonNegative("MatrixEvent.ColumnNorm", e.ColumnNorm, "nothing hides it")
}

// GDP returns mu.
func (e MatrixEvent) GDP() float64 { return e.ColumnNorm * e.Sensitivity / e.SD }

// Rho returns mu^2/2.
func (e MatrixEvent) Rho() float64 { return GaussianEvent{e.GDP()}.Rho() }

// Renyi returns alpha mu^2/2.
func (e MatrixEvent) Renyi(alpha float64) float64 { return alpha * e.Rho() }

// Sequence is the adaptive composition of events about the same record.
type Sequence []Event

func (s Sequence) String() string { return "all of: " + list(s) }

// Validate validates each event, of which there is one at least.
func (s Sequence) Validate() error { return each("Sequence", s) }

// Repeat is the adaptive composition of Times equal events about the same record.
type Repeat struct {
	Event Event
	Times int
}

func (e Repeat) String() string { return fmt.Sprintf("%d times: %v", e.Times, e.Event) }

// Validate validates the event, and wants Times >= 1.
func (e Repeat) Validate() error {
	if e.Times < 1 {
		return fmt.Errorf("privacy: %d times an event, want >= 1", e.Times)
	}
	return each("Repeat", []Event{e.Event})
}

// Parallel is events of which a record takes part in one at most.
type Parallel []Event

func (p Parallel) String() string { return "one of: " + list(p) }

// Validate validates each event, of which there is one at least.
func (p Parallel) Validate() error { return each("Parallel", p) }

// DoublingEvent is an anytime mechanism that starts afresh in blocks of doubling length: a record is in one block, which Block bounds
// whatever its length.
type DoublingEvent struct{ Block Event }

func (e DoublingEvent) String() string { return fmt.Sprintf("doubling blocks, each: %v", e.Block) }

// Validate validates the block.
func (e DoublingEvent) Validate() error { return each("DoublingEvent", []Event{e.Block}) }

// GroupEvent is what an event shows of a user who contributes to Contributions records at most (group privacy).
type GroupEvent struct {
	Event         Event
	Contributions int
}

func (e GroupEvent) String() string {
	return fmt.Sprintf("%d records in: %v", e.Contributions, e.Event)
}

// Validate validates the event, and wants Contributions >= 1.
func (e GroupEvent) Validate() error {
	if e.Contributions < 1 {
		return fmt.Errorf("privacy: GroupEvent.Contributions = %d, want >= 1", e.Contributions)
	}
	return each("GroupEvent", []Event{e.Event})
}

// ShuffleEvent is the messages of Users users, each Local-locally private, in random order.
type ShuffleEvent struct {
	Local float64 // epsilon of a message
	Users int
}

func (e ShuffleEvent) String() string {
	return fmt.Sprintf("%d messages shuffled, each with local epsilon = %.4g", e.Users, e.Local)
}

// Validate wants Users >= 1 and the local epsilon in (0, Inf).
func (e ShuffleEvent) Validate() error {
	if e.Users < 1 {
		return fmt.Errorf("privacy: ShuffleEvent.Users = %d, want >= 1", e.Users)
	}
	return positive("ShuffleEvent.Local", e.Local)
}

// PureEpsilon returns the local epsilon: shuffling hides, and never shows.
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
		if e == nil {
			return fmt.Errorf("privacy: event %d of a %s is nil", i, of)
		}
		if err := e.Validate(); err != nil {
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
