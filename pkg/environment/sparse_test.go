package environment

import (
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestSparse(t *testing.T) {
	for name, e := range map[string]Sparse{
		"default": {}, "AR(1)": {Design: Autoregressive, Correlation: -0.6, Raw: true, Leading: true},
		"equi-correlated": {Design: Equicorrelated, Correlation: 0.5, Arms: 3, Dim: 20},
		"spherical":       {Design: Spherical, Dim: 12, Sparsity: 12}, "margin": {Margin: 0.3, Noise: 0.05},
		"clipped contexts": {Clip: 1.5, Dim: 30}, "one of everything": {Arms: 1, Dim: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bandittest.Environment(t, e,
				bandittest.EnvironmentOptions{Seed: 1, UnboundedRewards: true})
		})
	}
	t.Run("clipped rewards", func(t *testing.T) {
		bandittest.Environment(t, Sparse{RewardClip: 1},
			bandittest.EnvironmentOptions{Seed: 1, RegretIsNotMean: true})
	})
}

// TestSparseLaw compares the covariance of 50,000 contexts in 6 dimensions with the design's, each
// entry to 5 standard errors. 21 entries of 5 designs are a false alarm in 6e-5 of the seeds.
func TestSparseLaw(t *testing.T) {
	const rounds, arms, d = 500, 100, 6
	for _, e := range []Sparse{
		{}, {Design: Autoregressive, Correlation: 0.7}, {Design: Autoregressive, Correlation: -0.4},
		{Design: Equicorrelated, Correlation: 0.3}, {Design: Spherical},
	} {
		e.Arms, e.Dim = arms, d
		trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts")).(*sparse)
		var v bandit.View
		var second [d][d]float64
		for range rounds {
			trial.Next(&v)
			for a := range arms {
				x := v.Row(a)
				if got := inner(x, Theta(trial)); math.Abs(got-trial.mean[a]) > 1e-12 {
					t.Fatalf("%v: mean %v, <theta, x> = %v", e.Design, trial.mean[a], got)
				}
				if e.Design == Spherical && math.Abs(inner(x, x)-d) > 1e-12 {
					t.Fatalf("|x|^2 = %v, want %d", inner(x, x), d)
				}
				for i := range d {
					for j := range i + 1 {
						second[i][j] += x[i] * x[j] / (rounds * arms)
					}
				}
			}
		}
		for i := range d {
			for j := range i + 1 {
				want := 0.0
				switch {
				case i == j:
					want = 1
				case e.Design == Autoregressive:
					want = math.Pow(e.Correlation, float64(i-j))
				case e.Design == Equicorrelated:
					want = e.Correlation
				}
				variance := 1 + want*want // of a normal pair; on the sphere a little less
				if got := second[i][j]; math.Abs(got-want) > 5*math.Sqrt(variance/(rounds*arms)) {
					t.Errorf("%v %v: covariance of coordinates %d and %d is %v, want %v", e.Design, e.Correlation, i, j, got, want)
				}
			}
		}
	}
}

// TestSparseTheta: theta has its sparsity, its length, or its range if raw, and its support is
// uniform: of 2,000 trials each of 8 coordinates is in 3/8, to 5 standard errors (5e-6 of seeds).
func TestSparseTheta(t *testing.T) {
	const trials, d, s = 2000, 8, 3
	var hits [d]float64
	positive := 0.0
	for trial := range trials {
		for _, raw := range []bool{false, true} {
			e := Sparse{Dim: d, Sparsity: s, Raw: raw}
			game := runtest.Open(t, e).Start(random.New(1, trial, "contexts")).(*sparse)
			theta, n := Theta(game), 0
			for j, v := range theta {
				if v != 0 {
					if game.support[n] != j {
						t.Fatalf("support %v of %v", game.support, theta)
					}
					n++
				}
				if raw && v != 0 && !(math.Abs(v) >= 0.5 && math.Abs(v) <= 1) {
					t.Fatalf("raw theta %v, want in +-[0.5, 1]", theta)
				}
				if v != 0 && raw {
					hits[j] += 1.0 / trials
				}
				if v > 0 && raw {
					positive += 1.0 / (s * trials)
				}
			}
			if n != s || len(game.support) != s {
				t.Fatalf("%d coordinates of %v matter, want %d", n, theta, s)
			}
			if !raw && math.Abs(inner(theta, theta)-1) > 1e-12 {
				t.Fatalf("|theta|^2 = %v, want 1", inner(theta, theta))
			}
		}
	}
	for j, got := range hits {
		if want := 1.0 * s / d; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/trials) {
			t.Errorf("coordinate %d matters in %v of the trials, want %v", j, got, want)
		}
	}
	if math.Abs(positive-0.5) > 5*0.5/math.Sqrt(s*trials) {
		t.Errorf("%v of the entries are positive, want half", positive)
	}
	e := Sparse{Leading: true, Dim: 9}
	game := runtest.Open(t, e).Start(random.New(1, 0, "contexts")).(*sparse)
	if got := fmt.Sprint(game.support); got != "[0 1 2 3 4]" {
		t.Errorf("support %v, want the first five", got)
	}
}

