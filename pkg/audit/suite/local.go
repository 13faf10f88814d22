package suite

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
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
		Name: name, Exact: Budget.Epsilon, Runs: likely(e),
		Problem: bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1},
		Worlds:  [2]audit.Stream{{first, later}, {replaced, later}},
		Of:      l,
		Transcript: func(run bandit.Run, _ int, dst []float64) []float64 {
			return append(dst, run.(*learner.LocalRun).Device().(*overheardReporter).message...)
		},
	}
}

// soundLocals audits the messages of the local learners by their likelihood, with later users whose
// arms are alike, so that messages do not depend on what they choose.
func soundLocals(e Effort) (items []audit.Item) {
	for _, item := range locals(e) {
		l := item.(audit.Learner)
		if l.Exact = 0; strings.Contains(l.Name, "vector sums") {
			items = append(items, vectorSums(l))
			continue
		}
		alike := audit.Round{X: l.Worlds[0][0].X, Rewards: l.Worlds[0][1].Rewards}
		l.Worlds[0][1], l.Worlds[1][1] = alike, alike
		items = append(items, byLikelihood(l))
	}
	return items
}

// locals audits the local learners by what runs show. A message of LDP LinUCB moves the most when
// the reward alone is turned around, one of OnlineUCB when the context is, too.
func locals(e Effort) []audit.Item {
	ldp, online := local.LDPNoise{Budget: Budget}, local.OnlineNoise{Budget: Budget}
	device, server := online.Combiner()
	rewards := audit.Round{X: []float64{1, 0, 1, 0}, Rewards: []float64{-1, -1}}
	both := audit.Round{X: []float64{-1, 0, -1, 0}, Rewards: []float64{-1, -1}}
	return []audit.Item{
		localItem(e, "LDP LinUCB: messages", rewards, learner.Local{Device: local.LDPDevice{Noise: ldp}, Server: local.LDPServer{Noise: ldp}}),
		localItem(e, "OnlineUCB: messages", both, learner.Local{Device: local.OnlineDevice{Noise: online}, Server: local.OnlineServer{Noise: online}}),
		weightedItem(e),
		localItem(e, "combiner: messages", both, learner.Local{Device: device, Server: server}),
		localItem(e, "shuffle LinUCB, amplified: messages", rewards, local.AmplifiedNoise{Budget: Budget, Batch: 4}.Learner()),
		vectorSumItem(e),
		logisticSumItem(e),
	}
}

// skewed is a server that learns nothing, and sends WeightedDevices of two dimensions the matrix
// that brings out the sign of a context's first number.
type skewed struct{}

// Open returns it.
func (s skewed) Open(bandit.Problem, int) (learner.CalibratedServer, error) { return s, nil }

// Start returns it.
func (s skewed) Start(*rand.Rand) learner.Receiver { return s }

// Receive ignores the message.
func (skewed) Receive(learner.Message) error { return nil }

// Broadcast returns diag(1, 1e-9), packed.
func (skewed) Broadcast() []float64 { return []float64{1, 0, 1e-9} }

