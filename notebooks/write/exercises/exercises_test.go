package exercises

import (
	"math/bits"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/notebooktest"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func releasesStub(n int) int {
	return n // your turn
}

func releases(n int) int {
	return bits.Len(uint(n))
}

func bareEpsilonStub(epsilon, far float64) float64 {
	return epsilon // your turn
}

func bareEpsilon(epsilon, far float64) float64 {
	return epsilon * far
}

func alwaysStub(log *offpolicy.Log, arm int) float64 {
	return 0 // your turn
}

func always(log *offpolicy.Log, arm int) (mean float64) {
	for i, a := range log.Chosen {
		if a == arm {
			mean += log.Rewards[i] / log.Propensities[i]
		}
	}
	return mean / float64(log.Len())
}

var answers = map[string]notebooktest.Answer{
	"releases of an arm":       {Name: "releases", Stub: releasesStub, Solution: releases},
	"epsilon without clipping": {Name: "bareEpsilon", Stub: bareEpsilonStub, Solution: bareEpsilon},
	"inverse propensity":       {Name: "always", Stub: alwaysStub, Solution: always},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../06-write-your-own.ipynb", "exercises_test.go", answers)
}
