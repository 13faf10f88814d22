package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The lesson on privacy, notebook 00b: the game that defines it. The year in the seed is that of
// Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data analysis".

// PrivacySeed is the seed of everything that the lesson draws.
const PrivacySeed = 2006

// PrivacyCount is the true count in world A; in world B it is one more.
const PrivacyCount = 100

// PrivacyRound is a round of the game: what was released, and in which world, 0 for A and 1 for B.
type PrivacyRound struct {
	World   int
	Release float64
}

// worldNames are the names of the worlds.
var worldNames = []string{"world A", "world B"}

// PrivacyNoise is the seeded noise of a name.
func PrivacyNoise(name string) *privacy.Noise {
	return privacy.NewNoise(random.Source(PrivacySeed, 0, name))
}

// PlayPrivacy tosses a coin for the world in each round, and releases.
func PlayPrivacy(rounds int, release func(world int) float64) []PrivacyRound {
	coins, game := random.New(PrivacySeed, 0, "coins"), make([]PrivacyRound, rounds)
	for i := range game {
		world := coins.IntN(2)
		game[i] = PrivacyRound{world, release(world)}
	}
	return game
}

// laplaceDensity is the density at z of Laplace noise.
func laplaceDensity(z, scale float64) float64 { return math.Exp(-math.Abs(z)/scale) / (2 * scale) }

// density draws the density of the count's release in a world, out to the places where it falls
// below the foot.
func density(world int, epsilon float64, x []float64, foot float64) charts.Series {
	s := charts.Series{Name: fmt.Sprintf("%s: the count is %d", worldNames[world], PrivacyCount+world), Style: 1 + world}
	for _, at := range x {
		if p := laplaceDensity(at-float64(PrivacyCount+world), 1/epsilon); p >= foot {
			s.X, s.Y = append(s.X, at), append(s.Y, p)
		}
	}
	return s
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
	if release > PrivacyCount+0.5 {
		return 1
	}
	return 0
}

// FigureGame lets the reader play: for each round a frame that asks which world it is, and one that
// answers and keeps the best attacker's score.
func FigureGame(epsilon float64, game []PrivacyRound) *charts.Figure {
	lo, hi := float64(PrivacyCount-6), float64(PrivacyCount+8)
	f := &charts.Figure{
		Title: fmt.Sprintf("Which world? The count is released with Laplace noise, ε = %g", epsilon),
		X:     charts.Axis{Name: "released count", Range: [2]float64{lo, hi}}, Y: charts.Axis{Name: "probability density"},
		Slider: &charts.Slider{Label: "round"},
		Scale:  fmt.Sprintf("%d rounds played in this cell, at every scale", len(game)),
		Alt: "Two Laplace densities, one for each world, one apart, and the release of the round as a vertical line. The slider alternates between the question " +
			"which world it is and the answer with the best attacker's score",
	}
	x := grid(lo, hi, 280)
	f.Series = []charts.Series{density(0, epsilon, x, 0), density(1, epsilon, x, 0)}
	wins := 0
	for i, r := range game {
		at := math.Max(lo, math.Min(hi, r.Release)) // a release beyond the edge is drawn on it
		mark := charts.AtX(at, fmt.Sprintf("%.2f", r.Release))
		question := charts.Series{Name: "the release", Kind: charts.Scatter, X: []float64{at}, Y: []float64{0}, Size: 15, Style: 7}
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{
			Value: fmt.Sprintf("%d, which world?", i+1), Series: []charts.Series{question}, Marks: []charts.Mark{mark},
			Caption: fmt.Sprintf("Round %d: the curator releases %.2f. Is it world A or B? Decide, then move on", i+1, r.Release),
		})
		guess, verdict := BestGuess(r.Release), "loses"
		if guess == r.World {
			wins, verdict = wins+1, "wins"
		}
		answer := question
		answer.Y, answer.Style = []float64{laplaceDensity(at-float64(PrivacyCount+r.World), 1/epsilon)}, 1+r.World
		answer.Name = "the release came from here"
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{
			Value: fmt.Sprintf("%d: %s", i+1, worldNames[r.World]), Series: []charts.Series{answer}, Marks: []charts.Mark{mark},
			Caption: fmt.Sprintf("Round %d: it was %s. The best attacker bets on the higher curve, %s, and %s. Her score so far: %d of %d",
				i+1, worldNames[r.World], worldNames[guess], verdict, wins, i+1),
		})
	}
	return f
}

// LaplaceSuccess is the share of games that the best attacker wins against Laplace noise of scale
// 1/epsilon on a count.
func LaplaceSuccess(epsilon float64) float64 { return 1 - math.Exp(-epsilon/2)/2 }

