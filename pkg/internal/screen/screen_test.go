package screen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// upper returns <x, centre> + beta sqrt(x^T A x) for each row of x.
func upper(x, centre, a []float64, beta float64) (all []float64) {
	d := len(centre)
	for ; len(x) > 0; x = x[d:] {
		var dot, square float64
		p := 0
		for i, v := range x[:d] {
			dot += v * centre[i]
			for j, w := range x[:i+1] {
				if j < i {
					w *= 2
				}
				square += v * w * a[p]
				p++
			}
		}
		all = append(all, dot+beta*math.Sqrt(max(0, square)))
	}
	return all
}

// problem is a random problem. A is B^T B, with columns of B of very different sizes; norm is its
// trace, and |A| may be as large.
func problem(r *rand.Rand, arms, d int, scale float64) (x, centre, a []float64, norm float64) {
	b := make([]float64, d*d)
	for i := range b {
		b[i] = r.NormFloat64() * math.Pow(10, -float64(r.IntN(5)))
	}
	for i := range d {
		centre = append(centre, r.NormFloat64())
		for j := range i + 1 {
			var sum float64
			for k := range d {
				sum += b[k*d+i] * b[k*d+j]
			}
			a = append(a, sum)
		}
		norm += a[len(a)-1]
	}
	for range arms * d {
		x = append(x, scale*r.NormFloat64())
	}
	for i := range min(arms*d/2, 5*d) { // some arms nearly alike
		x[len(x)-1-i] = x[i] * (1 + 1e-8*r.NormFloat64())
	}
	return x, centre, a, norm
}

func longest(x []float64, d int) (square float64) {
	for ; len(x) > 0; x = x[d:] {
		var s float64
		for _, v := range x[:d] {
			s += v * v
		}
		square = max(square, s)
	}
	return square
}

// TestSift compares with upper confidence bounds in double precision: what may be above the mark is
// left, and what is clearly below it is not.
func TestSift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kept, all := 0, 0
	for i := range 3000 {
		arms, d := 1+r.IntN(200), 1+r.IntN(MaxDim)
		wide := i%4 == 0
		if wide {
			d += MaxDim + r.IntN(40)
		}
		scale := math.Pow(10, float64(r.IntN(160)-80))
		x, centre, a, norm := problem(r, arms, d, scale)
		beta := math.Pow(10, float64(r.IntN(5)-2))
		s := New(arms+r.IntN(40), d)
		square := longest(x, d)
		if !s.Set(x, arms) {
			t.Fatalf("lengths of %v: refused", math.Sqrt(square))
		}
		want := upper(x, centre, a, beta)
		mark := slices.Max(want)
		if r.IntN(2) == 0 {
			mark = want[r.IntN(arms)]
		}
		var left []int
		var ok bool
		if wide {
			var best int
			if best, ok = s.Top(centre, a, beta); want[best] < slices.Max(want)*(1-1e-4)-1e-4*math.Abs(slices.Max(want)) {
				t.Fatalf("arms = %d, d = %d: arm %d is the top with %v, the greatest is %v", arms, d, best, want[best], slices.Max(want))
			}
			left = s.Above(mark, nil)
		} else {
			left, ok = s.Sift(centre, a, beta, mark, nil)
		}
		if !ok {
			t.Fatalf("arms = %d, d = %d, scale %v: refused", arms, d, scale)
		}
		if !slices.IsSorted(left) {
			t.Fatalf("left %v", left)
		}
		var length float64
		for _, v := range centre {
			length += v * v
		}
		unit := math.Sqrt(square) * (math.Sqrt(length) + beta*math.Sqrt(norm))
		for arm, ucb := range want {
			switch found := slices.Contains(left, arm); {
			case ucb >= mark && !found:
				t.Fatalf("arms = %d, d = %d: arm %d has %v, the mark is %v: ruled out", arms, d, arm, ucb, mark)
			case ucb < mark-0.02*unit && found:
				t.Fatalf("arms = %d, d = %d: arm %d has %v, the mark is %v, the unit %v: left", arms, d, arm, ucb, mark, unit)
			}
			all++
		}
		for _, arm := range left {
			if want[arm] < mark {
				kept++
			}
		}
	}
	t.Logf("%d of %d arms were left below the mark", kept, all)
	if kept*100 > all {
		t.Errorf("%d of %d arms were left below the mark, want at most a hundredth", kept, all)
	}
}

