package suite

import (
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// overheard is a device whose last message the server, or whoever listens, keeps.
type overheard struct {
	learner.Device
	message learner.Message
}

// Report reports, and keeps the message.
func (o *overheard) Report(broadcast, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	m, err := o.Device.Report(broadcast, x, y, noise, dst)
	o.message = append(o.message[:0], m[len(dst):]...)
	return m, err
}

// Plan returns the device's: what is kept is the message as it was sent.
func (o *overheard) Plan(records int) privacy.Plan {
	return privacy.PlanOf(o.Device, records).HeldBy(o)
}

// localItem audits what leaves the devices of a local learner: the messages of all users, of which
// the first one's context and reward are replaced by those that a message tells best from them, and
// the later users' actions. Both arms are alike in her round, so that her choice says nothing.
func localItem(e Effort, name string, replaced audit.Round, halves func() *learner.Local) audit.Item {
	first := audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{1, 1}}
	later := audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{0, 0}}
	return audit.Learner{
		Name: name, Exact: Budget.Epsilon, Runs: pick(e, 20_000, 100_000, 1_000_000),
		Problem: bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		Worlds:  [2]audit.Stream{{first, later}, {replaced, later}},
		New: func() bandit.Learner {
			l := halves()
			l.Device = &overheard{Device: l.Device}
			return l
		},
		Transcript: func(l bandit.Learner, _ int, dst []float64) []float64 {
			return append(dst, l.(*learner.Local).Device.(*overheard).message...)
		},
	}
}

// soundLocals audits the local learners. A message of LDP LinUCB moves the most when the reward
// alone is turned around, one of OnlineUCB when the context is, too.
func soundLocals(e Effort) []audit.Item {
	return []audit.Item{
		localItem(e, "LDP LinUCB: messages", audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{-1, -1}}, func() *learner.Local {
			n := learner.LDPNoise{Budget: Budget}
			return &learner.Local{Device: &learner.LDPDevice{Noise: n}, Server: &learner.LDPServer{Noise: n}}
		}),
		localItem(e, "OnlineUCB: messages", audit.Round{X: []float64{-1, 0, -1, 0}, Rewards: []float64{-1, -1}}, func() *learner.Local {
			n := learner.OnlineNoise{Budget: Budget}
			return &learner.Local{Device: &learner.OnlineDevice{Noise: n}, Server: &learner.OnlineServer{Noise: n}}
		}),
		localItem(e, "combiner: messages", audit.Round{X: []float64{-1, 0, -1, 0}, Rewards: []float64{-1, -1}}, func() *learner.Local {
			device, server := learner.NewCombiner(learner.OnlineNoise{Budget: Budget})
			return &learner.Local{Device: device, Server: server}
		}),
		localItem(e, "shuffle LinUCB, amplified: messages", audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{-1, -1}}, func() *learner.Local {
			return learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: Budget, Batch: 4})
		}),
		vectorSumItem(e),
	}
}

// received is a server whose last message, or whoever reads it on the way from the shuffler, is
// kept.
type received struct {
	learner.Server
	message learner.Message
}

// Receive keeps the message, and hands it on.
func (r *received) Receive(m learner.Message) error {
	r.message = append(r.message[:0], m...)
	return r.Server.Receive(m)
}

// vectorSumItem audits what the shuffler of bits lets out for a batch of two users, of whom the
// first one's reward is turned around.
func vectorSumItem(e Effort) audit.Item {
	const batch = 2
	round := func(reward float64) audit.Round {
		return audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{reward, reward}}
	}
	return audit.Learner{
		Name: "shuffle LinUCB, vector sums: sums", Runs: pick(e, 20_000, 100_000, 1_000_000),
		Problem: bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		Worlds:  [2]audit.Stream{{round(1), round(0), round(0)}, {round(-1), round(0), round(0)}},
		New: func() bandit.Learner {
			l := learner.NewShuffleVectorSum(learner.VectorSum{Budget: Budget, Batch: batch})
			l.Server = &received{Server: l.Server}
			return l
		},
		Transcript: func(l bandit.Learner, round int, dst []float64) []float64 {
			if round == batch {
				dst = append(dst, l.(*learner.Local).Server.(*received).message...)
			}
			return dst
		},
	}
}
