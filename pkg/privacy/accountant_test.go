package privacy

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"
)

func epsilonBy(t rapid.TB, a Accountant, e Event, delta float64) float64 {
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
			near(t, "Laplace", LaplaceEvent{epsilon}.Renyi(alpha), math.Log(integral)/(alpha-1), 1e-6)
			for _, choices := range []int{2, 3, 10} {
				total := math.Exp(epsilon) + float64(choices-1)
				p, q := math.Exp(epsilon)/total, 1/total
				sum := math.Pow(p, alpha)*math.Pow(q, 1-alpha) + math.Pow(q, alpha)*math.Pow(p, 1-alpha) + float64(choices-2)*q
				near(t, "response", ResponseEvent{epsilon, choices}.Renyi(alpha), math.Log(sum)/(alpha-1), 1e-9)
			}
		}
	}
}

// TestAccountantsAreOrdered: all are above the exact Gaussian, Rényi is close to it, and the
// standard conversion of zCDP is the loosest.
func TestAccountantsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Repeat{GaussianEvent{logUniform(t, 1e-3, 1, "mu")}, rapid.IntRange(1, 100).Draw(t, "times")}
		delta := logUniform(t, 1e-10, 1e-2, "delta")
		exact, renyi, zcdp := epsilonBy(t, GDP{}, e, delta), epsilonBy(t, Renyi{}, e, delta), epsilonBy(t, Concentrated{}, e, delta)
		standard := ZCDPEpsilon(float64(e.Times)*GaussianEvent{e.Event.(GaussianEvent).Mu}.Rho(), delta)
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
		e := ResponseEvent{epsilon, 2}
		for _, at := range []float64{0, 0.05, 0.5, 0.99, 1.5} {
			truth := math.Max(0, (math.Exp(epsilon)-math.Exp(at*epsilon))/(math.Exp(epsilon)+1))
			for _, a := range []Accountant{Pure{}, Advanced{}, Concentrated{}, Renyi{}} {
				delta, err := a.Delta(e, at*epsilon)
				if err != nil || delta < truth*(1-1e-9) {
					t.Errorf("%v: delta(%v) = %v, %v, want at least the true %v", a, at*epsilon, delta, err, truth)
				}
			}
			if delta, _ := (Pure{}).Delta(e, at*epsilon); math.Abs(delta-truth) > 1e-12 {
				t.Errorf("pure delta = %v, want %v: randomised response is the worst pure event", delta, truth)
			}
		}
	}
}

func TestDeltaInvertsEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Sequence{GaussianEvent{logUniform(t, 0.01, 1, "mu")}, LaplaceEvent{logUniform(t, 0.01, 1, "epsilon")}, ExponentialEvent{0.3}}
		delta := logUniform(t, 1e-9, 1e-2, "delta")
		for _, a := range []Accountant{Concentrated{}, Renyi{}} {
			back, err := a.Delta(e, epsilonBy(t, a, e, delta))
			if err != nil {
				t.Fatal(err)
			}
			if back > delta*(1+1e-6) || back < delta*0.98 && epsilonBy(t, a, e, delta) > 0 {
				t.Fatalf("%v: delta(epsilon(%v)) = %v", a, delta, back)
			}
		}
	})
	e := Repeat{ApproximateEvent{Budget{0.1, 1e-8}}, 50}
	epsilon := epsilonBy(t, Advanced{}, e, 1e-5)
	if back, err := (Advanced{}).Delta(e, epsilon); err != nil || math.Abs(back/1e-5-1) > 1e-6 {
		t.Errorf("advanced: delta(epsilon(1e-5)) = %v, %v", back, err)
	}
}

