package account_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// generalised returns the curve at e^e of the response of two outputs with losses t and t - range.
func generalised(t, width, e float64) float64 {
	q := (math.Exp(-t) - math.Exp(-width)) / -math.Expm1(-width)
	p := q * math.Exp(t)
	return math.Max(0, p-q*math.Exp(e)) + math.Max(0, (1-p)-(1-q)*math.Exp(e))
}

func TestBoundedRangeDominatesEveryResponse(t *testing.T) {
	for _, width := range []float64{1e-3, 0.15, 1, 6} {
		a := math.Exp(width / 2)
		for _, e := range []float64{0, 0.1 * width, 0.5 * width, 0.93 * width} {
			lo, hi, err := account.PLD{}.DeltaBounds(account.ExponentialEvent{Epsilon: width}, e)
			if err != nil {
				t.Fatal(err)
			}
			highest := 0.0
			for i := range 2001 {
				highest = math.Max(highest, generalised(width*float64(i)/2000, width, e))
			}
			want := math.Pow(a-math.Exp(e/2), 2) / (a*a - 1)
			if !(highest <= hi && highest > want*(1-1e-4)) {
				t.Errorf("range %v at epsilon %v: delta <= %v, some response has %v of the envelope's %v", width, e, hi, highest, want)
			}
			if !(lo <= want*(1+1e-9) && want <= hi*(1+1e-9)) || hi-lo > 1e-3*want {
				t.Errorf("range %v at epsilon %v: delta in [%v, %v], want %v between, closely", width, e, lo, hi, want)
			}
		}
	}
}

// An adversary chooses each response by what came before. The exact delta of the worst of these
// trees, by dynamic programming over a fine set of choices, lies below the envelope's composition.
func TestBoundedRangeComposesAdaptively(t *testing.T) {
	const width, picks, choices = 0.7, 3, 24
	for _, epsilon := range []float64{0, 0.3, 0.9, 1.5} {
		var worst func(left int, loss float64) float64
		worst = func(left int, loss float64) float64 { // of E_P[(1 - e^(epsilon - loss))+]
			if left == 0 {
				return math.Max(0, -math.Expm1(epsilon-loss))
			}
			most := 0.0
			for i := range choices + 1 {
				at := width * float64(i) / choices
				q := (math.Exp(-at) - math.Exp(-width)) / -math.Expm1(-width)
				p := q * math.Exp(at)
				most = math.Max(most, p*worst(left-1, loss+at)+(1-p)*worst(left-1, loss+at-width))
			}
			return most
		}
		adaptive := worst(picks, 0)
		proved, err := account.PLD{}.Delta(account.Repeat{Event: account.ExponentialEvent{Epsilon: width}, Times: picks}, epsilon)
		if err != nil || !(adaptive <= proved) {
			t.Errorf("epsilon %v: the envelope proves delta = %v (%v), an adversary has %v", epsilon, proved, err, adaptive)
		}
		if adaptive < 0.5*proved { // the bound is of use
			t.Errorf("epsilon %v: the envelope proves delta = %v, an adversary has but %v", epsilon, proved, adaptive)
		}
	}
}

// Two neighbours' exponential mechanisms, with random scores, are within the envelope.
func TestBoundedRangeHoldsForTheExponentialMechanism(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		width := 0.05 + 2*rng.Float64()
		n := 2 + rng.IntN(6)
		p, q := make([]float64, n), make([]float64, n)
		var sp, sq float64
		for i := range p {
			u := 3 * rng.NormFloat64()
			p[i] = math.Exp(u * width / 2)
			q[i] = math.Exp((u + 2*rng.Float64() - 1) * width / 2) // sensitivity 1
			sp, sq = sp+p[i], sq+q[i]
		}
		for _, e := range []float64{0, 0.2 * width, 0.6 * width} {
			delta := 0.0
			for i := range p {
				delta += math.Max(0, p[i]/sp-math.Exp(e)*q[i]/sq)
			}
			if proved, err := (account.PLD{}).Delta(account.ExponentialEvent{Epsilon: width}, e); err != nil || !(delta <= proved) {
				t.Fatalf("range %v at epsilon %v: delta = %v, proved %v (%v)", width, e, delta, proved, err)
			}
		}
	}
}

