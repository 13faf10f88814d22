package account

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// BinomialEvent is a release of a vector of integers, each under its own Binomial(Trials, P) noise.
// One record moves coordinate j by an integer k_j, with |k_j| <= Most and a Euclidean norm of k of
// at most Norm.
//
// The event is mu-Gaussian, except with probability Tail, in which it shows all. Let F be the
// binomial distribution function and Phi the standard normal one. The likelihood ratio of Z and Z +
// k is monotone, as the binomial law is log-concave. So their trade-off curve is piecewise linear
// between the tests "Z > i", whose errors are 1 - F(i) and F(i - k). The curve of a release that
// shows all with probability t, and is mu-Gaussian otherwise, is convex (Dong, Roth, Su, "Gaussian
// differential privacy", 2022, Sec. 3). It lies below the first curve everywhere if it does at
// these points, that is, if for all i with F(i) > t
//
//	mu >= Phi^-1((F(i) - t)/(1 - t)) - Phi^-1(F(i - k)/(1 - t)).
//
// The same mu holds for the other order and sign, since both curves are symmetric to their
// inverses. Let c be the largest mu/k over k = 1, ..., Most. Then the coordinates compose to mu = c
// Norm, however the change of a record is spread over them, and to a probability Tail = 1 -
// (1-t)^Coordinates of showing all. No normal approximation is made; c times the standard deviation
// tends to 1 as the noise grows.
type BinomialEvent struct {
	Trials      int64   // number of trials in the noise of a coordinate
	P           float64 // probability of a success, in (0, 1)
	Coordinates int
	Most        int     // largest |k_j|
	Norm        float64 // largest Euclidean norm of k
	Tail        float64 // probability given up for the tails, in (0, 1); it is part of delta
}

func (e BinomialEvent) String() string {
	return fmt.Sprintf("binomial noise of %d trials of %.4g, %d coordinates moved by up to %d each and %.5g in all, but for %.3g", e.Trials, e.P, e.Coordinates, e.Most, e.Norm, e.Tail)
}

// maxBinomialSD is the largest standard deviation accounted for: the distribution function is a
// table.
const maxBinomialSD = 2e5

// maxBinomialWork is the largest product of Most and the standard deviation. Accounting takes some
// 32 times as many steps.
const maxBinomialWork = 1 << 26

// Validate returns an error if a field is out of its range; Trials P (1-P) must be at most 4e10.
func (e BinomialEvent) Validate() error {
	switch {
	case e.Trials < 0:
		return fmt.Errorf("privacy: BinomialEvent.Trials = %d, want >= 0", e.Trials)
	case !(e.P > 0 && e.P < 1):
		return fmt.Errorf("privacy: BinomialEvent.P = %v, want in (0, 1)", e.P)
	case !(e.sd() <= maxBinomialSD):
		return fmt.Errorf("privacy: BinomialEvent.Trials = %d: noise of standard deviation %.4g, want <= %.4g", e.Trials, e.sd(), float64(maxBinomialSD))
	case e.Coordinates < 1:
		return fmt.Errorf("privacy: BinomialEvent.Coordinates = %d, want >= 1", e.Coordinates)
	case e.Most < 0 || e.Most > loss.MaxSteps:
		return fmt.Errorf("privacy: BinomialEvent.Most = %d, want in [0, %d]", e.Most, loss.MaxSteps)
	case float64(e.Most)*e.sd() > maxBinomialWork:
		return fmt.Errorf("privacy: BinomialEvent.Most = %d under noise of standard deviation %.4g, want a product <= 2^26", e.Most, e.sd())
	case !(e.Tail > 0 && e.Tail < 1):
		return fmt.Errorf("privacy: BinomialEvent.Tail = %v, want in (0, 1)", e.Tail)
	}
	return nonNegative("BinomialEvent.Norm", e.Norm, "nothing hides it")
}

func (e BinomialEvent) sd() float64 { return math.Sqrt(float64(e.Trials) * e.P * (1 - e.P)) }

