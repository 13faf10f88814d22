package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// What goes wrong with one release: its noise, its scale, its budget.

// dividedTwice divides a mean's noise by the number of records twice: the scale is that of a mean,
// and is added to the sum before it is divided.
func dividedTwice() audit.Mechanism {
	const records = 4
	return fixture("noise divided by n twice", "a mean's scale on a sum", 1, records, 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = (float64(world) + laplace(n, 1.0/records)) / records
		})
}

// medianAsMean releases a median under the noise of a mean.
func medianAsMean() audit.Mechanism {
	return fixture("a median under the noise of a mean", "the sensitivity of another statistic", 1, 5, 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(world) + laplace(n, 1.0/5) // of 0, 0, world, 1, 1
		})
}

// seededByData draws its noise from a generator that the data seed, for reproducible releases.
func seededByData() audit.Mechanism {
	return fixture("noise seeded by the data", "a hash of the records as the seed", 1, math.Inf(1), 1, 2000,
		func(world int, _ *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(world) + laplace(privacy.NewNoise(rand.NewPCG(uint64(world), 7)), 1)
		})
}

// drawnAgain draws Laplace noise again until the release is in [0, 1]. How likely that is depends
// on the value, which adds ln(Z(1/2)/Z(0)) to the loss, with Z the probability of the range.
func drawnAgain() audit.Mechanism {
	const scale = 0.25 // for a value that moves by 1/2: epsilon = 2
	exact := 2 + portable.Log(2*(1-portable.Exp(-0.5/scale))/(1-portable.Exp(-1/scale)))
	return fixture("noise drawn again until in range", "rejection in place of clipping", 2, exact, 1, 60000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for out[0] = -1; out[0] < 0 || out[0] > 1; {
				out[0] = float64(float64(world)/2) + laplace(n, scale)
			}
		})
}

// rangeOfTheData takes the largest value less the least for the sensitivity.
func rangeOfTheData() audit.Mechanism {
	return fixture("the range of the data as sensitivity", "bounds read off the records", 1, math.Inf(1), 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			largest := 1 + float64(9*float64(world))
			out[0] = largest + laplace(n, largest)
		})
}

// exponentialWithoutHalf is the exponential mechanism with exp(epsilon u) for exp(epsilon u/2),
// over 20 candidates. A record raises the first one's score and lowers all others.
func exponentialWithoutHalf() audit.Mechanism {
	const others = 19.0
	first := [2]float64{math.E / (math.E + others), 1 / (1 + float64(others*math.E))} // its probability in each world
	return fixture("exponential mechanism without the half", "exp(epsilon u) for exp(epsilon u/2)", 1, portable.Log(first[0]/first[1]), 1, 20000,
		func(world int, _ *privacy.Noise, rng *rand.Rand, out []float64) {
			if rng.Float64() >= first[world] {
				out[0] = float64(1 + rng.IntN(others))
			}
		})
}

// oneSided adds noise of an exponential law, which is never below 0.
func oneSided() audit.Mechanism {
	return fixture("noise of one sign", "an exponential law for a Laplace law", 1, math.Inf(1), 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(world) + math.Abs(laplace(n, 1))
		})
}

// uniformNoise adds uniform noise of the variance of Laplace noise.
func uniformNoise() audit.Mechanism {
	return fixture("uniform noise", "a law without tails", 1, math.Inf(1), 1, 5000,
		func(world int, _ *privacy.Noise, rng *rand.Rand, out []float64) {
			width := float64(math.Sqrt(24) * (float64(rng.Float64()) - 0.5))
			out[0] = float64(world) + width
		})
}

// evenNoise adds discrete noise that takes even numbers only, to a count.
func evenNoise() audit.Mechanism {
	return fixture("discrete noise of even numbers", "a grid coarser than the counts", 1, math.Inf(1), 1, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(world) + 2*math.Round(laplace(n, 2)/2)
		})
}

// onlyWhereSome releases noisy counts of the groups that have any member.
func onlyWhereSome() audit.Mechanism {
	return fixture("counts of groups that are not empty", "a histogram without its empty bins", 1, math.Inf(1), 3, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i, count := range [3]int{5, world, 3} {
				if out[i] = -1e3; count > 0 {
					out[i] = float64(count) + laplace(n, 1)
				}
			}
		})
}

// sampleOfAll claims what a sample of a tenth of the records would grant, and uses all.
func sampleOfAll() audit.Mechanism {
	return fixture("amplified by a sample that is everything", "a sampling rate that nothing applies", portable.Log1p(0.1*(math.E-1)), 1, 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(world) + laplace(n, 1)
		})
}

// missingLevel is a binary tree of three levels with noise for two.
func missingLevel() audit.Mechanism {
	return fixture("a tree with noise for one level too few", "log2 T levels for 1 + log2 T", 1, 1.5, 3, 60000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for level := range out {
				out[level] = min(max(float64(world)+laplace(n, 2), 0), 1)
			}
		})
}

