package learner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Message is what leaves a user's device: numbers that are randomised or public. It never holds a
// raw context, reward or arm.
type Message []float64

// Device is the half of a local learner that runs on the users' devices and sees raw data. One
// value plays all devices in turn, one user a round, so it must keep nothing from one call to the
// next except its tuning and work space.
//
// Its privacy claim must hold for every broadcast: the server is not trusted, and may choose
// broadcasts to learn as much as it can. To write a device, compute the message from the clipped
// (x, y) and the noise alone. Whatever depends only on messages and broadcasts is the server's
// work.
type Device interface {
	// Init validates and allocates.
	Init(p bandit.Problem, horizon int) error
	// Act returns the arm to play. A malformed broadcast or view (a wrong length, a NaN) is an error
	// and changes nothing.
	Act(broadcast []float64, v *bandit.View) (arm int, err error)
	// Report appends the message about a played arm's context x and reward y to dst. It clips both to
	// the problem's bounds and randomises them. It neither writes to x nor keeps it. Malformed data,
	// or a malformed part of the broadcast that it reads, is an error; no noise is drawn then.
	Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error)
	// Plan returns what a message shows of its user: the local model, her (context, reward)
	// replaced. Its Draws are the noise in one message.
	privacy.Planner
}

// Server is the half of a local learner that runs where nobody is trusted. It sees messages and
// nothing else, so all that it does is post-processing. Keep its type in a file of its own: a test
// searches that file for raw data.
type Server interface {
	// Init validates and allocates.
	Init(p bandit.Problem, horizon int) error
	// Reset forgets everything, before each trial. The server's own choices draw from own.
	Reset(own *rand.Rand)
	// Receive takes in a message; it may not keep the slice. A malformed message changes nothing, and
	// the error names the value and its bound.
	Receive(m Message) error
	// Broadcast returns what the next round's device is told. The server owns the slice, which is
	// valid until the next Receive or Reset.
	Broadcast() []float64
}

// ShufflePlanner is a Device whose messages are made for a trusted shuffler that mixes a batch of
// them. A device without this method has the plan of the local model, whatever the shuffler.
type ShufflePlanner interface {
	// ShuffledPlan returns what a message shows once s has mixed a batch. It is an error if the
	// messages are made for another kind of shuffler or another batch size. Without a shuffler s is
	// nil and batch is 1; then only the error counts, and the device's Plan holds.
	ShuffledPlan(s Shuffler, batch int) (privacy.Plan, error)
}

// Shuffler stands between devices and server and hides who sent what in a batch of messages.
// [Uniform] is the shuffler of the shuffle model. [BitSum] passes on no more than the batch's sum,
// as if each message were a bag of bits and the bits were shuffled one by one.
type Shuffler interface {
	// Init validates and allocates.
	Init(batch int) error
	// Reset forgets the messages that it holds.
	Reset(noise *privacy.Noise)
	// Collect takes a copy of a message. The last message of a batch makes it hand the batch to the
	// server.
	Collect(m Message, to Server) error
	// Drawn returns the randomness used for a number of messages.
	Drawn(messages int) []privacy.Draws
}

// Local makes a bandit.Learner of a device, a server and, in the shuffle model, a shuffler between
// them. In each round the server's broadcast goes to the device, which selects the arm; then the
// device reports, and the server receives the message, at once or with its batch. A batch that is
// incomplete when the run ends never reaches the server.
//
// Trust model: local without a batch, so nobody but the user sees her context, arm and reward; with
// a batch, the device's plan says what the shuffler adds. Neighbouring relation: one user's
// (context, reward) is replaced, and each round is another user.
type Local struct {
	Device   Device
	Server   Server
	Batch    int      // messages that are shuffled together; 0 or 1: each goes to the server at once
	Shuffler Shuffler // nil means &Uniform{}; used if Batch > 1

	bandit.Base
	device   Device // the parts as they were in Init
	server   gate
	shuffler Shuffler // nil without a batch
	problem  bandit.Problem
	plan     privacy.Plan
	noise    *privacy.Noise
	message  Message
	batch    int
	messages int
	long     int // contexts beyond their norm
	outside  int // rewards out of their range
}

var (
	_ bandit.Learner  = (*Local)(nil)
	_ privacy.Planner = (*Local)(nil)
)

// Init validates and initialises the device, the server and the shuffler. It refuses a server that
// holds a pointer to a device, a learner or noise.
func (l *Local) Init(p bandit.Problem, horizon int) error {
	if err := errors.Join(field.Check("learner: Local.Device", l.Device), field.Check("learner: Local.Server", l.Server)); err != nil {
		return err
	}
	if l.Batch < 0 {
		return fmt.Errorf("learner: Local.Batch = %d, want >= 1, or 0 for 1", l.Batch)
	}
	if err := checkLinear("Local", p, horizon); err != nil {
		return err
	}
	l.device, l.shuffler, l.plan = nil, nil, privacy.Plan{} // until all is well
	device, server, batch := l.Device, l.Server, max(l.Batch, 1)
	if err := device.Init(p, horizon); err != nil {
		return err
	}
	if err := server.Init(p, horizon); err != nil {
		return err
	}
	if err := checkServer(server); err != nil {
		return err
	}
	var by Shuffler
	if batch > 1 {
		if l.Shuffler == nil {
			l.Shuffler = &Uniform{}
		}
		if err := field.Check("learner: Local.Shuffler", l.Shuffler); err != nil {
			return err
		}
		if err := l.Shuffler.Init(batch); err != nil {
			return err
		}
		by = l.Shuffler
	}
	plan := privacy.PlanOf(device, privacy.All)
	if d, ok := device.(ShufflePlanner); ok {
		mixed, err := d.ShuffledPlan(by, batch)
		if err != nil {
			return err
		}
		if by != nil {
			plan = privacy.Own(device, mixed)
		}
	}
	if err := checkMixed(plan, by, batch); err != nil {
		return err
	}
	l.problem, l.plan, l.batch = p, plan, batch
	l.device, l.shuffler, l.server = device, by, gate{Server: server, of: l}
	return nil
}

