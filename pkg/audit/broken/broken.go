// Package broken holds mechanisms that are less private than they claim, for audits to catch. They
// are for nothing else.
//
// Their bugs were published, in papers or in scripts that came with them, or are those that
// textbooks warn of. Each comment says where the bug is from, what is claimed, and which epsilon is
// true of the two worlds at the claimed delta; it may be +Inf. [All] lists them:
//
//   - Wrong scale: halfSensitivity, classicGaussian, wishartBeyondOne, pairAsOne, initOfAllArms,
//     halvedSymmetric, wrongCoin, printedFTRL.
//   - Wrong count of releases: budgetTwice, notCleared, showsAllTwice.
//   - Noise used again, or too rarely drawn: sharedNoise, keptNoise, reusedNoise, sharedVectors.
//   - Sparse vector and noisy maximum: freshThreshold, noCutoff, noisyMaxValue.
//   - Values that leak past the noise: lowBits, clipAfterNoise, refusesRecords, remembersViews,
//     printedLasso, screenedQueries, unclippedContexts, looksInTheOpen.
//   - Claims wider than the releases, as authors of statistics, devices and learners type them:
//     firstLawOnly, noShuffler, orderKept, twoBitsAsOne, rawWidth, rarelySwitching and what follows
//     them in their file.
//   - One release's noise, scale or budget: dividedTwice, medianAsMean, seededByData and what
//     follows them.
//
// To read one, begin with go doc -u ./pkg/audit/broken halfSensitivity.
package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// All returns all fixtures.
func All() []audit.Item {
	return []audit.Item{
		halfSensitivity(), sharedNoise(), keptNoise(), freshThreshold(), classicGaussian(),
		reusedNoise(), lowBits(), wishartBeyondOne(), pairAsOne(), initOfAllArms(),
		budgetTwice(), halvedSymmetric(), wrongCoin(), notCleared(), clipAfterNoise(),
		refusesRecords(), showsAllTwice(), noCutoff(), noisyMaxValue(), remembersViews(),
		printedLasso(), screenedQueries(), unclippedContexts(), sharedVectors(), printedFTRL(),
		firstLawOnly(), noShuffler(), orderKept(), twoBitsAsOne(), rawWidth(), rarelySwitching(),
		budgetsByEpoch(), silentBlocks(), rawSupport(), fiveAsOne(), fedBeside(), loadedTwice(),
		readsClipCount(), lessForLarge(), largestSoFar(), sumAndSquare(), countInTheOpen(),
		alarmAtOnce(), winStay(), lateMemory(), dividedTwice(), medianAsMean(), seededByData(),
		drawnAgain(), rangeOfTheData(), exponentialWithoutHalf(), oneSided(), uniformNoise(),
		evenNoise(), onlyWhereSome(), sampleOfAll(), missingLevel(), rawExpiry(), eachCoordinate(),
		wrongNorm(), varianceAsDeviation(), sharedFlip(), oneHotAsBit(), askedAgain(), rawDivisor(),
		antithetic(), firstOfBlock(), testsInTheOpen(), drawEachRound(), looksInTheOpen(),
	}
}

// halfSensitivity adds Laplace noise of half the scale needed to a sum of losses.
//
// The losses are in [-1, 1] and the noise has scale |Y|/epsilon, with |Y| = 1 the largest loss.
// Replacing one loss moves the sum by 2|Y|, so that the true epsilon is twice the claimed one.
// DP-FTRL is printed with this bug (Chari, Differentially Private Online Algorithms, Theorem 1).
func halfSensitivity() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "Laplace without the factor 2 of replacement", Origin: "Chari, Differentially Private Online Algorithms, Theorem 1",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: 2 * epsilon, Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			out[0] += []float64{-1, 1}[world]
			return nil
		},
	}
}

// sharedNoise adds one draw of noise to the rewards of three arms, so that their differences are
// released exactly.
//
// The rewards are in [0, 1], and the scale of the noise, 3/epsilon, is right for all three. The bug
// is a scalar broadcast over a vector, in any array language.
func sharedNoise() audit.Mechanism {
	const epsilon, arms = 1.0, 3
	return audit.Mechanism{
		Name: "one scalar noise on all arms", Origin: "a scalar broadcast over a vector",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: math.Inf(1), Outputs: arms, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			var z [1]float64
			privacy.NewNoise(source).Laplace(z[:], arms/epsilon)
			rewards := [2][arms]float64{{0, 0, 0}, {1, 0, 0}}[world]
			for i := range out {
				out[i] = rewards[i] + z[0]
			}
			return nil
		},
	}
}