func TestCompositionRules(t *testing.T) {
	mu := func(e Event) float64 {
		t.Helper()
		m, err := (GDP{}).Mu(e)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	g := GaussianEvent{0.5}
	near(t, "a sequence", mu(Sequence{g, GaussianEvent{1.2}}), 1.3, 1e-12)
	near(t, "a repetition", mu(Repeat{g, 16}), 2, 1e-12)
	near(t, "a tree", mu(Repeat{g, 16}), 2, 1e-12)
	near(t, "one of two", mu(Parallel{g, GaussianEvent{1.2}}), 1.2, 1e-12)
	near(t, "one of a tree", mu(Parallel{Repeat{g, 16}}), 2, 1e-12)
	near(t, "a group", mu(GroupEvent{g, 3}), 1.5, 1e-12)
	near(t, "a group's pure loss", epsilonBy(t, Pure{}, GroupEvent{LaplaceEvent{0.5}, 3}, 0), 1.5, 1e-12)
	near(t, "sparse vector", epsilonBy(t, Pure{}, SparseVectorEvent{0.2, 4}, 0), 0.8, 1e-12)
	near(t, "nested", epsilonBy(t, Pure{}, Sequence{Parallel{LaplaceEvent{1}, Repeat{LaplaceEvent{0.4}, 3}}, ResponseEvent{0.5, 4}}, 0), 1.7, 1e-12)
	near(t, "basic composition", epsilonBy(t, Advanced{}, Sequence{ApproximateEvent{Budget{1, 1e-6}}, LaplaceEvent{0.5}}, 1e-6), 1.5, 1e-12)
	near(t, "a choice", epsilonBy(t, Advanced{}, Sequence{Parallel{ApproximateEvent{Budget{1, 1e-6}}, ApproximateEvent{Budget{2, 0}}}, LaplaceEvent{0.5}}, 1e-6), 2.5, 1e-12)
	// 100 times (0.1, 0), by hand: 100 0.1 tanh(0.05) + sqrt(2 ln(1e6) 100 0.01)
	near(t, "advanced composition", epsilonBy(t, Advanced{}, Repeat{LaplaceEvent{0.1}, 100}, 1e-6), 10*math.Tanh(0.05)+math.Sqrt(2*math.Log(1e6)), 1e-9)
	if e := epsilonBy(t, Advanced{}, Repeat{ApproximateEvent{Budget{0.1, 1e-6}}, 100}, 1e-6); !math.IsInf(e, 1) {
		t.Errorf("a delta that does not pay for the events' own gives epsilon = %v, want +Inf", e)
	}
	if d, err := (Advanced{}).Delta(Repeat{ApproximateEvent{Budget{0.1, 1e-6}}, 1e9}, 1e9); err != nil || d != 1 {
		t.Errorf("deltas that add up to 1000 give delta = %v, %v, want 1", d, err)
	}
	near(t, "bounded range", epsilonBy(t, Concentrated{}, Repeat{ExponentialEvent{0.2}, 100}, 1e-6), ConcentratedEpsilon(100*0.04/8, 1e-6), 1e-12)
}

func TestUnsupported(t *testing.T) {
	wishart := WishartEvent{Budget{0.1, 1e-6}, 20}
	for _, c := range []struct {
		a Accountant
		e Event
	}{
		{Concentrated{}, wishart}, {Renyi{}, wishart}, {GDP{}, wishart}, {Pure{}, wishart},
		{Concentrated{}, Sequence{GaussianEvent{1}, Repeat{wishart, 2}}},
		{Pure{}, GaussianEvent{1}}, {GDP{}, LaplaceEvent{1}}, {GDP{}, DiscreteGaussianEvent{1, 1, 3}},
		{Advanced{}, GaussianEvent{1}}, {Advanced{}, GroupEvent{wishart, 2}}, {Renyi{}, GroupEvent{LaplaceEvent{1}, 2}},
		{Pure{}, ApproximateEvent{Budget{1, 1e-6}}},
	} {
		for _, err := range []error{second(c.a.Epsilon(c.e, 1e-3)), second(c.a.Delta(c.e, 1))} {
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.a.String()) {
				t.Errorf("%v of %v: error %v, want one that wraps ErrUnsupported and names the accountant", c.a, c.e, err)
			}
		}
	}
	if _, _, err := Tightest(wishart, 1e-3); err != nil {
		t.Errorf("Tightest of Wishart noise: %v", err)
	}
	if _, _, err := Tightest(GroupEvent{wishart, 2}, 1e-3); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Tightest of what nobody treats: error %v, want one that wraps ErrUnsupported", err)
	}
}

func TestEventsValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		e    Event
		word string
	}{
		{GaussianEvent{-1}, "Mu = -1"}, {GaussianEvent{nan}, "Mu = NaN"}, {GaussianEvent{inf}, "no noise"},
		{LaplaceEvent{0}, "Epsilon = 0"}, {LaplaceEvent{inf}, "Epsilon = +Inf"},
		{DiscreteGaussianEvent{0, 1, 1}, "Dim = 0"}, {DiscreteGaussianEvent{1, nan, 1}, "Sensitivity = NaN"}, {DiscreteGaussianEvent{1, 1, 0}, "Sigma = 0"},
		{DiscreteLaplaceEvent{0, 1}, "Sensitivity = 0"}, {DiscreteLaplaceEvent{1, -2}, "Scale = -2"},
		{ResponseEvent{1, 1}, "Choices = 1"}, {ResponseEvent{-1, 2}, "Epsilon = -1"},
		{ExponentialEvent{nan}, "Epsilon = NaN"}, {SparseVectorEvent{1, 0}, "Accepted = 0"}, {SparseVectorEvent{0, 1}, "Epsilon = 0"},
		{WishartEvent{Budget{1, 0.1}, 2}, "Epsilon = 1"}, {WishartEvent{Budget{0.5, 0.1}, 0}, "Nodes = 0"}, {WishartEvent{Budget{0.5, 1}, 1}, "delta = 1"},
		{ApproximateEvent{Budget{-1, 0}}, "epsilon = -1"}, {ApproximateEvent{Budget{inf, 0}}, "+Inf"},
		{Repeat{nil, 1}, "nil"},
		{Sequence{}, "no events"}, {Sequence{nil}, "event 0 of a Sequence is nil"}, {Sequence{GaussianEvent{1}, LaplaceEvent{-1}}, "Epsilon = -1"},
		{Repeat{GaussianEvent{1}, 0}, "0 times"}, {Parallel{}, "no events"},
		{GroupEvent{GaussianEvent{1}, 0}, "Contributions = 0"}, {ShuffleEvent{1, 0}, "Users = 0"}, {ShuffleEvent{-1, 5}, "Local = -1"},
	} {
		if c.e.String() == "" {
			t.Errorf("%#v has no description", c.e)
		}
		for _, a := range append(Accountants(), Renyi{Orders: []float64{2}}) {
			if _, err := a.Epsilon(c.e, 1e-3); err == nil || !strings.Contains(err.Error(), c.word) {
				t.Errorf("%v of %#v: error %v, want one that names %q", a, c.e, err, c.word)
			}
		}
		if _, _, err := Tightest(c.e, 1e-3); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("Tightest of %#v: error %v, want one that names %q", c.e, err, c.word)
		}
	}
	for _, a := range Accountants() {
		for _, delta := range []float64{-1, 1, nan} {
			if _, err := a.Epsilon(GaussianEvent{1}, delta); err == nil || !strings.Contains(err.Error(), "delta = ") {
				t.Errorf("%v at delta = %v: error %v", a, delta, err)
			}
		}
		for _, epsilon := range []float64{-1, nan} {
			if _, err := a.Delta(GaussianEvent{1}, epsilon); err == nil || !strings.Contains(err.Error(), "epsilon = ") {
				t.Errorf("%v at epsilon = %v: error %v", a, epsilon, err)
			}
		}
		if _, err := a.Epsilon(nil, 0.1); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%v of nil: error %v", a, err)
		}
	}
	if _, err := (Renyi{Orders: []float64{1}}).Epsilon(GaussianEvent{1}, 0.1); err == nil || !strings.Contains(err.Error(), "Orders") {
		t.Errorf("order 1: error %v", err)
	}
}

func TestCalibrate(t *testing.T) {
	b := Budget{1, 1e-5}
	gaussian := func(sd float64) Event { return Repeat{GaussianEvent{1 / sd}, 10} }
	exact, err := Calibrate(GDP{}, b, gaussian)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "sigma", exact, 3.7306*math.Sqrt(10), 2e-5)
	for _, a := range []Accountant{GDP{}, Concentrated{}, Renyi{}} {
		scale, err := Calibrate(a, b, gaussian)
		if err != nil {
			t.Fatal(err)
		}
		if spent := epsilonBy(t, a, gaussian(scale), b.Delta); spent > b.Epsilon*(1+1e-9) || epsilonBy(t, a, gaussian(scale/1.001), b.Delta) <= b.Epsilon {
			t.Errorf("%v: scale %v spends %v, want the least within 1", a, scale, spent)
		}
	}
	scale, err := Calibrate(Pure{}, Budget{0.5, 0}, func(scale float64) Event { return LaplaceEvent{3 / scale} })
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the scale of Laplace noise", scale, 6, 1e-6)
	if none, err := Calibrate(GDP{}, Budget{math.Inf(1), 0}, gaussian); err != nil || none != 0 {
		t.Errorf("no privacy needs %v, %v, want no noise", none, err)
	}
	for _, c := range []struct {
		a    Accountant
		b    Budget
		e    func(float64) Event
		word string
	}{
		{GDP{}, Budget{0, 0.1}, gaussian, "epsilon = 0"},
		{Pure{}, b, gaussian, "cannot treat"},
		{Pure{}, Budget{0.1, 0}, func(float64) Event { return LaplaceEvent{1} }, "no scale up to"},
	} {
		if _, err := Calibrate(c.a, c.b, c.e); err == nil || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%v, %v: error %v, want one that names %q", c.a, c.b, err, c.word)
		}
	}
}

