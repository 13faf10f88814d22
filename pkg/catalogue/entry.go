package catalogue

import (
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
	Streaming bool          // a reward shows in more than one release
	// New makes the learner for a problem. One with pure privacy takes the budget's epsilon and leaves
	// its delta; one that is not private leaves both.
	New func(p bandit.Problem, b privacy.Budget) bandit.Learner
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
