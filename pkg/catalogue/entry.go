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
