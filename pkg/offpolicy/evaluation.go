package offpolicy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Evaluation estimates the mean reward of a fixed policy from a log. The policy must not be chosen
// by the same log, or the estimates are too high for the best of many.
//
// A round with arm a, propensity p and reward y has the weight w = pi(a|x)/p.
//
//   - [Evaluation.InversePropensity] needs nothing more, and is unbiased (Horvitz and Thompson
//     1952).
//   - [Evaluation.SelfNormalised] varies less, at a bias of order 1/n.
//   - [Evaluation.DoublyRobust] varies less where a regression predicts rewards, and is unbiased.
type Evaluation struct {
	Log *Log
	// Policy writes the probability of playing each arm in a context x to p, which has zeros. It must
	// not change x.
	Policy func(x, p []float64)
	// Clip bounds the weights, > 0: less variance, and a bias; see Estimate.Bias. 0 means no bound.
	Clip  float64
	Level float64 // of the confidence intervals, in (0, 1); 0 means 0.95
	Ridge float64 // penalty of the regression of DoublyRobust, > 0; 0 means 1
	Folds int     // of the regression, in [2, 100]; 0 means 5
}

// prepared is a log with what the policy would do in it.
type prepared struct {
	log     *Log
	policy  func(x, p []float64)
	weights []float64 // clipped
	level   float64
	mean    float64 // weight before clipping
	clipped int
	excess  float64 // estimate of the mean of what clipping takes from the weights
}

// Validate returns an error if a field is out of its range. It does not call the policy.
func (e *Evaluation) Validate() error {
	err := error(nil)
	switch {
	case e.Log == nil:
		err = errors.New("field Log is nil")
	case e.Policy == nil:
		err = errors.New("field Policy is nil")
	case e.Clip < 0 || e.Clip != e.Clip:
		err = fmt.Errorf("field Clip = %v, want > 0, or 0 for no bound", e.Clip)
	case !(e.Level >= 0 && e.Level < 1):
		err = fmt.Errorf("field Level = %v, want in (0, 1), or 0 for 0.95", e.Level)
	case e.Ridge != 0 && !(e.Ridge >= 1e-100 && e.Ridge <= 1e100):
		err = fmt.Errorf("field Ridge = %v, want in [1e-100, 1e100], or 0 for 1", e.Ridge)
	case e.Folds != 0 && (e.Folds < 2 || e.Folds > 100):
		err = fmt.Errorf("field Folds = %d, want in [2, 100], or 0 for 5", e.Folds)
	}
	if err != nil {
		return fmt.Errorf("offpolicy: Evaluation: %w", err)
	}
	return e.Log.Validate()
}

// mostWeight bounds the weights, so that no square of a weight times a reward overflows.
const mostWeight = 1e50

// prepare validates, and asks the policy about each round.
func (e *Evaluation) prepare() (*prepared, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	l := e.Log
	s := &prepared{log: l, policy: e.Policy, weights: make([]float64, l.Len()), level: e.Level}
	if s.level == 0 {
		s.level = 0.95
	}
	p := make([]float64, l.Arms)
	kept := 0.0
	for i, a := range l.Chosen {
		if err := s.ask(i, p); err != nil {
			return nil, err
		}
		w := p[a] / l.Propensities[i]
		if !(w <= mostWeight) {
			return nil, fmt.Errorf("offpolicy: round %d: the propensity %v makes a weight of %v, want <= %v", i+1, l.Propensities[i], w, mostWeight)
		}
		s.mean += w
		if e.Clip > 0 && w > e.Clip {
			w = e.Clip
			s.clipped++
		}
		s.weights[i] = w
		kept += w
	}
	n := float64(l.Len())
	s.mean /= n
	if e.Clip > 0 {
		// The mean of a weight is 1, so what is missing of 1 has been clipped. It varies less than the
		// mean of what was clipped here.
		s.excess = max(0, 1-kept/n)
	}
	return s, nil
}

