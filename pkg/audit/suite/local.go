package suite

import (
	"maps"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
// first one's context is replaced by one at a right angle. Of entries that need no rounding, that
// moves four by the most levels: two of x x^T by all, two of y x by half.
//
// Exact is the epsilon of these sums, by their loss distribution. It is below what is proved, which
// also covers entries that rounding moves farther apart: no attack on these two worlds finds more.
func vectorSumItem(e Effort) audit.Item {
	const batch = 2
	round := func(x, reward float64) audit.Round {
		return audit.Round{X: []float64{x, 1 - x, x, 1 - x}, Rewards: []float64{reward, reward}}
	}
	fresh := func() *learner.Local {
		return learner.NewShuffleVectorSum(learner.VectorSum{Budget: Budget, Batch: batch})
	}
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	l := fresh()
	must(l.Init(problem, batch+1))
	exact := 0.0
	for _, d := range privacy.PlanOf(l.Device, 1).Draws {
		if law := d.Law; law.Kind == "binomial" {
			exact = binomialEpsilon(batch*int(law.Shape), law.Scale, []int{4, -4, 2, -2}, Budget.Delta) // of 4 levels
		}
	}
	return audit.Learner{
		Name: "shuffle LinUCB, vector sums: sums", Exact: exact, Runs: pick(e, 60_000, 400_000, 2_000_000), Problem: problem,
		Worlds: [2]audit.Stream{{round(1, 1), round(1, 0), round(1, 0)}, {round(0, 1), round(1, 0), round(1, 0)}},
		New: func() bandit.Learner {
			l := fresh()
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

// binomialEpsilon returns the epsilon at delta of sums of bits, each under binomial noise of its own,
// that are moved by so many bits from one world to the other. Losses are rounded up by at most a
// thousandth each.
func binomialEpsilon(trials int, p float64, moves []int, delta float64) float64 {
	const step, most = 1e-3, 1 << 14 // the largest loss is 16
	mass := make([]float64, trials+1)
	for k := range mass {
		n, x := float64(trials), float64(k)
		mass[k] = portable.Exp(portable.Lgamma(n+1) - portable.Lgamma(x+1) - portable.Lgamma(n-x+1) +
			float64(x*portable.Log(p)) + float64((n-x)*portable.Log(1-p)))
	}
	losses := map[int]float64{0: 1} // probabilities by loss/step
	shown := 0.0                    // probability that all is shown
	for _, move := range moves {
		next, sums := map[int]float64{}, slices.Sorted(maps.Keys(losses))
		for k, q := range mass {
			other := k + move
			if q < 1e-14 || other < 0 || other > trials || mass[other] == 0 {
				shown += q
				continue
			}
			at := int(math.Ceil(portable.Log(q/mass[other]) / step))
			for _, sum := range sums {
				next[min(max(sum+at, -most), most)] += float64(losses[sum] * q)
			}
		}
		losses = next
	}
	excess := func(epsilon float64) (d float64) {
		for _, at := range slices.Sorted(maps.Keys(losses)) {
			if loss := float64(float64(at) * step); loss > epsilon {
				d -= float64(losses[at] * portable.Expm1(epsilon-loss))
			}
		}
		return d + shown
	}
	lo, hi := 0.0, 16.0
	for range 40 {
		if mid := float64((lo + hi) / 2); excess(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
