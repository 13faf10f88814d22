package judge

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// stage is a problem and what proposes pairs of streams of it, of so many rounds.
type stage struct {
	name    string
	kind    string // the name, without the user
	problem bandit.Problem
	first   int  // the round, from 0, in which they begin to differ
	users   int  // rounds in which the streams differ
	warmUp  bool // the streams begin with round 0
	spare   bool // it is for learners of which the other stages see little by likelihood
	streams func(rounds int) [2]audit.Stream
}

// stages returns those that the learner plays. In each, one user's rewards are turned from one end
// to the other, and all arms are alike, so that whatever is played reaches what is released. In
// spare ones all other contexts are 0, so that a row that depends on releases, as those of a
// logistic model, does not; and the user's own context may be turned, too, which moves it farther.
func (j *judging) stages() (all []stage) {
	var spare []stage
	users := max(1, j.places[0].claim.Neighbours().Contributions)
	var problems []bandit.Problem
	for _, p := range j.places {
		q := p.problem
		if q.Dim > 0 { // rows (c, c) and (c, -c) are at a right angle: no two of their length are farther apart
			q.Dim, q.RewardMin, q.RewardMax = 1, -q.ContextNorm, q.ContextNorm
		}
		q.Arms = max(q.Slots, 1)
		problems = append(problems, q)
		if q.Dim == 0 {
			scaled := q // a learner that scales rewards may scale its noise by another factor
			scaled.RewardMin, scaled.RewardMax = -5, 7
			problems = append(problems, scaled)
		}
		q.Arms++
		problems = append(problems, q)
		if p.problem.Dim > 1 {
			q.Dim = 2
			problems = append(problems, q)
		}
	}
	type size struct {
		arms, dim, slots int
		scaled           bool
	}
	seen := map[size]bool{}
	for _, p := range problems {
		of := size{p.Arms, p.Dim, p.Slots, p.Dim == 0 && p.RewardMin < -1}
		if seen[of] || !j.opens(p, 8) {
			continue
		}
		seen[of] = true
		for _, replaced := range []int{0, 2} {
			name := fmt.Sprintf("%d arms alike", p.Arms)
			if p.Arms == 1 {
				name = "one arm"
			}
			if of.scaled {
				name += fmt.Sprintf(", rewards in [%g, %g]", p.RewardMin, p.RewardMax)
			}
			if p.Dim > 0 {
				name += fmt.Sprintf(", d = %d", p.Dim)
			}
			kind := name
			name += fmt.Sprintf(", user %d replaced", replaced+1)
			s := stage{name, kind, p, replaced, users, j.wantsWarmUp(p), false, func(rounds int) [2]audit.Stream { return alike(p, rounds, replaced, users) }}
			all = append(all, s)
			if p.Dim > 0 {
				turn := p.Dim == 2 && !j.places[0].claim.Neighbours().PublicContexts()
				s.spare, s.streams = true, func(rounds int) [2]audit.Stream { return alone(p, rounds, replaced, users, turn) }
				if s.name += ", alone"; turn {
					s.name += ", her context turned"
				}
				spare = append(spare, s)
			}
		}
	}
	return append(all, spare...)
}

// alone returns the streams of alike in which all other users' contexts are 0, and those that
// differ may be at a right angle.
func alone(p bandit.Problem, rounds, first, users int, turn bool) [2]audit.Stream {
	worlds := alike(p, rounds, first, users)
	for w := range worlds {
		for t := range worlds[w] {
			x := slices.Clone(worlds[w][t].X)
			if t < first || t >= first+users {
				clear(x)
			} else if turn && w == 1 {
				for a := 0; a < len(x); a += p.Dim {
					x[a], x[a+1] = 0, x[a]
				}
			}
			worlds[w][t].X = x
		}
	}
	return worlds
}