// TestSparseMargin: no round is closer than Margin, unless it is counted; without a margin some
// are.
func TestSparseMargin(t *testing.T) {
	var v bandit.View
	for _, c := range []struct {
		e       Sparse
		narrow  bool // expects close rounds
		counted bool
	}{{Sparse{Margin: 0.2}, false, false}, {Sparse{}, true, false}, {Sparse{Margin: 1, Clip: 0.01}, true, true}} {
		e := c.e
		trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts")).(*sparse)
		narrow := 0
		for range 300 {
			trial.Next(&v)
			if trial.best-trial.second < max(e.Margin, 0.2) {
				narrow++
			}
		}
		if (narrow > 0) != c.narrow || c.counted != (trial.narrow > 0) || c.counted && trial.narrow != narrow {
			t.Errorf("%+v: %d rounds with a small gap, %d counted", c.e.Margin, narrow, trial.narrow)
		}
	}
}

// TestSparseBounds: Clip and RewardClip bound what is seen, and the problem says so.
func TestSparseBounds(t *testing.T) {
	e := Sparse{Clip: 0.7, RewardClip: 0.4}
	trial := runtest.Open(t, e).Start(random.New(1, 0, "contexts"))
	p, rewards := e.Problem(), random.New(1, 0, "rewards")
	if p.ContextNorm != 0.7*10 || p.RewardMax != 0.4 || p.RewardMin != -0.4 {
		t.Errorf("problem %+v", p)
	}
	var v bandit.View
	y := []float64{0}
	clipped := 0
	for range 200 {
		trial.Next(&v)
		for _, x := range v.X {
			if math.Abs(x) > 0.7 {
				t.Fatalf("a coordinate of %v, want in [-0.7, 0.7]", x)
			}
		}
		trial.Pull(rewards, []int{0}, y)
		if math.Abs(y[0]) > 0.4 {
			t.Fatalf("a reward of %v, want in [-0.4, 0.4]", y[0])
		}
		if math.Abs(y[0]) == 0.4 {
			clipped++
		}
	}
	if clipped == 0 {
		t.Error("no reward reached its bound")
	}
}

func TestSparseRefuses(t *testing.T) {
	for want, e := range map[string]Sparse{
		"Arms = -1": {Arms: -1}, "Dim = -2": {Dim: -2}, "Sparsity = 101, want in [1, Dim = 100]": {Sparsity: 101},
		"Sparsity = -1": {Sparsity: -1}, "Design = Design(9)": {Design: 9}, "Correlation = 0.5, want 0": {Correlation: 0.5},
		"Correlation = 1, want in (-1, 1)": {Design: Autoregressive, Correlation: 1},
		"Correlation = NaN":                {Design: Autoregressive, Correlation: math.NaN()},
		"Correlation = -0.1, want in [0":   {Design: Equicorrelated, Correlation: -0.1},
		"Noise = -1":                       {Noise: -1}, "Noise = NaN": {Noise: math.NaN()}, "Noise = +Inf": {Noise: math.Inf(1)},
		"Margin = 1.5": {Margin: 1.5}, "Clip = -1": {Clip: -1}, "RewardClip = -2": {RewardClip: -2}, "of memory": {Dim: 1 << 40},
	} {
		if err := refusal(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error that names %q", e, err, want)
		}
	}
}

// ExampleSparse shows that the best of ten contexts depends on five of a hundred coordinates.
func ExampleSparse() {
	e := Sparse{Arms: 10, Dim: 100, Sparsity: 5}
	world, err := e.Open()
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	var v bandit.View
	trial.Next(&v)
	matter := 0
	for _, weight := range Theta(trial) {
		if weight != 0 {
			matter++
		}
	}
	fmt.Println(v.Arms, "contexts of", v.Dim, "coordinates, of which", matter, "matter")
	// Output:
	// 10 contexts of 100 coordinates, of which 5 matter
}

func BenchmarkSparse(b *testing.B) {
	for _, e := range []Sparse{{}, {Dim: 1000}, {Design: Autoregressive, Correlation: 0.5}, {Design: Equicorrelated, Correlation: 0.5}, {Design: Spherical}, {Margin: 0.2}, {Clip: 2}} {
		_, d, _ := e.sizes()
		b.Run(fmt.Sprintf("%v/d=%d/margin=%v/clip=%v", e.Design, d, e.Margin, e.Clip), func(b *testing.B) {
			trial := runtest.Open(b, e).Start(random.New(1, 0, "contexts"))
			var v bandit.View
			b.ReportAllocs()
			for b.Loop() {
				trial.Next(&v)
			}
		})
	}
}
