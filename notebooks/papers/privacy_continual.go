package papers

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"time"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Continual release: the mechanisms of the lesson, side by side at one budget.

// ContinualBudget is the budget of all of them.
var ContinualBudget = privacy.Budget{Epsilon: 1, Delta: 1e-6}

// continual is a mechanism that releases a running sum.
type continual struct {
	name  string
	style int
	make  func() privacy.Accumulator
}

var continuals = []continual{
	{"binary tree", 1, func() privacy.Accumulator {
		return &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: ContinualBudget}}
	}},
	{"Honaker's tree", 2, func() privacy.Accumulator { return &mechanism.Honaker{Budget: ContinualBudget} }},
	{"square root", 3, func() privacy.Accumulator { return &mechanism.SquareRoot{Budget: ContinualBudget} }},
	{"BLT", 4, func() privacy.Accumulator { return &mechanism.BLT{Budget: ContinualBudget} }},
}

// initialised returns a mechanism over so many rounds, for rows of that length and of norm 1 at
// most.
func (c continual) initialised(dim, rounds int) (privacy.Accumulator, error) {
	a := c.make()
	return a, a.Init(privacy.Setup{Dim: dim, Horizon: rounds, Bound: 1, Alpha: 0.01})
}

// noiseUnit is the standard deviation that a single release needs for the budget.
func noiseUnit() (float64, error) {
	mu, err := privacy.GaussianMu(ContinualBudget)
	return 1 / mu, err
}

// noiseByRound measures the standard deviation of an entry of the release at rounds 1, ...,
// rounds-1, in noise units, by drawing the noise of so many runs without data. An estimate is off
// by a relative 1/sqrt(2 samples), samples being the second result.
func (c continual) noiseByRound(rounds, runs int) (sd []float64, samples int, err error) {
	const dim = 14 // 91 entries off the diagonal: as many samples a run
	a, err := c.initialised(dim, rounds)
	if err != nil {
		return nil, 0, err
	}
	unit, err := noiseUnit()
	if err != nil {
		return nil, 0, err
	}
	sum, zero, release := make([]float64, rounds-1), privacy.Row(make([]float64, dim)), make([]float64, dim*(dim+1)/2)
	for run := range runs {
		a.Reset(privacy.NewNoise(random.Source(PrivacySeed, run, "noise by round: "+c.name)))
		for t := range sum {
			if _, err := a.Add(zero); err != nil {
				return nil, 0, err
			}
			a.Release().Read(release)
			for i, p := 0, 0; i < dim; i, p = i+1, p+i+1 {
				for _, v := range release[p : p+i] {
					sum[t] += v * v
				}
			}
		}
	}
	samples = runs * dim * (dim - 1) / 2
	for t, v := range sum {
		sum[t] = math.Sqrt(v/float64(samples)) / unit
	}
	return sum, samples, nil
}

// FigureContinual draws the standard deviation of each mechanism's release against the round,
// measured.
func FigureContinual(s Scale, rounds int) (*charts.Figure, error) {
	f := &charts.Figure{
		Title: fmt.Sprintf("Noise of the release of round t, T = %s", thousands(rounds)),
		X:     charts.Axis{Name: "round t", Range: [2]float64{0, float64(rounds)}},
		Y:     charts.Axis{Name: "standard deviation", Unit: "noise units", Range: [2]float64{0, 14}},
		Scale: Here(s), Height: 520,
		Alt: "Standard deviation of the release against the round. The two trees are clouds on levels, up to about 10 and 7; the square root and BLT are one smooth line that ends a little above 3; " +
			"noise on every row grows like a square root and leaves the figure",
	}
	each := charts.Series{Name: "noise on every row: √t", Reference: true}
	for t := 1; t < rounds; t += 4 {
		if y := math.Sqrt(float64(t)); y <= 14 {
			each.X, each.Y = append(each.X, float64(t)), append(each.Y, y)
		}
	}
	f.Series = append(f.Series, each)
	total := 0
	for _, c := range continuals {
		sd, samples, err := c.noiseByRound(rounds, continualRuns(s))
		if err != nil {
			return nil, err
		}
		line := charts.Series{Name: c.name, Style: c.style, Y: sd}
		for t := range sd {
			line.X = append(line.X, float64(t+1))
		}
		if c.style <= 2 { // the trees: a cloud, as neighbouring rounds differ
			line.Kind, line.Size = charts.Scatter, 4
		}
		f.Series, total = append(f.Series, line), samples
	}
	f.Caption = fmt.Sprintf("Measured on %s samples a round; all have ε = 1, δ = 10⁻⁶. A noise unit is what a single release needs for that. "+
		"Noise on every release instead would cost √(T−1) = %.0f units in each round", thousands(total), math.Sqrt(float64(rounds-1)))
	return f, nil
}

func continualRuns(s Scale) int { return pick(s, 40, 200, 1_000) }

// TreeMaxSD is the largest standard deviation of a release of the binary tree, in noise units: the
// root of the largest number of nodes summed, times that of the nodes that a row is in.
func TreeMaxSD(rounds int) float64 {
	most := 0
	for t := rounds - 1; t > 0; t &= t - 1 { // the last prefix, and those that have ones below a digit of it
		most = max(most, bits.OnesCount(uint(t)), bits.OnesCount(uint(t-1)))
	}
	return math.Sqrt(float64(most)) * math.Sqrt(float64(bits.Len(uint(rounds-1))))
}

// SquareRootMaxSD is that of the square-root factorisation: the sum of the squares of binom(2k,
// k)/4^k, k < rounds-1.
func SquareRootMaxSD(rounds int) float64 {
	sum, f := 0.0, 1.0
	for k := 1; k < rounds; k++ {
		sum += f * f
		f *= float64(2*k-1) / float64(2*k)
	}
	return sum
}

