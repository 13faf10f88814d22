package matroid

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claims lists the claims of notebook 02 that are checked against committed tables, and by shorter
// runs. Its cells check the others.
var Claims = lab.Claims{
	{"table 2", "returns and regrets on Table 2 are those of an implementation apart from this one, and how a learner starts makes no difference that counts", claimTable2},
	{"sweep", "DPTS-MAT has less regret than DPUCB-MAT at every ε from 0.5, and regret grows with 1/ε; but no line fits all of it: the least-squares line through all points is 10% low or more at ε = 2, and that through all but ε = 0.5 is steeper by a quarter, and 20% high or more at ε = 0.5; regret over ln n at ε = 2 has not settled from n = 30,000 to 1,000,000, where it varies by a factor between 1.15 and 1.3", claimSweep},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

// brief runs policies on Table 2 for a claim.
func brief(trials int, names ...string) (*simulate.Table, error) {
	return lab.Brief(experiment(lab.Lecture, "claim-table-2", Horizon, on(Matroid, names...)), trials, names...)
}

func claimTable2(s lab.Scale) (string, error) {
	committed := lab.MustTable("mat-returns")
	now, err := brief(cell.Pick(s, 40, 40, 200), append(atAll([]string{dpucbPrinted}, 0.5, 2), at(dptsPrinted, 2), at(dptsPrinted, 10), ommPublic)...)
	if err != nil {
		return "", err
	}
	compared, worst, start := 0, 0.0, 0.0
	for _, c := range lab.Curves([]*simulate.Table{committed, lab.MustTable("mat-sweep"), now}) {
		n, regret, se := lab.Last(c)
		mean, meanSE := perRound(Table2().Optimum(), n, regret, se)
		for _, ours := range []struct {
			known    elsewhere
			mean, se float64
		}{{returnsElsewhere[c.Policy], mean, meanSE}, {regretElsewhere[c.Policy], regret, se}} {
			if ours.known.trials == 0 {
				continue // not known elsewhere
			}
			z := math.Abs(ours.known.beside(ours.mean, ours.se, c.Trials))
			if z > 3 {
				return "", fmt.Errorf("%s: %.4g ± %.2g of %d trials, %.4g elsewhere: %.1f standard errors apart", c.Policy, ours.mean, ours.se, c.Trials, ours.known.value, z)
			}
			compared, worst = compared+1, max(worst, z)
		}
	}
	for _, pair := range [][2]string{{dpucbPrinted, dpucbForced}, {dptsPrinted, dptsForced}} {
		published, _ := end(committed, at(pair[0], Epsilon))
		forced, _ := end(committed, at(pair[1], Epsilon))
		start = max(start, math.Abs(published/forced-1))
	}
	if start > 0.05 {
		return "", fmt.Errorf("the regrets of the two initialisations differ by %.1f%%", 100*start)
	}
	return fmt.Sprintf("%d numbers, at most %.1f combined standard errors apart; the two initialisations differ by %.1f%% at most", compared, worst, 100*start), nil
}

// dptsAhead checks that DPTS-MAT has less regret than DPUCB-MAT at some epsilons, by three standard
// errors, and returns the least lead.
func dptsAhead(t *simulate.Table, epsilons []float64, pairs ...[2]string) (least float64, err error) {
	least = math.Inf(1)
	for _, epsilon := range epsilons {
		for _, pair := range pairs {
			z, err := lab.Lead([]*simulate.Table{t}, at(pair[0], epsilon), at(pair[1], epsilon))
			if err != nil || !(z > 3) {
				return 0, fmt.Errorf("ε = %g: %s leads %s by %.1f standard errors: %v", epsilon, pair[0], pair[1], z, err)
			}
			least = min(least, z)
		}
	}
	return least, nil
}

// notALine checks that a policy's regret grows with 1/epsilon, and how two lines miss it.
func notALine(t *simulate.Table, policy string) (evidence string, err error) {
	epsilons := sweepEpsilons(t)
	for _, small := range epsilons {
		for _, large := range epsilons {
			a, aSE := end(t, at(policy, small))
			b, bSE := end(t, at(policy, large))
			if small < large && !(a-b > -3*math.Hypot(aSE, bSE)) {
				return "", fmt.Errorf("%s: %.0f ± %.0f at ε = %g and %.0f ± %.0f at %g", policy, a, aSE, small, b, bSE, large)
			}
		}
	}
	all, near := sweepFit(t, policy, 0), sweepFit(t, policy, 0.6)
	two, _ := end(t, at(policy, 2))
	half, _ := end(t, at(policy, 0.5))
	low, high := 1-all.at(2)/two, near.at(0.5)/half-1
	if !(low >= 0.1 && near.b >= 1.25*all.b && high >= 0.2) {
		err = fmt.Errorf("%s: the fits are %v, %.0f%% low at ε = 2, and %v, %.0f%% high at 0.5", policy, all, 100*low, near, 100*high)
	}
	return fmt.Sprintf("%s %v, %.0f%% low at ε = 2, and %v without 0.5, %.0f%% high there", Label(policy), all, 100*low, near, 100*high), err
}

func claimSweep(s lab.Scale) (string, error) {
	t, rate, forced := lab.MustTable("mat-sweep"), lab.MustTable("mat-rate"), [2]string{dptsForced, dpucbForced}
	lead, err := dptsAhead(t, sweepEpsilons(t), [2]string{dptsPrinted, dpucbPrinted}, forced)
	if err != nil {
		return "", err
	}
	var fits, rates []string
	for _, policy := range private {
		fit, err := notALine(t, policy)
		if err != nil {
			return "", err
		}
		low, high, c := math.Inf(1), 0.0, cell.Try(rate.Curve(at(policy, Epsilon)))
		for k, n := range c.Rounds {
			if n >= 30_000 {
				low, high = min(low, c.Mean[k]/math.Log(float64(n))), max(high, c.Mean[k]/math.Log(float64(n)))
			}
		}
		if !(high > 1.15*low && high < 1.3*low) {
			return "", fmt.Errorf("%s: regret over ln n is between %.1f and %.1f", policy, low, high)
		}
		fits, rates = append(fits, fit), append(rates, fmt.Sprintf("%.0f to %.0f", low, high))
	}
	// Now: the order, and the committed numbers.
	few, trials := []float64{0.5, 2, 10}, cell.Pick(s, 10, 10, 50)
	now, err := brief(trials, atAll(forced[:], few...)...)
	if err != nil {
		return "", err
	}
	if _, err := dptsAhead(now, few, forced); err != nil {
		return "", fmt.Errorf("now: %w", err)
	}
	for _, name := range atAll(forced[:], few...) {
		a, aSE := end(now, name)
		b, bSE := end(t, name)
		if !(math.Abs(a-b) < 4*math.Hypot(aSE, bSE)) {
			return "", fmt.Errorf("%s: regret %.0f ± %.0f now, %.0f ± %.0f in the table", name, a, aSE, b, bSE)
		}
	}
	return fmt.Sprintf("%d values of ε, at least %.0f standard errors between the two; %s; regret over ln n: %s; %d trials now agree with the table",
		len(sweepEpsilons(t)), lead, strings.Join(fits, "; "), strings.Join(rates, ", "), trials), nil
}
