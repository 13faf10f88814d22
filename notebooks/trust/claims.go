package trust

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The claims of notebook 00b.
var Claims = lab.Claims{
	{"betting odds", "no attacker wins more than e^ε/(1+e^ε) of the games; against randomised response one wins exactly that, against Laplace noise 1 - e^(-ε/2)/2", claimOdds},
	{"trade-off", "measured attackers err as computed and no less than the budget allows; randomised response and Laplace noise reach the bound for ε, Gaussian noise the bound for (ε, δ) where its loss is ε", claimTradeOff},
	{"composition", "the bounds of the privacy-loss distribution hold the exact curves, within a percent up to 10,000 releases; no accountant says less than the truth; at 10,000 basic composition says ten times the truth and, of Gaussian noise, advanced composition twenty times; from 1000 on zCDP and Rényi say at most a tenth more than it", claimComposition},
	{"trust", "the error of a count by randomised response is as computed; the local model costs more than twice the shuffled one, and that more than the central one", claimTrust},
	{"users", "a user with k records has k times the epsilon at least; claims of different models, or about records and about users, do not compose", claimUsers},
	{"beyond the tree", "the noise that is measured is the noise computed: a tree's grows with the ones among t's binary digits; at the same budget and T = 20,000, BLT has at most a third of the tree's largest noise, and at most 1% more than the square root", claimContinual},
	{"odometer", "what is spent never falls and ends at the claimed epsilon; a tree spends at powers of two only", claimOdometer},
	{"audit catches", "an audit excludes the claim of a Laplace sum with the factor 2 forgotten, and does not exclude that of the sum with it", claimAudit},
	{"line-up", "every broken fixture's claim is excluded at 99% confidence, and no sound one's at 99% over all of them", claimLineUp},
	{"ledger", "noise that is kept between rounds is an error at the end of the trial; fresh noise is not", claimLedger},
	{"sparse vector", "with a fresh noisy threshold for each query the loss of “nothing was above” is linear in the queries; with one it is at most ε/2", claimSparse},
	{"low bits", "the low bits of a float64 Laplace release prove the world in more than a tenth of the releases; those of discrete noise never do", claimLowBits},
	{"discrete noise", "discrete Laplace and Gaussian noise from the system's randomness have their exact probabilities (chi-square test)", claimDiscrete},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

// claimOdds plays. Eighteen comparisons at 4.5 standard errors, two-sided: a false alarm of 1.3e-4
// for a new seed.
func claimOdds(s lab.Scale) (string, error) {
	const errs = 4.5
	rounds := gamesAt(s)
	var evidence string
	for _, epsilon := range epsilons {
		bound := SuccessBound(epsilon)
		laplace := playMany(rounds, laplaceCount(epsilon), BestGuess)
		coin := playMany(rounds, response(epsilon), func(r float64) int { return int(r) })
		if want := LaplaceSuccess(epsilon); math.Abs(laplace.share-want) > errs*laplace.se {
			return "", fmt.Errorf("epsilon = %v: %.4f of the games won against Laplace noise, computed %.4f", epsilon, laplace.share, want)
		}
		if laplace.share > bound+errs*laplace.se {
			return "", fmt.Errorf("epsilon = %v: %.4f of the games won against Laplace noise, beyond the bound %.4f", epsilon, laplace.share, bound)
		}
		if math.Abs(coin.share-bound) > errs*coin.se {
			return "", fmt.Errorf("epsilon = %v: %.4f of the games won against randomised response, computed %.4f", epsilon, coin.share, bound)
		}
		evidence += fmt.Sprintf("ε = %g: Laplace %.1f%%, response %.1f%%, bound %.1f%%; ", epsilon, 100*laplace.share, 100*coin.share, 100*bound)
	}
	return evidence + fmt.Sprintf("%s games each", cell.Thousands(rounds)), nil
}

// claimTradeOff measures error rates and compares them with the curves, and the curves with the
// bounds. The measured rates have a standard deviation of at most sqrt(2)/2 sqrt(1/n) (the
// threshold comes from the same releases): 4.5 of them.
func claimTradeOff(s lab.Scale) (string, error) {
	n := cell.Pick(s, 20_000, 50_000, 200_000)
	slack := 4.5 * math.Sqrt(0.5/float64(n))
	worst := 0.0
	for _, epsilon := range []float64{0.5, 1, 2} {
		both := 1 - SuccessBound(epsilon)
		if alpha, beta := responseErrors(n, epsilon); math.Abs(alpha-both) > slack || math.Abs(beta-both) > slack {
			return "", fmt.Errorf("randomised response, epsilon = %v: %.4f false alarms and %.4f misses, computed %.4f of both", epsilon, alpha, beta, both)
		}
		pure, approximate := privacy.Budget{Epsilon: epsilon}, privacy.Budget{Epsilon: epsilon, Delta: tradeOffDelta}
		mu, err := privacy.GaussianMu(approximate)
		if err != nil {
			return "", err
		}
		for _, m := range []struct {
			name    string
			budget  privacy.Budget
			release func(int) float64
			misses  func(float64) float64
		}{
			{"Laplace", pure, laplaceCount(epsilon), func(a float64) float64 { return LaplaceTradeOff(a, epsilon) }},
			{"Gaussian", approximate, gaussianCount(mu), func(a float64) float64 { return GaussianTradeOff(a, mu) }},
		} {
			touch := math.Inf(1) // the least distance of curve and bound
			for _, a := range grid(0, 0.5, 5000) {
				gap := m.misses(a) - TradeOffBound(a, m.budget)
				if touch = math.Min(touch, gap); gap < -1e-9 {
					return "", fmt.Errorf("%s, epsilon = %v: %.6f misses for %.6f false alarms, the budget allows %.6f at least", m.name, epsilon, m.misses(a), a, TradeOffBound(a, m.budget))
				}
			}
			if touch > 1e-6 {
				return "", fmt.Errorf("%s, epsilon = %v: the curve keeps %.3g above the bound: more noise than the budget asks for", m.name, epsilon, touch)
			}
			alpha, beta := errorRates(n, 9, m.release)
			for i, a := range alpha {
				off := math.Abs(beta[i] - m.misses(a))
				if worst = math.Max(worst, off); off > slack*(1+math.Exp(epsilon)) { // the curve's slope turns an error of alpha into one of beta
					return "", fmt.Errorf("%s, epsilon = %v: %.4f misses measured for %.4f false alarms, computed %.4f", m.name, epsilon, beta[i], a, m.misses(a))
				}
			}
		}
	}
	return fmt.Sprintf("ε = 0.5, 1, 2: measured and computed misses differ by at most %.1f percentage points, %s releases in each world", 100*worst, cell.Thousands(n)), nil
}
