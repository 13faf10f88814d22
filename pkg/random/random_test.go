package random

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"gonum.org/v1/gonum/stat/distuv"
)

const kolmogorov1e4 = 2.23 // every use below: a fixed seed; a false alarm of 1e-4 for a new one

func TestStreamsAreNamed(t *testing.T) {
	if a, b := New(7, 3, "contexts").Uint64(), New(7, 3, "contexts").Uint64(); a != b {
		t.Fatalf("equal names give %d and %d", a, b)
	}
	seen := map[uint64]bool{}
	for seed := uint64(0); seed < 4; seed++ {
		for trial := 0; trial < 4; trial++ {
			for _, name := range []string{"", "a", "b", "noise/a"} {
				seen[New(seed, trial, name).Uint64()] = true
			}
		}
	}
	if len(seen) != 64 {
		t.Fatalf("64 different streams start with %d different values", len(seen))
	}
}

func TestNormalsHaveTheNormalDistribution(t *testing.T) {
	x := make([]float64, 1_000_000)
	NewNormals(New(1, 0, "normals")).Fill(x)
	if d := expect.Kolmogorov(x, distuv.UnitNormal.CDF); d > kolmogorov1e4 {
		t.Errorf("Kolmogorov distance %.3f, want < %.2f", d, kolmogorov1e4)
	}
	// The tail is a path of its own: given |x| > zigTail it is the normal's conditional tail.
	g := NewNormals(New(2, 0, "normals"))
	var tail []float64
	var square, fourth float64
	for range 40 {
		g.Fill(x)
		for _, v := range x {
			square += v * v
			fourth += v * v * v * v
			if math.Abs(v) > zigTail {
				tail = append(tail, math.Abs(v))
			}
		}
	}
	// 40 million draws see a layer of the 256 that is handled wrongly.
	if z2, z4 := (square/40e6-1)/math.Sqrt(2/40e6), (fourth/40e6-3)/math.Sqrt(96/40e6); math.Abs(z2) > 4 || math.Abs(z4) > 4 {
		t.Errorf("second and fourth moments z = %.1f and %.1f, want within 4 (false alarm 6e-5 each)", z2, z4)
	}
	mass := 2 * distuv.UnitNormal.Survival(zigTail)
	expected := 40e6 * mass
	if z := (float64(len(tail)) - expected) / math.Sqrt(expected); math.Abs(z) > 4 {
		t.Errorf("%d draws beyond the ziggurat's tail, expected %.0f (z = %.1f; false alarm 6e-5)", len(tail), expected, z)
	}
	if d := expect.Kolmogorov(tail, func(v float64) float64 { return 1 - 2*distuv.UnitNormal.Survival(v)/mass }); d > kolmogorov1e4 {
		t.Errorf("tail: Kolmogorov distance %.3f, want < %.2f", d, kolmogorov1e4)
	}
	// Neighbours in a block are uncorrelated, and so are their squares.
	var r1, r2 float64
	for i := 1; i < len(x); i++ {
		r1 += x[i] * x[i-1]
		r2 += (x[i]*x[i] - 1) * (x[i-1]*x[i-1] - 1) / 2
	}
	n := math.Sqrt(float64(len(x)))
	if math.Abs(r1/n) > 4 || math.Abs(r2/n) > 4 {
		t.Errorf("serial correlations z = %.1f and %.1f, want within 4 (false alarm 6e-5 each)", r1/n, r2/n)
	}
}

func TestNormalsBlocksJoin(t *testing.T) {
	a, b := NewNormals(New(1, 0, "x")), NewNormals(New(1, 0, "x"))
	one, two := make([]float64, 5000), make([]float64, 5000)
	a.Fill(one)
	for i := 0; i < len(two); i += 50 {
		b.Fill(two[i : i+50])
	}
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("draw %d is %v in one block, %v in blocks of 50", i, one[i], two[i])
		}
	}
}

func TestSphereHeights(t *testing.T) {
	for _, dim := range []int{2, 3, 5, 16} {
		r := New(3, dim, "sphere")
		x := make([]float64, dim)
		heights := make([]float64, 20000)
		for i := range heights {
			Sphere(r, x)
			var square float64
			for _, v := range x {
				square += v * v
			}
			if math.Abs(square-1) > 1e-12 {
				t.Fatalf("dim %d: squared norm %v", dim, square)
			}
			heights[i] = (x[0] + 1) / 2
		}
		half := float64(dim-1) / 2
		if d := expect.Kolmogorov(heights, distuv.Beta{Alpha: half, Beta: half}.CDF); d > kolmogorov1e4 {
			t.Errorf("dim %d: Kolmogorov distance %.3f", dim, d)
		}
	}
}

