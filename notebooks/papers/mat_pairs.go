package papers

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// The decomposition of the regret by pairs: an arm that is played, and the arm of the best basis
// that it stands for.

// matPair is a pair that was played.
type matPair struct {
	arm, best int
	gap       float64
	rounds    float64 // a trial
}

func (p matPair) regret() float64 { return p.gap * p.rounds }

// pairs lists the pairs of a recommendation, the one with the most regret first, and the sum of
// their regrets.
func (r *MATRecommended) pairs(means []float64) (list []matPair, regret float64) {
	for arm, row := range r.Pairs {
		for best, rounds := range row {
			if rounds > 0 {
				p := matPair{arm, best, means[best] - means[arm], rounds}
				list = append(list, p)
				regret += p.regret()
			}
		}
	}
	slices.SortStableFunc(list, func(a, b matPair) int { return cmp.Compare(b.regret(), a.regret()) })
	return list, regret
}

var titleYear = regexp.MustCompile(`( \([^)]*\))*( \(\d{4}\))$`)

// shortTitle is a movie's title without its year, and not too long.
func shortTitle(m *MATMovies, arm int) string {
	title := []rune(titleYear.ReplaceAllString(m.Movies[arm].Title, ""))
	if len(title) > 24 {
		title = append(title[:23], '…')
	}
	return string(title)
}

// shownPairs is the number of pairs in the figure.
const shownPairs = 12

// FigurePairs draws the pairs that carry most of a policy's regret on the movies.
func FigurePairs(s Scale, policy string) (*charts.Figure, error) {
	m, err := LoadMovies()
	if err != nil {
		return nil, err
	}
	r, err := Recommend(m, policy, movieRounds(s), movieTrials(s))
	if err != nil {
		return nil, err
	}
	list, regret := r.pairs(m.Weights)
	shown := list[:min(shownPairs, len(list))]
	f := &charts.Figure{
		Title: "Which movies are played in place of which: " + policy,
		X:     charts.Axis{Name: fmt.Sprintf("regret in %s rounds, mean of a trial", thousands(movieRounds(s)))}, Y: charts.Axis{Name: "played → instead of"},
		Height: 130 + 40*len(shown), Scale: Here(s),
	}
	bars := charts.Series{Kind: charts.Bars, Style: 1}
	var sum float64
	for i := len(shown) - 1; i >= 0; i-- { // the axis counts from below
		p := shown[i]
		sum += p.regret()
		f.Y.Categories = append(f.Y.Categories, shortTitle(m, p.arm)+" → "+shortTitle(m, p.best))
		bars.X, bars.X2, bars.Y = append(bars.X, 0), append(bars.X2, p.regret()), append(bars.Y, float64(len(bars.Y)))
		bars.Labels = append(bars.Labels, fmt.Sprintf("%s rounds × %.3f", thousands(int(math.Round(p.rounds))), p.gap))
	}
	f.Series = []charts.Series{bars}
	at := fmt.Sprintf("ε = %d, ", MATEpsilon)
	if policy == OMMPublic || policy == CTSPublic {
		at = ""
	}
	f.Caption = fmt.Sprintf("Rounds of a trial in which the pair was played, times its gap in mean weight: %d of %s pairs, %s of the regret of %s, which is the sum of all pairs. %s%d trials. %s",
		len(shown), thousands(len(list)), thousands(int(math.Round(sum))), thousands(int(math.Round(regret))), at, r.Trials, m.Caption)
	first := shown[0]
	f.Alt = fmt.Sprintf("Horizontal bars of the regret of %d pairs of movies. The longest: %s in place of %s, %.0f of %.0f.", len(shown), m.Movies[first.arm].Title, m.Movies[first.best].Title, first.regret(), regret)
	return f, nil
}

// TablePairs lays out the decomposition on Table 2, private and not.
func TablePairs(s Scale) (*charts.Table, error) {
	rounds, trials := pick(s, 2_000, MATHorizon, MATHorizon), pick(s, 4, 20, 200)
	policies := []string{DPUCBForced, OMMPublic}
	all, totals := map[[2]int][]matPair{}, make([]float64, len(policies))
	for i, policy := range policies {
		r, err := recommend(func() matroidBandit { return MATTable2() }, MATMatroid, policy, rounds, trials)
		if err != nil {
			return nil, err
		}
		var list []matPair
		list, totals[i] = r.pairs(MATMeans)
		for _, p := range list {
			key := [2]int{p.arm, p.best}
			if all[key] == nil {
				all[key] = make([]matPair, len(policies))
				for j := range all[key] {
					all[key][j] = matPair{arm: p.arm, best: p.best, gap: p.gap}
				}
			}
			all[key][i] = p
		}
	}
	var order [][]matPair
	for _, row := range all {
		order = append(order, row)
	}
	slices.SortFunc(order, func(a, b []matPair) int {
		return cmp.Or(cmp.Compare(b[0].regret(), a[0].regret()), cmp.Compare(a[0].arm, b[0].arm), cmp.Compare(a[0].best, b[0].best))
	})
	t := charts.NewTable("played", "instead of", "gap Δ")
	for _, policy := range policies {
		t.Headers = append(t.Headers, policy+": rounds", "regret")
	}
	t.Align = "llrrrrr"
	for _, row := range order {
		cells := []any{matArm(row[0].arm), matArm(row[0].best), fmt.Sprintf("%.2f", row[0].gap)}
		for _, p := range row {
			cells = append(cells, fmt.Sprintf("%.1f", p.rounds), fmt.Sprintf("%.1f", p.regret()))
		}
		t.Add(cells...)
	}
	t.Add("all pairs", "", "", "", fmt.Sprintf("%.1f", totals[0]), "", fmt.Sprintf("%.1f", totals[1]))
	t.Caption = fmt.Sprintf("Table 2, %s rounds, mean of %d trials, ε = %d for DPUCB-MAT: rounds a trial in which an arm was played in place of one of the best basis, times their gap in mean weight", thousands(rounds), trials, MATEpsilon)
	t.Scale = Here(s)
	return t, nil
}

// claimPairs adds the pairs up, round by round.
func claimPairs(s Scale) (string, error) {
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
		{name: "Table 2", env: MATTable2(), m: MATMatroid, means: MATMeans, rounds: pick(s, 2_000, MATHorizon, MATHorizon), trials: pick(s, 4, 10, 100)},
		{name: "movies", env: ratings, m: movies.Matroid, means: ratings.Means(), rounds: pick(s, 2_000, 5_000, MATMovieHorizon), trials: pick(s, 2, 4, 20)},
	}
	var evidence string
	for _, c := range list {
		var worst, least, total float64
		count, smallest := map[[2]int]bool{}, math.Inf(1)
		for trial := range c.trials {
			var regret, pairs float64
			var partners []int
			l := MATPolicy(DPUCBForced, c.m, MATEpsilon)
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
		evidence += fmt.Sprintf("%s, %d trials of %s rounds: regret %.0f a trial in %s pairs, off by %.0e of it at most, least gap %.3f; ", c.name, c.trials, thousands(c.rounds), total/float64(c.trials), thousands(len(count)), worst, smallest)
	}
	return evidence[:len(evidence)-2], nil
}
