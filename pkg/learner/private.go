package learner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Private is a bandit.Learner made of a policy and the statistic that the policy reads. It hands
// the statistic what the environment shows, and the policy what the statistic releases. Its privacy
// claim is the statistic's plan; the policy is post-processing.
//
// The trust model depends on the problem. With contexts it is joint differential privacy: an action
// depends on its own round's context without noise, and on other rounds through the release alone.
// Without contexts it is the central model.
type Private[R any] struct {
	Policy    Policy[R]
	Statistic privacy.Statistic[R] // nil: one without noise, which is not private

	bandit.Base
	policy    Policy[R] // the halves as they were in Init
	statistic privacy.Statistic[R]
	problem   bandit.Problem
	warmUp    bool // a round 0 is wanted
	warm      bool // and over
	record    privacy.Record
	all       []int // 0, 1, ..., for the warm-up
	turn, now []int // arms played in turn, and the one of this round
	broadcast []float64
	moved     bool // the release, by the last record
}

var (
	_ bandit.Warmer   = (*Private[privacy.Sums])(nil)
	_ privacy.Planner = (*Private[privacy.Sums])(nil)
)

// New returns a learner that runs a policy over a statistic. A nil statistic means the exact one,
// which is not private.
func New[R any](p Policy[R], s privacy.Statistic[R]) *Private[R] {
	return &Private[R]{Policy: p, Statistic: s}
}

// Init validates and initialises both halves. It refuses a policy that holds a pointer to a
// statistic, a learner or noise, or a function: nothing but releases may reach it.
func (l *Private[R]) Init(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	if err := field.Check("learner: Private.Policy", l.Policy); err != nil {
		return err
	}
	if l.Statistic == nil {
		if l.Statistic = exact(l.Policy); l.Statistic == nil {
			return fmt.Errorf("learner: Private.Statistic is nil, and there is no exact one for a %T", l.Policy)
		}
	}
	if err := field.Check("learner: Private.Statistic", l.Statistic); err != nil {
		return err
	}
	setup := privacy.Setup{
		Horizon: horizon, Alpha: 1 / float64(horizon),
		Dim: p.Dim + 1, Bound: portable.Hypot(p.ContextNorm, p.RewardBound()), Context: p.ContextNorm,
		Arms: p.Arms, Slots: p.Slots, Lo: p.RewardMin, Hi: p.RewardMax,
	}
	if a, ok := l.Policy.(Asker); ok {
		if err := a.Ask(p, &setup); err != nil {
			return err
		}
	}
	if err := l.Statistic.Init(setup); err != nil {
		return err
	}
	r := l.Statistic.Release()
	if err := l.Policy.Init(p, horizon, r); err != nil {
		return err
	}
	if err := checkPolicy(l.Policy); err != nil {
		return err
	}
	if s, ok := any(r).(*privacy.Sums); ok && s.Exact && !math.IsInf(privacy.ClaimOf(l.Statistic).Epsilon(), 1) {
		return fmt.Errorf("learner: a %T that shows rows as they are, and claims %v", l.Statistic, privacy.ClaimOf(l.Statistic).Proved())
	}
	l.policy, l.statistic, l.problem, l.warmUp = l.Policy, l.Statistic, p, setup.WarmUp
	l.all = make([]int, p.Arms)
	for i := range l.all {
		l.all[i] = i
	}
	return nil
}

// exact returns the statistic without privacy, or nil if there is none for the policy.
func exact[R any](p Policy[R]) (s privacy.Statistic[R]) {
	if own, ok := p.(interface{ exact() privacy.Statistic[R] }); ok {
		return own.exact()
	}
	switch s := any(&s).(type) {
	case *privacy.Accumulator:
		*s = &mechanism.Exact{}
	case *privacy.Tally:
		*s = &mechanism.Counts{}
	}
	return s
}

var errNoInit = errors.New("a learner that is used before Init")

// Reset forgets everything. The policy's own choices draw from own, the statistic's noise from
// noise.
func (l *Private[R]) Reset(own *rand.Rand, noise rand.Source) {
	l.Clear()
	l.warm, l.moved, l.broadcast = false, false, nil
	if l.statistic == nil {
		l.fail(0, errNoInit)
		return
	}
	l.statistic.Reset(privacy.NewNoise(noise))
	l.policy.Reset(own)
	l.learn(0)
}

// learn shows the release to the policy and keeps the broadcast.
func (l *Private[R]) learn(round int) {
	broadcast, err := l.policy.Learn(l.statistic.Release())
	if err != nil {
		l.fail(round, err)
		return
	}
	l.broadcast = broadcast
}

func (l *Private[R]) fail(round int, err error) {
	l.Fail(fmt.Errorf("learner: round %d: %w", round, err))
}

// misfit says why a view does not fit.
func (l *Private[R]) misfit(v *bandit.View) error {
	if l.statistic == nil {
		return errNoInit
	}
	return bandit.CheckView(l.problem, v)
}

