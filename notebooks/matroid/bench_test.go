package matroid

import (
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// network is a bandit on the spanning trees of a connected graph of 1000 edges.
func network() (bandit.Environment, matroid.Matroid) {
	r := random.New(1, 0, "network")
	edges, means := make([][2]int, 1000), make([]float64, 1000)
	for i := range edges {
		edges[i] = [2]int{r.IntN(i%200 + 1), i%200 + 1}
		means[i] = r.Float64()
	}
	m, err := matroid.NewGraphic(201, edges)
	if err != nil {
		panic(err)
	}
	return environment.SemiBandit{Matroid: m, Means: means}, m
}

// BenchmarkMatroidRound measures a round of the experiments on matroids as package simulate plays
// it: the environment's part, the regret and the ledger of the noise included. It is the mean over
// trials of n rounds, thus over all stages of learning; what stands between two trials is not
// counted.
func BenchmarkMatroidRound(b *testing.B) {
	movies := MustMovies()
	graph, trees := network()
	places := []struct {
		env     bandit.Environment
		matroid matroid.Matroid
		horizon int
	}{{Table2(), Matroid, Horizon}, {movies.Environment(), movies.Matroid, MovieHorizon}, {graph, trees, Horizon}}
	budget := privacy.Budget{Epsilon: Epsilon}
	for _, l := range []struct {
		name string
		make func(m matroid.Matroid) bandit.Learner
	}{
		{"dpucb", func(m matroid.Matroid) bandit.Learner { return slots.OMM{Matroid: m}.Private(Epsilon) }},
		{"dpts", func(m matroid.Matroid) bandit.Learner { return slots.CTS{Matroid: m}.Private(Epsilon) }},
		{"omm", func(m matroid.Matroid) bandit.Learner { return slots.OMM{Matroid: m}.Learner() }},
		{"cts", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.CTS{Matroid: m}, nil) }},
		{"kl-osm", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.KLOSM{Matroid: m}, nil) }},
		{"kl-osm-blocks", func(m matroid.Matroid) bandit.Learner { return klBlocks(0.1)(m, budget) }},
		{"cucb-tree", func(m matroid.Matroid) bandit.Learner { return ommTree(m, budget) }},
	} {
		for _, at := range places {
			p := check.Try(bandit.OpenWorld(at.env)).Problem()
			b.Run(fmt.Sprintf("%s/L=%d/K=%d", l.name, p.Arms, p.Slots), func(b *testing.B) { benchMatroid(b, at.env, l.make(at.matroid), at.horizon) })
		}
	}
}

// benchMatroid plays trial after trial.
func benchMatroid(b *testing.B, env bandit.Environment, l bandit.Learner, horizon int) {
	b.Helper()
	world := check.Try(bandit.OpenWorld(env))
	p := world.Problem()
	ready, err := l.Open(p, horizon)
	if err != nil {
		b.Fatal(err)
	}
	var game bandit.Instance
	var run bandit.Run
	arms, y := make([]int, 0, p.Slots), make([]float64, p.Slots)
	rewards := random.New(Seed, 0, "rewards")
	var v bandit.View
	var ledger *privacy.Ledger
	var sum float64
	round, trial := horizon, 0
	b.ReportAllocs()
	for b.Loop() {
		if round == horizon {
			b.StopTimer()
			if ledger != nil {
				if err := ledger.Check(privacy.PlanOf(run, privacy.All).Draws); err != nil {
					b.Fatal(err)
				}
			}
			ledger = privacy.NewLedger(random.Source(Seed, trial, "noise"))
			game = world.Start(random.New(Seed, trial, "contexts"))
			run = ready.Start(random.New(Seed, trial, "learner"), ledger)
			round, trial = 0, trial+1
			b.StartTimer()
		}
		round++
		game.Next(&v)
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			b.Fatal(err)
		}
		game.Pull(rewards, arms, y)
		sum += game.Regret(arms)
		if err := run.Update(&v, arms, y); err != nil {
			b.Fatal(err)
		}
	}
	if !(sum >= 0) {
		b.Fatalf("regret %v", sum)
	}
}
