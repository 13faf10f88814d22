// Package trust holds the claims of the lesson on privacy. Its cells show the mechanisms and the
// attacks; here they are held to what the lesson says of them.
package trust

import "github.com/dpbandits/dpbandits/notebooks/assert"

// The claims of notebook 00b that take runs or an oracle of their own. Its cells check the others
// on the numbers that they show.
var Claims = assert.Claims{
	{"trade-off", "measured attackers err as computed and no less than the budget allows; randomised response and Laplace noise reach the bound for ε; Gaussian noise reaches that for (ε, δ) where its loss is ε, and nowhere else", claimTradeOff},
	{"composition", "no accountant says less than the truth; the bounds of the privacy-loss distribution hold the exact curves, and are within a percent of each other up to 10,000 releases", claimComposition},
	{"waste", "from 100 releases to 1000 the true ε grows less than fivefold. Basic composition says it to a percent for up to 10 releases of a bounded loss, and at least ten times as much for 10,000. Advanced composition says at most a third more where the loss is bounded, and twenty times as much for 10,000 Gaussian releases. zCDP says four times as much for one release of a bounded loss; from 1000 on zCDP and Rényi say at most a tenth more", claimWaste},
	{"beyond the tree", "the noise that is measured is the noise computed: a tree's grows with the ones among t's binary digits; at the same budget and T = 20,000, BLT has at most a third of the tree's largest noise, and at most 1% more than the square root", claimContinual},
	{"line-up", "every broken fixture's claim is excluded at 99% confidence, and no sound one's at 99% over all of them", claimLineUp},
	{"sparse vector", "with a fresh noisy threshold for each query the loss of “nothing was above” is linear in the queries; with one it is at most ε/2", claimSparse},
	{"discrete noise", "discrete Laplace and Gaussian noise from the system's randomness have their exact probabilities (chi-square test)", claimDiscrete},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }
