package online

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// all are the learners under test by name, on a ball of radius D with gradients of norm G at most.
var all = map[string]func(radius, bound float64) Learner{
	"ogd":      func(d, g float64) Learner { return OGD{Radius: d, Gradient: g} },
	"curved":   func(d, g float64) Learner { return OGD{Radius: d, Gradient: g, Strong: g / d} },
	"ons":      func(d, g float64) Learner { return ONS{Radius: d, Gradient: g, ExpConcave: 0.3 / (g * d)} },
	"maler":    func(d, g float64) Learner { return Maler{Radius: d, Gradient: g} },
	"metagrad": func(d, g float64) Learner { return MetaGrad{Radius: d, Gradient: g} },
	"ftrl":     func(d, g float64) Learner { return FTRL{Radius: d, Gradient: g} },
}

// each runs a subtest for each learner, in order.
func each(t *testing.T, run func(t *testing.T, make func(radius, bound float64) Learner)) {
	names := []string{"ogd", "curved", "ons", "maler", "metagrad", "ftrl"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { run(t, all[name]) })
	}
}

func open(t testing.TB, l Learner, dim, horizon int) Calibrated {
	t.Helper()
	ready, err := l.Open(dim, horizon)
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// start begins a run of a learner that draws nothing.
func start(t testing.TB, l Learner, dim, horizon int) Run {
	t.Helper()
	return open(t, l, dim, horizon).Start(nil, nil)
}

func update(t *testing.T, r Run, g []float64) {
	t.Helper()
	if err := r.Update(g); err != nil {
		t.Fatal(err)
	}
}

// normals returns a vector of normals of that standard deviation.
func normals(r *rand.Rand, dim int, scale float64) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = scale * r.NormFloat64()
	}
	return x
}

// games are sequences of gradients of hard kinds, of length about 1 and beyond.
var games = map[string]func(r *rand.Rand, t int, theta []float64) []float64{
	"noise": func(r *rand.Rand, _ int, theta []float64) []float64 { return normals(r, len(theta), 0.8) },
	"drift": func(r *rand.Rand, _ int, theta []float64) []float64 {
		g := normals(r, len(theta), 0.5/math.Sqrt(float64(len(theta))))
		g[0]--
		return g
	},
	"flips": func(_ *rand.Rand, t int, theta []float64) []float64 {
		g := make([]float64, len(theta))
		g[t%len(g)] = math.Copysign(1, math.Sin(float64(t*t)))
		return g
	},
	// of a quadratic with its minimum at (1/2, 0, ...)
	"bowl": func(r *rand.Rand, _ int, theta []float64) []float64 {
		g := normals(r, len(theta), 0.1)
		for j, v := range theta {
			g[j] += 0.5 * v
		}
		g[0] -= 0.25
		return g
	},
	"huge": func(r *rand.Rand, _ int, theta []float64) []float64 { return normals(r, len(theta), 1e200) },
	"tiny": func(r *rand.Rand, _ int, theta []float64) []float64 { return normals(r, len(theta), 1e-200) },
	"zero": func(_ *rand.Rand, _ int, theta []float64) []float64 { return make([]float64, len(theta)) },
	// pushes out where the point is, then elsewhere
	"outward": func(_ *rand.Rand, t int, theta []float64) []float64 {
		g := make([]float64, len(theta))
		for j, v := range theta {
			g[j] = -2 * v
		}
		g[t/50%len(g)]--
		return g
	},
}

func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) { conforms(t, make) })
}

