package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// SparseVector reports which queries of an adaptive stream are above a threshold and pays only for
// those that are.
//
// At most Accepted answers come out above. Each of them costs epsilon_0 = Epsilon/Accepted, and the
// answers below are free. The whole stream is pure epsilon-DP in the central model.
//
// The mechanism is Accepted runs of AboveThreshold (Dwork and Roth 2014, Algorithm 1 and Thm.
// 3.23). Each run has its own threshold noise, drawn anew after an acceptance and never in between:
// with fresh threshold noise for each query the answers below would cost, too (Lyu, Su, Li 2017, on
// the variants that are not private).
//
// A run spends epsilon_1 on the threshold, with Laplace noise of scale D/epsilon_1, and epsilon_2
// on the queries, with Laplace noise of scale 2 D/epsilon_2 each. D is the sensitivity of a query
// and epsilon_1 + epsilon_2 = epsilon_0. The split 1 : 2^(2/3) gives the least variance of query
// noise less threshold noise; it is Lyu, Su and Li's 1 : (2c)^(2/3) for the c = 1 of a run. If one
// record moves all queries in the same direction (Monotone), scale D/epsilon_2 is enough for the
// queries and the split is 1 : 1 (same paper).
//
// No number is released. A learner that wants the value of an accepted query pays for it elsewhere.
type SparseVector struct {
	Epsilon     float64 // of the whole stream, > 0, no default; +Inf means no noise
	Accepted    int     // largest number of answers above, c >= 1, no default
	Sensitivity float64 // largest change D > 0 of a query by one record, no default
	Monotone    bool    // between neighbours, all queries rise or all fall; for AddRemove only
	// zero value: one record is replaced; k Contributions multiply the sensitivity by k
	Neighbours privacy.Neighbours
}

// Comparisons is a run of [SparseVector].
type Comparisons interface {
	privacy.Planner
	// Above reports whether the query's value is above the threshold, with noise on both. After
	// Accepted answers above, it returns an error that wraps account.ErrSpent. A value or threshold
	// that is not finite is refused and costs nothing.
	Above(value, threshold float64) (bool, error)
	// Left returns how many more answers may come out above.
	Left() int
	// Scales returns the scales of the Laplace noise on the threshold and on a query.
	Scales() (threshold, query float64)
}

// sparseVector is a SparseVector that is calibrated.
type sparseVector struct {
	curator.Planned
	most             int     // answers above
	threshold, query float64 // scales
}

// sparseVectorRun is a run of a SparseVector.
type sparseVectorRun struct {
	*sparseVector
	noise      *privacy.Noise
	accepted   int
	queries    int
	thresholds int  // number of threshold noises drawn
	open       bool // the current run has its threshold noise
	offset     float64
	buf        [1]float64
}

// cbrt4 is the cube root of 4.
const cbrt4 = 1.5874010519681994

// Open validates and calibrates.
func (of SparseVector) Open() (Calibrated[Comparisons], error) {
	nominal := privacy.Budget{Epsilon: of.Epsilon}
	if err := nominal.Validate(); err != nil {
		return nil, err
	}
	if of.Accepted < 1 {
		return nil, fmt.Errorf("mechanism: SparseVector.Accepted = %d, want >= 1", of.Accepted)
	}
	if !(of.Sensitivity > 0) || math.IsInf(of.Sensitivity, 0) {
		return nil, fmt.Errorf("mechanism: SparseVector.Sensitivity = %v, want finite and > 0", of.Sensitivity)
	}
	neighbours, err := curator.Protect(of.Neighbours, "record")
	if err != nil {
		return nil, err
	}
	share, factor := 1/(1+cbrt4), 2.0 // of epsilon_1, 2^(2/3) = 4^(1/3)
	if of.Monotone {
		if neighbours.Relation != privacy.AddRemove {
			return nil, fmt.Errorf("mechanism: SparseVector.Monotone under %v, want AddRemove: a record that is replaced raises one query and lowers another", neighbours.Relation)
		}
		share, factor = 0.5, 1
	}
	each := of.Epsilon / float64(of.Accepted)
	sensitivity := of.Sensitivity * float64(neighbours.Contributions)
	s := &sparseVector{most: of.Accepted}
	s.threshold = sensitivity / (share * each)
	s.query = factor * sensitivity / ((1 - share) * each)
	if math.IsInf(s.query, 0) || math.IsInf(s.threshold, 0) || (s.query == 0 || s.threshold == 0) && !nominal.None() {
		return nil, fmt.Errorf("mechanism: SparseVector noise of scales %v and %v for epsilon = %v, want finite and > 0", s.threshold, s.query, of.Epsilon)
	}
	s.Planned = curator.Reveals(privacy.Release{Law: privacy.LaplaceLaw(1, s.query), Threshold: privacy.LaplaceLaw(1, s.threshold), Sensitivity: privacy.Norms{LInf: sensitivity}, Monotone: of.Monotone, Times: of.Accepted}, neighbours, nominal,
		"Dwork and Roth 2014, Theorem 3.23; Lyu, Su, Li 2017", moves("query", of.Sensitivity, of.Monotone))
	return s, nil
}

// Start begins a stream that draws its noise from n.
func (s *sparseVector) Start(n *privacy.Noise) Comparisons {
	return &sparseVectorRun{sparseVector: s, noise: n}
}

// Above reports whether the query's value is above the threshold, with noise on both. After
// Accepted answers above, it returns an error that wraps account.ErrSpent. A value or threshold
// that is not finite is refused and costs nothing.
func (s *sparseVectorRun) Above(value, threshold float64) (bool, error) {
	switch {
	case s.accepted == s.most:
		return false, fmt.Errorf("mechanism: SparseVector: %w on %d queries accepted", account.ErrSpent, s.most)
	case math.IsNaN(value-threshold) || math.IsInf(value-threshold, 0):
		return false, fmt.Errorf("mechanism: SparseVector: value %v, threshold %v, want finite", value, threshold)
	case s.noise == nil:
		return false, curator.ErrNoNoise
	}
	if !s.open {
		s.offset, s.open = s.draw(s.threshold), true
		s.thresholds++
	}
	s.queries++
	if value-threshold+s.draw(s.query) < s.offset {
		return false, nil
	}
	s.accepted++
	s.open = false
	return true, nil
}

func (s *sparseVectorRun) draw(scale float64) float64 {
	s.noise.Laplace(s.buf[:], scale)
	return s.buf[0]
}

// Left returns how many more answers may come out above.
func (s *sparseVectorRun) Left() int { return s.most - s.accepted }

// Scales returns the scales of the Laplace noise on the threshold and on a query.
func (s *sparseVector) Scales() (threshold, query float64) { return s.threshold, s.query }

// Plan returns what the answers reveal of a record. A threshold's noise is drawn for each run,
// whether it ended with an acceptance or is still open, and another one for each query.
func (s *sparseVector) Plan(records int) privacy.Plan { return s.Shown(records, 0).HeldBy(s) }

// Plan returns the mechanism's plan with the draws of the run.
func (s *sparseVectorRun) Plan(records int) privacy.Plan {
	return s.Shown(records, 0).Counted(s.thresholds, s.queries).HeldBy(s)
}
