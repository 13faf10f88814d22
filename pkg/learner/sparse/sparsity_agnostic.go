package sparse

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// SparsityAgnostic is the sparsity-agnostic LASSO bandit of Oh, Iyengar and Zeevi (2021), for a
// theta of few coordinates that are not 0. It is not private. It plays the arm with the largest <x,
// w>, where w is the LASSO of the t rounds so far with
//
//	alpha = 2 Lambda sqrt((4 ln t + 2 ln d)/t)
//
// in the objective 1/(2n) |y - X w|^2 + alpha |w|_1, and ties go to the lowest index. Logarithms
// are natural, and ln t is at least ln 2.
//
// It never explores: the contexts have to be so varied that its own choices do. It needs not know
// how many coordinates matter.
type SparsityAgnostic struct {
	// Lambda is lambda_0, > 0, in theory the bound on contexts times the subgaussian parameter of the
	// noise; 0 means 0.05.
	Lambda    float64
	Tolerance float64 // of the LASSO's duality gap, as in lasso.Regression, but 0 means 1e-6
}

var _ bandit.Learner = SparsityAgnostic{}

// sparsityAgnostic is a run of SparsityAgnostic.
type sparsityAgnostic struct {
	highDimensional
	lambda float64
	solver *lasso.Solver
	w      []float64 // the solver's
}

// Open validates. SparsityAgnostic makes no random choices.
func (l SparsityAgnostic) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := checks.Tunings("SparsityAgnostic", 0, checks.Tuned("Lambda", l.Lambda, "0.05")); err != nil {
		return nil, err
	}
	shared, err := newHighDimensional("SparsityAgnostic", p, horizon)
	if err != nil {
		return nil, err
	}
	return begins(shared.who, p.Dim, horizon, 1, l.Tolerance, func(_ *rand.Rand, s []*lasso.Solver) bandit.Run {
		return &sparsityAgnostic{highDimensional: shared, lambda: checks.Or(l.Lambda, 0.05), solver: s[0]}
	})
}

// Select appends the arm with the largest estimated mean.
func (l *sparsityAgnostic) Select(v *bandit.View, dst []int) ([]int, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	return append(dst, greedy(v, l.w, l.solver.Support())), nil
}

// Explain appends the estimates <x, theta>.
func (l *sparsityAgnostic) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.explain(v, l.w, l.solver.Support(), dst)
}

// Update fits anew.
func (l *sparsityAgnostic) Update(v *bandit.View, arms []int, y []float64) error {
	arm, reward, err := l.record(v, arms, y)
	if err != nil {
		return err
	}
	if err = l.solver.Add(v.Row(arm), reward); err == nil {
		t := l.solver.Rows()
		l.w, err = l.fit(l.solver, 2*l.lambda*math.Sqrt((float64(4*logRows(t))+float64(2*l.logDim))/float64(t)))
	}
	return checks.InRound(v.Round, err)
}
