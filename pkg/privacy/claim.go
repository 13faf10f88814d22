package privacy

import (
	"fmt"
	"math"
	"reflect"
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

// notCovered lists the outputs that no claim of this toolkit covers. A saved state, as of package
// snapshot, is no output: it is as secret as the data.
const notCovered = "error texts, counts of clipped records, running times"

// quality says for what purpose noise is good enough.
func quality(secure bool) string {
	if secure {
		return "secure: discrete, from the operating system"
	}
	return "for research: floating point, and seeded"
}

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
		{"noise", quality(p.secure)},
	}
	fields = append(fields, by...)
	for _, condition := range p.Conditions {
		fields = append(fields, [2]string{"condition", condition})
	}
	return append(fields, [2]string{"not covered", notCovered}, [2]string{"source", p.Source})
}

// String returns the claim as a short report, one fact a line.
func (c Claim) String() string {
	var s strings.Builder
	for _, f := range c.Fields() {
		fmt.Fprintf(&s, "%-11s %s\n", f[0], f[1])
	}
	return s.String()
}

// Standing says who vouches for what a claim is computed from.
type Standing int

// The standings, from the firmest on.
const (
	// Checked: all plans are made by types of this module, whose tests and audits exercise them.
	Checked Standing = iota
	// Stated: somebody else's statistic, device, noise or rule states what it releases or needs.
	// Package privacytest can take it apart.
	Stated
	// Asserted: somebody else's learner or mechanism has a plan that is written by hand. Nothing
	// compares it with what is released; an audit may.
	Asserted
)

func (s Standing) String() string {
	switch s {
	case Checked:
		return "checked"
	case Stated:
		return "stated by its author"
	case Asserted:
		return "asserted, not checked"
	}
	return fmt.Sprintf("Standing(%d)", int(s))
}

// origin lists the types outside of this module that have held a plan on its way.
type origin struct {
	standing Standing
	authors  []string
}

// toolkit is what the import paths of this module's packages begin with.
var toolkit = strings.TrimSuffix(reflect.TypeFor[Plan]().PkgPath(), "privacy")

// heldBy returns the origin of a plan that x holds next.
func (o origin) heldBy(x any) origin {
	of := stranger(x)
	if of == nil {
		return o
	}
	return o.with(origin{standing(reflect.TypeOf(x)), []string{of.String()}})
}

// stranger returns the type of x, or what it points to, if it is not of this module; else nil.
func stranger(x any) reflect.Type {
	of := reflect.TypeOf(x)
	if of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of == nil || strings.HasPrefix(of.PkgPath(), toolkit) {
		return nil
	}
	return of
}

// Trusts returns the plan with the rules whose word it takes, such as one that scores records or
// one that sets lengths. Of those that are not of this module it says that their authors vouch for
// them.
func (p Plan) Trusts(rules ...any) Plan {
	for _, rule := range rules {
		if of := stranger(rule); of != nil {
			p.origin = p.origin.with(origin{Stated, []string{of.String()}})
		}
	}
	return p
}

// AssertedBy returns the plan as one that somebody outside of this module asserts, such as "the
// program \"mine\"", and that nothing checks.
func (p Plan) AssertedBy(who string) Plan {
	p.origin = p.origin.with(origin{Asserted, []string{who}})
	return p
}

// standing returns what an outsider's plan is worth: Stated for a part that privacytest can take
// apart, which is a statistic, a tree's noise, or a device, and for a run of one.
func standing(t reflect.Type) Standing {
	if start, ok := t.MethodByName("Start"); apart(t) || ok && start.Type.NumOut() == 1 && apart(start.Type.Out(0)) {
		return Stated
	}
	return Asserted
}

// apart reports whether a type has a method that privacytest takes a part by.
func apart(t reflect.Type) bool {
	_, device := t.MethodByName("Report")
	return device || t.Implements(reflect.TypeFor[interface{ Add(*Record) (bool, error) }]()) ||
		t.Implements(reflect.TypeFor[interface{ Levels() (int, bool) }]())
}

// with returns the origin of a plan that is made of two.
func (o origin) with(p origin) origin {
	o.standing, o.authors = max(o.standing, p.standing), slices.Clone(o.authors)
	for _, author := range p.authors {
		if !slices.Contains(o.authors, author) {
			o.authors = append(o.authors, author)
		}
	}
	return o
}

// Standing says who vouches for what the claim is computed from. A claim of nothing is Asserted.
func (c Claim) Standing() Standing {
	if !c.Held() {
		return Asserted
	}
	return c.plan.origin.standing
}

// Authors returns the types outside of this module that vouch for a part of the claim, such as
// "main.Totals".
func (c Claim) Authors() []string { return slices.Clone(c.plan.origin.authors) }

// vouched returns what a claim calls its epsilon, and who vouches for it unless this module does.
func (c Claim) vouched() (word string, by [][2]string) {
	authors := strings.Join(c.plan.origin.authors, ", ")
	switch c.Standing() {
	case Stated:
		return "stated", [][2]string{{"stated by", authors + ", its author: see package privacytest for checks of it"}}
	case Asserted:
		return "asserted", [][2]string{{"asserted by", authors + ", and not checked: its plan is written by hand"}}
	}
	return "proved", nil
}
