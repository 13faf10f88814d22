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

func experts(epsilon float64, trial int) *Experts {
	return &Experts{Epsilon: epsilon, Noise: privacy.NewNoise(random.Source(6, trial, "noise")), Rand: random.New(6, trial, "own")}
}

// TestExperts: on losses with a gap, the regret of every round is below the theorem's bound, and
// all but flat in the end; it rises as epsilon falls.
func TestExperts(t *testing.T) {
	const actions, rounds, trials = 10, 20_000, 40
	var before float64
	for _, epsilon := range []float64{math.Inf(1), 1, 0.1} {
		var total, late float64
		for trial := range trials {
			e := experts(epsilon, trial)
			if err := e.Init(actions); err != nil {
				t.Fatal(err)
			}
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
	e := experts(0.7, 0)
	e.Noise = privacy.NewNoise(ledger)
	if c := privacy.ClaimOf(e); c.Held() {
		t.Errorf("before Init: %v", c)
	}
	if err := e.Init(4); err != nil {
		t.Fatal(err)
	}
	for round := range 100 {
		if err := e.Update([]float64{0.1, 2, -1, float64(round % 2)}); err != nil {
			t.Fatal(err)
		}
		if err := ledger.CheckPlan(e, round+1); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if c := privacy.ClaimOf(e); math.Abs(c.Epsilon()-0.7) > 1e-9 || c.Asked().Delta != 0 {
		t.Errorf("epsilon = %v, want 0.7", c.Epsilon())
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
	e := experts(epsilon, 0)
	if err := e.Init(2); err != nil {
		t.Fatal(err)
	}
	second := 0
	for range runs {
		e.Reset()
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
		by   func(e *Experts)
		k    int
		want string
	}{
		{func(*Experts) {}, 0, "0 actions, want >= 1"},
		{func(e *Experts) { e.Noise = nil }, 2, "Noise is nil"},
		{func(e *Experts) { e.Rand = nil }, 2, "Rand is nil"},
		{func(e *Experts) { e.Epsilon = math.NaN() }, 2, "epsilon = NaN"},
		{func(e *Experts) { e.Epsilon = 0 }, 2, "epsilon = 0"},
	} {
		e := experts(1, 0)
		c.by(e)
		if err := e.Init(c.k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
		if err := e.Update([]float64{0, 0}); !errors.Is(err, ErrGradient) {
			t.Errorf("losses are taken after %q: %v", c.want, err)
		}
	}
	a, b := experts(1, 1), experts(1, 1)
	for _, e := range []*Experts{a, b} {
		if err := e.Init(2); err != nil {
			t.Fatal(err)
		}
	}
	var paths [2][]int
	for round := range 60 {
		for _, bad := range [][]float64{nil, {1}, {1, math.NaN()}, {math.Inf(1), 0}} {
			if err := a.Update(bad); !errors.Is(err, ErrGradient) {
				t.Fatalf("Update(%v): %v", bad, err)
			}
		}
		for i, e := range []*Experts{a, b} {
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
