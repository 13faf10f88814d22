package catalogue

import (
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// single lists the learners that play for a small regret, each with the constants that its paper
// publishes. A race at equal privacy gives all of them the same budget.
//
// Those that look for the best arm alone, such as arms.SequentialHalving, are not in the list: they
// explore as long as they may, whatever that costs.
func single() []Entry {
	type made = learner.Private[privacy.Means]
	all := []Entry{
		{Name: "UCB1", New: public(arms.UCB1{}.Learner)},
		{Name: "KL-UCB", New: public(arms.KLUCB{}.Learner)},
		{Name: "IMED", New: public(arms.IMED{}.Learner)},
		{Name: "Thompson", New: public(arms.Thompson{}.Learner)},
		{Name: "DP-SE", Private: true, New: pure(arms.DPElimination{}.Private)},
		{Name: "DP-UCB", Private: true, Streaming: true, New: pure(arms.DPUCB{}.Private)},
		{Name: "AdaP-UCB", Private: true, New: pure(arms.AdaPUCB{}.Private)},
		{Name: "AdaP-KLUCB", Private: true, New: pure(arms.AdaPKLUCB{}.Private)},
		{Name: "AdaC-UCB", Private: true, New: gaussian(arms.AdaCUCB{}.Private)},
		{Name: "Lazy-UCB", Private: true, New: pure(arms.LazyUCB{}.Private)},
		{Name: "Lazy-DP-TS", Private: true, New: pure(arms.LazyThompson{}.Private)},
		{Name: "DP-KLUCB", Private: true, New: pure(func(e float64) made { return arms.KLUCB{}.Private(e, 1.2) })},
		{Name: "DP-IMED", Private: true, New: pure(func(e float64) made { return arms.IMED{}.Private(e, 2) })},
		{Name: "TargetIMED", Private: true, New: pure(arms.TargetIMED{}.Private)},
		{Name: "DP-TS-UCB", Private: true, Streaming: true, New: gaussian(func(b privacy.Budget) made { return arms.GaussianThompson{}.Limited(1, b) })},
		{Name: "KL-UCB of bits", Private: true, Model: privacy.Local, Streaming: true, New: pure(arms.KLUCB{}.Local)},
	}
	for i := range all {
		all[i].For = FixedMeans
	}
	return all
}

// adversarial lists the learners for rewards that an adversary has fixed. Those of single are for
// rewards of a law.
func adversarial() []Entry {
	return []Entry{
		{Name: "EXP3", For: AnyRewards, New: public(arms.EXP3{}.Learner)},
		{Name: "EXP3-IX", For: AnyRewards, New: public(arms.EXP3IX{}.Learner)},
		{Name: "Tsallis-INF", For: AnyRewards, New: public(arms.TsallisINF{}.Learner)},
		{Name: "DP-HTINF", For: AnyRewards, Private: true, New: pure(arms.HTINF{}.Private)},
	}
}
