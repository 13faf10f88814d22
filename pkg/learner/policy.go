package learner

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Policy describes how arms are chosen from what a statistic has released: tuning, and nothing
// else. It is the half of a private learner that never sees a reward.
//
// To write a learner, write a Policy and combine it with a statistic by [New]: exact sums for a
// learner without privacy, a tree for joint privacy. A policy is a plain value of exported fields,
// of which the zero is a documented default. What changes in a run belongs to its [Rule]. [Begins]
// makes a Prepared of a function. Most policies are a formula: see arms.ByIndex and linear.ByIndex.
// One that is not is hopeful.go in notebooks/own.
type Policy[R any] interface {
	// Prepare validates the tuning and does what all trials share. r is a release of no records; it
	// holds the bounds on the noise. A policy that reads sums may shift them.
	Prepare(p bandit.Problem, horizon int, r *R) (Prepared[R], error)
}

// Prepared is a policy that knows its problem. It never changes; all trials share it.
type Prepared[R any] interface {
	// Begin makes the rule of a run, and allocates. The rule's own choices draw from own.
	Begin(own *rand.Rand) Rule[R]
}

// Begins makes a Prepared of a function that makes rules.
type Begins[R any] func(own *rand.Rand) Rule[R]

// Begin calls the function.
func (b Begins[R]) Begin(own *rand.Rand) Rule[R] { return b(own) }

// Rule chooses the arms of one run. It works in two steps, Learn and Act, so that a server can do
// the first and a user's device the second; in one process, one value does both.
//
// What Act returns must depend on nothing but the broadcast, the view and the rule's own stream. A
// rule that remembered views would leak them past the statistic; package privacytest replays runs
// to detect that.
//
// A rule that plays arms in turn as long as the release does not move, and draws nothing, may have
// one more method, with which a simulation can fast-forward its learner:
//
//	// Turn appends the arms that Act chooses in the view's round and those after it, up to where
//	// they repeat. One arm a round is played.
//	Turn(broadcast []float64, v *bandit.View, dst []int) ([]int, error)
//
// The statistic has to be a privacy.Summer, too.
type Rule[R any] interface {
	// Learn computes from a release what the next rounds' devices are told. It is called before the
	// first round and each time that the release has changed. The rule owns the slice, which is valid
	// until the next Learn. An error leaves the broadcast as it was.
	Learn(r *R) (broadcast []float64, err error)
	// Act appends the arms to play in a round to dst. The view has passed bandit.Problem.CheckView. A
	// malformed broadcast, or a number in the view that is not finite, is an error, and leaves the
	// rule as it was: check first, then draw. A rule that draws makes as many draws in a round
	// whatever it sees, so that a replayed run goes on as it went.
	Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error)
}

// Asker is a Policy that needs something of its statistic: a failure probability for the bounds, a
// warm-up, or that its rules set the lengths of batches (see tally.BatchLengths). Ask changes
// the setup that the learner of [New] has made from the problem.
type Asker interface {
	Ask(p bandit.Problem, s *privacy.Setup) error
}

// Exacter is a Policy that names the statistic without privacy that it reads where none is given.
type Exacter[R any] interface {
	// Exact describes that statistic.
	Exact() privacy.Statistic[R]
}

// Encoder is a Rule that says what the statistic takes in for a round: one of a model that is not
// linear weights rows by its estimate. Its policy is an [Encoding].
//
// A row then depends on earlier releases and on its own round, as it does through the arm
// anyway. The statistic clips it like any other, and its claim covers rows that depend on earlier
// releases; so the claim stays the statistic's. Over a statistic for public contexts, whose claim
// is for rewards alone, X may not depend on Y: what X adds up to is released as it is.
type Encoder interface {
	// Encode replaces the record of a round. It must depend on nothing but the broadcast and the
	// record, as Act does on the broadcast and the view: a rule that remembered records would put one
	// user into another's row. The slices of the record belong to others; the new ones are valid until
	// the next call.
	Encode(broadcast []float64, r *privacy.Record) error
}

// Encoding is a Policy whose rules are Encoders. A claim says whose word that is, if they are not
// the toolkit's. A rule that encodes under another policy is refused.
type Encoding interface{ Encodes() }

// Explainer is a [Rule] or a [Reporter] that shows what Act chooses by: see bandit.Explainer, which
// the runs of Private and Local are with it.
type Explainer interface {
	// Explain appends the insight of each arm of the view to dst. It is called after Act, with what
	// that was given. It draws nothing, and changes nothing that Act depends on.
	Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error)
}

// turner is a Rule with the method Turn; see there.
type turner[R any] interface {
	Rule[R]
	Turn(broadcast []float64, v *bandit.View, dst []int) ([]int, error)
}
