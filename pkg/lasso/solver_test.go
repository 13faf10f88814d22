package lasso

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// problem is a regression problem with rows x.
type problem struct {
	name  string
	x     [][]float64
	y     []float64
	alpha float64 // as a share of AlphaMax
}

// problems makes random problems of all kinds, most of them degenerate.
func problems(n int) (list []problem) {
	kinds := []string{"independent", "equal columns", "zero columns", "fewer rows than columns", "y = 0", "all equal",
		"nearly equal columns", "opposite columns", "one row", "signs", "very different scales", "correlated", "no noise"}
	for i := range n {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		kind := kinds[i%len(kinds)]
		rows, d := 1+r.IntN(80), 1+r.IntN(60)
		switch kind {
		case "fewer rows than columns":
			rows, d = 1+r.IntN(20), 30+r.IntN(90)
		case "one row":
			rows = 1
		}
		p := problem{name: fmt.Sprintf("%d: %s, n=%d, d=%d", i, kind, rows, d), alpha: math.Pow(10, -3*r.Float64())}
		theta := make([]float64, d)
		for j := range min(d, 1+r.IntN(6)) {
			theta[j] = r.NormFloat64()
		}
		for range rows {
			x, y := make([]float64, d), 0.0
			common := r.NormFloat64()
			for j := range x {
				x[j] = r.NormFloat64()
				switch {
				case kind == "equal columns" && j%3 > 0:
					x[j] = x[j-1]
				case kind == "zero columns" && j%2 == 0, kind == "y = 0" && j%5 == 4:
					x[j] = 0
				case kind == "all equal":
					x[j] = 2
				case kind == "nearly equal columns" && j > 0:
					x[j] = x[0] + 1e-6*x[j]
				case kind == "opposite columns" && j%2 == 1:
					x[j] = -x[j-1]
				case kind == "signs":
					x[j] = math.Copysign(1, x[j])
				case kind == "very different scales":
					x[j] *= math.Pow(10, float64(j%13-6))
				case kind == "correlated":
					x[j] = 0.3*x[j] + common
				}
				y += x[j] * theta[j]
			}
			switch kind {
			case "y = 0":
				y = 0
			case "no noise":
			default:
				y += 0.5 * r.NormFloat64()
			}
			p.x, p.y = append(p.x, x), append(p.y, y)
		}
		list = append(list, p)
	}
	return list
}