// ask writes what the policy does in a round to p, and checks it.
func (s *prepared) ask(round int, p []float64) error {
	clear(p)
	s.policy(s.log.context(round), p)
	sum := 0.0
	for a, q := range p {
		if !(q >= 0) {
			return fmt.Errorf("offpolicy: round %d: the policy plays arm %d with probability %v, want >= 0", round+1, a, q)
		}
		sum += q
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return fmt.Errorf("offpolicy: round %d: the policy's probabilities sum to %v, want 1", round+1, sum)
	}
	return nil
}

// average returns the estimate whose value is the mean of the terms, which it overwrites. reach is
// how much a unit of clipped weight moves it.
func (s *prepared) average(terms []float64, reach float64) Estimate {
	return s.estimate(centre(terms), terms, reach)
}

// estimate returns the estimate of a value whose terms are those of Estimate.finish.
func (s *prepared) estimate(value float64, terms []float64, reach float64) Estimate {
	e := Estimate{Value: value, Effective: effective(s.weights), MeanWeight: s.mean, Clipped: s.clipped, Bias: s.excess * reach}
	e.finish(terms, s.log.Users, s.level)
	return e
}

// centre subtracts the mean from the terms and returns it.
func centre(terms []float64) float64 {
	mean := 0.0
	for _, z := range terms {
		mean += z
	}
	mean /= float64(len(terms))
	for i := range terms {
		terms[i] -= mean
	}
	return mean
}

// InversePropensity estimates the mean reward by the mean of w y (Horvitz and Thompson 1952; Dudík,
// Langford and Li 2011). Without Clip it is unbiased for any sample size. With it the mean moves by
// at most E[max(w-Clip, 0)] times the largest absolute reward, down if rewards are positive.
func (e *Evaluation) InversePropensity() (Estimate, error) {
	s, err := e.prepare()
	if err != nil {
		return Estimate{}, err
	}
	terms := make([]float64, len(s.weights))
	for i, w := range s.weights {
		terms[i] = w * s.log.Rewards[i]
	}
	return s.average(terms, max(math.Abs(s.log.RewardMin), math.Abs(s.log.RewardMax))), nil
}

// SelfNormalised estimates the mean reward by the mean of w y over the mean of w (Swaminathan and
// Joachims 2015). It is always within the bounds of the rewards, and moves with them if they are
// shifted, which the mean of w y does not. Its bias is of order 1/n. The standard error is that of
// the ratio's linear part (the delta method).
func (e *Evaluation) SelfNormalised() (Estimate, error) {
	s, err := e.prepare()
	if err != nil {
		return Estimate{}, err
	}
	var above, below float64
	for i, w := range s.weights {
		above += float64(w * s.log.Rewards[i])
		below += w
	}
	if !(below > 0) {
		return Estimate{}, errors.New("offpolicy: SelfNormalised: all weights are 0: the policy never plays what the log did")
	}
	value, terms := above/below, make([]float64, len(s.weights))
	for i, w := range s.weights {
		terms[i] = w / below * float64(len(terms)) * (s.log.Rewards[i] - value)
	}
	return s.estimate(value, terms, s.log.RewardMax-s.log.RewardMin), nil
}

