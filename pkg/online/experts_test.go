package online

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func experts(t *testing.T, epsilon float64, actions int) *ExpertsCalibrated {
	t.Helper()
	e, err := Experts{Epsilon: epsilon}.Open(actions)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExperts: on losses with a gap, the regret of every round is below the theorem's bound, and
// all but flat in the end; it rises as epsilon falls.
func TestExperts(t *testing.T) {
	const actions, rounds, trials = 10, 20_000, 40
	var before float64
	for _, epsilon := range []float64{math.Inf(1), 1, 0.1} {
		var total, late float64
		for trial := range trials {
			e := experts(t, epsilon, actions).Start(random.New(6, trial, "own"), random.Source(6, trial, "noise"))
			draws := random.New(6, trial, "losses")
			losses := make([]float64, actions)
			var regret float64
			for round := range rounds {
				if e.Choose() != 3 {
					regret += 0.2
				}
				if bound := 1000 * (math.Log(actions)/0.2 + math.Log(actions)/epsilon); regret > bound {
					t.Fatalf("epsilon = %v: a regret of %v after %d rounds, want at most %v", epsilon, regret, round, bound)
				}
				for a := range losses {
					mean := 0.5
					if a == 3 {
						mean = 0.3
					}
					losses[a] = 0
					if draws.Float64() < mean {
						losses[a] = 1
					}
				}
				if err := e.Update(losses); err != nil {
					t.Fatal(err)
				}
				if round == rounds/2 {
					late -= regret
				}
			}
			total += regret / trials
			late += regret
		}
		late /= trials
		t.Logf("epsilon = %v: regret %.1f, %.1f of it in the second half", epsilon, total, late)
		if !(total > before) || !(total < 40*(1/0.2+1/min(epsilon, 1e9))) || late > total/3 {
			t.Errorf("epsilon = %v: regret %.1f, %.1f of it in the second half", epsilon, total, late)
		}
		before = total
	}
}

// TestExpertsPlan: the claim is epsilon, whatever the number of blocks, and the noise is the
// plan's.
func TestExpertsPlan(t *testing.T) {
	ledger := privacy.NewLedger(random.Source(6, 0, "noise"))
	ready := experts(t, 0.7, 4)
	e := ready.Start(random.New(6, 0, "own"), ledger)
	for round := range 100 {
		if err := e.Update([]float64{0.1, 2, -1, float64(round % 2)}); err != nil {
			t.Fatal(err)
		}
		if err := ledger.CheckPlan(e, round+1); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	for _, of := range []any{ready, e} {
		if c := privacy.ClaimOf(of); math.Abs(c.Epsilon()-0.7) > 1e-9 || c.Asked().Delta != 0 {
			t.Errorf("%T: epsilon = %v, want 0.7", of, c.Epsilon())
		}
	}
	if e.Clipped() != 200 {
		t.Errorf("%d losses clipped, want 200", e.Clipped())
	}
	losses := []float64{0.1, 2, -1, 0}
	if n := testing.AllocsPerRun(500, func() {
		if err := e.Update(losses); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations a round, want 0", n)
	}
}

// TestExpertsChoice: after a first round with losses 0 and 1, the second action is chosen with the
// probability of the exponential mechanism, to 5 standard deviations of 20,000 runs (false alarm
// 6e-7; the seed is fixed).
func TestExpertsChoice(t *testing.T) {
	const runs, epsilon = 20_000, 1.5
	ready, own, noise := experts(t, epsilon, 2), random.New(6, 0, "own"), random.Source(6, 0, "noise")
	second := 0
	for range runs {
		e := ready.Start(own, noise)
		if err := e.Update([]float64{0, 1}); err != nil {
			t.Fatal(err)
		}
		second += e.Choose()
	}
	p := 1 / (1 + math.Exp(epsilon/2))
	if got := float64(second) / runs; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/runs) {
		t.Errorf("the worse action in %v of runs, want %v", got, p)
	}
}

func TestExpertsRefuse(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		actions int
		want    string
	}{
		{1, 0, "0 actions, want >= 1"}, {math.NaN(), 2, "epsilon = NaN"}, {0, 2, "epsilon = 0"},
	} {
		if _, err := (Experts{Epsilon: c.epsilon}).Open(c.actions); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	ready := experts(t, 1, 2)
	for want, without := range map[string]*ExpertsRun{
		"without noise":          ready.Start(random.New(6, 1, "own"), nil),
		"without random numbers": ready.Start(nil, random.Source(6, 1, "noise")),
	} {
		if err := without.Update([]float64{0, 0}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	begin := func() *ExpertsRun { return ready.Start(random.New(6, 1, "own"), random.Source(6, 1, "noise")) }
	a, b := begin(), begin()
	var paths [2][]int
	for round := range 60 {
		for _, bad := range [][]float64{nil, {1}, {1, math.NaN()}, {math.Inf(1), 0}} {
			if err := a.Update(bad); !errors.Is(err, errGradient) {
				t.Fatalf("Update(%v): %v", bad, err)
			}
		}
		for i, e := range []*ExpertsRun{a, b} {
			if err := e.Update([]float64{float64(round % 2), 0.5}); err != nil {
				t.Fatal(err)
			}
			paths[i] = append(paths[i], e.Choose())
		}
	}
	if !slices.Equal(paths[0], paths[1]) {
		t.Error("losses that were refused change the choices")
	}
}
