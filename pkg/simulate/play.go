package simulate

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Round is what [Play] shows of a round that is over. It is valid until the next one.
type Round struct {
	*bandit.View
	Played  []int           // the arms
	Rewards []float64       // theirs
	Trial   bandit.Instance // knows the regret, as environment.Theta and environment.Pairs ask for
	Run     bandit.Run      // the learner's, such as a *learner.PrivateRun
}

// Play plays one trial of a learner and calls visit after each round, for a look inside: an
// [Experiment] keeps curves only. Two learners that play with one seed meet the same contexts and
// draw from the same streams, so their actions can be compared.
//
// The streams are those of the first trial of an experiment, of a policy without a name. Play does
// not compare a claim with the noise drawn.
//
// [Watch] keeps what a learner chooses by.
func Play(env bandit.Environment, l bandit.Learner, rounds int, seed uint64, visit func(r *Round)) error {
	world, err := bandit.OpenWorld(env)
	if err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	return play(world, l, rounds, seed, func(*bandit.View, bandit.Run) error { return nil }, visit)
}

// play is Play, and calls chosen when the run has chosen its arms and before it learns what they
// pay.
func play(world bandit.World, l bandit.Learner, rounds int, seed uint64, chosen func(*bandit.View, bandit.Run) error, visit func(r *Round)) error {
	problem := world.Problem()
	ready, err := l.Open(problem, rounds)
	if err != nil {
		return fmt.Errorf("simulate: Open: %w", err)
	}
	defer bandit.Close(ready)
	trial := world.Start(random.New(seed, 0, "contexts"))
	rewards, y := random.New(seed, 0, "rewards"), make([]float64, problem.Slots)
	run := ready.Start(random.New(seed, 0, "learner/"), random.Source(seed, 0, "noise/"))
	defer bandit.Close(run)
	if wantsWarmUp(ready) {
		all := make([]float64, problem.Arms)
		trial.Pull(random.New(seed, 0, "warm-up"), allArms(problem.Arms), all)
		if err := warmUp(run, all); err != nil {
			return fmt.Errorf("simulate: round 0: %w", err)
		}
	}
	var view bandit.View
	var arms []int
	for round := 1; round <= rounds; round++ {
		trial.Next(&view)
		arms, err = run.Select(&view, arms[:0])
		if bad := checkArms(arms, problem.Slots, view.Arms); err == nil && bad >= 0 {
			err = armsError(arms, bad, problem.Slots, view.Arms)
		}
		if err == nil {
			err = chosen(&view, run)
		}
		if err == nil {
			trial.Pull(rewards, arms, y)
			err = run.Update(&view, arms, y)
		}
		if err != nil {
			return fmt.Errorf("simulate: round %d: %w", round, err)
		}
		visit(&Round{&view, arms, y, trial, run})
	}
	if err := bandit.Close(run); err != nil {
		return fmt.Errorf("simulate: after round %d: %w", rounds, err)
	}
	return nil
}
