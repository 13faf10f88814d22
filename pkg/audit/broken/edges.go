package broken

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// clipAfterNoise clips a noisy sum of ten records to [0, 10] instead of clipping the records to [0,
// 1].
//
// As long as all records are within their bounds nothing is wrong. A record of 50 moves the sum by
// 50: a release of 0 has probabilities 1/2 and e^(-50 epsilon)/2.
func clipAfterNoise() audit.Mechanism {
	const epsilon, records, beyond = 1.0, 10, 50.0
	return audit.Mechanism{
		Name: "clipping after the noise", Origin: "the release is clipped to its range, and the records are not",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: beyond * epsilon, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			out[0] = min(max(out[0]+float64(beyond*float64(world)), 0), records)
			return nil
		},
	}
}

// refusesRecords adds Laplace noise to a sum of records in [0, 1], and returns an error for a
// record out of range. What it releases is private, but that it releases nothing reveals the
// record.
func refusesRecords() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "an error for a record out of bounds", Origin: "input validation on private data",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: math.Inf(1), Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			record := []float64{1, 1.5}[world]
			if record > 1 {
				return fmt.Errorf("record = %v, want in [0, 1]", record)
			}
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			out[0] += record
			return nil
		},
	}
}

// showsAllTwice makes two releases and claims epsilon twice, but delta only once.
//
// Each is a sum under Laplace noise of scale 2/epsilon, shown without any noise with probability
// delta. Either release alone shows all with probability delta, as claimed; together they do with
// probability 1 - (1-delta)^2.
func showsAllTwice() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.02}
	return audit.Mechanism{
		Name: "all shown with probability delta, twice", Origin: "delta is not composed",
		Claim: budget, Exact: math.Inf(1), Outputs: 2, Runs: 40000,
		Release: func(world int, source rand.Source, out []float64) error {
			n, rng := privacy.NewNoise(source), rand.New(source)
			for i := range out {
				out[i] = float64(world)
				if shown := rng.Float64() < budget.Delta; !shown {
					var z [1]float64
					n.Laplace(z[:], 2/budget.Epsilon)
					out[i] += z[0]
				}
			}
			return nil
		},
	}
}
