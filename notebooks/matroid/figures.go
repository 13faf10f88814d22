package matroid

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// styles gives a policy the same colour in all figures.
var styles = map[string]int{OMMPublic: 1, CTSPublic: 1, DPUCBPrinted: 2, DPUCBForced: 5, DPTSPrinted: 3, DPTSForced: 4}

// returnsFigure draws per-round returns against the best basis'.
func returnsFigure(title, scale string, t *simulate.Table, optimum float64, style func(i int, name string) int, names ...string) *charts.Figure {
	f := &charts.Figure{
		Title: title, X: charts.Axis{Name: "round t", Log: true}, Y: charts.Axis{Name: "mean return of a round, up to t"},
		Marks: []charts.Mark{charts.AtY(optimum, "best basis")}, Scale: scale,
	}
	for i, name := range names {
		c, err := t.Curve(name)
		if err != nil {
			continue
		}
		s := charts.Curves([]simulate.Curve{perRound(c, optimum)})[0]
		s.Style = style(i, name)
		f.Series = append(f.Series, s)
		f.Caption = fmt.Sprintf("Mean of %d trials, with pointwise 95%% confidence bands", c.Trials)
		f.X.Range = [2]float64{1, float64(c.Rounds[len(c.Rounds)-1])}
	}
	return f
}

// trueEpsilons is the end of a caption: what is proved of each policy.
func trueEpsilons(t *simulate.Table, names ...string) string {
	s := ". True ε, of the user with the least privacy:"
	for i, name := range names {
		if i > 0 {
			s += ";"
		}
		s += fmt.Sprintf(" %s %s", name, lab.Number(lab.TrueEpsilon(t, name)))
	}
	return s
}

// Figure1 is Figure 1 for "UCB" and Figure 4a for "TS": a private policy in both
// initialisations, its public twin, and the best basis. t is a table of Returns.
func Figure1(kind string, t *simulate.Table, scale string) *charts.Figure {
	title, public, private := "Figure 1: DPUCB-MAT on Table 2, ε = 2", OMMPublic, []string{DPUCBPrinted, DPUCBForced}
	if kind == "TS" {
		title, public, private = "Figure 4a: DPTS-MAT on Table 2, ε = 2", CTSPublic, []string{DPTSPrinted, DPTSForced}
	}
	names := append([]string{public}, policyNames(private, []float64{Epsilon})...)
	f := returnsFigure(title, scale, t, tableOptimum(), func(i int, _ string) int { return i + 1 }, names...)
	f.Caption += trueEpsilons(t, names[1:]...)
	return f
}

// Figure2 is Figure 2a for DPUCBPrinted and 2b for DPTSPrinted: three epsilons, in either
// initialisation.
func Figure2(policy string, t *simulate.Table, scale string) *charts.Figure {
	panel, forced, public := "2a", DPUCBForced, OMMPublic
	if policy == DPTSPrinted {
		panel, forced, public = "2b", DPTSForced, CTSPublic
	}
	names := append([]string{public}, policyNames([]string{policy}, Epsilons)...)
	f := returnsFigure(fmt.Sprintf("Figure %s: %s on Table 2", panel, policy), scale, t, tableOptimum(), func(i int, _ string) int { return i + 1 }, names...)
	f.Caption += ". As published; " + forced + ", ends at"
	for i, epsilon := range Epsilons {
		c, err := t.Curve(Name(forced, epsilon))
		if err != nil {
			continue
		}
		_, mean, se := lab.Last(perRound(c, tableOptimum()))
		if i > 0 {
			f.Caption += ","
		}
		f.Caption += fmt.Sprintf(" %.3f ± %.3f for ε = %g", mean, se, epsilon)
	}
	return f
}

// Figure3 is Figure 3 for "UCB" and Figure 4b for "TS": the movies. t is a table of
// MovieReturns, which was made from the data set that its fingerprint names.
func Figure3(kind string, t *simulate.Table, scale string) (*charts.Figure, error) {
	m, err := LoadMovies()
	if err != nil {
		return nil, err
	}
	if want := MovieReturns(lab.Smoke).Fingerprint; t.Provenance.Fingerprint != want {
		return nil, fmt.Errorf("matroid: a table of the %s, want one of the %s that is in the cache", t.Provenance.Fingerprint, want)
	}
	optimum, err := movieOptimum()
	if err != nil {
		return nil, err
	}
	title, names := "Figure 3: DPUCB-MAT recommends movies, ε = 2", []string{OMMPublic, DPUCBPrinted, DPUCBForced}
	if kind == "TS" {
		title, names = "Figure 4b: DPTS-MAT recommends movies, ε = 2", []string{CTSPublic, DPTSPrinted, DPTSForced}
	}
	f := returnsFigure(title, scale, t, optimum, func(i int, _ string) int { return i + 1 }, names...)
	f.Y.Name = "mean number of rated movies, up to t"
	f.Caption += fmt.Sprintf(". %d movies, K = %d a round. %s%s", Top, m.Matroid.Rank(), m.Caption, trueEpsilons(t, names[1:]...))
	return f, nil
}

// ShowMovies shows Figure3 from the committed table, which is of MovieLens 100K; where the cell
// has the stand-in, it says that there is nothing to show.
func ShowMovies(kind string) {
	table := lab.MustTable("mat-movies")
	if MustMovies().Synthetic {
		fmt.Printf("Not shown: the committed run is of the %s, and this cell has a synthetic stand-in. The README says how to get the data.\n", table.Provenance.Fingerprint)
		return
	}
	f, err := Figure3(kind, table, lab.Committed(table))
	cell.Must(err)
	charts.Show(f)
}

