package environment

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestTwoContexts: the suite, and the coin: fair, to 5 standard deviations of 10000 tosses (6e-7;
// the seed is fixed), and shown by the contexts, as arm 0 is theta or -theta.
func TestTwoContexts(t *testing.T) {
	for _, d := range []int{1, 2, 5} {
		bandittest.Environment(t, TwoContexts{Dim: d}, bandittest.EnvironmentOptions{Seed: 1})
	}
	e := TwoContexts{Dim: 3}
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
	var v bandit.View
	y := make([]float64, 2)
	var first []float64
	heads := 0.0
	for range 10000 {
		trial.Next(&v)
		if first == nil {
			first = append(first, v.Row(0)...)
		}
		trial.Pull(nil, []int{0, 1}, y)
		if y[0]+y[1] != 0 || math.Abs(y[0]) != 1 || trial.Regret([]int{0}) != 1-y[0] || trial.Regret([]int{1}) != 1-y[1] {
			t.Fatalf("rewards %v, regrets %v and %v", y, trial.Regret([]int{0}), trial.Regret([]int{1}))
		}
		heads += (1 + y[0]) / 2
	}
	if math.Abs(heads-5000) > 5*50 {
		t.Errorf("arm 0 was the good one in %v rounds of 10000", heads)
	}
	if n := math.Sqrt(inner(first, first)); math.Abs(n-1) > 1e-12 {
		t.Errorf("|theta| = %v, want 1", n)
	}
}
