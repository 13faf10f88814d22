package arms

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// total returns W of transport.
func total(epsilon float64, i, j *looked) float64 {
	w, _ := transport(epsilon, i, j)
	return w
}

// exponent returns D_i(u) of transport, from a grid of x.
func exponent(epsilon float64, s *looked, u float64) (most float64) {
	const steps = 1000
	for i := range steps {
		x := epsilon * float64(i) / steps
		d := s.count*(x*s.mean-math.Log(1-u+u*math.Exp(x))) + s.noises*math.Log1p(-(x/epsilon)*(x/epsilon))
		most = max(most, d)
	}
	return most
}

// TestTransport compares transport with the definition, over grids of x, y and u. A grid of x finds
// less than the exponent, and one of u more than the least sum.
func TestTransport(t *testing.T) {
	r := random.New(1, 0, "samples")
	for range 20 {
		epsilon := math.Exp(4*r.Float64() - 3)
		i := looked{0.3 + 0.8*r.Float64(), math.Ceil(400 * r.Float64()), float64(1 + r.IntN(6))}
		j := looked{i.mean - 0.6*r.Float64(), math.Ceil(400 * r.Float64()), float64(1 + r.IntN(6))}
		flipped := looked{1 - j.mean, j.count, j.noises}
		want := math.Inf(1)
		for k := range 201 {
			u := float64(k) / 200
			want = min(want, exponent(epsilon, &i, u)+exponent(epsilon, &flipped, 1-u))
		}
		got := total(epsilon, &i, &j)
		if !(got <= want+1e-3*(1+want) && got >= want-0.01*(1+want)) {
			t.Errorf("epsilon %v, %+v and %+v: %v, want %v", epsilon, i, j, got, want)
		}
	}
}

// TestTransportGolden: W and the share of i are those that scipy finds, by Brent's method on nested
// functions. Where W is flat, the share is known to 0.02.
func TestTransportGolden(t *testing.T) {
	for _, g := range []struct {
		i, j               looked
		epsilon, of, other float64
	}{
		{looked{0.7, 300, 3}, looked{0.5, 100, 2}, 0.3, 0.2758261123, 1.828116051},
		{looked{0.7, 300, 3}, looked{0.5, 100, 2}, 0.05, 0.01432657525, 0.0892266041},
		{looked{1.2, 40, 1}, looked{0.4, 160, 4}, 0.1, 1.276940124, 0.1346798433},
		{looked{0.95, 2000, 6}, looked{0.9, 1000, 5}, 1, 4.141725735, 7.072602491},
		{looked{0.6, 64, 2}, looked{-0.3, 32, 1}, 0.5, 0.9279685557, 8.725159883},
		{looked{0.75, 800, 4}, looked{0.7, 6400, 7}, 0.02, 0.03737296416, 0.001037331915},
	} {
		w, share := transport(g.epsilon, &g.i, &g.j)
		want := g.of + g.other
		if math.Abs(w-want) > 1e-7*want || math.Abs(share-g.of/want) > 0.02 {
			t.Errorf("epsilon %v, %+v and %+v: %v, of which %v, want %v and %v", g.epsilon, g.i, g.j, w, share, want, g.of/want)
		}
	}
}

