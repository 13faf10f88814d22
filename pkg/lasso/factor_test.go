package lasso

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFactor: after rows and coordinates have come and gone, R'R is X'X of what is left, and a
// vector that was solved for before a removal is what it would have been without the coordinate.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const d = 30
	xx := make([]float64, d*d)
	for j := range d {
		xx[j*d+j] = 1
	}
	var f factor
	f.grow(d)
	entries := func(j int) []float64 {
		g := make([]float64, len(f.of))
		for a, k := range f.of {
			g[a] = xx[j*d+k]
		}
		return g
	}
	most := 0
	for range 2000 {
		most = max(most, len(f.of))
		switch kind := r.IntN(4); {
		case kind == 0:
			row := make([]float64, d)
			for j := range row {
				if r.IntN(3) > 0 {
					row[j] = r.NormFloat64()
				}
			}
			f.add(row)
			for j, u := range row {
				for k, v := range row {
					xx[j*d+k] += u * v
				}
			}
		case kind == 1 && len(f.of) > 0:
			g := make([]float64, len(f.of))
			for a := range g {
				g[a] = r.NormFloat64()
			}
			half := slices.Clone(g)
			f.forward(half)
			a := r.IntN(len(f.of))
			half = f.remove(a, half)
			want := slices.Delete(g, a, a+1)
			f.forward(want)
			for b, v := range want {
				if math.Abs(half[b]-v) > 1e-10 {
					t.Fatalf("R'^-1 g = %v after a removal, want %v", half, want)
				}
			}
		case kind >= 2:
			if j := r.IntN(d); !slices.Contains(f.of, j) {
				g := entries(j)
				if pivot := f.project(g, xx[j*d+j]); pivot > 0 {
					f.append(j, g, pivot)
				} else {
					t.Fatalf("pivot %v of a positive definite matrix", pivot)
				}
			}
		}
		m := len(f.of)
		for a, j := range f.of {
			for b, k := range f.of {
				sum := 0.0
				for c := range min(a, b) + 1 {
					sum += f.r[c*f.side+a] * f.r[c*f.side+b]
				}
				if math.Abs(sum-xx[j*d+k]) > 1e-10*math.Sqrt(xx[j*d+j]*xx[k*d+k]) {
					t.Fatalf("entry (%d, %d) of R'R = %v, want %v; m = %d", j, k, sum, xx[j*d+k], m)
				}
			}
		}
		x := make([]float64, m)
		for a := range x {
			x[a] = r.NormFloat64()
		}
		g := make([]float64, m)
		for a, j := range f.of {
			g[a] = dot(x, entries(j))
		}
		f.forward(g)
		f.back(g)
		for a := range x {
			if math.Abs(g[a]-x[a]) > 1e-8 {
				t.Fatalf("solved %v, want %v", g, x)
			}
		}
	}
	if most < 10 {
		t.Errorf("at most %d coordinates, want more", most)
	}
}

// TestSpoiltFactor: a factor that is wrong is noticed, and changes no fit.
func TestSpoiltFactor(t *testing.T) {
	s, rows := grown(t, 100, 400, 0)
	other, _ := grown(t, 100, 400, 0)
	for i := range 50 {
		for k := range s.factor.r {
			s.factor.r[k] *= 1.5
		}
		x, y := rows.x[200+i], rows.y[200+i]
		if err := s.Add(x, y); err != nil {
			t.Fatal(err)
		}
		if err := other.Add(x, y); err != nil {
			t.Fatal(err)
		}
		v, err := s.Fit(0.02)
		if err != nil {
			t.Fatal(err)
		}
		w, err := other.Fit(0.02)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Objective(v, 0.02), s.Objective(w, 0.02); math.Abs(a-b) > 1e-9*s.yy/s.rows {
			t.Errorf("objective %v, want %v", a, b)
		}
	}
}

// TestGrowth: with a fit after each row, and an alpha that falls as a bandit's does, each gap is
// small by another account than the solver's, on degenerate problems too.
func TestGrowth(t *testing.T) {
	jumps := 0
	for _, p := range problems(260) {
		s := opened(t, Regression{Dim: len(p.x[0]), Fold: 3})
		for i, x := range p.x {
			if err := s.Add(x, p.y[i]); err != nil {
				t.Fatal(err)
			}
			alpha := p.alpha * s.AlphaMax() / math.Sqrt(float64(i+1))
			if alpha == 0 {
				continue
			}
			s.work.at = s.work.at[:0]
			w, err := s.Fit(alpha)
			if err != nil {
				t.Errorf("%s: row %d: %v", p.name, i, err)
				break
			}
			if len(s.work.at) == 0 && len(s.support) > 0 { // nothing but Newton steps
				jumps++
			}
			so := problem{x: p.x[:i+1], y: p.y[:i+1]}
			whole := 0.0
			for _, y := range so.y {
				whole += y * y / float64(2*(i+1))
			}
			if _, gap := so.gap(w, alpha); !(gap <= 1.01e-9*whole) {
				t.Errorf("%s: row %d: gap %v of %v, want <= 1e-9", p.name, i, gap, whole)
				break
			}
		}
	}
	if jumps < 1000 {
		t.Errorf("%d fits by Newton steps alone, want many", jumps)
	}
}
