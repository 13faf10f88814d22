package matroid

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// The decomposition of the regret by pairs: an arm that is played, and the arm of the best basis
// that it stands for.

// claimPairs adds the pairs up, round by round.
func claimPairs(s lab.Scale) (string, error) {
	movies, err := LoadMovies()
	if err != nil {
		return "", err
	}
	ratings := movies.Environment()
	list := []struct {
		name    string
		env     matroidBandit
		m       matroid.Matroid
		means   []float64
		rounds  int
		trials  int
		regrets []float64
	}{
		{name: "Table 2", env: Table2(), m: Matroid, means: Means, rounds: cell.Pick(s, 2_000, Horizon, Horizon), trials: cell.Pick(s, 4, 10, 100)},
		{name: "movies", env: ratings, m: movies.Matroid, means: ratings.Means(), rounds: cell.Pick(s, 2_000, 5_000, MovieHorizon), trials: cell.Pick(s, 2, 4, 20)},
	}
	var evidence string
	for _, c := range list {
		var worst, least, total float64
		count, smallest := map[[2]int]bool{}, math.Inf(1)
		for trial := range c.trials {
			var regret, pairs float64
			var partners []int
			l := Policy(DPUCBForced, c.m, Epsilon)
			err := watch(c.env, DPUCBForced, l, c.rounds, trial, func(_ int, arms []int) {
				regret += c.env.Regret(arms)
				partners = c.env.Pairs(arms, partners[:0])
				for i, a := range arms {
					gap := c.means[partners[i]] - c.means[a]
					pairs += gap
					least = min(least, gap)
					if a != partners[i] {
						count[[2]int{a, partners[i]}] = true
						smallest = min(smallest, gap)
					}
				}
			})
			if err != nil {
				return "", err
			}
			worst = max(worst, math.Abs(pairs-regret)/regret)
			total += regret
		}
		if worst > 1e-9 || least < 0 {
			return "", fmt.Errorf("%s: the pairs' sum is off by %.2g of the regret, and the least gap is %.3f", c.name, worst, least)
		}
		evidence += fmt.Sprintf("%s, %d trials of %s rounds: regret %.0f a trial in %s pairs, off by %.0e of it at most, least gap %.3f; ", c.name, c.trials, cell.Thousands(c.rounds), total/float64(c.trials), cell.Thousands(len(count)), worst, smallest)
	}
	return evidence[:len(evidence)-2], nil
}
