package learner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Message is what leaves a user's device: numbers that are randomised or public. It never holds a
// raw context, reward or arm.
type Message []float64

// Device describes the half of a local learner that runs on the users' devices and sees raw data:
// tuning, and nothing else.
//
// Its privacy claim must hold for every broadcast: the server is not trusted, and may choose
// broadcasts to learn as much as it can. To write a device, compute the message from the clipped
// (x, y) and the noise alone. Whatever depends only on messages and broadcasts is the server's
// work.
type Device interface {
	// Open validates and calibrates.
	Open(p bandit.Problem, horizon int) (CalibratedDevice, error)
}

// CalibratedDevice is a device that knows its problem. It never changes; all trials share it.
type CalibratedDevice interface {
	// Plan returns what a message shows of its user: the local model, her (context, reward)
	// replaced. Its Draws are the noise in one message.
	privacy.Planner
	// Start returns what runs on the devices, and allocates.
	Start() Reporter
}

// Reporter is what runs on the devices. One value plays all devices in turn, one user a round, so
// it must keep nothing from one call to the next except its work space.
type Reporter interface {
	// Act returns the arm to play. A malformed broadcast or view (a wrong length, a NaN) is an error
	// and changes nothing.
	Act(broadcast []float64, v *bandit.View) (arm int, err error)
	// Report appends the message about a played arm's context x and reward y to dst. It clips both to
	// the problem's bounds and randomises them. It neither writes to x nor keeps it. Malformed data,
	// or a malformed part of the broadcast that it reads, is an error; no noise is drawn then.
	Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error)
}

// Server describes the half of a local learner that runs where nobody is trusted: tuning, and
// nothing else. It sees messages and nothing else, so all that it does is post-processing. Keep its
// type in a file of its own: a test searches that file for raw data.
type Server interface {
	// Open validates, and does what all trials share.
	Open(p bandit.Problem, horizon int) (CalibratedServer, error)
}

// CalibratedServer is a server that knows its problem. It never changes; all trials share it.
type CalibratedServer interface {
	// Start begins a run, and allocates. The server's own choices draw from own. A run that cannot
	// begin says so in its first Receive.
	Start(own *rand.Rand) Receiver
}

// Receiver is a server in one trial.
type Receiver interface {
	// Receive takes in a message; it may not keep the slice. A malformed message changes nothing, and
	// the error names the value and its bound.
	Receive(m Message) error
	// Broadcast returns what the next round's device is told. The receiver owns the slice, which is
	// valid until the next Receive.
	Broadcast() []float64
}

// ShufflePlanner is a CalibratedDevice whose messages are made for a trusted shuffler that mixes a
// batch of them. A device without this method has the plan of the local model, whatever the
// shuffler.
type ShufflePlanner interface {
	CalibratedDevice
	// ShuffledPlan returns what a message shows once s has mixed a batch: if the shuffler is what
	// makes it private, in the privacy.Shuffled model and with the scope privacy.AllOutputs. It is an
	// error if the messages are made for another kind of shuffler or another batch size. Without a
	// shuffler s is nil and batch is 1; then only the error counts, and the device's Plan holds.
	ShuffledPlan(s Shuffler, batch int) (privacy.Plan, error)
}

// Shuffler describes what stands between devices and server and hides who sent what in a batch of
// messages. [Uniform] is the shuffler of the shuffle model. [BitSum] passes on no more than the
// batch's sum, as if each message were a bag of bits and the bits were shuffled one by one.
type Shuffler interface {
	// Check validates a batch size.
	Check(batch int) error
	// Start begins a run over batches of a size that has passed Check.
	Start(batch int, noise *privacy.Noise) Mixer
	// Drawn returns the randomness that a run uses for a number of messages.
	Drawn(batch, messages int) []privacy.Draws
}

// Mixer is a shuffler in one trial.
type Mixer interface {
	// Collect takes a copy of a message. The last message of a batch makes it hand the batch to the
	// server.
	Collect(m Message, to Receiver) error
}

// Local describes a bandit.Learner by a device, a server and, in the shuffle model, a shuffler
// between them. In each round the server's broadcast goes to the device, which selects the arm;
// then the device reports, and the server receives the message, at once or with its batch. A batch
// that is incomplete when the run ends never reaches the server.
//
// Trust model: local without a batch, so nobody but the user sees her context, arm and reward; with
// a batch, the device's plan says what the shuffler adds. Neighbouring relation: one user's
// (context, reward) is replaced, and each round is another user.
type Local struct {
	Device   Device
	Server   Server
	Batch    int      // messages that are shuffled together; 0 or 1: each goes to the server at once
	Shuffler Shuffler // nil means Uniform{}; used if Batch > 1
}

// calibratedLocal is a Local for a problem.
type calibratedLocal struct {
	problem  bandit.Problem
	device   CalibratedDevice
	server   CalibratedServer
	shuffler Shuffler // nil without a batch
	batch    int
	plan     privacy.Plan
}

