package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// budgetTwice releases a sum to two readers, a log and a learner, each under the Gaussian noise for
// the whole budget. So mu is sqrt(2) times the claimed one.
//
// At delta = 1e-5 a test of the claim's point alone takes eighty times the runs of a test of its
// curve.
func budgetTwice() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	mu := gaussianMu(budget)
	return audit.Mechanism{
		Name: "the budget spent twice", Origin: "two readers of one sum, each with noise of its own",
		Claim: budget, Curve: curveOf(account.GaussianEvent{Mu: mu}),
		Exact: account.GaussianEpsilon(budget.Delta, math.Sqrt2*mu), Outputs: 2, Runs: 40000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, 1/mu)
			for i := range out {
				out[i] += float64(world)
			}
			return nil
		},
	}
}

// halvedSymmetric releases a Gram matrix under Gaussian noise that is made symmetric as (Z +
// Z^T)/2, where (Z + Z^T)/sqrt(2) is right. All of the noise is too small by a factor of sqrt(2).
//
// A row of length 1 is replaced by one at a right angle, which moves the matrix by sqrt(2). The
// audit knows the density of the noise.
func halvedSymmetric() audit.Likelihood {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	mu := gaussianMu(budget)
	// Under a symmetric Gaussian law a change of Frobenius norm f has mu = f/(sqrt(2) sd).
	sd := 1 / mu
	halved := sd / math.Sqrt2
	values := [2][]float64{{1, 0, 0}, {0, 0, 1}}
	density, draws, err := audit.AdditiveDensity(
		[]privacy.Law{privacy.SymmetricGaussianLaw(2, halved)}, [2][][]float64{{values[0]}, {values[1]}})
	if err != nil {
		panic(err)
	}
	return audit.Likelihood{
		Name: "symmetric noise halved", Origin: "(Z + Z^T)/2 for (Z + Z^T)/sqrt(2)",
		Claim: budget, Curve: curveOf(account.GaussianEvent{Mu: mu}),
		Exact: account.GaussianEpsilon(budget.Delta, math.Sqrt2*mu), Outputs: 3, Runs: 40000,
		Density: density, Draws: draws,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).SymmetricGaussian(out, 2, halved)
			for i, v := range values[world] {
				out[i] += v
			}
			return nil
		},
	}
}

// wrongCoin is randomised response whose random answer is sometimes the truth.
//
// It keeps the truth with probability p = e^eps/(1 + e^eps), and otherwise answers by a fair coin,
// which gives the truth half of the time. The odds are then (1+p)/(1-p) = 1 + 2 e^eps instead of
// e^eps.
func wrongCoin() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "randomised response with a second coin", Origin: "Warner's coins mixed up with those of Fox and Tracy",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: portable.Log(1 + float64(2*portable.Exp(epsilon))), Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			out[0] = float64(world)
			if kept := n.Response(1, 2, epsilon) == 1; !kept {
				out[0] = float64(n.Response(0, 2, 0))
			}
			return nil
		},
	}
}

// notCleared releases the sums of two blocks of records, but does not clear the sum between them.
//
// The records are in [0, 1], and each release has Laplace noise of scale 1/epsilon. The budget is
// not divided since a record should be in one block; but the first block's records are in both
// releases. Two runs that share what they sum up have the same bug.
func notCleared() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "a block's sum that is not cleared", Origin: "state kept from one block to the next",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: 2 * epsilon, Outputs: 2, Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			sum := 0.0
			for i, block := range [2][]float64{{0, 1, float64(world)}, {1, 0, 0}} {
				for _, record := range block {
					sum += record
				}
				out[i] += sum
			}
			return nil
		},
	}
}

func gaussianMu(b privacy.Budget) float64 {
	mu, err := b.GaussianMu()
	if err != nil {
		panic(err)
	}
	return mu
}

func curveOf(e account.Event) []privacy.Budget {
	curve, err := audit.CurveOf(e)
	if err != nil {
		panic(err)
	}
	return curve
}
