package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Calibration says where the level of the noise comes from.
type Calibration int

const (
	Sound       Calibration = iota // proved to suffice, as tight as accounting allows: the default
	AsPublished                    // the paper's formula to the letter, to reproduce its figures
	// numbers that a field of the mechanism gives, whatever the budget; the claim says what they buy.
	// Only plans have it: to get it, set the field
	Given
)

func (c Calibration) String() string {
	switch c {
	case Sound:
		return "Sound"
	case AsPublished:
		return "AsPublished"
	case Given:
		return "Given"
	}
	return fmt.Sprintf("Calibration(%d)", int(c))
}

// Claim is the guarantee that a plan gives. Only Plan.Claim makes one; the zero Claim claims
// nothing.
type Claim struct {
	plan  Plan
	proof *proof
}

// proof is what the accountants say of a plan. Some of them take longer than a short run, so it is
// made when somebody asks for it, once for all copies of a claim.
type proof struct {
	once    sync.Once
	event   account.Event
	epsilon float64
	by      string // the accountant's name
}

// proved returns the proof, and one that nothing is hidden for the zero Claim.
func (c Claim) proved() *proof {
	if c.proof == nil {
		return &proof{event: account.Exposed{Why: "nothing is claimed"}, epsilon: math.Inf(1)}
	}
	c.proof.once.Do(func() {
		e := c.plan.Event()
		c.proof.event, c.proof.epsilon = e, math.Inf(1)
		if epsilon, by, err := account.Tightest(e, c.plan.Asked.Delta); err == nil && epsilon >= 0 {
			c.proof.epsilon, c.proof.by = epsilon, by
		}
	})
	return c.proof
}

// Held reports whether anything is claimed: whether there is a plan and somebody holds it.
func (c Claim) Held() bool { return c.plan.Held() }

// Plan returns a copy of the plan that the claim is computed from.
func (c Claim) Plan() Plan { return c.plan.copied() }

// Model returns the trust model: who may see raw data.
func (c Claim) Model() Model { return c.plan.Model }

// Neighbours returns the neighbouring relation that the claim protects.
func (c Claim) Neighbours() Neighbours { return c.plan.Neighbours }

// Scope returns which outputs the claim covers.
func (c Claim) Scope() Scope { return c.plan.Scope }

// Calibration returns where the level of the noise comes from.
func (c Claim) Calibration() Calibration { return c.plan.Calibration }

// Asked returns the budget that the noise is calibrated for.
func (c Claim) Asked() Budget { return c.plan.Asked }

// Conditions returns what must hold for the claim to hold.
func (c Claim) Conditions() []string { return slices.Clone(c.plan.Conditions) }

// Source returns the paper and theorem behind the claim.
func (c Claim) Source() string { return c.plan.Source }

// Event returns the event that the accountant was asked about.
func (c Claim) Event() account.Event { return c.proved().event }

// Epsilon returns the proved epsilon, at the delta that was asked for. It is exact for Gaussian
// noise, and otherwise the least upper bound of this package's accountants. +Inf means no privacy.
func (c Claim) Epsilon() float64 { return c.proved().epsilon }

// Proved returns the proved budget: Epsilon, and the delta that was asked for.
func (c Claim) Proved() Budget { return Budget{c.Epsilon(), c.plan.Asked.Delta} }

// Accountant returns the name of the accountant that proves Epsilon.
func (c Claim) Accountant() string { return c.proved().by }

// NotCovered lists the outputs that no claim of this toolkit covers. A saved state, as of package
// snapshot, is no output: it is as secret as the data.
const NotCovered = "error texts, counts of clipped records, running times"

// Fields returns the claim as pairs of a name and a value, one fact each.
func (c Claim) Fields() [][2]string {
	if !c.Held() {
		return [][2]string{{"claim", "none: " + c.plan.why()}}
	}
	p := c.plan
	level := "event: a user has one record"
	if k := p.Neighbours.Contributions; k > 1 {
		level = fmt.Sprintf("user: with at most %d records", k)
	}
	word, by := c.vouched()
	fields := [][2]string{
		{"model", fmt.Sprintf("%s differential privacy", p.Model)},
		{"neighbours", p.Neighbours.String()},
		{"level", level},
		{"covers", p.Scope.String()},
		{"asked for", fmt.Sprintf("epsilon = %.4g, delta = %.4g", p.Asked.Epsilon, p.Asked.Delta)},
		{word, fmt.Sprintf("epsilon = %.4g at that delta (%s)", c.Epsilon(), c.Accountant())},
		{"event", fmt.Sprint(c.Event())},
		{"calibration", p.Calibration.String()},
		{"noise", p.quality.String()},
	}
	fields = append(fields, by...)
	for _, condition := range p.Conditions {
		fields = append(fields, [2]string{"condition", condition})
	}
	return append(fields, [2]string{"not covered", NotCovered}, [2]string{"source", p.Source})
}

// String returns the claim as a short report, one fact a line.
func (c Claim) String() string {
	var s strings.Builder
	for _, f := range c.Fields() {
		fmt.Fprintf(&s, "%-11s %s\n", f[0], f[1])
	}
	return s.String()
}
