package tally_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestPosteriorDraws compares the mean and the variance of many draws with S/(n+1) and Variance
// (Hi-Lo)^2/(n+1). Arm 1 has no draw before its third observation. An alarm is false with a
// probability below 1e-5, as the seed is fixed, of each number.
func TestPosteriorDraws(t *testing.T) {
	const rounds = 40_000
	opened, err := tally.PosteriorDraws{Variance: 2, First: 3, Delta: 1e-5}.Open(privacy.Setup{Arms: 3, Slots: 1, Horizon: rounds + 6, Lo: -1, Hi: 3})
	if err != nil {
		t.Fatal(err)
	}
	d := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	add := func(arm int, y float64) {
		if _, err := d.Add(&privacy.Record{Arms: []int{arm}, Y: []float64{y}}); err != nil {
			t.Fatal(err)
		}
	}
	of := d.Release().Of
	for i, y := range []float64{0, 1, 5} { // the last is clipped to 3
		if add(0, y); (of[0].Count > 0) != (i == 2) {
			t.Fatalf("a count of %d after %d observations", of[0].Count, i+1)
		}
	}
	var sum, squares float64
	for range rounds { // other arms' observations redraw arm 0
		add(1, 0)
		sum += of[0].Mean
		squares += of[0].Mean * of[0].Mean
		if of[2].Count != 0 {
			t.Fatalf("an arm that was not seen has a count of %d", of[2].Count)
		}
	}
	wantMean, wantVar := -1+(1.0+2+4)/4, 2*16.0/4
	mean := sum / rounds
	variance := squares/rounds - mean*mean
	if math.Abs(mean-wantMean) > 4.5*math.Sqrt(wantVar/rounds) || math.Abs(variance-wantVar) > 4.5*wantVar*math.Sqrt(2.0/rounds) {
		t.Errorf("draws of mean %v and variance %v, want %v and %v", mean, variance, wantMean, wantVar)
	}
	if got, want := of[1].Tail.Root, 4*2/math.Sqrt(rounds+1); math.Abs(got-want) > 1e-9*want { // sqrt(2 sd^2)
		t.Errorf("a tail of %v, want %v", got, want)
	}
}

// TestPosteriorDrawsClaim: the claim is mu = sqrt(K (T-b+1)/(c (b+1))), whatever the range, and a
// short run has revealed less.
func TestPosteriorDrawsClaim(t *testing.T) {
	for _, c := range []struct {
		variance         float64
		slots, b, T, now int
	}{{1, 1, 1, 1, 1}, {4, 1, 1, 100, 100}, {4, 1, 10, 100, 100}, {30, 2, 10, 100, 30}, {1, 1, 100, 10_000, 9_000}, {1, 1, 50, 20, 20}} {
		d, err := tally.PosteriorDraws{Variance: c.variance, First: c.b, Delta: 1e-5}.Open(privacy.Setup{Arms: 3, Slots: c.slots, Horizon: c.T, Lo: -5, Hi: 1})
		if err != nil {
			t.Fatal(err)
		}
		epsilon := func(n int) float64 {
			if n < c.b {
				return 0
			}
			return account.GaussianEpsilon(1e-5, math.Sqrt(float64(c.slots*(n-c.b+1))/(c.variance*float64(c.b+1))))
		}
		p := d.Plan(c.now)
		if want := epsilon(c.now); want == 0 {
			if len(p.Cases) != 0 {
				t.Errorf("%+v: a plan of %v, want nothing", c, p.Cases)
			}
		} else if got := p.Claim().Epsilon(); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%+v: epsilon = %v, want %v", c, got, want)
		}
		if c.b > c.T {
			continue
		}
		if got, want := privacy.ClaimOf(d).Epsilon(), epsilon(c.T); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%+v: epsilon = %v in the end, want %v", c, got, want)
		} else {
			t.Logf("%+v: epsilon = %.4g", c, got)
		}
	}
}

// TestPosteriorDrawsRefuses: what is out of its range is an error that names it.
func TestPosteriorDrawsRefuses(t *testing.T) {
	setup := privacy.Setup{Arms: 2, Slots: 1, Horizon: 10, Hi: 1}
	for want, d := range map[string]tally.PosteriorDraws{
		"Variance = 0,":    {Delta: 0.1},
		"Variance = NaN,":  {Variance: math.NaN(), Delta: 0.1},
		"Variance = +Inf,": {Variance: math.Inf(1), Delta: 0.1},
		"First = -1,":      {Variance: 1, First: -1, Delta: 0.1},
		"Delta = 0,":       {Variance: 1},
		"Delta = NaN,":     {Variance: 1, Delta: math.NaN()},
		"Delta = 0.9 ":     {Variance: 1e9, Delta: 0.9}, // epsilon = 0
	} {
		if _, err := d.Open(setup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	long := privacy.Setup{Arms: 2, Slots: 2, Horizon: math.MaxInt, Hi: 1}
	_, err := tally.PosteriorDraws{Variance: 1, Delta: 0.1}.Open(long)
	if err == nil || !strings.Contains(err.Error(), "Horizon = ") {
		t.Errorf("a horizon whose draws cannot be counted: error %v", err)
	}
	setup.WarmUp = true
	if _, err := (tally.PosteriorDraws{Variance: 1, Delta: 0.1}).Open(setup); err == nil {
		t.Error("takes a warm-up")
	}
}
