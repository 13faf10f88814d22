package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// long are the claims that take more than a second to check.
var long = []string{"script"}

func TestClaims(t *testing.T) { notebooktest.Claims(t, Claims, long...) }

// mutations breaks the code once for each claim, in a place that the claim is about.
var mutations = []notebooktest.Mutation{
	{"figure 1", "the gradient has the wrong sign", "pkg/learner/local/online_ucb_server.go", "g := float64(2*v*(prediction-reward))", "g := float64(-2*v*(prediction-reward))"},
	{"script", "the script's regulariser is nine times as large", "notebooks/ldp/script.go", "s.gamma = s.sd *", "s.gamma = 9 * s.sd *"},
	{"equal privacy", "the factor of the width is forgotten", "pkg/learner/linear/ucb.go", "l.factor * l.confidence.Beta(", "l.confidence.Beta("},
	{"knowing less", "the combiner's targets are a thousandth", "pkg/learner/local/combiner_server.go", "ready.targets = append(ready.targets, checks.Or(c.TargetScale, 1)*", "ready.targets = append(ready.targets, 1e-3*checks.Or(c.TargetScale, 1)*"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, Claims.Names()) }
