package arms_test

import (
	"fmt"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// BenchmarkRound plays whole rounds, the environment's part included. With 10,000 arms, half a
// million rounds come before: the arms are settled.
func BenchmarkRound(b *testing.B) {
	for _, m := range makers {
		for _, k := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("%s/K=%d", m.name, k), func(b *testing.B) {
				r := random.New(1, 0, "means")
				env := environment.Arms{}
				for range k {
					env.Means = append(env.Means, 0.25+0.5*r.Float64())
				}
				l, warm := m.make(1), 100_000
				if k > 10 {
					warm = 500_000
				}
				if k > 10 && m.random {
					b.Skip("a draw for each arm")
				}
				steady(b, env, l, warm)
			})
		}
	}
}

// steady plays one round after another in the steady state.
func steady(b *testing.B, env bandit.Environment, l bandit.Learner, warm int) {
	b.Helper()
	world := runtest.Open(b, env)
	trial := world.Start(random.New(1, 0, "contexts"))
	run := started(b, opened(b, l, world.Problem(), 1<<40), 0).Run
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	arms, y := make([]int, 0, 1), make([]float64, 1)
	play := func() {
		trial.Next(&v)
		chosen, err := run.Select(&v, arms[:0])
		if err != nil {
			b.Fatal(err)
		}
		arms = chosen
		trial.Pull(rewards, arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			b.Fatal(err)
		}
	}
	for range warm {
		play()
	}
	b.ReportAllocs()
	for b.Loop() {
		play()
	}
}