// keptNoise releases the Gram matrices V_1, V_2, V_3 of contexts in the plane under symmetric
// Gaussian noise that is drawn once and kept, so that V_{t+1} - V_t is x x^T exactly.
//
// The public script with Chowdhury and Zhou, Shuffle Private Linear Contextual Bandits (2022), does
// so for its joint model. The level of the noise, sqrt(ln T) ln(2.5/delta)/epsilon, is the
// script's.
func keptNoise() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.1}
	const rounds = 3
	sd := math.Sqrt(portable.Log(rounds)) * portable.Log(2.5/budget.Delta) / budget.Epsilon
	return audit.Mechanism{
		Name: "a tree that keeps its noise", Origin: "script with Chowdhury and Zhou 2022, joint model",
		Claim: budget, Exact: math.Inf(1), Outputs: 3 * rounds, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			var noise, sum [3]float64
			privacy.NewNoise(source).SymmetricGaussian(noise[:], 2, sd)
			contexts := [rounds][2]float64{{1, 0}, {0, 1}, {1, 0}}
			if world == 1 {
				contexts[1] = [2]float64{1, 0}
			}
			for t, x := range contexts {
				for i, v := range [3]float64{x[0] * x[0], x[0] * x[1], x[1] * x[1]} {
					sum[i] += v
					out[3*t+i] = sum[i] + noise[i]
				}
			}
			return nil
		},
	}
}

// freshThreshold is sparse vector with fresh threshold noise for every query.
//
// The private LASSO is printed this way (Shukla, Differentially Private High-dimensional Bandits,
// Algorithm 2, line 5). It stops at the first query above; the answers below, which are meant to be
// free, cost a little each. All 100 queries are 2 under the threshold, or 3 in the other world, and
//
//	P(the first j are below) = F(gap)^j,  F(u) = P(Lap(4/epsilon) - Lap(2/epsilon) < u).
//
// The worst output, 100 answers below, has the loss 100 ln(F(3)/F(2)): 3.04 for a claim of 0.2.
func freshThreshold() audit.Mechanism {
	const epsilon, queries, gap = 0.2, 100, 2.0
	const threshold, query = 2 / epsilon, 4 / epsilon // scales
	below := func(u float64) float64 {                // F, for u > 0
		return 1 - float64((float64(query*query*portable.Exp(-u/query))-float64(threshold*threshold*portable.Exp(-u/threshold)))/(2*(query*query-threshold*threshold)))
	}
	return audit.Mechanism{
		Name: "sparse vector, a fresh threshold per query", Origin: "Shukla, Differentially Private High-dimensional Bandits, Algorithm 2",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: queries * portable.Log(below(gap+1)/below(gap)), Runs: 8000000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			var z [2]float64 // the threshold's noise, the query's
			for j := range queries {
				n.Laplace(z[:1], threshold)
				n.Laplace(z[1:], query)
				if z[1] >= gap+float64(world)+z[0] {
					out[0] = float64(j) // the first query above
					return nil
				}
			}
			out[0] = queries
			return nil
		},
	}
}

// classicGaussian is the Gaussian mechanism with sigma = sqrt(2 ln(1.25/delta))/epsilon, used
// beyond the range of its proof.
//
// The proof is for epsilon < 1 (Dwork and Roth, The Algorithmic Foundations of Differential
// Privacy, Theorem A.1). Here epsilon = 10 and delta = 0.1, and the true delta is 0.406. Papers on
// bandits use it at any epsilon.
func classicGaussian() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 10, Delta: 0.1}
	sigma := classic(budget)
	return audit.Mechanism{
		Name: "classic Gaussian beyond epsilon = 1", Origin: "Dwork and Roth 2014, Theorem A.1, used outside its range",
		Claim: budget, Exact: account.GaussianEpsilon(budget.Delta, 1/sigma), Runs: 4000000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, sigma)
			out[0] += float64(world)
			return nil
		},
	}
}

func classic(b privacy.Budget) float64 { return math.Sqrt(2*portable.Log(1.25/b.Delta)) / b.Epsilon }

// reusedNoise adds the same Laplace noise to the gradient sums of two minibatches, so that their
// difference is released exactly.
//
// The gradients are in [0, 1], and each release is given epsilon/2, though a record is in only one
// of the minibatches. The generator is seeded anew in each iteration, which makes the two noises
// equal; seeding inside the loop, for reproducibility, does this.
func reusedNoise() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "noise reused across iterations", Origin: "a generator seeded inside the loop",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: math.Inf(1), Outputs: 2, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			seed := source.Uint64()
			gradients := [2][2]float64{{5, 5}, {6, 5}}[world] // the record is in the first minibatch
			for i := range out {
				privacy.NewNoise(rand.NewPCG(seed, 0)).Laplace(out[i:i+1], 2/epsilon)
				out[i] += gradients[i]
			}
			return nil
		},
	}
}

// lowBits adds Laplace noise, drawn in floating point as textbooks do, to a count of 0 or 1.
//
// The noise is -ln(U) with a random sign, where U is a multiple of 2^-53, added in float64. Some
// results cannot come from the count of 0, as no U has that logarithm; seeing one proves that the
// count is 1 (Mironov, On significance of the least significant bits for differential privacy,
// 2012). The run reports the attacker's finding on the released bits: 1 if the count may be 0.
func lowBits() audit.Mechanism {
	return audit.Mechanism{
		Name: "low bits of float64 Laplace", Origin: "Mironov 2012",
		Claim: privacy.Budget{Epsilon: 1}, Exact: math.Inf(1), Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			rng := rand.New(source)
			noise := logOf(1 + rng.Uint64N(1<<53))
			if rng.Uint64()&1 == 0 {
				noise = -noise
			}
			out[0] = 0
			if released := float64(world) + noise; possible(math.Abs(released)) {
				out[0] = 1
			}
			return nil
		},
	}
}

