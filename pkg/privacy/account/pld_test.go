package account_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// lossy is an event of which an accountant knows a pair and no more: so that Gaussians are composed
// numerically.
type lossy struct {
	name string
	pair func() (loss.Pair, error)
}

func (e *lossy) String() string           { return e.name }
func (e *lossy) Validate() error          { return nil }
func (e *lossy) Pair() (loss.Pair, error) { return e.pair() }

func gaussian(mu float64) *lossy {
	return &lossy{fmt.Sprintf("numeric Gaussian %v", mu), func() (loss.Pair, error) { return loss.Gaussian(mu) }}
}

// bracket fails unless lo <= truth <= hi, to rounding of the truth, and hi - truth is at most
// within.
func bracket(t *testing.T, what string, lo, hi, truth, within float64) {
	t.Helper()
	slack := 1e-9 * (1 + math.Abs(truth))
	if !(lo <= truth+slack && truth <= hi+slack && hi-truth <= within) {
		t.Errorf("%s: [%.9g, %.9g] about %.9g, want it inside and the upper bound within %g", what, lo, hi, truth, within)
	}
	t.Logf("%s: %.7g, upper bound +%.2g, lower -%.2g", what, truth, hi-truth, truth-lo)
}

// some returns the last of the cases, under -short, and else all.
func some(cases []float64) []float64 {
	if testing.Short() {
		return cases[len(cases)-1:]
	}
	return cases
}

func TestPLDGaussian(t *testing.T) {
	t.Parallel()
	for _, total := range some([]float64{0.1, 5, 1}) {
		for _, k := range []int{1, 10, 10000} {
			for _, delta := range some([]float64{1e-3, 1e-12, 1e-6}) {
				mu := total / math.Sqrt(float64(k))
				lo, hi, err := account.PLD{}.EpsilonBounds(account.Repeat{Event: gaussian(mu), Times: k}, delta)
				if err != nil {
					t.Fatal(err)
				}
				bracket(t, fmt.Sprintf("%d x mu = %.3g, delta = %g", k, mu, delta), lo, hi, account.GaussianEpsilon(delta, total), 1e-3)
			}
		}
	}
}

// Far tails, and noise that is very small or very large.
func TestPLDExtremes(t *testing.T) {
	t.Parallel()
	for _, mu := range some([]float64{1e-5, 1, 300, 30}) {
		for _, k := range []int{1, 5} {
			for _, delta := range some([]float64{0.5, 1e-2, 1e-30}) {
				if mu == 300 && (k > 1 || delta == 0.5) {
					continue // a second each, and nothing that mu = 30 does not show
				}
				total := mu * math.Sqrt(float64(k))
				truth := account.GaussianEpsilon(delta, total)
				lo, hi, err := account.PLD{}.EpsilonBounds(account.Repeat{Event: gaussian(mu), Times: k}, delta)
				if err != nil {
					t.Fatal(err)
				}
				bracket(t, fmt.Sprintf("%d x mu = %g, delta = %g", k, mu, delta), lo, hi, truth, 1e-3*(1+total*total/1000))
				lo, hi, err = account.PLD{}.DeltaBounds(account.Repeat{Event: gaussian(mu), Times: k}, truth)
				if exact := account.GaussianDelta(truth, total); err != nil || !(lo <= exact*(1+1e-8) && exact <= hi*(1+1e-8) && hi <= 1.1*exact) {
					t.Errorf("%d x mu = %g, epsilon = %g: [%v, %v] about %v, %v", k, mu, truth, lo, hi, exact, err)
				}
			}
		}
	}
	apart := &lossy{"disjoint", func() (loss.Pair, error) { return loss.Discrete([]float64{1, 0}, []float64{0, 1}) }}
	for _, e := range []account.Event{apart, account.Sequence{gaussian(1), apart}} {
		if lo, hi, err := (account.PLD{}).DeltaBounds(e, 1); lo < 1-1e-9 || hi != 1 || err != nil {
			t.Errorf("%v: delta in [%v, %v], %v, want 1", e, lo, hi, err)
		}
		if lo, hi, err := (account.PLD{}).EpsilonBounds(e, 0.5); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) || err != nil {
			t.Errorf("%v: [%v, %v], %v, want +Inf", e, lo, hi, err)
		}
	}
	// A narrow loss between rare extremes, with others.
	e := account.Sequence{account.ShuffleEvent{Local: 1, Users: 1e8}, account.LaplaceEvent{Epsilon: 1e-4}}
	if lo, hi, err := (account.PLD{}).EpsilonBounds(e, 1e-6); err != nil || !(0 < lo && lo <= hi && hi < 1.3*lo) {
		t.Errorf("%v: [%v, %v], %v", e, lo, hi, err)
	}
}

