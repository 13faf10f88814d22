package privacy

import (
	"fmt"
	"strings"
)

// Calibration says where a noise level comes from.
type Calibration int

const (
	Sound       Calibration = iota // proved enough, as tight as accounting allows: the default
	AsPublished                    // the paper's formula to the letter, for reproducing its figures
	AuthorsCode                    // what the authors ran, where that differs from what they print
)

func (c Calibration) String() string {
	switch c {
	case Sound:
		return "Sound"
	case AsPublished:
		return "AsPublished"
	case AuthorsCode:
		return "AuthorsCode"
	}
	return fmt.Sprintf("Calibration(%d)", int(c))
}

// Model is the trust model: who may see raw data.
type Model string

// The trust models of the toolkit.
const (
	Central Model = "central" // a trusted curator; all that it outputs is private
	Joint   Model = "joint"   // as central, but user t's own action may depend on her own data
)

// Neighbours is the relation between data sets that a claim protects.
type Neighbours string

// ReplaceRound replaces one round's context and reward: event level.
const ReplaceRound Neighbours = "replace one round's (context, reward)"

// Event is what a mechanism releases in a whole run, as far as one record is concerned: what an
// accountant needs to say what it costs.
type Event interface{ String() string }

// GaussianEvent is an adaptive sequence of Gaussian releases in which one record moves the means by mu
// standard deviations in all, in the Euclidean sense.
type GaussianEvent struct{ Mu float64 }

func (e GaussianEvent) String() string { return fmt.Sprintf("Gaussian, mu = %.4g", e.Mu) }

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

// Claim is what a mechanism or learner promises, and what that is worth.
type Claim struct {
	Model       Model
	Neighbours  Neighbours
	Calibration Calibration
	Nominal     Budget  // what was asked for
	Epsilon     float64 // what is proved at Nominal.Delta: exact for a Gaussian tree, an upper bound where its prefixes are padded or the noise is Wishart
	Event       Event
	Conditions  []string // what has to hold for the claim to hold
	Source      string   // paper and theorem
}

// Claimant makes a claim about itself, once initialised.
type Claimant interface{ Claim() Claim }

// String prints the claim as a short report, a fact a line.
func (c Claim) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "model       %s differential privacy\n", c.Model)
	fmt.Fprintf(&s, "neighbours  %s\n", c.Neighbours)
	fmt.Fprintf(&s, "asked for   epsilon = %.4g, delta = %.4g\n", c.Nominal.Epsilon, c.Nominal.Delta)
	fmt.Fprintf(&s, "proved      epsilon = %.4g at that delta\n", c.Epsilon)
	if c.Event != nil {
		fmt.Fprintf(&s, "event       %v\n", c.Event)
	}
	fmt.Fprintf(&s, "calibration %v\n", c.Calibration)
	for _, condition := range c.Conditions {
		fmt.Fprintf(&s, "condition   %s\n", condition)
	}
	fmt.Fprintf(&s, "source      %s\n", c.Source)
	return s.String()
}
