package matroid

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

func TestClaims(t *testing.T) { notebooktest.Claims(t, Claims) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []notebooktest.Mutation{
	{"table 2", "the noise's share of the index is a third", "pkg/learner/slots/omm.go", "const confidences = 3", "const confidences = 1"},
	{"sweep", "the noise of a block is ten times too large", "pkg/mechanism/tally/slot_noise.go", "t.later, err = n.scale(t.data.Slots, side)", "t.later, err = n.scale(10*t.data.Slots, side)"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, Claims.Names()) }

func TestAsserted(t *testing.T) {
	notebooktest.Asserted(t, "../02-matroid-bandits.ipynb", Claims.Names())
}
