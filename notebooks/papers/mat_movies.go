package papers

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The movies of Section 5.2: the hundred with the most ratings, their genres as a linear matroid,
// and who rated what.

// MATTop is the number of movies.
const MATTop = 100

// MATMovies is what the movie experiments run on.
type MATMovies struct {
	*datasets.Panel
	Matroid *matroid.Linear
}

var loadMovies = sync.OnceValues(func() (*MATMovies, error) {
	data, err := datasets.LoadOrSynthetic(context.Background(), datasets.Options{Offline: true, Notice: io.Discard})
	if err != nil {
		return nil, err
	}
	panel, err := data.Top(MATTop)
	if err != nil {
		return nil, err
	}
	m, err := matroid.NewLinear(panel.Genres)
	return &MATMovies{panel, m}, err
})

// LoadMovies returns MovieLens 100K's movies from the cache, where the set-up has put them, else a
// synthetic stand-in, which every caption then names.
func LoadMovies() (*MATMovies, error) { return loadMovies() }

// MustMovies returns the same for a cell.
func MustMovies() *MATMovies {
	m, err := LoadMovies()
	exitOn(err)
	return m
}

// Environment returns the bandit: a random user each round.
func (m *MATMovies) Environment() *environment.Ratings {
	return &environment.Ratings{Rated: m.Rated, Matroid: m.Matroid}
}

// noMovies is an environment that could not be made: a run of it fails with the reason.
type noMovies struct {
	bandit.Environment
	err error
}

func (n noMovies) Validate() error { return n.err }

// MATMovieReturns is the experiment of Figures 3 and 4b.
func MATMovieReturns(s Scale) *simulate.Experiment {
	rounds := pick(s, 2_000, MATMovieHorizon, MATMovieHorizon)
	e := &simulate.Experiment{Name: "mat-movies", Horizon: MATMovieHorizon, Rounds: rounds, Trials: pick(s, 2, 20, 200), Seed: MATSeed, Grid: simulate.LogGrid(rounds, 80)}
	m, err := LoadMovies()
	if err != nil {
		e.Environment = func() bandit.Environment { return noMovies{err: err} }
	} else {
		e.Environment = func() bandit.Environment { return m.Environment() }
		e.Fingerprint = fmt.Sprintf("top %d of %s", MATTop, m.Name)
	}
	for _, name := range append([]string{OMMPublic, CTSPublic}, MATPrivate...) {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return MATPolicy(name, m.Matroid, MATEpsilon) }})
	}
	return e
}
