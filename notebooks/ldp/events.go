package ldp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// EventAlpha is the alpha at which Event counts the parts of event E of Lemma B.1: each is to fail
// with probability at most alpha, and E as a whole with 11 alpha.
const EventAlpha = 0.05

// Parts are the parts of event E, by their numbers in Appendix B; E8 is a sum of two martingales.
// Where the paper has |theta_t - theta*| outside of a sum over t, both readings are counted.
var Parts = []string{"E1", "E2", "E3", "E4", "E5", "E6", "E7, last θ", "E7, greatest", "E8, last θ", "E8, greatest", "E9", "E10"}

// What Event measures besides the parts that fail.
const (
	EventE        = "E, by the wider readings" // one of the ten parts fails
	EventWidth    = "E1, |η| over its bound"   // the greatest in a run
	EventGradient = "gradients over G"         // the greatest in a run, Corollary C.1
	EventRegret   = "Maler's regret over Theorem C.2"
	EventDistance = "squared distances over Theorem C.2"
)

// events plays Algorithm 1 as printed, with Maler, and counts which parts of event E fail.
//
// The constants are the paper's: D = 1, R = 1/2 for rewards in [0, 1], sigma = 2 sqrt(2
// ln(1.25/delta))/epsilon, Delta^2 = T^(-1/4). The server's G is that of Corollary C.1. C of
// Theorem H.7, which the paper calls universal, and nu of E9, which is arbitrary, are 1. r_t in E8
// is read as eta_x,t: the proof of Lemma 3.3 has that product.
func events(s cell.Scale) []*lab.Study {
	rounds := cell.Pick(s, 200, 2000, 2000)
	return []*lab.Study{{
		Name: "ldp-events", Seed: Seed, Trials: cell.Pick(s, 2, 20, 1000), Rounds: rounds,
		What:  append(append([]string{}, Parts...), EventE, EventWidth, EventGradient, EventRegret, EventDistance),
		Trial: func(trial int) []float64 { return event(rounds, trial) },
	}}
}

// event plays a run.
func event(rounds, trial int) []float64 {
	budget := privacy.Budget{Epsilon: 1, Delta: Delta}
	noise := local.OnlineNoise{Budget: budget, Calibration: privacy.AsPublished, Constant: public}
	world := check.Try(bandit.OpenWorld(paperArms))
	p := world.Problem()
	delta2 := math.Pow(float64(rounds), -0.25)
	device := check.Try(local.OnlineDevice{Noise: noise}.Open(p, rounds)).Start()
	opened := check.Try(local.OnlineServer{Noise: noise, DeltaSquared: delta2, Alpha: EventAlpha, Width: onlineWidth}.Open(p, rounds))
	server := opened.Start(random.New(Seed, trial, "own")).(*local.OnlineReceiver)
	round := world.Start(random.New(Seed, trial, "contexts"))
	truth := environment.Theta(round)
	rewards, z := random.New(Seed, trial, "rewards"), random.NewNormals(random.New(Seed, trial, "noise"))

	c := newConstants(float64(p.Dim), float64(rounds), delta2, server.GradientBound(), budget)
	w := walk{c: c, fails: make([]bool, len(Parts))}
	eta, zeta, row := make([]float64, p.Dim), make([]float64, p.Dim), make([]float64, p.Dim)
	var v bandit.View
	var y, mean [1]float64
	message := make(learner.Message, p.Dim+1)
	for range rounds {
		round.Next(&v)
		arm := check.Try(device.Act(server.Broadcast(), &v))
		x := v.Row(arm)
		round.Pull(rewards, []int{arm}, y[:])
		mean[0] = floats.Dot(x, truth)
		z.Fill(eta)
		z.Fill(zeta)
		floats.Scale(c.sigma, eta)
		floats.Scale(math.Sqrt(delta2), zeta)
		own := c.sigma * z.One()
		for i := range row {
			row[i] = x[i] + eta[i] + zeta[i]
		}
		copy(message, row)
		message[p.Dim] = y[0] + own
		w.step(x, eta, zeta, row, server.Prediction(), truth, y[0]-mean[0], own, y[0])
		check.OK(server.Receive(message))
	}
	return w.numbers(rounds)
}

// constants are those of the bounds.
type constants struct {
	d, rounds, sigma, delta, delta2, twice, gradient float64
}

const (
	radius    = 1.0 // D
	universal = 1.0 // C
	ownNoise  = 0.5 // R
	nu        = 1.0
)

func newConstants(d, rounds, delta2, gradient float64, b privacy.Budget) constants {
	return constants{d: d, rounds: rounds, delta: math.Sqrt(delta2), delta2: delta2, gradient: gradient,
		sigma: 2 * math.Sqrt(2*math.Log(1.25/b.Delta)) / b.Epsilon, twice: math.Log(2 * rounds / EventAlpha)}
}

// walk has the sums of the martingales of a run.
type walk struct {
	c     constants
	fails []bool

	s5, q5, s6, q6, s7, q7, s8a, s8b, q8 float64
	s9, squares, s10                     float64
	farthest, longest                    float64 // |theta_t - theta*| and |theta_t|
	width, steepest, regret              float64
}

