// Package offpolicy says what a policy or a learner would have earned, from a log of what another
// one did.
//
//   - [Log]: rounds of a bandit, with the probability of the arm played
//   - [Evaluation]: estimates the mean reward of a fixed policy by inverse propensity, by its
//     self-normalised form, or doubly robust
//   - [Replay]: plays a learner, which changes as it learns, on the rounds where it agrees with the
//     log
//   - [Estimate]: a value with its standard error, its interval, and what to doubt in it
//
// A log is no bandit.Environment: it has the reward of one arm a round, and an environment has to
// answer for any. So there is no regret here, only rewards.
//
// All of it rests on the propensities: the probabilities with which the arms were really drawn,
// given the context, and none of them 0 for an arm that the new policy plays. Nothing here adds
// noise: an estimate is not private.
//
// Read [Evaluation] first.
package offpolicy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Log is a log of rounds of a bandit: in each, a context, the arm that was drawn for it, with which
// probability, and its reward.
type Log struct {
	Arms, Dim            int       // number of arms, >= 1, and of numbers in a context, >= 0
	Contexts             []float64 // round by round, Dim numbers each
	Chosen               []int     // the arm of each round, in [0, Arms)
	Rewards              []float64 // in [RewardMin, RewardMax]
	Propensities         []float64 // the probability of that arm, in (0, 1]
	RewardMin, RewardMax float64   // bounds on every reward, RewardMin < RewardMax
	// Users names the user of each round by a number >= 0. Rounds of one user depend on each other,
	// and are counted together in standard errors. nil means a user of her own in each round.
	Users []int
}

// Len returns the number of rounds.
func (l *Log) Len() int { return len(l.Chosen) }

// context returns the context of a round.
func (l *Log) context(round int) []float64 {
	return l.Contexts[round*l.Dim : (round+1)*l.Dim : (round+1)*l.Dim]
}

// user returns the user of a round.
func (l *Log) user(round int) int {
	if l.Users == nil {
		return round
	}
	return l.Users[round]
}

// Validate returns an error if a field is out of its range.
func (l *Log) Validate() error {
	if err := l.validate(); err != nil {
		return fmt.Errorf("offpolicy: Log: %w", err)
	}
	return nil
}

func (l *Log) validate() error {
	n := l.Len()
	switch {
	case n == 0:
		return errors.New("no rounds")
	case l.Arms < 1:
		return fmt.Errorf("field Arms = %d, want >= 1", l.Arms)
	case l.Dim < 0:
		return fmt.Errorf("field Dim = %d, want >= 0", l.Dim)
	case len(l.Rewards) != n || len(l.Propensities) != n || l.Users != nil && len(l.Users) != n:
		return fmt.Errorf("%d arms, %d rewards, %d propensities and %d users, want as many", n, len(l.Rewards), len(l.Propensities), len(l.Users))
	case float64(len(l.Contexts)) != float64(n)*float64(l.Dim):
		return fmt.Errorf("field Contexts has %d numbers, want %d rounds of Dim = %d", len(l.Contexts), n, l.Dim)
	case !(l.RewardMin < l.RewardMax && math.Abs(l.RewardMin) <= 1e100 && math.Abs(l.RewardMax) <= 1e100):
		return fmt.Errorf("field RewardMin = %v, RewardMax = %v, want in [-1e100, 1e100] and RewardMin < RewardMax", l.RewardMin, l.RewardMax)
	}
	for i, x := range l.Contexts {
		if x-x != 0 {
			return fmt.Errorf("field Contexts[%d] = %v, want finite", i, x)
		}
	}
	for i, a := range l.Chosen {
		switch y, p := l.Rewards[i], l.Propensities[i]; {
		case a < 0 || a >= l.Arms:
			return fmt.Errorf("field Chosen[%d] = %d, want in [0, Arms = %d)", i, a, l.Arms)
		case !(y >= l.RewardMin && y <= l.RewardMax):
			return fmt.Errorf("field Rewards[%d] = %v, want in [RewardMin = %v, RewardMax = %v]", i, y, l.RewardMin, l.RewardMax)
		case !(p > 0 && p <= 1):
			return fmt.Errorf("field Propensities[%d] = %v, want in (0, 1]", i, p)
		case l.user(i) < 0:
			return fmt.Errorf("field Users[%d] = %d, want >= 0", i, l.Users[i])
		}
	}
	return size.Check(fmt.Sprintf("field Arms = %d", l.Arms), float64(l.Arms))
}
