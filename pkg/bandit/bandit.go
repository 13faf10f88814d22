// Package bandit is the vocabulary of the toolkit: what a learner knows, sees and does.
//
//   - [Problem]: what a learner may know before round 1
//   - [Environment]: describes contexts and rewards
//   - [World], [Instance]: an environment that is ready, and one trial of it; the regret
//   - [OpenWorld]: opens an environment, checked; [NewWorld]: a World of a function
//   - [View]: what a learner sees at the start of a round
//   - [Learner]: describes a learner; it becomes a [Calibrated] for a problem, and that a [Run],
//     which chooses arms and learns from their rewards
//   - [Close]: ends a run, or a learner that is open, which holds more than memory
//   - [Warmer], [Warmed]: want a round 0 with the rewards of all arms
//   - [Committed], [Summable], [Plays]: a run and a world for a simulation that jumps
//   - [Warner]: a run that has something to warn of
//   - [Explainer], [Insight]: a run that shows what it chooses by, arm by arm
//   - [Problem.CheckView], [Problem.CheckArms], [CheckHorizon]: validate what a learner is given
//
// In each round the environment shows a [View] with one context row per arm, the learner selects
// arms, the environment answers with their rewards, and the learner updates. The learner never sees
// the parameter theta. Only an environment's [Instance] knows the regret, and only the simulator
// reads it.
//
// Read [Environment] and [Learner] first. Package bandittest checks implementations of both.
package bandit

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
)

// Problem is everything that a learner may know before round 1.
type Problem struct {
	Arms        int     // number of arms K, >= 1
	Dim         int     // dimension d of a context row; 0 means no contexts
	Slots       int     // arms played in each round, 1 <= Slots <= Arms
	ContextNorm float64 // bound L on the Euclidean norm of a context row, > 0 when Dim > 0
	RewardMin   float64 // least reward; a private mechanism clips smaller ones to it
	RewardMax   float64 // largest reward, > RewardMin; a private mechanism clips larger ones to it
}

// Validate reports the first field that is out of range, with its name, value and bound.
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

// RewardBound returns the bound B~ on the absolute value of a reward: max(|RewardMin|,
// |RewardMax|).
func (p Problem) RewardBound() float64 {
	return math.Max(math.Abs(p.RewardMin), math.Abs(p.RewardMax))
}

// View is what a learner sees at the start of a round. X belongs to the environment and is valid
// until its next call of Next; copy a row to keep it.
type View struct {
	Round int       // 1, 2, ...
	Arms  int       // number of arms in this round
	Dim   int       // dimension of a context row
	X     []float64 // context rows, row-major, Arms x Dim
	// Same says that Arms, Dim and the numbers in X are those of round Round-1 of this trial. false is
	// always correct.
	Same bool
}

// Row returns the context of an arm, 0 <= arm < Arms. The result is a slice of X, not a copy.
func (v *View) Row(arm int) []float64 { return v.X[arm*v.Dim : (arm+1)*v.Dim : (arm+1)*v.Dim] }

// Fits reports whether the view belongs to a problem. It does not look at the numbers in X.
// CheckView says what is wrong.
func (v *View) Fits(p *Problem) bool {
	return v.Round >= 1 && v.Dim == p.Dim && v.Arms >= p.Slots && v.Arms <= p.Arms && len(v.X) >= v.Arms*v.Dim &&
		(p.Dim > 0 || v.Arms == p.Arms && len(v.X) == 0)
}

// Learner describes a learner: tuning, and nothing else. It is a plain value of exported fields, of
// which the zero of a tuning field is its default.
type Learner interface {
	// Open validates the tuning against the problem and calibrates. horizon is the number of rounds; an
	// anytime learner ignores it.
	Open(p Problem, horizon int) (Calibrated, error)
}

// Calibrated is a learner that knows its problem. It never changes; all trials share it. One that
// makes a privacy claim is a privacy.Planner.
type Calibrated interface {
	// Start begins a run. Its own choices draw from own; noise is for its mechanisms and nothing else.
	// A learner that holds another hands it noise itself, not a generator over it: the operating
	// system's randomness is known by its type. A run that cannot begin says so in its first Select.
	Start(own *rand.Rand, noise rand.Source) Run
}

