package matroid

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
	"github.com/dpbandits/dpbandits/notebooks/mutationtest"
)

// long are the claims that take more than a second to check.
var long = []string{"movies"}

func TestClaims(t *testing.T) { mutationtest.Claims(t, Claims, long...) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []mutationtest.Mutation{
	{"table 2", "the noise's share of the index is a third", "pkg/learner/omm.go", "const confidences = 3", "const confidences = 1"},
	{"round 0", "the claim forgets that round 0 shows all arms", "pkg/mechanism/slot_noise.go", "t.setup.Arms*min(records, 1)", "t.setup.Slots*min(records, 1)"},
	{"sweep", "the noise of a block is ten times too large", "pkg/mechanism/slot_noise.go", "t.later, err = n.scale(t.setup.Slots, side)", "t.later, err = n.scale(10*t.setup.Slots, side)"},
	{"movies", "a movie that she has not rated counts", "pkg/environment/ratings.go", "y[i] = float64(set[a/64] >> (a % 64) & 1)", "y[i] = float64(^set[a/64] >> (a % 64) & 1)"},
	{"matroids", "the greedy algorithm passes over the heaviest element", "pkg/matroid/greedy.go", "for i := from; i < len(g.order) &&", "for i := from + 1; i < len(g.order) &&"},
	{"blocks", "blocks keep what the ones before them had", "pkg/mechanism/blocks.go", "\tb.sums[arm] = 0\n", ""},
	{"shared epsilon", "each arm has all of epsilon", "pkg/mechanism/slot_noise.go", "float64(slots)/n.budget.Epsilon, \"Laplace", "1/n.budget.Epsilon, \"Laplace"},
	{"viewers", "half of the users never come", "pkg/environment/ratings.go", "user := rewards.IntN(e.users)", "user := rewards.IntN((e.users + 1) / 2)"},
	{"pairs", "an arm stands for any arm of the best basis", "pkg/environment/semi_bandit_bases.go", "for b.used[place] || !b.builder.Add(b.best[place]) {", "for b.used[place] {"},
	{"equal privacy, matroids", "KL-OSM forgets the factor of its boost", "pkg/learner/kl_osm.go", "byLinear := l.boost * confidences * log", "byLinear := confidences * log"},
}

func TestMutations(t *testing.T) { mutationtest.Run(t, mutations, Claims.Names()) }

func TestAsserted(t *testing.T) {
	exercisetest.Asserted(t, "../02-matroid-bandits.ipynb", Claims.Names())
}
