package privacy

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func gaussianClaim(mu float64) Claim {
	return Claim{Model: Joint, Neighbours: ReplaceRound, Nominal: Budget{1, 1e-6}, Epsilon: GaussianEpsilon(1e-6, mu),
		Event: GaussianEvent{mu}, Conditions: []string{"clipped", OneRound}, Source: "a paper"}
}

func TestCompose(t *testing.T) {
	a, b := gaussianClaim(0.3), gaussianClaim(0.4)
	b.Conditions, b.Source, b.Calibration = []string{"clipped", "sunny"}, "another", AsPublished
	sum, err := Compose(a, b)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "epsilon", sum.Epsilon, GaussianEpsilon(2e-6, 0.5), 1e-9)
	if sum.Nominal != (Budget{2, 2e-6}) || sum.Model != Joint || sum.Neighbours != ReplaceRound || sum.Calibration != AsPublished {
		t.Errorf("composed claim %+v", sum)
	}
	if got := strings.Join(sum.Conditions, "|"); got != "clipped|"+OneRound+"|sunny" || sum.Source != "a paper; another" {
		t.Errorf("conditions %q, source %q", got, sum.Source)
	}
	for what, c := range map[string]func(*Claim){
		"joint model":                     func(c *Claim) { c.Model = Local },
		"add or remove":                   func(c *Claim) { c.Neighbours.Relation = AddRemove },
		"in up to 3 records":              func(c *Claim) { c.Neighbours.Contributions = 3 },
		"rating":                          func(c *Claim) { c.Neighbours.Record = "rating" },
		"has no event":                    func(c *Claim) { c.Event = nil },
		"delta = 1":                       func(c *Claim) { c.Nominal.Delta = 1 },
		"LaplaceEvent.Epsilon = -1, want": func(c *Claim) { c.Event = LaplaceEvent{-1} },
	} {
		other := gaussianClaim(0.4)
		c(&other)
		_, err := Compose(a, other)
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one that names %q", err, what)
		}
		disagree := other.Model != a.Model || other.Neighbours != a.Neighbours
		if errors.Is(err, ErrDisagree) != disagree {
			t.Errorf("%s: wraps ErrDisagree: %v, want %v", what, !disagree, disagree)
		}
	}
	if _, err := Compose(); err == nil {
		t.Error("no claims: no error")
	}
}

func TestForUsers(t *testing.T) {
	c, err := gaussianClaim(0.3).ForUsers(4)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "epsilon", c.Epsilon, GaussianEpsilon(1e-6, 1.2), 1e-9)
	if c.Neighbours.Contributions != 4 || strings.Contains(c.String(), OneRound) || !strings.Contains(c.String(), "4 rounds at most") {
		t.Errorf("claim for users:\n%v", c)
	}
	if _, err := c.ForUsers(2); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("users of users: error %v", err)
	}
	if _, err := gaussianClaim(1).ForUsers(0); err == nil || !strings.Contains(err.Error(), "k = 0") {
		t.Errorf("no records: error %v", err)
	}
	if _, err := (Claim{Neighbours: ReplaceRound}).ForUsers(2); err == nil || !strings.Contains(err.Error(), "no event") {
		t.Errorf("no event: error %v", err)
	}
}

func TestReport(t *testing.T) {
	r, err := NewReport("tree", gaussianClaim(0.3))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "exact", r.Exact, r.Claim.Epsilon, 1e-12)
	for _, word := range []string{"tree\n", "joint differential privacy", ReplaceRound.String(), "exact Gaussian", "mu = 0.3", "Sound", "clipped", OneRound, "a paper"} {
		if !strings.Contains(r.String(), word) {
			t.Errorf("the report does not say %q:\n%v", word, r)
		}
	}
	small := gaussianClaim(0.3)
	small.Epsilon *= 0.9
	if _, err := NewReport("tree", small); err == nil || !strings.Contains(err.Error(), "claims epsilon") {
		t.Errorf("a claim that its event does not keep: error %v", err)
	}
	small.Epsilon = math.NaN()
	if _, err := NewReport("tree", small); err == nil || !strings.Contains(err.Error(), "claims epsilon = NaN") {
		t.Errorf("a claim of NaN: error %v", err)
	}
	nobody := gaussianClaim(0.3)
	nobody.Neighbours = Neighbours{}
	if _, err := NewReport("tree", nobody); err == nil || !strings.Contains(err.Error(), "Neighbours.Record is empty") {
		t.Errorf("a claim about no neighbours: error %v", err)
	}
	if _, err := Compose(nobody, nobody); err == nil || !strings.Contains(err.Error(), "Neighbours.Record is empty") {
		t.Errorf("claims about no neighbours: error %v", err)
	}
	small.Event = nil
	if _, err := NewReport("tree", small); err == nil || !strings.Contains(err.Error(), "no event") {
		t.Errorf("no event: error %v", err)
	}
	if r, err := NewReport("open", Claim{Epsilon: math.Inf(1)}); err != nil || !math.IsInf(r.Exact, 1) || r.String() == "" {
		t.Errorf("no privacy: %v, %v", r, err)
	}
}
