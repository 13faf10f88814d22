// Package trust holds the games, attacks and claims of the lesson on privacy.
package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The game that defines privacy. The year in the seed is that of Dwork, McSherry, Nissim, Smith,
// "Calibrating noise to sensitivity in private data analysis".

// Seed is the seed of everything that the lesson draws.
const Seed = 2006

// Count is the true count in world A; in world B it is one more.
const Count = 100

// Round is a round of the game: what was released, and in which world, 0 for A and 1 for B.
type Round struct {
	World   int
	Release float64
}

// Noise is the seeded noise of a name.
func Noise(name string) *privacy.Noise {
	return privacy.NewNoise(random.Source(Seed, 0, name))
}

// Play tosses a coin for the world in each round, and releases.
func Play(rounds int, release func(world int) float64) []Round {
	coins, game := random.New(Seed, 0, "coins"), make([]Round, rounds)
	for i := range game {
		world := coins.IntN(2)
		game[i] = Round{world, release(world)}
	}
	return game
}

// grid returns n+1 equal steps from lo to hi.
func grid(lo, hi float64, n int) []float64 {
	g := make([]float64, n+1)
	for i := range g {
		g[i] = lo + (hi-lo)*float64(i)/float64(n)
	}
	return g
}

// BestGuess is the world under which a release of the noisy count is likelier: no attacker does
// better, on average.
func BestGuess(release float64) int {
	if release > Count+0.5 {
		return 1
	}
	return 0
}

// LaplaceSuccess is the share of games that the best attacker wins against Laplace noise of scale
// 1/epsilon on a count.
func LaplaceSuccess(epsilon float64) float64 { return 1 - math.Exp(-epsilon/2)/2 }

// SuccessBound is the largest share of games that any attacker wins against any epsilon-private
// release, e^eps/(1+e^eps).
func SuccessBound(epsilon float64) float64 { return 1 / (1 + math.Exp(-epsilon)) }

// won is the share of games that the best attacker wins, with its standard error.
type won struct{ share, se float64 }

// playMany plays many games for a mechanism and returns the share that an attacker wins.
func playMany(rounds int, release func(world int) float64, guess func(float64) int) won {
	wins := 0
	for _, r := range Play(rounds, release) {
		if guess(r.Release) == r.World {
			wins++
		}
	}
	p := float64(wins) / float64(rounds)
	return won{p, math.Sqrt(p * (1 - p) / float64(rounds))}
}

// laplaceCount releases the count with Laplace noise.
func laplaceCount(epsilon float64) func(world int) float64 {
	n, z := Noise(fmt.Sprintf("laplace %g", epsilon)), []float64{0}
	return func(world int) float64 {
		n.Laplace(z, 1/epsilon)
		return float64(Count+world) + z[0]
	}
}

// response releases the world itself by randomised response.
func response(epsilon float64) func(world int) float64 {
	n := Noise(fmt.Sprintf("response %g", epsilon))
	return func(world int) float64 { return float64(n.Response(world, 2, epsilon)) }
}

// epsilons are the budgets at which games are played.
var epsilons = []float64{0.1, 0.2, 0.5, 1, 2, 4}

// gamesAt is how many games are played at each.
func gamesAt(s lab.Scale) int { return cell.Pick(s, 20_000, 200_000, 1_000_000) }

// TradeOffBound is the least share of misses that (epsilon, delta)-privacy leaves an attacker with
// a share alpha of false alarms (Wasserman and Zhou 2010; Kairouz, Oh, Viswanath 2015).
func TradeOffBound(alpha float64, b privacy.Budget) float64 {
	return math.Max(0, math.Max(1-b.Delta-math.Exp(b.Epsilon)*alpha, math.Exp(-b.Epsilon)*(1-b.Delta-alpha)))
}

// LaplaceTradeOff is the least share of misses against Laplace noise whose scale is the sensitivity
// over epsilon.
func LaplaceTradeOff(alpha, epsilon float64) float64 {
	switch {
	case alpha <= math.Exp(-epsilon)/2:
		return 1 - math.Exp(epsilon)*alpha
	case alpha <= 0.5:
		return math.Exp(-epsilon) / (4 * alpha)
	}
	return math.Exp(-epsilon) * (1 - alpha)
}

// GaussianTradeOff is the least share of misses against Gaussian noise that a record moves by mu
// standard deviations.
func GaussianTradeOff(alpha, mu float64) float64 {
	return normalCDF(-math.Sqrt2*math.Erfinv(2*alpha-1) - mu)
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// tradeOffDelta is the delta of the Gaussian in the trade-off figure: far more than one would
// spend, such that it can be seen.
const tradeOffDelta = 0.02

// errorRates draws n releases in each world and returns the false alarms and misses of the attacker
// who says B above a threshold, at thresholds that are evenly spread over the releases.
func errorRates(n, points int, release func(world int) float64) (alpha, beta []float64) {
	var worlds [2][]float64
	for w := range worlds {
		for range n {
			worlds[w] = append(worlds[w], release(w))
		}
		slices.Sort(worlds[w])
	}
	both := slices.Sorted(slices.Values(slices.Concat(worlds[0], worlds[1])))
	for i := range points {
		threshold := both[(i+1)*len(both)/(points+1)]
		below := func(w int) float64 {
			k, _ := slices.BinarySearch(worlds[w], math.Nextafter(threshold, math.Inf(1)))
			return float64(k) / float64(n)
		}
		alpha, beta = append(alpha, 1-below(0)), append(beta, below(1))
	}
	return alpha, beta
}

// gaussianCount releases the count with Gaussian noise of standard deviation 1/mu.
func gaussianCount(mu float64) func(world int) float64 {
	n, z := Noise(fmt.Sprintf("gaussian %g", mu)), []float64{0}
	return func(world int) float64 {
		n.Gaussian(z, 1/mu)
		return float64(Count+world) + z[0]
	}
}

// responseErrors measures both error rates of the attacker who believes a randomised response.
func responseErrors(n int, epsilon float64) (alpha, beta float64) {
	release := response(epsilon)
	for range n {
		alpha += release(0) / float64(n)
		beta += (1 - release(1)) / float64(n)
	}
	return alpha, beta
}
