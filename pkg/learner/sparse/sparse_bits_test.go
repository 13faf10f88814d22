package sparse_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestSparseBitsConformance(t *testing.T) {
	bandittest.Learner(t, learnertest.SparseBits(sparse.SparseBits{Budget: privacy.Budget{Epsilon: 3}, Sparsity: 2, Signal: 1}),
		environment.Sparse{Dim: 12, Sparsity: 2, Arms: 4}, bandittest.LearnerOptions{Seed: 1, Rounds: 330})
}

// An answer is pure epsilon-LDP, and its claim says so. Without a budget nothing is claimed.
func TestSparseBitsClaim(t *testing.T) {
	problem := environment.Sparse{Dim: 10}.Problem()
	if c := learnertest.ClaimOf(t, sparse.SparseBits{Budget: privacy.Budget{Epsilon: 2}, Sparsity: 5}.Learner(), problem, 200_000); c.Epsilon() != 2 || c.Model() != privacy.Local || c.Proved().Delta != 0 {
		t.Errorf("%v, want epsilon = 2 in the local model", c)
	}
	if c := learnertest.ClaimOf(t, sparse.SparseBits{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Sparsity: 5}.Learner(), problem, 200_000); !math.IsInf(c.Epsilon(), 1) {
		t.Errorf("without noise: %v", c)
	}
}

// The server finds the coordinates that matter, a theta with their signs and proportions, and after
// that regret is small. A coordinate that matters is missed with a probability below 1e-4.
func TestSparseBitsLearns(t *testing.T) {
	const dim, sparsity, horizon = 10, 2, 40_000
	var runs []bandit.Run
	l := learnertest.Keep(learnertest.SparseBits(sparse.SparseBits{Budget: privacy.Budget{Epsilon: 2}, Sparsity: sparsity}), &runs)
	env := environment.Sparse{Dim: dim, Sparsity: sparsity}
	regret, chance := late(t, env, l, horizon, horizon*3/4)
	server := runs[0].(*learner.LocalRun).Server().(interface {
		learner.Receiver
		Support() []int
	})
	trial := runtest.Open(t, env).Start(random.New(7, 0, "contexts")) // that late plays
	if want := support(trial); !slices.Equal(server.Support(), want) {
		t.Errorf("support %v, want %v", server.Support(), want)
	}
	if !(regret < 0.03*chance) {
		t.Errorf("regret %.1f in the last quarter, %.1f at random", regret, chance)
	}
	b := server.Broadcast()[2:]
	theta := environment.Theta(trial)
	if ratio := b[1] / b[3] / (theta[int(b[0])] / theta[int(b[2])]); math.Abs(ratio-1) > 0.25 {
		t.Errorf("broadcast %v for theta %v", b, theta)
	}
}

func TestSparseBitsRefuses(t *testing.T) {
	p := environment.Sparse{Dim: 10}.Problem()
	for words, change := range map[string]func(b *sparse.SparseBits, l *learner.Local, horizon *int){
		"Sparsity = 11":            func(b *sparse.SparseBits, _ *learner.Local, _ *int) { b.Sparsity = 11 },
		"Signal = 2":               func(b *sparse.SparseBits, _ *learner.Local, _ *int) { b.Signal = 2 },
		"want more than the":       func(_ *sparse.SparseBits, _ *learner.Local, horizon *int) { *horizon = 5000 },
		"psilon":                   func(b *sparse.SparseBits, _ *learner.Local, _ *int) { b.Budget.Epsilon = -1 },
		"Batch = 5, want 1":        func(_ *sparse.SparseBits, l *learner.Local, _ *int) { l.Batch = 5 },
		"rounds of its two stages": func(b *sparse.SparseBits, _ *learner.Local, _ *int) { b.Budget.Epsilon = 1e-9 },
	} {
		b, horizon := sparse.SparseBits{Budget: privacy.Budget{Epsilon: 2}, Sparsity: 2}, 100_000
		var l learner.Local
		change(&b, &l, &horizon)
		l.Device, l.Server = sparse.SparseBitsDevice{Bits: b}, sparse.SparseBitsServer{Bits: b}
		if _, err := l.Open(p, horizon); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("error %v, want one that says %q", err, words)
		}
	}
}
