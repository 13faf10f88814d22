package bandit

// Plays is how often an arm is played in some rounds, and the sum of its rewards in them.
type Plays struct {
	Arm, Times int
	Sum        float64
}

// Committed is a Run that may know what it plays next, whatever the rewards: the rest of a
// batch. A simulation may then jump to the end of these rounds. It is for problems without contexts
// of one arm a round.
type Committed interface {
	Run
	// Ahead appends to dst how often each arm is played from the view's round on, without the sums. Of
	// each arm there is one entry, and there are no more than so many rounds in all. If the learner
	// knows nothing, it appends nothing.
	Ahead(v *View, most int, dst []Plays) []Plays
	// UpdateSums takes in the sums of what Ahead has just said for the view, as an Update for each
	// round does. The order of an arm's rewards must not matter.
	UpdateSums(v *View, plays []Plays) error
}

// Summable is a World whose rewards can be drawn as sums. There are no contexts, one arm is played
// in a round, and neither rewards nor regret depend on the round. Its instances have a method more:
//
//	// PullSums sets the sums of the rewards. They have the law, and not the bits, of the sums of as
//	// many pulls.
//	PullSums(rewards *rand.Rand, plays []Plays)
type Summable interface {
	World
	// CheckSums returns nil if rewards can be drawn as sums, else an error that says why not.
	CheckSums() error
}
