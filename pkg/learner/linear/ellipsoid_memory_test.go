package linear

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
)

// What is allowed by checkLinear has the size that it reckons with, or less.
func TestLinearSize(t *testing.T) {
	for _, d := range []int{1, 5, 10, 16, 17} {
		p := bandit.Problem{Arms: 50_000, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run := runtest.Run(t, learner.New(UCB{}, nil), p, 1000, nil, rand.NewPCG(1, 2))
		runtime.ReadMemStats(&after)
		bytes, want := float64(after.TotalAlloc-before.TotalAlloc), 8*ellipsoid.Kept(p)
		t.Logf("d = %d: %.3g of %.3g bytes", d, bytes, want)
		if bytes > 1.01*want {
			t.Errorf("d = %d: %.4g bytes, want at most %.4g", d, bytes, want)
		}
		runtime.KeepAlive(run)
	}
}
