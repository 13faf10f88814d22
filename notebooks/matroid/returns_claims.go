package matroid

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims about the figures of the paper.

var returnsClaims = []lab.Claim{
	{"table 2", "returns and regrets on Table 2 are those of an implementation apart from this one, and how a learner starts makes no difference that counts", claimTable2},
	{"sweep", "DPTS-MAT has less regret than DPUCB-MAT at every ε from 0.5; regret grows with 1/ε, in the steps of the blocks, and a constant plus a multiple of 1/ε explains 95% of it or more; at ε = 2, from n = 30,000 to 1,000,000, it stays within a factor of 1.3 of a multiple of ln n", claimSweep},
	{"movies", "the hundred movies have genres of rank 17, and the private policies approach the best basis, OMM and CTS ahead of them", claimMovies},
}

// final runs the named policies of an experiment for a claim, and keeps the last round alone. The
// seed is the experiment's: what holds once holds always.
func final(e *simulate.Experiment, name string, trials int, policies ...string) (*simulate.Table, error) {
	e.Name, e.Trials, e.Grid = name, trials, []int{e.Rounds}
	e.Policies = slices.DeleteFunc(e.Policies, func(p simulate.Policy) bool { return !slices.Contains(policies, p.Name) })
	r, err := e.Run(context.Background())
	if err != nil {
		return nil, err
	}
	return r.Table(), nil
}

// brief runs policies on Table 2 for a claim.
func brief(trials int, names ...string) (*simulate.Table, error) {
	e := experiment(lab.Lecture, "", Horizon)
	e.Policies = append(policiesAt(Private, []float64{0.5, 2, 10}), simulate.Policy{Name: OMMPublic, New: func() bandit.Learner { return Policy(OMMPublic, Matroid, math.Inf(1)) }})
	return final(e, "claim-table-2", trials, names...)
}

// compareElsewhere compares a table's policies with the other implementation's, and returns how
// many were, and the greatest difference in combined standard errors.
func compareElsewhere(t *simulate.Table, known map[string]elsewhere, value func(simulate.Curve) simulate.Curve) (compared int, worst float64, err error) {
	for _, c := range t.Curves {
		e, ok := known[c.Policy]
		if !ok || c.Rounds[len(c.Rounds)-1] != Horizon {
			continue
		}
		_, mean, se := lab.Last(value(c))
		z := math.Abs(e.beside(mean, se, c.Trials))
		if z > 3 {
			return 0, 0, fmt.Errorf("%s: %.4g ± %.2g of %d trials, %.4g elsewhere: %.1f standard errors apart", c.Policy, mean, se, c.Trials, e.value, z)
		}
		compared, worst = compared+1, math.Max(worst, z)
	}
	return compared, worst, nil
}

func claimTable2(s lab.Scale) (string, error) {
	returns, err := results.Table("mat-returns")
	if err != nil {
		return "", err
	}
	sweep, err := results.Table("mat-sweep")
	if err != nil {
		return "", err
	}
	now, err := brief(cell.Pick(s, 40, 40, 200), Name(DPUCBPrinted, 0.5), Name(DPUCBPrinted, 2), Name(DPTSPrinted, 2), Name(DPTSPrinted, 10), OMMPublic)
	if err != nil {
		return "", err
	}
	perRoundOf := func(c simulate.Curve) simulate.Curve { return perRound(c, tableOptimum()) }
	same := func(c simulate.Curve) simulate.Curve { return c }
	total, worst := 0, 0.0
	for _, x := range []struct {
		t     *simulate.Table
		e     map[string]elsewhere
		value func(simulate.Curve) simulate.Curve
	}{{returns, returnsElsewhere, perRoundOf}, {sweep, regretElsewhere, same}, {now, returnsElsewhere, perRoundOf}, {now, regretElsewhere, same}} {
		n, z, err := compareElsewhere(x.t, x.e, x.value)
		if err != nil {
			return "", err
		}
		total, worst = total+n, math.Max(worst, z)
	}
	start := 0.0
	for _, pair := range [][2]string{{DPUCBPrinted, DPUCBForced}, {DPTSPrinted, DPTSForced}} {
		a, err := returns.Curve(Name(pair[0], Epsilon))
		if err != nil {
			return "", err
		}
		b, err := returns.Curve(Name(pair[1], Epsilon))
		if err != nil {
			return "", err
		}
		_, x, _ := lab.Last(a)
		_, y, _ := lab.Last(b)
		start = math.Max(start, math.Abs(x/y-1))
	}
	if start > 0.05 {
		return "", fmt.Errorf("the regrets of the two initialisations differ by %.1f%%", 100*start)
	}
	return fmt.Sprintf("%d numbers, at most %.1f combined standard errors apart; the two initialisations differ by %.1f%% at most", total, worst, 100*start), nil
}

