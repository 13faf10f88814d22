package bandit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
)

// Environment describes contexts and rewards: a plain value, equal by its text. The zero value of a
// field that tunes it is a documented default.
//
// It holds no state, no function and no pointer to either; slices are only read. Open makes the
// World in which trials are played.
type Environment interface {
	// Open validates the description, and does what all trials share.
	Open() (World, error)
}

// World is an environment that is ready. It never changes, and all trials share it, from several
// goroutines.
type World interface {
	Problem() Problem
	// Start draws an instance for one trial. It keeps the stream and draws all later contexts from it.
	Start(contexts *rand.Rand) Instance
}

// Instance is the contexts and rewards of one trial. It is oblivious: the arms played change
// neither later contexts nor an arm's later rewards. So several learners may pull in the same
// round, and each sees the contexts that it would see alone.
type Instance interface {
	// Next makes the next round's contexts and points v at them.
	Next(v *View)
	// Pull writes the rewards of the arms played to y, with len(y) == len(arms). Each learner brings
	// its own stream, and a pull takes the same number of draws whatever the arms. If there are no
	// contexts, a pull may come before the first Next; see Warmer.
	Pull(rewards *rand.Rand, arms []int, y []float64)
	// Regret returns the expected regret of the arms in this round: the mean reward of the best choice
	// minus theirs. Where rewards follow no law, it is what the round adds to the regret in hindsight,
	// against the choice that has gained most in all rounds so far, and may be negative.
	Regret(arms []int) float64
}

// OpenWorld opens an environment. It refuses a nil one, one that opens as nil, and an invalid
// problem.
func OpenWorld(env Environment) (World, error) {
	if isNil(env) {
		return nil, errors.New("bandit: the environment is nil")
	}
	w, err := env.Open()
	if err != nil {
		return nil, err
	}
	if isNil(w) {
		return nil, fmt.Errorf("bandit: Open of %T returned nil", env)
	}
	if err := w.Problem().Validate(); err != nil {
		return nil, err
	}
	return w, nil
}

func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || r.Kind() == reflect.Pointer && r.IsNil()
}

// NewWorld makes a World of its problem and of a function that starts an instance. Several
// goroutines call start; the instances must share nothing that they write.
func NewWorld(p Problem, start func(contexts *rand.Rand) Instance) World { return world{p, start} }

type world struct {
	problem Problem
	start   func(contexts *rand.Rand) Instance
}

func (w world) Problem() Problem                   { return w.problem }
func (w world) Start(contexts *rand.Rand) Instance { return w.start(contexts) }
