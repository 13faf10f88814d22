package papers

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Online learners on three kinds of streams.

// streamKinds makes the streams, by their names.
var streamKinds = []struct {
	name string
	make func(rounds, trial int) (*online.Losses, error)
}{
	{"convex", func(rounds, trial int) (*online.Losses, error) {
		return online.NewAbsolute(5, rounds, random.New(LDPSeed, trial, "convex"))
	}},
	{"strongly convex", func(rounds, trial int) (*online.Losses, error) {
		return online.NewQuadratic(5, rounds, random.New(LDPSeed, trial, "strongly convex"))
	}},
	{"exp-concave", func(rounds, trial int) (*online.Losses, error) {
		return online.NewSquared(5, rounds, random.New(LDPSeed, trial, "exp-concave"))
	}},
}

// onlineLearners are those of the comparison. All are told G alone, and what their names say.
var onlineLearners = []struct {
	name  string
	style int
	make  func(gradient float64) online.Learner
}{
	{"OGD, steps D/(G√t)", 1, func(g float64) online.Learner { return &online.OGD{Gradient: g} }},
	{"OGD, told μ = 1", 2, func(g float64) online.Learner { return &online.OGD{Gradient: g, Step: online.CurvedStep(1)} }},
	{"ONS, told α = 1/4", 3, func(g float64) online.Learner { return &online.ONS{Gradient: g, ExpConcave: 0.25} }},
	{"MetaGrad", 4, func(g float64) online.Learner { return &online.MetaGrad{Gradient: g} }},
	{"Maler", 5, func(g float64) online.Learner { return &online.Maler{Gradient: g} }},
}

// streamRegrets returns the regret of the learners after each horizon, each learner made for that horizon and compared with the best point for it, by learner and horizon: mean and
// standard error over the trials.
func streamRegrets(kind int, horizons []int, trials int) (mean, se [][]float64, err error) {
	mean, se = make([][]float64, len(onlineLearners)), make([][]float64, len(onlineLearners))
	for i := range mean {
		mean[i], se[i] = make([]float64, len(horizons)), make([]float64, len(horizons))
	}
	values := make([][][]float64, trials) // by trial, horizon, learner
	errs := make([]error, trials)
	var group sync.WaitGroup
	for trial := range trials {
		group.Go(func() { values[trial], errs[trial] = streamTrial(kind, horizons, trial) })
	}
	group.Wait()
	for _, e := range errs {
		if e != nil {
			return nil, nil, e
		}
	}
	n := float64(trials)
	for h := range horizons {
		for i := range onlineLearners {
			var sum, square float64
			for _, v := range values {
				sum += v[h][i] / n
			}
			for _, v := range values {
				square += (v[h][i] - sum) * (v[h][i] - sum)
			}
			mean[i][h], se[i][h] = sum, math.Sqrt(square/(n-1)/n)
		}
	}
	return mean, se, nil
}

func streamTrial(kind int, horizons []int, trial int) ([][]float64, error) {
	regret := make([][]float64, len(horizons))
	for h, rounds := range horizons {
		s, err := streamKinds[kind].make(rounds, trial)
		if err != nil {
			return nil, err
		}
		best, _, _, err := online.Best(s, rounds)
		if err != nil {
			return nil, err
		}
		for _, l := range onlineLearners {
			r, err := online.RegretAgainst(l.make(s.Curvature.Gradient), s, rounds, best)
			if err != nil {
				return nil, err
			}
			regret[h] = append(regret[h], r[rounds-1])
		}
	}
	return regret, nil
}

// streamSizes returns the horizons and the number of trials at a scale.
func streamSizes(s Scale) ([]int, int) {
	return simulate.LogGrid(pick(s, 1_000, 20_000, 20_000), 40)[14:], pick(s, 2, 4, 10)
}

