package privacy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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
