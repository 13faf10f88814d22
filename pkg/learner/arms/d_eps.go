package arms

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// DEps returns the divergence d_eps(x, y) = inf_z eps |z-x| + kl(z, y) of two Bernoulli laws of
// means x and y in [0, 1], for eps > 0. It is NaN if an argument is out of its range.
//
// An epsilon-DP learner needs ln T/d_eps(mean, best mean) pulls of an arm to know that it is not
// the best (Azize, Wu, Honda, Orabona, Ito, Basu 2025), where one without privacy needs ln
// T/kl(mean, best mean). d_eps is at most kl, which it equals for eps = +Inf, and at most eps
// |x-y|.
func DEps(eps, x, y float64) float64 {
	if !(eps > 0 && x >= 0 && x <= 1 && y >= 0 && y <= 1) {
		return math.NaN()
	}
	return bernoulli.DEps(eps, x, y)
}

// cumulative returns batches that forget nothing, the first of first/epsilon rewards. With a short
// one the noise of the first batches stays in the sum for long, and a best arm that looks bad in it
// is found late: with 16 in place of 32, IMED's regret varies more.
func cumulative(first, epsilon, ratio float64) tally.Batches {
	return tally.Batches{Budget: privacy.Budget{Epsilon: epsilon}, Cumulative: true,
		Lengths: tally.Geometric{First: max(1, math.Ceil(first/epsilon)), Ratio: ratio}}
}

// checkEpsilon refuses an epsilon that is not positive.
func checkEpsilon(who string, epsilon float64) error {
	if !(epsilon > 0) {
		return fmt.Errorf("arms: %s.Epsilon = %v, want > 0; +Inf means that there is no privacy", who, epsilon)
	}
	return nil
}