// TestPlain compares the kernels: an arm's bit may differ only if its bound is within rounding of
// the limit.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		d, blocks := 1+r.IntN(MaxDim), r.IntN(4)
		n := d + d*(d+1)/2
		columns, factors := make([]float32, blocks*lanes*n), make([]float32, n+2)
		for i := range columns {
			columns[i] = float32(r.NormFloat64())
		}
		for i := range factors {
			factors[i] = float32(r.NormFloat64() / float64(n))
		}
		factors[1+d] = 4
		if r.IntN(10) == 0 {
			factors[r.IntN(len(factors))] = float32(math.NaN())
		}
		got, low, high := make([]uint32, blocks), make([]uint32, blocks), make([]uint32, blocks)
		limit := float32(2 + r.NormFloat64())
		sift(got, columns, factors, d, limit)
		siftPlain(low, columns, factors, d, limit-1e-4)
		siftPlain(high, columns, factors, d, limit+1e-4)
		for i := range got {
			if got[i]&^low[i] != 0 || high[i]&^got[i] != 0 {
				t.Fatalf("d = %d, block %d: %032b, want between %032b and %032b", d, i, got[i], high[i], low[i])
			}
		}
	}
}

// TestBoundPlain compares the kernels beyond MaxDim, which differ by rounding.
func TestBoundPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		d, blocks := 2+r.IntN(70), 1+r.IntN(4)
		columns, factors := make([]float32, blocks*lanes*d), make([]float32, 2+d+d*(d+1)/2)
		for i := range columns {
			columns[i] = float32(r.NormFloat64())
		}
		for i := range factors {
			factors[i] = float32(r.NormFloat64() / float64(d*d))
		}
		factors[1+d] = 25
		got, want := make([]float32, blocks*lanes), make([]float32, blocks*lanes)
		bound(got, columns, factors, d)
		boundPlain(want, columns, factors, d)
		for i, v := range got {
			if w := want[i]; !(math.Abs(float64(v-w)) < 1e-4) {
				t.Fatalf("d = %d, arm %d of %d: %v, want %v", d, i, len(got), v, w)
			}
		}
	}
}

// TestRefuses: numbers out of range are refused.
func TestRefuses(t *testing.T) {
	x, one := []float64{1, 0, 0, 1}, []float64{1, 0, 1}
	s := New(2, 2)
	for _, v := range []float64{0, 1e-150, 1e150, math.Inf(1), math.NaN()} {
		if s.Set([]float64{0, 0, v, v}, 2) {
			t.Errorf("a context of %v: want it refused", v)
		}
	}
	if !s.Set(x, 2) {
		t.Fatal("refused")
	}
	for _, c := range []struct {
		centre, a []float64
		beta      float64
	}{
		{[]float64{0, 0}, one, 0},
		{[]float64{0, 0}, []float64{0, 0, 0}, 1},
		{[]float64{1, 0}, one, 1e200},
		{[]float64{1e200, 0}, one, 1},
		{[]float64{math.NaN(), 0}, one, 1},
		{[]float64{1, 0}, []float64{1, math.NaN(), 1}, 1},
	} {
		if left, ok := s.Sift(c.centre, c.a, c.beta, 0, nil); ok {
			t.Errorf("%+v: %v, want it refused", c, left)
		}
	}
	if left, ok := s.Sift([]float64{1, 0}, one, 1, math.NaN(), nil); !ok || len(left) != 2 {
		t.Errorf("with a mark of NaN: %v, %v, want both arms", left, ok)
	}
}
