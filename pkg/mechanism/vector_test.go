package mechanism

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The statistical tests of the mechanisms below have fixed seeds; each raises a false alarm with
// probability rareAlarm for a new one.
const rareAlarm = 1e-6

// chiSquare returns the p-value of counts against the probabilities of their cells.
func chiSquare(counts []int, p []float64) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	var chi float64
	for i, c := range counts {
		e := p[i] * float64(n)
		chi += (float64(c) - e) * (float64(c) - e) / e
	}
	return distuv.ChiSquared{K: float64(len(p) - 1)}.Survival(chi)
}

// cells counts a sample in equally probable cells of a distribution function.
func cells(sample []float64, cdf func(float64) float64) (counts []int, p []float64) {
	const n = 40
	counts, p = make([]int, n), make([]float64, n)
	for i := range p {
		p[i] = 1.0 / n
	}
	for _, x := range sample {
		counts[min(n-1, int(n*cdf(x)))]++
	}
	return counts, p
}

// seeded returns noise with a ledger, and the ledger.
func seeded(stream int) (*privacy.Noise, *privacy.Ledger) {
	ledger := privacy.NewLedger(random.Source(21, stream, "mechanism"))
	return privacy.NewNoise(ledger), ledger
}

// balanced fails unless the ledger agrees with what a mechanism says, and does not when that is one
// draw more.
func balanced(t *testing.T, ledger *privacy.Ledger, m privacy.Planner) {
	t.Helper()
	draws := privacy.PlanOf(m, privacy.All).Draws
	if err := ledger.Check(draws); err != nil {
		t.Errorf("%T: %v", m, err)
	}
	draws[0].Count++
	if ledger.Check(draws) == nil {
		t.Errorf("%T: the ledger agrees with one draw more", m)
	}
}

// claims fails unless a claim is sound in form, as the accountants want it, and has the pure
// epsilon given where its event has one.
func claims(t *testing.T, c privacy.Claim, epsilon float64) {
	t.Helper()
	expect.Near(t, "the claim's epsilon", c.Epsilon(), epsilon, 1e-9)
	if err := c.Neighbours().Validate(); err != nil || !c.Held() || len(c.Conditions()) == 0 || c.Source() == "" {
		t.Errorf("incomplete claim (%v): %v", err, c)
	}
}

func TestVectorReleases(t *testing.T) {
	laplace := Laplace{Epsilon: 0.5, Dim: 2, Lo: -1, Hi: 3}
	gaussian := VectorGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Dim: 2, Bound: 2.5}
	for i, c := range []struct {
		of interface {
			Open() (Calibrated[Vectors], error)
		}
		value   []float64
		want    []float64 // what the value is clipped to
		cdf     func(float64) float64
		epsilon float64
		wide    float64 // scale
	}{
		{laplace, []float64{-7, 2}, []float64{-1, 2}, distuv.Laplace{Scale: 16}.CDF, 0.5, 2 * 4 / 0.5},
		{gaussian, []float64{3, 4}, []float64{1.5, 2}, distuv.Normal{Sigma: 5 * 3.7306}.CDF, 1, 5 * 3.7306},
	} {
		opened, err := c.of.Open()
		if err != nil {
			t.Fatal(err)
		}
		noise, ledger := seeded(i)
		m := opened.Start(noise)
		expect.Near(t, "the scale", m.Scale(), c.wide, 2e-5)
		const n = 20_000
		var sample [2][]float64
		dst := make([]float64, 2)
		for range n {
			copy(dst, c.value)
			if err := m.Release(dst, dst); err != nil { // in place
				t.Fatal(err)
			}
			for j, x := range dst {
				sample[j] = append(sample[j], x-c.want[j])
			}
		}
		for j := range sample {
			if p := chiSquare(cells(sample[j], c.cdf)); p < rareAlarm {
				t.Errorf("%T: coordinate %d has another law, p = %.2g", m, j, p)
			}
			shifted := func(x float64) float64 { return c.cdf(x - 0.1*c.wide) }
			if p := chiSquare(cells(sample[j], shifted)); p > rareAlarm {
				t.Errorf("%T: the test does not see a shift by a tenth of the scale, p = %.2g", m, p)
			}
		}
		if m.Clipped() != n {
			t.Errorf("%T: %d values clipped of %d", m, m.Clipped(), n)
		}
		for _, bad := range [][]float64{{1}, {1, 2, 3}, {1, math.NaN()}, {math.Inf(1), 0}} {
			if err := m.Release(make([]float64, len(bad)), bad); err == nil {
				t.Errorf("%T releases %v", m, bad)
			}
		}
		expect.Error(t, "dst", m.Release(make([]float64, 3), c.value), "length 2 into one of 3", "want 2")
		balanced(t, ledger, m)
		claims(t, privacy.ClaimOf(m), c.epsilon)
		if n := testing.AllocsPerRun(100, func() { _ = m.Release(dst, c.value) }); n != 0 {
			t.Errorf("%T: %v allocations a release", m, n)
		}
		m = opened.Start(noise)
		if m.Clipped() != 0 || privacy.PlanOf(m, privacy.All).Draws[0].Count != 0 {
			t.Errorf("%T: a new run keeps counts", m)
		}
	}
}

