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
	Horizon int    // for Init, at least 5 Rounds; 0 means 5 Rounds

	Anytime         bool // Init accepts a horizon below 1
	IgnoresContexts bool // accepts any contexts, and problems without them
	IgnoresRewards  bool // accepts any rewards, as a fixed baseline may
	// Equivariant means that permuting the arms, each with its context, permutes the choice. Ties
	// after the first 10 rounds, and choices drawn at random, break it.
	Equivariant bool
}

// Learner checks that the learners of newLearner are proper learners on the environments of newEnv:
//
//   - Init refuses horizons and problems that are out of range
//   - each choice is Slots different arms, appended to dst
//   - equal streams give equal choices, whoever plays beside the learner
//   - Reset makes the learner as new
//   - it neither writes to the slices that it is given nor keeps them
//   - a round allocates nothing once Rounds rounds are played
//   - bad data (a NaN, a wrong length) is reported by Err from then on, and leaves the next choice
//     unchanged
//   - its choices do not depend on whether View.Same is set
//
// A bandit.Warmer that wants a warm-up gets one after each Reset, and bad data in it must be
// reported too. The suite asks for the regret of each choice, so an environment can panic to refuse
// what no learner may choose, such as a dependent set of a matroid.
func Learner(t testing.TB, newLearner func() bandit.Learner, env bandit.Environment, o LearnerOptions) {
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
	s := learnerSuite{o, newLearner, world}
	runAll(t, []check{
		{"Init", s.init},
		{"Select", s.selects},
		{"Deterministic", s.deterministic},
		{"Reset", s.reset},
		{"KeepsNothing", s.keepsNothing},
		{"BadRewards", s.badRewards},
		{"BadContexts", s.badContexts},
		{"Equivariant", s.equivariant},
		{"Same", s.same},
		{"WarmUp", s.warmUp},
		{"Allocations", s.allocations},
	})
}

// learnerSuite holds what the checks of a learner share.
type learnerSuite struct {
	LearnerOptions
	newLearner func() bandit.Learner
	world      bandit.World
}

// player is a learner with its own contexts and rewards.
type player struct {
	bandit.Learner
	world   bandit.World
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
	p := &player{Learner: s.newLearner(), world: s.world, problem: s.world.Problem()}
	p.y = make([]float64, p.problem.Slots)
	p.arms = make([]int, 0, p.problem.Slots)
	if err := p.Init(p.problem, s.Horizon); err != nil {
		return nil, fmt.Errorf("Init(%+v, %d): %w", p.problem, s.Horizon, err)
	}
	p.restart(seed)
	return p, p.failed("Reset")
}

func (p *player) restart(seed uint64) {
	p.env = p.world.Start(stream(seed, contexts))
	p.rewards = stream(seed, rewards)
	p.Reset(stream(seed, own), rand.NewPCG(seed, noise))
	if w := p.warmer(); w != nil {
		p.warmth = make([]float64, p.problem.Arms)
		p.env.Pull(stream(seed, warmUp), allArms(p.problem.Arms), p.warmth)
		p.shown = slices.Clone(p.warmth)
		w.WarmUp(p.shown)
	}
}

// warmer returns the learner if it wants a warm-up, else nil.
func (p *player) warmer() bandit.Warmer {
	if w, ok := p.Learner.(bandit.Warmer); ok && w.WantsWarmUp() {
		return w
	}
	return nil
}

func (p *player) failed(where string) error {
	if err := p.Err(); err != nil {
		return fmt.Errorf("round %d: Err() = %q after %s, want none", p.view.Round, err, where)
	}
	return nil
}