// Figure5a is Figure 5a: regret over ln n. t is a table of Rate.
func Figure5a(t *simulate.Table, scale string) *charts.Figure {
	f := &charts.Figure{Title: "Figure 5a: regret over ln n, ε = 2", X: charts.Axis{Name: "round n", Log: true}, Y: charts.Axis{Name: "regret / ln n"}, Scale: scale}
	for _, name := range Private {
		c, err := t.Curve(Name(name, Epsilon))
		if err != nil {
			continue
		}
		s := charts.Series{Name: name, Style: styles[name]}
		for k, n := range c.Rounds {
			if n < 10 {
				continue
			}
			log, w := math.Log(float64(n)), 1.96*c.SE[k]
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, c.Mean[k]/log)
			s.Lo, s.Hi = append(s.Lo, (c.Mean[k]-w)/log), append(s.Hi, (c.Mean[k]+w)/log)
		}
		f.Series = append(f.Series, s)
		f.Caption = fmt.Sprintf("Table 2, mean of %d trials, with pointwise 95%% confidence bands. From n = 10. The paper does not say its ε", c.Trials)
	}
	return f
}

// Staircase predicts DPUCB-MAT's regret on Table 2 after n rounds from the sizes of its blocks
// alone. An arm that is not in the best basis is played until the width of its index,
//
//	b(T) = sqrt(3 ln(K n)/T) + 3 K ln(K n)/(epsilon T),
//
// is below its least gap to an arm that it can replace and the width b(T*) of that arm, T* being
// the last power of two below n/2. T is the size of its last full block, thus 1, 2, 4, ...: if the
// first that will do is 2^s, then the arm was played 2^(s+1) - 1 times.
func Staircase(epsilon float64, n int) float64 {
	k := float64(Matroid.Rank())
	log := 3 * math.Log(k*float64(n))
	width := func(t float64) float64 { return math.Sqrt(log/t) + log*k/(epsilon*t) }
	rival := width(math.Exp2(math.Floor(math.Log2(float64(n) / 2))))
	var regret float64
	for _, gap := range gaps() {
		if gap <= 0 {
			continue
		}
		size := 1.0
		for width(size) >= gap+rival && 2*size-1 < float64(n) {
			size *= 2
		}
		regret += gap * min(2*size-1, float64(n))
	}
	return regret
}

// gaps returns, for each arm of Table 2, its least positive gap to an arm of the best basis that
// it can replace; 0 for the best arms and for loops.
func gaps() []float64 {
	e := Table2()
	best := e.Best()
	gaps := make([]float64, len(Means))
	for arm := range gaps {
		if slices.Contains(best, arm) {
			continue
		}
		for i, a := range best {
			swapped := slices.Clone(best)
			swapped[i] = arm
			if gap := Means[a] - Means[arm]; matroid.IsBasis(Matroid, swapped) && (gaps[arm] == 0 || gap < gaps[arm]) {
				gaps[arm] = gap
			}
		}
	}
	return gaps
}

// Figure5b is Figure 5b: regret after n = 10,000 rounds against 1/epsilon, with the staircase of
// the blocks. t is a table of Sweep.
func Figure5b(t *simulate.Table, scale string) (*charts.Figure, error) {
	f := &charts.Figure{Title: "Figure 5b: regret against 1/ε", X: charts.Axis{Name: "1/ε"}, Y: charts.Axis{Name: "regret after 10,000 rounds"}, Scale: scale}
	epsilons := slices.Clone(sweepEpsilons(t))
	slices.Sort(epsilons)
	slices.Reverse(epsilons)
	for _, name := range Private {
		s := charts.Series{Name: name, Style: styles[name]}
		for _, epsilon := range epsilons {
			c, err := t.Curve(Name(name, epsilon))
			if err != nil {
				return nil, err
			}
			_, mean, se := lab.Last(c)
			s.X, s.Y = append(s.X, 1/epsilon), append(s.Y, mean)
			s.Lo, s.Hi = append(s.Lo, mean-1.96*se), append(s.Hi, mean+1.96*se)
		}
		f.Series = append(f.Series, s)
		fit, err := sweepFit(t, name)
		if err != nil {
			return nil, err
		}
		ends := []float64{s.X[0], s.X[len(s.X)-1]}
		f.Series = append(f.Series, charts.Series{
			Name: "a + b/ε, fitted", Reference: true, X: ends, Y: []float64{fit.a + fit.b*ends[0], fit.a + fit.b*ends[1]},
		})
		if f.Caption != "" {
			f.Caption += ", "
		}
		f.Caption += fmt.Sprintf("%s %v", name, fit)
	}
	steps := charts.Series{Name: "from DPUCB-MAT's block sizes alone", Reference: true}
	for i := range 400 {
		first, last := 1/epsilons[0], 1/epsilons[len(epsilons)-1]
		inverse := first + (last-first)*float64(i)/399
		steps.X, steps.Y = append(steps.X, inverse), append(steps.Y, Staircase(1/inverse, Horizon))
	}
	f.Series = append(f.Series, steps)
	f.Caption = fmt.Sprintf("Table 2, mean of %d trials and its 95%% confidence band. Least-squares fits: %s", t.Curves[0].Trials, f.Caption)
	return f, nil
}
