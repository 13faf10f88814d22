package external

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// claim is the privacy that a program states.
type claim struct {
	budget     privacy.Budget
	model      privacy.Model
	neighbours privacy.Neighbours
}

// models are the trust models by their names.
var models = []privacy.Model{privacy.Central, privacy.Joint, privacy.Shuffled, privacy.Local}

// readClaim reads a claim.
func readClaim(text []byte) (*claim, error) {
	fields, err := object(text, "epsilon", "delta", "model", "neighbours")
	if err != nil {
		return nil, fmt.Errorf(`in "claim": %w`, err)
	}
	c := claim{neighbours: privacy.ReplaceRound}
	var model string
	if err := errors.Join(
		member(fields, "epsilon", &c.budget.Epsilon), member(fields, "delta", &c.budget.Delta),
		member(fields, "model", &model), member(fields, "neighbours", &c.neighbours.Record)); err != nil {
		return nil, fmt.Errorf(`in "claim": %w`, err)
	}
	if err := c.budget.Validate(); err != nil {
		return nil, fmt.Errorf(`in "claim": %s`, strings.TrimPrefix(err.Error(), "privacy: "))
	}
	if n := len(c.neighbours.Record); n == 0 || n > mostText {
		return nil, fmt.Errorf(`in "claim": "neighbours" of %d bytes, want 1 to %d`, n, mostText)
	}
	for _, m := range models {
		if m.String() == model {
			c.model = m
			return &c, nil
		}
	}
	return nil, fmt.Errorf(`in "claim": "model" of %q, want one of %v`, cut(model, 40), models)
}

// equal reports whether two programs claim the same.
func (c *claim) equal(d *claim) bool { return c == nil && d == nil || c != nil && d != nil && *c == *d }

// Plan returns the plan of what the program states.
func (o *opened) Plan(int) privacy.Plan { return o.plan().HeldBy(o) }

// plan returns a plan of one release, of which nothing is known but the budget. It lists no draws,
// so that no ledger is asked for them: the program's noise is its own.
func (p *pool) plan() privacy.Plan {
	c := p.ready.Claim
	if c == nil {
		none := privacy.NoPlan("the program %q states no claim", p.ready.Name)
		none.Draws = nil // what it draws is its own affair
		return none
	}
	scope := privacy.OtherOutputs
	if c.model == privacy.Central {
		scope = privacy.AllOutputs
	}
	return privacy.Plan{
		Model: c.model, Neighbours: c.neighbours, Scope: scope, Calibration: privacy.Given, Asked: c.budget,
		Cases:      [][]privacy.Release{{{Own: account.ApproximateEvent{Epsilon: c.budget.Epsilon, Delta: c.budget.Delta}}}},
		Conditions: []string{"the program does what it says: it draws its own noise, which nobody counts"},
		Source:     fmt.Sprintf("what the program %q says of itself", p.ready.Name),
	}.AssertedBy(fmt.Sprintf("the program %q", p.ready.Name))
}
