package suite

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// overheard is a device whose last message the server, or whoever listens, keeps.
type overheard struct{ learner.Device }

// overheardDevice is an overheard for a problem.
type overheardDevice struct{ learner.CalibratedDevice }

// overheardReporter is what runs on the devices.
type overheardReporter struct {
	learner.Reporter
	message learner.Message
}

// Open opens the device.
func (o overheard) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	d, err := o.Device.Open(p, horizon)
	return &overheardDevice{d}, err
}

// Plan returns the device's: what is kept is the message as it was sent.
func (o *overheardDevice) Plan(records int) privacy.Plan {
	return privacy.PlanOf(o.CalibratedDevice, records).HeldBy(o)
}

// Start starts the device.
func (o *overheardDevice) Start() learner.Reporter {
	return &overheardReporter{Reporter: o.CalibratedDevice.Start()}
}

// Report reports, and keeps the message.
func (o *overheardReporter) Report(broadcast, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	m, err := o.Reporter.Report(broadcast, x, y, noise, dst)
	o.message = append(o.message[:0], m[len(dst):]...)
	return m, err
}

// localItem audits what leaves the devices of a local learner: the messages of all users, of which
// the first one's context and reward are replaced by those that a message tells best from them, and
// the later users' actions. Both arms are alike in her round, so that her choice says nothing.
func localItem(e Effort, name string, replaced audit.Round, l learner.Local) audit.Item {
	first := audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{1, 1}}
	later := audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{0, 0}}
	l.Device = overheard{l.Device}
	return audit.Learner{
		Name: name, Exact: Budget.Epsilon, Runs: pick(e, 20_000, 100_000, 1_000_000),
		Problem: bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		Worlds:  [2]audit.Stream{{first, later}, {replaced, later}},
		Of:      l,
		Transcript: func(run bandit.Run, _ int, dst []float64) []float64 {
			return append(dst, run.(*learner.LocalRun).Device().(*overheardReporter).message...)
		},
	}
}

// soundLocals audits the local learners. A message of LDP LinUCB moves the most when the reward
// alone is turned around, one of OnlineUCB when the context is, too.
func soundLocals(e Effort) []audit.Item {
	ldp, online := learner.LDPNoise{Budget: Budget}, learner.OnlineNoise{Budget: Budget}
	device, server := learner.NewCombiner(online)
	rewards := audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{-1, -1}}
	both := audit.Round{X: []float64{-1, 0, -1, 0}, Rewards: []float64{-1, -1}}
	return []audit.Item{
		localItem(e, "LDP LinUCB: messages", rewards, learner.Local{Device: learner.LDPDevice{Noise: ldp}, Server: learner.LDPServer{Noise: ldp}}),
		localItem(e, "OnlineUCB: messages", both, learner.Local{Device: learner.OnlineDevice{Noise: online}, Server: learner.OnlineServer{Noise: online}}),
		localItem(e, "combiner: messages", both, learner.Local{Device: device, Server: server}),
		localItem(e, "shuffle LinUCB, amplified: messages", rewards, learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: Budget, Batch: 4})),
		vectorSumItem(e),
	}
}

// received is a server whose last message, or whoever reads it on the way from the shuffler, is
// kept.
type received struct{ learner.Server }

// receivedServer is a received for a problem.
type receivedServer struct{ learner.CalibratedServer }

// receivedRun is a received in one trial.
type receivedRun struct {
	learner.Receiver
	message learner.Message
}

// Open opens the server.
func (r received) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	s, err := r.Server.Open(p, horizon)
	return receivedServer{s}, err
}

// Start begins a run.
func (r receivedServer) Start(own *rand.Rand) learner.Receiver {
	return &receivedRun{Receiver: r.CalibratedServer.Start(own)}
}

// Receive keeps the message, and hands it on.
func (r *receivedRun) Receive(m learner.Message) error {
	r.message = append(r.message[:0], m...)
	return r.Receiver.Receive(m)
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
	l := learner.NewShuffleVectorSum(learner.VectorSum{Budget: Budget, Batch: batch})
	l.Server = received{l.Server}
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	device, err := l.Device.Open(problem, batch+1)
	must(err)
	exact := 0.0
	for _, d := range privacy.PlanOf(device, 1).Draws {
		if law := d.Law; law.Kind == "binomial" {
			exact = binomialEpsilon(batch*int(law.Shape), law.Scale, []int{4, -4, 2, -2}, Budget.Delta) // of 4 levels
		}
	}
	return audit.Learner{
		Name: "shuffle LinUCB, vector sums: sums", Exact: exact, Runs: pick(e, 60_000, 400_000, 2_000_000), Problem: problem,
		Worlds: [2]audit.Stream{{round(1, 1), round(1, 0), round(1, 0)}, {round(0, 1), round(1, 0), round(1, 0)}},
		Of:     l,
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			if round == batch {
				dst = append(dst, run.(*learner.LocalRun).Server().(*receivedRun).message...)
			}
			return dst
		},
	}
}

// binomialEpsilon returns the epsilon at delta of sums of bits, each under binomial noise of its
// own, that are moved by so many bits from one world to the other. Losses are rounded up by at most
// a thousandth each.
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
