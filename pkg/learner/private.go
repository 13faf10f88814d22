package learner

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/serial"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Private is a bandit.Learner made of a policy and the statistic that the policy reads. A run hands
// the statistic what the environment shows, and the policy what the statistic releases. Its privacy
// claim is the statistic's plan; the policy is post-processing. (A rule that is an [Encoder] has a
// say in what the statistic is handed, by what was released before.)
//
// The trust model depends on the problem. With contexts it is joint differential privacy: an action
// depends on its own round's context without noise, and on other rounds through the release alone.
// Without contexts it is the central model.
type Private[R any] struct {
	Policy    Policy[R]
	Statistic privacy.Statistic[R] // nil: one without noise, which is not private
}

// New returns a learner that runs a policy over a statistic. A nil statistic means the exact one,
// which is not private.
func New[R any](p Policy[R], s privacy.Statistic[R]) Private[R] { return Private[R]{p, s} }

var _ bandit.Learner = Private[privacy.Sums]{}

// Open validates and calibrates both halves. It refuses a policy that holds a pointer to a
// statistic, a learner or noise, or a function: nothing but releases may reach it.
func (l Private[R]) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	if err := field.Check("learner: Private.Policy", l.Policy); err != nil {
		return nil, err
	}
	if l.Statistic == nil {
		if l.Statistic = exact(l.Policy); l.Statistic == nil {
			return nil, fmt.Errorf("learner: Private.Statistic is nil, and there is no exact one for a %T", l.Policy)
		}
	}
	if err := field.Check("learner: Private.Statistic", l.Statistic); err != nil {
		return nil, err
	}
	setup, err := l.Setup(p, horizon)
	if err != nil {
		return nil, err
	}
	m, err := l.Statistic.Open(setup)
	if err != nil {
		return nil, err
	}
	if err := checkPolicy(l.Policy); err != nil {
		return nil, err
	}
	first := privacy.First(m)
	prepared, err := l.Policy.Prepare(p, horizon, first)
	if err != nil {
		return nil, err
	}
	if s, ok := any(first).(*privacy.Sums); ok && s.Exact && !math.IsInf(privacy.ClaimOf(m).Epsilon(), 1) {
		return nil, fmt.Errorf("learner: a %T that shows rows as they are, and claims %v", l.Statistic, privacy.ClaimOf(m).Proved())
	}
	ready := &private[R]{policy: l.Policy, prepared: prepared, mechanism: m, problem: p, warmUp: setup.WarmUp, all: make([]int, p.Arms)}
	_, ready.encodes = any(l.Policy).(Encoding)
	ready.plain = !ready.encodes && setup.Lo == p.RewardMin && setup.Hi == p.RewardMax
	for i := range ready.all {
		ready.all[i] = i
	}
	return ready, nil
}

// Setup returns what the learner tells its statistic of the data.
func (l Private[R]) Setup(p bandit.Problem, horizon int) (privacy.Setup, error) {
	setup := privacy.Setup{
		Horizon: horizon, Alpha: 1 / float64(horizon),
		Dim: p.Dim + 1, Bound: portable.Hypot(p.ContextNorm, p.RewardBound()), Context: p.ContextNorm,
		Arms: p.Arms, Slots: p.Slots, Lo: p.RewardMin, Hi: p.RewardMax,
	}
	var err error
	if a, ok := l.Policy.(Asker); ok {
		err = a.Ask(p, &setup)
	}
	return setup, err
}

// exact returns the statistic without privacy, or nil if there is none for the policy.
func exact[R any](p Policy[R]) (s privacy.Statistic[R]) {
	if own, ok := p.(Exacter[R]); ok {
		return own.Exact()
	}
	switch s := any(&s).(type) {
	case *privacy.Accumulator:
		*s = continual.Exact{}
	case *privacy.Tally:
		*s = tally.Counts{}
	}
	return s
}

// private is a Private for a problem.
type private[R any] struct {
	policy    Policy[R]
	prepared  Prepared[R]
	mechanism privacy.Mechanism[R]
	problem   bandit.Problem
	warmUp    bool  // a round 0 is wanted
	encodes   bool  // the rules are Encoders
	plain     bool  // the statistic takes in rewards as they are, within the problem's bounds
	all       []int // 0, 1, ..., for the warm-up
}

var (
	_ bandit.Warmer   = (*private[privacy.Sums])(nil)
	_ privacy.Planner = (*private[privacy.Sums])(nil)
)

// WantsWarmUp reports whether the policy asks for a round 0.
func (l *private[R]) WantsWarmUp() bool { return l.warmUp }