func TestOdometer(t *testing.T) {
	mu, err := GaussianMu(Budget{1, 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	o := Odometer{Budget: Budget{1, 1e-5}}
	for i := range 4 { // mu/2 four times is mu
		if err := o.Spend(GaussianEvent{mu / 2}); err != nil {
			t.Fatalf("release %d: %v", i, err)
		}
	}
	near(t, "spent", o.Spent(), 1, 1e-6)
	for e, want := range map[Event]error{GaussianEvent{0.01}: ErrSpent, LaplaceEvent{1e-3}: ErrUnsupported} {
		if err := o.Spend(e); !errors.Is(err, want) {
			t.Errorf("%v past the budget: error %v, want %v", e, err, want)
		}
		near(t, "what is refused costs nothing", o.Spent(), 1, 1e-6)
	}
	if err := o.Spend(LaplaceEvent{1}); err == nil || !strings.Contains(err.Error(), "Odometer.Mixed") {
		t.Errorf("after Gaussian events, another: error %v, want one that names Odometer.Mixed", err)
	}
	o = Odometer{Budget: Budget{1, 1e-5}}
	if err := errors.Join(o.Spend(LaplaceEvent{0.05}), o.Spend(GaussianEvent{mu / 2})); err != nil {
		t.Fatal(err)
	}
	near(t, "a Laplace release first", o.Spent(), ConcentratedEpsilon(mu*mu/8+0.05*0.05/2, 1e-5), 1e-12)
	o = Odometer{Budget: Budget{1, 1e-5}, Mixed: true}
	if err := errors.Join(o.Spend(GaussianEvent{mu / 2}), o.Spend(LaplaceEvent{0.05}), o.Spend(GaussianEvent{mu / 4})); err != nil {
		t.Fatal(err)
	}
	near(t, "a mixed sequence goes by zCDP", o.Spent(), ConcentratedEpsilon(mu*mu/8+0.05*0.05/2+mu*mu/32, 1e-5), 1e-12)
	if err := o.Spend(WishartEvent{Budget{0.1, 1e-6}, 1}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Wishart: error %v, want ErrUnsupported", err)
	}
	o = Odometer{Budget: Budget{1, 0}}
	if err := errors.Join(o.Spend(LaplaceEvent{0.5}), o.Spend(ResponseEvent{0.5, 3})); err != nil {
		t.Fatal(err)
	}
	if err := o.Spend(LaplaceEvent{1e-6}); !errors.Is(err, ErrSpent) {
		t.Errorf("pure, past the budget: error %v, want ErrSpent", err)
	}
	if err := o.Spend(GaussianEvent{0.1}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("Gaussian at delta 0: error %v, want ErrUnsupported", err)
	}
	if err := o.Spend(nil); err == nil {
		t.Error("a nil event: no error")
	}
	if err := new(Odometer).Spend(GaussianEvent{1}); err == nil || !strings.Contains(err.Error(), "epsilon = 0") {
		t.Errorf("no budget: error %v", err)
	}
}

func TestConcentratedRho(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Budget{logUniform(t, 1e-2, 20, "epsilon"), logUniform(t, 1e-12, 0.1, "delta")}
		rho, err := ConcentratedRho(b)
		if err != nil {
			t.Fatal(err)
		}
		if standard, _ := ZCDP(b); rho < standard {
			t.Fatalf("rho = %v, less than the %v of the standard conversion", rho, standard)
		}
		near(t, "epsilon(rho)", ConcentratedEpsilon(rho, b.Delta), b.Epsilon, 1e-6)
		if exact, _ := GaussianMu(b); math.Sqrt(2*rho) > exact*(1+1e-9) {
			t.Fatalf("rho = %v allows the Gaussian mu = %v, exactly it is %v", rho, math.Sqrt(2*rho), exact)
		}
	})
	if _, err := ConcentratedRho(Budget{1, 0}); err == nil {
		t.Error("delta = 0: no error")
	}
}

