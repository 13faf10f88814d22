package learner_test

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// hasty is a shuffler that hands on batches of 4, whatever it is asked for.
type hasty struct{ learner.Shuffler }

func (h hasty) Start(_ int, noise *privacy.Noise) learner.Mixer { return h.Shuffler.Start(4, noise) }

// TestSmallerBatches: a shuffler that mixes smaller batches than it is asked for hands nothing to
// the server.
func TestSmallerBatches(t *testing.T) {
	plane := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	view := &bandit.View{Round: 1, Arms: 2, Dim: 2, X: []float64{1, 0, 0, 1}}
	l := learnertest.LDP(local.LDPNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}})
	l.Batch, l.Shuffler = 100, hasty{learner.Uniform{}}
	run := runtest.Run(t, l, plane, 200, random.New(1, 0, "own"), random.Source(1, 0, "noise"))
	for range 3 {
		run.Update(view, run.Select(view, nil), []float64{1})
	}
	if err := run.Run.Update(view, []int{0}, []float64{1}); err == nil || !strings.Contains(err.Error(), "after 4 of a batch of 100") {
		t.Errorf("error %v, want one for a batch of 4 under noise for 100", err)
	}
}
