package bandittest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// LearnerOptions says from which checks a learner is exempt, and what it promises in addition. The
// zero value fits most learners.
type LearnerOptions struct {
	Seed    uint64 // of all streams
	Rounds  int    // rounds played in each check, >= 1; 0 means 200
	Horizon int    // for Open, at least 5 Rounds; 0 means 5 Rounds

	Anytime         bool // Open accepts a horizon below 1
	IgnoresContexts bool // accepts any contexts, and problems without them
	IgnoresRewards  bool // accepts any rewards, as a fixed baseline may
	// Equivariant means that permuting the arms, each with its context, permutes the choice. Ties
	// after the first 10 rounds, and choices drawn at random, break it.
	Equivariant bool
}

// Learner checks that l is a proper learner on an environment:
//
//   - Open refuses horizons and problems that are out of range
//   - each choice is Slots different arms, appended to dst
//   - equal streams give equal choices, whatever other runs play beside
//   - a run neither writes to the slices that it is given nor keeps them
//   - a round allocates nothing once Rounds rounds are played
//   - bad data (a NaN, a wrong length) is an error of the call that is given it, and leaves the run
//     as it was
//   - its choices do not depend on whether View.Same is set
//   - a bandit.Explainer shows each arm of the view, none of those played as one that is out, and
//     plays the same arms if it is asked in each round
//
// A bandit.Warmer that wants a warm-up gets one in each run, and bad data in it must be an error,
// too. The suite asks for the regret of each choice, so an environment can panic to refuse what no
// learner may choose, such as a dependent set of a matroid.
func Learner(t testing.TB, l bandit.Learner, env bandit.Environment, o LearnerOptions) {
	t.Helper()
	if o.Rounds == 0 {
		o.Rounds = 200
	}
	if o.Horizon == 0 {
		o.Horizon = 5 * o.Rounds
	}
	if o.Horizon < 5*o.Rounds {
		t.Errorf("bandittest: LearnerOptions.Horizon = %d, want >= 5 Rounds = %d", o.Horizon, 5*o.Rounds)
		return
	}
	world, err := bandit.OpenWorld(env)
	if err != nil {
		t.Errorf("Open: %v", err)
		return
	}
	s := learnerSuite{LearnerOptions: o, learner: l, world: world}
	if s.ready, err = l.Open(world.Problem(), o.Horizon); err != nil {
		t.Errorf("Open(%+v, %d): %v", world.Problem(), o.Horizon, err)
		return
	}
	runAll(t, []check{
		{"Open", s.opens},
		{"Select", s.selects},
		{"Deterministic", s.deterministic},
		{"KeepsNothing", s.keepsNothing},
		{"BadRewards", s.badRewards},
		{"BadContexts", s.badContexts},
		{"Equivariant", s.equivariant},
		{"Same", s.same},
		{"Explain", s.explains},
		{"WarmUp", s.warmUp},
		{"Allocations", s.allocations},
	})
}

// learnerSuite holds what the checks of a learner share.
type learnerSuite struct {
	LearnerOptions
	learner bandit.Learner
	ready   bandit.Calibrated // all runs are of one
	world   bandit.World
}

// player is a run with its own contexts and rewards.
type player struct {
	bandit.Run
	env     bandit.Instance
	problem bandit.Problem
	rewards *rand.Rand
	view    bandit.View
	arms    []int
	y       []float64
	warmth  []float64 // copy of the rewards of the warm-up, if there was one
	shown   []float64 // the slice in which the learner got them
}

// start returns a player with the streams of a seed.
func (s learnerSuite) start(seed uint64) (*player, error) {
	p, err := s.cold(seed)
	if err != nil || !s.wantsWarmUp() {
		return p, err
	}
	p.warmth = make([]float64, p.problem.Arms)
	p.env.Pull(stream(seed, warmUp), allArms(p.problem.Arms), p.warmth)
	p.shown = slices.Clone(p.warmth)
	w, ok := p.Run.(bandit.Warmed)
	if !ok {
		return nil, fmt.Errorf("a run is a %T, want a bandit.Warmed as WantsWarmUp() = true", p.Run)
	}
	if err := w.WarmUp(p.shown); err != nil {
		return nil, fmt.Errorf("WarmUp: %w", err)
	}
	return p, nil
}