// Losses of which there is hardly a float64, compositions of them a million times over, and pairs
// that differ in nothing.
func TestPLDHuge(t *testing.T) {
	t.Parallel()
	large := account.LaplaceEvent{Epsilon: 1000}
	events := []account.Event{account.ResponseEvent{Epsilon: 1000, Choices: 5}, account.ShuffleEvent{Local: 800, Users: 10}}
	if !testing.Short() {
		events = append(events, account.Sequence{account.Repeat{Event: large, Times: 1e6}, account.LaplaceEvent{Epsilon: 0.5}},
			account.Repeat{Event: account.Parallel{account.LaplaceEvent{Epsilon: 1e5}, account.GaussianEvent{Mu: 0.3}}, Times: 7})
	}
	for _, e := range events {
		// All is said, nearly: a pure bound is nearly reached, and half of it far exceeded.
		pure, err := account.Pure{}.Epsilon(e, 0)
		if err != nil {
			if pure = 7e5; !errors.Is(err, errors.ErrUnsupported) {
				t.Fatal(err)
			}
		}
		lo, hi, err := account.PLD{}.EpsilonBounds(e, 1e-6)
		if err != nil || !(pure/2 < lo && lo <= hi && hi <= pure*(1+1e-6)) {
			t.Errorf("%v: [%v, %v], %v, want it within and near %v", e, lo, hi, err, pure)
		}
	}
	for _, epsilon := range []float64{1e-300, 1e300} {
		if _, err := (account.PLD{}).Epsilon(account.Repeat{Event: account.LaplaceEvent{Epsilon: epsilon}, Times: 7}, 1e-6); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("epsilon = %v: %v, want an error that wraps errors.ErrUnsupported", epsilon, err)
		}
	}
	far := account.Repeat{Event: account.Parallel{account.DiscreteLaplaceEvent{Sensitivity: 1 << 22, Scale: 1}, account.GaussianEvent{Mu: 0.3}}, Times: 1e6}
	if _, err := (account.PLD{}).Delta(far, 0.1); err == nil || !strings.Contains(err.Error(), "grid of spacing") {
		t.Errorf("%v: %v, want an error that names the grid", far, err)
	}
	same := &lossy{"the same", func() (loss.Pair, error) { return loss.DiscreteLaplace(0, 2) }}
	e := account.Sequence{account.Repeat{Event: same, Times: 50}, gaussian(0.5)}
	lo, hi, err := account.PLD{}.EpsilonBounds(e, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	bracket(t, e.String(), lo, hi, account.GaussianEpsilon(1e-6, 0.5), 1e-3)
}

// Responses that are hardly ever lies have a narrow law on a wide grid.
func TestPLDRareLies(t *testing.T) {
	for _, epsilon := range []float64{5, 20, 50, 500} {
		for _, k := range []int{1, 2, 10, 50} {
			e, truth := account.Repeat{Event: account.ResponseEvent{Epsilon: epsilon, Choices: 2}, Times: k}, responseCurve(epsilon, k)
			for _, delta := range []float64{0.3, 1e-6, 1e-30} {
				lo, hi, err := account.PLD{}.EpsilonBounds(e, delta)
				if err != nil {
					t.Fatal(err)
				}
				bracket(t, fmt.Sprintf("%v, delta = %g", e, delta), lo, hi, truth.inverse(delta), 1e-3)
				at := 0.9 * epsilon * float64(k)
				lo, hi, err = account.PLD{}.DeltaBounds(e, at)
				if exact := truth(at); err != nil || !(lo <= exact*(1+1e-8) && exact <= hi*(1+1e-8) && hi <= exact*(1+1e-6)) {
					t.Errorf("%v, epsilon = %v: delta in [%v, %v] about %v, %v", e, at, lo, hi, exact, err)
				}
			}
		}
	}
}

