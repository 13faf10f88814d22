package learner

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Policy chooses arms from what a statistic has released. It is the half of a private learner that
// never sees a reward. It works in two steps, Learn and Act, so that a server can do the first and
// a user's device the second; in one process, one value does both.
//
// To write a learner, write a Policy and combine it with a statistic by [New]: exact sums for a
// learner without privacy, a tree for joint privacy. What Act returns must depend on nothing but
// the broadcast, the view and the policy's own stream. A policy that remembers views would leak
// them past the statistic; package privacytest replays runs to detect that. For a variant of
// LinUCB, embed [LinUCB].
type Policy[R any] interface {
	// Init validates and allocates. r is the release of no records; it holds the bounds on the noise.
	// A policy that reads sums may shift them.
	Init(p bandit.Problem, horizon int, r *R) error
	// Reset forgets everything, before each trial. The policy's own choices draw from own.
	Reset(own *rand.Rand)
	// Learn computes from a release what the next rounds' devices are told. It is called after Reset
	// and each time that the release has changed. The policy owns the slice, which is valid until the
	// next Learn. An error leaves the broadcast as it was.
	Learn(r *R) (broadcast []float64, err error)
	// Act appends the arms to play in a round to dst. The view has passed bandit.CheckView. A
	// malformed broadcast, or a number in the view that is not finite, is an error, and leaves the
	// policy as it was: check first, then draw.
	Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error)
}

// Asker is a Policy that needs something of its statistic: a failure probability for the bounds, or
// a warm-up. Ask changes the setup that the learner of [New] has made from the problem.
type Asker interface {
	Ask(p bandit.Problem, s *privacy.Setup) error
}

// Turner is a Policy that plays arms in turn as long as the release does not move, and draws
// nothing. Over a privacy.Summer it makes a learner that a simulation can fast-forward.
type Turner[R any] interface {
	Policy[R]
	// Turn appends the arms that Act chooses in the view's round and those after it, up to where they
	// repeat. One arm a round is played.
	Turn(broadcast []float64, v *bandit.View, dst []int) ([]int, error)
}
