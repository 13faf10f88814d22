package matroid

import (
	"github.com/dpbandits/dpbandits/notebooks/lab"
)

// pictureClaims are the claims of the lessons on matroids, blocks and users.
var pictureClaims = []lab.Claim{
	{"matroids", "each of the six kinds of matroids satisfies the axioms, a budget does not; greedy is the best of all bases, for negative weights too", claimMatroids},
	{"blocks", "the blocks of DPUCB-MAT are of 1, 2, 4, … observations that no other release has; one replaced round changes K released sums at most, by 1 each", claimBlocks},
	{"shared epsilon", "noise of scale K/ε on each sum buys ε for the whole round, and Lε/K for a round that shows all L arms", claimShare},
	{"viewers", "users of the movie experiments come as often as uniform draws have them come, and ε for a round is kε to a user with k rounds", claimViewers},
	{"pairs", "in every trial the gaps of the pairs played add up to the regret, and none is negative", claimPairs},
}
