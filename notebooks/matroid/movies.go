package matroid

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The movies of Section 5.2: the hundred with the most ratings, their genres as a linear matroid,
// and who rated what.

// top is the number of movies.
const top = 100

// Movies is what the movie experiments run on.
type Movies struct {
	*datasets.Panel
	Matroid matroid.Matroid
}

// MustMovies returns MovieLens' movies from the cache, where the set-up has put them, else a
// synthetic stand-in, which every caption then names. See datasets.LoadOrSynthetic.
var MustMovies = sync.OnceValue(mustReadMovies)

func mustReadMovies() *Movies {
	data := cell.Try(datasets.LoadOrSynthetic(context.Background(), datasets.Options{Offline: true, Notice: io.Discard}))
	panel := cell.Try(data.Top(top))
	return &Movies{panel, cell.Try(matroid.NewLinear(panel.Genres))}
}

// Environment returns the bandit: a random user each round.
func (m *Movies) Environment() environment.Ratings {
	return environment.Ratings{Rated: m.Rated, Matroid: m.Matroid}
}

// experiment is one on the movies.
func (m *Movies) experiment(s cell.Scale, name string, trials int, policies []simulate.Policy) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, MovieHorizon, MovieHorizon)
	return &simulate.Experiment{
		Name: name, Environment: m.Environment(), Policies: policies, Horizon: MovieHorizon, Rounds: rounds,
		Trials: cell.Pick(s, 2, trials/10, trials), Seed: Seed, Grid: simulate.LogGrid(rounds, 80), Fingerprint: fmt.Sprintf("top %d of %s", top, m.Name),
	}
}

// movieReturns is the experiment of Figures 3 and 4b.
func movieReturns(s cell.Scale) *simulate.Experiment { return MustMovies().returns(s) }

func (m *Movies) returns(s cell.Scale) *simulate.Experiment {
	policies := on(m.Matroid, append([]string{ommPublic, ctsPublic}, private...)...)
	return m.experiment(s, "mat-movies", 200, policies)
}

// Published is a movie of Table 3: one that DPUCB-MAT recommends in the last round and that is in
// the best basis. Weight is the share of the 6,040 users of MovieLens 1M who rated it.
type Published struct {
	Title  string // as MovieLens 100K has it, or would have it
	Weight float64
}

// Table3 is Table 3 of the paper.
var Table3 = []Published{
	{"American Beauty (1999)", 0.568}, {"Star Wars (1977)", 0.496}, {"Return of the Jedi (1983)", 0.478},
	{"Saving Private Ryan (1998)", 0.440}, {"Men in Black (1997)", 0.420}, {"L.A. Confidential (1997)", 0.379},
	{"Ghostbusters (1984)", 0.361}, {"Wizard of Oz, The (1939)", 0.285},
}

// lastBases returns the bases of a policy's trials in the last round on the movies. Trial i has the
// seed Seed + i.
func lastBases(m *Movies, policy string, rounds, trials int) [][]int {
	last := make([][]int, trials)
	check.Try(simulate.Trials(context.Background(), trials, func(trial int) (float64, error) {
		l := makers[policy](m.Matroid, Epsilon)
		return 0, simulate.Play(m.Environment(), l, rounds, uint64(Seed+trial), func(r *simulate.Round) {
			last[trial] = append(last[trial][:0], r.Played...)
		})
	}))
	return last
}

// byChance returns the greedy bases of random weights, which know nothing.
func byChance(m *Movies) (bases [][]int) {
	weights, greedy, rng := make([]float64, m.Matroid.Size()), matroid.NewGreedy(m.Matroid), random.New(Seed, 0, "random weights")
	for range 5_000 {
		for i := range weights {
			weights[i] = rng.Float64()
		}
		bases = append(bases, greedy.Basis(weights, nil))
	}
	return bases
}

// reportTable3 lists the movies of the best basis, and how often the policies recommend each in the
// last round.
func reportTable3(s cell.Scale, _ []*simulate.Table) (*charts.Table, error) {
	rounds, trials := cell.Pick(s, 2_000, MovieHorizon, MovieHorizon), cell.Pick(s, 2, 20, 200)
	m := MustMovies()
	best := m.Environment().Best()
	t := charts.NewTable("movie of the best basis", "genres", "w̄", "w̄ in the paper's Table 3")
	t.Align = "llrr"
	for _, a := range best {
		row := []any{m.Movies[a].Title, m.Movies[a].Genres.String(), fmt.Sprintf("%.3f", m.Weights[a]), "–"}
		for _, p := range Table3 {
			if p.Title == m.Movies[a].Title {
				row[3] = fmt.Sprintf("%.3f", p.Weight)
			}
		}
		t.Add(row...)
	}
	t.Add("movies of the best basis, mean", "", "", fmt.Sprintf("%d of 17", len(Table3)))
	add := func(name string, bases [][]int) {
		total, n := 0, float64(len(bases))
		for i, a := range best {
			count := 0
			for _, basis := range bases {
				if slices.Contains(basis, a) {
					count++
				}
			}
			total += count
			t.Rows[i] = append(t.Rows[i], fmt.Sprintf("%.0f%%", 100*float64(count)/n))
		}
		t.Rows[len(best)] = append(t.Rows[len(best)], fmt.Sprintf("%.1f of %d", float64(total)/n, len(best)))
		t.Headers, t.Align = append(t.Headers, name), t.Align+"r"
	}
	for _, policy := range []string{dpucbPrinted, dptsPrinted, ommPublic} {
		add(Label(policy), lastBases(m, policy, rounds, trials))
	}
	add("random weights", byChance(m))
	t.Caption = fmt.Sprintf("Share of %d trials (seeds from %d) whose basis in round %s has the movie; ε = %g. Random weights know nothing. Table 3 of the paper lists eight movies, of MovieLens 1M. %s",
		trials, Seed, cell.Thousands(rounds), float64(Epsilon), m.Caption)
	return t, nil
}
