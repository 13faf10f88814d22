package sparse

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// ThresholdedLasso is the thresholded LASSO bandit of Ariu, Abe and Proutiere (2022), for a theta
// of few coordinates that are not 0. It is not private. After t rounds it fits a LASSO w with
//
//	alpha = Lambda sqrt(2 ln t ln d/t)
//
// to the rounds so far, and keeps S_0 = {j: |w_j| > 4 alpha}, then S = {j in S_0: |w_j| > 4 alpha
// sqrt|S_0|}. It plays the arm with the largest <x, theta>, where theta is the least-squares fit on
// S; if S is empty, a random arm. The objective is 1/(2n) |y - X w|^2 + alpha |w|_1; logarithms are
// natural, and ln t is at least ln 2.
//
// It needs to know neither the number of coordinates that matter nor a bound on the gap. A run
// tells S by its method Support() []int. A round costs O(K |S|), and a fit O(d) for each coordinate
// of its working set.
type ThresholdedLasso struct {
	Lambda    float64 // lambda_0, > 0; 0 means 0.02, as in the authors' code
	Tolerance float64 // of the LASSO's duality gap, as in lasso.Solver, but 0 means 1e-6
}

var _ bandit.Learner = ThresholdedLasso{}

// thresholdedLassoRun is a run of [ThresholdedLasso].
type thresholdedLassoRun struct {
	highDimensional
	lambda float64
	solver *lasso.Solver
	own    *rand.Rand
	theta  []float64 // the solver's
	on     []int     // S, increasing
}

// Open validates.
func (l ThresholdedLasso) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := checks.Tunings("ThresholdedLasso", 0, checks.Tuned("Lambda", l.Lambda, "0.02")); err != nil {
		return nil, err
	}
	shared, err := newHighDimensional("ThresholdedLasso", p, horizon)
	if err != nil {
		return nil, err
	}
	return begins(shared.who, p.Dim, horizon, 1, l.Tolerance, func(own *rand.Rand, s []*lasso.Solver) bandit.Run {
		return &thresholdedLassoRun{highDimensional: shared, lambda: checks.Or(l.Lambda, 0.02), solver: s[0], own: own, on: make([]int, 0, p.Dim)}
	})
}

// Select appends the arm with the largest estimated mean, or a random one.
func (l *thresholdedLassoRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	if len(l.on) == 0 {
		return append(dst, l.own.IntN(v.Arms)), nil
	}
	return append(dst, greedy(v, l.theta, l.on)), nil
}

// Explain appends the estimates <x, theta>, once there is a support.
func (l *thresholdedLassoRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if len(l.on) == 0 {
		return checks.Unguided(v.Arms, dst), nil
	}
	return l.explain(v, l.theta, l.on, dst)
}

// Update fits anew.
func (l *thresholdedLassoRun) Update(v *bandit.View, arms []int, y []float64) error {
	arm, reward, err := l.record(v, arms, y)
	if err != nil {
		return err
	}
	if err := l.solver.Add(v.Row(arm), reward); err != nil {
		return checks.InRound(v.Round, err)
	}
	t := l.solver.Rows()
	alpha := l.lambda * math.Sqrt(2*logRows(t)*max(l.logDim, math.Ln2)/float64(t))
	w, err := l.fit(l.solver, alpha)
	if err != nil {
		return checks.InRound(v.Round, err)
	}
	l.on = l.on[:0]
	for _, j := range l.solver.Support() {
		if math.Abs(w[j]) > 4*alpha {
			l.on = append(l.on, j)
		}
	}
	least, kept := 4*alpha*math.Sqrt(float64(len(l.on))), l.on[:0]
	for _, j := range l.on {
		if math.Abs(w[j]) > least {
			kept = append(kept, j)
		}
	}
	l.on = kept
	if l.theta, err = l.solver.LeastSquares(l.on, 0); err != nil {
		l.on = l.on[:0]
	}
	return checks.InRound(v.Round, err)
}

// Support returns S, the coordinates that it holds for those that matter, increasing. The slice is
// the run's own, and valid until the next Update.
func (l *thresholdedLassoRun) Support() []int { return l.on }
