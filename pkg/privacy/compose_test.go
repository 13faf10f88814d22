package privacy

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// holder is what holds a plan in tests.
type holder struct{ name string }

// gaussianPlan is the plan of a Gaussian release of mu, held by somebody.
func gaussianPlan(mu float64) Plan {
	return Plan{Model: Joint, Scope: OtherOutputs, Neighbours: ReplaceRound, Asked: Budget{1, 1e-6},
		Cases:      [][]Release{{{Law: GaussianLaw(2, 5), Sensitivity: Norms{L2: 5 * mu}}}},
		Conditions: []string{"clipped", "windy"}, Source: "a paper"}.HeldBy(&holder{"one"})
}

func TestCompose(t *testing.T) {
	a, b := gaussianPlan(0.3), gaussianPlan(0.4)
	b.Conditions, b.Source, b.Calibration, b.secure = []string{"clipped", "sunny"}, "another", AsPublished, true
	both := &holder{"both"}
	sum, err := Compose(both, a, b)
	if err != nil {
		t.Fatal(err)
	}
	claim := sum.Claim()
	near(t, "epsilon", claim.Epsilon(), account.GaussianEpsilon(2e-6, 0.5), 1e-9)
	if claim.Asked() != (Budget{2, 2e-6}) || claim.Model() != Joint || claim.Neighbours() != ReplaceRound || claim.Calibration() != AsPublished || claim.Scope() != OtherOutputs || sum.Secure() {
		t.Errorf("composed claim\n%v", claim)
	}
	if got := strings.Join(claim.Conditions(), "|"); got != "clipped|windy|sunny" || claim.Source() != "a paper; another" {
		t.Errorf("conditions %q, source %q", got, claim.Source())
	}
	if !sum.Of(both).Held() || sum.Of(a.holder).Held() {
		t.Error("the composed plan is not the composer's own")
	}
	for what, c := range map[string]func(*Plan){
		"joint model":                  func(p *Plan) { p.Model = Local },
		"add or remove":                func(p *Plan) { p.Neighbours.Relation = AddRemove },
		"in up to 3 records":           func(p *Plan) { p.Neighbours.Contributions = 3 },
		"rating":                       func(p *Plan) { p.Neighbours.Record = "rating" },
		"the message of one user":      func(p *Plan) { p.Scope = OneMessage },
		"nobody holds the plan":        func(p *Plan) { *p = p.HeldBy(nil) },
		"in the clear":                 func(p *Plan) { *p = NoPlan("it is in the clear") },
		"delta = 1":                    func(p *Plan) { p.Asked.Delta = 1 },
		"a release without noise":      func(p *Plan) { p.Cases = [][]Release{{{}}} },
		"sensitivity of {L1:-1":        func(p *Plan) { p.Cases[0][0] = Release{Law: LaplaceLaw(1, 1), Sensitivity: Norms{L1: -1}} },
		"Neighbours.Record is empty":   func(p *Plan) { p.Neighbours.Record = "" },
		"Neighbours.Contributions = 0": func(p *Plan) { p.Neighbours.Contributions = 0 },
	} {
		other := gaussianPlan(0.4)
		c(&other)
		first := a
		if strings.HasPrefix(what, "Neighbours") {
			first = other
		}
		sum, err := Compose(both, first, other)
		if err == nil && math.IsInf(sum.Claim().Epsilon(), 1) { // the event says what is wrong
			err = sum.Event().Validate()
		}
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one that names %q", err, what)
		}
		disagree := other.Held() && !strings.HasPrefix(what, "Neighbours") && (other.Model != a.Model || other.Neighbours != a.Neighbours || other.Scope != a.Scope)
		if errors.Is(err, ErrDisagree) != disagree {
			t.Errorf("%s: wraps ErrDisagree: %v, want %v", what, !disagree, disagree)
		}
	}
	if _, err := Compose(both); err == nil {
		t.Error("no plans: no error")
	}
}

// TestComposeOfCases: where a record has several places in two mechanisms, the sum has each pair.
func TestComposeOfCases(t *testing.T) {
	a, b := gaussianPlan(0.3), gaussianPlan(0.4)
	a.Cases = append(a.Cases, gaussianPlan(0.2).Cases[0])
	b.Cases = append(b.Cases, gaussianPlan(0.1).Cases[0], nil)
	sum, err := Compose(t, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Cases) != 6 || len(a.Cases) != 2 || len(b.Cases) != 3 {
		t.Errorf("%d cases of %d and %d, want 6", len(sum.Cases), len(a.Cases), len(b.Cases))
	}
	near(t, "epsilon", sum.Claim().Epsilon(), account.GaussianEpsilon(2e-6, 0.5), 1e-9)
}

func TestForUsers(t *testing.T) {
	p, err := gaussianPlan(0.3).ForUsers(4)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Claim()
	near(t, "epsilon", c.Epsilon(), account.GaussianEpsilon(1e-6, 1.2), 1e-9)
	if c.Neighbours().Contributions != 4 || strings.Contains(c.String(), "one record") || !strings.Contains(c.String(), "at most 4 records") {
		t.Errorf("claim for users:\n%v", c)
	}
	if one := gaussianPlan(0.3).Claim().String(); !strings.Contains(one, "a user has one record") {
		t.Errorf("claim for records:\n%v", one)
	}
	if _, err := p.ForUsers(2); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("users of users: error %v", err)
	}
	if _, err := gaussianPlan(1).ForUsers(0); err == nil || !strings.Contains(err.Error(), "k = 0") {
		t.Errorf("no records: error %v", err)
	}
	if _, err := (Plan{Neighbours: ReplaceRound}).ForUsers(2); err == nil || !strings.Contains(err.Error(), "nobody holds") {
		t.Errorf("nobody's plan: error %v", err)
	}
}

// TestClaim: a claim says all that its plan does, and what an accountant finds its event worth.
func TestClaim(t *testing.T) {
	c := gaussianPlan(0.3).Claim()
	exact, by, err := account.Tightest(account.GaussianEvent{Mu: 0.3}, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "epsilon", c.Epsilon(), exact, 1e-12)
	if c.Accountant() != by || c.Proved() != (Budget{c.Epsilon(), 1e-6}) {
		t.Errorf("proved: %v by %s, want by %s", c.Proved(), c.Accountant(), by)
	}
	for _, word := range []string{"joint differential privacy", ReplaceRound.String(), OtherOutputs.String(), "epsilon = 1, delta = 1e-06", "exact Gaussian",
		"mu = 0.3", "Sound", quality(false), "clipped", "a user has one record", notCovered, "a paper"} {
		if !strings.Contains(c.String(), word) {
			t.Errorf("the claim does not say %q:\n%v", word, c)
		}
	}
	c.Conditions()[0] = "none"
	if c.Conditions()[0] != "clipped" {
		t.Error("who reads the conditions of a claim can change them")
	}
}