// LocalRun is a [Local] in one trial.
type LocalRun struct {
	*calibratedLocal
	failed   error // why the run could not begin, or had to end
	reporter Reporter
	server   gate
	mixer    Mixer // nil without a batch
	noise    *privacy.Noise
	message  Message
	messages int
	long     int // contexts beyond their norm
	outside  int // rewards out of their range
}

var (
	_ bandit.Learner  = Local{}
	_ privacy.Planner = (*calibratedLocal)(nil)
	_ bandit.Warner   = (*LocalRun)(nil)
	_ privacy.Planner = (*LocalRun)(nil)
)

// Open opens the device and the server. It refuses a server from which a device, a learner or noise
// can be reached, and a device's plan that counts on a shuffler that is not there. What it returns
// is a privacy.Planner, and starts runs of type *LocalRun.
func (l Local) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := errors.Join(field.Check("learner: Local.Device", l.Device), field.Check("learner: Local.Server", l.Server)); err != nil {
		return nil, err
	}
	if l.Batch < 0 {
		return nil, fmt.Errorf("learner: Local.Batch = %d, want >= 1, or 0 for 1", l.Batch)
	}
	if err := ellipsoid.Check("Local", p, horizon); err != nil {
		return nil, err
	}
	if err := checkServer(l.Server); err != nil {
		return nil, err
	}
	ready := &calibratedLocal{problem: p, batch: max(l.Batch, 1)}
	var err error
	if ready.device, err = l.Device.Open(p, horizon); err == nil {
		err = checks.Opened("Local.Device", l.Device, ready.device)
	}
	if err != nil {
		return nil, err
	}
	if ready.server, err = l.Server.Open(p, horizon); err == nil {
		err = checks.Opened("Local.Server", l.Server, ready.server)
	}
	if err != nil {
		return nil, err
	}
	if err := checkServer(ready.server); err != nil {
		return nil, err
	}
	if ready.batch > 1 {
		if ready.shuffler = l.Shuffler; l.Shuffler == nil {
			ready.shuffler = Uniform{}
		}
		if err := field.Check("learner: Local.Shuffler", ready.shuffler); err != nil {
			return nil, err
		}
		if err := ready.shuffler.Check(ready.batch); err != nil {
			return nil, err
		}
	}
	ready.plan = privacy.PlanOf(ready.device, privacy.All)
	if d, ok := ready.device.(ShufflePlanner); ok {
		mixed, err := d.ShuffledPlan(ready.shuffler, ready.batch)
		if err != nil {
			return nil, err
		}
		if ready.shuffler != nil {
			ready.plan = mixed.Of(d)
		}
	}
	if err := checkMixed(ready.plan, ready.shuffler, ready.batch); err != nil {
		return nil, err
	}
	return ready, nil
}

// checkMixed refuses a device's plan that is no plan of one message, and one that counts on a
// shuffler that is not there. Only those of this package mix what they are given.
func checkMixed(p privacy.Plan, by Shuffler, batch int) error {
	if !p.Held() {
		return nil
	}
	message := p.Model == privacy.Local && p.Scope == privacy.OneMessage
	if mixed := p.Batch(); mixed > 1 {
		_, sums := by.(BitSum)
		if _, mixes := by.(Uniform); !sums && !mixes {
			return fmt.Errorf("learner: a plan of %d messages that are mixed, by a shuffler of type %T, want Uniform or BitSum", mixed, by)
		}
		if p.Adds() && !sums {
			return fmt.Errorf("learner: a plan of %d messages whose noise adds up, by a shuffler of type %T, want BitSum: it hands on each message", mixed, by)
		}
		if mixed != batch {
			return fmt.Errorf("learner: a plan of %d messages that are mixed, and batches of %d", mixed, batch)
		}
		message = message || p.Model == privacy.Shuffled && p.Scope == privacy.AllOutputs
	}
	if !message {
		return fmt.Errorf("learner: the plan of a device is in the %v model and covers %v, want the local model and one message", p.Model, p.Scope)
	}
	return p.Accounted()
}

// Start begins a run. The devices and the shuffler draw from noise; the server gets none of it.
func (l *calibratedLocal) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	r := &LocalRun{calibratedLocal: l, noise: privacy.NewNoise(noise), reporter: l.device.Start()}
	r.server = gate{Receiver: l.server.Start(own), of: r}
	r.failed = errors.Join(
		field.Check(fmt.Sprintf("learner: what a %T starts as", l.device), r.reporter),
		field.Check(fmt.Sprintf("learner: what a %T starts as", l.server), r.server.Receiver))
	if r.failed == nil {
		r.failed = checkServer(r.server.Receiver)
	}
	if l.shuffler != nil {
		r.mixer = l.shuffler.Start(l.batch, r.noise)
		r.failed = errors.Join(r.failed, field.Check(fmt.Sprintf("learner: what a %T starts as", l.shuffler), r.mixer))
	}
	return r
}

