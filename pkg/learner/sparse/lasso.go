package sparse

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// highDimensional is what the runs of the learners for many dimensions share. They play one arm a
// round, by their contexts, and fit after every round. They are not private.
type highDimensional struct {
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

// newHighDimensional validates a problem, and returns what a run begins with.
func newHighDimensional(who string, p bandit.Problem, horizon int) (h highDimensional, err error) {
	if err := checks.Contexts(who, p, horizon); err != nil {
		return h, err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	if err := size.Check(what, 8*(float64(p.Dim)+float64(p.Arms))); err != nil {
		return h, err
	}
	return highDimensional{who: who, problem: p, logDim: portable.Log(float64(p.Dim))}, nil
}

// begins makes a Calibrated of a function that makes a run with so many solvers for the rows of a
// trial. They keep the rows, or sum them up where that takes less memory than 128 MiB.
func begins(who string, dim, rows, solvers int, tolerance float64, begin func(own *rand.Rand, s []*lasso.Solver) bandit.Run) (bandit.Calibrated, error) {
	many := float64(dim)*float64(rows) > keptNumbers
	make := func() (*lasso.Solver, error) {
		r := lasso.Regression{Dim: dim, Tolerance: checks.Or(tolerance, 1e-6), MaxSweeps: sweeps}
		if many {
			r.Fold = foldedRows
		}
		s, err := r.Open()
		if err == nil && !many {
			err = s.Reserve(rows)
		}
		return s, err
	}
	if _, err := make(); err != nil {
		return nil, fmt.Errorf("learner: %s: %w", who, err)
	}
	return bandit.Starts(func(own *rand.Rand, _ rand.Source) bandit.Run {
		var all []*lasso.Solver
		for range solvers {
			s, _ := make() // the first has shown that it can be had
			all = append(all, s)
		}
		return begin(own, all)
	}), nil
}

// admit returns an error for a view that a learner cannot play.
func (h *highDimensional) admit(v *bandit.View) error {
	err := h.problem.CheckView(v)
	if err == nil {
		for i, x := range v.X[:v.Arms*v.Dim] {
			if x-x != 0 {
				err = fmt.Errorf("coordinate %d of arm %d's context = %v, want finite", i%v.Dim, i/v.Dim, x)
				break
			}
		}
	}
	return checks.InRound(v.Round, err)
}

// record returns the arm played and its reward, moved into the problem's range, or says what is not
// in order.
func (h *highDimensional) record(v *bandit.View, arms []int, y []float64) (arm int, reward float64, err error) {
	if err = checks.Record(h.problem, v, arms, y); err != nil {
		return 0, 0, checks.InRound(v.Round, err)
	}
	reward = max(h.problem.RewardMin, min(h.problem.RewardMax, y[0]))
	if reward != y[0] {
		h.clipped++
	}
	return arms[0], reward, nil
}

// fit fits a solver. If it does not converge, the coefficients are as good as
// they get.
func (h *highDimensional) fit(s *lasso.Solver, alpha float64) ([]float64, error) {
	w, err := s.Fit(alpha)
	if errors.Is(err, lasso.ErrNotConverged) {
		h.loose++
		err = nil
	}
	return w, err
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

// explain appends the estimates <x, w>, which are the indices.
func (h *highDimensional) explain(v *bandit.View, w []float64, on []int, dst []bandit.Insight) ([]bandit.Insight, error) {
	if err := h.admit(v); err != nil {
		return dst, err
	}
	for a := range v.Arms {
		dst = append(dst, checks.Guess(value(v.Row(a), w, on)))
	}
	return dst, nil
}

// logRows returns ln(max(t, 2)).
func logRows(t int) float64 { return portable.Log(float64(max(t, 2))) }
