package slots_test

import (
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// network is a connected graph of 1000 edges.
func network() environment.SemiBandit {
	r := random.New(1, 0, "network")
	edges, means := make([][2]int, 1000), make([]float64, 1000)
	for i := range edges {
		edges[i] = [2]int{r.IntN(i%200 + 1), i%200 + 1}
		means[i] = r.Float64()
	}
	return environment.SemiBandit{Matroid: expect.Must(matroid.NewGraphic(201, edges)), Means: means}
}

// BenchmarkSemiBandit plays whole rounds, the environment's part included.
func BenchmarkSemiBandit(b *testing.B) {
	envs := []environment.SemiBandit{learnertest.Table2(), learnertest.Films(), network()}
	for _, s := range learnertest.SemiBandits {
		for _, env := range envs {
			p := env.Problem()
			b.Run(fmt.Sprintf("%s/L=%d/K=%d", s.Name, p.Arms, p.Slots), func(b *testing.B) {
				learnertest.Round(b, env, s.Make(env.Matroid), 20_000)
			})
		}
	}
}
