package sparse

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// SupportOracle knows which coordinates matter, and plays the arm with the largest <x, theta>,
// where theta is the ridge regression on these coordinates. It is not private. It is what learners
// for many dimensions are compared with: none of them can know this.
//
// theta minimises |y - X theta|^2 + Ridge |theta|^2 over all rounds so far. Ties go to the lowest
// index. A round costs O(K s + s^3) for s coordinates.
type SupportOracle struct {
	Support []int   // the coordinates that matter, in [0, Dim); at least one, each once
	Ridge   float64 // > 0; 0 means 1
}

var _ bandit.Learner = SupportOracle{}

// supportOracle is a run of SupportOracle.
type supportOracle struct {
	highDimensional
	support []int
	ridge   float64
	solver  *lasso.Solver
	all     []int // 0, ..., s-1
	x       []float64
	theta   []float64 // the solver's
}

// Open validates. SupportOracle makes no random choices.
func (l SupportOracle) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := checks.Tunings("SupportOracle", 0, checks.Tuned("Ridge", l.Ridge, "1")); err != nil {
		return nil, err
	}
	shared, err := newHighDimensional("SupportOracle", p, horizon)
	if err != nil {
		return nil, err
	}
	if len(l.Support) == 0 {
		return nil, fmt.Errorf("learner: SupportOracle.Support is empty, want at least one coordinate")
	}
	all := make([]int, len(l.Support))
	for i, j := range l.Support {
		if j < 0 || j >= p.Dim {
			return nil, fmt.Errorf("learner: SupportOracle.Support[%d] = %d, want in [0, Dim = %d)", i, j, p.Dim)
		}
		if slices.Contains(l.Support[:i], j) {
			return nil, fmt.Errorf("learner: SupportOracle.Support[%d] = %d is there twice", i, j)
		}
		all[i] = i
	}
	begin := func() (*lasso.Solver, error) {
		return lasso.Regression{Dim: len(all), Fold: foldedRows}.Open()
	}
	if _, err := begin(); err != nil {
		return nil, fmt.Errorf("learner: SupportOracle: %w", err)
	}
	support := slices.Clone(l.Support)
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run {
		solver, _ := begin() // the first has shown that it can be had
		return &supportOracle{highDimensional: shared, support: support, ridge: checks.Or(l.Ridge, 1), solver: solver, all: all, x: make([]float64, len(all))}
	}), nil
}

// Select appends the arm with the largest estimated mean.
func (l *supportOracle) Select(v *bandit.View, dst []int) ([]int, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	if l.theta == nil {
		return append(dst, 0), nil
	}
	best, most := 0, 0.0
	for a := range v.Arms {
		if m := l.mean(v.Row(a)); a == 0 || m > most {
			best, most = a, m
		}
	}
	return append(dst, best), nil
}

// mean returns <x, theta>.
func (l *supportOracle) mean(x []float64) (sum float64) {
	for i, j := range l.support {
		sum += float64(x[j] * l.theta[i])
	}
	return sum
}

// Explain appends the estimates <x, theta>, once there is a fit.
func (l *supportOracle) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	for a := range v.Arms {
		mean := 0.0 // before the first fit, as arm 0 is played then
		if l.theta != nil {
			mean = l.mean(v.Row(a))
		}
		dst = append(dst, checks.Guess(mean))
	}
	return dst, nil
}

// Update fits anew.
func (l *supportOracle) Update(v *bandit.View, arms []int, y []float64) error {
	arm, reward, err := l.record(v, arms, y)
	if err != nil {
		return err
	}
	x := v.Row(arm)
	for i, j := range l.support {
		l.x[i] = x[j]
	}
	if err = l.solver.Add(l.x, reward); err != nil {
		return checks.InRound(v.Round, err)
	}
	theta, err := l.solver.LeastSquares(l.all, l.ridge)
	if err == nil {
		l.theta = theta
	}
	return checks.InRound(v.Round, err)
}