// A change that is spread over several coordinates under Laplace noise costs no more than one of a
// single coordinate.
func TestPLDLaplaceSpread(t *testing.T) {
	one := laplaceCurve(1)
	for _, parts := range [][]float64{{0.5, 0.5}, {0.9, 0.1}, {0.2, 0.3, 0.5}} {
		var spread account.Sequence
		for _, part := range parts {
			spread = append(spread, account.LaplaceEvent{Epsilon: part})
		}
		for _, epsilon := range []float64{0, 0.3, 0.7, 0.95} {
			if lo, _, err := (account.PLD{}).DeltaBounds(spread, epsilon); err != nil || lo > one(epsilon) {
				t.Errorf("%v, epsilon = %v: delta at least %v, %v, and %v where one coordinate moves", spread, epsilon, lo, err, one(epsilon))
			}
		}
	}
}

// Calibrate takes a second or two with this accountant.
func TestPLDCalibrate(t *testing.T) {
	t.Parallel()
	b := privacy.Budget{Epsilon: 1, Delta: 1e-6}
	event := func(scale float64) account.Event {
		return account.Repeat{Event: account.LaplaceEvent{Epsilon: 1 / scale}, Times: 100}
	}
	scale, err := b.Calibrate(account.PLD{}, event)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scale float64
		fits  bool
	}{{scale, true}, {scale * (1 - 1e-3), false}} {
		lo, hi, err := account.PLD{}.EpsilonBounds(event(c.scale), b.Delta)
		if err != nil || c.fits && hi > b.Epsilon*(1+1e-4) || !c.fits && lo < b.Epsilon {
			t.Errorf("scale %v: epsilon in [%v, %v], %v, want it within %v: %v", c.scale, lo, hi, err, b, c.fits)
		}
	}
}

// Events whose pure and (epsilon, delta) parts are known exactly.
func TestPLDLimits(t *testing.T) {
	laplace := account.LaplaceEvent{Epsilon: 0.3}
	for _, c := range []struct {
		event   account.Event
		epsilon float64
	}{
		{laplace, 0.3},
		{account.Repeat{Event: laplace, Times: 10}, 3},
		{account.Sequence{laplace, account.ResponseEvent{Epsilon: 0.5, Choices: 4}, account.ExponentialEvent{Epsilon: 0.25}}, 1.05},
		{account.Parallel{laplace, account.ResponseEvent{Epsilon: 0.5, Choices: 4}}, 0.5},
		{account.Sequence{laplace, account.Parallel{laplace, account.ResponseEvent{Epsilon: 0.5, Choices: 4}}}, 0.8},
		{account.ShuffleEvent{Local: 1.5, Users: 100}, 1.5},
		{account.DiscreteLaplaceEvent{Sensitivity: 3, Scale: 2}, 1.5},
		{account.GaussianEvent{Mu: 1}, math.Inf(1)},
		{account.GaussianEvent{Mu: 0}, 0},
		{account.ApproximateEvent{Epsilon: 0.5, Delta: 1e-6}, math.Inf(1)},
		{account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1, Sigma: 2}, math.Inf(1)},
	} {
		lo, hi, err := account.PLD{}.EpsilonBounds(c.event, 0)
		if err != nil || lo != hi || (hi != c.epsilon && !(math.Abs(hi-c.epsilon) <= 1e-12)) {
			t.Errorf("%v, delta = 0: [%v, %v], %v, want %v", c.event, lo, hi, err, c.epsilon)
		}
		if math.IsInf(c.epsilon, 1) {
			continue
		}
		if lo, hi, err := (account.PLD{}).DeltaBounds(c.event, c.epsilon+1e-9); err != nil || lo != 0 || hi != 0 {
			t.Errorf("%v, epsilon = %v: delta in [%v, %v], %v, want 0", c.event, c.epsilon, lo, hi, err)
		}
	}
	// The optimal composition of (epsilon, delta) (Kairouz, Oh, Viswanath 2015, Thm. 3.3).
	const k, eps, delta = 50, 0.1, 1e-5
	e := account.Repeat{Event: account.ApproximateEvent{Epsilon: eps, Delta: delta}, Times: k}
	for _, epsilon := range []float64{0, 0.5, 1, 2, 3} {
		truth := 1 - math.Pow(1-delta, k)*(1-responseCurve(eps, k)(epsilon))
		lo, hi, err := account.PLD{}.DeltaBounds(e, epsilon)
		if err != nil || !(lo <= truth*(1+1e-9) && truth <= hi*(1+1e-9) && hi-lo <= 1e-8*truth) {
			t.Errorf("%v, epsilon = %v: [%v, %v] about %v, %v", e, epsilon, lo, hi, truth, err)
		}
	}
}

