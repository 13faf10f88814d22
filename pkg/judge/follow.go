package judge

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// early is how many rounds the attacks have that learn from runs and follow no release.
const early = 16

// mostFollowed is how many rounds a learner is played in which its first releases are looked for.
const mostFollowed = 4_096

// followedRounds is the number of rounds, in both worlds together, that the attacks may play that
// follow a learner's releases.
func (j *judging) followedRounds() int {
	n := pick(j.Scale, 800_000, 12_000_000, 120_000_000)
	if !j.slow() {
		n *= 4
	}
	return n
}

// followed is a stage of which nothing goes by likelihood, and the rounds in which a run of it said
// something new.
type followed struct {
	stage
	horizon int
	at      []int // rising
}

// told returns a transcript of all that a run has released, in whatever round, and whether it says
// that much at all.
func told(p bandit.Problem) func(run bandit.Run) (numbers []float64, news bool) {
	all := audit.Releases(p)
	return func(run bandit.Run) ([]float64, bool) {
		r, ok := run.(interface {
			Released([]float64) ([]float64, error)
		})
		if !ok {
			return all(run, 1, nil), true // of round 1, nothing is left out
		}
		numbers, err := r.Released(nil)
		if err != nil {
			return nil, false
		}
		_, program := run.(interface{ Release() []float64 })
		// A learner of the toolkit says in the first number whether its release has moved.
		return numbers, program || len(numbers) > 0 && numbers[0] != 0
	}
}

// follow plays a stage once and notes in which rounds it releases something new. Horizons grow
// until two releases are seen: a learner may wait the longer the longer its horizon is.
func (s stage) follow(j *judging) (f followed, err error) {
	f.stage = s
	for horizon := 64; horizon <= mostFollowed && len(f.at) < 2; horizon *= 4 {
		at, err := s.released(j, horizon)
		if err != nil {
			return f, err
		}
		if len(at) > len(f.at) {
			f.horizon, f.at = horizon, at
		}
	}
	return f, nil
}

// speaks reports whether a stage of which nothing goes by likelihood releases something in the
// rounds of a short attack. It follows the stage, for those that are longer.
func (j *judging) speaks(s stage) bool {
	if j.card.Silent {
		return false
	}
	i := slices.IndexFunc(j.followed, func(f followed) bool { return f.kind == s.kind })
	if i < 0 {
		i = len(j.followed)
		j.Progress("looking for releases of " + s.kind)
		f, err := s.follow(j)
		if err == nil && len(f.at) == 0 {
			err = fmt.Errorf("nothing new is released in %d rounds", mostFollowed)
		}
		if err != nil {
			j.card.Attacks = append(j.card.Attacks, Attack{Name: s.kind, Failed: err.Error()})
		}
		j.followed = append(j.followed, f)
	}
	at := j.followed[i].at
	return len(at) > 0 && at[0] <= early
}

// released returns the rounds of a run, of the first world, in which it releases something new.
func (s stage) released(j *judging, horizon int) (at []int, err error) {
	stream := s.streams(horizon)[0]
	// Rewards are at random, so that a release without noise moves, too.
	chance(s.problem, stream, random.New(j.Seed, 0, "judge/follow/rewards"))
	look := told(s.problem)
	var last []float64
	err = j.through(s, stream, horizon, random.Source(j.Seed, 0, "judge/follow"), func(run bandit.Run, round int) {
		now, news := look(run)
		switch {
		case round == 0:
			last = now
		case news && !slices.Equal(now, last):
			// The first list that a program tells may be a place holder, such as zeros.
			if len(last) > 0 || slices.ContainsFunc(now, func(x float64) bool { return x != math.Trunc(x) }) {
				at = append(at, round)
			}
			last = now
		}
	})
	return at, err
}

// chance draws the rewards of a stream, for all arms alike.
func chance(p bandit.Problem, stream audit.Stream, rng *rand.Rand) {
	for _, r := range stream {
		y := p.RewardMin + float64((p.RewardMax-p.RewardMin)*rng.Float64())
		for a := range r.Rewards {
			r.Rewards[a] = y
		}
	}
}