// TestTransportLimits: without noise the evidence is that of Bernoulli samples, which a large
// epsilon comes near to; for a single arm, j with all rewards in the world, and many rewards, it is
// n d_epsilon. It grows with the difference of the means and with both counts, and falls with the
// noise. What is not better has none.
func TestTransportLimits(t *testing.T) {
	i, j := looked{0.7, 300, 3}, looked{0.5, 100, 2}
	u := (300*0.7 + 100*0.5) / 400
	want := 300*bernoulli.KL(0.7, u) + 100*bernoulli.KL(0.5, u)
	for _, epsilon := range []float64{math.Inf(1), 1e9} {
		if got := total(epsilon, &i, &j); math.Abs(got-want) > 1e-6*want {
			t.Errorf("epsilon %v: %v, want %v", epsilon, got, want)
		}
	}
	for _, epsilon := range []float64{0.05, 0.3, 2} {
		all := looked{0.5, 1e9, 0}
		many := looked{0.7, 1e4, 0}
		if got, want := total(epsilon, &many, &all)/1e4, bernoulli.DEps(epsilon, 0.7, 0.5); math.Abs(got-want) > 2e-3*want {
			t.Errorf("epsilon %v: %v of one arm, want d_epsilon = %v", epsilon, got, want)
		}
		base := total(epsilon, &i, &j)
		for name, more := range map[string]float64{
			"mean":          total(epsilon, &looked{0.75, 300, 3}, &j),
			"other mean":    total(epsilon, &i, &looked{0.45, 100, 2}),
			"count":         total(epsilon, &looked{0.7, 330, 3}, &j),
			"other count":   total(epsilon, &i, &looked{0.5, 110, 2}),
			"fewer noises":  total(epsilon, &looked{0.7, 300, 2}, &j),
			"one noise":     total(epsilon, &i, &looked{0.5, 100, 1}),
			"larger budget": total(1.1*epsilon, &i, &j),
		} {
			if !(more > base) {
				t.Errorf("epsilon %v, %s: %v, want more than %v", epsilon, name, more, base)
			}
		}
	}
	for _, s := range []looked{{0.5, 100, 2}, {0.4, 100, 2}, {math.NaN(), 100, 2}, {-3, 100, 2}} {
		if got := total(0.3, &s, &j); got != 0 {
			t.Errorf("%+v: %v, want 0", s, got)
		}
	}
}

// TestTopTwoProof counts what the proof bounds, in samples of two arms of one mean u at looks after
// n rewards with k noises: an exponent exceeds x with probability exp(-x) at most, and the evidence
// exceeds c with (1+c) exp(-c). Of 12 counts in 5,000 samples one is 4.5 standard errors above
// its bound in ten thousand suites.
func TestTopTwoProof(t *testing.T) {
	const samples = 5_000
	for _, c := range []struct {
		epsilon, u float64
		n, k       int
	}{{0.1, 0.5, 60, 1}, {0.1, 0.8, 400, 4}, {1, 0.3, 50, 5}, {5, 0.5, 100, 6}} {
		r := random.New(1, 0, "samples")
		draw := func() looked {
			sum := 0.0
			for range c.n {
				if r.Float64() < c.u {
					sum++
				}
			}
			for range c.k {
				sum += math.Log(r.Float64()/r.Float64()) / c.epsilon // the difference of exponentials
			}
			return looked{sum / float64(c.n), float64(c.n), float64(c.k)}
		}
		var over [3]float64
		at := [3]float64{2, 4, 5}
		bounds := [3]float64{math.Exp(-2), math.Exp(-4), 6 * math.Exp(-5)}
		for range samples {
			i, j := draw(), draw()
			x := i.tilt(c.epsilon, min(c.epsilon, mostTilt), c.u)
			d := i.count*(x*i.mean-math.Log(1-c.u+c.u*math.Exp(x))) + i.noises*math.Log1p(-(x/c.epsilon)*(x/c.epsilon))
			for b, value := range [3]float64{d, d, total(c.epsilon, &i, &j)} {
				if value > at[b] {
					over[b]++
				}
			}
		}
		for b, bound := range bounds {
			share := over[b] / samples
			t.Logf("epsilon %v: over %v in %.5f, want %.5f at most", c.epsilon, at[b], share, bound)
			if share > bound+4.5*math.Sqrt(bound/samples) {
				t.Errorf("epsilon %v, u %v, n %d, k %d: over %v in %.5f of the samples, want %.5f at most", c.epsilon, c.u, c.n, c.k, at[b], share, bound)
			}
		}
	}
}
