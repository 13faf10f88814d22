package learner_test

import (
	"fmt"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func tree(c privacy.Calibration) privacy.Accumulator {
	return continual.Tree{Noise: continual.Gaussian{Budget: learnertest.Budget, Calibration: c}}
}

func wishart(c privacy.Calibration, unshifted bool) privacy.Accumulator {
	return continual.Tree{Noise: continual.Wishart{Budget: learnertest.Budget, Calibration: c, Unshifted: unshifted}}
}

func BenchmarkRound(b *testing.B) {
	r := random.New(1, 0, "floor")
	var sink float64
	b.Run("floor/d=5/K=25", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range 125 {
				sink += r.NormFloat64()
			}
		}
	})
	for _, p := range []struct {
		name string
		sums privacy.Accumulator
	}{
		{"linucb", continual.Exact{}},
		{"gaussian", tree(privacy.Sound)},
		{"gaussian-published", tree(privacy.AsPublished)},
		{"gaussian-padded", continual.Tree{Noise: continual.Gaussian{Budget: learnertest.Budget, Calibration: privacy.AsPublished, Padded: true}}},
		{"blt", continual.BLT{Budget: learnertest.Budget}},
		{"honaker", continual.Honaker{Budget: learnertest.Budget}},
		{"wishart", wishart(privacy.AsPublished, false)},
		{"wishart-unshifted", wishart(privacy.AsPublished, true)},
	} {
		for _, fixed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/d=5/K=25/fixed=%v", p.name, fixed), func(b *testing.B) {
				learnertest.Round(b, environment.DecisionSets{Dim: 5, Gap: 0.1, Fixed: fixed}, learner.New(linear.UCB{}, p.sums), 20000)
			})
		}
	}
	env := environment.UnitFeatures{Fixed: true}
	k := env.Constant()
	n := local.OnlineNoise{Budget: learnertest.Budget, Constant: k}
	for _, p := range []struct {
		name string
		l    bandit.Learner
	}{
		{"linucb", learner.New(linear.UCB{}, nil)},
		{"ldp", learnertest.LDP(local.LDPNoise{Budget: learnertest.Budget, Constant: k})},
		{"onlineucb-ogd", learnertest.OnlineUCB(n, local.OnlineServer{Online: learnertest.OGD(0.1), Width: 4})},
		{"onlineucb-maler", learnertest.OnlineUCB(n, local.OnlineServer{Width: 4})},
		{"weighted", learner.Local{Device: local.WeightedDevice{Budget: learnertest.Budget}, Server: local.WeightedServer{Budget: learnertest.Budget}}},
	} {
		b.Run(p.name+"/d=5/K=100/fixed", func(b *testing.B) { learnertest.RoundOf(b, env, p.l, 20000, 20000) })
	}
	for name, sums := range map[string]privacy.Accumulator{"jdp": continual.Tree{Noise: continual.Gaussian{Budget: learnertest.Budget}}, "jdp-blt": continual.BLT{Budget: learnertest.Budget}} {
		b.Run(name+"/d=5/K=100/fixed", func(b *testing.B) { learnertest.RoundOf(b, env, learner.New(linear.UCB{}, sums), 20000, 1<<30) })
	}
	for _, p := range []struct {
		name  string
		local learner.Local
	}{
		{"shuffle-amplified", (local.AmplifiedNoise{Budget: learnertest.Budget, Batch: 20}).Learner()},
		{"shuffle-vectorsum", (local.VectorSum{Budget: learnertest.Budget, Batch: 20}).Learner()},
	} {
		b.Run(p.name+"/d=5/K=100/fixed", func(b *testing.B) {
			learnertest.Round(b, environment.UnitFeatures{Fixed: true}, p.local, 20000)
		})
	}
	// bare normals, and gonum's product of the same flops on one thread
	b.Run("floor/d=64/K=4096", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		x, p := mat.NewDense(4096, 64, nil), mat.NewDense(64, 64, nil)
		var product mat.Dense
		data := x.RawMatrix().Data
		for b.Loop() {
			for i := range data {
				data[i] = r.NormFloat64()
			}
			product.Mul(x, p)
		}
	})
	b.Run("linucb/d=64/K=4096/fixed=false", func(b *testing.B) {
		learnertest.Round(b, environment.DecisionSets{Dim: 64, Gap: 0.1}, learner.New(linear.UCB{}, nil), 200)
	})
}
