package environment

import "github.com/dpbandits/dpbandits/pkg/bandit"

// Blind hides the contexts of an environment: a learner sees arms, and no features of them. It
// compares learners that use features with those that do not, on the same arms and rewards.
type Blind struct{ bandit.Environment }

var _ bandit.Environment = Blind{}

// Problem returns the environment's, without contexts.
func (b Blind) Problem() bandit.Problem {
	p := b.Environment.Problem()
	p.Dim, p.ContextNorm = 0, 0
	return p
}

// Next shows the next round without its contexts.
func (b Blind) Next(v *bandit.View) {
	b.Environment.Next(v)
	v.Dim, v.X = 0, nil
}