// TestOdometerHoldsUnderAdaptivity plays against the odometer: a Gaussian release first, and after
// it, by the loss that came of it, either Gaussian noise or a randomised response, whichever has
// the larger delta left, each as much as the odometer pays for. What both together show must be
// within the budget.
func TestOdometerHoldsUnderAdaptivity(t *testing.T) {
	b := Budget{1, 1e-5}
	// the largest size that o pays for, 0 for none
	most := func(o Odometer, event func(float64) Event) float64 {
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
	gaussian := func(mu float64) Event { return GaussianEvent{mu} }
	response := func(epsilon float64) Event { return ResponseEvent{epsilon, 2} }
	for _, mixed := range []bool{false, true} {
		start := Odometer{Budget: b, Mixed: mixed}
		whole := most(start, gaussian)
		for _, share := range []float64{0.1, 0.3, 0.52, 0.7, 0.9} {
			first, o := whole*math.Sqrt(share), start
			if err := o.Spend(GaussianEvent{first}); err != nil {
				t.Fatal(err)
			}
			mu, epsilon := most(o, gaussian), most(o, response)
			total, step := 0.0, 1e-3
			for z := -10.0; z < 10; z += step {
				left := b.Epsilon - first*(first/2+z)
				answer, _ := Pure{}.Delta(ResponseEvent{math.Max(epsilon, 1e-300), 2}, math.Max(left, 0))
				if left < 0 {
					answer = 0 // next to nothing is lost, on the adversary's side
				}
				total += step * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Max(GaussianDelta(left, mu), answer)
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
			near(t, "Laplace", LaplaceEvent{epsilon}.Renyi(alpha), alpha*epsilon*epsilon/2, 2*alpha*epsilon)
			near(t, "response", ResponseEvent{epsilon, 2}.Renyi(alpha), alpha*epsilon*epsilon/2, 2*alpha*epsilon)
		}
	}
	if epsilon, err := (Renyi{}).Epsilon(upTo8{}, 1e-6); err != nil || !(epsilon > 0 && epsilon < 3) {
		t.Errorf("an event of finite divergences up to order 8: %v, %v", epsilon, err)
	}
	if _, err := (Renyi{Orders: []float64{}}).Epsilon(WishartEvent{Budget{0.1, 1e-6}, 20}, 1e-3); !errors.Is(err, ErrUnsupported) {
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
	one := Parallel{ApproximateEvent{Budget{0.5, 0}}, ApproximateEvent{Budget{0.1, 1e-6}}}
	if epsilon := epsilonBy(t, Advanced{}, one, 0); !math.IsInf(epsilon, 1) {
		t.Errorf("epsilon = %v at delta = 0, want +Inf", epsilon)
	}
	near(t, "a branch known in advance", epsilonBy(t, Advanced{}, one, 1e-6), 0.5, 1e-12)
	var many Sequence
	for range 30 {
		many = append(many, one)
	}
	near(t, "thirty of them", epsilonBy(t, Advanced{}, many, 1e-3), epsilonBy(t, Advanced{}, Repeat{ApproximateEvent{Budget{0.5, 1e-6}}, 30}, 1e-3), 1e-12)
}

// TestCalibrateAsksLittle: with a slow accountant the number of questions is what counts.
func TestCalibrateAsksLittle(t *testing.T) {
	for _, sensitivity := range []float64{1e-3, 1, 50} {
		a := &counted{Accountant: Concentrated{}}
		scale, err := Calibrate(a, Budget{1, 1e-6}, func(scale float64) Event { return Repeat{LaplaceEvent{sensitivity / scale}, 20} })
		if err != nil {
			t.Fatal(err)
		}
		rho, _ := ConcentratedRho(Budget{1, 1e-6})
		near(t, "scale", scale, sensitivity*math.Sqrt(10/rho), 2e-7)
		if most := 14 + int(math.Abs(math.Log2(scale))); a.asked > most {
			t.Errorf("%d questions for a scale of %v, want at most %d", a.asked, scale, most)
		}
	}
}

type counted struct {
	Accountant
	asked int
}

func (c *counted) Delta(e Event, epsilon float64) (float64, error) {
	c.asked++
	return c.Accountant.Delta(e, epsilon)
}