// Device returns what runs on the devices, for a look inside.
func (l *LocalRun) Device() Reporter { return l.reporter }

// Server returns the server of the run, for a look inside.
func (l *LocalRun) Server() Receiver { return l.server.Receiver }

// Released appends to dst what has left the last user's device: 1, and her message. Under a
// shuffler nobody sees a single message, and it is an error.
func (l *LocalRun) Released(dst []float64) ([]float64, error) {
	if l.mixer != nil {
		return dst, errors.New("learner: a shuffler mixes the messages: none of them is released by itself")
	}
	return append(append(dst, 1), l.message...), nil
}

// Broadcast returns what the server tells the next round's device.
func (l *LocalRun) Broadcast() []float64 { return l.server.Broadcast() }

// Select appends the arm that the device chooses from the server's broadcast.
func (l *LocalRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if l.failed != nil {
		return dst, l.failed
	}
	arm, err := l.reporter.Act(l.server.Broadcast(), v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}

// Explain appends what the device chooses by, if it is an [Explainer]. It is computed from the
// server's broadcast and from the view, and nothing of it leaves the device.
func (l *LocalRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	switch {
	case l.failed != nil:
		return dst, l.failed
	case !v.Fits(&l.problem):
		return dst, checks.InRound(v.Round, l.problem.CheckView(v))
	}
	return checks.Explain(l.reporter, l.server.Broadcast(), v, dst)
}

// Update makes the device report the context and the reward of the arm played.
func (l *LocalRun) Update(v *bandit.View, arms []int, y []float64) error {
	if err := l.learn(v, arms, y); err != nil {
		return fmt.Errorf("learner: round %d: %w", v.Round, err)
	}
	return nil
}

func (l *LocalRun) learn(v *bandit.View, arms []int, y []float64) error {
	if l.failed != nil {
		return l.failed
	}
	if !v.Fits(&l.problem) {
		return l.problem.CheckView(v)
	}
	if len(arms) != 1 || len(y) != 1 || uint(arms[0]) >= uint(v.Arms) {
		return l.problem.CheckArms(v, arms, y)
	}
	x := v.Row(arms[0])
	m, err := l.reporter.Report(l.server.Broadcast(), x, y[0], l.noise, l.message[:0])
	if err != nil {
		return err
	}
	l.message = m
	l.messages++
	l.count(x, y[0])
	if l.mixer != nil {
		l.failed = l.mixer.Collect(m, &l.server)
	} else {
		l.failed = l.server.Receive(m)
	}
	return l.failed // the message is sent, and would come a second time
}

// count counts what a device clips, for the simulation's warnings. No message carries these counts.
func (l *LocalRun) count(x []float64, y float64) {
	var square float64
	for _, v := range x {
		square += float64(v * v)
	}
	if packed.Beyond(square, l.problem.ContextNorm) {
		l.long++
	}
	if y < l.problem.RewardMin || y > l.problem.RewardMax {
		l.outside++
	}
}

// Check refuses a message of another length than size, or with a number that is not finite
// or beyond bound, the largest that an honest device sends. A Receiver calls it first.
func (m Message) Check(size int, bound float64) error {
	if len(m) != size {
		return fmt.Errorf("learner: a message of %d numbers, want %d", len(m), size)
	}
	most := math.Float64bits(bound)
	for i, v := range m {
		if math.Float64bits(math.Abs(v)) > most { // as whole numbers, where a NaN is above all others
			return fmt.Errorf("learner: number %d of a message is %v, want in [-%.6g, %.6g]", i, v, bound, bound)
		}
	}
	return nil
}

// planned returns the device's plan, or with a batch its plan behind the shuffler, with the draws
// of a number of messages. Each user sends one message, so the plan is the same for any number of
// records above 0. The shuffler draws, too.
func (l *calibratedLocal) planned(records, messages int) privacy.Plan {
	p := l.plan.Repeated(messages)
	if l.shuffler != nil {
		p.Draws = append(p.Draws, l.shuffler.Drawn(l.batch, messages)...)
	}
	return p.Times(min(records, 1))
}

// Plan returns what each run shows of a user.
func (l *calibratedLocal) Plan(records int) privacy.Plan { return l.planned(records, 0).HeldBy(l) }

// Plan returns what the run shows of a user, with the draws so far.
func (l *LocalRun) Plan(records int) privacy.Plan { return l.planned(records, l.messages).HeldBy(l) }

// Warnings counts what the devices clipped, and adds the server's own warnings.
func (l *LocalRun) Warnings() []bandit.Warning {
	var w []bandit.Warning
	if l.long > 0 {
		w = append(w, bandit.Warning{What: "contexts longer than their bound, clipped on the device", Count: l.long})
	}
	if l.outside > 0 {
		w = append(w, bandit.Warning{What: "rewards out of their range, clipped on the device", Count: l.outside})
	}
	return append(w, bandit.Warnings(l.server.Receiver)...)
}
