package toeplitz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// root returns binom(2k, k)/4^k for k < n.
func root(n int) []float64 {
	f := make([]float64, n)
	f[0] = 1
	for i := range f[1:] {
		f[i+1] = f[i] * float64(2*i+1) / float64(2*i+2)
	}
	return f
}

// TestProduct compares all entries, for lengths around those where the method changes, with plain
// sums, which are exact for integers. Two vectors are multiplied, the second in another product of
// the same matrix.
func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	integer := func() float64 { return float64(r.IntN(2001) - 1000) }
	for _, n := range []int{1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 255, 256, 257, 258, 300, 512, 513, 1500} {
		for _, columns := range []int{1, 2, 3} {
			f := make([]float64, n)
			for i := range f {
				f[i] = integer()
			}
			like := NewProduct(f, 0)
			for range 2 {
				p := like.Begin(columns)
				x, y := make([][]float64, n), make([]float64, columns)
				ff, xx := 0.0, make([]float64, columns)
				for step := range x {
					x[step] = make([]float64, columns)
					ff += f[step] * f[step]
					for c := range x[step] {
						x[step][c] = integer()
						xx[c] += x[step][c] * x[step][c]
					}
					p.Next(y, x[step])
					for c, got := range y {
						var want float64
						for s := range step + 1 {
							want += f[step-s] * x[s][c]
						}
						norms := math.Sqrt(ff * xx[c])
						if e := math.Abs(got - want); !(e <= 4*0x1p-52*norms) {
							t.Fatalf("length %d, column %d of %d, step %d: %v, want %v: off by %v, want <= 4 units of |f| |x| = %v",
								n, c, columns, step, got, want, e, norms)
						}
					}
				}
			}
		}
	}
}

// TestProductLooksAhead: no entry depends on later ones, by any bit.
func TestProductLooksAhead(t *testing.T) {
	const n, columns = 600, 3
	r := rand.New(rand.NewPCG(1, 2))
	run := func(steps int) (all []float64) {
		p, own := NewProduct(root(n), columns), rand.New(rand.NewPCG(1, 3))
		x, y := make([]float64, columns), make([]float64, columns)
		for step := range n {
			for c := range x {
				x[c] = own.NormFloat64()
				if step >= steps {
					x[c] = 1e6 * r.NormFloat64()
				}
			}
			p.Next(y, x)
			all = append(all, y...)
		}
		return all
	}
	want := run(n)
	for _, steps := range []int{1, 16, 128, 129, 256, 400, 512} {
		for i, v := range run(steps)[:columns*steps] {
			if v != want[i] {
				t.Fatalf("entry %d of step %d depends on step %d or later", i%columns, i/columns, steps)
			}
		}
	}
}

// TestRoots compares the roots of unity with the trigonometric functions.
func TestRoots(t *testing.T) {
	const n = 1 << 14
	w := roots(n)
	for h := 1; h < n; h *= 2 {
		for k := range h {
			sin, cos := math.Sincos(-math.Pi * float64(k) / float64(h))
			if e := math.Hypot(real(w[h+k])-cos, imag(w[h+k])-sin); !(e <= 8*0x1p-53) {
				t.Fatalf("exp(-i pi %d/%d) = %v, want (%v, %v): off by %v", k, h, w[h+k], cos, sin, e)
			}
		}
	}
}

// TestTransform compares a transform with its definition, and inverse with it.
func TestTransform(t *testing.T) {
	const n = 64
	r := rand.New(rand.NewPCG(1, 4))
	a, w := make([]complex128, n), roots(n)
	for i := range a {
		a[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	b := append([]complex128(nil), a...)
	transform(b, w)
	for i, got := range b {
		at := 0 // i with its bits reversed
		for bit := 1; bit < n; bit *= 2 {
			at *= 2
			if i&bit != 0 {
				at++
			}
		}
		var want complex128
		for k, v := range a {
			sin, cos := math.Sincos(-2 * math.Pi * float64(at*k%n) / n)
			want += v * complex(cos, sin)
		}
		if e := math.Hypot(real(got-want), imag(got-want)); !(e <= 1e-13) {
			t.Errorf("frequency %d: %v, want %v", at, got, want)
		}
	}
	inverse(b, w)
	for i, v := range b {
		if e := math.Hypot(real(v/n-a[i]), imag(v/n-a[i])); !(e <= 1e-14) {
			t.Errorf("number %d: %v after the inverse, want %v", i, v/n, a[i])
		}
	}
}

// TestAllocations: no step allocates.
func TestAllocations(t *testing.T) {
	const n, columns = 2048, 5
	like, x := NewProduct(root(n), 0), make([]float64, columns)
	runs := []*Product{like.Begin(columns), like.Begin(columns), like.Begin(columns), like.Begin(columns)} // one to warm up
	if got := testing.AllocsPerRun(3, func() {
		p := runs[0]
		runs = runs[1:]
		for range n {
			p.Next(x, x)
		}
	}); got != 0 {
		t.Errorf("%v allocations in %d steps, want 0", got, n)
	}
}

// BenchmarkNext times a step, as a mean over all steps of a run.
func BenchmarkNext(b *testing.B) {
	const columns = 21
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("columns=%d/steps=%d", columns, n), func(b *testing.B) {
			like, x, y := NewProduct(root(n), 0), make([]float64, columns), make([]float64, columns)
			for i := range x {
				x[i] = float64(i)
			}
			p := like.Begin(columns)
			b.ReportAllocs()
			step := 0
			for b.Loop() {
				if step == n {
					p = like.Begin(columns)
					step = 0
				}
				p.Next(y, x)
				step++
			}
		})
	}
}

// TestAdd compares the sums with those of plain Go, bit for bit: of ordinary numbers, and of those
// that overflow or are next to nothing. What lies around the sums stays.
func TestAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, scale := range []float64{1, 1e-160, 1e150, 1e154} {
		number := func() float64 { return scale * r.NormFloat64() }
		for length := range 70 {
			x, behind := make([]float64, length), make([]float64, length+lanes-1)
			for i := range behind {
				behind[i] = number()
			}
			for i := range x {
				x[i] = number()
			}
			var got [lanes + 2]float64
			for i := range got {
				got[i] = number()
			}
			want := got
			add((*[lanes]float64)(got[1:]), x, behind)
			addPlain((*[lanes]float64)(want[1:]), x, behind)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("scale %v, length %d: sum %d is %v, want %v", scale, length, i-1, got[i], want[i])
				}
			}
		}
	}
}
