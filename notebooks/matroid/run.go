package matroid

import (
	"fmt"
	"sync"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

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

// lastBases returns, by arm, the share of trials whose last basis has it, where a policy plays on
// the movies. Trial i has the seed Seed + i.
func lastBases(m *Movies, policy string, rounds, trials int) ([]float64, error) {
	share, errs := make([]float64, m.Matroid.Size()), make([]error, trials)
	var lock sync.Mutex
	var group sync.WaitGroup
	for trial := range trials {
		group.Go(func() {
			l := Policy(policy, m.Matroid, Epsilon)
			errs[trial] = simulate.Play(m.Environment(), l, rounds, uint64(Seed+trial), func(v *bandit.View, arms []int) {
				if v.Round < rounds {
					return
				}
				lock.Lock()
				defer lock.Unlock()
				for _, a := range arms {
					share[a]++
				}
			})
		})
	}
	group.Wait()
	for trial, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("matroid: %s, trial %d: %w", policy, trial, err)
		}
	}
	for a := range share {
		share[a] /= float64(trials)
	}
	return share, nil
}

// byChance returns how often each arm is in the greedy basis of random weights, which know nothing.
func byChance(m *Movies) []float64 {
	const draws = 5_000
	share, weights := make([]float64, m.Matroid.Size()), make([]float64, m.Matroid.Size())
	greedy, rng := matroid.NewGreedy(m.Matroid), random.New(Seed, 0, "random weights")
	var basis []int
	for range draws {
		for i := range weights {
			weights[i] = rng.Float64()
		}
		basis = greedy.Basis(weights, basis[:0])
		for _, a := range basis {
			share[a] += 1.0 / draws
		}
	}
	return share
}

// reportTable3 lists the movies of the best basis, and how often the policies recommend each in the
// last round.
func reportTable3(s lab.Scale, _ []*simulate.Table) (*charts.Table, error) {
	m, err := LoadMovies()
	if err != nil {
		return nil, err
	}
	rounds, trials := cell.Pick(s, 2_000, MovieHorizon, MovieHorizon), cell.Pick(s, 2, 20, 200)
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
	add := func(name string, share []float64) {
		var sum float64
		for i, a := range best {
			sum += share[a]
			t.Rows[i] = append(t.Rows[i], fmt.Sprintf("%.0f%%", 100*share[a]))
		}
		t.Rows[len(best)] = append(t.Rows[len(best)], fmt.Sprintf("%.1f of %d", sum, len(best)))
		t.Headers, t.Align = append(t.Headers, name), t.Align+"r"
	}
	for _, policy := range []string{DPUCBPrinted, DPTSPrinted, OMMPublic} {
		share, err := lastBases(m, policy, rounds, trials)
		if err != nil {
			return nil, err
		}
		add(Label(policy), share)
	}
	add("random weights", byChance(m))
	t.Caption = fmt.Sprintf("Share of %d trials (seeds from %d) whose basis in round %s has the movie; ε = %g. Random weights know nothing. Table 3 of the paper lists eight movies, of MovieLens 1M. %s",
		trials, Seed, cell.Thousands(rounds), float64(Epsilon), m.Caption)
	t.Scale = string(s)
	return t, nil
}
