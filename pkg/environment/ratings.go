package environment

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// Ratings is the environment of the movie recommendations of MAT, Section 5.2: each round a user comes, uniformly at random, and an arm, a movie, weighs 1 where she has rated it, else 0. So the
// weights of one round depend on each other, an arm's mean is the share of users who rated it, and a user may come in several rounds, each of which is a record
// of its own to a privacy claim at the level of events. A learner plays a basis of a matroid on the movies, such as a set whose genres differ.
type Ratings struct {
	Rated   [][]bool        // users x arms; it is not written to, and environments may share it
	Matroid matroid.Matroid // on the arms, of rank K >= 1

	bases
	users int
	bits  []uint64 // users x words
	round int
}

var _ bandit.Environment = (*Ratings)(nil)

// Validate reports a field that is out of its range.
func (e *Ratings) Validate() error {
	err := checkMatroid(e.Matroid)
	if err == nil && len(e.Rated) == 0 {
		err = fmt.Errorf("field Rated has 0 rows, want a row for each user, >= 1")
	}
	if err == nil {
		for user, row := range e.Rated {
			if len(row) != e.Matroid.Size() {
				err = fmt.Errorf("field Rated[%d] has %d columns, want one for each of the matroid's %d elements", user, len(row), e.Matroid.Size())
				break
			}
		}
	}
	if err != nil {
		return fmt.Errorf("environment: Ratings: %w", err)
	}
	return nil
}

// Problem describes the environment.
func (e *Ratings) Problem() bandit.Problem { return semiProblem(e.Matroid) }

// Users returns the number of users.
func (e *Ratings) Users() int { return len(e.Rated) }

// Means returns, for each arm, the share of users who rated it.
func (e *Ratings) Means() []float64 {
	counts := make([]int, e.Matroid.Size())
	for _, row := range e.Rated {
		for a, rated := range row {
			if rated {
				counts[a]++
			}
		}
	}
	means := make([]float64, len(counts))
	for a, n := range counts {
		means[a] = float64(n) / float64(len(e.Rated))
	}
	return means
}

// Best returns the basis of the largest mean weight, in descending order of the means, ties by index.
func (e *Ratings) Best() []int { return heaviest(e.Matroid, e.Means()) }

// Optimum returns the mean weight of the best basis.
func (e *Ratings) Optimum() float64 {
	means := e.Means()
	return total(means, heaviest(e.Matroid, means))
}

// Reset starts a trial; nothing is random about an instance. It panics if Validate fails.
func (e *Ratings) Reset(*rand.Rand) {
	if err := e.Validate(); err != nil {
		panic(err)
	}
	e.prepare(e.Matroid, e.Means())
	e.round, e.users = 0, len(e.Rated)
	e.bits = make([]uint64, e.users*e.words)
	for user, row := range e.Rated {
		set := e.bits[user*e.words : (user+1)*e.words]
		for a, rated := range row {
			if rated {
				set[a/64] |= 1 << (a % 64)
			}
		}
	}
}

// Next shows the arms, which have no contexts.
func (e *Ratings) Next(v *bandit.View) {
	e.round++
	*v = bandit.View{Round: e.round, Arms: len(e.means), Same: e.round > 1}
}

// Pull draws a user and says which of the arms played she has rated.
func (e *Ratings) Pull(rewards *rand.Rand, arms []int, y []float64) {
	user := rewards.IntN(e.users)
	set := e.bits[user*e.words : (user+1)*e.words]
	for i, a := range arms {
		y[i] = float64(set[a/64] >> (a % 64) & 1)
	}
}
