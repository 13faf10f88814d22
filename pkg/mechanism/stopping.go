package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Stopping estimates the mean of a stream of numbers up to a relative error, from as few of them as
// it can: DP-NAS (Sajed and Sheffet 2019; Chari, Differentially Private Online Algorithms,
// Algorithm 2).
//
// Numbers are in [-R, R], where R = Setup.Bound. With probability at least 1 - Beta it stops at an
// estimate that is within Alpha |mu| of the mean mu. It stops at the first t where
//
//	|X_1 + ... + X_t| >= h_t (1 + 1/Alpha) + c_t + B + A_t,
//	h_t = R sqrt(2t ln(16 t^2/Beta)),
//	c_t = s1 ln(4/Beta) + s2 ln(8 t^2/Beta) + s3 ln(4/Beta)/Alpha,
//
// with Laplace noise B of scale s1, drawn once, A_t of scale s2, drawn afresh, and L of scale s3 on
// the estimate, and natural logarithms. A mean of 0 has no relative error: Setup.Horizon bounds t,
// and there the run ends with an estimate for which nothing is promised.
//
// A neighbour replaces one number, which moves a sum by at most 2R. The threshold spends epsilon/6
// (s1 = 12 R/epsilon), the comparisons epsilon/3 together (s2 = 12 R/epsilon, by sparse vector),
// and the estimate epsilon/2 (s3 = 4 R/epsilon). The trust model is central, and no delta is
// needed.
//
//   - Sound: the estimate is (X_1 + ... + X_t + L)/t.
//   - AsPublished: it is (X_1 + ... + X_t)/t + L, which is as private and useless: its noise does
//     not shrink with t, and is larger than R.
//
// With Doubling it compares at t = 1, 2, 4, ... only, and t^2 in the logarithms is j^2 for the j-th
// comparison: the thresholds are lower. It needs at most twice as many numbers as the first t at
// which one of these lower thresholds is met, and can need fewer than without.
//
// The noise is for research: floating-point noise leaks through its low bits (Mironov 2012).
type Stopping struct {
	Epsilon     float64             // of all; > 0, no default; +Inf means no noise
	Alpha       float64             // relative error, in (0, 1), no default
	Beta        float64             // probability that the estimate is further off, in (0, 1), no default
	Calibration privacy.Calibration // Sound or AsPublished; the zero value is Sound
	Doubling    bool                // compare at t = 1, 2, 4, ... only
}

// Stopped is the release of a stopping rule.
type Stopped struct {
	Done bool // the rule has ended; the estimate is there
	// Reached says that the rule ended because it knows the mean; false, that the horizon ended it.
	Reached bool
	Mean    float64 // the estimate, 0 until Done
	Count   int     // numbers that it was made from
}

var _ privacy.Statistic[Stopped] = Stopping{}

// stopping is a Stopping for a setup.
type stopping struct {
	data    privacy.Setup
	shows   privacy.Plan
	asIs    bool // AsPublished
	rarely  bool // Doubling
	alpha   float64
	compare float64 // s1 and s2
	final   float64 // s3
	fixed   float64 // the part of c_t that does not depend on t
	beta    float64
}

// stoppingRun is a run of a Stopping.
type stoppingRun struct {
	*stopping
	noise   *privacy.Noise
	count   int // numbers so far
	clipped int
	queries int
	sum     float64
	offset  float64 // B
	stopped Stopped
	shown   Stopped // a copy for whoever reads the release, who may write to it
	buf     [1]float64
}

// Open validates and calibrates. It reads Setup.Horizon, the largest t, and Setup.Bound, R.
func (of Stopping) Open(p privacy.Setup) (privacy.Mechanism[Stopped], error) {
	asked := privacy.Budget{Epsilon: of.Epsilon}
	if err := asked.Validate(); err != nil {
		return nil, err
	}
	if err := curator.Published("Stopping", of.Calibration); err != nil {
		return nil, err
	}
	switch {
	case !(of.Alpha > 0 && of.Alpha < 1):
		return nil, fmt.Errorf("mechanism: Stopping.Alpha = %v, want in (0, 1)", of.Alpha)
	case !(of.Beta > 0 && of.Beta < 1):
		return nil, fmt.Errorf("mechanism: Stopping.Beta = %v, want in (0, 1)", of.Beta)
	case p.Horizon < 1:
		return nil, fmt.Errorf("mechanism: Setup.Horizon = %d, want >= 1: a mean of 0 never stops", p.Horizon)
	case !(p.Bound >= size.LeastBound && p.Bound <= size.MostBound):
		return nil, fmt.Errorf("mechanism: Setup.Bound = %v, want finite and > 0, in [%v, %v]", p.Bound, size.LeastBound, size.MostBound)
	}
	s := &stopping{data: p, alpha: of.Alpha, beta: of.Beta, asIs: of.Calibration == privacy.AsPublished, rarely: of.Doubling,
		compare: 12 * p.Bound / of.Epsilon, final: 4 * p.Bound / of.Epsilon}
	if err := curator.Positive("a stopping rule's noise", s.final, asked, p); err != nil {
		return nil, err
	}
	s.fixed = (s.compare + s.final/s.alpha) * (portable.Log(4) - portable.Log(s.beta))
	plan := curator.Central(privacy.Neighbours{Relation: privacy.Replace, Record: "number", Contributions: 1}, asked,
		"Sajed and Sheffet 2019; sparse vector (Dwork and Roth 2014, Theorem 3.23)", fmt.Sprintf("numbers clipped to [%v, %v] inside the mechanism", -p.Bound, p.Bound))
	plan.Calibration = of.Calibration
	compare := privacy.LaplaceLaw(1, s.compare)
	plan = plan.With(privacy.Release{Law: compare, Threshold: compare, Sensitivity: privacy.Norms{LInf: 2 * p.Bound}})
	s.shows = plan.With(privacy.Release{Law: privacy.LaplaceLaw(1, s.final), Sensitivity: privacy.Norms{L1: 2 * p.Bound},
		Optional: true}) // the rule may not end
	return s, nil
}