// self is the bound of a self-normalised martingale (Corollary H.12) of a sum of squares.
func self(subgaussian, squares float64) float64 {
	return subgaussian * math.Sqrt(2*(1+squares)) * math.Sqrt(math.Log(math.Sqrt(1+squares)/EventAlpha))
}

func (w *walk) step(x, eta, zeta, row, theta, truth []float64, reward, own, y float64) {
	c := w.c
	away, length := floats.Distance(theta, truth, 2), floats.Norm(theta, 2)
	w.farthest, w.longest = max(w.farthest, away), max(w.longest, length)
	against := func(v []float64) float64 { return floats.Dot(v, theta) - floats.Dot(v, truth) } // <v, theta_t - theta*>
	both := func(v []float64) float64 { return floats.Dot(v, theta) + floats.Dot(v, truth) }

	norm, least := floats.Norm(eta, 2), math.Sqrt(2*c.twice)
	w.width = max(w.width, norm/(c.sigma*least))
	w.fail(0, norm > c.sigma*least)
	w.fail(1, math.Abs(own) > c.sigma*least)
	w.fail(2, floats.Norm(zeta, 2) > c.delta*least)
	w.fail(3, max(norm*norm-c.sigma*c.sigma, c.sigma*c.sigma) > 2*radius*universal*c.sigma*c.sigma*(c.d+c.twice))

	z, gap := reward+own, against(x)
	w.s5 += (z - floats.Dot(eta, theta) - floats.Dot(zeta, theta)) * gap
	w.q5 += gap * gap
	w.fail(4, math.Abs(w.s5) > self(ownNoise+(radius+1)*c.sigma+radius*c.delta, w.q5))
	e, n := against(eta), against(zeta)
	w.s6 += z * (e + n)
	w.q6 += (e + n) * (e + n)
	w.fail(5, math.Abs(w.s6) > self(ownNoise+c.sigma, w.q6))
	w.s7 += n * e
	w.q7 += e * e
	w.fail(6, math.Abs(w.s7) > self(c.delta*away, w.q7))
	w.fail(7, math.Abs(w.s7) > self(c.delta*w.farthest, w.q7))
	w.s8a -= floats.Dot(zeta, theta) * e
	w.s8b -= n * floats.Dot(eta, theta)
	w.q8 += n * n
	eight := math.Abs(w.s8a) + math.Abs(w.s8b)
	w.fail(8, eight > self(c.delta*length, w.q7)+self(c.sigma*length, w.q8))
	w.fail(9, eight > self(c.delta*w.longest, w.q7)+self(c.sigma*w.longest, w.q8))

	// (theta* - theta)'(eta eta' - Sigma)(theta + theta*)
	w.s9 -= e*both(eta) - c.sigma*c.sigma*(floats.Dot(theta, theta)-floats.Dot(truth, truth))
	w.squares += away * away
	unit := 4 * (radius + 1) * c.sigma * c.sigma * c.twice
	most := max(nu, unit*w.farthest)
	inner := math.Log(math.E * math.E * max(1, unit*math.Sqrt(w.squares)/nu))
	outer := math.Log(2 * math.E * math.E * most / nu)
	w.fail(10, math.Abs(w.s9) > 20*c.sigma*c.sigma*(radius+1)*c.twice*math.Sqrt(w.squares*math.Log(16/EventAlpha*inner*inner))+
		23*most*math.Log(224/EventAlpha*outer*outer))

	// The gradient of line 14, and its mean given x.
	miss, square := floats.Dot(row, theta)-y-own, 0.0
	for i, v := range row {
		g := 2*v*miss - 2*c.sigma*c.sigma*theta[i]
		square += g * g
		w.s10 += (2*x[i]*gap + 2*c.delta2*theta[i] - g) * (theta[i] - truth[i])
	}
	w.steepest = max(w.steepest, math.Sqrt(square))
	w.regret += gap*gap + c.delta2*(length*length-floats.Dot(truth, truth))
}

func (w *walk) fail(part int, failed bool) { w.fails[part] = w.fails[part] || failed }

// numbers returns what the study measures.
func (w *walk) numbers(rounds int) []float64 {
	c := w.c
	w.fail(11, w.s10 > 2*math.Sqrt(2*c.gradient*c.gradient*math.Log(1/EventAlpha)*w.squares))
	out := make([]float64, len(Parts), len(Parts)+5)
	any := 0.0
	for i, failed := range w.fails {
		if failed {
			out[i] = 1
			if i != 6 && i != 8 {
				any = 1
			}
		}
	}
	t, mu, g := float64(rounds), 2*c.delta2, c.gradient
	logs := 2*math.Log(math.Sqrt(3)*(0.5*math.Log2(t)+3)) + 1 + math.Log(t)
	regret := (40*g*radius+18*g*g/mu)*logs + 32*g*g*math.Log(1/EventAlpha)/mu
	distance := (80*g*radius/mu+36*g*g/(mu*mu))*logs + 64*g*g*math.Log(1/EventAlpha)/(mu*mu)
	return append(out, any, w.width, w.steepest/g, w.regret/regret, w.squares/distance)
}

var eventsCaption = fmt.Sprintf("Parts of event E that fail in a run, at α = %g: ε = 1, δ = %g, d = 5, constants of the paper", EventAlpha, Delta)
