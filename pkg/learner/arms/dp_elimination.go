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

// DPElimination is DP Successive Elimination (Sajed and Sheffet 2019; the survey's Algorithm 3). In
// epoch e = 1, 2, ... it plays each of the S arms that are left
//
//	R = max(32 ln(8 S e^2/Beta) 4^e, 8 ln(4 S e^2/Beta) 2^e/Epsilon) + 1
//
// times, rounded up, and then drops those whose mean, of the epoch alone, is more than 2 h + 2 c
// below the best: h = sqrt(ln(8 S e^2/Beta)/(2 R)) for the sample, c = ln(4 S e^2/Beta)/(Epsilon R)
// for the noise. Rewards are in [0, 1], logarithms natural. In an epoch that the horizon cuts
// short, the arms have equal shares.
type DPElimination struct {
	Epsilon float64 // of the statistic, > 0, no default
	Beta    float64 // failure probability, in (0, 1); 0 means 1/horizon
}

var (
	_ learner.Policy[privacy.Means] = DPElimination{}
	_ learner.Asker                 = DPElimination{}
	_ tally.BatchLengths            = (*dpElimination)(nil)
)

// Private returns DP successive elimination, epsilon-DP in the central model, one reward
// replaced.
func (l DPElimination) Private(epsilon float64) learner.Private[privacy.Means] {
	l.Epsilon = epsilon
	return learner.New(l, tally.Batches{Budget: privacy.Budget{Epsilon: epsilon}})
}

// Ask says that the rule sets the lengths of batches.
func (DPElimination) Ask(_ bandit.Problem, s *privacy.Setup) error {
	s.Lengths = true
	return nil
}

// Prepare validates.
func (l DPElimination) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	beta, err := failure("DPElimination", l.Beta, horizon)
	if err != nil {
		return nil, err
	}
	if err := checkEpsilon("DPElimination", l.Epsilon); err != nil {
		return nil, err
	}
	return prepare("DPElimination", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &dpElimination{newSurvivors(p), l.Epsilon, beta, 1}
	})
}

type dpElimination struct {
	survivors
	epsilon, beta float64
	epoch         int
}

// log returns ln(c S e^2/Beta) of this epoch.
func (l *dpElimination) log(c float64) float64 {
	return portable.Log(c*float64(len(l.left)-1)*float64(l.epoch)*float64(l.epoch)) - portable.Log(l.beta)
}

// Length returns R. The last arm that is left has no more epochs.
func (l *dpElimination) Length(int, int) int {
	r := max(math.Ldexp(32*l.log(8), 2*l.epoch), math.Ldexp(8*l.log(4)/l.epsilon, l.epoch))
	if len(l.left) == 2 {
		r = math.Inf(1)
	}
	return int(min(math.Ceil(r+1), 1<<52))
}

// Learn drops arms at the end of an epoch.
func (l *dpElimination) Learn(r *privacy.Means) ([]float64, error) {
	if l.ready(r) {
		of := &l.of[r.Changed[0]]
		l.ruleOut(math.Sqrt(l.log(8)/float64(2*of.Count)) + float64(l.log(4)*of.Tail.Linear))
		l.epoch++
	}
	return l.left, nil
}
