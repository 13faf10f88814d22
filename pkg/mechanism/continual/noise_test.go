package continual

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestGaussianMoments draws a node's noise 40000 times: mean 0, standard deviation s off the
// diagonal and sqrt(2) s on it, all entries uncorrelated. Each of the 10 means, 10 variances and 45
// correlations fails beyond 5 standard errors: less than 4e-5 false alarms over seeds; the seed is
// fixed.
func TestGaussianMoments(t *testing.T) {
	const draws, dim, size, z = 40000, 4, 10, 5
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		g := nodes[*gaussian](t, Gaussian{Budget: budget, Calibration: c}, privacy.Setup{Dim: dim, Horizon: 1000, Bound: 2, Alpha: 0.1})
		noise := privacy.NewNoise(random.Source(1, 0, "noise"))
		var sum [size]float64
		var product [size][size]float64
		x := make([]float64, size)
		for range draws {
			g.Draw(noise, x)
			for i := range x {
				if sum[i] += x[i]; true {
					for j := range i + 1 {
						product[i][j] += x[i] * x[j]
					}
				}
			}
		}
		sd := func(p int) float64 {
			if p == 0 || p == 2 || p == 5 || p == 9 {
				return math.Sqrt2 * g.SD()
			}
			return g.SD()
		}
		for i := range size {
			if m := sum[i] / draws / sd(i); math.Abs(m) > z/math.Sqrt(draws) {
				t.Errorf("%v: the mean of entry %d is %v standard deviations, want 0", c, i, m)
			}
			for j := range i {
				if r := product[i][j] / draws / sd(i) / sd(j); math.Abs(r) > z/math.Sqrt(draws) {
					t.Errorf("%v: entries %d and %d have correlation %v, want 0", c, i, j, r)
				}
			}
			if v := product[i][i] / draws / sd(i) / sd(i); math.Abs(v-1) > z*math.Sqrt(2.0/draws) {
				t.Errorf("%v: entry %d has variance %v times what it should", c, i, v)
			}
		}
	}
}

// TestGaussianSensitivity finds the largest change that replacing a row makes to a node: sqrt(2)
// L~^2 in Frobenius norm, between orthogonal rows. It then adds the change up in standard
// deviations of the packed entries, over the nodes that hold the row: that is the mu of the claim.
func TestGaussianSensitivity(t *testing.T) {
	s := privacy.Setup{Dim: 5, Horizon: 100, Bound: 1.5, Alpha: 0.1}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		g := nodes[*gaussian](t, Gaussian{Budget: privacy.Budget{Epsilon: 0.7, Delta: 1e-4}, Calibration: c}, s)
		r := random.New(1, 0, "rows")
		worst := 0.0
		try := func(v, w []float64) {
			var norm, mu float64 // squared
			for i := range v {
				for j := range i + 1 {
					d := v[i]*v[j] - w[i]*w[j]
					if i == j {
						norm += d * d
						mu += d * d / (2 * g.SD() * g.SD())
					} else {
						norm += 2 * d * d
						mu += d * d / (g.SD() * g.SD())
					}
				}
			}
			expect.Near(t, "mu against |D|_F/(sqrt(2) s)", math.Sqrt(mu), math.Sqrt(norm/2)/g.SD(), 1e-12)
			if math.Sqrt(norm) > math.Sqrt2*s.Bound*s.Bound*(1+1e-12) {
				t.Fatalf("replacing %v by %v changes the sum by %v in Frobenius norm, want <= sqrt(2) L~^2 = %v", v, w, math.Sqrt(norm), math.Sqrt2*s.Bound*s.Bound)
			}
			worst = max(worst, math.Sqrt(mu))
		}
		v, w := make([]float64, 5), make([]float64, 5)
		for range 2000 {
			random.Sphere(r, v)
			random.Sphere(r, w)
			for i := range v {
				v[i] *= s.Bound
				w[i] *= s.Bound * r.Float64()
			}
			try(v, w)
		}
		try([]float64{s.Bound, 0, 0, 0, 0}, []float64{0, 0, 0, s.Bound, 0})
		held := 7.0 // of row 1: the blocks of 1, 2, ..., 64
		mu := privacy.ClaimOf(g).Event().(account.GaussianEvent).Mu
		expect.Near(t, fmt.Sprintf("%v: mu of the claim", c), mu, math.Sqrt(held)*worst, 1e-12)
		expect.Near(t, fmt.Sprintf("%v: delta at the epsilon of the claim", c), account.GaussianDelta(privacy.ClaimOf(g).Epsilon(), mu), 1e-4, 1e-6)
		if c == privacy.Sound {
			expect.Near(t, "the epsilon claimed", privacy.ClaimOf(g).Epsilon(), 0.7, 1e-9)
		} else if privacy.ClaimOf(g).Epsilon() >= 0.7 {
			t.Errorf("%v: claims epsilon = %v, want less than asked for: the published noise is generous", c, privacy.ClaimOf(g).Epsilon())
		}
	}
}