// checkShuffler refuses a batch or a shuffler that a device's messages are not made for.
func checkShuffler[S Shuffler](noise string, size int, s Shuffler, batch int) error {
	if batch != size {
		return fmt.Errorf("learner: batches of %d messages, want %s.Batch = %d", batch, noise, size)
	}
	if made, ok := s.(S); batch > 1 && !ok {
		return fmt.Errorf("learner: messages under %s in a shuffler of type %T, want %T, for which they are made", noise, s, made)
	}
	return nil
}

// checkMixed refuses a device's plan that is no plan of one message, and one that counts on a
// shuffler that is not there. Only those of this package mix what they are given.
func checkMixed(p privacy.Plan, by Shuffler, batch int) error {
	if !p.Held() {
		return nil
	}
	message := p.Model == privacy.Local && p.Scope == privacy.OneMessage
	if mixed := p.Batch(); mixed > 1 {
		switch by.(type) {
		case *Uniform, *BitSum:
		default:
			return fmt.Errorf("learner: a plan of %d messages that are mixed, by a shuffler of type %T, want *Uniform or *BitSum", mixed, by)
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

// shuffled returns the plan of messages that are private because a shuffler mixes a batch of them.
func shuffled(p privacy.Plan, conditions ...string) privacy.Plan {
	p.Model, p.Scope, p.Conditions = privacy.Shuffled, privacy.AllOutputs, append(p.Conditions, conditions...)
	return p
}

// Reset resets the server and empties the shuffler. The devices and the shuffler draw from noise;
// the server gets none of it.
func (l *Local) Reset(own *rand.Rand, noise rand.Source) {
	l.Clear()
	l.messages, l.long, l.outside = 0, 0, 0
	l.noise = privacy.NewNoise(noise)
	l.server.Reset(own)
	if l.shuffler != nil {
		l.shuffler.Reset(l.noise)
	}
}

// Select appends the arm that the device chooses from the server's broadcast.
func (l *Local) Select(v *bandit.View, dst []int) []int {
	arm, err := l.device.Act(l.server.Broadcast(), v)
	if err != nil {
		l.Fail(err)
		arm = 0
	}
	return append(dst, arm)
}

// Update makes the device report the context and the reward of the arm played.
func (l *Local) Update(v *bandit.View, arms []int, y []float64) {
	if err := l.learn(v, arms, y); err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
	}
}

func (l *Local) learn(v *bandit.View, arms []int, y []float64) error {
	switch {
	case v.Dim != l.problem.Dim:
		return fmt.Errorf("contexts of dimension %d, want %d", v.Dim, l.problem.Dim)
	case len(arms) != 1 || len(y) != 1:
		return fmt.Errorf("%d arms and %d rewards in Update, want 1 and 1", len(arms), len(y))
	case arms[0] < 0 || arms[0] >= v.Arms:
		return fmt.Errorf("arm %d in Update, want in [0, %d)", arms[0], v.Arms)
	case len(v.X) < v.Arms*v.Dim:
		return fmt.Errorf("%d numbers in View.X, want Arms x Dim = %d", len(v.X), v.Arms*v.Dim)
	}
	x := v.Row(arms[0])
	m, err := l.device.Report(l.server.Broadcast(), x, y[0], l.noise, l.message[:0])
	if err != nil {
		return err
	}
	l.message = m
	l.messages++
	l.count(x, y[0])
	if l.shuffler != nil {
		return l.shuffler.Collect(m, &l.server)
	}
	return l.server.Receive(m)
}

// count counts what a device clips, for the simulation's warnings. No message carries these counts.
func (l *Local) count(x []float64, y float64) {
	var square float64
	for _, v := range x {
		square += float64(v * v)
	}
	if beyond(square, l.problem.ContextNorm) {
		l.long++
	}
	if y < l.problem.RewardMin || y > l.problem.RewardMax {
		l.outside++
	}
}

// beyond reports whether a squared norm exceeds the square of its bound. A norm equal to the bound
// up to rounding does not.
func beyond(square, bound float64) bool { return square > bound*bound*(1+1e-12) }

// checkMessage is the first thing that a Server's Receive does. It refuses a message of a wrong
// length, or with a number that is not finite or larger than any that an honest device sends.
func checkMessage(m Message, size int, bound float64) error {
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

// Plan returns the device's plan, or with a batch its plan behind the shuffler. Each user sends one
// message, so the plan is the same for any number of records above 0. The shuffler draws, too.
func (l *Local) Plan(records int) privacy.Plan {
	p := l.plan.Repeated(l.messages)
	if l.shuffler != nil {
		p.Draws = append(p.Draws, l.shuffler.Drawn(l.messages)...)
	}
	return p.Times(min(records, 1)).HeldBy(l)
}

// Warnings counts what the devices clipped, and adds the server's own warnings.
func (l *Local) Warnings() []bandit.Warning {
	var w []bandit.Warning
	if l.long > 0 {
		w = append(w, bandit.Warning{What: "contexts longer than their bound, clipped on the device", Count: l.long})
	}
	if l.outside > 0 {
		w = append(w, bandit.Warning{What: "rewards out of their range, clipped on the device", Count: l.outside})
	}
	if s, ok := l.server.Server.(interface{ Warnings() []bandit.Warning }); ok {
		w = append(w, s.Warnings()...)
	}
	return w
}
