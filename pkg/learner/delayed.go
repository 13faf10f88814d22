package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
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
// Update what Select computed for the same round, as bandit.Run allows.
//
// The claim is the learner's own. A record is taken in once, and how late that is does not depend
// on the data.
type Delayed struct {
	Learner bandit.Learner // a Private or a Local
	Most    int            // the longest delay, in rounds; 0 means none
	// Delay draws how many rounds, in [0, Most], the rewards of a round take; nil means that all
	// delays are Most. It is a plain value, as a learner is.
	Delay interface{ Draw(own *rand.Rand) int }
}

var _ bandit.Learner = Delayed{}

// takesLate marks learners whose runs' Update depends on its arguments and on earlier Updates
// alone.
type takesLate interface{ takesLate() }

func (l Private[R]) takesLate() {}
func (l Local) takesLate()      {}

// Open validates and opens the learner.
func (d Delayed) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := field.Check("learner: Delayed.Learner", d.Learner); err != nil {
		return nil, err
	}
	if _, ok := d.Learner.(takesLate); !ok {
		return nil, fmt.Errorf("learner: Delayed.Learner is a %T, which may reuse what Select computed: want a Private or a Local", d.Learner)
	}
	if d.Most < 0 {
		return nil, fmt.Errorf("learner: Delayed.Most = %d, want >= 0", d.Most)
	}
	inner, err := d.Learner.Open(p, horizon)
	if err != nil {
		return nil, err
	}
	each := float64(float64(p.Arms)*float64(p.Dim)) + float64(2*float64(p.Slots)) + 20
	if err := size.Check(fmt.Sprintf("learner: Delayed.Most = %d", d.Most), float64(each*(float64(d.Most)+1))); err != nil {
		return nil, err
	}
	return &delayed{inner, d.Most, d.Delay, p}, nil
}

// delayed is a Delayed for a problem.
type delayed struct {
	inner   bandit.Calibrated
	most    int
	delay   interface{ Draw(own *rand.Rand) int }
	problem bandit.Problem
}

var (
	_ bandit.Warmer   = (*delayed)(nil)
	_ privacy.Planner = (*delayed)(nil)
)

// WantsWarmUp reports whether the learner wants a round 0.
func (d *delayed) WantsWarmUp() bool {
	w, ok := d.inner.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// Plan returns the learner's plan.
func (d *delayed) Plan(records int) privacy.Plan { return privacy.PlanOf(d.inner, records).HeldBy(d) }

// Start begins a run. If delays are drawn, their stream is seeded from own.
func (d *delayed) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	p := d.problem
	run := &delayedRun{
		delayed: d,
		records: make([]late, d.most+1), due: make([]queue, d.most+1), free: make([]int32, 0, d.most+1),
	}
	for i := range run.records {
		run.records[i] = late{view: bandit.View{X: make([]float64, p.Arms*p.Dim)}, arms: make([]int, p.Slots), y: make([]float64, p.Slots)}
		run.free = append(run.free, int32(d.most-i))
		run.due[i] = queue{-1, -1}
	}
	if d.delay != nil {
		run.own = rand.New(rand.NewPCG(own.Uint64(), own.Uint64()))
	}
	run.run = d.inner.Start(own, noise)
	return run
}

// delayedRun is a run of a Delayed.
type delayedRun struct {
	*delayed
	run     bandit.Run
	own     *rand.Rand
	records []late
	free    []int32 // records that are not in use
	due     []queue // by the round in which they come, modulo Most+1
	round   int     // rounds so far
	failed  error   // of the learner, which ends the run
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

// WarmUp hands the rewards of round 0 to the learner, at once.
func (d *delayedRun) WarmUp(y []float64) error {
	if !d.WantsWarmUp() {
		return fmt.Errorf("learner: a warm-up round for a %T that wants none", d.run)
	}
	return warmUp(d.run, y)
}

// Select appends the learner's arms.
func (d *delayedRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if d.failed != nil {
		return dst, d.failed
	}
	return d.run.Select(v, dst)
}

// Explain appends what the learner chooses by, if it shows that.
func (d *delayedRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return bandit.Explain(d.run, v, dst)
}

// Update keeps the rewards until their time has come, and hands the learner those that come now. An
// error of the learner ends the run: who tried again would hand it a record twice.
func (d *delayedRun) Update(v *bandit.View, arms []int, y []float64) error {
	if d.failed != nil {
		return d.failed
	}
	if err := d.check(v, arms, y); err != nil {
		return checks.InRound(v.Round, err)
	}
	wait := d.most
	if d.delay != nil {
		if wait = d.delay.Draw(d.own); wait < 0 || wait > d.most {
			return checks.InRound(v.Round, fmt.Errorf("Delayed.Delay = %d, want in [0, Most = %d]", wait, d.most))
		}
	}
	d.keep(v, arms, y, (d.round+wait)%len(d.due))
	now := &d.due[d.round%len(d.due)]
	for i := now.first; i >= 0; {
		r := &d.records[i]
		if d.failed = d.run.Update(&r.view, r.arms, r.y); d.failed != nil {
			return d.failed
		}
		d.free = append(d.free, i)
		i = r.next
	}
	*now = queue{-1, -1}
	d.round++
	return nil
}

// check refuses at once what the learner would refuse when it comes.
func (d *delayedRun) check(v *bandit.View, arms []int, y []float64) error {
	if !v.Fits(&d.problem) {
		return d.problem.CheckView(v)
	}
	if err := d.problem.CheckArms(v, arms, y); err != nil {
		return err
	}
	if !packed.Finite(y) {
		return fmt.Errorf("rewards of %v, want finite", slices.Clone(y))
	}
	for i, a := range arms {
		if slices.Contains(arms[:i], a) {
			return fmt.Errorf("arm %d twice in %v", a, slices.Clone(arms))
		}
		if x := v.Row(a); !packed.Finite(x) {
			return fmt.Errorf("the context of arm %d is %v, want finite numbers", a, slices.Clone(x))
		}
	}
	return nil
}

// keep copies a record into a queue.
func (d *delayedRun) keep(v *bandit.View, arms []int, y []float64, at int) {
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

// Released appends what the learner's statistic shows, as PrivateRun.Released does.
func (d *delayedRun) Released(dst []float64) ([]float64, error) { return released(d.run, dst) }

// Warnings returns the learner's warnings.
func (d *delayedRun) Warnings() []bandit.Warning { return bandit.Warnings(d.run) }

// Plan returns the learner's plan, with the draws of this run.
func (d *delayedRun) Plan(records int) privacy.Plan { return privacy.PlanOf(d.run, records).HeldBy(d) }

// Check compares noise that the learner drew from the operating system with its plan.
func (d *delayedRun) Check() error { return checkSystem(d.run) }
