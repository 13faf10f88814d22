package catalogue

import (
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Arms lists the learners that play for a small regret, each with the constants that its paper
// publishes. A race at equal privacy gives all of them the same budget.
func Arms() []Entry {
	type made = learner.Private[privacy.Means]
	return []Entry{
		{Name: "UCB1", New: public(arms.NewUCB1)},
		{Name: "KL-UCB", New: public(arms.NewKLUCB)},
		{Name: "IMED", New: public(arms.NewIMED)},
		{Name: "Thompson", New: public(arms.NewThompson)},
		{Name: "DP-SE", Private: true, New: pure(arms.NewDPElimination)},
		{Name: "DP-UCB", Private: true, Streaming: true, New: pure(arms.NewDPUCB)},
		{Name: "AdaP-UCB", Private: true, New: pure(arms.NewAdaPUCB)},
		{Name: "AdaP-KLUCB", Private: true, New: pure(arms.NewAdaPKLUCB)},
		{Name: "AdaC-UCB", Private: true, New: gaussian(arms.NewAdaCUCB)},
		{Name: "Lazy-UCB", Private: true, New: pure(arms.NewLazyUCB)},
		{Name: "Lazy-DP-TS", Private: true, New: pure(arms.NewLazyThompson)},
		{Name: "DP-KLUCB", Private: true, New: pure(func(e float64) made { return arms.NewDPKLUCB(e, 1.2) })},
		{Name: "DP-IMED", Private: true, New: pure(func(e float64) made { return arms.NewDPIMED(e, 2) })},
		{Name: "TargetIMED", Private: true, New: pure(arms.NewTargetIMED)},
		{Name: "KL-UCB of bits", Private: true, Model: privacy.Local, Streaming: true, New: pure(arms.NewLocalKLUCB)},
	}
}

// Adversarial lists the learners for rewards that an adversary has fixed. Those of
// Arms are for rewards of a law.
func Adversarial() []Entry {
	return []Entry{
		{Name: "EXP3", New: public(arms.NewEXP3)},
		{Name: "EXP3-IX", New: public(arms.NewEXP3IX)},
		{Name: "Tsallis-INF", New: public(arms.NewTsallisINF)},
		{Name: "DP-HTINF", Private: true, New: pure(arms.NewPrivateHTINF)},
	}
}
