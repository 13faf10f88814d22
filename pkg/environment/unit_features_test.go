package environment

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestUnitFeatures(t *testing.T) {
	for name, e := range map[string]UnitFeatures{
		"fresh": {}, "fixed": {Fixed: true}, "d=2": {Dim: 2, Arms: 7}, "script": {Norm: math.Sqrt2, Basis: true, Fixed: true}, "d=12": {Dim: 12, Arms: 20, Basis: true},
	} {
		t.Run(name, func(t *testing.T) {
			bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1})
		})
	}
}

// TestUnitFeaturesLaw: each context has its norm and its constant, the means are <theta, x>, and u
// is uniform on its sphere: the mean of u u^T is I/(d-1), each entry to 5 standard deviations of
// 50,000 points, 15 entries (false alarm 1e-5; the seed is fixed).
func TestUnitFeaturesLaw(t *testing.T) {
	const rounds, arms, d = 500, 100, 5
	for _, e := range []UnitFeatures{{}, {Norm: math.Sqrt2}, {Norm: 3}} {
		trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts")).(*unitFeatures)
		norm := e.Problem().ContextNorm
		if e.Norm == math.Sqrt2 && math.Abs(e.Constant()-1) > 1e-15 {
			t.Errorf("constant %v, want 1", e.Constant())
		}
		if got := math.Sqrt(inner(Theta(trial), Theta(trial))); math.Abs(got-1/norm) > 1e-12 {
			t.Errorf("|theta| = %v, want %v", got, 1/norm)
		}
		var second [d - 1][d - 1]float64
		var v bandit.View
		for range rounds {
			trial.Next(&v)
			best := 0.0
			for a := range arms {
				x := v.Row(a)
				if math.Abs(inner(x, x)-norm*norm) > 1e-12*norm*norm || x[d-1] != e.Constant() {
					t.Fatalf("context %v, want norm %v and constant %v", x, norm, e.Constant())
				}
				if got := inner(x, Theta(trial)); math.Abs(got-trial.mean[a]) > 1e-12 {
					t.Fatalf("mean %v, <theta, x> = %v", trial.mean[a], got)
				}
				best = max(best, trial.mean[a])
				for i := range d - 1 {
					for j := range d - 1 {
						second[i][j] += x[i] * x[j] / (e.Constant() * e.Constant()) / (rounds * arms)
					}
				}
			}
			if trial.best != best {
				t.Fatalf("best mean %v, want %v", trial.best, best)
			}
		}
		for i := range d - 1 {
			for j := range d - 1 {
				// E u_i^2 u_j^2 on the sphere of dimension n = 4: 1/(n(n+2)), 3/(n(n+2)) for i = j
				want, variance := 0.0, 1.0/24
				if i == j {
					want, variance = 0.25, 3.0/24-1.0/16
				}
				if got := second[i][j]; math.Abs(got-want) > 5*math.Sqrt(variance/(rounds*arms)) {
					t.Errorf("mean of u_%d u_%d = %v, want %v", i, j, got, want)
				}
			}
		}
	}
}

// TestUnitFeaturesBasis: the first arms are what the public script puts there.
func TestUnitFeaturesBasis(t *testing.T) {
	e := UnitFeatures{Norm: math.Sqrt2, Basis: true, Fixed: true}
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts")).(*unitFeatures)
	var v bandit.View
	trial.Next(&v)
	for a := range 5 {
		for i, got := range v.Row(a) {
			want := 0.0
			if i == a || i == 4 {
				want = 1
			}
			if math.Abs(got-want) > 1e-15 {
				t.Errorf("arm %d is %v", a, v.Row(a))
				break
			}
		}
		if got := inner(v.Row(a), Theta(trial)); math.Abs(got-trial.mean[a]) > 1e-12 {
			t.Errorf("arm %d: mean %v, <theta, x> = %v", a, trial.mean[a], got)
		}
	}
}

func TestUnitFeaturesRefuses(t *testing.T) {
	for want, e := range map[string]UnitFeatures{
		"Arms = -1": {Arms: -1}, "Dim = 1": {Dim: 1}, "Dim = -3": {Dim: -3}, "Norm = -1": {Norm: -1}, "Norm = NaN": {Norm: math.NaN()},
		"Norm = +Inf": {Norm: math.Inf(1)}, "Arms = 3": {Arms: 3, Basis: true},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error that names %q", e, err, want)
		}
	}
}
