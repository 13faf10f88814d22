package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SuccessiveElimination is the policy of Even-Dar, Mannor and Mansour (2006). It plays all arms in
// turn. When each arm that is left has n rewards in [0, 1], it drops those whose mean is more than
// twice
//
//	sqrt(ln(4 K n^2/Beta)/(2 n))
//
// below the best one, for K arms at the start. By Hoeffding's inequality the mean of each arm is
// within that of its own true one for all n at once, except with probability Beta pi^2/12, so the
// best arm stays. Logarithms are natural.
type SuccessiveElimination struct {
	Beta float64 // failure probability, in (0, 1); 0 means 1/horizon
}

var _ learner.Policy[privacy.Means] = SuccessiveElimination{}

// Learner returns successive elimination, which is not private.
func (l SuccessiveElimination) Learner() learner.Private[privacy.Means] {
	return learner.New(l, tally.Counts{})
}

// Prepare validates.
func (l SuccessiveElimination) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	beta, err := failure("SuccessiveElimination", l.Beta, horizon)
	if err != nil {
		return nil, err
	}
	return prepare("SuccessiveElimination", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &successiveElimination{newSurvivors(p), portable.Log(4*float64(p.Arms)) - portable.Log(beta)}
	})
}

type successiveElimination struct {
	survivors
	log float64 // ln(4 K/Beta)
}

// Learn drops arms when each that is left has one reward more.
func (l *successiveElimination) Learn(r *privacy.Means) ([]float64, error) {
	if l.ready(r) {
		n := float64(l.of[r.Changed[0]].Count)
		l.ruleOut(math.Sqrt((l.log + float64(2*portable.Log(n))) / (2 * n)))
	}
	return l.left, nil
}