// Start begins a run that draws its noise from n.
func (s *stopping) Start(n *privacy.Noise) privacy.Stream[Stopped] {
	if n == nil {
		return curator.WithoutNoise(s)
	}
	return &stoppingRun{stopping: s, noise: n}
}

// Add takes in a number, the only one in the record's Y, and reports whether the rule has ended
// with it. Numbers that come later are counted and change nothing.
func (s *stoppingRun) Add(r *privacy.Record) (moved bool, err error) {
	switch {
	case s.count >= s.data.Horizon:
		return false, fmt.Errorf("mechanism: a number beyond the horizon of %d, want none", s.data.Horizon)
	case len(r.Y) != 1 || len(r.X) != 0:
		return false, fmt.Errorf("mechanism: a record of %d numbers and a vector of %d, want one number and no vector", len(r.Y), len(r.X))
	}
	x, bound := r.Y[0], s.data.Bound
	if x-x != 0 {
		return false, fmt.Errorf("mechanism: a number %v, want finite", x)
	}
	if x < -bound || x > bound {
		x = min(max(x, -bound), bound)
		s.clipped++
	}
	s.count++
	if s.stopped.Done {
		return false, nil
	}
	s.sum += x
	reached := false
	if !s.rarely || s.count&(s.count-1) == 0 {
		reached = s.above()
	}
	if reached || s.count == s.data.Horizon {
		s.stop(reached)
	}
	return s.stopped.Done, nil
}

// Run draws numbers in [-bound, bound] until the rule ends, at most so many, and returns the
// estimate.
func (of Stopping) Run(bound float64, most int, noise *privacy.Noise, draw func() float64) (Stopped, error) {
	m, err := of.Open(privacy.Setup{Horizon: most, Bound: bound})
	if err != nil {
		return Stopped{}, err
	}
	run := m.Start(noise)
	r := privacy.Record{Y: make([]float64, 1)}
	for !run.Release().Done {
		r.Y[0] = draw()
		if _, err := run.Add(&r); err != nil {
			return Stopped{}, err
		}
	}
	return *run.Release(), nil
}

// above makes the next comparison.
func (s *stoppingRun) above() bool {
	if s.queries == 0 {
		s.offset = s.draw(s.compare)
	}
	s.queries++
	log := float64(2*portable.Log(float64(s.queries))) - portable.Log(s.beta)
	h := s.data.Bound * math.Sqrt(2*float64(s.count)*(log+4*math.Ln2))
	width := float64(h*(1+1/s.alpha)) + s.fixed + float64(s.compare*(log+3*math.Ln2))
	return math.Abs(s.sum) >= width+s.offset+s.draw(s.compare)
}

// stop releases the estimate.
func (s *stoppingRun) stop(reached bool) {
	n, noise := float64(s.count), s.draw(s.final)
	mean := (s.sum + noise) / n
	if s.asIs {
		mean = s.sum/n + noise
	}
	s.stopped = Stopped{Done: true, Reached: reached, Mean: mean, Count: s.count}
}

func (s *stoppingRun) draw(scale float64) float64 {
	s.noise.Laplace(s.buf[:], scale)
	return s.buf[0]
}

// Release returns the estimate once the rule has ended.
func (s *stoppingRun) Release() *Stopped {
	s.shown = s.stopped
	return &s.shown
}

// Clipped returns how many numbers were clipped.
func (s *stoppingRun) Clipped() int { return s.clipped }

// Scales returns the scales s1 = s2 of the noise on the threshold and on each comparison, and s3 of
// the noise on the estimate.
func (s *stopping) Scales() (compare, final float64) { return s.compare, s.final }

// Plan returns what the comparisons and the estimate reveal of one number. Noise is drawn for the
// threshold, for each comparison and for the estimate.
func (s *stopping) Plan(records int) privacy.Plan { return s.plan(records, 0, 0).HeldBy(s) }

// Plan returns the rule's plan with the draws of the run.
func (s *stoppingRun) Plan(records int) privacy.Plan {
	estimates := 0
	if s.stopped.Done {
		estimates = 1
	}
	return s.plan(records, s.queries, estimates).HeldBy(s)
}

func (s *stopping) plan(records, queries, estimates int) privacy.Plan {
	return s.shows.Times(min(records, 1)).Counted(min(queries, 1), queries, estimates)
}
