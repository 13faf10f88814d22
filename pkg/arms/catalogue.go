package arms

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Catalogue lists the learners that play for a small regret, each with the constants that its paper
// publishes. A race at equal privacy gives all of them the same budget.
func Catalogue() []learner.Entry {
	type made = learner.Private[privacy.Means]
	type maker = func(bandit.Problem, privacy.Budget) bandit.Learner
	public := func(make func() made) maker {
		return func(bandit.Problem, privacy.Budget) bandit.Learner { return make() }
	}
	pure := func(make func(epsilon float64) made) maker {
		return func(_ bandit.Problem, b privacy.Budget) bandit.Learner { return make(b.Epsilon) }
	}
	gaussian := func(make func(privacy.Budget) made) maker {
		return func(_ bandit.Problem, b privacy.Budget) bandit.Learner { return make(b) }
	}
	return []learner.Entry{
		{Name: "UCB1", New: public(NewUCB1)},
		{Name: "KL-UCB", New: public(NewKLUCB)},
		{Name: "IMED", New: public(NewIMED)},
		{Name: "Thompson", New: public(NewThompson)},
		{Name: "DP-SE", Private: true, New: pure(NewDPElimination)},
		{Name: "DP-UCB", Private: true, Streaming: true, New: pure(NewDPUCB)},
		{Name: "AdaP-UCB", Private: true, New: pure(NewAdaPUCB)},
		{Name: "AdaP-KLUCB", Private: true, New: pure(NewAdaPKLUCB)},
		{Name: "AdaC-UCB", Private: true, New: gaussian(NewAdaCUCB)},
		{Name: "Lazy-UCB", Private: true, New: pure(NewLazyUCB)},
		{Name: "Lazy-DP-TS", Private: true, New: pure(NewLazyThompson)},
		{Name: "DP-KLUCB", Private: true, New: pure(func(e float64) made { return NewDPKLUCB(e, 1.2) })},
		{Name: "DP-IMED", Private: true, New: pure(func(e float64) made { return NewDPIMED(e, 2) })},
		{Name: "TargetIMED", Private: true, New: pure(NewTargetIMED)},
		{Name: "KL-UCB of bits", Private: true, Model: privacy.Local, Streaming: true, New: pure(NewLocalKLUCB)},
	}
}

// AdversarialCatalogue lists the learners for rewards that an adversary has fixed. Those of
// Catalogue are for rewards of a law.
func AdversarialCatalogue() []learner.Entry {
	public := func(name string, make func() learner.Private[privacy.Means]) learner.Entry {
		return learner.Entry{Name: name, New: func(bandit.Problem, privacy.Budget) bandit.Learner { return make() }}
	}
	return []learner.Entry{
		public("EXP3", NewEXP3),
		public("EXP3-IX", NewEXP3IX),
		public("Tsallis-INF", NewTsallisINF),
		{Name: "DP-HTINF", Private: true, New: func(_ bandit.Problem, b privacy.Budget) bandit.Learner {
			return NewPrivateHTINF(b.Epsilon)
		}},
	}
}