// logOf returns -ln(k/2^53), 1 <= k <= 2^53.
func logOf(k uint64) float64 { return -portable.Log(float64(k) / (1 << 53)) }

// possible reports whether logOf takes a value z >= 0. It tries the k near e^-z 2^53, which is
// itself rounded.
func possible(z float64) bool {
	centre := int64(math.Round(portable.Exp(-z) * (1 << 53)))
	for k := max(1, centre-4); k <= min(1<<53, centre+4); k++ {
		if logOf(uint64(k)) == z {
			return true
		}
	}
	return false
}

// wishartBeyondOne adds Wishart noise to a Gram matrix with the degrees of freedom of Sheffet's
// theorem, outside of its range epsilon < 1.
//
// The degrees of freedom are k = p + 28 ln(4/delta)/epsilon^2 (Shariff and Sheffet 2018, Theorem
// 23). At epsilon = 7.2 and delta = 0.1 that is k = p+2. The noise is positive definite, so that
// the release M lies above A^T A, whatever A. Replace a row v of A by 0: then M - v v^T is positive
// definite in one world, while in the other it is not, with probability
//
//	P(v^T W^-1 v > 1) = P(chi^2_{k-p+1} < 1) = P(chi^2_3 < 1) = 0.199 > delta,
//
// at any epsilon: the true one is +Inf. The run reports v^T M^-1 v, whose excess over 1 is the
// event.
func wishartBeyondOne() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 7.2, Delta: 0.1}
	const p = 2
	freedom := p + int(math.Ceil(28*portable.Log(4/budget.Delta)/(budget.Epsilon*budget.Epsilon)))
	exact := budget.Epsilon // in case the constants above change such that this event proves nothing
	if three := portable.Erf(math.Sqrt(0.5)) - float64(math.Sqrt(2/math.Pi)*portable.Exp(-0.5)); freedom == p+2 && three > budget.Delta {
		exact = math.Inf(1)
	}
	return audit.Mechanism{
		Name: "Wishart at epsilon >= 1 a node", Origin: "Shariff and Sheffet 2018, Theorem 23, used outside its range",
		Claim: budget, Exact: exact, Runs: 1000000,
		Release: func(world int, source rand.Source, out []float64) error {
			w, err := random.NewWishart(p, freedom, 1)
			if err != nil {
				return err
			}
			var m [3]float64
			privacy.NewNoise(source).Wishart(m[:], w)
			m[0] += []float64{1, 0}[world] // v = (1, 0), or the row 0
			out[0] = m[2] / (float64(m[0]*m[2]) - float64(m[1]*m[1]))
			return nil
		},
	}
}

// pairAsOne releases a context and a reward under Gaussian noise that is right for either alone.
//
// The context is in the unit ball, the reward in [-1, 1]. The noise has the classic standard
// deviation for a sensitivity of 2, that of either; the pair's is 2 sqrt(2). (Improved rate for
// Locally Differentially Private Linear Bandits, Theorem 3.2.) At epsilon = 1 the slack of the
// classic formula hides the bug; at epsilon = 10 and delta = 0.1 the true epsilon is 27.
func pairAsOne() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 10, Delta: 0.1}
	sigma := 2 * classic(budget)
	return audit.Mechanism{
		Name: "a pair released with the noise of one", Origin: "Improved rate for Locally Differentially Private Linear Bandits, Theorem 3.2",
		Claim: budget, Exact: account.GaussianEpsilon(budget.Delta, 2*math.Sqrt2/sigma), Outputs: 2, Runs: 1500000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, sigma)
			for i := range out {
				out[i] += []float64{-1, 1}[world]
			}
			return nil
		},
	}
}

// initOfAllArms releases the rewards of all 7 base arms of one user under noise for the 3 arms of a
// later round.
//
// The rewards are in [0, 1], and the Laplace noise has scale K/epsilon, which is right for the K =
// 3 arms played in every later round. So the user of round 0 pays 7/3 of epsilon. DPUCB-MAT and
// DPTS-MAT start so (Differentially private matroid bandits, Algorithms 2 and 3, line 2).
func initOfAllArms() audit.Mechanism {
	const epsilon, arms, played = 2.0, 7, 3
	return audit.Mechanism{
		Name: "an init that releases all arms", Origin: "Differentially private matroid bandits, Algorithms 2 and 3",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: epsilon * arms / played, Outputs: arms, Runs: 100000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, played/epsilon)
			for i := range out {
				out[i] += float64(world)
			}
			return nil
		},
	}
}
