package survey

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// A Regulariser is a decision set of Theorem 1 with a regulariser R on it. Losses are vectors of
// length 1, so that the sums' noise is the same for all.
type Regulariser struct {
	Name  string
	Range func(dim float64) float64 // D_R, the range of R on the set
	// Dual is the greatest squared dual norm of a loss, by the Hessian of R, over the set.
	Dual func(loss []float64) float64
	// Worst is the greatest Dual of a loss as they are drawn.
	Worst func(dim float64) float64
	// lead sets x to the minimiser of eta <x, sum> + R(x).
	lead func(x, sum []float64, eta float64)
	// Least is the least <z, x>.
	Least func(z []float64) float64
	// loss draws a loss of length 1, which does not depend on what is played.
	loss func(r *rand.Rand, l []float64)
}

// Regularisers are the ball with |x|^2, the simplex with negative entropy, and the cube [-1, 1]^N
// with |x|^2. The derivations, with l of length 1:
//
//   - ball: D_R = 1, the Hessian is 2I, so the squared dual norm is |l|^2/2; D_Z = 2 |Z|.
//   - simplex: R = sum x ln x has range ln N and Hessian diag(1/x), so that the squared dual norm
//     is sum x_i l_i^2, max l_i^2 at most; D_Z = max Z - min Z.
//   - cube: D_R = N, |l|^2/2; D_Z = 2 |Z|_1.
//
// Losses are signs, over sqrt N, and a uniform direction for the ball.
var Regularisers = []Regulariser{{
	"ball", func(float64) float64 { return 1 }, half, func(float64) float64 { return 0.5 },
	func(x, sum []float64, eta float64) {
		scale := eta / 2
		if n := floats.Norm(sum, 2); scale*n > 1 {
			scale = 1 / n
		}
		floats.ScaleTo(x, -scale, sum)
	},
	func(z []float64) float64 { return -floats.Norm(z, 2) }, func(r *rand.Rand, l []float64) { random.Sphere(r, l) },
}, {
	"simplex", math.Log, func(l []float64) float64 {
		most := 0.0
		for _, v := range l {
			most = max(most, v*v)
		}
		return most
	}, func(dim float64) float64 { return 1 / dim },
	func(x, sum []float64, eta float64) {
		least, total := floats.Min(sum), 0.0
		for i, v := range sum {
			x[i] = math.Exp(-eta * (v - least))
			total += x[i]
		}
		floats.Scale(1/total, x)
	},
	floats.Min, signs,
}, {
	"cube", func(dim float64) float64 { return dim }, half, func(float64) float64 { return 0.5 },
	func(x, sum []float64, eta float64) {
		for i, v := range sum {
			x[i] = max(-1, min(1, -eta/2*v))
		}
	},
	func(z []float64) float64 { return -floats.Norm(z, 1) }, signs,
}}

func half(l []float64) float64 { return floats.Dot(l, l) / 2 }

func signs(r *rand.Rand, l []float64) {
	for i := range l {
		l[i] = random.Rademacher(r, 0) / math.Sqrt(float64(len(l)))
	}
}

// RegularisedDim is N, and RegularisedEpsilons are the budgets; +Inf is without noise.
const RegularisedDim = 10

var RegularisedEpsilons = []float64{math.Inf(1), 10, 1}

// Regularised returns the names of what the study of a set at an epsilon measures: the regret over
// sqrt(D_R sum + D_Lap) as Theorem 1 prints it, over sqrt(D_R sum) + D_Lap, and over
// sqrt(2 D_R sum) + D_Lap, which the standard proof has.
func (r Regulariser) Regularised(epsilon float64) (printed, outside, mended string) {
	at := fmt.Sprintf("%s, ε = %g", r.Name, epsilon)
	return at + ", as printed", at + ", D_Lap outside", at + ", and twice D_R"
}

// Width returns the greatest <z, x> less the least one.
func (r Regulariser) Width(z []float64) float64 {
	back := append([]float64{}, z...)
	floats.Scale(-1, back)
	return -r.Least(back) - r.Least(z)
}

// Noise returns D_Lap: the mean width of the sum of ceil(ln T) Laplace vectors of scale
// sqrt(N) ln(T)/epsilon, by so many draws, and its standard error.
func (r Regulariser) Noise(dim, rounds int, epsilon float64, draws int) (mean, se float64) {
	if math.IsInf(epsilon, 1) {
		return 0, 0
	}
	noise, logs := privacy.NewNoise(random.Source(2017, 0, "width")), math.Log(float64(rounds))
	z, sum := make([]float64, dim), make([]float64, dim)
	var squares float64
	for range draws {
		clear(sum)
		for range int(math.Ceil(logs)) {
			noise.Laplace(z, math.Sqrt(float64(dim))*logs/epsilon)
			floats.Add(sum, z)
		}
		w := r.Width(sum)
		mean += w / float64(draws)
		squares += w * w / float64(draws)
	}
	return mean, math.Sqrt((squares - mean*mean) / float64(draws))
}

// play returns the regret of Algorithm 1 over the tree as printed, and the sum of squared dual
// norms.
func (r Regulariser) play(rounds int, epsilon float64, trial int) (regret, squares float64) {
	const dim = RegularisedDim
	var sums privacy.Statistic[continual.Total] = continual.VectorExact{}
	if !math.IsInf(epsilon, 1) {
		sums = continual.VectorTree{Budget: privacy.Budget{Epsilon: epsilon}, Calibration: privacy.AsPublished, Padded: true}
	}
	stream := check.Try(sums.Open(privacy.Setup{Dim: dim, Horizon: rounds, Bound: 1 + 1e-9})).Start(privacy.NewNoise(random.Source(2017, trial, "noise/"+r.Name)))
	losses := random.New(2017, trial, "losses/"+r.Name)
	x, l, total := make([]float64, dim), make([]float64, dim), make([]float64, dim)
	eta := math.Sqrt(2 * r.Range(dim) / (r.Worst(dim) * float64(rounds)))
	paid := 0.0
	for t := range rounds {
		r.lead(x, stream.Release().Of, eta)
		r.loss(losses, l)
		paid += floats.Dot(x, l)
		squares += r.Dual(l)
		floats.Add(total, l)
		if t < rounds-1 {
			_, err := stream.Add(&privacy.Record{X: l})
			check.OK(err)
		}
	}
	return paid - r.Least(total), squares
}

func regularisers(s cell.Scale) []*lab.Study {
	rounds := cell.Pick(s, 100, 1000, 1000)
	study := &lab.Study{Name: "survey-regularisers", Seed: 2017, Trials: cell.Pick(s, 2, 20, 400), Rounds: rounds}
	type point struct {
		r       Regulariser
		epsilon float64
		noise   float64
	}
	var points []point
	for _, r := range Regularisers {
		for _, epsilon := range RegularisedEpsilons {
			a, b, c := r.Regularised(epsilon)
			study.What = append(study.What, a, b, c)
			noise, _ := r.Noise(RegularisedDim, rounds, epsilon, cell.Pick(s, 200, 2000, 20_000))
			points = append(points, point{r, epsilon, noise})
		}
	}
	study.Trial = func(trial int) (out []float64) {
		for _, p := range points {
			regret, squares := p.r.play(rounds, p.epsilon, trial)
			most := p.r.Range(RegularisedDim) * squares
			out = append(out, regret/math.Sqrt(most+p.noise), regret/(math.Sqrt(most)+p.noise), regret/(math.Sqrt(2*most)+p.noise))
		}
		return out
	}
	return []*lab.Study{study}
}
