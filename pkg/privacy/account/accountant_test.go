package account_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

func near(t rapid.TB, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s = %v, want %v within a relative %v", what, got, want, relative)
	}
}

func logUniform(t *rapid.T, lo, hi float64, label string) float64 {
	return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, label))
}

func second(_ float64, err error) error { return err }

func epsilonBy(t rapid.TB, a account.Accountant, e account.Event, delta float64) float64 {
	t.Helper()
	epsilon, err := a.Epsilon(e, delta)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return epsilon
}

// TestRenyiDivergences compares the closed forms with the definition: ln(int p^alpha
// q^(1-alpha))/(alpha-1).
func TestRenyiDivergences(t *testing.T) {
	for _, alpha := range []float64{1.01, 1.5, 2, 8, 32} {
		for _, epsilon := range []float64{0.1, 1, 4} {
			p := func(x float64) float64 { return math.Exp(-math.Abs(x)) / 2 }
			q := func(x float64) float64 { return math.Exp(-math.Abs(x-epsilon)) / 2 }
			f := func(x float64) float64 { return math.Exp(alpha*math.Log(p(x)) + (1-alpha)*math.Log(q(x))) }
			integral := 0.0
			for _, piece := range [][2]float64{{-60, 0}, {0, epsilon}, {epsilon, epsilon + 60}} {
				integral += quad.Fixed(f, piece[0], piece[1], 400, quad.Legendre{}, 0)
			}
			near(t, "Laplace", account.LaplaceEvent{Epsilon: epsilon}.Renyi(alpha), math.Log(integral)/(alpha-1), 1e-6)
			for _, choices := range []int{2, 3, 10} {
				total := math.Exp(epsilon) + float64(choices-1)
				p, q := math.Exp(epsilon)/total, 1/total
				sum := math.Pow(p, alpha)*math.Pow(q, 1-alpha) + math.Pow(q, alpha)*math.Pow(p, 1-alpha) + float64(choices-2)*q
				near(t, "response", account.ResponseEvent{Epsilon: epsilon, Choices: choices}.Renyi(alpha), math.Log(sum)/(alpha-1), 1e-9)
			}
		}
	}
}

// TestAccountantsAreOrdered: all are above the exact Gaussian, Rényi is close to it, and the
// standard conversion of zCDP is the loosest.
func TestAccountantsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := account.Repeat{Event: account.GaussianEvent{Mu: logUniform(t, 1e-3, 1, "mu")}, Times: rapid.IntRange(1, 100).Draw(t, "times")}
		delta := logUniform(t, 1e-10, 1e-2, "delta")
		exact, renyi, zcdp := epsilonBy(t, account.GDP{}, e, delta), epsilonBy(t, account.Renyi{}, e, delta), epsilonBy(t, account.Concentrated{}, e, delta)
		rho := float64(e.Times) * account.GaussianEvent{Mu: e.Event.(account.GaussianEvent).Mu}.Rho()
		standard := rho + 2*math.Sqrt(rho*math.Log(1/delta))
		if !(exact <= zcdp && zcdp <= renyi*(1+1e-9)+1e-12 && zcdp <= standard) {
			t.Fatalf("exact %v, zCDP %v, Rényi %v, standard zCDP %v: want them in this order", exact, zcdp, renyi, standard)
		}
		if renyi > 2*exact+0.2 {
			t.Fatalf("Rényi %v, exact %v: want it close", renyi, exact)
		}
	})
}

// TestPureLosses: no accountant is below the truth on randomised response, whose delta is known:
// (e^eps - e^eps')/(e^eps + 1).
func TestPureLosses(t *testing.T) {
	for _, epsilon := range []float64{0.1, 1, 3} {
		e := account.ResponseEvent{Epsilon: epsilon, Choices: 2}
		for _, at := range []float64{0, 0.05, 0.5, 0.99, 1.5} {
			truth := math.Max(0, (math.Exp(epsilon)-math.Exp(at*epsilon))/(math.Exp(epsilon)+1))
			for _, a := range []account.Accountant{account.Pure{}, account.Advanced{}, account.Concentrated{}, account.Renyi{}} {
				delta, err := a.Delta(e, at*epsilon)
				if err != nil || delta < truth*(1-1e-9) {
					t.Errorf("%v: delta(%v) = %v, %v, want at least the true %v", a, at*epsilon, delta, err, truth)
				}
			}
			if delta, _ := (account.Pure{}).Delta(e, at*epsilon); math.Abs(delta-truth) > 1e-12 {
				t.Errorf("pure delta = %v, want %v: randomised response is the worst pure event", delta, truth)
			}
		}
	}
}

func TestDeltaInvertsEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := account.Sequence{account.GaussianEvent{Mu: logUniform(t, 0.01, 1, "mu")}, account.LaplaceEvent{Epsilon: logUniform(t, 0.01, 1, "epsilon")}, account.ExponentialEvent{Epsilon: 0.3}}
		delta := logUniform(t, 1e-9, 1e-2, "delta")
		for _, a := range []account.Accountant{account.Concentrated{}, account.Renyi{}} {
			back, err := a.Delta(e, epsilonBy(t, a, e, delta))
			if err != nil {
				t.Fatal(err)
			}
			if back > delta*(1+1e-6) || back < delta*0.98 && epsilonBy(t, a, e, delta) > 0 {
				t.Fatalf("%v: delta(epsilon(%v)) = %v", a, delta, back)
			}
		}
	})
	e := account.Repeat{Event: account.ApproximateEvent{Epsilon: 0.1, Delta: 1e-8}, Times: 50}
	epsilon := epsilonBy(t, account.Advanced{}, e, 1e-5)
	if back, err := (account.Advanced{}).Delta(e, epsilon); err != nil || math.Abs(back/1e-5-1) > 1e-6 {
		t.Errorf("advanced: delta(epsilon(1e-5)) = %v, %v", back, err)
	}
}

func TestCompositionRules(t *testing.T) {
	mu := func(e account.Event) float64 {
		t.Helper()
		m, err := (account.GDP{}).Mu(e)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	g := account.GaussianEvent{Mu: 0.5}
	near(t, "a sequence", mu(account.Sequence{g, account.GaussianEvent{Mu: 1.2}}), 1.3, 1e-12)
	near(t, "a repetition", mu(account.Repeat{Event: g, Times: 16}), 2, 1e-12)
	near(t, "a tree", mu(account.Repeat{Event: g, Times: 16}), 2, 1e-12)
	near(t, "one of two", mu(account.Parallel{g, account.GaussianEvent{Mu: 1.2}}), 1.2, 1e-12)
	near(t, "one of a tree", mu(account.Parallel{account.Repeat{Event: g, Times: 16}}), 2, 1e-12)
	near(t, "a group", mu(account.GroupEvent{Event: g, Contributions: 3}), 1.5, 1e-12)
	near(t, "a group's pure loss", epsilonBy(t, account.Pure{}, account.GroupEvent{Event: account.LaplaceEvent{Epsilon: 0.5}, Contributions: 3}, 0), 1.5, 1e-12)
	near(t, "sparse vector", epsilonBy(t, account.Pure{}, account.SparseVectorEvent{Epsilon: 0.2, Accepted: 4}, 0), 0.8, 1e-12)
	near(t, "nested", epsilonBy(t, account.Pure{}, account.Sequence{account.Parallel{account.LaplaceEvent{Epsilon: 1}, account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.4}, Times: 3}}, account.ResponseEvent{Epsilon: 0.5, Choices: 4}}, 0), 1.7, 1e-12)
	near(t, "basic composition", epsilonBy(t, account.Advanced{}, account.Sequence{account.ApproximateEvent{Epsilon: 1, Delta: 1e-6}, account.LaplaceEvent{Epsilon: 0.5}}, 1e-6), 1.5, 1e-12)
	near(t, "a choice", epsilonBy(t, account.Advanced{}, account.Sequence{account.Parallel{account.ApproximateEvent{Epsilon: 1, Delta: 1e-6}, account.ApproximateEvent{Epsilon: 2, Delta: 0}}, account.LaplaceEvent{Epsilon: 0.5}}, 1e-6), 2.5, 1e-12)
	// 100 times (0.1, 0), by hand: 100 0.1 tanh(0.05) + sqrt(2 ln(1e6) 100 0.01)
	near(t, "advanced composition", epsilonBy(t, account.Advanced{}, account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.1}, Times: 100}, 1e-6), 10*math.Tanh(0.05)+math.Sqrt(2*math.Log(1e6)), 1e-9)
	if e := epsilonBy(t, account.Advanced{}, account.Repeat{Event: account.ApproximateEvent{Epsilon: 0.1, Delta: 1e-6}, Times: 100}, 1e-6); !math.IsInf(e, 1) {
		t.Errorf("a delta that does not pay for the events' own gives epsilon = %v, want +Inf", e)
	}
	if d, err := (account.Advanced{}).Delta(account.Repeat{Event: account.ApproximateEvent{Epsilon: 0.1, Delta: 1e-6}, Times: 1e9}, 1e9); err != nil || d != 1 {
		t.Errorf("deltas that add up to 1000 give delta = %v, %v, want 1", d, err)
	}
	near(t, "bounded range", epsilonBy(t, account.Concentrated{}, account.Repeat{Event: account.ExponentialEvent{Epsilon: 0.2}, Times: 100}, 1e-6), account.ConcentratedEpsilon(100*0.04/8, 1e-6), 1e-12)
}