// The scale of the noise against sensitivity, relation and contributions, by hand.
func TestVectorSensitivities(t *testing.T) {
	add := func(k int) privacy.Neighbours {
		return privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: k}
	}
	replace := func(k int) privacy.Neighbours {
		return privacy.Neighbours{Relation: privacy.Replace, Record: "row", Contributions: k}
	}
	for _, c := range []struct {
		l     Laplace
		scale float64
	}{
		{Laplace{Epsilon: 1, Dim: 1, Lo: 0, Hi: 1}, 1},
		{Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1}, 6},
		{Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1, Neighbours: replace(4)}, 24},
		{Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1, Neighbours: add(1)}, 3},
		{Laplace{Epsilon: 2, Dim: 3, Lo: -5, Hi: 1, Neighbours: add(2)}, 15},
		{Laplace{Epsilon: math.Inf(1), Dim: 3, Lo: -5, Hi: 1}, 0},
	} {
		opened, err := c.l.Open()
		if err != nil {
			t.Fatal(err)
		}
		if scale := opened.Start(nil).Scale(); scale != c.scale {
			t.Errorf("%+v: scale %v, want %v", c.l, scale, c.scale)
		}
	}
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, c := range []struct {
		g  VectorGaussian
		sd float64
	}{
		{VectorGaussian{Budget: b, Dim: 7, Bound: 1}, 2 * 3.7306},
		{VectorGaussian{Budget: b, Dim: 7, Bound: 1, Neighbours: add(1)}, 3.7306},
		{VectorGaussian{Budget: b, Dim: 7, Bound: 3, Neighbours: replace(4)}, 12 * 3.7306},
		{VectorGaussian{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Dim: 7, Bound: 3}, 0},
	} {
		opened, err := c.g.Open()
		if err != nil {
			t.Fatal(err)
		}
		expect.Near(t, "sd", opened.Start(nil).Scale(), c.sd, 2e-5)
	}
	if e, ok := func() (account.Repeat, bool) {
		l := shots(Laplace{Epsilon: 1, Dim: 1, Hi: 1, Neighbours: replace(4)})
		_ = l.Open()
		r, ok := privacy.ClaimOf(l).Event().(account.Repeat)
		return r, ok
	}(); !ok || e.Times != 4 || e.Event.(account.LaplaceEvent).Epsilon != 0.25 {
		t.Errorf("four releases a user: event %v", e)
	}
}