// Plan returns the statistic's plan for so many records. The plan is empty if the statistic does
// not hold one of its own.
func (l *private[R]) Plan(records int) privacy.Plan { return l.planned(l.mechanism, records).HeldBy(l) }

// planned returns the plan that a mechanism, or a run of it, makes for the learner.
func (l *private[R]) planned(m privacy.Planner, records int) privacy.Plan {
	p := privacy.PlanOf(m, records)
	if local := p.Model != privacy.Central || p.Scope != privacy.AllOutputs; local && p.Claim().Standing() == privacy.Stated {
		return privacy.NoPlan("a %T states the %v model and covers %v: a statistic is central, and covers all outputs", m, p.Model, p.Scope)
	}
	if f, ok := l.mechanism.(interface{ Follows() bool }); l.encodes || ok && f.Follows() {
		p = p.Trusts(l.policy)
	}
	if l.problem.Dim > 0 {
		p.Model, p.Scope = privacy.Joint, privacy.OtherOutputs
	}
	return p
}

// Start begins a run, which is a *PrivateRun. The policy's own choices draw from own, the
// statistic's noise from noise.
func (l *private[R]) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	run := &PrivateRun[R]{private: l, rule: l.prepared.Begin(own), stream: l.mechanism.Start(privacy.NewNoise(noise))}
	if batches, ok := any(run.stream).(interface{ Follow(tally.BatchLengths) }); ok {
		if lengths, ok := run.rule.(tally.BatchLengths); ok {
			batches.Follow(lengths)
		}
	}
	var encodes bool
	run.encoder, encodes = run.rule.(Encoder)
	if run.failed = checkRule(run.rule); run.failed == nil && encodes != l.encodes {
		run.failed = fmt.Errorf("learner: a %T is an Encoder: %v, and its policy, a %T, is an Encoding: %v; want the same", run.rule, encodes, l.policy, l.encodes)
	}
	if run.failed == nil {
		run.failed = run.learn()
	}
	return run
}

// PrivateRun is a run of a [Private].
type PrivateRun[R any] struct {
	*private[R]
	rule      Rule[R]
	encoder   Encoder // the rule, if it is one
	stream    privacy.Stream[R]
	failed    error // why the run could not begin, or had to end
	warm      bool  // round 0 is over
	record    privacy.Record
	turn, now []int // arms played in turn, and the one of this round
	broadcast []float64
	moved     bool // the release, by the last record
}

var (
	_ bandit.Warmed    = (*PrivateRun[privacy.Sums])(nil)
	_ bandit.Warner    = (*PrivateRun[privacy.Sums])(nil)
	_ bandit.Explainer = (*PrivateRun[privacy.Sums])(nil)
	_ privacy.Planner  = (*PrivateRun[privacy.Sums])(nil)
)

// Rule returns the policy's rule, for a look inside.
func (l *PrivateRun[R]) Rule() Rule[R] { return l.rule }

// Release returns what the statistic shows after the last record. It is valid until the next one.
func (l *PrivateRun[R]) Release() *R { return l.stream.Release() }

// learn shows the release to the policy and keeps the broadcast.
func (l *PrivateRun[R]) learn() error {
	broadcast, err := l.rule.Learn(l.stream.Release())
	if err == nil {
		l.broadcast = broadcast
	}
	return err
}

// Select appends the arms that the policy chooses.
func (l *PrivateRun[R]) Select(v *bandit.View, dst []int) ([]int, error) {
	n := len(dst)
	var err error
	switch {
	case l.failed != nil:
		err = l.failed
	case !v.Fits(&l.problem):
		err = l.problem.CheckView(v)
	case l.warmUp && !l.warm:
		err = fmt.Errorf("there was no warm-up round, which the policy asks for")
	default:
		dst, err = l.rule.Act(l.broadcast, v, dst)
	}
	if err == nil && len(dst)-n != l.problem.Slots {
		err = fmt.Errorf("%d arms from a %T, want %d", len(dst)-n, l.rule, l.problem.Slots)
	}
	if err != nil {
		return dst[:n], checks.InRound(v.Round, err)
	}
	return dst, nil
}

// Explain appends what the policy's rule chooses by, if that is an [Explainer]. It is computed from
// what the statistic has released, and from the view.
func (l *PrivateRun[R]) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	switch {
	case l.failed != nil:
		return dst, checks.InRound(v.Round, l.failed)
	case !v.Fits(&l.problem):
		return dst, checks.InRound(v.Round, l.problem.CheckView(v))
	}
	return checks.Explain(l.rule, l.broadcast, v, dst)
}