func TestUnsupported(t *testing.T) {
	wishart := account.WishartEvent{Epsilon: 0.1, Delta: 1e-6, Nodes: 20}
	for _, c := range []struct {
		a account.Accountant
		e account.Event
	}{
		{account.Concentrated{}, wishart}, {account.Renyi{}, wishart}, {account.GDP{}, wishart}, {account.Pure{}, wishart},
		{account.Concentrated{}, account.Sequence{account.GaussianEvent{Mu: 1}, account.Repeat{Event: wishart, Times: 2}}},
		{account.Pure{}, account.GaussianEvent{Mu: 1}}, {account.GDP{}, account.LaplaceEvent{Epsilon: 1}}, {account.GDP{}, account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1, Sigma: 3}},
		{account.Advanced{}, account.GaussianEvent{Mu: 1}}, {account.Advanced{}, account.GroupEvent{Event: wishart, Contributions: 2}}, {account.Renyi{}, account.GroupEvent{Event: account.LaplaceEvent{Epsilon: 1}, Contributions: 2}},
		{account.Pure{}, account.ApproximateEvent{Epsilon: 1, Delta: 1e-6}},
	} {
		for _, err := range []error{second(c.a.Epsilon(c.e, 1e-3)), second(c.a.Delta(c.e, 1))} {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.a.String()) {
				t.Errorf("%v of %v: error %v, want one that wraps errors.ErrUnsupported and names the accountant", c.a, c.e, err)
			}
		}
	}
	if _, _, err := account.Tightest(wishart, 1e-3); err != nil {
		t.Errorf("Tightest of Wishart noise: %v", err)
	}
	if _, _, err := account.Tightest(account.GroupEvent{Event: wishart, Contributions: 2}, 1e-3); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Tightest of what nobody treats: error %v, want one that wraps errors.ErrUnsupported", err)
	}
}

func TestEventsValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		e    account.Event
		word string
	}{
		{account.GaussianEvent{Mu: -1}, "Mu = -1"}, {account.GaussianEvent{Mu: nan}, "Mu = NaN"}, {account.GaussianEvent{Mu: inf}, "no noise"},
		{account.LaplaceEvent{Epsilon: 0}, "Epsilon = 0"}, {account.LaplaceEvent{Epsilon: inf}, "Epsilon = +Inf"},
		{account.DiscreteGaussianEvent{Dim: 0, Sensitivity: 1, Sigma: 1}, "Dim = 0"}, {account.DiscreteGaussianEvent{Dim: 1, Sensitivity: nan, Sigma: 1}, "Sensitivity = NaN"}, {account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1, Sigma: 0}, "Sigma = 0"},
		{account.DiscreteLaplaceEvent{Sensitivity: 0, Scale: 1}, "Sensitivity = 0"}, {account.DiscreteLaplaceEvent{Sensitivity: 1, Scale: -2}, "Scale = -2"},
		{account.ResponseEvent{Epsilon: 1, Choices: 1}, "Choices = 1"}, {account.ResponseEvent{Epsilon: -1, Choices: 2}, "Epsilon = -1"},
		{account.ExponentialEvent{Epsilon: nan}, "Epsilon = NaN"}, {account.SparseVectorEvent{Epsilon: 1, Accepted: 0}, "Accepted = 0"}, {account.SparseVectorEvent{Epsilon: 0, Accepted: 1}, "Epsilon = 0"},
		{account.WishartEvent{Epsilon: 1, Delta: 0.1, Nodes: 2}, "Epsilon = 1"}, {account.WishartEvent{Epsilon: 0.5, Delta: 0.1, Nodes: 0}, "Nodes = 0"}, {account.WishartEvent{Epsilon: 0.5, Delta: 1, Nodes: 1}, "delta = 1"},
		{account.ApproximateEvent{Epsilon: -1, Delta: 0}, "epsilon = -1"}, {account.ApproximateEvent{Epsilon: inf, Delta: 0}, "+Inf"},
		{account.Repeat{Event: nil, Times: 1}, "nil"},
		{account.Sequence{}, "no events"}, {account.Sequence{nil}, "event 0 of a Sequence is nil"}, {account.Sequence{account.GaussianEvent{Mu: 1}, account.LaplaceEvent{Epsilon: -1}}, "Epsilon = -1"},
		{account.Repeat{Event: account.GaussianEvent{Mu: 1}, Times: 0}, "0 times"}, {account.Parallel{}, "no events"},
		{account.GroupEvent{Event: account.GaussianEvent{Mu: 1}, Contributions: 0}, "Contributions = 0"}, {account.ShuffleEvent{Local: 1, Users: 0}, "Users = 0"}, {account.ShuffleEvent{Local: -1, Users: 5}, "Local = -1"},
	} {
		if c.e.String() == "" {
			t.Errorf("%#v has no description", c.e)
		}
		for _, a := range append(account.Accountants(), account.Renyi{Orders: []float64{2}}) {
			if _, err := a.Epsilon(c.e, 1e-3); err == nil || !strings.Contains(err.Error(), c.word) {
				t.Errorf("%v of %#v: error %v, want one that names %q", a, c.e, err, c.word)
			}
		}
		if _, _, err := account.Tightest(c.e, 1e-3); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("Tightest of %#v: error %v, want one that names %q", c.e, err, c.word)
		}
	}
	for _, a := range account.Accountants() {
		for _, delta := range []float64{-1, 1, nan} {
			if _, err := a.Epsilon(account.GaussianEvent{Mu: 1}, delta); err == nil || !strings.Contains(err.Error(), "delta = ") {
				t.Errorf("%v at delta = %v: error %v", a, delta, err)
			}
		}
		for _, epsilon := range []float64{-1, nan} {
			if _, err := a.Delta(account.GaussianEvent{Mu: 1}, epsilon); err == nil || !strings.Contains(err.Error(), "epsilon = ") {
				t.Errorf("%v at epsilon = %v: error %v", a, epsilon, err)
			}
		}
		if _, err := a.Epsilon(nil, 0.1); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%v of nil: error %v", a, err)
		}
	}
	if _, err := (account.Renyi{Orders: []float64{1}}).Epsilon(account.GaussianEvent{Mu: 1}, 0.1); err == nil || !strings.Contains(err.Error(), "Orders") {
		t.Errorf("order 1: error %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	gaussian := func(sd float64) account.Event {
		return account.Repeat{Event: account.GaussianEvent{Mu: 1 / sd}, Times: 10}
	}
	exact, err := b.Calibrate(account.GDP{}, gaussian)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sigma", exact, 3.7306*math.Sqrt(10), 2e-5)
	for _, a := range []account.Accountant{account.GDP{}, account.Concentrated{}, account.Renyi{}} {
		scale, err := b.Calibrate(a, gaussian)
		if err != nil {
			t.Fatal(err)
		}
		if spent := epsilonBy(t, a, gaussian(scale), b.Delta); spent > b.Epsilon*(1+1e-9) || epsilonBy(t, a, gaussian(scale/1.001), b.Delta) <= b.Epsilon {
			t.Errorf("%v: scale %v spends %v, want the least within 1", a, scale, spent)
		}
	}
	scale, err := privacy.Budget{Epsilon: 0.5, Delta: 0}.Calibrate(account.Pure{}, func(scale float64) account.Event { return account.LaplaceEvent{Epsilon: 3 / scale} })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the scale of Laplace noise", scale, 6, 1e-6)
	if none, err := (privacy.Budget{Epsilon: math.Inf(1), Delta: 0}).Calibrate(account.GDP{}, gaussian); err != nil || none != 0 {
		t.Errorf("no privacy needs %v, %v, want no noise", none, err)
	}
	for _, c := range []struct {
		a    account.Accountant
		b    privacy.Budget
		e    func(float64) account.Event
		word string
	}{
		{account.GDP{}, privacy.Budget{Epsilon: 0, Delta: 0.1}, gaussian, "epsilon = 0"},
		{account.Pure{}, b, gaussian, "cannot treat"},
		{account.Pure{}, privacy.Budget{Epsilon: 0.1, Delta: 0}, func(float64) account.Event { return account.LaplaceEvent{Epsilon: 1} }, "no scale up to"},
	} {
		if _, err := c.b.Calibrate(c.a, c.e); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%v, %v: error %v, want one that names %q", c.a, c.b, err, c.word)
		}
	}
}

