package audit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// An attack by likelihood on running sums knows all that they show, and finds most of it. Seeded;
// one seed in a hundred would exclude the claim falsely. Noise that is not linear is refused.
func TestAccumulatorLikelihood(t *testing.T) {
	a := audit.Accumulator{
		Name: "tree", Of: continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}}},
		Setup: privacy.Setup{Dim: 2, Horizon: 5, Bound: math.Sqrt2, Context: 1, Alpha: 0.1}, Runs: 20_000,
	}
	item, err := a.Likelihood()
	if err != nil {
		t.Fatal(err)
	}
	f, err := item.Run(t.Context(), audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(item.Exact-1) > 1e-6 || f.Excluded() || f.Epsilon < 0.85 {
		t.Errorf("epsilon = %v is excluded of %v, want at least 0.85 of 1", f.Epsilon, item.Exact)
	}
	a.Of = continual.Tree{Noise: continual.Wishart{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}}}
	if _, err := a.Likelihood(); err == nil || !strings.Contains(err.Error(), "Wishart") {
		t.Errorf("the error about Wishart noise is %v", err)
	}
}