// DoublyRobust estimates the mean reward by the mean of q(x, pi) + w (y - q(x, a)), where q
// predicts the reward of an arm, and q(x, pi) is its mean over the policy's arms (Dudík, Langford
// and Li 2011). As the propensities are known it is unbiased, however bad the predictions are; the
// better, the less it varies.
//
// q is a ridge regression on the context and a constant, one for each arm, cut to the bounds of the
// rewards. Users are dealt to Folds groups in the order in which they first come. A round's q is
// fitted to the other groups alone, so that it does not know the round's reward (cross-fitting:
// Chernozhukov et al. 2018).
func (e *Evaluation) DoublyRobust() (Estimate, error) {
	s, err := e.prepare()
	if err != nil {
		return Estimate{}, err
	}
	q, err := e.regress()
	if err != nil {
		return Estimate{}, err
	}
	l := s.log
	terms, p := make([]float64, l.Len()), make([]float64, l.Arms)
	for i, w := range s.weights {
		if err := s.ask(i, p); err != nil {
			return Estimate{}, err
		}
		fold, x := q.fold[i], l.context(i)
		for a, prob := range p {
			if prob > 0 {
				terms[i] += float64(prob * q.predict(fold, a, x))
			}
		}
		terms[i] += float64(w * (l.Rewards[i] - q.predict(fold, l.Chosen[i], x)))
	}
	return s.average(terms, l.RewardMax-l.RewardMin), nil
}

// regression predicts rewards, for each fold by what the others have.
type regression struct {
	folds, arms, order int
	lo, hi             float64
	fold               []int     // of each round
	theta              []float64 // fold by fold and arm by arm, order numbers each
}

func (r *regression) at(fold, arm int) []float64 {
	i := (fold*r.arms + arm) * r.order
	return r.theta[i : i+r.order]
}

func (r *regression) predict(fold, arm int, x []float64) float64 {
	theta := r.at(fold, arm)
	y := theta[len(x)]
	for i, v := range x {
		y += float64(theta[i] * v)
	}
	return min(max(y, r.lo), r.hi)
}

// regress fits the regressions.
func (e *Evaluation) regress() (*regression, error) {
	l := e.Log
	r := &regression{folds: e.Folds, arms: l.Arms, order: l.Dim + 1, lo: l.RewardMin, hi: l.RewardMax}
	if r.folds == 0 {
		r.folds = 5
	}
	ridge := e.Ridge
	if ridge == 0 {
		ridge = 1
	}
	r.fold = make([]int, l.Len())
	for i, user := range places(l.Users, l.Len()) {
		r.fold[i] = user % r.folds
	}
	parts := float64(r.folds) * float64(r.arms)
	if err := size.Check(fmt.Sprintf("offpolicy: DoublyRobust with %d folds, %d arms and contexts of dimension %d", r.folds, r.arms, l.Dim), parts*(size.Triangle(l.Dim+2))); err != nil {
		return nil, err
	}
	// The sums of each fold and arm: of the products of (x, 1, y) with itself, packed.
	width := packed.Size(r.order + 1)
	sums := make([]float64, int(parts)*width)
	z := make([]float64, r.order+1)
	for i, a := range l.Chosen {
		copy(z, l.context(i))
		z[l.Dim], z[r.order] = 1, l.Rewards[i]
		sum := sums[(r.fold[i]*r.arms+a)*width:]
		at := 0
		for j, u := range z {
			for _, v := range z[:j+1] {
				sum[at] += float64(u * v)
				at++
			}
		}
	}
	r.theta = make([]float64, int(parts)*r.order)
	other := make([]float64, width)
	for fold := range r.folds {
		for arm := range r.arms {
			clear(other)
			for f := range r.folds {
				if f == fold {
					continue
				}
				for i, v := range sums[(f*r.arms+arm)*width : (f*r.arms+arm+1)*width] {
					other[i] += v
				}
			}
			for j := range r.order {
				other[packed.Size(j)+j] += ridge
			}
			theta := r.at(fold, arm)
			copy(theta, other[packed.Size(r.order):]) // the row of y
			if _, ok := packed.Cholesky(other, other, r.order); !ok {
				return nil, fmt.Errorf("offpolicy: DoublyRobust: the regression of arm %d has no solution to working precision: scale the contexts, or raise Ridge = %v", arm, ridge)
			}
			packed.Solve(other, theta)
			if !packed.Finite(theta) {
				return nil, fmt.Errorf("offpolicy: DoublyRobust: the regression of arm %d overflows: scale the contexts", arm)
			}
		}
	}
	return r, nil
}
