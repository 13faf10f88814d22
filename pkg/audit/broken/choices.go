package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// noCutoff is sparse vector that goes on after the first query above, with the noise for one.
//
// The noise is 2/epsilon for the threshold, drawn once, and 2/epsilon for each query (Chen, Xiao,
// Zhang, Xu, "Differentially private high-dimensional data publication via sampling-based
// inference", 2015; Algorithm 6 of Lyu, Su, Li, "Understanding the sparse vector technique for
// differential privacy", 2017). A record raises the first half of 20 queries and lowers the others.
// The exact epsilon is the loss of the worst output, all below and then all above:
//
//	P = integral of f(rho) F(rho - a)^10 (1 - F(rho - b))^10, (a, b) = (0, 1) and (1, 0).
func noCutoff() audit.Mechanism {
	const epsilon, half = 1.0, 10
	const scale = 2 / epsilon
	below := func(u float64) float64 { // P(Lap(scale) < u)
		if u < 0 {
			return portable.Exp(u/scale) / 2
		}
		return 1 - float64(portable.Exp(-u/scale)/2)
	}
	worst := func(a, b float64) (p float64) {
		const step = 1e-3
		for rho := -30 * scale; rho < 30*scale; rho += step {
			p += float64(step * portable.Exp(-math.Abs(rho)/scale) / (2 * scale) *
				portable.Pow(below(rho-a), half) * portable.Pow(1-below(rho-b), half))
		}
		return p
	}
	return audit.Mechanism{
		Name: "sparse vector without a cutoff", Origin: "Chen, Xiao, Zhang, Xu 2015; Lyu, Su, Li 2017, Algorithm 6",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: portable.Log(worst(0, 1) / worst(1, 0)), Outputs: 2 * half, Runs: 40000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			var rho, nu [1]float64
			n.Laplace(rho[:], scale)
			for i := range out {
				value := float64(world)
				if i >= half {
					value = 1 - value
				}
				n.Laplace(nu[:], scale)
				out[i] = 0
				if value+nu[0] >= rho[0] {
					out[i] = 1
				}
			}
			return nil
		},
	}
}

// noisyMaxValue reports the index of the largest of six noisy counts, and the noisy count with it.
//
// The Laplace noise has scale 2/epsilon, and the index alone costs epsilon. Where all noises are
// negative, the value has the density of six of them, and costs six times epsilon/2.
func noisyMaxValue() audit.Mechanism {
	const epsilon, counts = 1.0, 6
	return audit.Mechanism{
		Name: "report noisy max, with its value", Origin: "the maximum released along with its index",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: counts * epsilon / 2, Outputs: 2, Runs: 100000,
		Release: func(world int, source rand.Source, out []float64) error {
			var z [counts]float64
			privacy.NewNoise(source).Laplace(z[:], 2/epsilon)
			best := 0
			for i := range z {
				z[i] += float64(world) // a record that is in all counts
				if z[i] > z[best] {
					best = i
				}
			}
			out[0], out[1] = float64(best), z[best]
			return nil
		},
	}
}

// remembersViews is a policy that shows one user's context in the next user's action. It plays the
// arm whose context points most in the direction that the previous user saw first, and reads no
// reward.
func remembersViews() audit.Learner {
	problem := bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
	var worlds [2]audit.Stream
	for w, x := range []float64{1, -1} {
		worlds[w] = audit.Stream{
			{X: []float64{x, -x}, Rewards: []float64{0, 0}},
			{X: []float64{1, -1}, Rewards: []float64{0, 0}},
		}
	}
	return audit.Learner{
		Name: "a policy that remembers contexts", Origin: "state beside the private sums",
		Claim: privacy.Budget{Epsilon: 1}, Exact: math.Inf(1), Problem: problem, Worlds: worlds, Runs: 2000,
		Of: remembering{},
	}
}

// remembering plays by the first context of the previous round.
type remembering struct{}

type memory struct{ last float64 }

func (remembering) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return new(memory) }), nil
}

func (r *memory) Select(v *bandit.View, dst []int) ([]int, error) {
	best := 0
	for a := range v.Arms {
		if v.X[a*v.Dim]*r.last > v.X[best*v.Dim]*r.last {
			best = a
		}
	}
	r.last = v.X[0]
	return append(dst, best), nil
}

func (r *memory) Update(v *bandit.View, arms []int, y []float64) error { return nil }
