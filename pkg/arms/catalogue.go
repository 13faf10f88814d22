package arms

import (
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Entry is a learner of this package under the name that figures give it.
type Entry struct {
	Name    string
	Private bool
	Model   privacy.Model // of a private learner
	// Streaming means that a reward shows in more than one release.
	Streaming bool
	// New makes the learner. One with Laplace noise or randomised bits takes the budget's epsilon and
	// leaves its delta; one that is not private leaves both.
	New func(b privacy.Budget) *learner.Private[privacy.Means]
}

// Catalogue lists the learners that play for a small regret, each with the constants that its paper
// publishes. A race at equal privacy gives all of them the same budget.
func Catalogue() []Entry {
	type made = *learner.Private[privacy.Means]
	public := func(make func() made) func(privacy.Budget) made {
		return func(privacy.Budget) made { return make() }
	}
	pure := func(make func(epsilon float64) made) func(privacy.Budget) made {
		return func(b privacy.Budget) made { return make(b.Epsilon) }
	}
	return []Entry{
		{Name: "UCB1", New: public(NewUCB1)},
		{Name: "KL-UCB", New: public(NewKLUCB)},
		{Name: "IMED", New: public(NewIMED)},
		{Name: "Thompson", New: public(NewThompson)},
		{Name: "DP-SE", Private: true, New: pure(NewDPElimination)},
		{Name: "DP-UCB", Private: true, Streaming: true, New: pure(NewDPUCB)},
		{Name: "AdaP-UCB", Private: true, New: pure(NewAdaPUCB)},
		{Name: "AdaP-KLUCB", Private: true, New: pure(NewAdaPKLUCB)},
		{Name: "AdaC-UCB", Private: true, New: NewAdaCUCB},
		{Name: "Lazy-UCB", Private: true, New: pure(NewLazyUCB)},
		{Name: "Lazy-DP-TS", Private: true, New: pure(NewLazyThompson)},
		{Name: "DP-KLUCB", Private: true, New: pure(func(e float64) made { return NewDPKLUCB(e, 1.2) })},
		{Name: "DP-IMED", Private: true, New: pure(func(e float64) made { return NewDPIMED(e, 2) })},
		{Name: "TargetIMED", Private: true, New: pure(NewTargetIMED)},
		{Name: "KL-UCB of bits", Private: true, Model: privacy.Local, Streaming: true, New: pure(NewLocalKLUCB)},
	}
}
