package survey

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// PullsBeta is the beta at which the pulls of DP-SE are counted.
const PullsBeta = 0.05

// MostPulls bounds what DP-SE (Algorithm 3) pulls an arm of a gap with probability 1 - beta, by the
// proof of Lemma 4.1: in epoch e all arms with a gap of 2^-e or more are dropped, so that it has at
// most the pulls R_e + 1 of the epochs up to log2(1/gap), rounded up, with all K arms in each.
func MostPulls(k int, gap, epsilon, beta float64) (pulls float64) {
	for e := 1.0; e <= math.Ceil(math.Log2(1/gap)); e++ {
		logs := math.Log(8 * float64(k) * e * e / beta)
		half := math.Log(4 * float64(k) * e * e / beta)
		pulls += math.Ceil(max(32*logs*math.Pow(4, e), 8*half*math.Pow(2, e)/epsilon) + 1)
	}
	return pulls
}

// PrintedPulls is the bound of Lemma 4.1 with 1 for its constant. Its second term, 1/(epsilon gap),
// has no logarithm of K/beta.
func PrintedPulls(k int, gap, epsilon, beta float64) float64 {
	return (math.Log(float64(k)/beta)+math.Log(math.Log(1/gap)))/(gap*gap) + 1/(epsilon*gap)
}

// What a study of DP-SE's pulls measures: whether an arm but the best has more than its bound, and
// the greatest share of its bound.
const (
	PullsFail  = "an arm is pulled more often than its bound"
	PullsShare = "greatest share of a bound"
)

func pulls(s cell.Scale) (all []*lab.Study) {
	on := instances[1]
	for _, epsilon := range []float64{0.05, 1} {
		rounds := cell.Pick(s, 20_000, 300_000, 600_000)
		name := fmt.Sprintf("survey-pulls-eps%g", epsilon)
		all = append(all, &lab.Study{
			Name: name, Seed: 2019, Trials: cell.Pick(s, 2, 10, 200), Rounds: rounds, What: []string{PullsFail, PullsShare},
			Trial: func(trial int) []float64 {
				l := learner.New(arms.DPElimination{Epsilon: epsilon, Beta: PullsBeta}, tally.Batches{Budget: privacy.Budget{Epsilon: epsilon}})
				over, most := 0.0, 0.0
				for arm, n := range lab.Pulls(on.environment(), l, rounds, uint64(2019_000+trial)) {
					if arm > 0 {
						most = max(most, n/MostPulls(len(on.means), on.means[0]-on.means[arm], epsilon, PullsBeta))
					}
				}
				if most > 1 {
					over = 1
				}
				return []float64{over, most}
			},
		})
	}
	return all
}
