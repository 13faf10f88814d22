package judge

import (
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Claim is what a learner promises for the races, as accountants compute it.
type Claim struct {
	Held       bool     `json:"held"` // it promises anything
	Epsilon    Number   `json:"epsilon"`
	Delta      float64  `json:"delta"`
	Asked      Number   `json:"asked"` // the epsilon that the noise is calibrated for
	Accountant string   `json:"accountant"`
	Model      string   `json:"model"`
	Neighbours string   `json:"neighbours"`
	Scope      string   `json:"scope"`
	Noise      string   `json:"noise"`    // where its level comes from
	Standing   string   `json:"standing"` // who vouches for it
	Authors    []string `json:"authors,omitempty"`
	Conditions []string `json:"conditions,omitempty"`
	// Elsewhere lists the proved epsilon by world, where it differs from Epsilon.
	Elsewhere map[string]Number `json:"elsewhere,omitempty"`
}

// claim fills in the claim, of the first world that the learner plays.
func (j *judging) claim() {
	first := j.places[0].claim
	c := Claim{Held: first.Held(), Epsilon: Number(first.Epsilon())}
	if c.Held {
		c.Delta, c.Asked, c.Accountant = first.Proved().Delta, Number(first.Asked().Epsilon), first.Accountant()
		c.Model, c.Neighbours, c.Scope = first.Model().String(), first.Neighbours().String(), first.Scope().String()
		c.Noise, c.Standing = first.Calibration().String(), first.Standing().String()
		c.Authors, c.Conditions = first.Authors(), first.Conditions()
	}
	for _, p := range j.places[1:] {
		if e := p.claim.Epsilon(); e != first.Epsilon() {
			if c.Elsewhere == nil {
				c.Elsewhere = map[string]Number{}
			}
			c.Elsewhere[p.Name] = Number(e)
		}
	}
	j.card.Claim = c
}

// budget is what a rival gets: what the learner proves in a world, or nothing that is finite.
func budget(c privacy.Claim) privacy.Budget {
	if !c.Held() || math.IsInf(c.Epsilon(), 1) {
		return privacy.Budget{Epsilon: math.Inf(1)}
	}
	return c.Proved()
}

// Asserted reports whether nobody but its author vouches for the claim.
func (c Claim) Asserted() bool { return strings.HasPrefix(c.Standing, privacy.Asserted.String()) }

// Word returns "proved" of a claim that the toolkit's checks have exercised, and "stated" of one
// that rests on what its author says.
func (c Claim) Word() string {
	if c.Standing == privacy.Checked.String() {
		return "proved"
	}
	return "stated"
}
