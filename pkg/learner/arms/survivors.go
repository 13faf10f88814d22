package arms

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// survivors is the base of rules that play all arms in turn until they rule some out. What the
// users' devices are told is the round in which a turn began, and the arms that are left.
type survivors struct {
	estimates
	left    []float64
	widths  []float64 // by arm, of the last comparison that it was in
	waiting int       // arms that are left, without an estimate since the last were ruled out
}

// newSurvivors allocates, and makes all arms candidates.
func newSurvivors(p bandit.Problem) survivors {
	s := survivors{newEstimates(p), make([]float64, 1, 1+p.Arms), make([]float64, p.Arms), p.Arms}
	s.left[0] = 1
	for a := range p.Arms {
		s.left = append(s.left, float64(a))
	}
	return s
}

// ready reads a release, and reports whether all candidates have a new estimate.
func (s *survivors) ready(r *privacy.Means) bool {
	s.take(r)
	s.waiting -= len(r.Changed)
	return s.waiting == 0 && len(r.Changed) > 0
}

// ruleOut drops the candidates whose mean is more than twice the width below the best one.
func (s *survivors) ruleOut(width float64) {
	best := s.of[int(s.left[1])].Mean
	for _, a := range s.left[2:] {
		best = max(best, s.of[int(a)].Mean)
	}
	kept := append(s.left[:0], float64(s.round))
	for _, a := range s.left[1:] {
		if s.widths[int(a)] = width; best-s.of[int(a)].Mean <= 2*width {
			kept = append(kept, a)
		}
	}
	s.left, s.waiting = kept, len(kept)-1
}

// Explain appends the means, and the widths that they were last compared by. Arms that are ruled
// out have the index -Inf; the others are played in turn.
func (s *survivors) Explain(left []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	n, span := len(dst), s.problem.RewardMax-s.problem.RewardMin
	dst = s.means(dst, func(int) float64 { return math.Inf(-1) })
	for a := range s.of {
		if s.widths[a] > 0 {
			dst[n+a].Width = s.widths[a] * span
		}
	}
	for _, a := range left[min(1, len(left)):] {
		if !(a >= 0 && a < float64(len(s.of))) {
			return dst[:n], fmt.Errorf("the arm %v in a broadcast, want a whole number in [0, %d)", a, len(s.of))
		}
		dst[n+int(a)].Index = math.NaN()
	}
	return dst, nil
}

// Act appends the candidate whose turn it is.
func (s *survivors) Act(left []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(left) < 2 {
		return dst, fmt.Errorf("a broadcast of %d numbers, want a round and the arms that are left", len(left))
	}
	start, n := left[0], len(left)-1
	if !(start >= 1 && start <= float64(v.Round)) || start != float64(int(start)) {
		return dst, fmt.Errorf("the round %v in a broadcast, want a whole number in [1, %d]", start, v.Round)
	}
	arm := left[1+(v.Round-int(start))%n]
	if !(arm >= 0 && arm < float64(v.Arms)) || arm != float64(int(arm)) {
		return dst, fmt.Errorf("the arm %v in a broadcast, want a whole number in [0, %d)", arm, v.Arms)
	}
	return append(dst, int(arm)), nil
}

// Turn appends the candidates, from the one whose turn it is on.
func (s *survivors) Turn(left []float64, v *bandit.View, dst []int) (_ []int, err error) {
	next := *v
	for range len(left) - 1 {
		if dst, err = s.Act(left, &next, dst); err != nil {
			return dst, err
		}
		next.Round++
	}
	return dst, nil
}

// failure returns the failure probability that a field asks for, or an error.
func failure(who string, beta float64, horizon int) (float64, error) {
	if beta == 0 {
		beta = 1 / float64(max(horizon, 2))
	}
	if !(beta > 0 && beta < 1) {
		return 0, fmt.Errorf("arms: %s.Beta = %v, want in (0, 1), or 0 for 1/horizon", who, beta)
	}
	return beta, nil
}
