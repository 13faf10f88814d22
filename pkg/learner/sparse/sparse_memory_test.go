package sparse_test

import (
	"runtime"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestSparseMemory: SparseJDP in 5000 dimensions allocates the rows of its longest episode, and
// next to nothing else. With -short the noise is that of the standard conversion of zCDP, which
// takes no time to compute.
func TestSparseMemory(t *testing.T) {
	const horizon = 16000
	used := func(l learner.Private[episodes.SparseGram], d int) (rows int, bytes float64) {
		t.Helper()
		opened, err := l.Statistic.Open(privacy.Setup{Dim: d + 1, Horizon: horizon, Bound: 100, Alpha: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ready, err := l.Open(bandit.Problem{Arms: 10, Dim: d, Slots: 1, ContextNorm: 100, RewardMin: -2, RewardMax: 2}, horizon)
		if err != nil {
			t.Fatal(err)
		}
		run, v := ready.Start(random.New(1, 0, "own"), random.Source(1, 0, "noise")), &bandit.View{Round: 1, Arms: 1, Dim: d, X: make([]float64, d)}
		if err := run.Update(v, []int{0}, []float64{1}); err != nil { // the first row makes room for an episode
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		start := 0
		for _, end := range opened.(interface{ Ends() []int }).Ends() {
			rows, start = max(rows, end-start), end
		}
		return rows, float64(after.TotalAlloc - before.TotalAlloc)
	}
	for name, make := range map[string]func(privacy.Budget, int) learner.Private[episodes.SparseGram]{
		"default": sparse.SparseJDP{}.Private, "tuned": sparse.SparseJDP{}.Tuned, "plain": sparse.SparseJDP{}.Plain,
	} {
		ready := func() learner.Private[episodes.SparseGram] {
			l := make(privacy.Budget{Epsilon: 1, Delta: 1e-5}, 5)
			s := l.Statistic.(episodes.SparseEpisodes)
			s.Concentrated = s.Concentrated || testing.Short()
			l.Statistic = s
			return l
		}
		used(ready(), 100) // computes the noise, once for all dimensions
		const d = 5000
		rows, bytes := used(ready(), d)
		want := 8 * float64(rows) * d
		t.Logf("%s: %.1f MiB, %d rows of the longest episode are %.1f MiB", name, bytes/(1<<20), rows, want/(1<<20))
		if rows < 1000 || bytes < want || bytes > 1.01*want+1e6 {
			t.Errorf("%s: %.4g bytes, want the %.4g of %d rows, and at most 1 in 100 and 1 MB more", name, bytes, want, rows)
		}
	}
}
