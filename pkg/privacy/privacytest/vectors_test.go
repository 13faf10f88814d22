package privacytest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// vectorFormat is the format of vectors without rewards, of bounded norm. The pair that is far
// apart has equal entries, so that it is in the L1 norm, too.
func vectorFormat[R any]() privacytest.Format[R] {
	return privacytest.Format[R]{
		Record: func(s privacy.Setup, _ int, rng *rand.Rand) privacy.Record {
			x := make([]float64, s.Dim)
			for i := range x {
				x[i] = random.Normal(rng)
			}
			norm := packed.Norm(x)
			for i := range x {
				x[i] *= s.Bound * rng.Float64() / norm
			}
			return privacy.Record{X: x}
		},
		Far: func(s privacy.Setup, _ int) [2]privacy.Record {
			v, w := make([]float64, s.Dim), make([]float64, s.Dim)
			for i := range v {
				v[i] = s.Bound / math.Sqrt(float64(s.Dim))
				w[i] = -v[i]
			}
			return [2]privacy.Record{{X: v}, {X: w}}
		},
		Clips: func(s privacy.Setup, r *privacy.Record) int {
			if packed.Norm(r.X) > s.Bound*(1+1e-9) {
				return 1
			}
			return 0
		},
		Malformed: func(s privacy.Setup, _ int) []privacy.Record {
			return []privacy.Record{{}, {X: make([]float64, s.Dim-1)}, {X: make([]float64, s.Dim+1)}, {X: make([]float64, s.Dim), Y: []float64{0}}}
		},
	}
}

// vectorSums are running sums of vectors, by name.
func vectorSums() map[string]privacytest.Case[continual.Total] {
	all := make(map[string]privacytest.Case[continual.Total])
	add := func(name string, long int, below float64, make privacy.Statistic[continual.Total]) {
		all[name] = privacytest.Case[continual.Total]{Of: make, Format: vectorFormat[continual.Total](), Long: long, Below: below,
			Public: name == "exact", Setup: privacy.Setup{Horizon: 17, Dim: 3, Bound: 2}}
	}
	add("exact", long, 0, continual.VectorExact{})
	add("tree, Laplace", long, 0, continual.VectorTree{Budget: pure})
	add("tree, Gaussian", long, 0, continual.VectorTree{Budget: approximate})
	add("tree as published", long, 0, continual.VectorTree{Budget: pure, Calibration: privacy.AsPublished})
	// Noise on padded levels hides a vector, too, and the plan does not count on it.
	add("tree, padded, Gaussian", long, 0.6, continual.VectorTree{Budget: approximate, Padded: true})
	add("square root", 1500, 0, continual.VectorSquareRoot{Budget: approximate})
	add("BLT", long, 0, continual.VectorBLT{Budget: approximate})
	return all
}

func TestVectorSums(t *testing.T) {
	for name, c := range vectorSums() {
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
		if c.Public {
			continue
		}
		t.Run(name+", probed", func(t *testing.T) { privacytest.Probe(t, c) })
		c.Setup.Dim = 1
		t.Run(name+", of numbers, probed", func(t *testing.T) { privacytest.Probe(t, c) })
	}
	// Padding adds more Laplace draws than there are releases, which the probe does not solve for.
	padded := vectorSums()["tree, Laplace"]
	padded.Nonlinear = true
	padded.Of = continual.VectorTree{Budget: pure, Padded: true}
	t.Run("tree, padded, Laplace", func(t *testing.T) { privacytest.Statistic(t, padded) })
}

// TestVectorBatches: batches keep their claim, as wide as the noise allows.
func TestVectorBatches(t *testing.T) {
	c := privacytest.Case[continual.Batch]{
		Of: continual.VectorBatches{Budget: approximate, First: 2, Equal: 2}, Format: vectorFormat[continual.Batch](),
		Long: long, Setup: privacy.Setup{Horizon: 17, Dim: 3, Bound: 2},
	}
	t.Run("statistic", func(t *testing.T) { privacytest.Statistic(t, c) })
	t.Run("probed", func(t *testing.T) { privacytest.Probe(t, c) })
}

// TestStopping: the stopping rule, which the horizon ends in these runs.
func TestStopping(t *testing.T) {
	number := func(x float64) privacy.Record { return privacy.Record{Y: []float64{x}} }
	format := privacytest.Format[mechanism.Stopped]{
		Record: func(s privacy.Setup, _ int, rng *rand.Rand) privacy.Record {
			return number(s.Bound * (2*rng.Float64() - 1))
		},
		Far: func(s privacy.Setup, _ int) [2]privacy.Record {
			return [2]privacy.Record{number(-s.Bound), number(s.Bound)}
		},
		Clips: func(s privacy.Setup, r *privacy.Record) int {
			if math.Abs(r.Y[0]) > s.Bound {
				return 1
			}
			return 0
		},
		Malformed: func(privacy.Setup, int) []privacy.Record {
			return []privacy.Record{{}, {Y: []float64{1, 2}}, {X: []float64{1}, Y: []float64{1}}}
		},
	}
	for name, rule := range map[string]mechanism.Stopping{
		"sound": {}, "as published": {Calibration: privacy.AsPublished}, "doubling": {Doubling: true},
	} {
		rule.Epsilon, rule.Alpha, rule.Beta = 1, 0.5, 0.1
		t.Run(name, func(t *testing.T) {
			privacytest.Statistic(t, privacytest.Case[mechanism.Stopped]{
				Of:     rule,
				Format: format, Setup: privacy.Setup{Horizon: 17, Bound: 2}, Long: 1000,
			})
		})
	}
}
