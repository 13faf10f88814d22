package privacy

import (
	"fmt"
	"strings"
)

// Event is what a mechanism releases in a whole run, as far as one record is concerned: what an
// accountant needs to say what it costs.
type Event interface{ String() string }

// GaussianEvent is an adaptive sequence of Gaussian releases in which one record moves the means by mu
// standard deviations in all, in the Euclidean sense.
type GaussianEvent struct{ Mu float64 }

func (e GaussianEvent) String() string { return fmt.Sprintf("Gaussian, mu = %.4g", e.Mu) }

// LaplaceEvent is a release under Laplace noise, whose scale is the L1 sensitivity divided by Epsilon.
type LaplaceEvent struct{ Epsilon float64 }

func (e LaplaceEvent) String() string { return fmt.Sprintf("Laplace, epsilon = %.4g", e.Epsilon) }

// DiscreteGaussianEvent is a release of Dim integers under discrete Gaussian noise, P(z) ~ exp(-z^2/(2 Sigma^2)), whose L2 sensitivity is Sensitivity.
type DiscreteGaussianEvent struct {
	Dim         int
	Sensitivity float64 // L2, in units of the integers
	Sigma       float64
}

func (e DiscreteGaussianEvent) String() string {
	return fmt.Sprintf("discrete Gaussian of dimension %d, sensitivity %.4g, sigma = %.4g", e.Dim, e.Sensitivity, e.Sigma)
}

// DiscreteLaplaceEvent is a release of integers under discrete Laplace noise, P(z) ~ exp(-|z|/Scale), whose L1 sensitivity is Sensitivity.
type DiscreteLaplaceEvent struct {
	Sensitivity int64 // L1, in units of the integers
	Scale       float64
}

func (e DiscreteLaplaceEvent) String() string {
	return fmt.Sprintf("discrete Laplace, sensitivity %d, scale %.4g", e.Sensitivity, e.Scale)
}

// ResponseEvent is a randomised response among Choices >= 2.
type ResponseEvent struct {
	Epsilon float64
	Choices int
}

func (e ResponseEvent) String() string {
	return fmt.Sprintf("randomised response, epsilon = %.4g, %d choices", e.Epsilon, e.Choices)
}

// ExponentialEvent is a choice by the exponential mechanism, or a report of the noisy maximum with Gumbel noise: Epsilon bounds the range of its
// privacy loss, max - min over the outputs, which is stronger than epsilon-DP (Durfee and Rogers 2019).
type ExponentialEvent struct{ Epsilon float64 }

func (e ExponentialEvent) String() string {
	return fmt.Sprintf("exponential mechanism, epsilon = %.4g", e.Epsilon)
}

// SparseVectorEvent is a stream of threshold queries of which at most Accepted come out above, with a fresh threshold noise for each
// acceptance; Epsilon is spent for each.
type SparseVectorEvent struct {
	Epsilon  float64
	Accepted int
}

func (e SparseVectorEvent) String() string {
	return fmt.Sprintf("sparse vector, epsilon = %.4g for each of %d accepted", e.Epsilon, e.Accepted)
}

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

// ApproximateEvent is any release of which nothing is known but that it is (epsilon, delta)-private.
type ApproximateEvent struct{ Budget Budget }

func (e ApproximateEvent) String() string { return fmt.Sprintf("%v-private release", e.Budget) }

// TreeEvent is a binary tree of releases, each record in at most Nodes of them.
type TreeEvent struct {
	Node  Event
	Nodes int
}

func (e TreeEvent) String() string { return fmt.Sprintf("tree, %d nodes of: %v", e.Nodes, e.Node) }

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

// Sequence is the adaptive composition of events about the same record.
type Sequence []Event

func (s Sequence) String() string { return "all of: " + list(s) }

// Repeat is the adaptive composition of Times equal events about the same record.
type Repeat struct {
	Event Event
	Times int
}

func (e Repeat) String() string { return fmt.Sprintf("%d times: %v", e.Times, e.Event) }

// Parallel is events of which a record takes part in one at most.
type Parallel []Event

func (p Parallel) String() string { return "one of: " + list(p) }

// DoublingEvent is an anytime mechanism that starts afresh in blocks of doubling length: a record is in one block, which Block bounds
// whatever its length.
type DoublingEvent struct{ Block Event }

func (e DoublingEvent) String() string { return fmt.Sprintf("doubling blocks, each: %v", e.Block) }

// ShuffleEvent is the messages of Users users, each Local-locally private, in random order.
type ShuffleEvent struct {
	Local float64 // epsilon of a message
	Users int
}

func (e ShuffleEvent) String() string {
	return fmt.Sprintf("%d messages shuffled, each with local epsilon = %.4g", e.Users, e.Local)
}

func list(events []Event) string {
	var s []string
	for _, e := range events {
		s = append(s, e.String())
	}
	return strings.Join(s, "; ")
}
