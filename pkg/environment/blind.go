package environment

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Blind hides the contexts of an environment: a learner sees arms, and no features of them. It
// compares learners that use features with those that do not, on the same arms and rewards.
type Blind struct{ Environment bandit.Environment }

// Open opens the environment.
func (b Blind) Open() (bandit.World, error) {
	w, err := bandit.OpenWorld(b.Environment)
	if err != nil {
		return nil, err
	}
	p := w.Problem()
	p.Dim, p.ContextNorm = 0, 0
	return bandit.NewWorld(p, func(contexts *rand.Rand) bandit.Instance { return blind{w.Start(contexts)} }), nil
}

// blind is a trial of Blind.
type blind struct{ bandit.Instance }

// Next shows the next round without its contexts.
func (b blind) Next(v *bandit.View) {
	b.Instance.Next(v)
	v.Dim, v.X = 0, nil
}
