package simulate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Watched is what a learner chose by in one trial, at the rounds of a grid.
type Watched struct {
	Problem bandit.Problem
	Grid    []int // rounds, increasing
	// Insights holds the insight of each arm of the view, at each place of the grid: what the learner
	// knew when it had chosen the round's arms, and had not seen what they paid. It is nil if Silent
	// says why.
	Insights [][]bandit.Insight
	Silent   error // names the type that does not show what it chooses by; nil if it does
	// Against counts the rounds of the grid that play an arm whose index is not the largest: the
	// learner explores at random, or it does not choose by what it shows, as a variant that inherits
	// Explain and overrides Act. It is 0 where several arms are played.
	Against int
	Played  [][]int   // the round's arms
	Pulls   [][]int   // of each arm, with the round's own
	Regret  []float64 // expected, cumulative, with the round's own
}

// Watch plays the trial that [Play] plays, and keeps what the learner chooses by in the rounds of a
// grid. An empty grid has about 40 rounds, evenly spaced in their logarithm.
//
// A learner that is watched plays as it does unwatched. One whose runs are no bandit.Explainer
// shows its pulls alone, and Silent names it. An [Experiment] watches nothing, and no round of it
// costs more for this.
func Watch(env bandit.Environment, l bandit.Learner, rounds int, seed uint64, grid []int) (*Watched, error) {
	if len(grid) == 0 {
		grid = LogGrid(rounds, 40)
	}
	world, err := bandit.OpenWorld(env)
	if err == nil {
		err = bandit.CheckHorizon(rounds)
	}
	if err == nil {
		grid, err = checkGrid(grid, rounds)
	}
	if err != nil {
		return nil, fmt.Errorf("simulate: Watch: %w", err)
	}
	w := &Watched{Problem: world.Problem(), Grid: grid}
	pulls, regret, point := make([]int, w.Problem.Arms), 0.0, 0
	chosen := func(v *bandit.View, run bandit.Run) error {
		if v.Round != w.Grid[point] || w.Silent != nil {
			return nil
		}
		list, err := bandit.Explain(run, v, make([]bandit.Insight, 0, v.Arms))
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			w.Silent, w.Insights = err, nil
			return nil
		case err == nil && len(list) != v.Arms:
			err = fmt.Errorf("its Explain shows %d arms, want %d", len(list), v.Arms)
		}
		w.Insights = append(w.Insights, list)
		return err
	}
	err = play(world, l, rounds, seed, chosen, func(r *Round) {
		for _, a := range r.Played {
			pulls[a]++
		}
		regret += r.Trial.Regret(r.Played)
		if r.Round != w.Grid[point] {
			return
		}
		w.Played, w.Regret = append(w.Played, slices.Clone(r.Played)), append(w.Regret, regret)
		w.Pulls = append(w.Pulls, slices.Clone(pulls))
		if w.Insights != nil && len(r.Played) == 1 {
			played := w.Insights[point][r.Played[0]].Index
			if slices.ContainsFunc(w.Insights[point], func(x bandit.Insight) bool { return x.Index > played }) {
				w.Against++
			}
		}
		point++
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// WriteCSV writes a row for each round of the grid and each arm:
//
//	round,arm,index,estimate,width,played,pulls,regret
//	100,0,0.81,0.62,0.19,1,57,4.2
//
// Arms count from 0, and a number that the learner does not have is NaN. Of arms that a round has
// not, and of a learner that shows nothing, all three are NaN.
func (w *Watched) WriteCSV(to io.Writer) error {
	rows := csv.NewWriter(to)
	rows.Write([]string{"round", "arm", "index", "estimate", "width", "played", "pulls", "regret"})
	for i, round := range w.Grid {
		for a, pulls := range w.Pulls[i] {
			x, played := w.Insight(i, a), "0"
			if slices.Contains(w.Played[i], a) {
				played = "1"
			}
			rows.Write([]string{strconv.Itoa(round), strconv.Itoa(a), formatFloat(x.Index), formatFloat(x.Estimate), formatFloat(x.Width),
				played, strconv.Itoa(pulls), formatFloat(w.Regret[i])})
		}
	}
	rows.Flush()
	return rows.Error()
}

// Insight returns the insight of an arm at a place of the grid, without any number if there is
// none.
func (w *Watched) Insight(place, arm int) bandit.Insight {
	if w.Insights == nil || arm >= len(w.Insights[place]) {
		return bandit.Insight{Index: math.NaN(), Estimate: math.NaN(), Width: math.NaN()}
	}
	return w.Insights[place][arm]
}
