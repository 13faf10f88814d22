package simulate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// fastForwarded warns of a trial whose numbers are not those of a trial round by round.
const fastForwarded = "trials fast-forwarded, with rewards drawn as sums: their law is that of single rounds, their numbers are not"

// checkForward returns an error unless a world's rewards can be drawn as sums.
func checkForward(world bandit.World, env bandit.Environment, p bandit.Problem) error {
	s, ok := world.(bandit.Summable)
	switch {
	case !ok:
		return fmt.Errorf("field FastForward = true, and a %T draws no sums of rewards", env)
	case p.Dim != 0 || p.Slots != 1:
		return fmt.Errorf("field FastForward = true for Problem.Dim = %d, Slots = %d, want 0 and 1", p.Dim, p.Slots)
	}
	if err := s.CheckSums(); err != nil {
		return fmt.Errorf("field FastForward = true: %w", err)
	}
	return nil
}

// sums is an instance of a bandit.Summable.
type sums interface {
	bandit.Instance
	PullSums(rewards *rand.Rand, plays []bandit.Plays)
}

// forward plays all rounds of a trial's policy, and jumps over those that the learner knows
// beforehand. round is the current one, for errors.
func (e *Prepared) forward(ctx context.Context, env sums, s *seat, round *int, regret []float64) error {
	problem := e.world.Problem()
	knows, _ := s.run.(bandit.Committed)
	var plays []bandit.Plays
	view, point := bandit.View{Arms: problem.Arms}, 0
	for turn := 1; view.Round < e.rounds(); turn++ {
		*round = view.Round + 1
		view.Round, view.Same = *round, *round > 1
		if knows != nil {
			plays = knows.Ahead(&view, e.grid[point]-view.Round+1, plays[:0])
		}
		if len(plays) > 0 {
			if err := s.jump(env, knows, &view, plays, e.grid[point]-view.Round+1); err != nil {
				return err
			}
		} else if err := s.step(env, problem, &view); err != nil {
			return err
		}
		if view.Round == e.grid[point] {
			if math.IsNaN(s.sum) || math.IsInf(s.sum, 0) {
				return fmt.Errorf("cumulative regret = %v, want finite", s.sum)
			}
			regret[point] = s.sum
			point++
		}
		if turn%maxChunk == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// jump plays all rounds that a learner knows, and leaves the view at the last of them.
func (s *seat) jump(env sums, knows bandit.Committed, v *bandit.View, plays []bandit.Plays, most int) error {
	rounds := 0
	for _, p := range plays {
		if uint(p.Arm) >= uint(v.Arms) || p.Times < 1 || p.Times > most-rounds {
			return fmt.Errorf("its Ahead says arm %d %d times, want an arm in [0, %d) and 1 to %d rounds in all", p.Arm, p.Times, v.Arms, most)
		}
		rounds += p.Times
		s.arms = append(s.arms[:0], p.Arm)
		s.sum += float64(float64(p.Times) * env.Regret(s.arms))
	}
	env.PullSums(s.rewards, plays)
	if err := knows.UpdateSums(v, plays); err != nil {
		return err
	}
	v.Round += rounds - 1
	s.jumped = true
	return nil
}

// step plays one round.
func (s *seat) step(env bandit.Instance, p bandit.Problem, v *bandit.View) error {
	arms, err := s.run.Select(v, s.arms[:0])
	if s.arms = arms; err != nil {
		return err
	}
	if bad := checkArms(s.arms, p.Slots, p.Arms); bad >= 0 {
		return armsError(s.arms, bad, p.Slots, p.Arms)
	}
	env.Pull(s.rewards, s.arms, s.y)
	s.sum += env.Regret(s.arms)
	return s.run.Update(v, s.arms, s.y)
}
