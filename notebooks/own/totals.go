package own

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Totals releases the noisy mean of all rewards of an arm each time that their number has doubled.
// The rewards since the last release are a block; so a reward is in one block.
type Totals struct {
	Epsilon float64 // > 0
}

func (s Totals) Open(setup privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if setup.Slots != 1 || setup.WarmUp || !(s.Epsilon > 0) {
		return nil, fmt.Errorf("own: %+v, epsilon %v, want one slot and epsilon > 0", setup, s.Epsilon)
	}
	return &openTotals{s, setup}, setup.CheckWeights()
}

// openTotals are Totals for a setup. They never change.
type openTotals struct {
	Totals
	setup privacy.Setup
}

func (s *openTotals) Start(noise *privacy.Noise) privacy.Stream[privacy.Means] {
	k := s.setup.Arms
	r := &totalsRun{openTotals: s, noise: noise, left: make([]int, k), z: make([]float64, 1)}
	r.open, r.sum, r.means.Of = make([]float64, k), make([]float64, k), make([]privacy.Estimate, k)
	r.means.Changed = make([]int, 0, 1)
	return r
}

// totalsRun is a run of Totals.
type totalsRun struct {
	*openTotals
	noise     *privacy.Noise
	means     privacy.Means
	open, sum []float64 // by arm: the open block, and all full ones with their noise
	left      []int     // by arm: rewards until the open block is full
	z         []float64 // a draw
	drawn     int       // blocks released
	clipped   int
}

func (s *totalsRun) Release() *privacy.Means { return &s.means }
func (s *totalsRun) Clipped() int            { return s.clipped }

// check refuses a record that is malformed.
func (s *totalsRun) check(r *privacy.Record) error {
	switch {
	case s.means.Records >= s.setup.Horizon:
		return fmt.Errorf("own: a record beyond the horizon of %d", s.setup.Horizon)
	case len(r.Arms) != 1 || len(r.Y) != 1 || r.Arms[0] < 0 || r.Arms[0] >= s.setup.Arms:
		return fmt.Errorf("own: arms %v with rewards %v, want one of %d arms", r.Arms, r.Y, s.setup.Arms)
	case r.Y[0]-r.Y[0] != 0: // NaN or infinite
		return fmt.Errorf("own: a reward of %v, want finite", r.Y[0])
	}
	s.means.Records, s.means.Changed = s.means.Records+1, s.means.Changed[:0]
	return nil
}

func (s *totalsRun) Add(r *privacy.Record) (moved bool, err error) {
	if err := s.check(r); err != nil {
		return false, err
	}
	a, y := r.Arms[0], min(max(r.Y[0], s.setup.Lo), s.setup.Hi)
	if y != r.Y[0] {
		s.clipped++
	}
	s.open[a] += y
	return s.full(a), nil
}

// full counts a reward, and releases the block if that fills it.
func (s *totalsRun) full(a int) bool {
	if s.left[a]--; s.left[a] > 0 {
		return false
	}
	s.noise.Laplace(s.z, s.scale())
	s.sum[a] += s.open[a] + s.z[0]
	s.open[a], s.drawn = 0, s.drawn+1
	e := &s.means.Of[a]
	e.Count = max(1, 2*e.Count)
	n := float64(e.Count)
	e.Mean, s.left[a] = s.sum[a]/n, e.Count
	e.Tail = privacy.Tail{Root: 2 * s.scale() * math.Sqrt(math.Log2(n)+1) / n, Linear: s.scale() / n}
	s.means.Changed = append(s.means.Changed, a)
	return true
}

func (s *openTotals) scale() float64 { return (s.setup.Hi - s.setup.Lo) / s.Epsilon }

// Plan says that a reward moves one sum, and how that is hidden.
func (s *openTotals) Plan(records int) privacy.Plan { return s.plan(records, 0).HeldBy(s) }

// Plan says how often this run has drawn noise, too.
func (s *totalsRun) Plan(records int) privacy.Plan { return s.plan(records, s.drawn).HeldBy(s) }

func (s *openTotals) plan(records, drawn int) privacy.Plan {
	law, moves := privacy.LaplaceLaw(1, s.scale()), s.setup.Hi-s.setup.Lo
	return privacy.Plan{
		Model:      privacy.Central,
		Neighbours: privacy.Neighbours{Record: "round's reward", Contributions: 1}, // replaced
		Asked:      privacy.Budget{Epsilon: s.Epsilon},
		Cases: [][]privacy.Release{{{
			Law:         law,
			Sensitivity: privacy.Norms{L1: moves, L2: moves, LInf: moves},
		}}},
		Conditions: []string{"rewards clipped before they are added", "arms chosen by earlier releases"},
		Source:     "a block is released once, and a reward is in one block",
		Draws:      []privacy.Draws{{Law: law, Count: drawn}},
	}.Times(min(records, 1))
}