// The smallest and the largest shapes have draws in [0, 1]. Of small ones a draw is 0 or 1, nearly,
// and 1 with probability a/(a+b): within 5 standard deviations of 4000 draws (6e-7; the seed is
// fixed).
func TestBetaOfExtremeShapes(t *testing.T) {
	g := NewNormals(New(1, 0, "extreme"))
	for _, small := range []float64{5e-324, 1e-300, 1e-6, 1e-4} {
		var ones float64
		for range 4000 {
			x := g.Beta(small, 3*small)
			if !(x >= 0 && x <= 1) {
				t.Fatalf("Beta(%v, %v) is %v", small, 3*small, x)
			}
			ones += math.Round(x)
		}
		if math.Abs(ones-1000) > 5*math.Sqrt(4000*3.0/16) {
			t.Errorf("Beta(%v, %v) is 1 in %v of 4000 draws, want 1000", small, 3*small, ones)
		}
	}
	for range 1000 {
		if x := g.Beta(1e300, 1e300); math.Abs(x-0.5) > 1e-12 {
			t.Fatalf("Beta(1e300, 1e300) is %v", x)
		}
		if x := g.Beta(1e300, 5e-324); x != 1 {
			t.Fatalf("Beta(1e300, 5e-324) is %v", x)
		}
	}
}

func TestChiSquare(t *testing.T) {
	for i, k := range []float64{1, 2, 3.5, 100, 239278} {
		r := NewNormals(Source(5, i, "chi"))
		draws := make([]float64, 20000)
		for j := range draws {
			draws[j] = r.ChiSquared(k)
		}
		if d := expect.Kolmogorov(draws, distuv.ChiSquared{K: k}.CDF); d > kolmogorov1e4 {
			t.Errorf("k = %v: Kolmogorov distance %.3f", k, d)
		}
	}
}

