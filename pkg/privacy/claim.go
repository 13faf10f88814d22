package privacy

import (
	"fmt"
	"strings"
)

// Calibration says where a noise level comes from.
type Calibration int

const (
	Sound        Calibration = iota // proved enough, as tight as accounting allows: the default
	AsPublished                     // the paper's formula to the letter, for reproducing its figures
	AuthorsCode                     // what the authors ran, where that differs from what they print
	Illustrative                    // the constants of a public script, whose noise does not buy the epsilon in its name: for comparisons, never to protect anybody
)

func (c Calibration) String() string {
	switch c {
	case Sound:
		return "Sound"
	case AsPublished:
		return "AsPublished"
	case AuthorsCode:
		return "AuthorsCode"
	case Illustrative:
		return "Illustrative"
	}
	return fmt.Sprintf("Calibration(%d)", int(c))
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

// Ledgered is a claimant that says which noise its claim rests on, so that a Ledger can compare it with what was drawn.
type Ledgered interface {
	Claimant
	// Draws returns what the noise source must have drawn since Reset, by the claim and the number of records taken in.
	Draws() []Draws
}

// Meter is a claimant that knows what it spends as it goes.
type Meter interface {
	Claimant
	// Spent returns the event of what the releases after a number of records show of one record, of the one that they cost the most. It
	// grows with the number, up to the claim's event, and does not depend on the data.
	Spent(records int) Event
}

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
