package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// PosteriorDraws releases after each record a fresh draw for each arm, as Thompson sampling makes
// them, and accounts for what the draws reveal. Nothing is added for privacy: the noise is that of
// the draws (Ou, Avella Medina, Cummings 2024).
//
// In units in which weights are in [0, 1], an arm with n observations of sum S has the draw
//
//	N(S/(n+1), Variance/(n+1)).
//
// An arm has no draw until it has First observations. Estimate.Mean is the draw, and Estimate.Count
// is n.
//
// A record is the weights of one round, each in [Lo, Hi]; the draws are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms, whose draws it moves in every later round, each by at most 1/(n+1). A draw
// of standard deviation sqrt(Variance/(n+1)) is then mu-GDP for mu = 1/sqrt(Variance (n+1)).
// Squares of mu add up over the rounds t in which an arm i has a draw, and n_i(t) >= First:
//
//	mu^2 <= K max_i sum_t 1/(Variance (n_i(t)+1)) <= K (T-First+1)/(Variance (First+1))
//
// for a horizon of T. The plan has the last bound, as an arm may never be played again; mu then
// grows as sqrt(T), as in the paper. For an arm that is played all the time, mu^2 grows only as ln
// T.
//
// The trust model is central. There is no warm-up. The noise is for research: floating-point noise
// leaks through its low bits (Mironov 2012), and sums round as those of [Blocks] do.
type PosteriorDraws struct {
	Variance float64 // of a draw without observations, in units of (Hi-Lo)^2; > 0, no default
	First    int     // observations before an arm's first draw, >= 1; 0 means 1
	Delta    float64 // at which Asked states an epsilon, in (0, 1), no default
}

var _ privacy.Tally = PosteriorDraws{}

// posteriorDraws are PosteriorDraws for a setup.
type posteriorDraws struct {
	curator.Planned
	data  privacy.Setup
	first int
	sd    float64 // of the noise on S/sqrt(n+1), in the units of the weights
}

// posteriorRun is a run of PosteriorDraws.
type posteriorRun struct {
	*posteriorDraws
	tallied
	noise *privacy.Noise
	buf   []float64 // for a draw of each arm
	drawn int
	sums  []float64 // by arm, of weights less Lo
	at    []float64 // by arm, the mean of a draw
	roots []float64 // by arm, sqrt(n+1)
}

// leastMove is how little a record may move what is drawn around: below, numbers have few digits.
const leastMove = 1e-312

// Open validates, and computes what the draws reveal.
func (of PosteriorDraws) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 4); err != nil {
		return nil, err
	}
	side := s.Hi - s.Lo
	d := &posteriorDraws{data: s, first: max(1, of.First), sd: math.Sqrt(of.Variance) * side}
	switch {
	case s.WarmUp:
		return nil, fmt.Errorf("mechanism: PosteriorDraws has no warm-up: Setup.WarmUp = true, want false")
	case !(of.Variance > 0) || math.IsInf(d.sd, 0) || d.sd == 0:
		return nil, fmt.Errorf("mechanism: PosteriorDraws.Variance = %v, want > 0, and its root times a range of %v finite and > 0", of.Variance, side)
	case of.First < 0 || of.First > mostObservations:
		return nil, fmt.Errorf("mechanism: PosteriorDraws.First = %d, want in [1, %v], or 0 for 1", of.First, float64(mostObservations))
	case !(of.Delta > 0 && of.Delta < 1):
		return nil, fmt.Errorf("mechanism: PosteriorDraws.Delta = %v, want in (0, 1)", of.Delta)
	case s.Horizon > math.MaxInt/s.Slots:
		return nil, fmt.Errorf("mechanism: Setup.Horizon = %d, want <= %d for %d slots: their draws are counted", s.Horizon, math.MaxInt/s.Slots, s.Slots)
	}
	most := s.Slots * d.rounds(s.Horizon)
	moved := side / math.Sqrt(float64(d.first)+1)
	if !(moved >= leastMove) {
		return nil, fmt.Errorf("mechanism: PosteriorDraws of a range of %v: a sum over a root moves by %v, want >= %v", side, moved, leastMove)
	}
	epsilon := account.GaussianEpsilon(of.Delta, math.Sqrt(float64(max(1, most)))*(moved/d.sd))
	if !(epsilon > 0) || math.IsInf(epsilon, 0) {
		return nil, fmt.Errorf("mechanism: PosteriorDraws of Variance = %v, First = %d and Delta = %v are epsilon-DP for epsilon = %v, want > 0 and finite",
			of.Variance, d.first, of.Delta, epsilon)
	}
	one := ofWeights(s, privacy.Budget{Epsilon: epsilon, Delta: of.Delta}, "Thompson sampling's own draws: Ou, Avella Medina, Cummings 2024")
	d.Planned = curator.Plans(one.With(privacy.Release{
		Law: privacy.GaussianLaw(1, d.sd), Sensitivity: privacy.Norms{L1: moved, L2: moved}, Optional: true,
	}), most)
	return d, nil
}

// rounds returns in how many of so many rounds an arm has a draw, at most.
func (d *posteriorDraws) rounds(n int) int { return max(0, min(n, d.data.Horizon)-d.first+1) }

// Start begins a run that draws its noise from n.
func (d *posteriorDraws) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(d)
	}
	numbers := func() []float64 { return make([]float64, d.data.Arms) }
	return &posteriorRun{posteriorDraws: d, tallied: newTallied(d.data), noise: n,
		buf: numbers(), sums: numbers(), at: numbers(), roots: numbers()}
}

// Add adds a record and releases a new draw of each arm that has enough observations. moved reports
// whether there are any.
func (d *posteriorRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := d.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		d.sums[arm] += d.over(rec.Y[i])
		d.seen[arm]++
		d.prepare(arm)
	}
	for arm, n := range d.seen {
		if n >= d.first {
			d.means.Changed = append(d.means.Changed, arm)
		}
	}
	drawn := d.buf[:len(d.means.Changed)]
	d.noise.GaussianEach(drawn, d.sd)
	d.drawn += len(drawn)
	for i, arm := range d.means.Changed {
		d.means.Of[arm].Mean = d.setup.Lo + (d.at[arm] + drawn[i]/d.roots[arm]) // noise before Lo, by whose digits a record would show
	}
	return len(drawn) > 0, nil
}

// prepare computes what an arm's draws share until its next observation.
func (d *posteriorRun) prepare(arm int) {
	n := d.seen[arm]
	if n < d.first {
		return
	}
	root := math.Sqrt(float64(n) + 1)
	d.at[arm], d.roots[arm] = d.sums[arm]/(float64(n)+1), root
	tail := tailOfEqual(true, 1, d.sd)
	d.means.Of[arm].Count, d.means.Of[arm].Tail = n, privacy.Tail{Root: tail.Root / root}
}

// Plan returns what the draws of up to the given number of records reveal of one record: a sum over
// a root for each of its arms, in each round from the First on.
func (d *posteriorDraws) Plan(records int) privacy.Plan { return d.plan(records, 0).HeldBy(d) }

// Plan returns the tally's plan with the draws of the run.
func (d *posteriorRun) Plan(records int) privacy.Plan { return d.plan(records, d.drawn).HeldBy(d) }

func (d *posteriorDraws) plan(records, drawn int) privacy.Plan {
	return d.Shown(d.data.Slots*d.rounds(max(0, records)), drawn)
}
