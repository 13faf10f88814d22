// Package trust holds the claims of the lesson on privacy. Its cells show the mechanisms and the
// attacks; here they are held to what the lesson says of them.
package trust

import "github.com/dpbandits/dpbandits/pkg/notebook/assert"

// The claims of notebook 00b.
var Claims = assert.Claims{
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