// SuccessBound is the largest share of games that any attacker wins against any epsilon-private
// release, e^eps/(1+e^eps).
func SuccessBound(epsilon float64) float64 { return 1 / (1 + math.Exp(-epsilon)) }

// FigureEpsilon draws the two worlds' densities on a logarithmic axis at an epsilon that a slider
// chooses.
func FigureEpsilon(epsilons ...float64) *charts.Figure {
	lo, hi, foot := float64(PrivacyCount-6), float64(PrivacyCount+8), 1e-3
	x := grid(lo, hi, 280)
	f := &charts.Figure{
		Title: "ε is the largest vertical distance of the two curves",
		X:     charts.Axis{Name: "released count", Range: [2]float64{lo, hi}},
		Y:     charts.Axis{Name: "probability density", Log: true, Range: [2]float64{foot, 3}},
		Slider: charts.Over("ε", epsilons, func(epsilon float64) charts.Frame {
			return charts.Frame{
				Series: []charts.Series{density(0, epsilon, x, foot), density(1, epsilon, x, foot)},
				Marks:  []charts.Mark{charts.AtX(PrivacyCount+0.5, "bet on B →")},
				Caption: fmt.Sprintf("ε = %g: nowhere is one curve more than e^ε = %.3g times the other. The best attacker wins %.1f%% of the games; no release with this ε lets anyone win more than e^ε/(1+e^ε) = %.1f%%",
					epsilon, math.Exp(epsilon), 100*LaplaceSuccess(epsilon), 100*SuccessBound(epsilon)),
			}
		}),
		Scale: "exact densities",
		Alt: "Two Laplace densities on a logarithmic axis: tents with straight sides, their tops at 100 and 101. Outside the tops their sides run in parallel, " +
			"at a vertical distance of ε that the slider chooses",
	}
	f.Slider.Middle = true
	return f
}

// won is the share of games that the best attacker wins, with its standard error.
type won struct{ share, se float64 }

// playMany plays many games for a mechanism and returns the share that an attacker wins.
func playMany(rounds int, release func(world int) float64, guess func(float64) int) won {
	wins := 0
	for _, r := range PlayPrivacy(rounds, release) {
		if guess(r.Release) == r.World {
			wins++
		}
	}
	p := float64(wins) / float64(rounds)
	return won{p, math.Sqrt(p * (1 - p) / float64(rounds))}
}

// laplaceCount releases the count with Laplace noise.
func laplaceCount(epsilon float64) func(world int) float64 {
	n, z := PrivacyNoise(fmt.Sprintf("laplace %g", epsilon)), []float64{0}
	return func(world int) float64 {
		n.Laplace(z, 1/epsilon)
		return float64(PrivacyCount+world) + z[0]
	}
}

// response releases the world itself by randomised response.
func response(epsilon float64) func(world int) float64 {
	n := PrivacyNoise(fmt.Sprintf("response %g", epsilon))
	return func(world int) float64 { return float64(n.Response(world, 2, epsilon)) }
}

// privacyEpsilons are the budgets at which games are played.
var privacyEpsilons = []float64{0.1, 0.2, 0.5, 1, 2, 4}

// privacyGames is how many games are played at each.
func privacyGames(s Scale) int { return pick(s, 20_000, 200_000, 1_000_000) }

