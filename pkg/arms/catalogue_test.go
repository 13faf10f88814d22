package arms_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Each learner of the catalogue has a name of its own, claims the epsilon that it is asked for in
// the model that it is listed with, or nothing if it is not private.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range slices.Concat(arms.Catalogue(), arms.AdversarialCatalogue()) {
		if seen[e.Name] {
			t.Errorf("two learners are named %s", e.Name)
		}
		seen[e.Name] = true
		p := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
		l := opened(t, e.New(p, privacy.Budget{Epsilon: 0.7, Delta: 1e-5}), p, 1000)
		claim := privacy.ClaimOf(l)
		if private := claim.Epsilon() < 1; private != e.Private {
			t.Errorf("%s: private %t, want %t", e.Name, private, e.Private)
		} else if private && (claim.Epsilon() < 0.69 || claim.Epsilon() > 0.7+1e-9 || privacy.PlanOf(l, 1000).Model != e.Model) {
			t.Errorf("%s claims epsilon = %v in model %v, want 0.7 in %v", e.Name, claim.Epsilon(), privacy.PlanOf(l, 1000).Model, e.Model)
		}
	}
}

func ExampleCatalogue() {
	for _, e := range arms.Catalogue() {
		if e.Private && e.Model == privacy.Local {
			fmt.Println(e.Name, "trusts nobody")
		}
	}
	// Output: KL-UCB of bits trusts nobody
}