// On any event that both treat, the accountant is at least as sharp as those of moments and of
// maxima, and its bounds are in order; a grid that is asked for keeps them in order too.
func TestPLDAgainstOthers(t *testing.T) {
	t.Parallel()
	laplace, response := account.LaplaceEvent{Epsilon: 0.2}, account.ResponseEvent{Epsilon: 0.1, Choices: 3}
	events := []account.Event{
		account.Sequence{account.Repeat{Event: laplace, Times: 40}, account.Repeat{Event: response, Times: 70}, account.GaussianEvent{Mu: 0.5}},
		account.Repeat{Event: account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 3, Sigma: 20}, Times: 30},
		account.Sequence{account.Repeat{Event: account.DiscreteLaplaceEvent{Sensitivity: 1000, Scale: 5000}, Times: 9}, account.SparseVectorEvent{Epsilon: 0.1, Accepted: 10}},
		account.Parallel{account.Repeat{Event: laplace, Times: 12}},
		account.Repeat{Event: account.ShuffleEvent{Local: 1, Users: 2000}, Times: 12},
		account.Repeat{Event: laplace, Times: 10000},
	}
	for _, e := range events {
		for _, delta := range some([]float64{1e-2, 1e-9}) {
			lo, hi, err := account.PLD{}.EpsilonBounds(e, delta)
			if err != nil || !(0 <= lo && lo <= hi && hi-lo <= 1e-3*(1+hi)) {
				t.Errorf("%v, delta = %g: [%v, %v], %v", e, delta, lo, hi, err)
			}
			t.Logf("%v, delta = %g: [%.7g, %.7g]", e, delta, lo, hi)
			for _, a := range []account.Accountant{account.Pure{}, account.Renyi{}} {
				if other, err := a.Epsilon(e, delta); err == nil && other < hi-1e-4 {
					t.Errorf("%v, delta = %g: %v, and %v by %v", e, delta, hi, other, a)
				}
			}
			coarse, fine, err := account.PLD{Spacing: 3e-3}.EpsilonBounds(e, delta)
			if err != nil || !(coarse <= hi+1e-9 && lo <= fine+1e-9) {
				t.Errorf("%v, delta = %g: [%v, %v] on a coarse grid, %v; [%v, %v] on a fine one", e, delta, coarse, fine, err, lo, hi)
			}
		}
	}
}

// Inside a composition the worst branch is the maximum of the curves, which lies above each branch.
func TestPLDParallelInside(t *testing.T) {
	laplace, normal := account.LaplaceEvent{Epsilon: 0.2}, account.GaussianEvent{Mu: 0.1}
	for _, delta := range []float64{1e-2, 1e-5, 1e-9} {
		of := func(e account.Event) (lo, hi float64) {
			lo, hi, err := account.PLD{}.EpsilonBounds(account.Repeat{Event: e, Times: 20}, delta)
			if err != nil || !(lo <= hi) {
				t.Errorf("%v, delta = %g: [%v, %v], %v", e, delta, lo, hi, err)
			}
			return lo, hi
		}
		_, a := of(laplace)
		_, b := of(normal)
		lo, hi := of(account.Parallel{laplace, normal})
		if !(hi >= math.Max(a, b)-1e-4) {
			t.Errorf("delta = %g: [%v, %v], and branches of %v and %v", delta, lo, hi, a, b)
		}
		t.Logf("delta = %g: [%.5g, %.5g], branches %.5g and %.5g", delta, lo, hi, a, b)
		if _, hi := of(account.Parallel{laplace, laplace}); hi != a {
			t.Errorf("delta = %g: two equal branches %v, one %v", delta, hi, a)
		}
	}
}

