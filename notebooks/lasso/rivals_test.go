package lasso

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Small runs have a row for each policy. With -short SparseJDP, which stands beside the local
// learner, is the recipe that is not calibrated for long.
func TestRivalsSmoke(t *testing.T) {
	quick(t)
	few(t, &FLIPHATEpsilons, 5)
	few(t, &PrintedEpsilons, 1e4)
	for name, want := range map[string]int{"lasso-fliphat": 3 + 5*len(FLIPHATEpsilons), "lasso-printed": len(PrintedEpsilons) + 6, "lasso-local": 5} {
		for _, f := range Figures {
			if f.Name != name {
				continue
			}
			table, err := f.Reproduce(context.Background(), cell.Smoke, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(table.Rows) != want {
				t.Errorf("%s: %d rows, want %d", name, len(table.Rows), want)
			}
		}
	}
}

func committed(t *testing.T, name string) *simulate.Table {
	t.Helper()
	table, err := results.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The committed tables agree with the independent program within 3 combined standard errors; where
// it gives none, its own is taken to be as large as ours.
func TestRivalsResults(t *testing.T) {
	table := committed(t, "lasso-fliphat")
	for name, golden := range FLIPHATGoldens {
		mean, se, err := table.Final(name)
		if err != nil {
			t.Fatal(err)
		}
		if z := (charts.Beside{}).Apart(mean, se, golden[0]); !(math.Abs(z) <= 3) {
			t.Errorf("%s: regret %.0f (%.0f), want %v, within 3 standard errors", name, mean, se, golden)
		}
	}
	for _, epsilon := range FLIPHATEpsilons {
		regret := func(noise string) float64 {
			mean, _, err := table.Final(Name(noise, epsilon))
			if err != nil {
				t.Fatal(err)
			}
			return mean
		}
		if a, b, c, d := regret(Corrected), regret(Accounted), regret(Ranged), regret(Beside); !(d < c && c < b && b < a) {
			t.Errorf("epsilon %v: regret %.0f, %.0f, %.0f, %.0f: want it to fall", epsilon, a, b, c, d)
		}
		if claim := table.Claims[Name(PublicCode, epsilon)]; !strings.Contains(claim, "not clipped moves") {
			t.Errorf("the public constants claim %q", claim)
		}
	}
	table = committed(t, "lasso-printed")
	for name, golden := range PrintedGoldens {
		share, se, err := shares.Final(table, name)
		if err != nil {
			t.Fatal(err)
		}
		if z := shares.Apart(share, se, golden[0]); !(math.Abs(z) <= 3) {
			t.Errorf("%s: %.3f (%.3f) of the regret of random arms, want %v, within 3 standard errors", name, share, se, golden)
		}
	}
	for _, epsilon := range PrintedEpsilons {
		if claim := table.Claims[Name(Printed, epsilon)]; !strings.Contains(claim, "S_0 is not private") {
			t.Errorf("the printed algorithm claims %q", claim)
		}
	}
}

// proofs returns the epsilon that each private policy of an experiment claims; +Inf is none.
func proofs(t *testing.T, e *simulate.Experiment) map[string]float64 {
	t.Helper()
	claims := map[string]float64{}
	for _, p := range e.Policies {
		ready, err := p.Learner.Open(check.Try(bandit.OpenWorld(e.Environment)).Problem(), e.Horizon)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if _, private := ready.(privacy.Planner); private {
			claims[p.Name] = privacy.ClaimOf(ready).Epsilon()
		}
	}
	return claims
}

// The claims: what the noise of each calibration proves.
func TestRivalsClaims(t *testing.T) {
	few(t, &FLIPHATEpsilons, 5)
	claims, more := proofs(t, FLIPHAT(cell.Smoke)), proofs(t, Print(cell.Smoke))
	for _, epsilon := range FLIPHATEpsilons {
		for noise, least := range map[string]float64{Corrected: 0.4, Accounted: 0.999, Ranged: 0.999, Beside: 0.5, PublicCode: math.Inf(1)} {
			e := claims[Name(noise, epsilon)]
			if noise == PublicCode {
				if !math.IsInf(e, 1) {
					t.Errorf("%s: epsilon = %v, want +Inf", Name(noise, epsilon), e)
				}
			} else if !(e >= least*epsilon && e <= epsilon*(1+1e-6)) {
				t.Errorf("%s: epsilon = %v, want in [%v, %v]", Name(noise, epsilon), e, least*epsilon, epsilon)
			}
		}
	}
	for name, e := range more {
		if strings.HasPrefix(name, Mended) == math.IsInf(e, 1) {
			t.Errorf("%s: epsilon = %v", name, e)
		}
	}
}

// The local learner's regret grows with d ln d, which that of the joint model does not.
func TestLocalResults(t *testing.T) {
	var local, joint [2]float64
	for i, dim := range []string{"10", "80"} {
		table := committed(t, "lasso-local-d"+dim)
		var err error
		if local[i], _, err = table.Final(Locally); err != nil {
			t.Fatal(err)
		}
		if joint[i], _, err = table.Final(Jointly); err != nil {
			t.Fatal(err)
		}
		if claim := table.Claims[Locally]; !strings.Contains(claim, "local differential privacy") || !strings.Contains(claim, "epsilon = 4 at that delta") {
			t.Errorf("the local learner claims %q", claim)
		}
	}
	if ratio := local[1] / local[0]; !(ratio > 5 && ratio < 15) {
		t.Errorf("regret %.0f and %.0f in the local model, want a ratio near 80 ln 160/(10 ln 20) = 13.6, less for the second stage", local[0], local[1])
	}
	if ratio := joint[1] / joint[0]; !(ratio < 3.5) {
		t.Errorf("regret %.0f and %.0f in the joint model, want a small ratio", joint[0], joint[1])
	}
}
