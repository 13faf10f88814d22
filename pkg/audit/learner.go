package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Round is one round of a fixed stream.
type Round struct {
	X       []float64 // context rows, row-major, Arms x Dim
	Rewards []float64 // rewards of all arms, played or not
}

func (r Round) equal(s Round) bool {
	return slices.Equal(r.X, s.X) && slices.Equal(r.Rewards, s.Rewards)
}

// Stream is a bandit's fixed data: the contexts and rewards of each round, whatever the learner
// plays.
type Stream []Round

// Learner is the audit of a whole bandit learner on two neighbouring streams. The streams are equal
// except for the contexts and rewards, of all arms, in one round. The audit attacks the learner's
// actions and the releases that Transcript appends, as Mechanism attacks outputs.
//
// Joint differential privacy protects a user from all others, and lets her own action depend on her
// own context. So the action of the round that differs is left out, unless OwnAction is set. In a
// finding's event, out[i] counts round by round: the arms played, then the numbers of the
// transcript.
type Learner struct {
	Name   string
	Claim  privacy.Budget // zero: what the learner proves of itself, if it holds a privacy.Plan
	Exact  float64        // see About
	Origin string         // see About

	Of      bandit.Learner // opened once
	Problem bandit.Problem
	Horizon int       // horizon of Open; 0 means the number of rounds 1, 2, ... of the streams
	Worlds  [2]Stream // the two streams; if you have none, use Search
	// WarmUp is set for a bandit.Warmer that wants a warm-up. Then the streams begin with round 0, in
	// which it sees the rewards of all arms and plays none. Otherwise they begin with round 1.
	WarmUp bool
	// Contributions is the number of rounds in which the streams may differ; the claim must protect
	// users with that many. 0 means 1.
	Contributions int
	// OwnAction includes the actions of the rounds that differ: central privacy protects them.
	OwnAction bool
	NoActions bool // attack the transcript alone
	// Transcript appends what the learner has released by the end of a round, such as the sums that it
	// reads, to dst. Rounds are numbered as in WarmUp. It appends equally many numbers in every run,
	// and none for a round that is to be left out. nil means that the learner releases its actions
	// only.
	Transcript func(run bandit.Run, round int, dst []float64) []float64

	Runs int // in each world, >= MinRuns; 0 means 20,000
}

var _ Item = Learner{}

// About returns the learner's description. If no claim is set, the learner is asked for its own.
func (a Learner) About() (About, error) {
	about := About{Name: a.Name, Claim: a.Claim, Exact: a.Exact, Origin: a.Origin}
	if a.Claim == (privacy.Budget{}) && a.Of != nil {
		l, err := a.open()
		if err != nil {
			return about, err
		}
		defer bandit.Close(l)
		if c := privacy.ClaimOf(l); c.Held() {
			about.Claim, about.Curve = Claimed(c)
		}
	}
	return about, about.validate()
}

// open returns the learner for its problem.
func (a Learner) open() (bandit.Calibrated, error) {
	horizon := a.Horizon
	if horizon == 0 {
		horizon = len(a.Worlds[0]) - 1 + a.first()
	}
	l, err := a.Of.Open(a.Problem, horizon)
	if err != nil {
		return nil, fmt.Errorf("audit: %q: Open: %w", a.Name, err)
	}
	if l == nil {
		return nil, fmt.Errorf("audit: %q: Open returned nil", a.Name)
	}
	w, ok := l.(bandit.Warmer)
	switch wants := ok && w.WantsWarmUp(); {
	case wants && !a.WarmUp:
		return nil, fmt.Errorf("audit: %q: the learner wants a warm-up: set WarmUp, and let the streams begin with round 0", a.Name)
	case !wants && a.WarmUp:
		return nil, fmt.Errorf("audit: %q: field WarmUp is set, and the learner wants no warm-up", a.Name)
	}
	return l, nil
}

// first returns the number of the streams' first round.
func (a Learner) first() int {
	if a.WarmUp {
		return 0
	}
	return 1
}

// check validates the streams and returns the rounds, from 0, in which they differ.
func (a Learner) check() (differ []int, err error) {
	if a.Of == nil {
		return nil, errors.New("field Of is nil")
	}
	if err := a.Problem.Validate(); err != nil {
		return nil, err
	}
	n := len(a.Worlds[0])
	switch {
	case n == 0:
		return nil, errors.New("field Worlds[0] has no rounds")
	case len(a.Worlds[1]) != n:
		return nil, fmt.Errorf("field Worlds: streams of %d and %d rounds, want the same length", n, len(a.Worlds[1]))
	case a.Horizon != 0 && a.Horizon < n-1+a.first():
		return nil, fmt.Errorf("field Horizon = %d, want >= the streams' %d rounds, or 0", a.Horizon, n-1+a.first())
	case a.WarmUp && a.Problem.Dim > 0:
		return nil, fmt.Errorf("field WarmUp is set, and Problem.Dim = %d, want 0", a.Problem.Dim)
	case a.NoActions && a.Transcript == nil:
		return nil, errors.New("field NoActions is set and Transcript is nil: nothing is left to attack")
	}
	for w, stream := range a.Worlds {
		for t, r := range stream {
			if want := a.Problem.Arms * a.Problem.Dim; len(r.X) != want {
				return nil, fmt.Errorf("field Worlds[%d][%d].X has %d numbers, want Arms x Dim = %d", w, t, len(r.X), want)
			}
			if len(r.Rewards) != a.Problem.Arms {
				return nil, fmt.Errorf("field Worlds[%d][%d].Rewards has %d numbers, want Arms = %d", w, t, len(r.Rewards), a.Problem.Arms)
			}
			for _, v := range slices.Concat(r.X, r.Rewards) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("field Worlds[%d][%d] holds %v, want finite numbers", w, t, v)
				}
			}
		}
	}
	for t := range n {
		if !a.Worlds[0][t].equal(a.Worlds[1][t]) {
			differ = append(differ, t)
		}
	}
	if most := max(1, a.Contributions); len(differ) > most {
		return nil, fmt.Errorf("field Worlds: the streams differ in %d rounds, want at most Contributions = %d", len(differ), most)
	}
	if len(differ) == 0 {
		return nil, errors.New("field Worlds: the streams are equal")
	}
	return differ, nil
}

// Run audits the learner.
func (a Learner) Run(ctx context.Context, o Options) (Finding, error) {
	about, c, o, err := a.collection(o, defaultRuns)
	if err != nil {
		return Finding{}, err
	}
	return c.attack(ctx, about, o)
}

// collection returns the runs to be made, with the options completed.
func (a Learner) collection(o Options, otherwise int) (about About, c collection, _ Options, err error) {
	differ, err := a.check()
	if err != nil {
		return about, c, o, fmt.Errorf("audit: %q: %w", a.Name, err)
	}
	if about, err = a.About(); err != nil {
		return about, c, o, err
	}
	if o, err = o.complete(); err != nil {
		return about, c, o, err
	}
	runs, err := o.runs(a.Runs, MinRuns, otherwise)
	if err != nil {
		return about, c, o, fmt.Errorf("%w (%q)", err, a.Name)
	}
	hidden := make([]bool, len(a.Worlds[0])) // rounds whose actions the attacker does not see
	for t := range hidden {
		hidden[t] = a.NoActions || (!a.OwnAction && slices.Contains(differ, t))
	}
	l, err := a.open()
	if err != nil {
		return about, c, o, err
	}
	width, err := a.width(l, hidden)
	if err != nil {
		return about, c, o, err
	}
	return about, collection{
		name: a.Name, runs: runs, width: width, block: 1, workers: o.Workers, seed: o.Seed, sink: o.Progress,
		start: func() (runner, error) {
			p := newPlayer(a, l)
			var features []float64
			return func(world, _ int, source rand.Source, out []float64) error {
				var err error
				features, err = p.run(a.Worlds[world], hidden, source, features[:0])
				copy(out, features) // a run that fails shows what it did before
				if err == nil && len(features) != len(out) {
					return fmt.Errorf("actions and transcript have %d numbers, want %d as in the first run", len(features), len(out))
				}
				return err
			}, nil
		},
	}, o, nil
}

