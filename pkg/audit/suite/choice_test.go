package suite

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The scores and the law of a choice are learned from its runs, and the probabilities that follow
// from them are the frequencies of runs. Seeded: of other seeds, one in a thousand would be off by
// four standard errors in one of the six.
func TestChoiceIsLearned(t *testing.T) {
	want := []float64{2, 3.5, -1}
	for _, gumbel := range []bool{false, true} {
		c := choice{candidates: len(want), release: func(_ int, noise *privacy.Noise, out []float64) error {
			scores := make([]float64, len(want))
			if gumbel {
				noise.Gumbel(scores, 1.5)
			} else {
				noise.Laplace(scores, 1.5)
			}
			best := 0
			for i, v := range want {
				if scores[i] += v; scores[i] > scores[best] {
					best = i
				}
			}
			out[0] = float64(best)
			return nil
		}}
		scores, law := c.scores(0)
		for i, v := range scores {
			if math.Abs(v-(want[i]-want[0])) > 1e-9 || law.Scale != 1.5 {
				t.Errorf("score %d is learned as %v under %v, want %v under scale 1.5", i, v, law, want[i]-want[0])
			}
		}
		const runs = 100_000
		count, out, noise := make([]float64, len(want)), []float64{0}, privacy.NewNoise(rand.NewPCG(1, 2))
		for range runs {
			if err := c.release(0, noise, out); err != nil {
				t.Fatal(err)
			}
			count[int(out[0])]++
		}
		for i, log := range logs(scores, law) {
			p := math.Exp(log)
			if got := count[i] / runs; math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/runs) {
				t.Errorf("gumbel %v: candidate %d has frequency %v, want %v", gumbel, i, got, p)
			}
		}
	}
}