func BenchmarkPLD(b *testing.B) {
	laplace, response := account.LaplaceEvent{Epsilon: 0.01}, account.ResponseEvent{Epsilon: 0.01, Choices: 2}
	for _, c := range []struct {
		name  string
		event account.Event
	}{
		{"gaussian/k=10000", account.Repeat{Event: gaussian(0.01), Times: 10000}},
		{"mixed/k=10000", account.Repeat{Event: account.Sequence{gaussian(0.01), laplace, response}, Times: 10000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for i := range b.N { // each a new question
				if _, err := (account.PLD{}).Epsilon(c.event, 1e-6*(1+1e-9*float64(i))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExamplePLD() {
	day := account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, account.GaussianEvent{Mu: 0.05}}
	year := account.Repeat{Event: day, Times: 365}
	lo, hi, err := account.PLD{}.EpsilonBounds(year, 1e-6)
	if err != nil {
		panic(err)
	}
	renyi, err := account.Renyi{}.Epsilon(year, 1e-6)
	if err != nil {
		panic(err)
	}
	fmt.Printf("epsilon = %.3f, known to %.0e; by moments, %.2f\n", hi, math.Max(hi-lo, 1e-4), renyi)
	// Output:
	// epsilon = 11.663, known to 1e-04; by moments, 12.38
}

func TestPLDErrors(t *testing.T) {
	l := account.LaplaceEvent{Epsilon: 1}
	for _, spacing := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := (account.PLD{Spacing: spacing}).Epsilon(l, 1e-6); err == nil {
			t.Errorf("spacing %v: no error", spacing)
		}
	}
	if _, err := (account.PLD{}).Delta(l, math.NaN()); err == nil {
		t.Error("epsilon NaN: no error")
	}
	if _, err := (account.PLD{}).Epsilon(account.WishartEvent{Epsilon: 0.1, Delta: 1e-6, Nodes: 2}, 1e-6); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Wishart: %v", err)
	}
	if _, err := (account.PLD{Spacing: 1e-12}).Epsilon(account.Repeat{Event: gaussian(1), Times: 3}, 1e-6); err == nil {
		t.Error("spacing 1e-12: no error")
	}
	if _, err := (account.PLD{Spacing: 1e-12}).Epsilon(account.Sequence{account.Repeat{Event: account.ResponseEvent{Epsilon: 1, Choices: 2}, Times: 3}, account.Repeat{Event: l, Times: 2}}, 1e-6); err == nil {
		t.Error("spacing 1e-12: no error")
	}
	if _, err := (account.PLD{}).Epsilon(l, -0.1); err == nil {
		t.Error("delta -0.1: no error")
	}
	if _, err := (account.PLD{}).Epsilon(account.DiscreteGaussianEvent{Dim: 2, Sensitivity: 1, Sigma: 1}, 1e-6); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("two dimensions: %v", err)
	}
	if _, err := (account.PLD{}).Epsilon(account.GroupEvent{Event: account.Parallel{l, gaussian(1)}, Contributions: 2}, 1e-6); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("group of one of two: %v", err)
	}
	var many account.Parallel
	for i := range 65 {
		many = append(many, account.LaplaceEvent{Epsilon: 0.1 + float64(i)/100})
	}
	for _, e := range []account.Event{many, account.Sequence{l, many}} {
		if _, err := (account.PLD{}).Epsilon(e, 1e-6); err == nil {
			t.Errorf("%d alternatives: no error", len(many))
		}
	}
	for _, pair := range []func() (loss.Pair, error){
		func() (loss.Pair, error) { return loss.Gaussian(math.NaN()) },
		func() (loss.Pair, error) { return loss.Laplace(math.Inf(1)) },
		func() (loss.Pair, error) { return loss.Response(1, 0, 1) },
		func() (loss.Pair, error) { return loss.DiscreteLaplace(-1, 1) },
		func() (loss.Pair, error) { return loss.DiscreteGaussian(1, 0) },
		func() (loss.Pair, error) { return loss.Pair{}, nil },
	} {
		if _, err := (account.PLD{}).Epsilon(&lossy{"bad", pair}, 1e-6); err == nil {
			t.Error("a bad pair: no error")
		}
	}
}