func TestOdometer(t *testing.T) {
	mu, err := privacy.Budget{Epsilon: 1, Delta: 1e-5}.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	o := account.Odometer{Epsilon: 1, Delta: 1e-5}
	for i := range 4 { // mu/2 four times is mu
		if err := o.Spend(account.GaussianEvent{Mu: mu / 2}); err != nil {
			t.Fatalf("release %d: %v", i, err)
		}
	}
	near(t, "spent", o.Spent(), 1, 1e-6)
	for e, want := range map[account.Event]error{account.GaussianEvent{Mu: 0.01}: account.ErrSpent, account.LaplaceEvent{Epsilon: 1e-3}: errors.ErrUnsupported} {
		if err := o.Spend(e); !errors.Is(err, want) {
			t.Errorf("%v past the budget: error %v, want %v", e, err, want)
		}
		near(t, "what is refused costs nothing", o.Spent(), 1, 1e-6)
	}
	if err := o.Spend(account.LaplaceEvent{Epsilon: 1}); err == nil || !strings.Contains(err.Error(), "Odometer.Mixed") {
		t.Errorf("after Gaussian events, another: error %v, want one that names Odometer.Mixed", err)
	}
	o = account.Odometer{Epsilon: 1, Delta: 1e-5}
	if err := errors.Join(o.Spend(account.LaplaceEvent{Epsilon: 0.05}), o.Spend(account.GaussianEvent{Mu: mu / 2})); err != nil {
		t.Fatal(err)
	}
	near(t, "a Laplace release first", o.Spent(), account.ConcentratedEpsilon(mu*mu/8+0.05*0.05/2, 1e-5), 1e-12)
	o = account.Odometer{Epsilon: 1, Delta: 1e-5, Mixed: true}
	if err := errors.Join(o.Spend(account.GaussianEvent{Mu: mu / 2}), o.Spend(account.LaplaceEvent{Epsilon: 0.05}), o.Spend(account.GaussianEvent{Mu: mu / 4})); err != nil {
		t.Fatal(err)
	}
	near(t, "a mixed sequence goes by zCDP", o.Spent(), account.ConcentratedEpsilon(mu*mu/8+0.05*0.05/2+mu*mu/32, 1e-5), 1e-12)
	if err := o.Spend(account.WishartEvent{Epsilon: 0.1, Delta: 1e-6, Nodes: 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Wishart: error %v, want errors.ErrUnsupported", err)
	}
	o = account.Odometer{Epsilon: 1, Delta: 0}
	if err := errors.Join(o.Spend(account.LaplaceEvent{Epsilon: 0.5}), o.Spend(account.ResponseEvent{Epsilon: 0.5, Choices: 3})); err != nil {
		t.Fatal(err)
	}
	if err := o.Spend(account.LaplaceEvent{Epsilon: 1e-6}); !errors.Is(err, account.ErrSpent) {
		t.Errorf("pure, past the budget: error %v, want ErrSpent", err)
	}
	if err := o.Spend(account.GaussianEvent{Mu: 0.1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Gaussian at delta 0: error %v, want errors.ErrUnsupported", err)
	}
	if err := o.Spend(nil); err == nil {
		t.Error("a nil event: no error")
	}
	if err := new(account.Odometer).Spend(account.GaussianEvent{Mu: 1}); err == nil || !strings.Contains(err.Error(), "epsilon = 0") {
		t.Errorf("no budget: error %v", err)
	}
}

func TestConcentratedRho(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := privacy.Budget{Epsilon: logUniform(t, 1e-2, 20, "epsilon"), Delta: logUniform(t, 1e-12, 0.1, "delta")}
		rho, err := b.ConcentratedRho()
		if err != nil {
			t.Fatal(err)
		}
		if standard, _ := b.ZCDP(); rho < standard {
			t.Fatalf("rho = %v, less than the %v of the standard conversion", rho, standard)
		}
		near(t, "epsilon(rho)", account.ConcentratedEpsilon(rho, b.Delta), b.Epsilon, 1e-6)
		if exact, _ := b.GaussianMu(); math.Sqrt(2*rho) > exact*(1+1e-9) {
			t.Fatalf("rho = %v allows the Gaussian mu = %v, exactly it is %v", rho, math.Sqrt(2*rho), exact)
		}
	})
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0}).ConcentratedRho(); err == nil {
		t.Error("delta = 0: no error")
	}
}