func claimSweep(s lab.Scale) (string, error) {
	t, err := results.Table("mat-sweep")
	if err != nil {
		return "", err
	}
	epsilons := sweepEpsilons(t)
	ends := func(t *simulate.Table, policy string, epsilon float64) (mean, se float64) {
		c, err := t.Curve(Name(policy, epsilon))
		if err != nil {
			return math.NaN(), math.NaN()
		}
		_, mean, se = lab.Last(c)
		return mean, se
	}
	closest := math.Inf(1)
	for _, epsilon := range epsilons {
		for _, pair := range [][2]string{{DPTSPrinted, DPUCBPrinted}, {DPTSForced, DPUCBForced}} {
			a, aSE := ends(t, pair[0], epsilon)
			b, bSE := ends(t, pair[1], epsilon)
			z := (b - a) / math.Hypot(aSE, bSE)
			if !(z > 3) {
				return "", fmt.Errorf("ε = %g: %s has %.0f ± %.0f, %s %.0f ± %.0f", epsilon, pair[0], a, aSE, pair[1], b, bSE)
			}
			closest = math.Min(closest, z)
		}
	}
	var fits []string
	for _, policy := range Private {
		for _, small := range epsilons {
			for _, large := range epsilons {
				a, aSE := ends(t, policy, small)
				b, bSE := ends(t, policy, large)
				if small < large && !(a-b > -3*math.Hypot(aSE, bSE)) {
					return "", fmt.Errorf("%s: %.0f ± %.0f at ε = %g and %.0f ± %.0f at %g", policy, a, aSE, small, b, bSE, large)
				}
			}
		}
		fit, err := sweepFit(t, policy)
		if err != nil {
			return "", err
		}
		if !(fit.r2 >= 0.95 && fit.a > 0 && fit.b > 0) {
			return "", fmt.Errorf("%s: the fit of the regret is %v", policy, fit)
		}
		fits = append(fits, fit.String())
	}
	var rates []string
	rate, err := results.Table("mat-rate")
	if err != nil {
		return "", err
	}
	for _, policy := range Private {
		c, err := rate.Curve(Name(policy, Epsilon))
		if err != nil {
			return "", err
		}
		low, high := math.Inf(1), 0.0
		for k, n := range c.Rounds {
			if n >= 30_000 {
				rate := c.Mean[k] / math.Log(float64(n))
				low, high = math.Min(low, rate), math.Max(high, rate)
			}
		}
		if !(high < 1.3*low) {
			return "", fmt.Errorf("%s: regret over ln n is between %.1f and %.1f", policy, low, high)
		}
		rates = append(rates, fmt.Sprintf("%.0f to %.0f", low, high))
	}
	// Now: the order, and what the staircase says of DPUCB-MAT.
	now, err := brief(cell.Pick(s, 10, 10, 50), Name(DPUCBForced, 0.5), Name(DPUCBForced, 2), Name(DPUCBForced, 10), Name(DPTSForced, 0.5), Name(DPTSForced, 2), Name(DPTSForced, 10))
	if err != nil {
		return "", err
	}
	worst := 0.0
	for _, epsilon := range []float64{0.5, 2, 10} {
		a, aSE := ends(now, DPTSForced, epsilon)
		b, bSE := ends(now, DPUCBForced, epsilon)
		if !(b-a > 3*math.Hypot(aSE, bSE)) {
			return "", fmt.Errorf("now, ε = %g: DPTS-MAT has %.0f ± %.0f, DPUCB-MAT %.0f ± %.0f", epsilon, a, aSE, b, bSE)
		}
		worst = math.Max(worst, math.Abs(math.Log(b/Staircase(epsilon, Horizon))))
	}
	if worst > math.Log(1.6) {
		return "", fmt.Errorf("DPUCB-MAT's regret is off its block sizes' by a factor of %.2f", math.Exp(worst))
	}
	return fmt.Sprintf("%d values of ε, at least %.0f standard errors between the two; fits %v; regret over ln n %v; the sizes of the blocks alone give DPUCB-MAT's regret to a factor of %.2f", len(epsilons), closest, strings.Join(fits, ", "), rates, math.Exp(worst)), nil
}

func claimMovies(s lab.Scale) (string, error) {
	m, err := LoadMovies()
	if err != nil {
		return "", err
	}
	if len(m.Movies) != Top || m.Matroid.Rank() != 17 {
		return "", fmt.Errorf("%d movies of rank %d", len(m.Movies), m.Matroid.Rank())
	}
	evidence := m.Caption
	if !m.Synthetic {
		if m.Movies[0].Title != "Star Wars (1977)" || m.Counts[0] != 583 || m.Weights[0] != 583.0/943 {
			return "", fmt.Errorf("the first movie is %s with %d ratings, weight %g", m.Movies[0].Title, m.Counts[0], m.Weights[0])
		}
		evidence += ", Star Wars first with 583 of 943"
	}
	e := MovieReturns(lab.Lecture)
	e.Trials, e.Grid = 2, []int{MovieHorizon / 10, MovieHorizon}
	r, err := e.Run(context.Background())
	if err != nil {
		return "", err
	}
	env := m.Environment()
	optimum, random := env.Optimum(), 0.0
	for _, w := range m.Weights {
		random += w * float64(m.Matroid.Rank()) / Top
	}
	if basis := env.Best(); !matroid.IsBasis(m.Matroid, basis) {
		return "", fmt.Errorf("the best basis %v is none", basis)
	}
	last := map[string]float64{}
	for _, c := range r.Curves() {
		early, late := optimum-c.Mean[0]/float64(c.Rounds[0]), optimum-c.Mean[1]/float64(c.Rounds[1])
		if !(late > early && late > random && late < optimum) {
			return "", fmt.Errorf("%s returns %.3f a round after %d and %.3f after %d; the mean movies %.3f, the best basis %.3f", c.Policy, early, c.Rounds[0], late, c.Rounds[1], random, optimum)
		}
		last[c.Policy] = late
	}
	for _, pair := range [][2]string{{OMMPublic, DPUCBForced}, {OMMPublic, DPUCBPrinted}, {CTSPublic, DPTSForced}, {CTSPublic, DPTSPrinted}} {
		if !(last[pair[0]] > last[pair[1]]) {
			return "", fmt.Errorf("%s returns %.3f, %s %.3f", pair[0], last[pair[0]], pair[1], last[pair[1]])
		}
	}
	return fmt.Sprintf("%s; after %s rounds OMM returns %.2f a round, DPUCB-MAT %.2f, CTS %.2f, DPTS-MAT %.2f, of %.2f", evidence, cell.Thousands(MovieHorizon), last[OMMPublic], last[DPUCBForced], last[CTSPublic], last[DPTSForced], optimum), nil
}