func TestVectorRefuses(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	bad := privacy.Neighbours{Relation: privacy.Replace, Record: "row"}
	add := privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: 1}
	for _, c := range []struct {
		m     any
		words []string
	}{
		{Laplace{Dim: 1, Hi: 1}, []string{"epsilon = 0", "> 0"}},
		{Laplace{Epsilon: nan, Dim: 1, Hi: 1}, []string{"epsilon = NaN"}},
		{Laplace{Epsilon: 1, Hi: 1}, []string{"Dim = 0", ">= 1"}},
		{Laplace{Epsilon: 1, Dim: 1}, []string{"Lo = 0, Hi = 0", "Lo < Hi"}},
		{Laplace{Epsilon: 1, Dim: 1, Lo: nan, Hi: 1}, []string{"Lo = NaN"}},
		{Laplace{Epsilon: 1, Dim: 1, Hi: inf}, []string{"Hi = +Inf", "finite"}},
		{Laplace{Epsilon: 1e-300, Dim: 1, Hi: 1e300}, []string{"scale +Inf"}},
		{Laplace{Epsilon: 1e300, Dim: 1, Hi: 1e-300}, []string{"scale 0"}},
		{Laplace{Epsilon: 1, Dim: 1, Hi: 1, Neighbours: bad}, []string{"Contributions = 0"}},
		{Laplace{Epsilon: 1, Dim: 1, Lo: 1, Hi: 2, Neighbours: add}, []string{"want 0 between them"}},
		{VectorGaussian{Budget: privacy.Budget{Epsilon: 1}, Dim: 1, Bound: 1}, []string{"delta = 0"}},
		{VectorGaussian{Budget: privacy.Budget{Epsilon: -1, Delta: 0.1}, Dim: 1, Bound: 1}, []string{"epsilon = -1"}},
		{VectorGaussian{Budget: b, Bound: 1}, []string{"Dim = 0"}},
		{VectorGaussian{Budget: b, Dim: 1}, []string{"Bound = 0"}},
		{VectorGaussian{Budget: b, Dim: 1, Bound: nan}, []string{"Bound = NaN"}},
		{VectorGaussian{Budget: b, Dim: 1, Bound: inf}, []string{"Bound = +Inf"}},
		{VectorGaussian{Budget: b, Dim: 1, Bound: 1, Neighbours: bad}, []string{"Contributions = 0"}},
		{RandomisedResponse{Choices: 2}, []string{"epsilon = 0"}},
		{RandomisedResponse{Epsilon: 1, Choices: 1}, []string{"Choices = 1", ">= 2"}},
		{RandomisedResponse{Epsilon: 1, Choices: 2, Neighbours: add}, []string{"add or remove", "want replace"}},
		{SparseVector{Accepted: 1, Sensitivity: 1}, []string{"epsilon = 0"}},
		{SparseVector{Epsilon: 1, Sensitivity: 1}, []string{"Accepted = 0", ">= 1"}},
		{SparseVector{Epsilon: 1, Accepted: 1}, []string{"Sensitivity = 0", "> 0"}},
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: inf}, []string{"Sensitivity = +Inf"}},
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: 1, Monotone: true}, []string{"Monotone under replace", "AddRemove"}},
		{SparseVector{Epsilon: 1e-300, Accepted: 9, Sensitivity: 1e300}, []string{"scales +Inf"}},
		{SparseVector{Epsilon: 1, Accepted: 1, Sensitivity: 1, Neighbours: bad}, []string{"Contributions = 0"}},
		{TopK{K: 1, Candidates: 1, Sensitivity: 1}, []string{"epsilon = 0"}},
		{TopK{Budget: b, Candidates: 1, Sensitivity: 1}, []string{"K = 0"}},
		{TopK{Budget: b, K: 3, Candidates: 2, Sensitivity: 1}, []string{"K = 3 of Candidates = 2"}},
		{TopK{Budget: b, K: 1, Candidates: 2, Sensitivity: nan}, []string{"Sensitivity = NaN"}},
		{TopK{Budget: b, K: 1, Candidates: 2, Sensitivity: 1, Monotone: true}, []string{"Monotone under replace", "AddRemove"}},
		{TopK{Budget: privacy.Budget{Epsilon: 1, Delta: 1}, K: 1, Candidates: 2, Sensitivity: 1}, []string{"delta = 1"}},
		{TopK{Budget: b, K: 1, Candidates: 2, Sensitivity: 1, Neighbours: bad}, []string{"Contributions = 0"}},
	} {
		var err error
		switch m := c.m.(type) {
		case Laplace:
			_, err = m.Open()
		case VectorGaussian:
			_, err = m.Open()
		case RandomisedResponse:
			_, err = m.Open()
		case SparseVector:
			_, err = m.Open()
		case TopK:
			_, err = m.Open()
		}
		expect.Error(t, "Open", err, c.words...)
	}
}

// A vector's Laplace noise is no worse than what LaplaceEvent, a single number's, says of the same
// epsilon: the privacy curve of two coordinates that share epsilon lies below 1 - exp((e -
// epsilon)/2). By quadrature of delta(e) = E (1 - e^(e - loss))+ over the loss of the first.
func TestLaplaceEventCoversVectors(t *testing.T) {
	one := func(e, epsilon float64) float64 {
		switch {
		case e >= epsilon:
			return 0
		case e <= -epsilon:
			return -math.Expm1(e)
		}
		return -math.Expm1((e - epsilon) / 2)
	}
	for _, c := range [][2]float64{{0.01, 0.01}, {0.5, 0.5}, {1, 0.1}, {3, 1}, {5, 5}} {
		a, b := c[0], c[1]
		for e := -(a + b); e <= a+b; e += (a + b) / 100 {
			// The loss is a with probability 1/2, -a with exp(-a)/2, and has density exp(-(a-l)/2)/4
			// between.
			two := one(e-a, b)/2 + math.Exp(-a)*one(e+a, b)/2
			const panels = 4000
			for i := range panels {
				l := -a + 2*a*(float64(i)+0.5)/panels
				two += 2 * a / panels * math.Exp((l-a)/2) / 4 * one(e-l, b)
			}
			if two > one(e, a+b)+1e-6 {
				t.Errorf("epsilon %v + %v at %v: delta = %v for two coordinates, %v for one", a, b, e, two, one(e, a+b))
			}
		}
	}
}
