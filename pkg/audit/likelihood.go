package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/audit/internal/detect"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Likelihood is the audit of a release whose density is known, such as a value under Gaussian,
// Laplace, Gumbel or Wishart noise. It needs far fewer runs than a Mechanism: a hundredth at delta
// = 1e-5.
//
// Let L be the log-likelihood ratio of the world P that a run was made in to the other world. The
// least delta at epsilon is
//
//	delta(epsilon) = E_P (1 - e^(epsilon - L))+
//
// (Dwork and Rothblum, "Concentrated differential privacy", 2016; Zhu, Dong, Wang, "Optimal
// accounting of differential privacy via characteristic function", 2022). That is the mean of
// numbers in [0, 1] with a very small variance. Each run informs about each epsilon, while a
// Mechanism only counts the runs in an event.
//
// The density must be that of what is actually released. If Draws is set, it is compared with what
// two runs draw, on a ledger. A density that is too narrow is refused, as e^-L then averages above
// 1.
//
// As the density is all that there is to know about the worlds, the same mean also has an upper
// bound: Finding.AtMost, with the finding's confidence, where Exact is not known, delta > 0, and
// the bound is below the claim.
type Likelihood struct {
	Name   string
	Claim  privacy.Budget   // no default
	Curve  []privacy.Budget // see About
	Exact  float64          // see About
	Origin string           // see About

	Outputs int // numbers that a run sets, >= 1; 0 means 1
	Runs    int // in each world, >= MinRuns; 0 means 20,000
	// Release runs the mechanism once, as Mechanism.Release does. It may not fail.
	Release func(world int, source rand.Source, out []float64) error
	Density Density         // called from several goroutines
	Draws   []privacy.Draws // what a run must draw for Density to hold; nil means not compared
}

var _ Item = Likelihood{}

// DeltaBound is what an audit finds about delta at an epsilon.
type DeltaBound struct {
	Epsilon  float64
	Claimed  float64 // 1 if nothing is claimed
	Estimate float64 // estimate from the runs held out
	AtLeast  float64 // lower bound with the finding's confidence, at all points at once
	World    int     // the world in which the runs were made
}

// About returns the mechanism's description.
func (l Likelihood) About() (About, error) {
	a := About{Name: l.Name, Claim: l.Claim, Curve: l.Curve, Exact: l.Exact, Origin: l.Origin}
	return a, a.validate()
}

// Run audits the mechanism. In the finding, P estimates delta at At.Epsilon, and Q is the delta
// claimed there.
func (l Likelihood) Run(ctx context.Context, o Options) (Finding, error) {
	about, err := l.About()
	if err != nil {
		return Finding{}, err
	}
	switch {
	case l.Release == nil:
		err = errors.New("field Release is nil")
	case l.Density == nil:
		err = errors.New("field Density is nil")
	case l.Outputs < 0:
		err = fmt.Errorf("field Outputs = %d, want >= 1, or 0 for 1", l.Outputs)
	default:
		if err = size.Check(fmt.Sprintf("field Outputs = %d", l.Outputs), 2*float64(l.Outputs)); err == nil {
			err = l.compare()
		}
	}
	if err != nil {
		return Finding{}, fmt.Errorf("audit: %q: %w", l.Name, err)
	}
	if o, err = o.complete(); err != nil {
		return Finding{}, err
	}
	runs, err := o.runs(l.Runs, MinRuns, defaultRuns)
	if err != nil {
		return Finding{}, fmt.Errorf("%w (%q)", err, l.Name)
	}
	collected, err := collection{
		name: l.Name, runs: runs, width: 1, block: 256, workers: o.Workers, seed: o.Seed, sink: o.Progress,
		start: func() (runner, error) {
			release := make([]float64, max(1, l.Outputs))
			return func(world, _ int, source rand.Source, out []float64) (err error) {
				if err = l.Release(world, source, release); err == nil {
					out[0], err = l.ratio(world, release)
				}
				return err
			}, nil
		},
	}.collect(ctx)
	if err == nil && collected.failure != nil {
		err = fmt.Errorf("audit: %q: %d and %d runs failed in the two worlds, which have no density: %w", l.Name, collected.failed[0], collected.failed[1], collected.failure)
	}
	if err != nil {
		return Finding{}, err
	}
	f, err := l.judge(about, collected.worlds, o)
	if err != nil {
		return Finding{}, fmt.Errorf("audit: %q: %w", l.Name, err)
	}
	return f, nil
}

