package learner_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Each learner of the catalogues has a name of its own, plays, and claims no more than the epsilon
// that it is asked for, in the model that it is listed with; or nothing if it is not private.
func TestCatalogues(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range slices.Concat(learner.LinearCatalogue(), learner.SlotsCatalogue()) {
		if seen[e.Name] {
			t.Errorf("two learners are named %s", e.Name)
		}
		seen[e.Name] = true
		p := bandit.Problem{Arms: 4, Slots: 1, RewardMin: -1, RewardMax: 1}
		if e.Linear {
			p.Dim, p.ContextNorm = 2, 1
		}
		l, err := e.New(p, privacy.Budget{Epsilon: 0.7, Delta: 1e-5}).Open(p, 1000)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if !e.Private {
			if planner, ok := l.(privacy.Planner); ok && !math.IsInf(privacy.ClaimOf(planner).Epsilon(), 1) {
				t.Errorf("%s claims epsilon = %v, want nothing", e.Name, privacy.ClaimOf(planner).Epsilon())
			}
			continue
		}
		claim, model := privacy.ClaimOf(l), privacy.PlanOf(l, 1000).Model
		if !(claim.Epsilon() > 0 && claim.Epsilon() <= 0.7*(1+1e-6)) || model != e.Model {
			t.Errorf("%s claims epsilon = %v in the %v model, want 0.7 in the %v one", e.Name, claim.Epsilon(), model, e.Model)
		}
	}
}

func ExampleLinearCatalogue() {
	for _, e := range learner.LinearCatalogue() {
		if e.Private && e.Model == privacy.Local {
			fmt.Println(e.Name, "trusts nobody")
		}
	}
	// Output: LDP LinUCB trusts nobody
}
