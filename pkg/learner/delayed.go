package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/owned"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Delayed has a learner wait for its rewards. The rewards of a round reach it some rounds later,
// with the context and the arms that they belong to; those that come in the same round come in the
// order in which they were earned. What has not come when the run ends never does.
//
// It wraps the learner and not the environment. An environment's Pull answers at once, and several
// learners may pull in a round, so only what stands before the learner can hold rewards back.
//
// The learner has to be a [Private] or a [Local]: they take a record as it is. Others may reuse in
// Update what Select computed for the same round, as bandit.Learner allows.
//
// The claim is the learner's own. A record is taken in once, and how late that is does not depend
// on the data.
type Delayed struct {
	// Learner describes the learner, a *Private or a *Local. Init makes a copy that nobody else can
	// feed.
	Learner bandit.Learner
	Most    int // the longest delay, in rounds; 0 means none
	// Delay draws the delay of a round's rewards, in [0, Most]. nil means that all delays are Most.
	Delay func(own *rand.Rand) int

	bandit.Base
	learner bandit.Learner           // a copy of Learner, and the other fields, as they were in Init
	delay   func(own *rand.Rand) int `snapshot:"keep"`
	warmer  bandit.Warmer            // the learner, if it wants a round 0
	problem bandit.Problem
	own     *rand.Rand
	records []late
	free    []int32 // records that are not in use
	due     []queue // by the round in which they come, modulo Most+1
	round   int     // rounds since Reset
}

// late is a record that has not reached the learner.
type late struct {
	view bandit.View
	arms []int
	y    []float64
	next int32 // in its queue; -1: none
}

// queue is a list of records.
type queue struct{ first, last int32 }

var (
	_ bandit.Warmer   = (*Delayed)(nil)
	_ privacy.Planner = (*Delayed)(nil)
)

// takesLate marks learners whose Update depends on its arguments and on earlier Updates alone.
type takesLate interface{ takesLate() }

func (l *Private[R]) takesLate() {}
func (l *Local) takesLate()      {}

// Init validates, initialises the learner and allocates.
func (d *Delayed) Init(p bandit.Problem, horizon int) error {
	if err := field.Check("learner: Delayed.Learner", d.Learner); err != nil {
		return err
	}
	if _, ok := d.Learner.(takesLate); !ok {
		return fmt.Errorf("learner: Delayed.Learner is a %T, which may reuse what Select computed: want a Private or a Local", d.Learner)
	}
	if d.Most < 0 {
		return fmt.Errorf("learner: Delayed.Most = %d, want >= 0", d.Most)
	}
	inner := owned.Copy(d.Learner)
	if err := inner.Init(p, horizon); err != nil {
		return err
	}
	each := float64(float64(p.Arms)*float64(p.Dim)) + float64(2*float64(p.Slots)) + 20
	if err := size.Check(fmt.Sprintf("learner: Delayed.Most = %d", d.Most), float64(each*(float64(d.Most)+1))); err != nil {
		return err
	}
	d.learner, d.delay, d.warmer, d.problem = inner, d.Delay, nil, p
	if w, ok := inner.(bandit.Warmer); ok && w.WantsWarmUp() {
		d.warmer = w
	}
	d.records, d.due, d.free = make([]late, d.Most+1), make([]queue, d.Most+1), make([]int32, 0, d.Most+1)
	for i := range d.records {
		d.records[i] = late{view: bandit.View{X: make([]float64, p.Arms*p.Dim)}, arms: make([]int, p.Slots), y: make([]float64, p.Slots)}
	}
	return nil
}

// WantsWarmUp reports whether the learner wants a round 0.
func (d *Delayed) WantsWarmUp() bool { return d.warmer != nil }

// WarmUp hands the rewards of round 0 to the learner, at once.
func (d *Delayed) WarmUp(y []float64) {
	if d.warmer == nil {
		d.Fail(fmt.Errorf("learner: a warm-up round for a %T that wants none", d.learner))
		return
	}
	d.warmer.WarmUp(y)
}