// FigureSuccess draws the share of games that the best attacker wins against epsilon: played,
// exact, and the bound.
func FigureSuccess(s Scale) *charts.Figure {
	rounds := privacyGames(s)
	bound := charts.Series{Name: "no attacker can win more: e^ε/(1+e^ε)", Reference: true}
	exact := charts.Series{Name: "Laplace, exact: 1 − e^(−ε/2)/2", Style: 1}
	for _, x := range grid(math.Log(0.05), math.Log(8), 100) {
		epsilon := math.Exp(x)
		bound.X, bound.Y = append(bound.X, epsilon), append(bound.Y, SuccessBound(epsilon))
		exact.X, exact.Y = append(exact.X, epsilon), append(exact.Y, LaplaceSuccess(epsilon))
	}
	laplace := charts.Series{Name: "Laplace, played", Kind: charts.Scatter, Style: 7, Size: 11}
	coin := charts.Series{Name: "randomised response, played", Kind: charts.Scatter, Style: 2, Size: 12}
	add := func(to *charts.Series, epsilon float64, w won) {
		to.X, to.Y = append(to.X, epsilon), append(to.Y, w.share)
		to.Lo, to.Hi = append(to.Lo, w.share-1.96*w.se), append(to.Hi, w.share+1.96*w.se)
	}
	for _, epsilon := range privacyEpsilons {
		add(&laplace, epsilon, playMany(rounds, laplaceCount(epsilon), BestGuess))
		add(&coin, epsilon, playMany(rounds, response(epsilon), func(r float64) int { return int(r) }))
	}
	return &charts.Figure{
		Title:  "What the best attacker wins",
		X:      charts.Axis{Name: "ε of the release", Log: true, Range: [2]float64{0.05, 8}},
		Y:      charts.Axis{Name: "games won", Format: charts.Percent, Range: [2]float64{0.5, 1}},
		Series: []charts.Series{bound, exact, laplace, coin}, Scale: Here(s),
		Caption: fmt.Sprintf("%s games for each symbol; error bars (95%%) are smaller than the symbols where they cannot be seen. A coin wins 50%%", thousands(rounds)),
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

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
	n, z := PrivacyNoise(fmt.Sprintf("gaussian %g", mu)), []float64{0}
	return func(world int) float64 {
		n.Gaussian(z, 1/mu)
		return float64(PrivacyCount+world) + z[0]
	}
}

// FigureTradeOff draws false alarms against misses at a budget that a slider chooses: the bounds of
// pure and of approximate privacy, exact curves, and the errors of attackers who really attack.
func FigureTradeOff(s Scale, epsilons ...float64) (*charts.Figure, error) {
	n := pick(s, 20_000, 50_000, 200_000)
	alphas := grid(0, 1, 100)
	curve := func(name string, style int, misses func(alpha float64) float64) charts.Series {
		line := charts.Series{Name: name, Style: style, X: alphas, Reference: style == 0}
		for _, a := range alphas {
			line.Y = append(line.Y, misses(a))
		}
		return line
	}
	measured := func(release func(int) float64) charts.Series {
		alpha, beta := errorRates(n, 9, release)
		return charts.Series{Name: "attackers, measured", Kind: charts.Scatter, X: alpha, Y: beta, Style: 7, Size: 11}
	}
	var failed error
	f := &charts.Figure{
		Title: "False alarms against misses: the attacker's choice",
		X:     charts.Axis{Name: "false alarms: says B in world A", Format: charts.Percent, Range: [2]float64{0, 1}},
		Y:     charts.Axis{Name: "misses: says A in world B", Format: charts.Percent, Range: [2]float64{0, 1}},
		Slider: charts.Over("ε", epsilons, func(epsilon float64) charts.Frame {
			mu, err := privacy.GaussianMu(privacy.Budget{Epsilon: epsilon, Delta: tradeOffDelta})
			if err != nil {
				failed = err
				return charts.Frame{}
			}
			approximate := privacy.Budget{Epsilon: epsilon, Delta: tradeOffDelta}
			falseAlarms, misses := responseErrors(n, epsilon) // the other attackers toss coins between this one, always and never
			return charts.Frame{
				Series: []charts.Series{
					curve(fmt.Sprintf("bound for (ε, %g)", tradeOffDelta), 0, func(a float64) float64 { return TradeOffBound(a, approximate) }),
					curve("randomised response = bound for ε", 2, func(a float64) float64 { return TradeOffBound(a, privacy.Budget{Epsilon: epsilon}) }),
					curve("Laplace", 1, func(a float64) float64 { return LaplaceTradeOff(a, epsilon) }),
					curve(fmt.Sprintf("Gaussian for (ε, %g)", tradeOffDelta), 3, func(a float64) float64 { return GaussianTradeOff(a, mu) }),
					measured(laplaceCount(epsilon)), measured(gaussianCount(mu)),
					{Name: "attackers, measured", Kind: charts.Scatter, X: []float64{falseAlarms}, Y: []float64{misses}, Style: 7, Size: 11},
				},
				Caption: fmt.Sprintf("ε = %g: an attacker who wants equal rates must err in at least %.1f%% of the cases in each world", epsilon, 100*(1-SuccessBound(epsilon))),
			}
		}),
		Height: 620, Width: 720,
		Alt: "Misses against false alarms. The bounds are two straight lines that meet on the diagonal; randomised response lies on them, Laplace noise leaves them in the middle, " +
			"Gaussian noise is a smooth curve above that touches them near the ends. Measured attackers lie on the curves",
		Caption: fmt.Sprintf("Curves: the least misses for so many false alarms, exact. Squares: attackers with nine thresholds (one for randomised response), measured over %s releases in each world", thousands(n)),
		Scale:   Here(s),
	}
	f.Slider.Middle = true
	return f, failed
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