// conforms checks what the interface promises of any learner.
func conforms(t *testing.T, make func(radius, bound float64) Learner) {
	for game, next := range games {
		for _, dim := range []int{1, 2, 5, 11} {
			for _, horizon := range []int{1, 7, 500} {
				const radius = 2.5
				ready := open(t, make(radius, 1), dim, horizon)
				l, twin := ready.Start(nil, nil), ready.Start(nil, nil)
				r := rand.New(rand.NewPCG(uint64(dim), uint64(horizon)))
				if norm2(l.Predict()) != 0 || len(l.Predict()) != dim {
					t.Fatalf("first prediction %v, want 0", l.Predict())
				}
				clipped := 0
				var path [][]float64
				for round := range horizon + 10 { // beyond the horizon is no error
					g := next(r, round, l.Predict())
					var most float64
					for _, v := range g {
						most = max(most, math.Abs(v))
					}
					if most > 1 || norm2(g) > 1+1e-9 {
						clipped++
					}
					before := slices.Clone(g)
					update(t, l, g)
					if !slices.Equal(g, before) {
						t.Fatal("Update changed the gradient")
					}
					theta := l.Predict()
					if norm := norm2(theta); !(norm <= radius*(1+1e-15)) {
						t.Fatalf("%s, d = %d, round %d: |theta| = %v, want at most %v", game, dim, round, norm, radius)
					}
					if !slices.Equal(theta, l.Predict()) {
						t.Fatal("Predict moves")
					}
					// What is refused changes nothing.
					for _, bad := range [][]float64{nil, append(slices.Clone(g), 0), spoil(g, math.NaN()), spoil(g, math.Inf(1)), spoil(g, math.Inf(-1))} {
						if err := twin.Update(bad); !errors.Is(err, errGradient) {
							t.Fatalf("Update(%v) = %v, want an error", bad, err)
						}
					}
					for j := range g { // the gradient must not be kept
						before[j], g[j] = g[j], math.NaN()
					}
					update(t, twin, before)
					if !slices.Equal(twin.Predict(), theta) {
						t.Fatalf("%s: after refused gradients %v, want %v", game, twin.Predict(), theta)
					}
					path = append(path, before, slices.Clone(theta))
				}
				if l.Clipped() != clipped || twin.Clipped() != clipped {
					t.Errorf("%s: %d gradients clipped, want %d", game, l.Clipped(), clipped)
				}
				again := ready.Start(nil, nil)
				if norm2(again.Predict()) != 0 || again.Clipped() != 0 {
					t.Fatal("a run begins where another is")
				}
				for i := 0; i < len(path); i += 2 {
					update(t, again, path[i])
					if !slices.Equal(again.Predict(), path[i+1]) {
						t.Fatalf("%s: again %v, want %v", game, again.Predict(), path[i+1])
					}
				}
			}
		}
	}
}

func spoil(g []float64, with float64) []float64 {
	bad := slices.Clone(g)
	bad[len(bad)-1] = with
	return bad
}

// TestMoves: a learner that stays where it is would pass much of the above.
func TestMoves(t *testing.T) {
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) {
		l := start(t, make(1, 1), 3, 1000)
		for range 1000 {
			update(t, l, []float64{-1, 0, 0})
		}
		if x := l.Predict()[0]; x < 0.95 {
			t.Errorf("after 1000 gradients (-1, 0, 0) at %v, want near (1, 0, 0)", l.Predict())
		}
	})
}

func TestClipping(t *testing.T) {
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) {
		l, twin := start(t, make(1, 2), 2, 100), start(t, make(1, 2), 2, 100)
		for range 50 {
			update(t, l, []float64{-30, 40})
			update(t, twin, []float64{-1.2, 1.6})
			for j, v := range l.Predict() {
				if math.Abs(v-twin.Predict()[j]) > 1e-12 {
					t.Fatalf("clipped: %v, want %v", l.Predict(), twin.Predict())
				}
			}
		}
		if l.Clipped() != 50 || twin.Clipped() != 0 {
			t.Errorf("clipped %d and %d, want 50 and 0", l.Clipped(), twin.Clipped())
		}
	})
}

