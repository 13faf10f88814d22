package matroid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims lists the claims of notebook 02 that are checked against committed tables, and by shorter
// runs. Its cells check the others.
var Claims = assert.Claims{
	{"table 2", "returns and regrets on Table 2 are those of an implementation apart from this one, and how a learner starts makes no difference that counts", claimTable2},
	{"sweep", "DPTS-MAT has less regret than DPUCB-MAT at every ε from 0.5, and regret grows with 1/ε; but no line fits all of it: the least-squares line through all points is 10% low or more at ε = 2, and that through all but ε = 0.5 is steeper by a quarter, and 20% high or more at ε = 0.5; regret over ln n at ε = 2 has not settled from n = 30,000 to 1,000,000, where it varies by a factor between 1.15 and 1.3", claimSweep},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

// brief runs policies on Table 2 for a claim.
func brief(trials int, names ...string) *simulate.Table {
	return check.Try(lab.Brief(experiment(cell.Lecture, "claim-table-2", Horizon, on(Matroid, names...)), trials, names...))
}

func claimTable2(s cell.Scale) (string, error) {
	compared, worst, start := 0, 0.0, 0.0
	compare := func(c simulate.Curve, known map[string]elsewhere, mean, se float64) {
		if e, ok := known[c.Policy]; ok {
			z := math.Abs(e.beside(mean, se, c.Trials))
			check.That(z <= 3, "%s: %.4g ± %.2g of %d trials, %.4g elsewhere: %.1f standard errors apart", c.Policy, mean, se, c.Trials, e.value, z)
			compared, worst = compared+1, max(worst, z)
		}
	}
	committed := lab.MustTable("mat-returns")
	now := brief(cell.Pick(s, 40, 40, 200), append(atAll([]string{dpucbPrinted}, 0.5, 2), at(dptsPrinted, 2), at(dptsPrinted, 10), ommPublic)...)
	for _, c := range lab.Curves([]*simulate.Table{committed, lab.MustTable("mat-sweep"), now}) {
		n, regret, se := c.Last()
		compare(c, regretElsewhere, regret, se)
		mean, meanSE := perRound(Table2().Optimum(), n, regret, se)
		compare(c, returnsElsewhere, mean, meanSE)
	}
	for pair := range slices.Chunk(private, 2) { // as published, and forced
		published, _ := end(committed, at(pair[0], Epsilon))
		forced, _ := end(committed, at(pair[1], Epsilon))
		start = max(start, math.Abs(published/forced-1))
	}
	check.That(start <= 0.05, "the regrets of the two initialisations differ by %.1f%%", 100*start)
	return fmt.Sprintf("%d numbers, at most %.1f combined standard errors apart; the two initialisations differ by %.1f%% at most", compared, worst, 100*start), nil
}

// dptsAhead checks that DPTS-MAT has less regret than DPUCB-MAT at some epsilons, by three standard
// errors, and returns the least lead.
func dptsAhead(t *simulate.Table, epsilons []float64, pairs ...[2]string) (least float64) {
	least = math.Inf(1)
	for _, epsilon := range epsilons {
		for _, pair := range pairs {
			z := check.Try(simulate.Lead(t.Curves, at(pair[0], epsilon), at(pair[1], epsilon)))
			check.That(z > 3, "%s, ε = %g: %s leads %s by %.1f standard errors", t.Provenance.Experiment, epsilon, pair[0], pair[1], z)
			least = min(least, z)
		}
	}
	return least
}

// notALine checks that a policy's regret grows with 1/epsilon, and how two lines miss it.
func notALine(t *simulate.Table, policy string) (evidence string) {
	epsilons := sweepEpsilons(t)
	for _, small := range epsilons {
		for _, large := range epsilons {
			a, aSE := end(t, at(policy, small))
			b, bSE := end(t, at(policy, large))
			check.That(small >= large || a-b > -3*math.Hypot(aSE, bSE), "%s: %.0f ± %.0f at ε = %g and %.0f ± %.0f at %g", policy, a, aSE, small, b, bSE, large)
		}
	}
	all, near := sweepFit(t, policy, 0), sweepFit(t, policy, 0.6)
	two, _ := end(t, at(policy, 2))
	half, _ := end(t, at(policy, 0.5))
	low, high := 1-all.at(2)/two, near.at(0.5)/half-1
	evidence = fmt.Sprintf("%s %v, %.0f%% low at ε = 2, and %v without 0.5, %.0f%% high there; ", Label(policy), all, 100*low, near, 100*high)
	check.That(low >= 0.1 && near.b >= 1.25*all.b && high >= 0.2, "the fits are %s", evidence)
	return evidence
}

func claimSweep(s cell.Scale) (string, error) {
	t, rate, forced := lab.MustTable("mat-sweep"), lab.MustTable("mat-rate"), [2]string{dptsForced, dpucbForced}
	lead := dptsAhead(t, sweepEpsilons(t), [2]string{dptsPrinted, dpucbPrinted}, forced)
	fits, rates := "", []string{}
	for _, policy := range private {
		fits += notALine(t, policy)
		low, high, c := math.Inf(1), 0.0, check.Try(rate.Curve(at(policy, Epsilon)))
		for k, n := range c.Rounds {
			if n >= 30_000 {
				low, high = min(low, c.Mean[k]/math.Log(float64(n))), max(high, c.Mean[k]/math.Log(float64(n)))
			}
		}
		check.That(high > 1.15*low && high < 1.3*low, "%s: regret over ln n is between %.1f and %.1f", policy, low, high)
		rates = append(rates, fmt.Sprintf("%.0f to %.0f", low, high))
	}
	// Now: the order, and the committed numbers.
	few, trials := []float64{0.5, 2, 10}, cell.Pick(s, 10, 10, 50)
	now := brief(trials, atAll(forced[:], few...)...)
	dptsAhead(now, few, forced)
	for _, c := range now.Curves {
		a, aSE := end(now, c.Policy)
		b, bSE := end(t, c.Policy)
		check.That(math.Abs(a-b) < 4*math.Hypot(aSE, bSE), "%s: regret %.0f ± %.0f now, %.0f ± %.0f in the table", c.Policy, a, aSE, b, bSE)
	}
	return fmt.Sprintf("%d values of ε, at least %.0f standard errors between the two; %sregret over ln n: %s; %d trials now agree with the table",
		len(sweepEpsilons(t)), lead, fits, strings.Join(rates, ", "), trials), nil
}
