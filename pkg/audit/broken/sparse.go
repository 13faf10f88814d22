package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The printed private LASSO, at the round that the fixtures are for.
const (
	lassoDim, lassoSparsity = 2, 1
	lassoRows               = 1000
	lassoHorizon            = 16000
)

// collinear returns the LASSO coefficients of 1000 rows of two dimensions, and the lambda of the
// fit.
//
// All rows are (1, 1) with reward 1, but for one, which is (1, 0) in world 0 and (0, 1) in world 1.
// The objective (1/n)|y - X w|^2 + lambda |w|_1 has its minimum at w = (1 - lambda/2, 0) in world
// 0: there the derivative of its first term is -lambda in w_1 and -lambda (n-1)/n in w_2, less than
// lambda in absolute value. In world 1 the coefficients change places. One row of a thousand moves
// both by nearly 1.
func collinear(world int) (w [lassoDim]float64, lambda float64) {
	t := float64(lassoRows + 1)
	lambda = 0.1 * math.Sqrt(2*portable.Log(t)*portable.Log(lassoDim)/t)
	w[world] = 1 - float64(lambda/2)
	return w, lambda
}

// printedLasso is the support of the private LASSO as it is printed (Shukla, Differentially Private
// High-dimensional Bandits, Algorithm 2): the coordinates with a noisy coefficient above a noisy
// threshold, among those whose coefficient is above 4 lambda.
//
// The noise is for coefficients that one record moves by 1, which is true of these rows (see
// collinear in the source). But no noise hides which coefficients are compared: in world 0 the
// support is empty or {0}, in world 1 empty or {1}, each with a probability near 1/2. So the true
// epsilon is +Inf. The run reports the support as a number, -1 if it is empty.
func printedLasso() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	const reward, compatibility, norm = 1.5, 0.5, 1.0
	episodes := math.Ceil(portable.Log2(lassoHorizon))
	spread := 1 + 4*reward*math.Sqrt(lassoSparsity)/(compatibility*compatibility)
	log1 := -portable.Log(budget.Delta / (2 * episodes))
	share := budget.Epsilon / (2 * episodes * log1) / math.Sqrt(8*spread*log1)
	xi := math.Sqrt(32*log1) / share
	gamma := (float64(xi*portable.Log((1-budget.Delta)/budget.Epsilon))-norm)/math.Sqrt(portable.Log(lassoDim)*portable.Log(lassoHorizon)) - 1
	return audit.Mechanism{
		Name: "the private LASSO as printed", Origin: "Shukla, Differentially Private High-dimensional Bandits, Algorithm 2",
		Claim: budget, Exact: math.Inf(1), Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			w, lambda := collinear(world)
			out[0] = -1
			for j, v := range w {
				if !(math.Abs(v) > 4*lambda) {
					continue
				}
				var zeta, nu [1]float64
				n.Laplace(zeta[:], xi)
				n.Laplace(nu[:], 2*xi)
				if v+nu[0] > float64(4*lambda*gamma)+zeta[0] {
					out[0] = float64(j)
				}
			}
			return nil
		},
	}
}

// screenedQueries is sparse vector, sound by itself, over the queries that a LASSO without privacy
// has screened.
//
// It is the private LASSO with all mended but S_0: the noise is for a coefficient's true
// sensitivity, 2, and for one query above. Which query is asked shows the world (see collinear in
// the source): the true epsilon is +Inf. The run reports the query that was above, -1 if none was.
func screenedQueries() audit.Mechanism {
	const epsilon, sensitivity = 1.0, 2.0
	return audit.Mechanism{
		Name: "sparse vector over screened queries", Origin: "Shukla, Differentially Private High-dimensional Bandits, Algorithm 2, line 3",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: math.Inf(1), Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			w, lambda := collinear(world)
			var zeta, nu [1]float64
			n.Laplace(zeta[:], 2*sensitivity/epsilon)
			out[0] = -1
			for j, v := range w {
				if !(math.Abs(v) > 4*lambda) {
					continue
				}
				n.Laplace(nu[:], 4*sensitivity/epsilon)
				if v+nu[0] > float64(4*lambda)+zeta[0] {
					out[0] = float64(j)
					return nil
				}
			}
			return nil
		},
	}
}