// width makes a run to count its numbers, in world 1 if it fails in world 0.
func (a Learner) width(l bandit.Calibrated, hidden []bool) (n int, err error) {
	if n, err = a.widthIn(l, 0, hidden); err != nil {
		if other, failed := a.widthIn(l, 1, hidden); failed == nil {
			n, err = other, nil
		}
	}
	if err != nil {
		return 0, fmt.Errorf("audit: %q: first run: %w", a.Name, err)
	}
	if n == 0 {
		return 0, fmt.Errorf("audit: %q: no actions and no transcript to attack", a.Name)
	}
	return n, nil
}

func (a Learner) widthIn(l bandit.Calibrated, world int, hidden []bool) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	features, err := newPlayer(a, l).run(a.Worlds[world], hidden, rand.NewPCG(1, 2), nil)
	return len(features), err
}

// player plays a learner on streams.
type player struct {
	Learner
	l    bandit.Calibrated
	now  bandit.Run
	arms []int // of the last round; none in a warm-up
	y    []float64
}

func newPlayer(a Learner, l bandit.Calibrated) *player {
	return &player{Learner: a, l: l, y: make([]float64, a.Problem.Slots)}
}

// reset starts a run. The source seeds the learner's own stream first and then draws the noise.
func (p *player) reset(source rand.Source) {
	own := rand.New(rand.NewPCG(source.Uint64(), source.Uint64()))
	_ = bandit.Close(p.now) // of a run that has failed; the others are closed by now
	p.now = p.l.Start(own, source)
}

// round plays round n and leaves the arms in p.arms.
func (p *player) round(n int, r Round) error {
	p.arms = p.arms[:0]
	if n == 0 {
		w, ok := p.now.(bandit.Warmed)
		if !ok {
			return fmt.Errorf("round 0: a %T takes in none", p.now)
		}
		if err := w.WarmUp(slices.Clone(r.Rewards)); err != nil {
			return fmt.Errorf("round 0: %w", err)
		}
	} else if err := p.play(n, r); err != nil {
		return fmt.Errorf("round %d: %w", n, err)
	}
	return nil
}

func (p *player) play(n int, r Round) error {
	v := bandit.View{Round: n, Arms: p.Problem.Arms, Dim: p.Problem.Dim, X: r.X}
	var err error
	if p.arms, err = p.now.Select(&v, p.arms); err != nil {
		return err
	}
	if len(p.arms) != p.Problem.Slots {
		return fmt.Errorf("its Select chose %d arms, want Slots = %d", len(p.arms), p.Problem.Slots)
	}
	for i, arm := range p.arms {
		if arm < 0 || arm >= p.Problem.Arms {
			return fmt.Errorf("its Select chose arm %d, want in [0, %d)", arm, p.Problem.Arms)
		}
		if slices.Contains(p.arms[:i], arm) {
			return fmt.Errorf("its Select chose %v, want different arms", p.arms)
		}
		p.y[i] = r.Rewards[arm]
	}
	return p.now.Update(&v, p.arms, p.y)
}

// run makes a run and appends what the attacker sees.
func (p *player) run(s Stream, hidden []bool, source rand.Source, dst []float64) ([]float64, error) {
	p.reset(source)
	first := p.first()
	for t, r := range s {
		if err := p.round(t+first, r); err != nil {
			return dst, err
		}
		if !hidden[t] {
			for _, arm := range p.arms {
				dst = append(dst, float64(arm))
			}
		}
		if p.Transcript != nil {
			dst = p.Transcript(p.now, t+first, dst)
		}
	}
	return dst, bandit.Close(p.now)
}
