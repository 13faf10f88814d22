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
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims about the figures of the paper.

var returnsClaims = []lab.Claim{
	{"table 2", "returns and regrets on Table 2 are those of an implementation apart from this one, and how a learner starts makes no difference that counts", claimTable2},
	{"sweep", "DPTS-MAT has less regret than DPUCB-MAT at every ε from 0.5, and regret grows with 1/ε; but no line fits all of it: the least-squares line through all points is 10% low or more at ε = 2, and that through all but ε = 0.5 is steeper by a quarter, and 20% high or more at ε = 0.5; regret over ln n at ε = 2 has not settled from n = 30,000 to 1,000,000, where it varies by a factor between 1.15 and 1.3", claimSweep},
	{"movies", "the hundred movies have genres of rank 17; after 20,000 rounds the mean return of OMM and CTS is within 0.4 of the best basis's, and that of no private policy within 1.5 of it, though each is 0.2 above that of random weights, or more", claimMovies},
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

// finalAt returns a policy's regret at the last round, and its standard error.
func finalAt(t *simulate.Table, policy string, epsilon float64) (mean, se float64) {
	c, err := t.Curve(Name(policy, epsilon))
	if err != nil {
		return math.NaN(), math.NaN()
	}
	_, mean, se = lab.Last(c)
	return mean, se
}

// dptsAhead checks that DPTS-MAT has less regret than DPUCB-MAT at some epsilons, by three standard
// errors, and returns the least lead.
func dptsAhead(t *simulate.Table, epsilons []float64, pairs ...[2]string) (least float64, err error) {
	least = math.Inf(1)
	for _, epsilon := range epsilons {
		for _, pair := range pairs {
			z, err := lab.Lead([]*simulate.Table{t}, Name(pair[0], epsilon), Name(pair[1], epsilon))
			if err != nil {
				return 0, err
			}
			if least = math.Min(least, z); !(z > 3) {
				return 0, fmt.Errorf("ε = %g: %s leads %s by %.1f standard errors", epsilon, pair[0], pair[1], z)
			}
		}
	}
	return least, nil
}

// notALine checks that a policy's regret grows with 1/epsilon, and how two lines miss it.
func notALine(t *simulate.Table, policy string) (evidence string, err error) {
	epsilons := sweepEpsilons(t)
	for _, small := range epsilons {
		for _, large := range epsilons {
			a, aSE := finalAt(t, policy, small)
			b, bSE := finalAt(t, policy, large)
			if small < large && !(a-b > -3*math.Hypot(aSE, bSE)) {
				return "", fmt.Errorf("%s: %.0f ± %.0f at ε = %g and %.0f ± %.0f at %g", policy, a, aSE, small, b, bSE, large)
			}
		}
	}
	all, err := sweepFit(t, policy, 0)
	if err != nil {
		return "", err
	}
	near, err := sweepFit(t, policy, 0.6)
	if err != nil {
		return "", err
	}
	two, _ := finalAt(t, policy, 2)
	half, _ := finalAt(t, policy, 0.5)
	low, high := 1-all.at(2)/two, near.at(0.5)/half-1
	if !(low >= 0.1 && near.b >= 1.25*all.b && high >= 0.2) {
		return "", fmt.Errorf("%s: the fits are %v, %.0f%% low at ε = 2, and %v, %.0f%% high at 0.5", policy, all, 100*low, near, 100*high)
	}
	return fmt.Sprintf("%s %v, %.0f%% low at ε = 2, and %v without 0.5, %.0f%% high there", Label(policy), all, 100*low, near, 100*high), nil
}

// rateOf returns the least and the largest regret over ln n from n = 30,000 on.
func rateOf(c simulate.Curve) (low, high float64) {
	low = math.Inf(1)
	for k, n := range c.Rounds {
		if n >= 30_000 {
			rate := c.Mean[k] / math.Log(float64(n))
			low, high = math.Min(low, rate), math.Max(high, rate)
		}
	}
	return low, high
}

func claimSweep(s lab.Scale) (string, error) {
	t, err := results.Table("mat-sweep")
	if err != nil {
		return "", err
	}
	forced := [2]string{DPTSForced, DPUCBForced}
	lead, err := dptsAhead(t, sweepEpsilons(t), [2]string{DPTSPrinted, DPUCBPrinted}, forced)
	if err != nil {
		return "", err
	}
	rate, err := results.Table("mat-rate")
	if err != nil {
		return "", err
	}
	var fits, rates []string
	for _, policy := range Private {
		fit, err := notALine(t, policy)
		if err != nil {
			return "", err
		}
		c, err := rate.Curve(Name(policy, Epsilon))
		if err != nil {
			return "", err
		}
		low, high := rateOf(c)
		if !(high > 1.15*low && high < 1.3*low) {
			return "", fmt.Errorf("%s: regret over ln n is between %.1f and %.1f", policy, low, high)
		}
		fits, rates = append(fits, fit), append(rates, fmt.Sprintf("%.0f to %.0f", low, high))
	}
	// Now: the order, and the committed numbers.
	few := []float64{0.5, 2, 10}
	trials := cell.Pick(s, 10, 10, 50)
	now, err := brief(trials, policyNames(forced[:], few)...)
	if err != nil {
		return "", err
	}
	if _, err := dptsAhead(now, few, forced); err != nil {
		return "", fmt.Errorf("now: %w", err)
	}
	for _, epsilon := range few {
		for _, policy := range forced {
			a, aSE := finalAt(now, policy, epsilon)
			b, bSE := finalAt(t, policy, epsilon)
			if !(math.Abs(a-b) < 4*math.Hypot(aSE, bSE)) {
				return "", fmt.Errorf("%s, ε = %g: regret %.0f ± %.0f now, %.0f ± %.0f in the table", policy, epsilon, a, aSE, b, bSE)
			}
		}
	}
	return fmt.Sprintf("%d values of ε, at least %.0f standard errors between the two; %s; regret over ln n: %s; %d trials now agree with the table",
		len(sweepEpsilons(t)), lead, strings.Join(fits, "; "), strings.Join(rates, ", "), trials), nil
}

// returnOf is a policy's mean return of a round on the movies.
func returnOf(t *simulate.Table, policy string, optimum float64) (float64, error) {
	c, err := t.Curve(policy)
	if err != nil {
		return 0, err
	}
	n, regret, _ := lab.Last(c)
	return optimum - regret/float64(n), nil
}

func claimMovies(lab.Scale) (string, error) {
	m, err := LoadMovies()
	if err != nil {
		return "", err
	}
	if len(m.Movies) != Top || m.Matroid.Rank() != 17 {
		return "", fmt.Errorf("%d movies of rank %d", len(m.Movies), m.Matroid.Rank())
	}
	evidence, optimum := m.Caption, m.Environment().Optimum()
	if !m.Synthetic { // the table is of MovieLens 100K
		t, err := results.Table("mat-movies")
		if err != nil {
			return "", err
		}
		chance := 0.0
		for a, share := range byChance(m) {
			chance += share * m.Weights[a]
		}
		evidence += fmt.Sprintf("; the best basis %.2f, random weights %.2f", optimum, chance)
		for _, policy := range append([]string{OMMPublic, CTSPublic}, Private...) {
			x, err := returnOf(t, policy, optimum)
			if err != nil {
				return "", err
			}
			public := policy == OMMPublic || policy == CTSPublic
			if missed := optimum - x; public && !(missed <= 0.4) || !public && !(missed > 1.5 && x >= chance+0.2) {
				return "", fmt.Errorf("%s returns %.2f a round; the best basis %.2f, random weights %.2f", policy, x, optimum, chance)
			}
			evidence += fmt.Sprintf("; %s %.2f", Label(policy), x)
		}
	}
	e := MovieReturns(lab.Lecture)
	now, err := final(e, "claim-movies", 2, OMMPublic, DPUCBForced)
	if err != nil {
		return "", err
	}
	public, err := returnOf(now, OMMPublic, optimum)
	if err != nil {
		return "", err
	}
	private, err := returnOf(now, DPUCBForced, optimum)
	if err != nil {
		return "", err
	}
	if !(optimum-public < (optimum-private)/2 && private < optimum) {
		return "", fmt.Errorf("now OMM returns %.2f a round, DPUCB-MAT %.2f, of %.2f", public, private, optimum)
	}
	return fmt.Sprintf("%s; two trials now: OMM %.2f, DPUCB-MAT %.2f of %.2f", evidence, public, private, optimum), nil
}