// TestOdometerHoldsUnderAdaptivity plays against the odometer: a Gaussian release first, and after
// it, by the loss that came of it, either Gaussian noise or a randomised response, whichever has
// the larger delta left, each as much as the odometer pays for. What both together show must be
// within the budget.
func TestOdometerHoldsUnderAdaptivity(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	// the largest size that o pays for, 0 for none
	most := func(o account.Odometer, event func(float64) account.Event) float64 {
		lo, hi := 0.0, 2.0
		for range 50 {
			middle, try := (lo+hi)/2, o
			if try.Spend(event(middle)) == nil {
				lo = middle
			} else {
				hi = middle
			}
		}
		return lo
	}
	gaussian := func(mu float64) account.Event { return account.GaussianEvent{Mu: mu} }
	response := func(epsilon float64) account.Event { return account.ResponseEvent{Epsilon: epsilon, Choices: 2} }
	for _, mixed := range []bool{false, true} {
		start := account.Odometer{Epsilon: b.Epsilon, Delta: b.Delta, Mixed: mixed}
		whole := most(start, gaussian)
		for _, share := range []float64{0.1, 0.3, 0.52, 0.7, 0.9} {
			first, o := whole*math.Sqrt(share), start
			if err := o.Spend(account.GaussianEvent{Mu: first}); err != nil {
				t.Fatal(err)
			}
			mu, epsilon := most(o, gaussian), most(o, response)
			total, step := 0.0, 1e-3
			for z := -10.0; z < 10; z += step {
				left := b.Epsilon - first*(first/2+z)
				answer, _ := account.Pure{}.Delta(account.ResponseEvent{Epsilon: math.Max(epsilon, 1e-300), Choices: 2}, math.Max(left, 0))
				if left < 0 {
					answer = 0 // next to nothing is lost, on the adversary's side
				}
				total += step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Max(account.GaussianDelta(left, mu), answer)
			}
			if total > b.Delta*(1+1e-6) {
				t.Errorf("mixed %v, after a share of %v: delta = %v in all, want at most %v", mixed, share, total, b.Delta)
			}
		}
	}
}