// FigureStreams draws the regret of online learners against the horizon, with a slider over the kinds of streams.
func FigureStreams(s Scale) (*charts.Figure, error) {
	var horizons []int
	all, trials := streamSizes(s)
	for i := 0; i < len(all); i += 4 {
		horizons = append(horizons, all[i])
	}
	horizons = append(horizons, all[len(all)-1])
	x := make([]float64, len(horizons))
	for i, n := range horizons {
		x[i] = float64(n)
	}
	f := &charts.Figure{
		Title: "Regret of online learners on three kinds of losses",
		X:     charts.Axis{Name: "horizon T", Log: true}, Y: charts.Axis{Name: "regret after T rounds", Log: true},
		Scale: Here(s), Caption: fmt.Sprintf("d = 5, unit ball, mean of %d streams, band: ± 1.96 standard errors. Each learner is made anew for each T and compared with the best point for it", trials),
	}
	f.Slider = &charts.Slider{Label: "losses", Start: 1}
	for kind, k := range streamKinds {
		mean, se, err := streamRegrets(kind, horizons, trials)
		if err != nil {
			return nil, err
		}
		frame := charts.Frame{Value: k.name}
		for i, l := range onlineLearners {
			line := charts.Series{Name: l.name, Style: l.style, X: x, Y: mean[i]}
			for h, m := range mean[i] {
				line.Lo, line.Hi = append(line.Lo, math.Max(m-1.96*se[i][h], m/10)), append(line.Hi, m+1.96*se[i][h])
			}
			frame.Series = append(frame.Series, line)
		}
		f.Slider.Frames = append(f.Slider.Frames, frame)
	}
	return f, nil
}

// malerShares plays Maler on a stream and returns what the families of experts count for in the prediction before each round of a grid.
func malerShares(s online.Stream, gradient float64, rounds int, grid []int) (map[string][]float64, error) {
	m := &online.Maler{Gradient: gradient}
	if err := m.Init(s.Dim(), rounds); err != nil {
		return nil, err
	}
	shares := map[string][]float64{}
	g, next := make([]float64, s.Dim()), 0
	for t := 1; t <= rounds; t++ {
		if next < len(grid) && grid[next] == t {
			for i, w := range m.Weights() {
				if i == 0 || len(shares[w.Name]) == next {
					shares[w.Name] = append(shares[w.Name], 0)
				}
				shares[w.Name][next] += w.Mass
			}
			next++
		}
		s.Gradient(t, m.Predict(), g)
		if err := m.Update(g); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// expertFamilies are Maler's, in the order of the figure.
var expertFamilies = []string{"convex", "strongly convex", "exp-concave"}

// FigureMaler draws the weights of Maler's families of experts over time, with a slider over the streams.
func FigureMaler(s Scale) (*charts.Figure, error) {
	rounds := pick(s, 5_000, 100_000, 100_000)
	grid := simulate.LogGrid(rounds, 60)
	x := make([]float64, len(grid))
	for i, t := range grid {
		x[i] = float64(t)
	}
	f := &charts.Figure{
		Title: "Which of Maler's experts count",
		X:     charts.Axis{Name: "round t", Log: true}, Y: charts.Axis{Name: "weight of the family", Range: [2]float64{0, 1}},
		Scale: Here(s), Slider: &charts.Slider{Label: "losses", Start: 1},
		Caption: fmt.Sprintf("Sum of the weights π of each family's experts, T = %s, d = 5. One stream each", thousands(rounds)),
	}
	for _, k := range streamKinds {
		stream, err := k.make(rounds, 0)
		if err != nil {
			return nil, err
		}
		shares, err := malerShares(stream, stream.Curvature.Gradient, rounds, grid)
		if err != nil {
			return nil, err
		}
		frame := charts.Frame{Value: k.name}
		for i, name := range expertFamilies {
			frame.Series = append(frame.Series, charts.Series{Name: name + " experts", Style: []int{1, 2, 3}[i], X: x, Y: shares[name]})
		}
		f.Slider.Frames = append(f.Slider.Frames, frame)
	}
	return f, nil
}

// claimStreams compares Maler's regret with that of learners which are told more, rightly or wrongly.
func claimStreams(s Scale) (string, error) {
	rounds, trials := pick(s, 2_000, 5_000, 20_000), pick(s, 2, 4, 10)
	var evidence []string
	for kind, k := range streamKinds {
		mean, _, err := streamRegrets(kind, []int{rounds}, trials)
		if err != nil {
			return "", err
		}
		best, worst, name := math.Inf(1), 0.0, ""
		for i, l := range onlineLearners[:3] {
			if m := mean[i][0]; m < best {
				best, name = m, l.name
			}
			worst = math.Max(worst, mean[i][0])
		}
		maler := mean[len(onlineLearners)-1][0]
		if maler > 10*best || maler > 0.75*worst {
			return "", fmt.Errorf("%s losses: regret %.3g of Maler, from %.3g (%s) to %.3g of the learners that are told more", k.name, maler, best, name, worst)
		}
		evidence = append(evidence, fmt.Sprintf("%s: Maler %.3g, best (%s) %.3g, worst %.3g", k.name, maler, name, best, worst))
	}
	return strings.Join(evidence, "; ") + fmt.Sprintf("; T = %d", rounds), nil
}