// Starts makes a Calibrated of a function that makes runs, for a learner that calibrates nothing.
type Starts func(own *rand.Rand, noise rand.Source) Run

// Start calls the function.
func (s Starts) Start(own *rand.Rand, noise rand.Source) Run { return s(own, noise) }

// Run is a learner in one trial. It chooses arms, learns from their rewards, and is thrown away.
//
// Bad data, such as a NaN or a wrong length, is an error of the call that is given it, and leaves
// the run as it was. A simulation stops the trial.
type Run interface {
	// Select appends the arms to play to dst.
	Select(v *View, dst []int) ([]int, error)
	// Update takes in the rewards y of the arms played. It may reuse what Select computed for v.
	Update(v *View, arms []int, y []float64) error
}

// Warmer is a Calibrated that may ask for a round 0, in which its runs see the reward of every arm
// at once. Round 0 counts neither as a round nor as regret. It is for problems without contexts.
type Warmer interface {
	Calibrated
	// WantsWarmUp reports whether a run needs a round 0. Each run is then a Warmed.
	WantsWarmUp() bool
}

// Warmed is a Run that takes in a round 0.
type Warmed interface {
	Run
	// WarmUp takes in y[a], the reward of each arm a, before the first Select.
	WarmUp(y []float64) error
}

// Warner is a Run that has something to warn of.
type Warner interface {
	Run
	// Warnings describes what did not stop the trial but should be known, such as the number of
	// clipped rows. It may be empty.
	Warnings() []Warning
}

// Warnings returns what a run, or a part of one, has to warn of, if it is something that warns.
func Warnings(x any) []Warning {
	if w, ok := x.(interface{ Warnings() []Warning }); ok {
		return w.Warnings()
	}
	return nil
}

// Warning is something that happened Count times in a trial.
type Warning struct {
	What  string
	Count int
}

// CheckHorizon returns an error that names the value if horizon < 1.
func CheckHorizon(horizon int) error {
	if horizon < 1 {
		return fmt.Errorf("bandit: horizon = %d: horizon must be at least 1", horizon)
	}
	return nil
}

// CheckView returns an error that says what is wrong if a view does not belong to the problem.
func (p Problem) CheckView(v *View) error {
	switch {
	case v.Fits(&p):
		return nil
	case v.Round < 1:
		return fmt.Errorf("View.Round = %d, want >= 1", v.Round)
	case v.Dim != p.Dim:
		return fmt.Errorf("contexts of dimension %d, want %d", v.Dim, p.Dim)
	case p.Dim == 0 && v.Arms != p.Arms:
		return fmt.Errorf("%d arms, want %d", v.Arms, p.Arms)
	case v.Arms < p.Slots || v.Arms > p.Arms:
		return fmt.Errorf("%d arms, want in [%d, %d]", v.Arms, p.Slots, p.Arms)
	}
	return fmt.Errorf("%d numbers in View.X, want Arms x Dim = %d", len(v.X), v.Arms*v.Dim)
}

// CheckArms reports arms and rewards of a round that do not fit the problem and the view. It checks
// neither the values of the rewards nor whether an arm is there twice.
func (p Problem) CheckArms(v *View, arms []int, y []float64) error {
	if len(arms) != p.Slots || len(y) != len(arms) {
		return fmt.Errorf("%d arms and %d rewards in Update, want %d and %d", len(arms), len(y), p.Slots, p.Slots)
	}
	for _, a := range arms {
		if uint(a) >= uint(v.Arms) {
			return fmt.Errorf("arm %d in Update, want in [0, %d)", a, v.Arms)
		}
	}
	return nil
}

// Close closes a Calibrated or a Run that is an io.Closer, and does nothing with any other.
//
// Whoever opens a learner or starts a run closes it when it is over, runs first. It is for learners
// that hold more than memory, such as a process; closing again does nothing.
func Close(x any) error {
	if c, ok := x.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
