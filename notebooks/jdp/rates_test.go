package jdp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The formulas are those of the corollaries by hand, with d^(1/4) = 2 and log n = log(1/α) = 16.
func TestRateFormula(t *testing.T) {
	at := RateAt{int(math.Round(math.Exp(16))), 16, 4}
	secret := math.Log(10)
	for i, want := range []float64{
		16 + 256 + math.Sqrt2*4*8*(2+math.Pow(secret, 0.25)/2)*(2+math.Pow(32, 0.25)),
		16 + 256 + math.Sqrt2*16*math.Sqrt(16*(4+32)*secret/4),
	} {
		of := RatesOf[2*i]
		if got := of.Formula(at, 0) / math.Exp(8); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%v: %v, want %v", of, got, want)
		}
		if got := of.Formula(at, 0.1); math.Abs(got/(10*want*want)-1) > 1e-6 {
			t.Errorf("%v with a gap: %v, want %v", of, got, 10*want*want)
		}
	}
}

// In Experiment 2 the printed bounds are those of Propositions 9 and 11, and the powers of a power
// law are its own.
func TestRateBounds(t *testing.T) {
	at := RateAt{Horizon, 5, Budget.Epsilon}
	for _, of := range RatesOf {
		name := map[string]string{"printed Wishart": WishartPrinted, "printed Gaussian": GaussianPrinted,
			"sound Wishart": WishartFour, "sound Gaussian": GaussianTwice}[of.String()]
		l, err := ready(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := of.Bound(at, 0), promised(l, Horizon, 0); got != want {
			t.Errorf("%v: bound %v, want that of Experiment 2, %v", of, got, want)
		}
		if got, want := of.Spread(at, Budget.Delta), math.Sqrt(linUCB(l).Bounds().RhoMax); got != want {
			t.Errorf("%v: root of rho_max %v, want %v", of, got, want)
		}
	}
	for i, axis := range RateAxes {
		got := RatePower(RateBase, axis, func(p RateAt) float64 {
			return math.Sqrt(float64(p.Rounds)) * float64(p.Dim) * math.Pow(p.Epsilon, -2)
		})
		if want := []float64{0.5, 1, -2}[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("power of %s = %v, want %v", axis, got, want)
		}
	}
}

// A short study has a regret for each of the ten points, below its bound, and then their powers.
// The seed is fixed; the bounds fail with probability 1/n.
func TestRatesSmoke(t *testing.T) {
	s := rates(cell.Smoke)[0]
	values := s.Trial(0)
	if len(values) != 2*len(RatesOf)*13 || len(s.What) != len(values) {
		t.Fatalf("%d values of %d quantities", len(values), len(s.What))
	}
	of, base := RateOf{"Wishart", privacy.AsPublished}, RateBase
	base.Rounds = s.Rounds
	_, points := base.Over("n")
	for i, p := range points {
		if want := RateRegret(of, p, 0); s.What[i] != want || !(values[i] > 0 && values[i] < of.Bound(p, 0)) {
			t.Errorf("%s = %v, want that of %s, below %v", s.What[i], values[i], want, of.Bound(p, 0))
		}
	}
	if got := s.What[10]; got != RateRun(of, "n", 0) {
		t.Errorf("after the points comes %q", got)
	}
}

// A small run of jdp-joint has a row for each of six epsilons, with all policies.
func TestJointSmoke(t *testing.T) {
	f, err := Figures.Named("jdp-joint")
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Reproduce(t.Context(), cell.Smoke, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows, want := len(table.Rows), len(JointEpsilons); rows != want || len(table.Rows[0]) != 2+len(JointPolicies) {
		t.Errorf("%d rows of %d, want %d of %d", rows, len(table.Rows[0]), want, 2+len(JointPolicies))
	}
}
