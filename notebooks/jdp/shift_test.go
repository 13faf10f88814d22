package jdp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The potential of any contexts is under the constant of the tighter bound: contexts in all
// directions, in one, and ever longer ones. The inverse is updated by hand.
func TestTighterPotential(t *testing.T) {
	const d, n = 3, 400
	rng := random.New(1, 0, "contexts")
	for name, next := range map[string]func(t int) [d]float64{
		"all":    func(t int) (x [d]float64) { x[t%d] = 1; return x },
		"one":    func(int) [d]float64 { return [d]float64{1} },
		"longer": func(t int) (x [d]float64) { x[t%d] = float64(t+1) / n; return x },
		"random": func(int) (x [d]float64) {
			for i := range x {
				x[i] = (2*rng.Float64() - 1) / math.Sqrt(d)
			}
			return x
		},
	} {
		for _, rho := range []float64{0.01, 1, 100} {
			var inverse [d][d]float64
			for i := range d {
				inverse[i][i] = 1 / rho
			}
			var squares, logs float64
			for t := range n {
				x, vx, square := next(t), [d]float64{}, 0.0
				for i := range d {
					for j := range d {
						vx[i] += inverse[i][j] * x[j]
					}
					square += x[i] * vx[i]
				}
				for i := range d {
					for j := range d {
						inverse[i][j] -= vx[i] * vx[j] / (1 + square)
					}
				}
				squares, logs = squares+square, logs+math.Log1p(square)
			}
			potential := d * math.Log1p(n/(d*rho))
			if k := 1 / (rho * math.Log1p(1/rho)); squares > k*logs*(1+1e-9) || logs > potential*(1+1e-9) {
				t.Errorf("%s, rho_min %v: %v squares, %v logarithms, and the potential is %v", name, rho, squares, logs, potential)
			}
		}
	}
}

// The bounds are Theorem 5, and sums over all rounds by hand.
func TestShiftBounds(t *testing.T) {
	const d, n, rho = 5, 100_000, 400.0
	spread := spreadOf(seldomSums[BLTSound], d, n)
	ready, err := learner.New(linear.UCB{RhoMin: rho}, seldomSums[BLTSound]).Open(environment.DecisionSets{Dim: d}.Problem(), n)
	if err != nil {
		t.Fatal(err)
	}
	l := linUCB(ready)
	general, _ := l.RegretBound(n, 0)
	if got := shiftBounds[0].of(spread, d, n, rho); math.Abs(got/general-1) > 1e-9 {
		t.Errorf("Theorem 5 is %v, want %v", got, general)
	}
	b := l.Bounds()
	var squares, sum, early float64
	for rows := range n {
		root := math.Sqrt(2*math.Log(2*n) + d*math.Log(b.RhoMax/rho+float64(rows)/(d*rho)))
		width := root + math.Sqrt(b.RhoMax) + b.Gamma
		squares += width * width
		bound := min(2, 2*width/math.Sqrt(rho+float64(rows)/d))
		if sum += bound; bound >= 1.5 {
			early += bound
		}
	}
	for i, want := range []float64{min(2*n, 2*math.Sqrt(d*math.Log1p(n/(d*rho))*squares)), sum, early} {
		// in blocks of rounds they are bounds yet
		if got := shiftBounds[i+1].of(spread, d, n, rho); !(got >= want*(1-1e-3) && got <= 1.02*want) {
			t.Errorf("the bound %s is %v, want %v", shiftBounds[i+1].name, got, want)
		}
	}
	if at := leastAt(func(rho float64) float64 { return math.Abs(math.Log(rho / 300)) }); math.Abs(at/300-1) > 0.011 {
		t.Errorf("least at %v, want 300", at)
	}
}

// Small runs of jdp-shift and jdp-shrink have a row for each of the sums in each setting, and of
// jdp-shift for each shift.
func TestShiftSmoke(t *testing.T) {
	shifts, shrunk := 0, len(shrinkWorlds)*len(shiftSums)
	for _, world := range shiftWorlds {
		shifts += len(world.sums) * len(shiftTimes)
	}
	for name, want := range map[string]int{"jdp-shift": shifts, "jdp-shrink": shrunk} {
		f, err := Figures.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := f.Reproduce(t.Context(), cell.Smoke, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != want {
			t.Errorf("%s: %d rows, want %d", name, len(table.Rows), want)
		}
	}
}