// Select appends the arms that the policy chooses. If that fails, Err reports why, and the first
// arms are appended instead.
func (l *Private[R]) Select(v *bandit.View, dst []int) []int {
	n := len(dst)
	var err error
	switch {
	case !v.Fits(&l.problem):
		err = l.misfit(v)
	case l.warmUp && !l.warm:
		err = fmt.Errorf("there was no warm-up round, which the policy asks for")
	default:
		dst, err = l.policy.Act(l.broadcast, v, dst)
	}
	if err == nil && len(dst)-n != l.problem.Slots {
		err = fmt.Errorf("%d arms from a %T, want %d", len(dst)-n, l.policy, l.problem.Slots)
	}
	if err != nil {
		if l.broadcast == nil {
			err = fmt.Errorf("%w (Reset comes before the first round)", err)
		}
		l.fail(v.Round, err)
		dst = append(dst[:n], l.all[:l.problem.Slots]...)
	}
	return dst
}

// Update hands the rewards of the arms played, and the first arm's context, to the statistic.
func (l *Private[R]) Update(v *bandit.View, arms []int, y []float64) {
	if !v.Fits(&l.problem) {
		l.fail(v.Round, l.misfit(v))
		return
	}
	// the statistic refuses arms that do not exist; here the first one's context is wanted
	if len(arms) != l.problem.Slots || len(y) != len(arms) || uint(arms[0]) >= uint(v.Arms) {
		l.fail(v.Round, bandit.CheckArms(l.problem, v, arms, y))
		return
	}
	// field by field, which is faster: a literal would be made on the stack and copied
	l.record.X, l.record.Arms, l.record.Y = v.Row(arms[0]), arms, y
	l.add(v.Round)
}

// add hands the record to the statistic. If the release has changed, the policy learns from it.
func (l *Private[R]) add(round int) bool {
	moved, err := l.statistic.Add(&l.record)
	l.record = privacy.Record{}
	if err != nil {
		l.fail(round, err)
		return false
	}
	if l.moved = moved; moved {
		l.learn(round)
	}
	return true
}

// WantsWarmUp reports whether the policy asks for a round 0.
func (l *Private[R]) WantsWarmUp() bool { return l.warmUp }

// WarmUp hands the rewards of all arms in round 0 to the statistic.
func (l *Private[R]) WarmUp(y []float64) {
	switch {
	case !l.warmUp:
		l.fail(0, fmt.Errorf("a warm-up for a policy that asks for none"))
	case l.warm:
		l.fail(0, fmt.Errorf("a second warm-up round"))
	case len(y) != len(l.all):
		l.fail(0, fmt.Errorf("%d rewards in WarmUp, want those of all %d arms", len(y), len(l.all)))
	default:
		l.record = privacy.Record{Arms: l.all, Y: y}
		l.warm = l.add(0)
	}
}

// Released appends to dst all that the statistic shows after the last record, as privacy.Serialise
// writes it. An audit's transcript of the learner is made of it and of the arms.
func (l *Private[R]) Released(dst []float64) ([]float64, error) {
	if l.statistic == nil {
		return dst, errNoInit
	}
	return privacy.Serialise(dst, l.moved, l.statistic.Release())
}

// released appends what a learner that another one wraps has released.
func released(of bandit.Learner, dst []float64) ([]float64, error) {
	if r, ok := of.(interface {
		Released([]float64) ([]float64, error)
	}); ok {
		return r.Released(dst)
	}
	return dst, fmt.Errorf("learner: a %T does not say what it releases", of)
}

// Warnings counts what the statistic clipped, and adds the policy's own warnings.
func (l *Private[R]) Warnings() []bandit.Warning {
	if l.statistic == nil {
		return nil
	}
	var w []bandit.Warning
	if n := l.statistic.Clipped(); n > 0 {
		what := fmt.Sprintf("weights outside [%v, %v], clipped", l.problem.RewardMin, l.problem.RewardMax)
		if l.problem.Dim > 0 {
			what = "contexts x or rows (x, y) longer than their bound, clipped"
		}
		w = append(w, bandit.Warning{What: what, Count: n})
	}
	if p, ok := l.policy.(interface{ Warnings() []bandit.Warning }); ok {
		w = append(w, p.Warnings()...)
	}
	return w
}

// Plan returns the statistic's plan for so many records. The plan is empty if the statistic does
// not hold one of its own.
func (l *Private[R]) Plan(records int) privacy.Plan {
	if l.statistic == nil {
		return privacy.NoPlan("a learner has no plan before Init")
	}
	p := privacy.PlanOf(l.statistic, records)
	if local := p.Model != privacy.Central || p.Scope != privacy.AllOutputs; local && p.Claim().Standing() == privacy.Stated {
		return privacy.NoPlan("a %T states the %v model and covers %v: a statistic is central, and covers all outputs", l.statistic, p.Model, p.Scope)
	}
	if l.problem.Dim > 0 {
		p.Model, p.Scope = privacy.Joint, privacy.OtherOutputs
	}
	return p.HeldBy(l)
}

// Check compares noise that the statistic drew from the operating system with its plan.
func (l *Private[R]) Check() error { return checkSystem(l.statistic) }

// checkSystem compares noise drawn from the operating system, which a trial's ledger cannot see,
// with the plan. It does nothing if what has no such check.
func checkSystem(what any) error {
	if c, ok := what.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}