// Update hands the rewards of the arms played, and the first arm's context, to the statistic. A
// rule that is an [Encoder] encodes them.
func (l *PrivateRun[R]) Update(v *bandit.View, arms []int, y []float64) error {
	if l.failed != nil {
		return checks.InRound(v.Round, l.failed)
	}
	if !v.Fits(&l.problem) {
		return checks.InRound(v.Round, l.problem.CheckView(v))
	}
	// the statistic refuses arms that do not exist; here the first one's context is wanted
	if len(arms) != l.problem.Slots || len(y) != len(arms) || uint(arms[0]) >= uint(v.Arms) {
		return checks.InRound(v.Round, l.problem.CheckArms(v, arms, y))
	}
	// field by field, which is faster: a literal would be made on the stack and copied
	l.record.X, l.record.Arms, l.record.Y = v.Row(arms[0]), arms, y
	if l.encoder != nil {
		if err := l.encoder.Encode(l.broadcast, &l.record); err != nil {
			l.record = privacy.Record{}
			return checks.InRound(v.Round, err)
		}
	}
	return l.add(v.Round)
}

// add hands the record to the statistic. If the release has changed, the policy learns from it. If
// it cannot, the run ends: the record is in, and would come a second time.
func (l *PrivateRun[R]) add(round int) error {
	moved, err := l.stream.Add(&l.record)
	l.record = privacy.Record{}
	if err == nil {
		if l.moved = moved; moved {
			err = l.learn()
			l.failed = err
		}
	}
	return checks.InRound(round, err)
}

// WarmUp hands the rewards of all arms in round 0 to the statistic.
func (l *PrivateRun[R]) WarmUp(y []float64) error {
	switch {
	case l.failed != nil:
		return checks.InRound(0, l.failed)
	case !l.warmUp:
		return checks.InRound(0, fmt.Errorf("a warm-up for a policy that asks for none"))
	case l.warm:
		return checks.InRound(0, fmt.Errorf("a second warm-up round"))
	case len(y) != len(l.all):
		return checks.InRound(0, fmt.Errorf("%d rewards in WarmUp, want those of all %d arms", len(y), len(l.all)))
	}
	l.record = privacy.Record{Arms: l.all, Y: y}
	err := l.add(0)
	l.warm = err == nil
	return err
}

// Released appends to dst all that the statistic shows after the last record, as numbers: whether
// the release has moved, and every field of it. An audit's transcript of the learner is made of it
// and of the arms.
func (l *PrivateRun[R]) Released(dst []float64) ([]float64, error) {
	return serial.Write(dst, l.moved, l.stream.Release())
}

// released appends what a run that another one wraps has released.
func released(of bandit.Run, dst []float64) ([]float64, error) {
	if r, ok := of.(interface {
		Released([]float64) ([]float64, error)
	}); ok {
		return r.Released(dst)
	}
	return dst, fmt.Errorf("learner: a %T does not say what it releases", of)
}

// Warnings counts what the statistic clipped, and adds the rule's own warnings.
func (l *PrivateRun[R]) Warnings() []bandit.Warning {
	var w []bandit.Warning
	if n := l.stream.Clipped(); n > 0 {
		what := fmt.Sprintf("weights outside [%v, %v], clipped", l.problem.RewardMin, l.problem.RewardMax)
		if l.problem.Dim > 0 {
			what = "contexts x or rows (x, y) longer than their bound, clipped"
		}
		w = append(w, bandit.Warning{What: what, Count: n})
	}
	return append(w, bandit.Warnings(l.rule)...)
}

// Plan returns the learner's plan, with the draws of this run.
func (l *PrivateRun[R]) Plan(records int) privacy.Plan {
	return l.planned(l.stream, records).HeldBy(l)
}

// Check compares noise that the statistic drew from the operating system with its plan.
func (l *PrivateRun[R]) Check() error { return checkSystem(l.stream) }

// checkSystem compares noise drawn from the operating system, which a trial's ledger cannot see,
// with the plan. It does nothing if what has no such check.
func checkSystem(what any) error {
	if c, ok := what.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// ClaimOf returns what a learner claims for a problem and a horizon.
func ClaimOf(l bandit.Learner, p bandit.Problem, horizon int) (privacy.Claim, error) {
	ready, err := l.Open(p, horizon)
	if err != nil {
		return privacy.Claim{}, err
	}
	return privacy.ClaimOf(ready), nil
}