// TestWishartMoments checks a node's mean k L~^2 I and the variances k L~^4 (1 + [i=j]) over 20000
// draws, beyond 5 standard errors (about 1e-5 false alarms over seeds; the seed is fixed).
func TestWishartMoments(t *testing.T) {
	const draws, size, z = 20000, 6, 5
	w := nodes[*wishart](t, Wishart{Budget: budget}, privacy.Setup{Dim: 3, Horizon: 8, Bound: 1.2, Alpha: 1})
	k, square, draw := float64(w.Freedom()), 1.2*1.2, w.Drawer()
	noise := privacy.NewNoise(random.Source(1, 0, "noise"))
	var sum, squares [size]float64
	x := make([]float64, size)
	for range draws {
		draw.Draw(noise, x)
		for i := range x {
			if i == 0 || i == 2 || i == 5 {
				x[i] -= k * square
			}
			sum[i] += x[i]
			squares[i] += x[i] * x[i]
		}
	}
	for i := range size {
		variance := k * square * square
		if i == 0 || i == 2 || i == 5 {
			variance *= 2
		}
		if m := sum[i] / draws / math.Sqrt(variance); math.Abs(m) > z/math.Sqrt(draws) {
			t.Errorf("the mean of entry %d is %v standard deviations off", i, m)
		}
		if v := squares[i] / draws / variance; math.Abs(v-1) > z*math.Sqrt(2.1/draws) {
			t.Errorf("entry %d has variance %v times what it should", i, v)
		}
	}
}

// TestAccurateBounds counts how often the noise of a prefix leaves its bounds (JDP, Definition 3):
// |H| <= rho_max, |H^-1| <= 1/rho_min, |h|_{H^-1} <= gamma, all three together but for alpha/(2n) a
// round. With n = 8 and alpha = 1 that is 1/16, in each of 1500 resets and 8 rounds. Sound keeps
// it. What is printed gives the eigenvalues alpha/(4n), in Wishart's case, and gamma alpha/(2n),
// together 3/32; in the Gaussian's case alpha/(2n) each, together 1/8. A round fails beyond 4.5
// standard deviations of the count that is just allowed: 3e-6 false alarms a round over seeds, 1e-3
// in all; the seed is fixed.
func TestAccurateBounds(t *testing.T) {
	s := privacy.Setup{Dim: 4, Horizon: 8, Bound: 1.3, Alpha: 1}
	small := privacy.Budget{Epsilon: 0.9, Delta: 0.3}
	for _, c := range []struct {
		name    string
		noise   NodeNoise
		shift   float64 // rho_min wanted, as a multiple of the natural one; 0: leave it
		allowed float64
	}{
		{"Gaussian/Sound", Gaussian{Budget: small}, 0, 1. / 16},
		{"Gaussian/Sound/shifted", Gaussian{Budget: small}, 0.2, 1. / 16},
		{"Gaussian/AsPublished", Gaussian{Budget: small, Calibration: privacy.AsPublished}, 0, 1. / 8},
		{"Gaussian/padded", Gaussian{Budget: small, Calibration: privacy.AsPublished, Padded: true}, 0, 1. / 8},
		{"Gaussian/Sound/padded", Gaussian{Budget: small, Padded: true}, 0, 1. / 16},
		{"Wishart/Sound", Wishart{Budget: small}, 0, 1. / 16},
		{"Wishart/Sound/shifted down", Wishart{Budget: small}, 0.1, 1. / 16},
		{"Wishart/Sound/shifted up", Wishart{Budget: small, Unshifted: true}, 2, 1. / 16},
		{"Wishart/Sound/unshifted", Wishart{Budget: small, Unshifted: true}, 0, 1. / 16},
		{"Wishart/AsPublished", Wishart{Budget: small, Calibration: privacy.AsPublished}, 0, 3. / 32},
		{"Wishart/given", Wishart{Budget: small, Degrees: 20_000}, 0, 1. / 16},
	} {
		for _, k := range kinds[:2] {
			if k.name[0] == 'P' && c.shift != 0 {
				continue
			}
			t.Run(c.name+"/"+k.name[:4], func(t *testing.T) {
				accurate(t, c.name, k.make(c.noise), s, c.shift, c.allowed)
			})
		}
	}
	for name := range factorisations(small) {
		for end, shift := range map[string]float64{"/Sound": 0, "/Sound/shifted": 0.2} {
			t.Run(name+end, func(t *testing.T) {
				accurate(t, name+end, factorisations(small)[name], s, shift, 1./16)
			})
		}
	}
}