// weightedItem audits the messages of information-weighted regression under a server that chooses
// the worst matrix: it turns the unit vector of a user's message around while her context hardly
// moves.
func weightedItem(e Effort) audit.Item {
	const small = 1e-3
	big := math.Sqrt(1 - float64(small*small))
	one, other := []float64{small, big, small, big}, []float64{-small, big, -small, big}
	l := localItem(e, "weighted regression: messages", audit.Round{X: other, Rewards: []float64{1, 1}},
		learner.Local{Device: local.WeightedDevice{Budget: Budget}, Server: skewed{}}).(audit.Learner)
	l.Worlds[0][0].X = one
	return l
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
func vectorSumItem(e Effort) audit.Item {
	l := local.VectorSum{Budget: Budget, Batch: 2, Levels: 16}.Learner()
	return sumsItem(e, "shuffle LinUCB, vector sums: sums", l, -1, 1)
}

// logisticSumItem is the same for logistic rewards. Users report their rows by an estimate of 0. A
// reward of 1/2 makes one without a reward, which needs no rounding, so that two entries move.
func logisticSumItem(e Effort) audit.Item {
	l := local.VectorSum{Budget: Budget, Batch: 2, Levels: 16}.Logistic(linear.Logistic{})
	return sumsItem(e, "shuffle logistic UCB, vector sums: sums", l, 0, 0.5)
}

// sumsItem audits a learner by vector sums, for rewards from low to 1.
func sumsItem(e Effort, name string, l learner.Local, low, reward float64) audit.Item {
	round := func(x, reward float64) audit.Round {
		return audit.Round{X: []float64{x, 1 - x, x, 1 - x}, Rewards: []float64{reward, reward}}
	}
	l.Server = received{l.Server}
	other := round(1, (low+1)/2)
	return audit.Learner{
		Name: name, Runs: likely(e),
		Problem: bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: low, RewardMax: 1},
		Worlds:  [2]audit.Stream{{round(1, reward), other, other}, {round(0, reward), other, other}},
		Of:      l,
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			if round == l.Batch {
				dst = append(dst, run.(*learner.LocalRun).Server().(*receivedRun).message...)
			}
			return dst
		},
	}
}

// vectorSums attacks the sums of vectorSumItem by their likelihood, under binomial noise of which
// each user draws a part.
//
// Exact is the epsilon of these sums, by their loss distribution. It is below what is proved, which
// also covers entries that rounding moves farther apart: no attack on these two worlds finds more.
func vectorSums(l audit.Learner) audit.Item {
	s := stage{l.Problem, l.Worlds}
	rounds := len(s.worlds[0])
	of := opened(l.Of.Open(l.Problem, rounds))
	release := func(world int, source rand.Source, out []float64) ([]float64, error) {
		run := start(of, source)
		err := s.rounds(run, world, rounds, func(t int) error {
			out = l.Transcript(run, t, out)
			return nil
		})
		return out, err
	}
	var law privacy.Law // of a user's bits, as they are drawn
	users := rounds - 1
	var without [2][]float64
	for w := range without {
		without[w] = opened(release(w, privacy.Script(func(of privacy.Law, dst []float64) {
			clear(dst)
			if of.Kind == "binomial" {
				law = of
			}
		}), nil))
	}
	bits := binomial{users * int(law.Shape), law.Scale}
	logs := make([]float64, bits.trials+1)
	for k := range logs {
		logs[k] = bits.log(k)
	}
	var moves []int
	for i, v := range without[0] {
		if move := int(v - without[1][i]); move != 0 {
			moves = append(moves, move)
		}
	}
	about, err := l.About()
	must(err)
	return audit.Likelihood{
		Name: l.Name, Claim: about.Claim, Curve: about.Curve, Exact: bits.epsilon(moves, about.Claim.Delta), Runs: l.Runs,
		Outputs: len(without[0]),
		Density: func(world int, out []float64) (sum float64) {
			for i, v := range out {
				k := int(v - without[world][i])
				if k < 0 || k > bits.trials {
					return math.Inf(-1)
				}
				sum += logs[k]
			}
			return sum
		},
		Release: func(world int, source rand.Source, out []float64) error {
			_, err := release(world, source, out[:0])
			return err
		},
	}
}

// binomial is the law of the number of ones among bits that are 1 with probability p.
type binomial struct {
	trials int
	p      float64
}

// log returns the logarithm of the probability of k ones.
func (b binomial) log(k int) float64 {
	n, x := float64(b.trials), float64(k)
	return portable.Lgamma(n+1) - portable.Lgamma(x+1) - portable.Lgamma(n-x+1) +
		float64(x*portable.Log(b.p)) + float64((n-x)*portable.Log(1-b.p))
}

// epsilon returns the epsilon at delta of sums of bits, each under binomial noise of its own, that
// are moved by so many bits from one world to the other. Losses are rounded up by at most a
// thousandth each.
func (b binomial) epsilon(moves []int, delta float64) float64 {
	const step, most = 1e-3, 1 << 14 // the largest loss is 16
	trials, mass := b.trials, make([]float64, b.trials+1)
	for k := range mass {
		mass[k] = portable.Exp(b.log(k))
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
