package catalogue

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Entry is a learner under the name that figures give it, with the constants that its paper
// publishes. Catalogues list them for a race at equal privacy, where all have the same budget.
type Entry struct {
	Name      string        // as its paper calls it, with DP- or the like if it is private
	Private   bool          // it makes a claim, which the audits and the report cards then attack
	Model     privacy.Model // of a private learner; the zero value is privacy.Central
	Linear    bool          // it reads contexts
	Slots     bool          // it plays several arms a round
	Streaming bool          // a reward shows in more than one release
	Same      bool          // it is for arms that stay the same
	For       Rewards       // it is made for these; where it plays others, a card says so
	// New makes the learner for a problem. One with pure privacy takes the budget's epsilon and leaves
	// its delta; one that is not private leaves both.
	New func(p bandit.Problem, b privacy.Budget) bandit.Learner
	// Refuses says why a problem that the learner would open is not for it; nil refuses none.
	Refuses func(p bandit.Problem) error
}

// open makes the learner. A problem that the entry is not for is an error.
func (e Entry) open(p bandit.Problem, b privacy.Budget) (l bandit.Learner, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("catalogue: %s: %v", e.Name, r)
		}
	}()
	if e.Refuses != nil {
		if err := e.Refuses(p); err != nil {
			return nil, fmt.Errorf("catalogue: %s: %w", e.Name, err)
		}
	}
	return e.New(p, b), nil
}

// Plays reports whether the learner is for a world's arms: one for arms that stay the same is not
// for contexts that change.
func (e Entry) Plays(w World) bool { return !e.Same || w.Hideable || w.Rewards == Unstated }

// Suits reports whether a world's rewards are those that the learner is made for, or one of them
// does not state any. Arms whose contexts are hidden have fixed means.
func (e Entry) Suits(w World, hidden bool) bool {
	if hidden {
		w.Rewards = FixedMeans
	}
	return e.For == w.Rewards || e.For == AnyRewards || e.For == Unstated || w.Rewards == Unstated
}

// Rewards says how the rewards of a world come about. A problem does not tell: a learner may play
// rewards of another kind, without what its paper promises.
type Rewards int

const (
	Unstated      Rewards = iota
	FixedMeans            // each arm has a mean that stays as it is
	LinearMeans           // a linear function of the arm's context is its mean
	LogisticMeans         // a logistic one
	SmoothMeans           // a smooth one
	Clicks                // the first item of a list that attracts is clicked
	AnyRewards            // an adversary has fixed them
)

func (r Rewards) String() string {
	switch r {
	case Unstated:
		return "unstated rewards"
	case FixedMeans:
		return "fixed means"
	case LinearMeans:
		return "linear rewards"
	case LogisticMeans:
		return "logistic rewards"
	case SmoothMeans:
		return "smooth rewards"
	case Clicks:
		return "clicks"
	case AnyRewards:
		return "any rewards"
	}
	return fmt.Sprintf("Rewards(%d)", int(r))
}

// public returns the New of a learner that is not private.
func public[L bandit.Learner](make func() L) func(bandit.Problem, privacy.Budget) bandit.Learner {
	return func(bandit.Problem, privacy.Budget) bandit.Learner { return make() }
}

// pure returns the New of a learner with pure privacy.
func pure[L bandit.Learner](make func(epsilon float64) L) func(bandit.Problem, privacy.Budget) bandit.Learner {
	return func(_ bandit.Problem, b privacy.Budget) bandit.Learner { return make(b.Epsilon) }
}

// gaussian returns the New of a learner whose budget has a delta.
func gaussian[L bandit.Learner](make func(privacy.Budget) L) func(bandit.Problem, privacy.Budget) bandit.Learner {
	return func(_ bandit.Problem, b privacy.Budget) bandit.Learner { return make(b) }
}
