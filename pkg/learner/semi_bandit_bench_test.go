package learner_test

import (
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// must returns a matroid that is as it should be.
func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// table2 is the synthetic instance of the matroid paper: vectors of which the last is a loop and
// the last but one is parallel to the first.
func table2() environment.SemiBandit {
	return environment.SemiBandit{
		Matroid: must(matroid.NewLinear([][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}})),
		Means:   []float64{0.80, 0.75, 0.60, 0.20, 0.30, 0.40, 0.70},
	}
}

// films is a stand-in for the movies: vectors of genres, 1 to 4 of 18 each, of rank 17 as one genre
// is never named.
func films() environment.SemiBandit {
	r := random.New(1, 0, "films")
	rows, means := make([][]int, 100), make([]float64, 100)
	for i := range rows {
		rows[i] = make([]int, 18)
		rows[i][i%17] = 1
		for range r.IntN(4) {
			rows[i][r.IntN(17)] = 1
		}
		means[i] = 0.1 + float64(0.4*r.Float64()) // not fused: TestNumbers hashes what follows
	}
	return environment.SemiBandit{Matroid: must(matroid.NewLinear(rows)), Means: means}
}

// network is a connected graph of 1000 edges.
func network() environment.SemiBandit {
	r := random.New(1, 0, "network")
	edges, means := make([][2]int, 1000), make([]float64, 1000)
	for i := range edges {
		edges[i] = [2]int{r.IntN(i%200 + 1), i%200 + 1}
		means[i] = r.Float64()
	}
	return environment.SemiBandit{Matroid: must(matroid.NewGraphic(201, edges)), Means: means}
}

// semiBandits makes each learner on a matroid.
var semiBandits = []struct {
	name string
	make func(m matroid.Matroid) bandit.Learner
}{
	{"omm", func(m matroid.Matroid) bandit.Learner { return slots.NewOMM(m) }},
	{"dpucb-mat", func(m matroid.Matroid) bandit.Learner { return slots.DPUCBMAT(m, 2) }},
	{"dpucb-mat-remember", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.OMM{Matroid: m}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Remember: true})
	}},
	{"cts", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.CTS{Matroid: m}, nil) }},
	{"dpts-mat", func(m matroid.Matroid) bandit.Learner { return slots.DPTSMAT(m, 2) }},
	{"dpts-sample", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.CTS{Matroid: m, Width: 0.5, Sample: true}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Remember: true})
	}},
	{"cucb-tree", func(m matroid.Matroid) bandit.Learner { return slots.CUCBTree(m, 2) }},
	{"cts-beta", func(m matroid.Matroid) bandit.Learner { return slots.CTSBeta{Matroid: m} }},
	{"kl-osm", func(m matroid.Matroid) bandit.Learner { return learner.New(slots.KLOSM{Matroid: m}, nil) }},
	{"kl-osm-blocks", func(m matroid.Matroid) bandit.Learner {
		return learner.New(slots.KLOSM{Matroid: m}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}})
	}},
}

// BenchmarkSemiBandit plays whole rounds, the environment's part included.
func BenchmarkSemiBandit(b *testing.B) {
	envs := []environment.SemiBandit{table2(), films(), network()}
	for _, s := range semiBandits {
		for _, env := range envs {
			p := env.Problem()
			b.Run(fmt.Sprintf("%s/L=%d/K=%d", s.name, p.Arms, p.Slots), func(b *testing.B) {
				round(b, env, s.make(env.Matroid), 20_000)
			})
		}
	}
}
