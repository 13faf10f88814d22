package environment

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// Ratings is the movie recommendation environment of MAT, Section 5.2: each round a uniformly
// random user arrives, and an arm, a movie, weighs 1 if she has rated it and 0 if not.
//
// A learner plays a basis of a matroid on the movies, such as a set whose genres differ. The
// weights of one round depend on each other, and an arm's mean is the share of users who rated it.
// A user may arrive in several rounds; a privacy claim at the level of events counts each of them
// as a record of its own.
type Ratings struct {
	Rated   [][]bool        // users x arms; it is only read, and environments may share it
	Matroid matroid.Matroid // on the arms, of rank K >= 1
}

// ratings is a trial of Ratings.
type ratings struct {
	bases
	users int
	bits  []uint64 // users x words: Rated as bit sets, which all trials share
	round int
}

// Open returns an error if a field is out of its range. It looks at all ratings.
func (e Ratings) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	best, users := newOptimum(e.Matroid, e.Means()), len(e.Rated)
	bits := make([]uint64, users*best.words)
	for user, row := range e.Rated {
		set := bits[user*best.words : (user+1)*best.words]
		for a, rated := range row {
			if rated {
				set[a/64] |= 1 << (a % 64)
			}
		}
	}
	return bandit.NewWorld(e.Problem(), func(*rand.Rand) bandit.Instance {
		return &ratings{bases: best.start(), users: users, bits: bits}
	}), nil
}

func (e Ratings) check() error {
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

// Problem describes the environment to a learner.
func (e Ratings) Problem() bandit.Problem { return semiProblem(e.Matroid) }

// Users returns the number of users.
func (e Ratings) Users() int { return len(e.Rated) }

// Means returns the share of users who rated each arm. It is nil if there is no matroid.
func (e Ratings) Means() []float64 {
	if e.Matroid == nil {
		return nil
	}
	counts := make([]int, e.Matroid.Size())
	for _, row := range e.Rated {
		for a, rated := range row {
			if rated && a < len(counts) {
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

// Best returns the basis with the largest mean weight, by decreasing mean, ties by index.
func (e Ratings) Best() []int { return heaviest(e.Matroid, e.Means()) }

// Optimum returns the mean weight of the best basis.
func (e Ratings) Optimum() float64 {
	means := e.Means()
	return total(means, heaviest(e.Matroid, means))
}

// Next shows the arms, which have no contexts, to the learner.
func (e *ratings) Next(v *bandit.View) {
	e.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, len(e.means), 0, nil, e.round > 1
}

// Pull draws a user and returns, in y, which of the arms played she has rated.
func (e *ratings) Pull(rewards *rand.Rand, arms []int, y []float64) {
	user := rewards.IntN(e.users)
	set := e.bits[user*e.words : (user+1)*e.words]
	for i, a := range arms {
		y[i] = float64(set[a/64] >> (a % 64) & 1)
	}
}
