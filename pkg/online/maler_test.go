package online

import (
	"math"
	"testing"
)

func TestMalerExperts(t *testing.T) {
	for horizon, want := range map[int]int{1: 3, 2: 5, 4: 5, 5: 7, 16: 7, 17: 9, 20000: 19, 16384: 17, 16385: 19, 65536: 19, 65537: 21} {
		m := start(t, Maler{Gradient: 1}, 2, horizon).(*MalerRun)
		g := start(t, MetaGrad{Gradient: 1}, 2, horizon).(*metaGradRun)
		if m.Experts() != want || g.Experts() != (want-1)/2 {
			t.Errorf("horizon %d: %d and %d experts, want %d and %d", horizon, m.Experts(), g.Experts(), want, (want-1)/2)
		}
	}
}

func TestMalerWeights(t *testing.T) {
	m := start(t, Maler{Radius: 2, Gradient: 5}, 3, 20000).(*MalerRun)
	w := m.Weights()
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-14*(1+math.Abs(want))) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("convex rate", w[0].Eta, 1/(4*5*2*math.Sqrt(20000)))
	near("convex prior", w[0].Mass, 1./3)
	for i := range 9 {
		for family, name := range []string{"strongly convex", "exp-concave"} {
			e := w[1+9*family+i]
			if e.Name != name {
				t.Errorf("expert %d is %q, want %q", 1+9*family+i, e.Name, name)
			}
			near("rate", e.Eta, math.Pow(2, -float64(i))/(10*5*2))
			near("prior", e.Mass, (1+1./9)/3/float64((i+1)*(i+2)))
		}
	}
	for round := range 3000 {
		update(t, m, []float64{math.Cos(float64(round)) - 1, 0.1, 0})
		var mass, share float64
		for _, e := range m.Weights() {
			if !(e.Mass >= 0 && e.Share >= 0) {
				t.Fatalf("round %d: %+v, want no weight below 0", round, e)
			}
			mass += e.Mass
			share += e.Share
		}
		near("sum of masses", mass, 1)
		near("sum of shares", share, 1)
	}
	meta := start(t, MetaGrad{Gradient: 1}, 1, 100).(*metaGradRun)
	var mass float64
	for _, e := range meta.Weights() {
		mass += e.Mass
	}
	near("MetaGrad's masses", mass, 1)
}

// TestMalerAlpha: the field is what the exp-concave experts play with, and its default is 1/2.
func TestMalerAlpha(t *testing.T) {
	points := map[float64]float64{}
	for _, alpha := range []float64{0, 0.5, 25. / 56} {
		m := start(t, Maler{Gradient: 1, Alpha: alpha}, 1, 100)
		for range 5 {
			update(t, m, []float64{-1})
		}
		points[alpha] = m.Predict()[0]
	}
	if points[0] != points[0.5] || points[0.5] == points[25./56] {
		t.Errorf("points by alpha: %v", points)
	}
}
