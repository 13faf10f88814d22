package learner

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/lasso"
)

// highDimensional is what the learners for many dimensions share. They play one arm a round, by
// their contexts, and fit after every round. They are not private.
type highDimensional struct {
	bandit.Base
	who     string
	problem bandit.Problem
	logDim  float64
	clipped int // rewards outside their range
	loose   int // fits that rounding errors, or many sweeps, ended above their tolerance
}

const (
	// sweeps bounds those of a fit. One that needs more than this is as good as another for a choice.
	sweeps = 1000
	// keptNumbers bounds the rows that are kept, and foldedRows those that wait to be added to X'X.
	keptNumbers = 1 << 24
	foldedRows  = 64
)

func (h *highDimensional) init(who string, p bandit.Problem, horizon int) error {
	if err := checkContexts(who, p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	if err := size.Check(what, 8*(float64(p.Dim)+float64(p.Arms))); err != nil {
		return err
	}
	h.who, h.problem, h.logDim = who, p, portable.Log(float64(p.Dim))
	return nil
}

func (h *highDimensional) reset() {
	h.Clear()
	h.clipped, h.loose = 0, 0
}

// newSolver makes a solver for the rows of a trial. It keeps them, or sums them up where that takes
// less memory than 128 MiB.
func newSolver(who string, dim, rows int, tolerance float64) (*lasso.Solver, error) {
	s := &lasso.Solver{Dim: dim, Tolerance: or(tolerance, 1e-6), MaxSweeps: sweeps}
	many := float64(dim)*float64(rows) > keptNumbers
	if many {
		s.Fold = foldedRows
	}
	if err := s.Init(); err != nil {
		return nil, fmt.Errorf("learner: %s: %w", who, err)
	}
	if !many {
		if err := s.Reserve(rows); err != nil {
			return nil, fmt.Errorf("learner: %s: %w", who, err)
		}
	}
	return s, nil
}

// admit reports a view that a learner cannot play.
func (h *highDimensional) admit(v *bandit.View) bool {
	err := bandit.CheckView(h.problem, v)
	if err == nil {
		for i, x := range v.X[:v.Arms*v.Dim] {
			if x-x != 0 {
				err = fmt.Errorf("coordinate %d of arm %d's context = %v, want finite", i%v.Dim, i/v.Dim, x)
				break
			}
		}
	}
	if err != nil {
		h.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
	}
	return err == nil
}

// record returns the arm played and its reward, moved into the problem's range. It reports what is
// not in order.
func (h *highDimensional) record(v *bandit.View, arms []int, y []float64) (arm int, reward float64, ok bool) {
	err := bandit.CheckView(h.problem, v)
	if err == nil {
		err = bandit.CheckArms(h.problem, v, arms, y)
	}
	if err == nil && y[0]-y[0] != 0 {
		err = fmt.Errorf("reward = %v, want finite", y[0])
	}
	if err != nil {
		h.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return 0, 0, false
	}
	reward = max(h.problem.RewardMin, min(h.problem.RewardMax, y[0]))
	if reward != y[0] {
		h.clipped++
	}
	return arms[0], reward, true
}

// add gives a row to a solver, and reports whether it was taken.
func (h *highDimensional) add(s *lasso.Solver, v *bandit.View, x []float64, y float64) bool {
	if err := s.Add(x, y); err != nil {
		h.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return false
	}
	return true
}

// fit fits a solver. If it does not converge, the coefficients are as good as they get.
func (h *highDimensional) fit(s *lasso.Solver, v *bandit.View, alpha float64) []float64 {
	w, err := s.Fit(alpha)
	switch {
	case errors.Is(err, lasso.ErrNotConverged):
		h.loose++
	case err != nil:
		h.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
	}
	return w
}

// Warnings counts clipped rewards and fits above their tolerance.
func (h *highDimensional) Warnings() (list []bandit.Warning) {
	if h.clipped > 0 {
		list = append(list, bandit.Warning{What: fmt.Sprintf("rewards outside [%v, %v], clipped", h.problem.RewardMin, h.problem.RewardMax), Count: h.clipped})
	}
	if h.loose > 0 {
		list = append(list, bandit.Warning{What: "LASSO fits above their tolerance", Count: h.loose})
	}
	return list
}

// value returns <x, w>, where w is 0 but for some coordinates.
func value(x, w []float64, on []int) (sum float64) {
	for _, j := range on {
		sum += float64(x[j] * w[j])
	}
	return sum
}

// greedy returns the arm with the largest <x, w>, the first if there are several.
func greedy(v *bandit.View, w []float64, on []int) (best int) {
	most := math.Inf(-1)
	for a := range v.Arms {
		if m := value(v.Row(a), w, on); m > most {
			best, most = a, m
		}
	}
	return best
}

// logRows returns ln(max(t, 2)).
func logRows(t int) float64 { return portable.Log(float64(max(t, 2))) }
