package arms

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
)

// TestBestArmBound compares the bound with what is known of it. T* is the bound over kl(delta,
// 1-delta).
func TestBestArmBound(t *testing.T) {
	const delta = 0.01
	time := func(epsilon float64, means ...float64) float64 {
		return BestArmBound(epsilon, means, delta) / ((1 - 2*delta) * math.Log((1-delta)/delta))
	}
	inf := math.Inf(1)
	// two arms without privacy: 1/kl(m, z) for the z with kl(m, z) = kl(m', z) (Garivier and
	// Kaufmann 2016)
	low, high := 0.5, 0.9
	for high-low > 1e-13 {
		if z := (low + high) / 2; bernoulli.KL(0.5, z) < bernoulli.KL(0.9, z) {
			low = z
		} else {
			high = z
		}
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"two arms", time(inf, 0.5, 0.9), 1 / bernoulli.KL(0.5, low)},
		{"best last", time(0.3, 0.2, 0.5, 0.9), time(0.3, 0.9, 0.5, 0.2)},
		{"0 and 1 exchanged", time(0.3, 0.1, 0.5), time(0.3, 0.9, 0.5)},
		// d_epsilon is epsilon |x-y| for a small epsilon: (1/least gap + sum 1/gap)/epsilon (Azize,
		// Jourdan, Al Marjani, Basu 2023, their total variation time)
		{"small epsilon", 1e-6 * time(1e-6, 0.9, 0.7, 0.5), 1/0.2 + 1/0.2 + 1/0.4},
		{"large epsilon", time(50, 0.9, 0.7, 0.5), time(inf, 0.9, 0.7, 0.5)},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-5*c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	// three arms: no shares of a grid are better, and some come near
	for _, epsilon := range []float64{0.1, 0.8, inf} {
		means, best := []float64{0.7, 0.6, 0.4}, 0.0
		for i := 1; i < 60; i++ {
			for j := 1; i+j < 60; j++ {
				w, least := []float64{float64(i) / 60, float64(j) / 60, 1 - float64(i+j)/60}, inf
				for a := 1; a < 3; a++ {
					for k := range 201 {
						u := means[a] + (means[0]-means[a])*float64(k)/200
						least = min(least, w[0]*bernoulli.DEps(epsilon, means[0], u)+w[a]*bernoulli.DEps(epsilon, means[a], u))
					}
				}
				best = max(best, least)
			}
		}
		if got := 1 / time(epsilon, means...); !(got > best*(1-1e-3) && got < best*1.02) {
			t.Errorf("epsilon %v: 1/T* = %v, and %v on a grid", epsilon, got, best)
		}
	}
	if got := time(inf, 1, 0); !(got > 0 && got < 10) {
		t.Errorf("means 1 and 0: T* = %v, want a few rounds", got)
	}
	if got := time(1, 0.5, 0.5, 0.2); !math.IsInf(got, 1) {
		t.Errorf("two best arms: %v, want +Inf", got)
	}
	for _, got := range []float64{
		BestArmBound(0, []float64{0.5, 0.6}, delta), BestArmBound(1, []float64{0.5}, delta), BestArmBound(1, []float64{0.5, 1.1}, delta),
		BestArmBound(1, []float64{0.5, math.NaN()}, delta), BestArmBound(1, []float64{0.5, 0.6}, 0), BestArmBound(1, []float64{0.5, 0.6}, 0.5),
	} {
		if !math.IsNaN(got) {
			t.Errorf("a bound of %v for bad arguments, want NaN", got)
		}
	}
}
