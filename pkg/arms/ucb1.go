package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// UCB1 is the policy of Auer, Cesa-Bianchi and Fischer (2002). In round t it plays the arm with the
// largest upper confidence bound
//
//	mean + sqrt(Explore ln t/n),
//
// for n rewards in [0, 1] of an arm. Logarithms are natural. It knows nothing of noise: [AdaPUCB]
// and [LazyUCB] do.
type UCB1 struct {
	// Explore multiplies the logarithm, > 0; 0 means 2, as published. 1/2 is the least for which the
	// regret is logarithmic.
	Explore float64

	leader
	explore, log float64
	lines        []line
}

// line is an arm's index as a function of the confidence width of a single reward.
type line struct{ mean, width float64 }

var _ learner.Policy[privacy.Means] = (*UCB1)(nil)

// NewUCB1 returns UCB1, which is not private.
func NewUCB1() *learner.Private[privacy.Means] { return learner.New(&UCB1{}, &mechanism.Counts{}) }

// Init validates and allocates.
func (l *UCB1) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if err := positive("UCB1", "Explore", l.Explore, 2); err != nil {
		return err
	}
	l.explore = or(l.Explore, 2)
	if err := l.init("UCB1", p, horizon); err != nil {
		return err
	}
	l.lines = make([]line, p.Arms)
	return nil
}

// Learn chooses the arm with the largest upper confidence bound.
func (l *UCB1) Learn(r *privacy.Means) ([]float64, error) {
	for _, a := range r.Changed {
		of := &r.Of[a]
		l.lines[a] = line{(of.Mean - l.problem.RewardMin) / l.span, 1 / math.Sqrt(float64(of.Count))}
	}
	return l.follow(r, l)
}

func (l *UCB1) at(log float64) { l.log = math.Sqrt(l.explore * log) }

func (l *UCB1) bound(a int) float64 {
	line := &l.lines[a]
	return line.mean + float64(l.log*line.width)
}
