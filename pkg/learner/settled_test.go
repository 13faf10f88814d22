package learner_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// bare is a device that reports a context as it is, beside noise that it draws and does not add.
type bare struct{ *learner.LDPDevice }

func (b *bare) Report(broadcast, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	m, err := b.LDPDevice.Report(broadcast, x, y, noise, dst)
	copy(m, x)
	return m, err
}

// heard is a server that keeps the last message.
type heard struct {
	*learner.LDPServer
	last learner.Message
}

func (h *heard) Receive(m learner.Message) error {
	h.last = append(h.last[:0], m...)
	return h.LDPServer.Receive(m)
}

var plane = bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// TestPartsAreSettledByInit: a learner that is made of parts plays and claims with those that it
// had in Init.
func TestPartsAreSettledByInit(t *testing.T) {
	noise := learner.LDPNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	device, server := &learner.LDPDevice{Noise: noise}, &heard{LDPServer: &learner.LDPServer{Noise: noise}}
	local := learner.Local{Device: device, Server: server}
	view := &bandit.View{Round: 1, Arms: 2, Dim: 2, X: []float64{1, 0, 0, 1}}
	ledger := privacy.NewLedger(rand.NewPCG(1, 2))
	start := func(l bandit.Learner) {
		run := bandittest.Run(t, l, plane, 20, random.New(1, 0, "own"), ledger)
	}
	start(local)
	local.Device, local.Server = &bare{device}, nil
	local.Update(view, local.Select(view, nil), []float64{1})
	if err := errors.Join(local.Err(), ledger.CheckPlan(local, 1)); err != nil || !privacy.ClaimOf(local).Held() {
		t.Errorf("%v; claims\n%v", err, privacy.ClaimOf(local))
	}
	if server.last[0] == 0 || server.last[0] == 1 {
		t.Error("a device that was put in after Init reports to the server")
	}

	private := func() bandit.Learner {
		return learner.New(learner.LinUCB{}, mechanism.Tree{Noise: mechanism.Gaussian{Budget: noise.Budget}})
	}
	exact := learner.New(learner.LinUCB{}, nil)
	start(exact)
	randomised := learner.RandomisedAction{Learner: exact, Epsilon: 1}
	start(randomised)
	other := private()
	start(other)
	randomised.Learner = other
	if p := privacy.PlanOf(randomised, privacy.All); p.Scope != privacy.OwnAction {
		t.Errorf("a private learner put in after Init gives actions of an exact one the scope %v", p.Scope)
	}
	metered := learner.Metered{Learner: private(), Budget: privacy.Budget{Epsilon: 0.5, Delta: 1e-5}}
	start(metered)
	want := privacy.ClaimOf(metered).Epsilon()
	metered.Learner, metered.Freeze = exact, true
	if got := privacy.ClaimOf(metered).Epsilon(); got != want {
		t.Errorf("another learner put in after Init claims epsilon = %v, want %v", got, want)
	}
	for range 20 {
		metered.Update(view, metered.Select(view, nil), []float64{1})
	}
	if err := metered.Err(); !errors.Is(err, privacy.ErrSpent) {
		t.Errorf("Freeze set after Init: error %v, want %v", err, privacy.ErrSpent)
	}
}

// TestSharedShuffler: a shuffler that another learner has initialised for smaller batches hands
// nothing to the server of the first.
func TestSharedShuffler(t *testing.T) {
	view := &bandit.View{Round: 1, Arms: 2, Dim: 2, X: []float64{1, 0, 0, 1}}
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for name, make := range map[string]func(batch int, s learner.Shuffler) *learner.Local{
		"amplified": func(batch int, s learner.Shuffler) *learner.Local {
			l := learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: budget, Batch: batch})
			l.Shuffler = s
			return l
		},
		"sums": func(batch int, s learner.Shuffler) *learner.Local {
			l := learner.NewShuffleVectorSum(learner.VectorSum{Budget: budget, Batch: batch})
			l.Shuffler = s
			return l
		},
	} {
		var shuffler learner.Shuffler = &learner.Uniform{}
		if name == "sums" {
			shuffler = &learner.BitSum{}
		}
		large, small := make(100, shuffler), make(4, shuffler)
		for _, l := range []*learner.Local{large, small} {
			if err := l.Init(plane, 200); err != nil {
				t.Fatal(err)
			}
		}
		large.Reset(random.New(1, 0, "own"), rand.NewPCG(1, 2))
		for range 4 {
			large.Update(view, large.Select(view, nil), []float64{1})
		}
		if err := large.Err(); err == nil || !strings.Contains(err.Error(), "after 4 of a batch of 100") {
			t.Errorf("%s: error %v, want one for a batch of 4 under noise for 100", name, err)
		}
	}
}
