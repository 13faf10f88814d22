package catalogue_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// grounds are what an entry is checked on: the first one that it opens for. Means of Gaussian
// rewards do not tie.
var grounds = []bandit.Environment{
	environment.UnitFeatures{Arms: 6, Dim: 3},
	environment.Kernel{Arms: 6},
	environment.SemiBandit{Matroid: expect.Must(matroid.NewUniform(5, 2)), Means: []float64{0.1, 0.9, 0.3, 0.6, 0.2}},
	environment.Arms{Means: []float64{0.3, 0.9, 0.4, 0.1}, Sigma: 0.4},
}

// TestEntries: each learner keeps what every learner promises, and claims no more than the epsilon
// that it is asked for, in the model that it is listed with; or nothing if it is not private. A
// short attack excludes no claim, a false alarm once in ten thousand.
func TestEntries(t *testing.T) {
	for _, e := range catalogue.All() {
		t.Run(e.Name, func(t *testing.T) { entry(t, e) })
	}
}

func entry(t *testing.T, e catalogue.Entry) {
	budget := privacy.Budget{Epsilon: 2, Delta: 1e-5}
	large := privacy.Budget{Epsilon: 20, Delta: 1e-5} // where much is released in a short run
	var refused []error
	for _, env := range grounds {
		p := expect.Must(bandit.OpenWorld(env)).Problem()
		l, claim, err := e.Enter(p, budget, 1000)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		claims(t, e, claim, budget)
		bandittest.Learner(t, e.New(p, large), env, bandittest.LearnerOptions{Seed: 1})
		switch l := l.(type) {
		case learner.Private[privacy.Means]:
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{Policy: l.Policy, Statistic: l.Statistic, Problem: p})
		case learner.Private[privacy.Sums]:
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{Policy: l.Policy, Statistic: l.Statistic, Problem: p})
		}
		if slow := e.Name == "DP-UCB"; e.Private && !(slow && testing.Short()) { // whose claim takes long
			few := p
			few.Arms = p.Slots + 1
			privacytest.Learner(t, privacytest.LearnerCase{Name: e.Name, Learner: e.New(few, budget), Problem: few,
				Long: 4000, Attack: 1000}) // after 4000 rounds each has released something
		}
		return
	}
	t.Errorf("plays nothing: %v", refused)
}

// claims fails if a learner claims more than it is asked for, or another model than its entry's.
func claims(t *testing.T, e catalogue.Entry, claim privacy.Claim, asked privacy.Budget) {
	t.Helper()
	switch epsilon := claim.Epsilon(); {
	case !e.Private && epsilon < asked.Epsilon:
		t.Errorf("claims epsilon = %v: set Entry.Private", epsilon)
	case e.Private && !(epsilon > 0 && epsilon <= asked.Epsilon*(1+1e-6)):
		t.Errorf("claims epsilon = %v of the %v that it is asked for: New has to hand the budget to the statistic", epsilon, asked.Epsilon)
	case e.Private && claim.Model() == privacy.Joint && e.Model == privacy.Central:
		t.Errorf("claims the %v model, as it accepts contexts, and Entry.Model is %v: refuse them in Prepare, or set Entry.Model", claim.Model(), e.Model)
	case e.Private && claim.Model() != e.Model:
		t.Errorf("claims the %v model, and Entry.Model is %v", claim.Model(), e.Model)
	}
}