func TestRenyiSmallAndInfinite(t *testing.T) {
	// Next to 1 the divergences of both are alpha epsilon^2/2 and less than a relative epsilon off it;
	// half of that for Laplace noise and two answers.
	for _, epsilon := range []float64{1e-5, 1e-8} {
		for _, alpha := range []float64{1.01, 2, 1000} {
			near(t, "Laplace", account.LaplaceEvent{Epsilon: epsilon}.Renyi(alpha), alpha*epsilon*epsilon/2, 2*alpha*epsilon)
			near(t, "response", account.ResponseEvent{Epsilon: epsilon, Choices: 2}.Renyi(alpha), alpha*epsilon*epsilon/2, 2*alpha*epsilon)
		}
	}
	if epsilon, err := (account.Renyi{}).Epsilon(upTo8{}, 1e-6); err != nil || !(epsilon > 0 && epsilon < 3) {
		t.Errorf("an event of finite divergences up to order 8: %v, %v", epsilon, err)
	}
	if _, err := (account.Renyi{Orders: []float64{}}).Epsilon(account.WishartEvent{Epsilon: 0.1, Delta: 1e-6, Nodes: 20}, 1e-3); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no orders: error %v, want the orders by default", err)
	}
}

// upTo8 has no finite divergence beyond order 8.
type upTo8 struct{}

func (upTo8) String() string  { return "finite up to order 8" }
func (upTo8) Validate() error { return nil }
func (upTo8) Renyi(alpha float64) float64 {
	if alpha > 8 {
		return math.Inf(1)
	}
	return alpha * 1e-3
}

// TestAdvancedLetsAnAdversaryChoose: which of parallel events comes may depend on what was released
// before it, so that each sum is bounded by its largest.
func TestAdvancedLetsAnAdversaryChoose(t *testing.T) {
	one := account.Parallel{account.ApproximateEvent{Epsilon: 0.5, Delta: 0}, account.ApproximateEvent{Epsilon: 0.1, Delta: 1e-6}}
	if epsilon := epsilonBy(t, account.Advanced{}, one, 0); !math.IsInf(epsilon, 1) {
		t.Errorf("epsilon = %v at delta = 0, want +Inf", epsilon)
	}
	near(t, "a branch known in advance", epsilonBy(t, account.Advanced{}, one, 1e-6), 0.5, 1e-12)
	var many account.Sequence
	for range 30 {
		many = append(many, one)
	}
	near(t, "thirty of them", epsilonBy(t, account.Advanced{}, many, 1e-3), epsilonBy(t, account.Advanced{}, account.Repeat{Event: account.ApproximateEvent{Epsilon: 0.5, Delta: 1e-6}, Times: 30}, 1e-3), 1e-12)
}

// TestCalibrateAsksLittle: with a slow accountant the number of questions is what counts.
func TestCalibrateAsksLittle(t *testing.T) {
	for _, sensitivity := range []float64{1e-3, 1, 50} {
		a := &counted{Accountant: account.Concentrated{}}
		scale, err := privacy.Budget{Epsilon: 1, Delta: 1e-6}.Calibrate(a, func(scale float64) account.Event {
			return account.Repeat{Event: account.LaplaceEvent{Epsilon: sensitivity / scale}, Times: 20}
		})
		if err != nil {
			t.Fatal(err)
		}
		rho, _ := privacy.Budget{Epsilon: 1, Delta: 1e-6}.ConcentratedRho()
		near(t, "scale", scale, sensitivity*math.Sqrt(10/rho), 2e-7)
		if most := 14 + int(math.Abs(math.Log2(scale))); a.asked > most {
			t.Errorf("%d questions for a scale of %v, want at most %d", a.asked, scale, most)
		}
	}
}

type counted struct {
	account.Accountant
	asked int
}

func (c *counted) Delta(e account.Event, epsilon float64) (float64, error) {
	c.asked++
	return c.Accountant.Delta(e, epsilon)
}
