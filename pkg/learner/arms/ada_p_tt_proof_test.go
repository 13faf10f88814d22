package arms

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAdaPTTProof adds up what the proof of the threshold adds up, of what the code computes: the
// tails of the noise in all batches of all arms, and Hoeffding's bound for all pairs of batches.
// Each sum is below Delta/2. Batches have 1, 1, 2, 4, ... rewards.
func TestAdaPTTProof(t *testing.T) {
	for _, k := range []int{2, 3, 100} {
		for _, delta := range []float64{1e-9, 0.1, 0.5, 0.999} {
			t.Run(fmt.Sprintf("%d arms, Delta %v", k, delta), func(t *testing.T) {
				test, of := glr{delta: delta}, make([]privacy.Estimate, k)
				length := func(b int) int { return 1 << max(b-2, 0) }
				set := func(n, m int, noise float64) {
					of[0].Count, of[1].Count = n, m
					of[0].Tail.Linear, of[1].Tail.Linear = noise/float64(n), noise/float64(m)
				}
				var sample, noise float64
				for b := 1; b <= 60; b++ {
					largest := 0.0 // tail of the noise of batch b, in any pair
					for other := 1; other <= 60; other++ {
						set(length(b), length(other), 0)
						d := test.distance(of, 0, 1) // at u = d/sqrt 2
						w := variance(&of[0], &of[1])
						sample += float64(k-1) * math.Exp(-d*d/w)
						set(length(b), length(other), 1e9)
						d = test.distance(of, 0, 1)
						largest = max(largest, math.Exp(-d/math.Sqrt2/(1e9*w)))
					}
					noise += float64(k) * largest
				}
				if !(sample <= delta/2 && noise <= delta/2*(1+1e-6)) {
					t.Errorf("%.3g for the sample and %.3g for the noise, want %v at most", sample, noise, delta/2)
				}
				t.Logf("%.3g for the sample and %.3g for the noise of %.3g", sample, noise, delta/2)
			})
		}
	}
}
