package matroid

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// matroidBandit is an environment that knows its best basis.
type matroidBandit interface {
	bandit.Environment
	Best() []int
	Pairs(arms, dst []int) []int
}

// watch plays a policy for one trial, with the streams that package simulate gives it, and shows
// each round's arms, in the order of their index, to see.
func watch(env matroidBandit, name string, l bandit.Learner, horizon, trial int, see func(round int, arms []int)) error {
	p := env.Problem()
	env.Reset(random.New(Seed, trial, "contexts"))
	if err := l.Init(p, horizon); err != nil {
		return err
	}
	l.Reset(random.New(Seed, trial, "learner/"+name), random.Source(Seed, trial, "noise/"+name))
	if w, ok := l.(bandit.Warmer); ok && w.WantsWarmUp() {
		all, y := make([]int, p.Arms), make([]float64, p.Arms)
		for i := range all {
			all[i] = i
		}
		env.Pull(random.New(Seed, trial, "warm-up"), all, y)
		w.WarmUp(y)
	}
	rewards := random.New(Seed, trial, "rewards")
	var v bandit.View
	arms, y := make([]int, 0, p.Slots), make([]float64, p.Slots)
	for round := 1; round <= horizon; round++ {
		env.Next(&v)
		arms = l.Select(&v, arms[:0])
		if err := l.Err(); err != nil {
			return err
		}
		see(round, arms)
		env.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
	}
	return l.Err()
}

// Recommended is what a policy recommended, over trials.
type Recommended struct {
	Policy string
	Trials int
	Last   []float64 // by arm: the share of trials whose last basis has it
}

// Recommend plays a policy on the movies, trials in parallel.
func Recommend(m *Movies, policy string, rounds, trials int) (*Recommended, error) {
	r := &Recommended{Policy: policy, Trials: trials, Last: make([]float64, m.Matroid.Size())}
	all, errs := make([][]int, trials), make([]error, trials)
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for trial := range trials {
		wg.Add(1)
		go func() {
			defer wg.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[trial] = watch(m.Environment(), policy, Policy(policy, m.Matroid, Epsilon), rounds, trial, func(round int, arms []int) {
				if round == rounds {
					all[trial] = slices.Clone(arms)
				}
			})
		}()
	}
	wg.Wait()
	for trial, basis := range all {
		if errs[trial] != nil {
			return nil, fmt.Errorf("matroid: %s, trial %d: %w", policy, trial, errs[trial])
		}
		for _, a := range basis {
			r.Last[a] += 1 / float64(trials)
		}
	}
	return r, nil
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

// movieTrials is the number of trials behind the tables of recommended movies.
func movieTrials(s lab.Scale) int { return cell.Pick(s, 2, 20, 200) }

func movieRounds(s lab.Scale) int { return cell.Pick(s, 2_000, MovieHorizon, MovieHorizon) }

// reportTable3 lists the movies of the best basis, and how often the policies recommend each
// after the last round.
func reportTable3(s lab.Scale, _ []*simulate.Table) (*charts.Table, error) {
	m, err := LoadMovies()
	if err != nil {
		return nil, err
	}
	env := m.Environment()
	env.Reset(nil)
	best := env.Best()
	var columns []*Recommended
	for _, policy := range []string{DPUCBPrinted, DPTSPrinted, OMMPublic} {
		r, err := Recommend(m, policy, movieRounds(s), movieTrials(s))
		if err != nil {
			return nil, err
		}
		columns = append(columns, r)
	}
	t := charts.NewTable("movie of the best basis", "w̄", "genres")
	t.Align = "lrl"
	totals := []any{"movies of the best basis, mean", "", ""}
	for _, c := range columns {
		t.Headers = append(t.Headers, c.Policy)
		t.Align += "r"
		var sum float64
		for _, a := range best {
			sum += c.Last[a]
		}
		totals = append(totals, fmt.Sprintf("%.1f of %d", sum, len(best)))
	}
	for _, a := range best {
		row := []any{m.Movies[a].Title, fmt.Sprintf("%.3f", m.Weights[a]), m.Movies[a].Genres.String()}
		for _, c := range columns {
			row = append(row, fmt.Sprintf("%.0f%%", 100*c.Last[a]))
		}
		t.Add(row...)
	}
	t.Headers, t.Align = append(t.Headers, "random weights"), t.Align+"r"
	chance := byChance(m)
	var sum float64
	for i, a := range best {
		sum += chance[a]
		t.Rows[i] = append(t.Rows[i], fmt.Sprintf("%.0f%%", 100*chance[a]))
	}
	t.Add(append(totals, fmt.Sprintf("%.1f of %d", sum, len(best)))...)
	t.Caption = fmt.Sprintf("Share of %d trials whose basis in round %s has the movie; ε = %g, initialised as published. Random weights: the basis of weights that know nothing. Table 3 of the paper has eight such movies of 17, of MovieLens 1M. %s",
		columns[0].Trials, cell.Thousands(movieRounds(s)), float64(Epsilon), m.Caption)
	t.Scale = string(s)
	return t, nil
}
