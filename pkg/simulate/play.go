package simulate

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Visit looks at a round: what the learner saw, the arms that it played, and the trial that knows
// their regret, as environment.Theta and environment.Pairs ask for. What it gets is valid until it
// returns.
type Visit func(v *bandit.View, arms []int, trial bandit.Instance)

// Play plays one trial of a learner and calls visit after each round, for a look inside: an
// [Experiment] keeps curves only. Two learners that play with one seed meet the same contexts and
// draw from the same streams, so their actions can be compared.
//
// The streams are those of the first trial of an experiment, of a policy without a name. Play does
// not compare a claim with the noise drawn.
func Play(env bandit.Environment, l bandit.Learner, rounds int, seed uint64, visit Visit) error {
	world, err := bandit.OpenWorld(env)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	problem := world.Problem()
	if err := l.Init(problem, rounds); err != nil {
		return fmt.Errorf("simulate: Init: %w", err)
	}
	trial := world.Start(random.New(seed, 0, "contexts"))
	rewards, y := random.New(seed, 0, "rewards"), make([]float64, problem.Slots)
	l.Reset(random.New(seed, 0, "learner/"), random.Source(seed, 0, "noise/"))
	if w := warmer(l); w != nil {
		all := make([]float64, problem.Arms)
		trial.Pull(random.New(seed, 0, "warm-up"), allArms(problem.Arms), all)
		w.WarmUp(all)
	}
	var view bandit.View
	var arms []int
	for round := 1; round <= rounds; round++ {
		trial.Next(&view)
		arms = l.Select(&view, arms[:0])
		bad := checkArms(arms, problem.Slots, view.Arms)
		if bad < 0 {
			trial.Pull(rewards, arms, y)
			l.Update(&view, arms, y)
		}
		if err := l.Err(); err != nil {
			return fmt.Errorf("simulate: round %d: %w", round, err)
		}
		if bad >= 0 {
			return fmt.Errorf("simulate: round %d: %w", round, armsError(arms, bad, problem.Slots, view.Arms))
		}
		visit(&view, arms, trial)
	}
	return nil
}