// wantsWarmUp reports whether the learner wants a round 0 of a problem that it plays.
func (j *judging) wantsWarmUp(p bandit.Problem) bool {
	l, err := j.learner.Open(p, 8)
	if err != nil {
		return false
	}
	defer bandit.Close(l)
	w, ok := l.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// alike returns streams of arms that are all alike. They differ in the rewards of some users, from
// one on.
func alike(p bandit.Problem, rounds, first, users int) (worlds [2]audit.Stream) {
	x := make([]float64, p.Arms*p.Dim)
	for a := 0; a < len(x); a += p.Dim {
		x[a] = p.ContextNorm
	}
	rewards := func(y float64) []float64 { return slices.Repeat([]float64{y}, p.Arms) }
	middle := p.RewardMin
	if p.RewardMin < 0 && p.RewardMax > 0 {
		middle = 0
	}
	for w, turned := range []float64{p.RewardMax, p.RewardMin} {
		for t := range rounds {
			r := audit.Round{X: x, Rewards: rewards(middle)}
			if t >= first && t < first+users {
				r.Rewards = rewards(turned)
			}
			worlds[w] = append(worlds[w], r)
		}
	}
	return worlds
}

// far is how far beyond their bounds records are, in some attacks.
const far = 1000

// attacks returns the attacks on a stage: by likelihood where that is possible, and else by what is
// learned from runs; and one with records beyond their bounds, which a learner has to clip.
func (s stage) attacks(j *judging) []audit.Item {
	learner := func(rounds, horizon int) audit.Learner {
		return audit.Learner{
			Of: j.learner, Problem: s.problem, Horizon: horizon, Worlds: s.streams(rounds), Contributions: s.users,
			Name: fmt.Sprintf("%s, %d rounds", s.name, rounds), Runs: j.runs(rounds), WarmUp: s.warmUp,
		}
	}
	// Horizons are short, so that all releases are seen. A learner that waits long for its first one
	// may be cut short by that, and is tried with longer horizons.
	var best audit.Likelihood
	var at [2]int
	for _, times := range []int{1, 4} {
		for rounds := 8; rounds <= 2048*times && !(best.Exact >= 0.98*best.Claim.Epsilon && best.Exact > 0); rounds *= 2 {
			item, err := learner(rounds, times*rounds+1).Likelihood()
			if err != nil && !errors.Is(err, audit.ErrNothing) {
				break
			}
			if err == nil && item.Exact > 1.02*best.Exact {
				item.Name += ", releases by likelihood"
				best, at = item, [2]int{rounds, times*rounds + 1}
			}
		}
		if best.Exact > 0 {
			break
		}
	}
	for rounds := 4; rounds > s.first && best.Exact == 0; rounds /= 2 { // what is released may be too much for more
		if item, err := learner(rounds, rounds+1).Likelihood(); err == nil {
			item.Name += ", releases by likelihood"
			best, at = item, [2]int{rounds, rounds + 1}
		}
	}
	if best.Exact == 0 && s.spare {
		return nil
	}
	if best.Exact == 0 {
		l := learner(early, early+1)
		if j.speaks(s) {
			l.Name += ", arms and releases"
			l.Transcript = transcript(s.problem)
		} else if l.Name += ", arms"; s.problem.Arms == s.problem.Slots || s.first > 0 && !j.card.Silent {
			return nil // no choice is left, or nothing is released so soon, whoever is replaced
		}
		l.NoActions = s.problem.Arms == s.problem.Slots // which leave no choice
		beyond := l
		beyond.Name, beyond.Worlds = l.Name+", beyond bounds", audit.Beyond(l.Worlds, far)
		return []audit.Item{l, beyond}
	}
	attacks := append([]audit.Item{best}, s.late(j, best.Exact)...)
	for _, factor := range []float64{3, far} {
		beyond := learner(at[0], at[1])
		beyond.Name, beyond.Worlds = fmt.Sprintf("%s, beyond bounds by %g", best.Name, factor), audit.Beyond(beyond.Worlds, factor)
		if item, err := beyond.Likelihood(); err == nil && item.Exact > 1.001*best.Exact {
			return append(attacks, item)
		}
	}
	return attacks
}

// late returns the attack by likelihood that shows more than so much, on users who come late, among
// rewards at either end, in front of all arms, before a horizon as long as the races'; or one that
// learns from runs, where the noise is not the same in both worlds. Noise that is right in the
// first rounds may be wrong there.
func (s stage) late(j *judging, seen float64) []audit.Item {
	var best, odd audit.Item
	for _, q := range s.wide(j) {
		for _, at := range []struct {
			rounds, first int
			base          float64
		}{
			{32, 0, q.RewardMin}, {32, 1, q.RewardMin}, {32, 2, q.RewardMin}, {32, 18, q.RewardMin}, {32, 32 - s.users, q.RewardMin},
			{128, 64, q.RewardMax}, {128, 128 - s.users, q.RewardMax},
		} {
			if at.first < 0 || at.first+s.users > at.rounds {
				continue
			}
			l := audit.Learner{
				Of: j.learner, Problem: q, Horizon: max(j.horizon(), at.rounds+1), Contributions: s.users, Runs: j.runs(at.rounds), WarmUp: s.warmUp,
				Name:   fmt.Sprintf("%d arms alike, user %d of %d replaced among rewards %.3g", q.Arms, at.first+1, at.rounds, at.base),
				Worlds: alike(q, at.rounds, at.first, s.users),
			}
			for w := range l.Worlds {
				for t, r := range l.Worlds[w] {
					if t < at.first || t >= at.first+s.users {
						l.Worlds[w][t] = audit.Round{X: r.X, Rewards: slices.Repeat([]float64{at.base}, q.Arms)}
					}
				}
			}
			item, err := l.Likelihood()
			switch {
			case err == nil && item.Exact > 1.02*seen:
				seen, item.Name = item.Exact, l.Name+", releases by likelihood"
				best = item
			case errors.Is(err, audit.ErrUneven) && odd == nil:
				l.Transcript, l.Name = sparse(transcript(q)), l.Name+", arms and releases"
				odd = l
			}
		}
	}
	return slices.DeleteFunc([]audit.Item{best, odd}, func(i audit.Item) bool { return i == nil })
}

// wide returns the stage's problem, and with as many arms as that of a world, but no more than 5.
func (s stage) wide(j *judging) []bandit.Problem {
	if s.first > 0 || s.problem.Dim > 1 || s.problem.Arms == s.problem.Slots {
		return nil // another stage covers it
	}
	all := []bandit.Problem{s.problem}
	for _, p := range j.places {
		q := s.problem
		if q.Arms = min(p.problem.Arms, max(5, q.Slots)); p.problem.Slots == q.Slots && q.Arms > s.problem.Arms && j.opens(q, j.horizon()) {
			return append(all, q)
		}
	}
	return all
}

// memory returns the attack on the arms of a long run alone, in which the first user is replaced: a
// raw reward that is kept may show after many rounds.
func (s stage) memory(j *judging) (l audit.Learner, ok bool) {
	rounds := min(j.horizon(), 1_000, j.attackRounds()*5/1_000)
	if s.problem.Arms == s.problem.Slots || s.problem.Dim > 1 || rounds < 16 {
		return l, false
	}
	return audit.Learner{
		Of: j.learner, Problem: s.problem, Horizon: rounds, Contributions: s.users, WarmUp: s.warmUp, Runs: j.runs(rounds),
		Name: fmt.Sprintf("%s, arms of %d rounds", s.name, rounds), Worlds: s.streams(rounds),
	}, true
}

// search looks for two streams that tell much, among many.
func (s stage) search(ctx context.Context, j *judging) (audit.Learner, error) {
	rounds := pick(j.Scale, 32, 128, 256)
	l := audit.Learner{Of: j.learner, Problem: s.problem, Horizon: rounds + 1, Contributions: s.users, WarmUp: s.warmUp, Runs: j.runs(rounds)}
	l.Name = fmt.Sprintf("%s, found by search", s.name)
	l.Worlds = s.streams(rounds) // until the search has better ones
	l.Transcript = sparse(transcript(s.problem))
	tries, o := pick(j.Scale, 10, 60, 200), audit.Options{Seed: j.Seed, Workers: j.Workers}
	if j.slow() {
		tries, o.Runs = tries/2, 50
	}
	propose := audit.LongStreams(s.problem, rounds, s.users)
	if j.places[0].claim.Neighbours().PublicContexts() {
		propose = sameContexts(propose)
	}
	return audit.Search(ctx, l, propose, tries, o)
}

// sameContexts proposes streams that have the same contexts in both worlds, as those of neighbours
// have where contexts are public.
func sameContexts(propose func(*rand.Rand) (world0, world1 audit.Stream)) func(*rand.Rand) (world0, world1 audit.Stream) {
	return func(rng *rand.Rand) (world0, world1 audit.Stream) {
		for range 100 { // the worlds of a proposal may differ in contexts alone
			world0, world1 = propose(rng)
			differ := false
			for t := range world1 {
				world1[t].X = world0[t].X
				differ = differ || !slices.Equal(world0[t].Rewards, world1[t].Rewards)
			}
			if differ {
				break
			}
		}
		return world0, world1
	}
}

// shown is how many numbers of a round's releases an attack looks at that learns from runs.
const shown = 12

// transcript appends the first numbers of what a run says that it has released, and else what
// audit.Releases finds.
func transcript(p bandit.Problem) func(run bandit.Run, round int, dst []float64) []float64 {
	otherwise := audit.Releases(p)
	return func(run bandit.Run, round int, dst []float64) []float64 {
		r, ok := run.(interface {
			Released([]float64) ([]float64, error)
		})
		if !ok {
			return otherwise(run, round, dst)
		}
		n := len(dst)
		dst, err := r.Released(dst)
		if err != nil {
			dst = dst[:n]
		}
		for len(dst) < n+shown {
			dst = append(dst, 0)
		}
		return dst[:n+shown]
	}
}

// sparse leaves out rounds as audit.Releases does, to keep long runs short.
func sparse(all func(bandit.Run, int, []float64) []float64) func(bandit.Run, int, []float64) []float64 {
	return func(run bandit.Run, round int, dst []float64) []float64 {
		if round > 8 && bits.Len(uint(round))-bits.TrailingZeros(uint(round)) > 2 {
			return dst
		}
		return all(run, round, dst)
	}
}

// runs is how often an attack of so many rounds is made in each world.
func (j *judging) runs(rounds int) int {
	least := 1_000
	if j.slow() {
		least = 200
	}
	return min(max(j.attackRounds()/rounds, least), pick(j.Scale, 4_000, 100_000, 1_000_000))
}