// rotation returns a random orthogonal matrix by rows (Gram and Schmidt).
func rotation(r *rand.Rand, dim int) [][]float64 {
	q := make([][]float64, dim)
	for i := range q {
		q[i] = normals(r, dim, 1)
		for range 2 {
			for _, other := range q[:i] {
				var dot float64
				for j, v := range other {
					dot += v * q[i][j]
				}
				for j, v := range other {
					q[i][j] -= dot * v
				}
			}
		}
		scaled(q[i], 1/norm2(q[i]), q[i])
	}
	return q
}

func permutation(r *rand.Rand, dim int) [][]float64 {
	q := make([][]float64, dim)
	for i, j := range r.Perm(dim) {
		q[i] = make([]float64, dim)
		q[i][j] = 1
	}
	return q
}

func apply(q [][]float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, row := range q {
		for j, v := range row {
			y[i] += v * x[j]
		}
	}
	return y
}

// TestEquivariance: who rotates the gradients rotates the predictions; who measures them and the
// ball in other units, scales them.
func TestEquivariance(t *testing.T) {
	const dim, rounds = 5, 600
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) {
		for game, next := range games {
			r := rand.New(rand.NewPCG(3, 4))
			for name, q := range map[string][][]float64{"rotation": rotation(r, dim), "permutation": permutation(r, dim)} {
				l := start(t, make(1, 1), dim, rounds)
				turned, scale := start(t, make(1, 1), dim, rounds), start(t, make(300, 0.02), dim, rounds)
				for round := range rounds {
					g := next(r, round, l.Predict())
					update(t, l, g)
					update(t, turned, apply(q, g))
					small := slices.Clone(g)
					scaled(small, 0.02, g)
					update(t, scale, small)
					want := apply(q, l.Predict())
					for j := range want {
						if math.Abs(turned.Predict()[j]-want[j]) > 1e-9 {
							t.Fatalf("%s, %s, round %d: %v, want %v", game, name, round, turned.Predict(), want)
						}
						if math.Abs(scale.Predict()[j]/300-l.Predict()[j]) > 1e-9 {
							t.Fatalf("%s, scaled, round %d: %v, want 300 times %v", game, round, scale.Predict(), l.Predict())
						}
					}
				}
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) {
		l := start(t, make(1, 1), 5, 20000)
		gradients := noisy(1, 5, 500)
		i := 0
		if n := testing.AllocsPerRun(400, func() {
			l.Predict()
			if err := l.Update(gradients[i]); err != nil {
				t.Fatal(err)
			}
			i++
		}); n != 0 {
			t.Errorf("%v allocations a round, want 0", n)
		}
	})
}

func TestOpenErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	each(t, func(t *testing.T, make func(radius, bound float64) Learner) {
		if _, err := make(1, 1).Open(0, 10); !errors.Is(err, errDim) || !strings.Contains(err.Error(), "0") {
			t.Errorf("dimension 0: %v", err)
		}
		if _, err := make(1, 1).Open(3, 0); !errors.Is(err, errHorizon) {
			t.Errorf("horizon 0: %v", err)
		}
	})
	for _, c := range []struct {
		l    Learner
		want string
	}{
		{OGD{Radius: nan, Gradient: 1}, "OGD.Radius = NaN"},
		{OGD{Radius: -1, Gradient: 1}, "OGD.Radius = -1"},
		{OGD{}, "OGD.Gradient = 0"},
		{OGD{Gradient: -2}, "OGD.Gradient = -2"},
		{OGD{Gradient: nan}, "OGD.Gradient = NaN"},
		{OGD{Gradient: inf, Strong: 1}, "OGD.Gradient = +Inf"},
		{OGD{Strong: nan}, "OGD.Strong = NaN"},
		{OGD{Strong: inf}, "OGD.Strong = +Inf"},
		{OGD{Strong: -1}, "OGD.Strong = -1"},
		{ONS{Gradient: 1}, "ONS.ExpConcave = 0"},
		{ONS{Gradient: 1, ExpConcave: nan}, "ONS.ExpConcave = NaN"},
		{ONS{Gradient: 1, ExpConcave: -3}, "ONS.ExpConcave = -3"},
		{ONS{Gradient: 1, ExpConcave: 1e-200}, "ONS.ExpConcave = 1e-200"},
		{ONS{ExpConcave: 1}, "ONS.Gradient = 0"},
		{ONS{Gradient: 1, Radius: inf, ExpConcave: 1}, "ONS.Radius = +Inf"},
		{Maler{}, "Maler.Gradient = 0"},
		{Maler{Gradient: inf}, "Maler.Gradient = +Inf"},
		{Maler{Gradient: 1e200, Radius: 1e200}, "1e+200"},
		{Maler{Gradient: 1, Radius: -4}, "Maler.Radius = -4"},
		{Maler{Gradient: 1, Alpha: 0.6}, "Maler.Alpha = 0.6"},
		{Maler{Gradient: 1, Alpha: nan}, "Maler.Alpha = NaN"},
		{Maler{Gradient: 1, Alpha: -0.1}, "Maler.Alpha = -0.1"},
		{MetaGrad{}, "MetaGrad.Gradient = 0"},
		{MetaGrad{Gradient: nan}, "MetaGrad.Gradient = NaN"},
		{MetaGrad{Gradient: 1, Radius: nan}, "MetaGrad.Radius = NaN"},
		{FTRL{}, "FTRL.Gradient = 0"},
		{FTRL{Gradient: 1, Rate: nan}, "FTRL.Rate = NaN"},
		{FTRL{Gradient: 1, Rate: -1}, "FTRL.Rate = -1"},
		{FTRL{Gradient: 1, Radius: inf}, "FTRL.Radius = +Inf"},
		{FTRL{Gradient: 1, Sums: (*continual.VectorBLT)(nil)}, "FTRL.Sums"},
		{FTRL{Gradient: 1, Sums: continual.VectorTree{}}, "epsilon = 0"},
		{FTPL{Gradient: 1, Scale: nan}, "FTPL.Scale = NaN"},
		{FTPL{}, "FTPL.Gradient = 0"},
	} {
		if _, err := c.l.Open(3, 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open of %T: %v, want an error with %q", c.l, err, c.want)
		}
	}
}

// TestStartsWithout: a run that lacks the random numbers that it needs says so, and stays at 0.
func TestStartsWithout(t *testing.T) {
	for want, l := range map[string]Learner{
		"without noise":          FTRL{Gradient: 1, Sums: continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}}},
		"without random numbers": FTPL{Gradient: 1},
	} {
		r := start(t, l, 3, 100)
		if err := r.Update([]float64{1, 0, 0}); err == nil || !strings.Contains(err.Error(), want) || norm2(r.Predict()) != 0 {
			t.Errorf("%T: %v at %v, want an error with %q at 0", l, err, r.Predict(), want)
		}
	}
}

// TestOGDOverflow: a gradient without bound that overflows is an error and changes nothing.
func TestOGDOverflow(t *testing.T) {
	r := start(t, OGD{Strong: 2}, 2, 10)
	if err := r.Update([]float64{1e300, 0}); err == nil || !strings.Contains(err.Error(), "overflows") {
		t.Errorf("a step that overflows: %v", err)
	}
	update(t, r, []float64{0.5, 0})
	if got := r.Predict(); got[0] != -0.25 || got[1] != 0 {
		t.Errorf("prediction %v, want (-0.25, 0)", got)
	}
}

func TestOGDUnbounded(t *testing.T) {
	o := start(t, OGD{Radius: 10, Strong: 2}, 1, 10)
	for round, want := range []float64{-4, -6, -10, -10} {
		update(t, o, []float64{[]float64{8, 8, 1e6, 0}[round]})
		if got := o.Predict()[0]; math.Abs(got-want) > 1e-12 || o.Clipped() != 0 {
			t.Errorf("round %d: %v (clipped %d), want %v", round, got, o.Clipped(), want)
		}
	}
}