// The goldens come from an independent convolution of the densities.
func TestCalibrateSelection(t *testing.T) {
	for _, want := range []struct{ epsilon, pick, mu float64 }{
		{10, 1.15175, 1.24403}, {2, 0.28097, 0.30348}, {1, 0.149268, 0.161228}, {0.5, 0.078819, 0.085134},
	} {
		if testing.Short() && want.epsilon != 1 {
			continue // each takes a second
		}
		b := privacy.Budget{Epsilon: want.epsilon, Delta: 1e-5}
		pick, mu, err := b.CalibrateSelection(7, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprint("pick at ", want.epsilon), pick, want.pick, 2e-4)
		near(t, fmt.Sprint("mu at ", want.epsilon), mu, want.mu, 2e-4)
		near(t, "the split", 7*pick*pick/8*0.4, mu*mu/2*0.6, 1e-12)
		e := account.Sequence{account.Repeat{Event: account.ExponentialEvent{Epsilon: pick}, Times: 7}, account.GaussianEvent{Mu: mu}}
		if delta, err := (account.PLD{}).Delta(e, b.Epsilon); err != nil || delta > b.Delta || delta < 0.999*b.Delta {
			t.Errorf("epsilon %v: delta = %v (%v), want at most %v, and closely", b.Epsilon, delta, err, b.Delta)
		}
		if epsilon, err := (account.PLD{}).Epsilon(e, b.Delta); err != nil || epsilon > b.Epsilon {
			t.Errorf("epsilon = %v (%v), want at most %v", epsilon, err, b.Epsilon)
		}
	}
	pick, mu, err := privacy.Budget{Epsilon: 1, Delta: 1e-5}.CalibrateSelection(10, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "R", 10*pick*pick/8+mu*mu/2, 0.0332, 2e-3)
	if pick, mu, err := (privacy.Budget{Epsilon: math.Inf(1), Delta: 0}).CalibrateSelection(7, 0.6); err != nil || !math.IsInf(pick, 1) || !math.IsInf(mu, 1) {
		t.Errorf("without privacy: pick %v, mu %v, %v", pick, mu, err)
	}
	for _, err := range []error{
		refusal((privacy.Budget{Epsilon: 1, Delta: 0}).CalibrateSelection(7, 0.6)), refusal((privacy.Budget{Epsilon: 1, Delta: 1e-5}).CalibrateSelection(0, 0.6)),
		refusal((privacy.Budget{Epsilon: 1, Delta: 1e-5}).CalibrateSelection(7, 0)), refusal((privacy.Budget{Epsilon: 1, Delta: 1e-5}).CalibrateSelection(7, 1)),
		refusal((privacy.Budget{Epsilon: -1, Delta: 1e-5}).CalibrateSelection(7, 0.5)),
	} {
		if err == nil {
			t.Error("a selection that is calibrated from a bad argument")
		}
	}
}

func refusal(_, _ float64, err error) error { return err }

// By the standard conversion of zCDP a selection of 10 with a Gaussian costs less than was asked.
func TestSelectionByStandardConversionIsLoose(t *testing.T) {
	for nominal, want := range map[float64]float64{0.5: 0.368, 1: 0.775, 2: 1.623, 10: 8.91} {
		rho, err := privacy.Budget{Epsilon: nominal, Delta: 1e-5}.ZCDP()
		if err != nil {
			t.Fatal(err)
		}
		e := account.Sequence{account.Repeat{Event: account.ExponentialEvent{Epsilon: math.Sqrt(8 * 0.3 * rho / 10)}, Times: 10}, account.GaussianEvent{Mu: math.Sqrt(2 * 0.7 * rho)}}
		near(t, fmt.Sprint("nominal ", nominal), epsilonBy(t, account.PLD{}, e, 1e-5), want, 1e-3)
	}
}
