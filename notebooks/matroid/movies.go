package matroid

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The movies of Section 5.2: the hundred with the most ratings, their genres as a linear matroid,
// and who rated what.

// Top is the number of movies.
const Top = 100

// Movies is what the movie experiments run on.
type Movies struct {
	*datasets.Panel
	Matroid *matroid.Linear
}

var loadMovies = sync.OnceValues(func() (*Movies, error) {
	data, err := datasets.LoadOrSynthetic(context.Background(), datasets.Options{Offline: true, Notice: io.Discard})
	if err != nil {
		return nil, err
	}
	panel, err := data.Top(Top)
	if err != nil {
		return nil, err
	}
	m, err := matroid.NewLinear(panel.Genres)
	return &Movies{panel, m}, err
})

// LoadMovies returns MovieLens 100K's movies from the cache, where the set-up has put them, else a
// synthetic stand-in, which every caption then names.
func LoadMovies() (*Movies, error) { return loadMovies() }

// MustMovies returns the same for a cell.
func MustMovies() *Movies {
	m, err := LoadMovies()
	cell.Must(err)
	return m
}

// Environment returns the bandit: a random user each round.
func (m *Movies) Environment() *environment.Ratings {
	return &environment.Ratings{Rated: m.Rated, Matroid: m.Matroid}
}

// noMovies is an environment that could not be made: a run of it fails with the reason.
type noMovies struct {
	bandit.Environment
	err error
}

func (n noMovies) Validate() error { return n.err }

// MovieReturns is the experiment of Figures 3 and 4b.
func MovieReturns(s lab.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, MovieHorizon, MovieHorizon)
	e := &simulate.Experiment{Name: "mat-movies", Horizon: MovieHorizon, Rounds: rounds, Trials: cell.Pick(s, 2, 20, 200), Seed: Seed, Grid: simulate.LogGrid(rounds, 80)}
	m, err := LoadMovies()
	if err != nil {
		e.Environment = func() bandit.Environment { return noMovies{err: err} }
	} else {
		e.Environment = func() bandit.Environment { return m.Environment() }
		e.Fingerprint = fmt.Sprintf("top %d of %s", Top, m.Name)
	}
	for _, name := range append([]string{OMMPublic, CTSPublic}, Private...) {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return Policy(name, m.Matroid, Epsilon) }})
	}
	return e
}