// cold returns a player without a warm-up.
func (s learnerSuite) cold(seed uint64) (*player, error) {
	p := &player{problem: s.world.Problem()}
	p.y = make([]float64, p.problem.Slots)
	p.arms = make([]int, 0, p.problem.Slots)
	p.env = s.world.Start(stream(seed, contexts))
	p.rewards = stream(seed, rewards)
	if p.Run = s.ready.Start(stream(seed, own), rand.NewPCG(seed, noise)); p.Run == nil {
		return nil, errors.New("Start returned nil")
	}
	return p, nil
}

func (s learnerSuite) wantsWarmUp() bool {
	w, ok := s.ready.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// choose selects arms for the player's view, or another one.
func (p *player) choose(v *bandit.View) (err error) {
	if p.arms, err = p.Select(v, p.arms[:0]); err != nil {
		return fmt.Errorf("round %d: Select: %w", v.Round, err)
	}
	return nil
}

// learn updates by what was pulled.
func (p *player) learn(v *bandit.View) error {
	if err := p.Update(v, p.arms, p.y); err != nil {
		return fmt.Errorf("round %d: Update: %w", v.Round, err)
	}
	return nil
}

// round plays a round; it allocates nothing itself.
func (p *player) round() error {
	p.env.Next(&p.view)
	if err := p.choose(&p.view); err != nil {
		return err
	}
	if len(p.arms) != p.problem.Slots {
		return fmt.Errorf("round %d: Select chose %d arms, want Slots = %d", p.view.Round, len(p.arms), p.problem.Slots)
	}
	for i, a := range p.arms {
		if a < 0 || a >= p.view.Arms {
			return fmt.Errorf("round %d: Select chose arm %d, want in [0, %d)", p.view.Round, a, p.view.Arms)
		}
		if slices.Contains(p.arms[:i], a) {
			return fmt.Errorf("round %d: Select chose %v, want different arms", p.view.Round, p.arms)
		}
	}
	p.env.Pull(p.rewards, p.arms, p.y)
	if r := p.env.Regret(p.arms); math.IsNaN(r) {
		return fmt.Errorf("round %d: the regret of arms %v is NaN", p.view.Round, p.arms)
	}
	return p.learn(&p.view)
}

// trace plays rounds and returns all arms chosen.
func (p *player) trace(rounds int) (chosen []int, err error) {
	for range rounds {
		if err := p.round(); err != nil {
			return nil, err
		}
		chosen = append(chosen, p.arms...)
	}
	return chosen, nil
}

func (s learnerSuite) opens() error {
	good := s.world.Problem()
	if !s.Anytime {
		for _, horizon := range []int{0, -1} {
			if _, err := s.learner.Open(good, horizon); err == nil {
				return fmt.Errorf("its Open accepts horizon = %d, want an error (or Anytime)", horizon)
			}
		}
	}
	bad := []func(*bandit.Problem){
		func(p *bandit.Problem) { p.Arms = 0 },
		func(p *bandit.Problem) { p.Dim = -1 },
		func(p *bandit.Problem) { p.Slots = 0 },
		func(p *bandit.Problem) { p.Slots = p.Arms + 1 },
		func(p *bandit.Problem) { p.RewardMax = p.RewardMin },
		func(p *bandit.Problem) { p.RewardMin = math.NaN() },
		func(p *bandit.Problem) { p.RewardMax = math.Inf(1) },
	}
	if good.Dim > 0 {
		bad = append(bad,
			func(p *bandit.Problem) { p.ContextNorm = 0 },
			func(p *bandit.Problem) { p.ContextNorm = math.NaN() })
		if !s.IgnoresContexts {
			bad = append(bad, func(p *bandit.Problem) { p.Dim = 0 })
		}
	}
	for _, change := range bad {
		p := good
		change(&p)
		if _, err := s.learner.Open(p, s.Horizon); err == nil {
			if err := p.Validate(); err != nil {
				return fmt.Errorf("its Open accepts a problem that Problem.Validate refuses: %w", err)
			}
			return fmt.Errorf("its Open accepts %+v, want an error", p)
		}
	}
	return nil
}

func (s learnerSuite) selects() error {
	p, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	if _, err := p.trace(s.Rounds); err != nil {
		return err
	}
	p.env.Next(&p.view)
	got, err := p.Select(&p.view, []int{-7, -8})
	if err != nil {
		return err
	}
	if len(got) != 2+p.problem.Slots || got[0] != -7 || got[1] != -8 {
		return fmt.Errorf("Select(v, [-7 -8]) = %v, want %d arms appended", got, p.problem.Slots)
	}
	return nil
}

func (s learnerSuite) deterministic() error {
	a, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	alone, err := a.trace(s.Rounds)
	if err != nil {
		return err
	}
	b, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	other, err := s.start(s.Seed + 1)
	if err != nil {
		return err
	}
	for i := range s.Rounds {
		if err := other.round(); err != nil {
			return err
		}
		if err := b.round(); err != nil {
			return err
		}
		if want := alone[i*len(b.arms) : (i+1)*len(b.arms)]; !slices.Equal(b.arms, want) {
			return fmt.Errorf("round %d: with the same streams and another run beside it, Select chose %v, alone %v", i+1, b.arms, want)
		}
	}
	return nil
}

func firstDifference(a, b []int) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// keepsNothing gives the learner slices and overwrites them as soon as a call may no longer use
// them.
func (s learnerSuite) keepsNothing() error {
	p, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	want, err := p.trace(s.Rounds)
	if err != nil {
		return err
	}
	if p, err = s.start(s.Seed); err != nil {
		return err
	}
	for i := range p.shown {
		p.shown[i] = math.NaN()
	}
	slots := p.problem.Slots
	for round := 1; round <= s.Rounds; round++ {
		p.env.Next(&p.view)
		x := slices.Clone(p.view.X)
		mine := p.view
		mine.X = x
		arms, err := p.Select(&mine, make([]int, 0, slots))
		if err != nil {
			return err
		}
		if i := firstDifference(arms, want[(round-1)*slots:]); i >= 0 {
			return fmt.Errorf("round %d: its choice changed from %v to %v when slices of earlier rounds were overwritten; it keeps one", round, want[(round-1)*slots:round*slots], arms)
		}
		y := make([]float64, slots)
		p.env.Pull(p.rewards, arms, y)
		chosen, paid := slices.Clone(arms), slices.Clone(y)
		if err := p.Update(&mine, arms, y); err != nil {
			return err
		}
		switch {
		case !sameBits(x, p.view.X) || mine.Round != round || mine.Arms != p.view.Arms || mine.Dim != p.view.Dim || len(mine.X) != len(x):
			return fmt.Errorf("round %d: it wrote to the view", round)
		case !slices.Equal(arms, chosen):
			return fmt.Errorf("round %d: Update wrote to the arms", round)
		case !sameBits(y, paid):
			return fmt.Errorf("round %d: Update wrote to the rewards", round)
		}
		for i := range x {
			x[i] = math.NaN()
		}
		for i := range arms {
			arms[i], y[i] = -1, math.NaN()
		}
		mine = bandit.View{}
	}
	return nil
}

// harm does something bad to a player, in place of the rest of a round (update) or of a whole
// round. It returns what the player says.
type harm struct {
	name string
	do   func(p *player) error
}

// disturb checks that each harm is an error and changes no later choice, compared with a twin that
// was not harmed. The harm comes after various numbers of rounds.
func (s learnerSuite) disturb(harms []harm, selected bool) error {
	for _, h := range harms {
		for seed := s.Seed; seed < s.Seed+3; seed++ {
			for _, after := range []int{0, 1, 2, 7, 30, s.Rounds} {
				hurt, err := s.start(seed)
				if err != nil {
					return err
				}
				twin, err := s.start(seed)
				if err != nil {
					return err
				}
				if err := strike(h, selected, hurt, twin, after); err != nil {
					return fmt.Errorf("%s after %d rounds: %w", h.name, after, err)
				}
			}
		}
	}
	return nil
}

// strike harms one of two equal players after so many rounds.
func strike(h harm, selected bool, hurt, twin *player, after int) error {
	for _, p := range []*player{hurt, twin} {
		if _, err := p.trace(after); err != nil {
			return err
		}
		p.env.Next(&p.view)
		if selected {
			if err := p.choose(&p.view); err != nil {
				return err
			}
			p.env.Pull(p.rewards, p.arms, p.y)
		}
	}
	if h.do(hurt) == nil {
		return errors.New("want an error")
	}
	for range 3 {
		for _, p := range []*player{hurt, twin} {
			if err := p.round(); err != nil {
				return fmt.Errorf("a round later: %w", err)
			}
		}
		if !slices.Equal(hurt.arms, twin.arms) {
			return fmt.Errorf("the next choice is %v, want %v as if nothing had happened (does it draw or learn before it checks?)", hurt.arms, twin.arms)
		}
	}
	return nil
}

func (s learnerSuite) badRewards() error {
	if s.IgnoresRewards {
		return nil
	}
	return s.disturb([]harm{
		{"a NaN as the first reward", func(p *player) error {
			p.y[0] = math.NaN()
			return p.Update(&p.view, p.arms, p.y)
		}},
		{"a NaN as the last reward", func(p *player) error {
			p.y[len(p.y)-1] = math.NaN()
			return p.Update(&p.view, p.arms, p.y)
		}},
		{"a reward too few", func(p *player) error { return p.Update(&p.view, p.arms, p.y[:len(p.y)-1]) }},
		{"a reward too many", func(p *player) error { return p.Update(&p.view, p.arms, append(slices.Clone(p.y), 0)) }},
	}, true)
}

func (s learnerSuite) badContexts() error {
	if s.IgnoresContexts || s.world.Problem().Dim == 0 {
		return nil
	}
	choose := func(change func(v *bandit.View)) func(*player) error {
		return func(p *player) error {
			v := p.view
			v.X, v.Same = slices.Clone(v.X), false
			change(&v)
			_, err := p.Select(&v, nil)
			return err
		}
	}
	return s.disturb([]harm{
		{"a NaN as the first number of the contexts", choose(func(v *bandit.View) { v.X[0] = math.NaN() })},
		{"a NaN as the last number of the contexts", choose(func(v *bandit.View) { v.X[len(v.X)-1] = math.NaN() })},
		{"contexts that are a number short", choose(func(v *bandit.View) { v.X = v.X[:len(v.X)-1] })},
		{"no contexts", choose(func(v *bandit.View) { v.X = nil })},
		{"contexts of another dimension", choose(func(v *bandit.View) {
			v.Dim++
			v.X = make([]float64, v.Arms*v.Dim)
		})},
	}, false)
}

// tied is the number of first rounds in which little is known, so that arms may tie. In these
// rounds the permuted twin plays what the other chose.
const tied = 10

// equivariant plays twins, one of them with the arms permuted, under three permutations.
func (s learnerSuite) equivariant() error {
	if !s.Equivariant {
		return nil
	}
	for n := range uint64(3) {
		a, err := s.start(s.Seed + n)
		if err != nil {
			return err
		}
		b, err := s.start(s.Seed + n)
		if err != nil {
			return err
		}
		if a.problem.Dim == 0 {
			return errors.New("LearnerOptions.Equivariant needs contexts")
		}
		perm := stream(s.Seed+n, choice).Perm(a.problem.Arms) // b's arm i is a's arm perm[i]
		for range s.Rounds {
			if err := permuted(a, b, perm); err != nil {
				return err
			}
		}
	}
	return nil
}

func permuted(a, b *player, perm []int) error {
	a.env.Next(&a.view)
	v := a.view
	if v.Arms != len(perm) {
		return errors.New("LearnerOptions.Equivariant needs the same number of arms each round")
	}
	v.X = make([]float64, len(a.view.X))
	for i, j := range perm {
		copy(v.Row(i), a.view.Row(j))
	}
	if err := errors.Join(a.choose(&a.view), b.choose(&v)); err != nil {
		return err
	}
	same := make([]int, len(b.arms)) // b's choice by a's names
	for i, arm := range b.arms {
		same[i] = perm[arm]
	}
	if v.Round <= tied {
		same = slices.Clone(a.arms)
		for i, arm := range a.arms {
			b.arms[i] = slices.Index(perm, arm)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(a.arms)), slices.Sorted(slices.Values(same))) {
		return fmt.Errorf("round %d: it chose %v, and with the arms permuted what was %v", v.Round, a.arms, same)
	}
	a.env.Pull(a.rewards, a.arms, a.y)
	for i, arm := range same {
		b.y[i] = a.y[slices.Index(a.arms, arm)]
	}
	return errors.Join(a.learn(&a.view), b.learn(&v))
}

// same plays twins, one of which is told by View.Same that contexts are those of the round before.
// The environment keeps its contexts for a spell of rounds. Both twins sit out some rounds, among
// them the first of every other spell; in a second run, also the first round of all. View.Same is
// then set over contexts that a run has not seen.
func (s learnerSuite) same() error {
	spell := s.Rounds/5 + 2
	for trial := range 2 {
		told, err := s.start(s.Seed + uint64(trial))
		if err != nil {
			return err
		}
		twin, err := s.start(s.Seed + uint64(trial))
		if err != nil {
			return err
		}
		for i := range s.Rounds {
			fresh := i%spell == 0
			absent := fresh && (i/spell+trial)%2 == 1 || i%23 == 22
			for _, p := range []*player{told, twin} {
				if fresh {
					p.env.Next(&p.view)
				}
				p.view.Round, p.view.Same = i+1, p == told && !fresh
				if absent {
					continue
				}
				if err := p.choose(&p.view); err != nil {
					return err
				}
				p.env.Pull(p.rewards, p.arms, p.y)
				if err := p.learn(&p.view); err != nil {
					return err
				}
			}
			if !slices.Equal(told.arms, twin.arms) {
				return fmt.Errorf("trial %d, round %d: Select chose %v, and %v without View.Same", trial+1, i+1, told.arms, twin.arms)
			}
		}
	}
	return nil
}

// warmUp gives good and bad warm-ups to a learner that wants one.
func (s learnerSuite) warmUp() error {
	if !s.wantsWarmUp() {
		return nil
	}
	fresh, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	good := fresh.warmth
	want, err := fresh.trace(s.Rounds)
	switch {
	case err != nil:
		return err
	case !sameBits(good, fresh.shown):
		return errors.New("WarmUp wrote to its rewards, or a later call did")
	case fresh.problem.Dim > 0:
		return fmt.Errorf("it wants a warm-up, which is for problems without contexts: Problem.Dim = %d, want 0", fresh.problem.Dim)
	}
	if s.IgnoresRewards {
		return nil
	}
	for _, bad := range []struct {
		name string
		y    []float64
	}{
		{"a NaN as the first reward", slices.Concat([]float64{math.NaN()}, good[1:])},
		{"a NaN as the last reward", append(slices.Clone(good[:len(good)-1]), math.NaN())},
		{"an infinite reward", append(slices.Clone(good[:len(good)-1]), math.Inf(1))},
		{"a reward too few", good[:len(good)-1]},
		{"a reward too many", append(slices.Clone(good), 0)},
	} {
		p, err := s.cold(s.Seed)
		if err != nil {
			return err
		}
		p.env.Pull(stream(s.Seed, warmUp), allArms(p.problem.Arms), slices.Clone(good))
		w := p.Run.(bandit.Warmed)
		if w.WarmUp(bad.y) == nil {
			return fmt.Errorf("a warm-up with %s: no error", bad.name)
		}
		if err := w.WarmUp(good); err != nil {
			return fmt.Errorf("a good warm-up after one with %s: %w", bad.name, err)
		}
		got, err := p.trace(s.Rounds)
		if err != nil {
			return fmt.Errorf("a warm-up with %s, and a good one: %w", bad.name, err)
		}
		if i := firstDifference(got, want); i >= 0 {
			return fmt.Errorf("a warm-up with %s, and a good one: it chooses another arm (%d) in round %d than without the first (%d)", bad.name, got[i], i/len(fresh.arms)+1, want[i])
		}
	}
	return nil
}

func (s learnerSuite) allocations() error {
	p, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	if _, err := p.trace(s.Rounds); err != nil {
		return err
	}
	n := testing.AllocsPerRun(3, func() { // called 4 times
		for range s.Rounds {
			if err == nil {
				err = p.round()
			}
		}
	})
	if err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%v allocations in %d rounds, want 0 (the environment's included)", n, s.Rounds)
	}
	return nil
}
