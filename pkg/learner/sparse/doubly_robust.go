package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// DoublyRobustLasso is the doubly robust LASSO bandit of Kim and Paik (2019). It is not private. In
// round t it plays a random arm with probability
//
//	u_t = min(1, Explore sqrt((ln t + ln d)/t)),
//
// 1 in the first Start rounds, and else the arm with the largest <x, w>, with ties to the lowest
// index. So each arm has a known probability pi_a, and the reward r of the arm played stands for
// the mean reward of all K arms, in the pseudo-reward
//
//	<z, w> + (r - <x_a, w>)/(K pi_a),   z = the mean of the contexts x_1, ..., x_K.
//
// w is the LASSO of the pseudo-rewards on the z of all rounds, with the objective
// 1/(2n) |y - Z w|^2 + alpha |w|_1 and alpha = Lambda sqrt((ln t + ln d)/t). Logarithms are
// natural, and ln t is at least ln 2.
//
// It learns from means of contexts, which it needs to vary: where arms are drawn independently with
// mean 0, they vary K times less than contexts, and it is slow. Where Explore is far below 1, a
// rare arm's pseudo-reward is large, its error enters later pseudo-rewards, and coefficients may
// run away; Truncate prevents that.
type DoublyRobustLasso struct {
	Explore float64 // lambda_1, > 0; 0 means 1
	Lambda  float64 // lambda_2, > 0; 0 means 0.5
	Start   int     // z_T, the first rounds that play a random arm, >= 1; 0 means 10
	// Truncate moves pseudo-rewards into [-Truncate, Truncate], > 0; 0 means that they stay as they
	// are.
	Truncate  float64
	Tolerance float64 // of the LASSO's duality gap, as in lasso.Regression, but 0 means 1e-6
}

var _ bandit.Learner = DoublyRobustLasso{}

// doublyRobustLasso is a run of DoublyRobustLasso.
type doublyRobustLasso struct {
	highDimensional
	explore, lambda, truncate float64
	start                     int
	solver                    *lasso.Solver
	own                       *rand.Rand
	w, z                      []float64
}

// Open validates.
func (l DoublyRobustLasso) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := checks.Tunings("DoublyRobustLasso", 0, checks.Tuned("Explore", l.Explore, "1"), checks.Tuned("Lambda", l.Lambda, "0.5"),
		checks.Tuned("Truncate", l.Truncate, "none")); err != nil {
		return nil, err
	}
	if l.Start < 0 {
		return nil, fmt.Errorf("learner: DoublyRobustLasso.Start = %d, want >= 1, or 0 for 10", l.Start)
	}
	shared, err := newHighDimensional("DoublyRobustLasso", p, horizon)
	if err != nil {
		return nil, err
	}
	if l.Start == 0 {
		l.Start = 10
	}
	return begins(shared.who, p.Dim, horizon, 1, l.Tolerance, func(own *rand.Rand, s []*lasso.Solver) bandit.Run {
		return &doublyRobustLasso{
			highDimensional: shared, explore: checks.Or(l.Explore, 1), lambda: checks.Or(l.Lambda, 0.5), truncate: l.Truncate, start: l.Start,
			solver: s[0], own: own, z: make([]float64, p.Dim),
		}
	})
}

// random returns u_t for the next round.
func (l *doublyRobustLasso) random() float64 {
	t := l.solver.Rows() + 1
	if t <= l.start {
		return 1
	}
	return min(1, l.explore*math.Sqrt((logRows(t)+l.logDim)/float64(t)))
}

// Select appends a random arm, or the one with the largest estimated mean.
func (l *doublyRobustLasso) Select(v *bandit.View, dst []int) ([]int, error) {
	if err := l.admit(v); err != nil {
		return dst, err
	}
	if l.own.Float64() < l.random() {
		return append(dst, l.own.IntN(v.Arms)), nil
	}
	return append(dst, greedy(v, l.w, l.solver.Support())), nil
}

// Explain appends the estimates <x, theta>, by which it plays unless it explores at random.
func (l *doublyRobustLasso) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.explain(v, l.w, l.solver.Support(), dst)
}

// Update fits anew.
func (l *doublyRobustLasso) Update(v *bandit.View, arms []int, y []float64) error {
	arm, reward, err := l.record(v, arms, y)
	if err != nil {
		return err
	}
	on, k := l.solver.Support(), float64(v.Arms)
	u := l.random()
	pi := u / k
	if arm == greedy(v, l.w, on) {
		pi += 1 - u
	}
	clear(l.z)
	for a := range v.Arms {
		for j, x := range v.Row(a) {
			l.z[j] += x
		}
	}
	for j := range l.z {
		l.z[j] /= k
	}
	pseudo := value(l.z, l.w, on) + float64((reward-value(v.Row(arm), l.w, on))/float64(k*pi))
	if c := l.truncate; c > 0 {
		pseudo = max(-c, min(c, pseudo))
	}
	if err = l.solver.Add(l.z, pseudo); err == nil {
		t := l.solver.Rows()
		l.w, err = l.fit(l.solver, l.lambda*math.Sqrt((logRows(t)+l.logDim)/float64(t)))
	}
	return checks.InRound(v.Round, err)
}