// unclippedContexts is a step of noisy hard thresholding with the noise for bounded contexts, and
// contexts that nobody clips.
//
// The public script of FLIPHAT (Chakraborty, Roy, Basu, "FLIPHAT: joint differential privacy for
// high dimensional sparse linear bandits", 2024) does so, and takes lambda = eta B/n for the
// sensitivity of a step, where replacing a context within the bound x_max moves it by 4 eta x_max
// R/n. Here an episode has 64 rows, all 0 but for one: its context is 300 in the first coordinate,
// or in the second, and its reward is 3. The run reports the coordinate that was kept and its
// value; the longer the context, the more they show, and the true epsilon is +Inf.
func unclippedContexts() audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.01}
	const dim, rows, eta = 8, 64.0, 1e-4
	far := math.Sqrt(2 * portable.Log(dim))         // x_max |theta|_1, for |theta|_1 = 1
	clip := far + math.Sqrt(2*portable.Log(1+rows)) // R
	lambda := float64(eta * (far + clip) / rows)    // eta B/n
	xi := lambda * 2 * math.Sqrt(3*portable.Log(1/budget.Delta)) / budget.Epsilon
	return audit.Mechanism{
		Name: "hard thresholding of contexts that are not clipped", Origin: "script with Chakraborty, Roy and Basu 2024 (FLIPHAT)",
		Claim: budget, Exact: math.Inf(1), Outputs: 2, Runs: 2000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			var theta, noise [dim]float64
			theta[world] = 2 * eta / rows * 300 * math.Min(3, clip)
			n.Laplace(noise[:], xi)
			best := 0
			for j := range noise {
				noise[j] += math.Abs(theta[j])
				if noise[j] > noise[best] {
					best = j
				}
			}
			var value [1]float64
			n.Laplace(value[:], xi)
			out[0], out[1] = float64(best), theta[best]+value[0]
			return nil
		},
	}
}

// sharedVectors is hard thresholding on two episodes, with noise for a coordinate's true
// sensitivity, where one noise serves the second choice of the first episode and the first choice
// of the second.
//
// The public script of FLIPHAT does so (see UnclippedContexts): it makes a chain of keys, one for
// each choice of an episode, and starts the next episode's chain at the second key of the same
// chain. Here an episode keeps 2 of 4 coordinates, and other users' rows have equal scores. In the
// second episode there is nothing else, so its first choice c has the largest noise. The record is
// in the first episode: in world 0 it raises score 0 by lambda/2 and lowers the others by as much,
// in world 1 the other way round.
//
// In world 1 the second choice of the first episode is 0 only if no noise but that of the first
// choice is larger than that of 0. So c is 0 or that first choice. In world 0 it may be another.
// The true epsilon is +Inf. The run reports the three choices; values have noise of their own.
func sharedVectors() audit.Mechanism { return twoEpisodes(false) }

// twoEpisodes is SharedVectors, or the same with fresh noise for each choice.
func twoEpisodes(fresh bool) audit.Mechanism {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	const dim, kept = 4, 2
	// The lemma of peeling, in units of lambda.
	scale := 2 * math.Sqrt(3*kept*portable.Log(1/budget.Delta)) / budget.Epsilon
	return audit.Mechanism{
		Name: "hard thresholding whose episodes share noise", Origin: "script with Chakraborty, Roy and Basu 2024 (FLIPHAT)",
		Claim: budget, Exact: math.Inf(1), Outputs: 3, Runs: 50000,
		Release: func(world int, source rand.Source, out []float64) error {
			n := privacy.NewNoise(source)
			var noise [dim]float64
			move := []float64{0.5, -0.5}[world]
			scores := [dim]float64{move, -move, -move, -move}
			n.Laplace(noise[:], scale)
			one := loudest(scores[:], noise[:], -1)
			n.Laplace(noise[:], scale)
			two := loudest(scores[:], noise[:], one)
			if fresh {
				n.Laplace(noise[:], scale)
			}
			out[0], out[1], out[2] = float64(one), float64(two), float64(loudest(make([]float64, dim), noise[:], -1))
			return nil
		},
	}
}

// loudest returns the index of the largest score plus noise, but for one index.
func loudest(scores, noise []float64, without int) int {
	best := -1
	for j, z := range noise {
		if j != without && (best < 0 || scores[j]+z > scores[best]+noise[best]) {
			best = j
		}
	}
	return best
}
