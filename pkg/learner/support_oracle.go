package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
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

	highDimensional
	ridge  float64
	solver *lasso.Solver
	all    []int // 0, ..., s-1
	x      []float64
	theta  []float64 // the solver's
}

var _ bandit.Learner = (*SupportOracle)(nil)

// Init validates and allocates.
func (l *SupportOracle) Init(p bandit.Problem, horizon int) (err error) {
	if err := checkTuning("SupportOracle", 0, tuning{"Ridge", l.Ridge, "1"}); err != nil {
		return err
	}
	if err := l.init("SupportOracle", p, horizon); err != nil {
		return err
	}
	if len(l.Support) == 0 {
		return fmt.Errorf("learner: SupportOracle.Support is empty, want at least one coordinate")
	}
	for i, j := range l.Support {
		if j < 0 || j >= p.Dim {
			return fmt.Errorf("learner: SupportOracle.Support[%d] = %d, want in [0, Dim = %d)", i, j, p.Dim)
		}
		if slices.Contains(l.Support[:i], j) {
			return fmt.Errorf("learner: SupportOracle.Support[%d] = %d is there twice", i, j)
		}
	}
	s := len(l.Support)
	l.ridge, l.x, l.all = or(l.Ridge, 1), make([]float64, s), make([]int, s)
	for i := range l.all {
		l.all[i] = i
	}
	l.solver = &lasso.Solver{Dim: s, Fold: foldedRows}
	if err := l.solver.Init(); err != nil {
		return fmt.Errorf("learner: SupportOracle: %w", err)
	}
	return nil
}

// Reset forgets everything. SupportOracle makes no random choices.
func (l *SupportOracle) Reset(*rand.Rand, rand.Source) {
	l.reset()
	l.solver.Reset()
	l.theta = nil
}

// Select appends the arm with the largest estimated mean.
func (l *SupportOracle) Select(v *bandit.View, dst []int) []int {
	if !l.admit(v) || l.theta == nil {
		return append(dst, 0)
	}
	best, most := 0, 0.0
	for a := range v.Arms {
		x, m := v.Row(a), 0.0
		for i, j := range l.Support {
			m += float64(x[j] * l.theta[i])
		}
		if a == 0 || m > most {
			best, most = a, m
		}
	}
	return append(dst, best)
}

// Update fits anew.
func (l *SupportOracle) Update(v *bandit.View, arms []int, y []float64) {
	arm, reward, ok := l.record(v, arms, y)
	if !ok {
		return
	}
	x := v.Row(arm)
	for i, j := range l.Support {
		l.x[i] = x[j]
	}
	if !l.add(l.solver, v, l.x, reward) {
		return
	}
	theta, err := l.solver.LeastSquares(l.all, l.ridge)
	if err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return
	}
	l.theta = theta
}
