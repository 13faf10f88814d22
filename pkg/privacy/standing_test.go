package privacy

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestStanding: a plan that a stranger's type has held says so, whoever holds it next.
func TestStanding(t *testing.T) {
	stranger := new(struct{ int }) // a type of no package is not this module's
	ours := gaussianPlan(0.3)
	if c := ours.Claim(); c.Standing() != Checked || len(c.Authors()) != 0 || !strings.Contains(c.String(), "\nproved      epsilon") {
		t.Errorf("%v by %v:\n%v", c.Standing(), c.Authors(), c)
	}
	theirs := ours.HeldBy(stranger)
	again := theirs.HeldBy(&holder{"ours again"})
	both, err := Compose(&holder{"both"}, ours, again)
	if err != nil {
		t.Fatal(err)
	}
	users, err := again.ForUsers(2)
	if err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]Plan{"theirs": theirs, "wrapped": again, "composed": both, "with more": again.With(Release{Law: GaussianLaw(1, 1)}), "for users": users} {
		c := p.Claim()
		if text := c.String(); c.Standing() != Asserted || !slices.Equal(c.Authors(), []string{"struct { int }"}) || strings.Contains(text, "proved") ||
			!strings.Contains(text, "\nasserted    epsilon") || !strings.Contains(text, "and not checked") {
			t.Errorf("%s: %v by %v:\n%v", what, c.Standing(), c.Authors(), c)
		}
	}
	if ours.Claim().Standing() != Checked {
		t.Error("a plan was changed by whoever held a copy")
	}
	if got := (Claim{}).Standing(); got != Asserted {
		t.Errorf("a claim of nothing is %v", got)
	}
}

// TestTrusts: a plan that takes a stranger's word for a rule says so, and one of a rule of ours
// does not.
func TestTrusts(t *testing.T) {
	ours := gaussianPlan(0.3)
	if c := ours.Trusts(nil, &holder{"a rule of ours"}).Claim(); c.Standing() != Checked || len(c.Authors()) != 0 {
		t.Errorf("%v by %v", c.Standing(), c.Authors())
	}
	c := ours.Trusts(new(struct{ int })).HeldBy(&holder{"ours again"}).Claim()
	if c.Standing() != Stated || !slices.Equal(c.Authors(), []string{"struct { int }"}) || !strings.Contains(c.String(), "\nstated      epsilon") {
		t.Errorf("%v by %v:\n%v", c.Standing(), c.Authors(), c)
	}
}

// TestGrants: neither a batch nor the quality of noise can be had without a grant.
func TestGrants(t *testing.T) {
	for _, n := range []int{-1, 0} {
		if p := gaussianPlan(0.3).Mixed(trust.Order, n); p.Held() {
			t.Errorf("batches of %d are accepted", n)
		}
	}
	if p := gaussianPlan(0.3).Mixed(trust.Batch{}, 10); p.Held() {
		t.Error("a mixer that is nobody is accepted")
	}
	mixed := gaussianPlan(0.3).Mixed(trust.Order, 7)
	if mixed.Batch() != 7 || gaussianPlan(0.3).Batch() != 1 {
		t.Errorf("batches of %d and %d, want 7 and 1", mixed.Batch(), gaussianPlan(0.3).Batch())
	}
	// What is no struct can be written as a constant, without the name of its type.
	for _, grant := range []any{trust.Order, trust.Discrete} {
		if k := reflect.TypeOf(grant).Kind(); k != reflect.Struct {
			t.Errorf("a %T is a %v: anybody can grant one", grant, k)
		}
	}
	if mixed.Adds() || !gaussianPlan(0.3).Mixed(trust.Sum, 7).Adds() {
		t.Error("a plan counts on a sum where it was granted an order, or does not where it was granted one")
	}
	secure := gaussianPlan(0.3).Secured(trust.Discrete)
	if !secure.Secure() || gaussianPlan(0.3).Secured(trust.System{}).Secure() {
		t.Error("Secured without a grant, or not with one")
	}
	if secure.With(Release{Law: LaplaceLaw(1, 1)}).Secure() {
		t.Error("secure noise and a seeded release are secure")
	}
}

// TestMessageIsMovedAsOne: a shuffler does not part the releases of a message, so that responses
// are amplified by the sum of their epsilons, and nothing else beside another release.
func TestMessageIsMovedAsOne(t *testing.T) {
	response := Release{Law: ResponseLaw(2, 1), Times: 4}
	plan := func(releases ...Release) Plan {
		return Plan{Neighbours: ReplaceRound, Asked: Budget{Epsilon: 1, Delta: 1e-6}, Cases: [][]Release{releases}}.Mixed(trust.Order, 1000).HeldBy(new(int))
	}
	if got, want := plan(response).Claim().Event(), (account.ShuffleEvent{Local: 4, Users: 1000}); got != account.Event(want) {
		t.Errorf("four responses in a message: %v, want %v", got, want)
	}
	response.Times = 0
	if got, want := plan(response, response).Claim().Event(), (account.ShuffleEvent{Local: 2, Users: 1000}); got != account.Event(want) {
		t.Errorf("two responses in a message: %v, want %v", got, want)
	}
	noisy := Release{Law: GaussianLaw(1, 2), Sensitivity: Norms{L2: 1}}
	if got, want := plan(response, noisy).Claim().Event(), (account.Sequence{account.ResponseEvent{Epsilon: 1, Choices: 2}, account.GaussianEvent{Mu: 0.5}}); !reflect.DeepEqual(got, account.Event(want)) {
		t.Errorf("a response and a noisy number in a message: %v, want %v, as without a shuffler", got, want)
	}
}

// TestAccounted: a message may not have more draws than its plan has releases.
func TestAccounted(t *testing.T) {
	law := ResponseLaw(2, 1)
	p := Plan{Asked: Budget{Epsilon: 2}, Neighbours: ReplaceRound}.With(Release{Law: law})
	for draws, want := range []bool{true, true, false} {
		p.Draws = []Draws{{law, draws}}
		if err := p.Accounted(); (err == nil) != want {
			t.Errorf("%d draws of one release: %v", draws, err)
		}
	}
	p.Cases[0][0].Times = 2
	if err := p.Accounted(); err != nil {
		t.Errorf("two draws of two releases: %v", err)
	}
	p.Draws = []Draws{{LaplaceLaw(1, 1), 1}}
	if p.Accounted() == nil {
		t.Error("noise of a law that is in no release")
	}
}