// Reset resets the learner and drops the rewards that have not come. If delays are drawn, their
// stream is seeded from own.
func (d *Delayed) Reset(own *rand.Rand, noise rand.Source) {
	d.Clear()
	d.own, d.round, d.free = nil, 0, d.free[:0]
	for i := range d.due {
		d.free = append(d.free, int32(len(d.due)-1-i))
		d.due[i] = queue{-1, -1}
	}
	if d.delay != nil {
		d.own = rand.New(rand.NewPCG(own.Uint64(), own.Uint64()))
	}
	d.learner.Reset(own, noise)
}

// Select appends the learner's arms.
func (d *Delayed) Select(v *bandit.View, dst []int) []int { return d.learner.Select(v, dst) }

// Update keeps the rewards until their time has come, and hands the learner those that come now.
func (d *Delayed) Update(v *bandit.View, arms []int, y []float64) {
	if err := d.check(v, arms, y); err != nil {
		d.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return
	}
	most := len(d.due) - 1
	wait := most
	if d.delay != nil {
		if wait = d.delay(d.own); wait < 0 || wait > most {
			d.Fail(fmt.Errorf("learner: round %d: Delayed.Delay = %d, want in [0, Most = %d]", v.Round, wait, most))
			return
		}
	}
	d.keep(v, arms, y, (d.round+wait)%len(d.due))
	now := &d.due[d.round%len(d.due)]
	for i := now.first; i >= 0; {
		r := &d.records[i]
		d.learner.Update(&r.view, r.arms, r.y)
		d.free = append(d.free, i)
		i = r.next
	}
	*now = queue{-1, -1}
	d.round++
}

// check refuses at once what the learner would refuse when it comes.
func (d *Delayed) check(v *bandit.View, arms []int, y []float64) error {
	if !v.Fits(&d.problem) {
		return bandit.CheckView(d.problem, v)
	}
	if err := bandit.CheckArms(d.problem, v, arms, y); err != nil {
		return err
	}
	if !packed.Finite(y) {
		return fmt.Errorf("rewards of %v, want finite", slices.Clone(y))
	}
	for _, a := range arms {
		if x := v.Row(a); !packed.Finite(x) {
			return fmt.Errorf("the context of arm %d is %v, want finite numbers", a, slices.Clone(x))
		}
	}
	return nil
}

// keep copies a record into a queue.
func (d *Delayed) keep(v *bandit.View, arms []int, y []float64, at int) {
	i := d.free[len(d.free)-1]
	d.free = d.free[:len(d.free)-1]
	r := &d.records[i]
	n := v.Arms * v.Dim
	copy(r.view.X[:n], v.X)
	r.view = bandit.View{Round: v.Round, Arms: v.Arms, Dim: v.Dim, X: r.view.X[:n]}
	copy(r.arms, arms)
	copy(r.y, y)
	r.next = -1
	if q := &d.due[at]; q.first < 0 {
		*q = queue{i, i}
	} else {
		d.records[q.last].next, q.last = i, i
	}
}

// Err returns the learner's error, or that of bad data or of a delay.
func (d *Delayed) Err() error {
	if err := d.learner.Err(); err != nil {
		return err
	}
	return d.Base.Err()
}

// Released appends what the learner's statistic shows, as Private.Released does.
func (d *Delayed) Released(dst []float64) ([]float64, error) { return released(d.learner, dst) }

// Warnings returns the learner's warnings.
func (d *Delayed) Warnings() []bandit.Warning { return d.learner.Warnings() }

// Plan returns the learner's plan.
func (d *Delayed) Plan(records int) privacy.Plan { return privacy.PlanOf(d.learner, records).HeldBy(d) }

// Check compares noise that the learner drew from the operating system with its plan.
func (d *Delayed) Check() error { return checkSystem(d.learner) }