// opened makes a solver.
func opened(t testing.TB, r Regression) *Solver {
	t.Helper()
	s, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p problem) solver(t testing.TB, r Regression) *Solver {
	t.Helper()
	r.Dim = len(p.x[0])
	s := opened(t, r)
	for i, x := range p.x {
		if err := s.Add(x, p.y[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// gap computes objective and duality gap from the rows, by the formulas of a textbook.
func (p problem) gap(w []float64, alpha float64) (objective, gap float64) {
	n := float64(len(p.y))
	d := len(w)
	r := make([]float64, len(p.y))
	var rest, yy, ry, norm float64
	for i, x := range p.x {
		r[i] = p.y[i]
		for j, v := range x {
			r[i] -= v * w[j]
		}
		rest += r[i] * r[i]
		ry += r[i] * p.y[i]
		yy += p.y[i] * p.y[i]
	}
	most := 0.0
	for j := range d {
		c := 0.0
		for i := range p.x {
			c += p.x[i][j] * r[i]
		}
		most = max(most, math.Abs(c))
		norm += math.Abs(w[j])
	}
	scale := 1.0
	if rest > 0 {
		scale = ry / rest
	}
	if scale*most > n*alpha {
		scale = n * alpha / most
	}
	objective = rest/(2*n) + alpha*norm
	return objective, objective - (scale*ry-scale*scale*rest/2)/n
}

// TestGap: on 520 random problems, most of them degenerate, the duality gap is at most 1e-9 of
// |y|^2/2n, computed from the rows in another way than the solver does. Its own account of gap and
// objective is right.
func TestGap(t *testing.T) {
	for _, p := range problems(520) {
		s := p.solver(t, Regression{})
		alpha := p.alpha * s.AlphaMax()
		if alpha == 0 {
			alpha = 0.1
		}
		w, err := s.Fit(alpha)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		whole := 0.0
		for _, y := range p.y {
			whole += y * y / float64(2*len(p.y))
		}
		objective, gap := p.gap(w, alpha)
		if !(gap <= 1.01e-9*whole) {
			t.Errorf("%s: gap %v of %v, want <= 1e-9; %v by its own account", p.name, gap, whole, s.Gap())
		}
		if math.Abs(s.Gap()-gap) > 1e-12*whole+1e-3*gap {
			t.Errorf("%s: Gap() = %v, want %v", p.name, s.Gap(), gap)
		}
		if got := s.Objective(w, alpha); math.Abs(got-objective) > 1e-12*whole {
			t.Errorf("%s: Objective = %v, want %v", p.name, got, objective)
		}
		for j, v := range w {
			if (v != 0) != slices.Contains(s.Support(), j) {
				t.Errorf("%s: support %v of %v", p.name, s.Support(), w)
				break
			}
		}
	}
}

// TestTight: the least tolerance can be reached, too.
func TestTight(t *testing.T) {
	for _, p := range problems(130) {
		s := p.solver(t, Regression{Tolerance: 1e-13})
		if alpha := p.alpha * s.AlphaMax(); alpha > 0 {
			if _, err := s.Fit(alpha); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
}

// same reports equality bit by bit.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestFold: folding rows, keeping them and bringing columns up to date at other times give the
// same coefficients to the last bit, fit by fit.
func TestFold(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	const d = 300
	var solvers []*Solver
	for _, r := range []Regression{{Dim: d}, {Dim: d, Fold: 1}, {Dim: d, Fold: 7}, {Dim: d}} {
		solvers = append(solvers, opened(t, r))
	}
	for i := range 150 {
		x := make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		y := x[3] - x[7] + 0.1*r.NormFloat64()
		for _, s := range solvers {
			if err := s.Add(x, y); err != nil {
				t.Fatal(err)
			}
		}
		for j := range d {
			solvers[3].column((j * i) % d) // never more than a row behind
		}
		want, err := solvers[0].Fit(0.1)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range solvers[1:] {
			if got, err := s.Fit(0.1); err != nil || !same(got, want) {
				t.Fatalf("row %d: solver %d differs, %v", i, k+1, err)
			}
		}
	}
	if n := len(solvers[0].gram); n != d || solvers[0].gram[d-1] != nil && solvers[0].gram[d-2] != nil && solvers[0].gram[d-3] != nil {
		t.Error("columns were made that nobody asked for")
	}
}

// TestWarm: wherever a fit starts, it ends at the same minimum.
func TestWarm(t *testing.T) {
	for _, p := range problems(130) {
		s, cold := p.solver(t, Regression{}), p.solver(t, Regression{})
		alpha := p.alpha * s.AlphaMax()
		if alpha == 0 {
			continue
		}
		whole := s.Objective(make([]float64, s.of.Dim), 1)
		for _, share := range []float64{0.5, 1, 0.1, 0.9, 0.9, 0.3} {
			w, err := s.Fit(alpha * share)
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			cold.Forget()
			v, err := cold.Fit(alpha * share)
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			a, b := s.Objective(w, alpha*share), cold.Objective(v, alpha*share)
			if math.Abs(a-b) > 1e-9*whole {
				t.Errorf("%s: objective %v warm, %v cold", p.name, a, b)
			}
		}
	}
}

// TestConditions: at the fit of tolerance 1e-13 each |x_j'r|/n is at most alpha, and alpha with the
// coefficient's sign where that is not 0.
func TestConditions(t *testing.T) {
	for _, p := range problems(260) {
		s := p.solver(t, Regression{Tolerance: 1e-13})
		alpha := 0.1 * s.AlphaMax()
		if alpha == 0 {
			continue
		}
		w, err := s.Fit(alpha)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		n := float64(len(p.y))
		for j, v := range w {
			c, norm := 0.0, 0.0
			for i, x := range p.x {
				r := p.y[i]
				for k, u := range w {
					r -= u * x[k]
				}
				c += x[j] * r / n
				norm += x[j] * x[j] / n
			}
			slack := 1e-5 * math.Sqrt(norm*2*s.Objective(make([]float64, s.of.Dim), 1))
			if math.Abs(c) > alpha+slack || v != 0 && math.Abs(c-math.Copysign(alpha, v)) > slack && math.Abs(v)*math.Sqrt(norm) > slack {
				t.Errorf("%s: coordinate %d = %v has correlation %v, alpha = %v, slack %v", p.name, j, v, c, alpha, slack)
				break
			}
		}
	}
}

// TestScreening: what the sphere rules out is 0 in the minimiser, and on easy problems it rules out
// most.
func TestScreening(t *testing.T) {
	dropped := 0
	for _, p := range problems(260) {
		s, exact := p.solver(t, Regression{}), p.solver(t, Regression{Tolerance: 1e-13})
		alpha := 0.5 * s.AlphaMax()
		if alpha == 0 {
			continue
		}
		w, err := exact.Fit(alpha)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		if _, err := s.Fit(alpha); err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		norm := math.Sqrt(2 * s.Objective(make([]float64, s.of.Dim), 1))
		for share := 0.5; share < 1; share += 0.1 { // from worse coefficients
			for j := range s.w {
				s.w[j] = w[j] * share
			}
			s.support = s.support[:0]
			s.alive = s.alive[:0]
			for j, v := range s.w {
				if v != 0 {
					s.support = append(s.support, j)
				}
				if s.square[j] > 0 {
					s.alive = append(s.alive, j)
				}
			}
			s.correlate()
			scale := s.measure()
			before := len(s.alive)
			s.screen(scale)
			dropped += before - len(s.alive)
			for j, v := range w {
				if s.square[j] > 0 && !slices.Contains(s.alive, j) && math.Abs(v)*math.Sqrt(s.square[j]/s.rows) > 1e-6*norm {
					t.Fatalf("%s: coordinate %d was ruled out and is %v", p.name, j, v)
				}
			}
		}
	}
	if dropped < 1000 {
		t.Errorf("%d coordinates were ruled out, want many", dropped)
	}
}

// TestLoad: sums in place of rows give the same fit, and take in more rows.
func TestLoad(t *testing.T) {
	for _, p := range problems(26) {
		d := len(p.x[0])
		s := p.solver(t, Regression{Fold: 3})
		xx := make([]float64, d*d)
		for j := range d {
			copy(xx[j*d:], s.column(j))
		}
		for _, r := range []Regression{{Dim: d}, {Dim: d, Fold: 2}} {
			into := opened(t, r)
			if err := into.Load(xx, s.xy, s.yy, len(p.y)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				alpha := 0.3 * s.AlphaMax()
				if alpha > 0 {
					s.Forget()
					into.Forget()
					v, err := s.Fit(alpha)
					w, err2 := into.Fit(alpha)
					if err != nil || err2 != nil || !same(v, w) {
						t.Errorf("%s: %v after Load, want %v; %v %v", p.name, w, v, err, err2)
					}
				}
				if err := errors.Join(s.Add(p.x[0], 1), into.Add(p.x[0], 1)); err != nil {
					t.Fatal(err)
				}
			}
			s = opened(t, s.of)
			for i, x := range p.x {
				if err := s.Add(x, p.y[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s := opened(t, Regression{Dim: 2}) // a column that Load takes away was in the support
	if err := errors.Join(s.Add([]float64{1, 1}, 1), s.Add([]float64{1, -1}, 1)); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Fit(0.1); err != nil || w[0] == 0 {
		t.Fatal(w, err)
	}
	if err := s.Load([]float64{0, 0, 0, 1}, []float64{0, 1}, 1, 1); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Fit(0.5); err != nil || w[0] != 0 || math.Abs(w[1]-0.5) > 1e-9 {
		t.Errorf("%v, %v, want [0 0.5]", w, err)
	}
}

// TestPath: the alphas fall from where all is 0, and a path ends where a cold fit does.
func TestPath(t *testing.T) {
	p := problems(1)[0]
	s, cold := p.solver(t, Regression{}), p.solver(t, Regression{})
	alphas, err := s.Alphas(20, 1e-3)
	if err != nil || len(alphas) != 20 || alphas[0] != s.AlphaMax() || math.Abs(alphas[19]/alphas[0]-1e-3) > 1e-12 {
		t.Fatal(alphas, err)
	}
	visits := 0
	err = s.Path(alphas, func(alpha float64, w []float64) {
		if alpha != alphas[visits] {
			t.Errorf("visit %d of alpha %v, want %v", visits, alpha, alphas[visits])
		}
		if visits == 0 && len(s.Support()) > 0 {
			t.Errorf("coefficients %v at AlphaMax, want 0", w)
		}
		visits++
		cold.Forget()
		v, err := cold.Fit(alpha)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Objective(w, alpha), cold.Objective(v, alpha); math.Abs(a-b) > 1e-9*s.yy {
			t.Errorf("alpha %v: objective %v on the path, %v", alpha, a, b)
		}
	})
	if err != nil || visits != 20 {
		t.Errorf("%d visits, %v", visits, err)
	}
	if err := s.Path([]float64{1, 2}, func(float64, []float64) {}); err == nil || !strings.Contains(err.Error(), "alpha 1 = 2, want < the one before, 1") {
		t.Errorf("an increasing path: %v", err)
	}
	for want, f := range map[string]func() error{
		"1 alphas, want >= 2":   func() error { _, err := s.Alphas(1, 0.1); return err },
		"ratio = 1 of":          func() error { _, err := s.Alphas(5, 1); return err },
		"ratio = NaN":           func() error { _, err := s.Alphas(5, math.NaN()); return err },
		"AlphaMax = 0, want > ": func() error { _, err := opened(t, Regression{Dim: 2}).Alphas(5, 0.1); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for want, s := range map[string]Regression{
		"Dim = 0": {}, "Dim = -1": {Dim: -1}, "Fold = -2": {Dim: 3, Fold: -2}, "Tolerance = NaN": {Dim: 3, Tolerance: math.NaN()},
		"Tolerance = 1e-15, want in [1e-13, 1)": {Dim: 3, Tolerance: 1e-15}, "MaxSweeps = -1": {Dim: 3, MaxSweeps: -1},
		"GiB": {Dim: 1 << 20, Fold: 1},
	} {
		if _, err := s.Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", s, err, want)
		}
	}
	s := opened(t, Regression{Dim: 2})
	fit := func(alpha float64) error { _, err := s.Fit(alpha); return err }
	if err := fit(1); err == nil || !strings.Contains(err.Error(), "0 rows, want >= 1") {
		t.Errorf("a fit of nothing: %v", err)
	}
	if err := s.Add([]float64{1, 2}, 3); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"alpha = 0, want finite and > 0": fit(0),
		"alpha = -1":                     fit(-1),
		"alpha = NaN":                    fit(math.NaN()),
		"alpha = +Inf":                   fit(math.Inf(1)),
		"dimension 1, want 2":            s.Add([]float64{1}, 1),
		"coordinate 1 of a row = NaN":    s.Add([]float64{1, math.NaN()}, 1),
		"coordinate 0 of a row = -Inf":   s.Add([]float64{math.Inf(-1), 1}, 1),
		"coordinate 0 of a row = 1e+141": s.Add([]float64{1e141, 1}, 1),
		"y = +Inf, want in [-1e+140":     s.Add([]float64{1, 1}, math.Inf(1)),
		"3 numbers in X'X, want Dim^2":   s.Load(make([]float64, 3), make([]float64, 2), 1, 1),
		"1 numbers in X'y, want Dim = 2": s.Load(make([]float64, 4), make([]float64, 1), 1, 1),
		"y'y = -1":                       s.Load(make([]float64, 4), make([]float64, 2), -1, 1),
		"sums of 0 rows":                 s.Load(make([]float64, 4), make([]float64, 2), 1, 0),
		"entry (1, 1) of X'X = -1":       s.Load([]float64{1, 0, 0, -1}, make([]float64, 2), 1, 1),
		"entry (0, 1) of X'X = NaN":      s.Load([]float64{1, math.NaN(), 0, 1}, make([]float64, 2), 1, 1),
		"entry 1 of X'y = +Inf":          s.Load(make([]float64, 4), []float64{0, math.Inf(1)}, 1, 1),
		"rows of dimension 2 needs":      s.Reserve(1 << 40),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if w, err := s.Fit(0.1); err != nil || s.Rows() != 1 || w[1] == 0 {
		t.Errorf("after refusals: %v, %v, %d rows", w, err, s.Rows())
	}
}

// TestNotConverged: a fit that may not sweep enough is an error.
func TestNotConverged(t *testing.T) {
	p := problems(12)[11] // correlated
	s := p.solver(t, Regression{MaxSweeps: 1, Tolerance: 1e-13})
	if _, err := s.Fit(0.001 * s.AlphaMax()); !errors.Is(err, ErrNotConverged) || !strings.Contains(err.Error(), "after 1 sweeps the duality gap is") {
		t.Errorf("a single sweep: %v", err)
	}
}

// TestAllocations: a warm fit allocates nothing, and neither does a row with room reserved.
func TestAllocations(t *testing.T) {
	for _, fold := range []int{0, 16} {
		s, rows := grown(t, 200, 300, fold)
		i := 0
		if n := testing.AllocsPerRun(100, func() {
			if err := s.Add(rows.x[200+i%100], rows.y[200+i%100]); err != nil {
				t.Fatal(err)
			}
			i++
			if _, err := s.Fit(0.05); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("Fold = %d: %v allocations in a row and a fit, want 0", fold, n)
		}
	}
}

// grown returns a solver after half the rows of a sparse problem, and the problem.
func grown(t testing.TB, d, n, fold int) (*Solver, problem) {
	r := rand.New(rand.NewPCG(4, uint64(d)))
	p := problem{}
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		p.x = append(p.x, x)
		p.y = append(p.y, x[0]-x[1]+0.5*x[2]+0.5*x[3]-0.5*x[4]+0.3*r.NormFloat64())
	}
	s := problem{x: p.x[:n/2], y: p.y}.solver(t, Regression{Fold: fold})
	if err := s.Reserve(10 * n); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Fit(0.05); err != nil {
			t.Fatal(err)
		}
	}
	return s, p
}

// ExampleSolver fits after every row, as a bandit does.
func ExampleSolver() {
	s, err := Regression{Dim: 50}.Open()
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, s.of.Dim)
	for t := 1; t <= 40; t++ { // fewer rows than coordinates
		for j := range x {
			x[j] = r.NormFloat64()
		}
		y := 2*x[7] - x[30]
		if err := s.Add(x, y); err != nil {
			panic(err)
		}
		w, err := s.Fit(0.1)
		if err != nil {
			panic(err)
		}
		if t%10 == 0 {
			fmt.Printf("%d rows: %d coefficients, w[7] = %.2f, w[30] = %.2f\n", t, len(s.Support()), w[7], w[30])
		}
	}
	// Output:
	// 10 rows: 5 coefficients, w[7] = 1.92, w[30] = -0.78
	// 20 rows: 2 coefficients, w[7] = 1.92, w[30] = -0.88
	// 30 rows: 2 coefficients, w[7] = 1.90, w[30] = -0.90
	// 40 rows: 2 coefficients, w[7] = 1.88, w[30] = -0.89
}

// BenchmarkRefit adds a row and fits again, from n rows on.
func BenchmarkRefit(b *testing.B) {
	for _, c := range []struct {
		d, n, fold int
		alpha      float64
	}{{100, 1000, 0, 0.05}, {1000, 1000, 0, 0.05}, {1000, 1000, 0, 0.01}, {1000, 1000, 64, 0.05}, {5000, 400, 0, 0.05}} {
		b.Run(fmt.Sprintf("d=%d/n=%d/alpha=%v/fold=%d", c.d, c.n, c.alpha, c.fold), func(b *testing.B) {
			s, p := grown(b, c.d, 2*c.n, c.fold)
			if _, err := s.Fit(c.alpha); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			sweeps, fits := 0, 0
			for i := 0; b.Loop(); i++ {
				if err := s.Add(p.x[c.n+i%c.n], p.y[c.n+i%c.n]); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Fit(c.alpha); err != nil {
					b.Fatal(err)
				}
				sweeps += s.Sweeps()
				fits++
			}
			b.ReportMetric(float64(len(s.Support())), "coefficients")
			b.ReportMetric(float64(sweeps)/float64(fits), "sweeps")
		})
	}
}

// BenchmarkPath fits 100 alphas from where all is 0 down to a hundredth.
func BenchmarkPath(b *testing.B) {
	for _, d := range []int{100, 1000} {
		b.Run(fmt.Sprintf("d=%d/n=200", d), func(b *testing.B) {
			s, _ := grown(b, d, 400, 0)
			alphas, err := s.Alphas(100, 0.01)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s.Forget()
				if err := s.Path(alphas, func(float64, []float64) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLeastSquares: the normal equations hold, with and without a ridge, for equal columns too, and
// the last fit stays as it was.
func TestLeastSquares(t *testing.T) {
	for _, p := range problems(130) {
		if strings.Contains(p.name, "nearly") {
			continue
		}
		s := p.solver(t, Regression{})
		var fit []float64
		if alpha := p.alpha * s.AlphaMax(); alpha > 0 {
			w, err := s.Fit(alpha)
			if err != nil {
				t.Fatal(err)
			}
			fit = slices.Clone(w)
		}
		on := []int{}
		for j := 0; j < s.of.Dim; j += 2 {
			on = append(on, j)
		}
		for _, ridge := range []float64{0, 1} {
			w, err := s.LeastSquares(on, ridge)
			if err != nil {
				t.Fatal(err)
			}
			for j := range w {
				if j%2 == 1 {
					if w[j] != 0 {
						t.Errorf("%s: coordinate %d = %v, want 0", p.name, j, w[j])
					}
					continue
				}
				c := -ridge * w[j]
				for i, x := range p.x {
					r := p.y[i]
					for k, u := range w {
						r -= u * x[k]
					}
					c += x[j] * r
				}
				if scale := math.Sqrt(s.square[j] * s.yy); math.Abs(c) > 1e-4*scale {
					t.Errorf("%s, ridge %v: coordinate %d has a gradient of %v, want 0 within 1e-4 of %v", p.name, ridge, j, c, scale)
				}
			}
		}
		if fit != nil && !same(fit, s.w) {
			t.Errorf("%s: least squares changed the fit", p.name)
		}
	}
	s := opened(t, Regression{Dim: 2})
	for want, f := range map[string]func() error{
		"ridge = -1":         func() error { _, err := s.LeastSquares(nil, -1); return err },
		"ridge = NaN":        func() error { _, err := s.LeastSquares(nil, math.NaN()); return err },
		"on coordinate 2":    func() error { _, err := s.LeastSquares([]int{2}, 0); return err },
		"on coordinate -1, ": func() error { _, err := s.LeastSquares([]int{-1}, 0); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
