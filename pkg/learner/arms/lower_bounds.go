package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// DEpsBound returns the lower bound on the regret of round t, as t grows, of an epsilon-DP policy
// on Bernoulli arms, in the central model (Azize, Wu, Honda, Orabona, Ito, Basu 2025):
//
//	ln t sum_a Delta_a/d_epsilon(mean_a, best mean),   Delta_a = best mean - mean_a,
//
// over the arms that are not best; see [DEps]. The policy must have a regret of o(t^c) for all c >
// 0 and means. At a finite t a policy may be below it. For epsilon = +Inf it is the bound without
// privacy (Lai and Robbins 1985), as d_inf is kl. It is NaN unless epsilon > 0, t >= 1 and
// means are in [0, 1].
func DEpsBound(epsilon float64, means []float64, t float64) float64 {
	if !(epsilon > 0 && t >= 1) {
		return math.NaN()
	}
	best, sum := 0.0, 0.0
	for _, mean := range means {
		if !(mean >= 0 && mean <= 1) {
			return math.NaN()
		}
		best = max(best, mean)
	}
	for _, mean := range means {
		if gap := best - mean; gap > 0 {
			sum += gap / bernoulli.DEps(epsilon, mean, best)
		}
	}
	return float64(sum * portable.Log(t))
}