// rawExpiry is a sum over a window from which expired records are taken without new noise.
func rawExpiry() audit.Mechanism {
	return fixture("a window that forgets exactly", "expired records subtracted under the same noise", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			z := laplace(n, 1)
			out[0], out[1] = float64(world)+3+z, 3+z
		})
}

// eachCoordinate gives each of four coordinates the noise for the whole budget.
func eachCoordinate() audit.Mechanism {
	return fixture("the whole budget for each coordinate", "a norm of one coordinate for that of the vector", 1, 4, 4, 40000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				out[i] = min(max(float64(world)+laplace(n, 1), 0), 1)
			}
		})
}

// wrongNorm clips vectors to a length of 1, and adds Laplace noise for an L1 norm of 1: that of
// four coordinates is up to 2.
func wrongNorm() audit.Mechanism {
	return fixture("Laplace noise for a bound on the length", "L2 clipping, L1 noise", 1, 2, 4, 60000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				out[i] = min(max(float64(float64(world)/2)+laplace(n, 1), 0), 0.5)
			}
		})
}

// varianceAsDeviation hands a standard deviation to a sampler that takes a variance.
func varianceAsDeviation() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.01}
	sd := math.Sqrt(1 / gaussianMu(budget))
	return audit.Mechanism{
		Name: "a standard deviation taken for a variance", Origin: "two conventions for normal laws",
		Claim: budget, Exact: account.GaussianEpsilon(budget.Delta, 1/sd), Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, sd)
			out[0] += float64(world)
			return nil
		},
	}
}

// sharedFlip flips both bits of a user or neither, by one coin.
func sharedFlip() audit.Mechanism {
	return fixture("one coin for two bits", "randomised response of a record as a whole", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			flip := n.Response(0, 2, 1)
			out[0], out[1] = float64(flip), float64(world^flip)
		})
}

// oneHotAsBit reports each bit of a one-hot vector at the whole budget: a changed value changes
// two.
func oneHotAsBit() audit.Mechanism {
	return fixture("one-hot bits at the whole budget", "unary encoding without the half", 1, 2, 4, 20000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				bit := 0
				if i == world {
					bit = 1
				}
				out[i] = float64(n.Response(bit, 2, 1))
			}
		})
}

// askedAgain reports the same bit in four rounds, each time with new coins.
func askedAgain() audit.Mechanism {
	return fixture("the same bit asked for again", "an answer that is not kept", 1, 4, 4, 20000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				out[i] = float64(n.Response(world, 2, 1))
			}
		})
}

// rawDivisor divides a noisy sum by the raw number of records, noise and all.
func rawDivisor() audit.Mechanism {
	return fixture("a noisy sum over a raw count", "a mean of records that may be added", 1, math.Inf(1), 1, 20000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = (float64(world) + laplace(n, 1)) / (1 + float64(3*float64(world)))
		})
}

// antithetic adds a draw to one sum and its negative to another, to keep the total exact.
func antithetic() audit.Mechanism {
	return fixture("noise that cancels in the total", "antithetic draws over two arms", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			z := laplace(n, 1)
			out[0], out[1] = 3+float64(world)+z, 4-z
		})
}

// firstOfBlock adds noise to the first release, and exact records to it from then on.
func firstOfBlock() audit.Mechanism {
	return fixture("noise on the first release only", "a running sum that starts from a noisy one", 1, math.Inf(1), 3, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			sum := laplace(n, 1)
			for t := range out {
				if t == 1 {
					sum += float64(world)
				}
				out[t] = sum
			}
		})
}

// testsInTheOpen releases the exact value where the data are far from any that differ, and nothing
// where they are not; that test has no noise.
func testsInTheOpen() audit.Mechanism {
	return fixture("propose, test without noise, release", "a stability test on raw data", 1, math.Inf(1), 1, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			if distance := 2 + world; distance > 2 {
				out[0] = 5 + laplace(n, 1)
			}
		})
}

// drawEachRound draws from a posterior of standard deviation 1/n in nine rounds, and counts one
// draw.
func drawEachRound() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.01}
	mu := gaussianMu(budget)
	return audit.Mechanism{
		Name: "nine posterior draws counted as one", Origin: "Thompson sampling that draws each round",
		Claim: budget, Exact: account.GaussianEpsilon(budget.Delta, 3*mu), Outputs: 9, Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, 1/mu)
			for i := range out {
				out[i] += float64(world)
			}
			return nil
		},
	}
}

// looksInTheOpen is a cascading bandit that releases a block of an item when two users have looked
// at it. The first of two clicks on the item before it, or skips both.
func looksInTheOpen() audit.Mechanism {
	return fixture("blocks of looks", "blocks of observations where a click ends them", 1, math.Inf(1), 1, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			if out[0] = -1e3; 2-world == 2 {
				out[0] = laplace(n, 3)
			}
		})
}