// round plays a round; it allocates nothing itself.
func (p *player) round() error {
	p.env.Next(&p.view)
	p.arms = p.Select(&p.view, p.arms[:0])
	if len(p.arms) != p.problem.Slots {
		if err := p.failed("Select"); err != nil {
			return err
		}
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
	p.Update(&p.view, p.arms, p.y)
	return p.failed("Update")
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

func (s learnerSuite) init() error {
	good := s.world.Problem()
	if !s.Anytime {
		for _, horizon := range []int{0, -1} {
			if s.newLearner().Init(good, horizon) == nil {
				return fmt.Errorf("its Init accepts horizon = %d, want an error (or Anytime)", horizon)
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
		if s.newLearner().Init(p, s.Horizon) == nil {
			return fmt.Errorf("its Init accepts %+v, want an error", p)
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
	got := p.Select(&p.view, []int{-7, -8})
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
			return fmt.Errorf("round %d: with the same streams and another learner beside it, Select chose %v, alone %v", i+1, b.arms, want)
		}
	}
	return nil
}

func (s learnerSuite) reset() error {
	fresh, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	want, err := fresh.trace(s.Rounds)
	if err != nil {
		return err
	}
	used, err := s.start(s.Seed + 1)
	if err != nil {
		return err
	}
	if _, err := used.trace(s.Rounds/2 + 1); err != nil {
		return err
	}
	used.env.Next(&used.view) // leave it between Select and Update, with an error
	used.arms = used.Select(&used.view, used.arms[:0])
	if !s.IgnoresRewards {
		used.y[0] = math.NaN()
		used.Update(&used.view, used.arms, used.y)
	}
	used.restart(s.Seed)
	if err := used.failed("Reset"); err != nil {
		return err
	}
	got, err := used.trace(s.Rounds)
	if err != nil {
		return err
	}
	if i := firstDifference(got, want); i >= 0 {
		return fmt.Errorf("round %d: after Reset it chooses another arm (%d) than a new one (%d)", i/len(fresh.arms)+1, got[i], want[i])
	}
	if got, want := used.Warnings(), fresh.Warnings(); !slices.Equal(got, want) {
		return fmt.Errorf("Warnings() = %v after Reset and %d rounds, %v of a new one", got, s.Rounds, want)
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
		arms := p.Select(&mine, make([]int, 0, slots))
		if i := firstDifference(arms, want[(round-1)*slots:]); i >= 0 {
			return fmt.Errorf("round %d: its choice changed from %v to %v when slices of earlier rounds were overwritten; it keeps one", round, want[(round-1)*slots:round*slots], arms)
		}
		y := make([]float64, slots)
		p.env.Pull(p.rewards, arms, y)
		chosen, paid := slices.Clone(arms), slices.Clone(y)
		p.Update(&mine, arms, y)
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
	return p.failed("Update")
}

// harm does something bad to a player, in place of the rest of a round (update) or of a whole
// round.
type harm struct {
	name string
	do   func(p *player)
}

// disturb checks that each harm is reported and does not change the next choice, compared with a
// twin that was not harmed. The harm comes after various numbers of rounds. Learner and twin are
// new for each harm, and reset after it, because some take long to make: so Reset has to undo the
// harm as well.
func (s learnerSuite) disturb(harms []harm, select_ bool) error {
	for _, h := range harms {
		hurt, err := s.start(s.Seed)
		if err != nil {
			return err
		}
		twin, err := s.start(s.Seed)
		if err != nil {
			return err
		}
		for seed := s.Seed; seed < s.Seed+3; seed++ {
			for _, after := range []int{0, 1, 2, 7, 30, s.Rounds} {
				if err := strike(h, select_, hurt, twin, after); err != nil {
					return fmt.Errorf("%s after %d rounds: %w", h.name, after, err)
				}
				next := seed
				if after == s.Rounds {
					next++
				}
				hurt.restart(next)
				twin.restart(next)
			}
		}
	}
	return nil
}

// strike harms one of two equal players after so many rounds.
func strike(h harm, select_ bool, hurt, twin *player, after int) error {
	for _, p := range []*player{hurt, twin} {
		if err := p.failed("Reset"); err != nil {
			return err
		}
		if _, err := p.trace(after); err != nil {
			return err
		}
		p.env.Next(&p.view)
		if select_ {
			p.arms = p.Select(&p.view, p.arms[:0])
			p.env.Pull(p.rewards, p.arms, p.y)
		}
	}
	h.do(hurt)
	first := hurt.Err()
	if first == nil {
		return errors.New("Err() = nil, want an error")
	}
	for _, p := range []*player{hurt, twin} {
		p.env.Next(&p.view)
		p.arms = p.Select(&p.view, p.arms[:0])
	}
	if !slices.Equal(hurt.arms, twin.arms) {
		return fmt.Errorf("the next choice is %v, want %v as if nothing had happened (does it draw or learn before it checks?)", hurt.arms, twin.arms)
	}
	hurt.env.Pull(hurt.rewards, hurt.arms, hurt.y)
	hurt.Update(&hurt.view, hurt.arms, hurt.y)
	if err := hurt.Err(); err == nil || err.Error() != first.Error() {
		return fmt.Errorf("Err() = %v a round later, want %q still", err, first)
	}
	return nil
}

func (s learnerSuite) badRewards() error {
	if s.IgnoresRewards {
		return nil
	}
	return s.disturb([]harm{
		{"a NaN as the first reward", func(p *player) {
			p.y[0] = math.NaN()
			p.Update(&p.view, p.arms, p.y)
		}},
		{"a NaN as the last reward", func(p *player) {
			p.y[len(p.y)-1] = math.NaN()
			p.Update(&p.view, p.arms, p.y)
		}},
		{"a reward too few", func(p *player) { p.Update(&p.view, p.arms, p.y[:len(p.y)-1]) }},
		{"a reward too many", func(p *player) { p.Update(&p.view, p.arms, append(slices.Clone(p.y), 0)) }},
	}, true)
}

func (s learnerSuite) badContexts() error {
	if s.IgnoresContexts || s.world.Problem().Dim == 0 {
		return nil
	}
	choose := func(change func(v *bandit.View)) func(*player) {
		return func(p *player) {
			v := p.view
			v.X, v.Same = slices.Clone(v.X), false
			change(&v)
			p.Select(&v, nil)
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
	a.arms = a.Select(&a.view, a.arms[:0])
	b.arms = b.Select(&v, b.arms[:0])
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
	a.Update(&a.view, a.arms, a.y)
	b.Update(&v, b.arms, b.y)
	return errors.Join(a.failed("Update"), b.failed("Update"))
}

// same plays twins, one of which is told by View.Same that contexts are those of the round before.
// The environment keeps its contexts for a spell of rounds. Both twins sit out some rounds, among
// them the first of every other spell. The second of three trials ends after one round, and both
// sit out the first round of the third: in round 2 View.Same is then set over contexts that a
// learner has not seen, and what it saw before Reset no longer counts.
func (s learnerSuite) same() error {
	told, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	twin, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	spell := s.Rounds/5 + 2
	for trial, rounds := range []int{s.Rounds, 1, s.Rounds} {
		if trial > 0 {
			told.restart(s.Seed + uint64(trial))
			twin.restart(s.Seed + uint64(trial))
		}
		for i := range rounds {
			fresh := i%spell == 0
			absent := fresh && (i/spell+trial/2)%2 == 1 || i%23 == 22
			for _, p := range []*player{told, twin} {
				if fresh {
					p.env.Next(&p.view)
				}
				p.view.Round, p.view.Same = i+1, p == told && !fresh
				if absent {
					continue
				}
				p.arms = p.Select(&p.view, p.arms[:0])
				p.env.Pull(p.rewards, p.arms, p.y)
				p.Update(&p.view, p.arms, p.y)
				if err := p.failed("Update"); err != nil {
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
	fresh, err := s.start(s.Seed)
	if err != nil || fresh.warmer() == nil {
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
	case fresh.warmer() == nil:
		return fmt.Errorf("WantsWarmUp() is false after %d rounds, true after Init", s.Rounds)
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
		p, err := s.start(s.Seed)
		if err != nil {
			return err
		}
		p.Reset(stream(s.Seed, own), rand.NewPCG(s.Seed, noise))
		p.warmer().WarmUp(bad.y)
		first := p.Err()
		if first == nil {
			return fmt.Errorf("a warm-up with %s: Err() = nil, want an error", bad.name)
		}
		p.warmer().WarmUp(good)
		if err := p.Err(); err == nil || err.Error() != first.Error() {
			return fmt.Errorf("a warm-up with %s: Err() = %v after a good one, want %q still", bad.name, err, first)
		}
		p.restart(s.Seed)
		got, err := p.trace(s.Rounds)
		if err != nil {
			return fmt.Errorf("a warm-up with %s, and Reset: %w", bad.name, err)
		}
		if i := firstDifference(got, want); i >= 0 {
			return fmt.Errorf("a warm-up with %s, and Reset: it chooses another arm (%d) in round %d than a new one (%d)", bad.name, got[i], i/len(fresh.arms)+1, want[i])
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