// accurate counts the rounds in which an accumulator's noise leaves its bounds.
func accurate(t *testing.T, name string, acc *mechanismtest.Player[privacy.Sums], s privacy.Setup, shift, allowed float64) {
	t.Helper()
	const resets = 1500
	d := s.Dim - 1
	if err := acc.Open(s); err != nil {
		t.Fatal(err)
	}
	first := privacy.First(acc.Opened)
	released := *first
	if shift > 0 {
		want := shift * first.Bounds.RhoMin
		moved, err := first.Shifted(want)
		if err != nil {
			t.Fatal(err)
		}
		expect.Near(t, "rho_min after Shifted", moved.Bounds.RhoMin, want, 1e-12)
		released = moved
	}
	b := released.Bounds
	release, zero := make([]float64, (d+1)*(d+2)/2), make([]float64, d+1)
	failures := make([]float64, s.Horizon)
	var top, bottom, gamma float64
	var eig mat.EigenSym
	source := random.Source(1, 0, name)
	for range resets {
		acc.Start(privacy.NewNoise(source))
		for round := range s.Horizon {
			now := *acc.Release()
			now.Shift = released.Shift
			now.Read(release)
			h := mat.NewSymDense(d, nil)
			for i := range d {
				for j := range i + 1 {
					h.SetSym(i, j, release[i*(i+1)/2+j])
				}
			}
			if !eig.Factorize(h, true) {
				t.Fatal("no eigenvalues")
			}
			values := eig.Values(nil)
			var vectors mat.Dense
			eig.VectorsTo(&vectors)
			var square float64 // |h|^2 in the norm of H^-1
			for j, v := range values {
				var along float64
				for i := range d {
					along += vectors.At(i, j) * release[d*(d+1)/2+i]
				}
				square += along * along / v
			}
			low, high := values[0], math.Max(values[d-1], -values[0])
			if !(low >= b.RhoMin && high <= b.RhoMax && square <= b.Gamma*b.Gamma) {
				failures[round]++
			}
			top, bottom, gamma = max(top, high/b.RhoMax), max(bottom, b.RhoMin/low), max(gamma, math.Sqrt(square)/b.Gamma)
			if err := addRow(acc, zero); err != nil {
				t.Fatal(err)
			}
		}
	}
	for round, f := range failures {
		if limit := resets*allowed + 4.5*math.Sqrt(resets*allowed*(1-allowed)); f > limit {
			t.Errorf("round %d: the bounds %+v failed %v times in %d, want <= %.0f", round+1, b, f, resets, limit)
		}
	}
	if strings.HasSuffix(name, "/Sound") && shift == 0 && (top < 0.7 || gamma < 0.6) {
		t.Errorf("|H| reached %.2f of rho_max and |h| %.2f of gamma: bounds this wide say little", top, gamma)
	}
	t.Logf("failures %v; the largest |H|/rho_max %.2f, |H^-1| rho_min %.2f, |h|/gamma %.2f", failures, top, bottom, gamma)
}

// TestSymmetricGaussianNorm compares the operator norm's quantile with the bound that upsilon uses
// for one node, s (2 sqrt(d) + 2 sqrt(ln(2/a))), for d = 5 and a = 1e-2: it fails at most a 2000th
// of the time beyond what a allows.
func TestSymmetricGaussianNorm(t *testing.T) {
	const draws, d, a = 4000, 5, 1e-2
	noise := privacy.NewNoise(random.Source(1, 0, "norm"))
	x := make([]float64, d*(d+1)/2)
	over := 0
	var eig mat.EigenSym
	for range draws {
		noise.SymmetricGaussian(x, d, 1)
		h := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				h.SetSym(i, j, x[i*(i+1)/2+j])
			}
		}
		eig.Factorize(h, false)
		v := eig.Values(nil)
		if math.Max(v[d-1], -v[0]) > 2*math.Sqrt(d)+2*math.Sqrt(math.Log(2/a)) {
			over++
		}
	}
	limit := distuv.Binomial{N: draws, P: a}
	if limit.CDF(float64(over)) > 1-5e-4 {
		t.Errorf("the norm was over its bound %d times in %d, want at most about %v", over, draws, draws*a)
	}
}