// A Wishart variable has mean scale k I, entries of variance scale^2 k (1 + [i = j]), and no
// correlation between different entries of its lower triangle.
func TestWishartMoments(t *testing.T) {
	for i, freedom := range []int{6, 7, 40, 139115} {
		const dim, n, scale = 6, 20000, 2.0
		w, err := NewWishart(dim, freedom, scale)
		if err != nil {
			t.Fatal(err)
		}
		r := NewNormals(Source(6, i, "wishart"))
		size := dim * (dim + 1) / 2
		draw, mean, square := make([]float64, size), make([]float64, size), make([]float64, size)
		var cross float64 // of entries (1,0) and (2,1)
		for range n {
			w.Rand(r, draw)
			for j, v := range draw {
				mean[j] += v / n
				square[j] += v * v / n
			}
			cross += draw[1] * draw[4] / n
		}
		k := float64(freedom)
		for row, p := 0, 0; row < dim; row++ {
			for col := 0; col <= row; col, p = col+1, p+1 {
				wantMean, wantVar := 0.0, scale*scale*k
				if row == col {
					wantMean, wantVar = scale*k, 2*wantVar
				}
				if z := (mean[p] - wantMean) / math.Sqrt(wantVar/n); math.Abs(z) > 5 {
					t.Errorf("k = %d: mean of entry (%d,%d) is %.1f standard errors off (false alarm 6e-7)", freedom, row, col, z)
				}
				// The kurtosis of an entry is at most 3 + 12/k on the diagonal, 3 + 6/k off it.
				if got := square[p] - mean[p]*mean[p]; math.Abs(got/wantVar-1) > 6*math.Sqrt((2+12/k)/n) {
					t.Errorf("k = %d: variance of entry (%d,%d) is %.4g, want %.4g", freedom, row, col, got, wantVar)
				}
			}
		}
		if z := cross / (scale * scale * k / math.Sqrt(n)); math.Abs(z) > 5 {
			t.Errorf("k = %d: covariance of (1,0) and (2,1) is %.1f standard errors from 0", freedom, z)
		}
	}
	for _, bad := range []struct {
		dim, freedom int
		scale        float64
	}{{0, 5, 1}, {5, 4, 1}, {5, 9, 0}, {5, 9, math.NaN()}, {5, 9, math.Inf(1)}} {
		if _, err := NewWishart(bad.dim, bad.freedom, bad.scale); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestRademacher(t *testing.T) {
	r := New(7, 0, "rademacher")
	var sum float64
	const n, mean = 100000, 0.3
	for range n {
		y := Rademacher(r, mean)
		if y != 1 && y != -1 {
			t.Fatal(y)
		}
		sum += y
	}
	if z := (sum/n - mean) / math.Sqrt((1-mean*mean)/n); math.Abs(z) > 4 {
		t.Errorf("mean %v, %.1f standard errors from %v", sum/n, z, mean)
	}
}

// TestChiSquareFast: the draw with the state in registers is that of chiSquare, and so is the state
// after it.
func TestChiSquareFast(t *testing.T) {
	g := NewNormals(rand.NewPCG(1, 5))
	slow := 0
	for i := range 100_000 {
		k := 2 + float64(i%7)*float64(i%1000)
		h := *g
		once := h
		once.next()
		once.next()
		x, want := g.ChiSquared(k), chiSquare(&h, h.One(), k/2-1.0/3)
		if x != want || *g != h {
			t.Fatalf("draw %d, k = %v: %v, want %v", i, k, x, want)
		}
		if *g != once {
			slow++
		}
	}
	if slow == 0 || slow > 5000 {
		t.Errorf("%d draws took more than two numbers", slow)
	}
}

// TestBeta: a draw is the ratio of two chi-squares, and the state after it is that after these.
func TestBeta(t *testing.T) {
	g := NewNormals(rand.NewPCG(1, 5))
	for i := range 200_000 {
		a, b := 0.5+float64(i%7)*float64(i%1000), 0.5+float64(i%5)*float64(i%301)
		h := *g
		got := g.Beta(a, b)
		x := h.ChiSquared(2 * a)
		if y := h.ChiSquared(2 * b); got != x/(x+y) || *g != h {
			t.Fatalf("draw %d of Beta(%v, %v): %v, want %v", i, a, b, got, x/(x+y))
		}
	}
}

// betaBelow returns a BetaBelow that is set.
func betaBelow(low, high, least, w float64) (b BetaBelow) {
	b.Set(low, high, least, w)
	return b
}

// TestSkipBelow: the draws that are skipped are below their number, for the ends of the range of
// shapes and one between, and the state after them is that after the draws. Most draws are skipped
// whose number is six standard deviations above their mean.
func TestSkipBelow(t *testing.T) {
	r := New(1, 0, "shapes")
	g := NewNormals(r)
	far, skipped := 0, 0
	for range 200_000 {
		low := 1 + math.Exp(12*r.Float64())
		high, least := low*(1+0.1*r.Float64()*r.Float64()), 1+math.Exp(12*r.Float64())
		mean := high / (high + least)
		sd := math.Sqrt(mean * (1 - mean) / (high + least))
		above := 10*r.Float64() - 2
		w := mean + sd*above
		b := betaBelow(low, high, least, w)
		before := *g
		n := g.SkipBelow([]BetaBelow{b})
		if above > 6 && low > 20 && least > 20 && w < 0.99 {
			far++
			skipped += n
		}
		after := *g
		for _, a := range []float64{low, (low + high) / 2, high} {
			for _, b := range []float64{least, 1.1 * least} {
				*g = before
				if x := g.Beta(a, b); n == 1 && (x >= w || *g != after) {
					t.Fatalf("Beta(%v, %v) is %v: skipped, as below %v", a, b, x, w)
				}
			}
		}
	}
	if share := float64(skipped) / float64(far); !(share > 0.95) {
		t.Errorf("%d of %d draws far below were skipped", skipped, far)
	}
	b := betaBelow(50, 50, 50, 0.9)
	row := []BetaBelow{b, b, b, b, {}, b}
	for range 1000 {
		h := *g
		n := g.SkipBelow(row)
		for range n {
			h.Beta(50, 50)
		}
		if n > 4 || *g != h {
			t.Fatalf("%d draws of a row are skipped, or the state is not that after them", n)
		}
	}
	for _, b := range []BetaBelow{betaBelow(6, 6, 60, 0.9), betaBelow(60, 60, 6, 0.9), betaBelow(60, 60, 60, 1), betaBelow(60, 60, 60, 0)} {
		if b != (BetaBelow{}) {
			t.Errorf("%+v, want the zero value", b)
		}
	}
}

func BenchmarkNormals(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 125)
	b.Run("block/n=125", func(b *testing.B) {
		g := NewNormals(r)
		for b.Loop() {
			g.Fill(x)
		}
	})
	b.Run("bare/n=125", func(b *testing.B) {
		for b.Loop() {
			for i := range x {
				x[i] = r.NormFloat64()
			}
		}
	})
	b.Run("wishart/d=6", func(b *testing.B) {
		w, _ := NewWishart(6, 139115, 2)
		g := NewNormals(r)
		for b.Loop() {
			w.Rand(g, x[:21])
		}
	})
}