// maxSD returns the largest standard deviation of a mechanism's release over the rounds, in noise
// units.
func (c continual) maxSD(rounds int) (float64, error) {
	switch c.make().(type) {
	case *mechanism.Tree:
		return TreeMaxSD(rounds), nil
	case *mechanism.SquareRoot: // keeps the noise of every row, too much beyond 10^5 of them
		return SquareRootMaxSD(rounds), nil
	}
	a, err := c.initialised(2, rounds)
	if err != nil {
		return 0, err
	}
	return a.(interface{ MaxSD() float64 }).MaxSD(), nil
}

// FigureContinualMax draws the largest standard deviation against the number of rounds.
func FigureContinualMax() (*charts.Figure, error) {
	f := &charts.Figure{
		Title: "Noise of the noisiest release",
		X:     charts.Axis{Name: "rounds T", Log: true}, Y: charts.Axis{Name: "largest standard deviation", Unit: "noise units", Range: [2]float64{0, 25}},
		Scale: "exact, from the mechanisms' own bounds", Caption: "All have the same ε and δ",
	}
	for _, c := range continuals {
		line := charts.Series{Name: c.name, Style: c.style}
		for _, rounds := range decades(2, 7, 4) {
			sd, err := c.maxSD(rounds)
			if err != nil {
				return nil, err
			}
			line.X, line.Y = append(line.X, float64(rounds)), append(line.Y, sd)
		}
		f.Series = append(f.Series, line)
	}
	return f, nil
}

// decades returns per steps a decade, rounded, from 10^lo to 10^hi.
func decades(lo, hi, per int) (out []int) {
	for i := lo * per; i <= hi*per; i++ {
		out = append(out, int(math.Round(math.Pow(10, float64(i)/float64(per)))))
	}
	return out
}

// TableContinual measures what the mechanisms keep in memory and how long a row takes them.
func TableContinual(s Scale) (*charts.Table, error) {
	const dim = 6
	rounds := pick(s, 2_000, 10_000, 10_000)
	t := charts.NewTable("mechanism", "largest sd [noise units]", "memory [kB]", "time [µs a row]")
	row, release := privacy.Row(make([]float64, dim)), make([]float64, dim*(dim+1)/2)
	for _, c := range continuals {
		sd, err := c.maxSD(rounds)
		if err != nil {
			return nil, err
		}
		before := heap()
		a, err := c.initialised(dim, rounds)
		if err != nil {
			return nil, err
		}
		kept := heap() - before
		a.Reset(PrivacyNoise("time of " + c.name))
		start := time.Now()
		for range rounds {
			if _, err := a.Add(row); err != nil {
				return nil, err
			}
			a.Release().Read(release)
		}
		each := time.Since(start) / time.Duration(rounds)
		t.Add(c.name, fmt.Sprintf("%.2f", sd), fmt.Sprintf("%.1f", kept/1024), fmt.Sprintf("%.1f", float64(each)/float64(time.Microsecond)))
	}
	t.Align = "lrrr"
	t.Caption = fmt.Sprintf("%s rows of length %d", thousands(rounds), dim)
	t.Scale = Here(s) + ", on the machine that ran it"
	return t, nil
}

// heap returns the bytes that are in use.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// claimContinual: what is measured is what is computed, at one budget.
func claimContinual(s Scale) (string, error) {
	const rounds, far = 512, 20_000
	var worst float64
	for _, c := range continuals {
		a, err := c.initialised(2, rounds)
		if err != nil {
			return "", err
		}
		if got := privacy.ClaimOf(a).Epsilon(); math.Abs(got-ContinualBudget.Epsilon) > 1e-6 {
			return "", fmt.Errorf("%s: proves epsilon = %v, want %v", c.name, got, ContinualBudget.Epsilon)
		}
		sd, samples, err := c.noiseByRound(rounds, continualRuns(s))
		if err != nil {
			return "", err
		}
		most, err := c.maxSD(rounds)
		if err != nil {
			return "", err
		}
		tolerance := 5 / math.Sqrt(2*float64(samples)) // 5 standard errors; 2000 rounds, which are dependent: a false alarm below 2e-3 for a new seed
		highest := 0.0
		for _, v := range sd {
			highest = math.Max(highest, v)
		}
		off := math.Abs(highest/most - 1)
		if worst = math.Max(worst, off); off > tolerance {
			return "", fmt.Errorf("%s: the noisiest release has %.3f noise units, computed %.3f", c.name, highest, most)
		}
		if c.name != "binary tree" {
			continue
		}
		levels := float64(bits.Len(uint(rounds - 1)))
		for t, v := range sd {
			if want := math.Sqrt(levels * float64(bits.OnesCount(uint(t+1)))); math.Abs(v/want-1) > tolerance {
				return "", fmt.Errorf("binary tree, round %d: %.3f noise units, computed %.3f", t+1, v, want)
			}
		}
	}
	least := map[string]float64{}
	for _, c := range continuals {
		sd, err := c.maxSD(far)
		if err != nil {
			return "", err
		}
		least[c.name] = sd
	}
	tree, root, blt := least["binary tree"], least["square root"], least["BLT"]
	if blt > tree/3 || blt > 1.01*root || root > blt {
		return "", fmt.Errorf("at %d rounds the tree has %.2f, BLT %.2f and the square root %.2f noise units", far, tree, blt, root)
	}
	return fmt.Sprintf("T = %d: measured within %.1f%% of computed; T = %s: tree %.2f, Honaker %.2f, square root %.2f, BLT %.2f noise units", rounds, 100*worst, thousands(far), tree, least["Honaker's tree"], root, blt), nil
}
