package catalogue

import (
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// unraced lists learners that no committed race has: those that look for the best arm, and new
// ones. A new learner begins here, and is checked, attacked and judged like all others. For a place
// on the leaderboard move it to single, several or contextual, and make the tables again.
func unraced() []Entry {
	type made = learner.Private[privacy.Means]
	return []Entry{
		{Name: "successive elimination", New: public(arms.SuccessiveElimination{}.Learner)},
		{Name: "AdaP-TT", Private: true, New: pure(func(e float64) made { return arms.AdaPTT{}.Private(e, 0.1) })},
		{Name: "TopTwo", Private: true, New: pure(func(e float64) made { return arms.TopTwo{}.Private(e, 0.1) })},
		{Name: "sequential halving", Private: true, New: pure(arms.SequentialHalving{}.Private)},
		{Name: "DP-BGE", Private: true, New: pure(arms.BoltzmannGumbel{}.Private)},
		{Name: "AdaC-GOPE", Private: true, Model: privacy.Joint, Linear: true, Same: true, For: LinearMeans, New: gaussian(linear.AdaCGOPE{}.Private)},
		{Name: "AdaC-OFUL", Private: true, Model: privacy.Joint, Linear: true, For: LinearMeans, New: gaussian(linear.UCB{}.AdaCOFUL)},
		{Name: "JDP weighted regression", Private: true, Model: privacy.Joint, Linear: true, For: LinearMeans,
			New: gaussian(func(b privacy.Budget) learner.Private[continual.Batch] {
				return learner.New(linear.Weighted{}, continual.VectorBatches{Budget: b})
			})},
	}
}