// through plays a run of a stage on a stream, before a horizon, and shows it before the first round
// and after each. A panic is an error.
func (j *judging) through(s stage, stream audit.Stream, horizon int, noise rand.Source, visit func(run bandit.Run, round int)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	l, err := j.learner.Open(s.problem, horizon)
	if err != nil {
		return err
	}
	defer bandit.Close(l)
	run := l.Start(random.New(j.Seed, 0, "judge/follow/learner"), noise)
	defer bandit.Close(run)
	if s.warmUp {
		w, ok := run.(bandit.Warmed)
		if !ok {
			return fmt.Errorf("a %T takes in no round 0", run)
		}
		if err := w.WarmUp(slices.Clone(stream[0].Rewards)); err != nil {
			return err
		}
	}
	visit(run, 0)
	var arms []int
	y := make([]float64, s.problem.Slots)
	for t, r := range stream {
		v := bandit.View{Round: t + 1, Arms: s.problem.Arms, Dim: s.problem.Dim, X: r.X}
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			return err
		}
		for i, a := range arms {
			y[i] = r.Rewards[a]
		}
		if err := run.Update(&v, arms, y); err != nil {
			return err
		}
		visit(run, t+1)
	}
	return nil
}

// follows returns the attacks that follow releases. The stage whose first release comes soonest is
// attacked most: in its first release, and in later ones at random places. The others are attacked
// in their first one, as far as rounds are left.
func (j *judging) follows() (items []audit.Item) {
	all := slices.DeleteFunc(slices.Clone(j.followed), func(f followed) bool { return len(f.at) == 0 })
	slices.SortStableFunc(all, func(a, b followed) int { return cmp.Compare(a.at[0], b.at[0]) })
	left := j.followedRounds()
	add := func(f followed, k, share int) {
		last := f.at[k]
		runs := min(share/2/last, pick(j.Scale, 1_000, 100_000, 1_000_000))
		if runs < leastFollowed || 2*runs*last > left {
			return
		}
		left -= 2 * runs * last
		items = append(items, f.attack(j, k, runs))
	}
	for i, f := range all {
		if f.at[0] > early {
			share := j.followedRounds() / 16
			if i == 0 {
				share *= 8
			}
			add(f, 0, max(share, 2*leastFollowed*f.at[0]))
		}
	}
	if len(all) == 0 {
		return nil
	}
	f := all[0]
	if at, err := f.released(j, j.horizon()); err == nil {
		f.horizon, f.at = j.horizon(), at
	}
	for _, k := range j.later(f) {
		add(f, k, max(j.followedRounds()/16, 2*leastFollowed*f.at[k]))
	}
	return items
}

// leastFollowed is the least number of runs, in each world, that show noise that is left out.
const leastFollowed = 200

// later returns later releases that short attacks do not see: up to three at random, each from a
// third of them, and those of up to three rounds that are powers of two, at which a tree has a node
// of its own for all that it has seen.
func (j *judging) later(f followed) (ks []int) {
	rng := random.New(j.Seed, 0, "judge/later")
	begin := 1
	for begin < len(f.at) && f.at[begin] <= early {
		begin++
	}
	// no place is out of reach that would cost more than a quarter of all rounds
	end := begin
	for end < len(f.at) && 2*leastFollowed*f.at[end] <= j.followedRounds()/4 {
		end++
	}
	for i := range 3 {
		lo, hi := begin+(end-begin)*i/3, begin+(end-begin)*(i+1)/3
		if lo < hi {
			ks = append(ks, lo+rng.IntN(hi-lo))
		}
	}
	powers := 0
	for k := end - 1; k >= begin && powers < 3; k-- {
		if at := f.at[k]; at&(at-1) == 0 {
			powers++
			if !slices.Contains(ks, k) {
				ks = append(ks, k)
			}
		}
	}
	return ks
}

// attack returns the attack on a release, counted from 0, by the data of a user who came after the
// one before it.
func (f followed) attack(j *judging, k, runs int) audit.Learner {
	rounds, from := f.at[k], 0
	if k > 0 {
		from = f.at[k-1]
	}
	user, warm := max(0, min(from, rounds-f.users)), 0
	if f.warmUp {
		warm = 1
	}
	seen := transcript(f.problem)
	name := fmt.Sprintf("%s, user %d replaced, release of round %d", f.kind, user+1, rounds)
	return audit.Learner{
		Of: j.learner, Problem: f.problem, Horizon: max(f.horizon, rounds), Contributions: f.users, WarmUp: f.warmUp, Runs: runs, NoActions: true,
		Name: name, Worlds: alike(f.problem, rounds+warm, user+warm, f.users),
		Transcript: func(run bandit.Run, round int, dst []float64) []float64 {
			if round == rounds || k > 0 && round == from {
				return seen(run, 1, dst) // of round 1, nothing is left out
			}
			return dst
		},
	}
}