// compare checks that runs draw what they should.
func (l Likelihood) compare() (err error) {
	if l.Draws == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	for world := range 2 {
		ledger := privacy.NewLedger(rand.NewPCG(1, uint64(world)))
		if err := l.Release(world, ledger, make([]float64, max(1, l.Outputs))); err != nil {
			return fmt.Errorf("a run in world %d: %w", world, err)
		}
		if err := ledger.Check(l.Draws); err != nil {
			return fmt.Errorf("field Density is of noise that is not drawn: %w", err)
		}
	}
	return nil
}

// most exceeds any log-likelihood ratio of densities that are not 0.
const most = 1e6

// ratio returns the log-likelihood ratio L of a release, limited to [-most, most].
func (l Likelihood) ratio(world int, out []float64) (float64, error) {
	own, other := l.Density(world, out), l.Density(1-world, out)
	if math.IsInf(own, -1) || math.IsNaN(own) || math.IsNaN(other) {
		return 0, fmt.Errorf("the logarithms of the densities are %v in the run's own world and %v in the other, want the first finite, and the other a number", own, other)
	}
	return min(max(own-other, -most), most), nil
}

func (l Likelihood) judge(about About, worlds [2]detect.Samples, o Options) (Finding, error) {
	n := worlds[0].Len()
	half := n / 2
	var sides [2]bound.Side
	for w, s := range worlds {
		sides[w] = bound.NewSide(s.Flat[:half], s.Flat[half:])
		if err := sides[w].Consistent(); err != nil {
			return Finding{}, fmt.Errorf("field Density, world %d: %w", w, err)
		}
	}
	alpha := 1 - o.Confidence
	grid := l.grid(about, sides)
	bets := make([]bound.Bet, len(grid))
	best := 0
	for i := range grid {
		bets[i] = bound.ChooseBet(sides, grid[i].Epsilon, grid[i].Claimed)
		grid[i].World = bets[i].World
		if bets[i].Growth > bets[best].Growth {
			best = i
		}
	}
	// Half of alpha is for the most promising point, half for all points together.
	f := Finding{About: about, Confidence: o.Confidence, Runs: n, Tested: n - half, Unit: "runs in each world"}
	for i, b := range bets {
		d := &grid[i]
		test := sides[d.World].Test
		d.Estimate = bound.Excess(test, d.Epsilon).Mean()
		d.AtLeast = b.AtLeast(test, alpha/2/float64(len(grid)))
		if i == best {
			d.AtLeast = max(d.AtLeast, b.AtLeast(test, alpha/2))
		}
		if d.AtLeast > about.Claim.Delta {
			f.Epsilon = max(f.Epsilon, d.Epsilon)
		}
	}
	d := grid[best]
	for _, other := range grid { // the most promising point need not be contradicted
		if d.AtLeast <= d.Claimed && other.AtLeast > other.Claimed {
			d = other
		}
	}
	f.At, f.Delta, f.P, f.Q = privacy.Budget{Epsilon: d.Epsilon, Delta: d.Claimed}, d.AtLeast, d.Estimate, d.Claimed
	f.Event = fmt.Sprintf("mean of (1 - e^(epsilon - L))+ at epsilon = %.4g in world %d", d.Epsilon, d.World)
	f.Deltas = grid
	if about.Exact == 0 {
		f.AtMost = bound.AtMost(sides, about.Claim, alpha)
	}
	f.Needed = math.Inf(1)
	if g := bets[best].Capital(sides[grid[best].World].Test, grid[best].Claimed); g > 0 {
		f.Needed = math.Ceil(2 * portable.Log(2/alpha) * float64(n-half) / g)
	}
	return f, nil
}

// grid returns the points to bound: those of the claim, and the true epsilon at the claim's delta
// as the choosing runs estimate it.
func (l Likelihood) grid(about About, sides [2]bound.Side) (grid []DeltaBound) {
	points := detect.NewClaims(about.Claim, about.Curve).Points
	add := func(epsilon float64) {
		claimed := 1.0
		for _, p := range points {
			if p.Epsilon <= epsilon {
				claimed = min(claimed, p.Delta)
			}
		}
		grid = append(grid, DeltaBound{Epsilon: epsilon, Claimed: claimed})
	}
	for _, p := range points {
		add(p.Epsilon)
	}
	for _, s := range sides {
		excluded := func(epsilon float64) bool {
			x := bound.Excess(s.Choose, epsilon)
			return x.Mean()-float64(3*x.SE()) > about.Claim.Delta
		}
		if !excluded(0) {
			continue
		}
		lo, hi := 0.0, min(s.Choose[0], 1000)
		for range 40 {
			if mid := (lo + hi) / 2; excluded(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		add(lo)
		add(0.95 * lo)
	}
	return grid
}
