// Package bandit is the vocabulary of the toolkit: what a problem tells a learner, what a learner
// sees in a round, and the two interfaces that everything else implements or drives.
//
// A round is: the environment shows a [View] (one context row per arm), the learner selects arms,
// the environment answers with their rewards, the learner updates. The learner never sees the
// parameter theta; the regret is known to the environment alone and is read by the simulator alone.
package bandit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Problem is all that a learner may know before round 1.
type Problem struct {
	Arms        int     // number of arms K, >= 1
	Dim         int     // dimension d of a context row; 0: no contexts
	Slots       int     // arms played a round, 1 <= Slots <= Arms
	ContextNorm float64 // bound L on the Euclidean norm of a context row, > 0 when Dim > 0
	RewardMin   float64 // least reward that is not clipped by a private mechanism
	RewardMax   float64 // largest such reward, > RewardMin
}

// Validate reports the first field that is out of its range, by name, value and bound.
func (p Problem) Validate() error {
	switch {
	case p.Arms < 1:
		return fmt.Errorf("bandit: Problem.Arms = %d, want >= 1", p.Arms)
	case p.Dim < 0:
		return fmt.Errorf("bandit: Problem.Dim = %d, want >= 0", p.Dim)
	case p.Slots < 1 || p.Slots > p.Arms:
		return fmt.Errorf("bandit: Problem.Slots = %d, want in [1, Arms = %d]", p.Slots, p.Arms)
	case p.Dim > 0 && !(p.ContextNorm > 0 && !math.IsInf(p.ContextNorm, 1)):
		return fmt.Errorf("bandit: Problem.ContextNorm = %v, want finite and > 0", p.ContextNorm)
	case !(p.RewardMin < p.RewardMax) || math.IsInf(p.RewardMin, 0) || math.IsInf(p.RewardMax, 0):
		return fmt.Errorf("bandit: Problem.RewardMin = %v, RewardMax = %v, want finite and RewardMin < RewardMax", p.RewardMin, p.RewardMax)
	}
	return nil
}

// RewardBound returns the bound B~ on the absolute value of a reward, max(|RewardMin|, |RewardMax|).
func (p Problem) RewardBound() float64 {
	return math.Max(math.Abs(p.RewardMin), math.Abs(p.RewardMax))
}

// View is what a learner sees at the start of a round. X belongs to the environment and is valid
// until its next call of Next; a learner that wants to keep a row copies it.
type View struct {
	Round int       // 1, 2, ...
	Arms  int       // number of arms this round
	Dim   int       // dimension of a context row
	X     []float64 // context rows, row-major, Arms x Dim
	Same  bool      // Arms, Dim and the numbers in X are those of round Round-1 of this trial; false is always right
}

// Row returns the context of an arm, 0 <= arm < Arms. It is a slice of X, not a copy.
func (v *View) Row(arm int) []float64 { return v.X[arm*v.Dim : (arm+1)*v.Dim : (arm+1)*v.Dim] }

// Environment makes the contexts and the rewards of a problem. It is oblivious: what is played
// changes neither the later contexts nor the later rewards of an arm, so that several learners may
// pull in the same round and each meets the contexts it would have met alone.
type Environment interface {
	Problem() Problem
	// Reset draws a fresh instance. It keeps the stream and draws all later contexts from it.
	Reset(contexts *rand.Rand)
	// Next makes the next round's contexts and points v at them.
	Next(v *View)
	// Pull writes the rewards of the arms played into y (len(y) == len(arms)). Each learner brings a
	// stream of its own; a pull takes the same number of draws whatever the arms. Where Problem().Dim is 0, a pull may come before the first Next, see Warmer.
	Pull(rewards *rand.Rand, arms []int, y []float64)
	// Regret is the expected regret of the arms in this round: the best choice's mean reward less theirs.
	Regret(arms []int) float64
}

// Learner chooses arms and learns from their rewards.
type Learner interface {
	// Init validates the tuning against the problem and allocates; horizon is the number of rounds,
	// which a learner that is anytime ignores.
	Init(p Problem, horizon int) error
	// Reset forgets all, before each trial. The learner's own choices draw from own; noise feeds its
	// mechanisms and nothing else.
	Reset(own *rand.Rand, noise rand.Source)
	// Select appends the arms to play to dst.
	Select(v *View, dst []int) []int
	// Update takes in the rewards y of the arms played. It may reuse what Select computed for v.
	Update(v *View, arms []int, y []float64)
	// Err is sticky: bad data (a NaN, a wrong length) leaves the state as it was and is reported
	// here from then on; a simulation stops the trial with it.
	Err() error
	// Warnings describes what did not stop the trial and should not pass unseen, such as clipped
	// rows with their count. It may be empty.
	Warnings() []Warning
}

// Warmer is a Learner that may ask for a round 0, in which it sees the reward of every arm at once. What it plays there counts neither as a round nor as
// regret. It is for problems without contexts.
type Warmer interface {
	Learner
	// WantsWarmUp says whether there has to be a round 0; it is asked after Init.
	WantsWarmUp() bool
	// WarmUp takes in y[a], the reward of each arm a, after Reset and before the first Select.
	WarmUp(y []float64)
}

// Warning is something that happened Count times in a trial.
type Warning struct {
	What  string
	Count int
}

// Base gives a learner Err, Warnings and the failure that Err reports. Embed it, call Fail, and
// override Warnings where there is something to say.
type Base struct{ err error }

// Err returns the first failure since Clear, or nil.
func (b *Base) Err() error { return b.err }

// Fail records the first failure; later ones are dropped.
func (b *Base) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Clear forgets the failure. A learner calls it from Reset.
func (b *Base) Clear() { b.err = nil }

// Warnings returns none.
func (b *Base) Warnings() []Warning { return nil }

// ErrHorizon is wrapped by learners whose Init was given a horizon below 1 and which need one.
var ErrHorizon = errors.New("horizon must be at least 1")

// CheckHorizon returns an error that names the value unless horizon >= 1.
func CheckHorizon(horizon int) error {
	if horizon < 1 {
		return fmt.Errorf("bandit: horizon = %d: %w", horizon, ErrHorizon)
	}
	return nil
}