// Gaussian returns the mu of the Gaussian that dominates the event, except with probability Tail.
// It is +Inf if the noise is too little to hide a change of Most, or the event is not valid.
func (e BinomialEvent) Gaussian() float64 {
	if e.Validate() != nil {
		return math.Inf(1)
	}
	if e.Most == 0 || e.Norm == 0 {
		return 0
	}
	if float64(e.Most) > float64(2*16*e.sd())+2 {
		return math.Inf(1)
	}
	n := float64(e.Trials)
	reach := math.Ceil(16*e.sd()) + 40
	lo, hi := math.Max(0, math.Floor(float64(n*e.P)-reach)), math.Min(n, math.Ceil(float64(n*e.P)+reach))
	mass := loss.Binomial(n, e.P, lo, hi)
	t := -portable.Expm1(portable.Log1p(-e.Tail) / float64(e.Coordinates))

	below, above := make([]float64, len(mass)), make([]float64, len(mass)) // F and 1 - F
	sum := 0.0
	for i, m := range mass {
		sum += m
		below[i] = sum
	}
	for i := len(mass) - 2; i >= 0; i-- {
		above[i] = above[i+1] + mass[i+1]
	}
	// The points that count are i with F(i) > t and F(i-k) < 1 - t: from first to last + k.
	first, last := 0, len(mass)-1
	for below[first] <= t {
		first++
	}
	for last >= 0 && above[last] <= t {
		last--
	}
	if first < e.Most {
		return math.Inf(1) // F(first - Most) = 0
	}
	down := make([]float64, len(mass)) // Phi^-1(F(i)/(1-t))
	for i := first - e.Most; i <= last; i++ {
		down[i] = quantile(below[i]/(1-t), (above[i]-t)/(1-t))
	}
	slope := 0.0
	for i := first; i <= min(last+e.Most, len(mass)-1); i++ {
		u := quantile((below[i]-t)/(1-t), above[i]/(1-t))
		for k := max(1, i-last); k <= e.Most; k++ {
			if rise := u - down[i-k]; rise > slope*float64(k) {
				slope = rise / float64(k)
			}
		}
	}
	return slope * e.Norm * (1 + 1e-9) // for rounding
}

// quantile returns Phi^-1(p), given p and rest = 1 - p. It uses the smaller one, which is more
// exact.
func quantile(p, rest float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case rest <= 0:
		return math.Inf(1)
	case p < rest:
		return portable.NormalQuantile(p)
	}
	return -portable.NormalQuantile(rest)
}

// Pair returns the Gaussian pair with an infinite loss of probability Tail.
func (e BinomialEvent) Pair() (Pair, error) {
	if err := e.Validate(); err != nil {
		return Pair{}, err
	}
	mu := e.Gaussian()
	if math.IsInf(mu, 1) {
		return loss.Discrete([]float64{1, 0}, []float64{0, 1})
	}
	if mu == 0 {
		return loss.Discrete([]float64{1}, []float64{1})
	}
	x, err := loss.Gaussian(mu)
	if err != nil {
		return Pair{}, err
	}
	return x.But(e.Tail).With(func(k int) (Pair, error) {
		if e.Most > loss.MaxSteps/k {
			return Pair{}, fmt.Errorf("privacy: Most = %d for each of %d records, want at most %d in all: %w", e.Most, k, loss.MaxSteps, loss.ErrUnsupported)
		}
		all := e
		all.Most, all.Norm = k*e.Most, float64(k)*e.Norm
		return all.Pair()
	}), nil
}

// Epsilon returns the least epsilon that is proved for the event at delta, in closed form.
// PLD proves the same, up to its numerical error. +Inf means that there is none.
func (e BinomialEvent) Epsilon(delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	mu := e.Gaussian()
	if delta < e.Tail || math.IsInf(mu, 1) {
		return math.Inf(1), nil
	}
	return GaussianEpsilon((delta-e.Tail)/(1-e.Tail), mu), nil
}

// Tightest returns the event with the Tail, of 1e-2, 1e-3 and 1e-4 delta, for which
// Epsilon at delta > 0 is the least.
func (e BinomialEvent) Tightest(delta float64) (BinomialEvent, error) {
	best, least := e, math.Inf(1)
	for _, share := range loss.Tails {
		e.Tail = share * delta
		epsilon, err := e.Epsilon(delta)
		if err != nil {
			return e, err
		}
		if epsilon < least || share == loss.Tails[0] {
			best, least = e, epsilon
		}
	}
	return best, nil
}
