package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// BestArmBound returns the least expected number of rounds of an epsilon-DP policy that stops and
// names the best of Bernoulli arms, wrong with a probability of at most delta, in the central model
// (Jourdan and Azize 2025): T* kl(delta, 1-delta), with
//
//	1/T* = max_w min_a min_u w_1 d_epsilon(mean_1, u) + w_a d_epsilon(mean_a, u)
//
// for shares w of the arms, of which 1 is the best and a another; see [DEps]. In print the other
// factor is ln(1/(3 delta)), which is less. For epsilon = +Inf it is the bound without privacy
// (Garivier and Kaufmann 2016). It is +Inf if two arms are the best, and NaN unless epsilon > 0,
// there are two means in [0, 1], and delta is in (0, 1/2).
//
// A proof. Let the rewards of arm a have mean m, and y in another instance, with another best arm.
// Couple them with rewards of mean z, so that a share |z-m| differs. Whether a policy is shown the
// first rewards or the second, the log-probability of what it does differs by at most epsilon for
// each that differs. The second rewards have the divergence kl(z, y) each from those of the other
// instance. So the policy in the one instance has at most the divergence sum_a E n_a (epsilon |z-m|
// + kl(z, y)) from itself in the other. For the best z that is sum_a E n_a d_epsilon(m, y). As it
// names the first arm in the one and not in the other, it is at least kl(delta, 1-delta).
func BestArmBound(epsilon float64, means []float64, delta float64) float64 {
	if !(epsilon > 0 && delta > 0 && delta < 0.5 && len(means) > 1) {
		return math.NaN()
	}
	best := 0
	for a, mean := range means {
		if !(mean >= 0 && mean <= 1) {
			return math.NaN()
		}
		if mean > means[best] {
			best = a
		}
	}
	of := characteristic{epsilon: epsilon, best: means[best]}
	most := 64.0 // for a larger y, an arm's share grows as exp(y)
	for a, mean := range means {
		if a != best {
			of.others = append(of.others, mean)
			most = min(most, bernoulli.DEps(epsilon, of.best, mean))
		}
	}
	if most == 0 {
		return math.Inf(1)
	}
	// The cost y of each other arm, for a share 1 of the best one, is the same for the best shares.
	// Then 1/T* = y/(1 + sum of the others' shares), which has one maximum.
	y := largest(0, most, of.rate)
	return float64((1 - 2*delta) * (portable.Log1p(-delta) - portable.Log(delta)) / of.rate(y))
}

// characteristic is the instance of a BestArmBound.
type characteristic struct {
	epsilon, best float64
	others        []float64
}

// rate returns y over the sum of the shares by which each other arm costs y.
func (c *characteristic) rate(y float64) float64 {
	sum := 1.0
	for _, mean := range c.others {
		sum += c.share(mean, y)
	}
	return y / sum
}

// share returns the share at which an arm costs y: a share's cost grows from 0 to d(best, mean). At
// the mean u in between that costs least, it is the least (y - d(best, u))/d(mean, u) is largest.
func (c *characteristic) share(mean, y float64) float64 {
	of := func(u float64) float64 {
		return (y - bernoulli.DEps(c.epsilon, c.best, u)) / bernoulli.DEps(c.epsilon, mean, u)
	}
	return max(of(largest(mean, c.best, of)), 0)
}

// largest returns where a function is largest between two numbers, if it first grows and then
// falls. It is not called at the ends.
func largest(low, high float64, of func(float64) float64) float64 {
	for range 80 {
		third := (high - low) / 3
		if x, y := low+third, high-third; of(x) < of(y) {
			low = x
		} else {
			high = y
		}
	}
	return (low + high) / 2
}
