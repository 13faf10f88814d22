package draw

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestSuccesses compares frequencies with 9 laws (false alarm 9e-6; the seeds are fixed). It
// catches a mean that is off by 3% of a standard deviation in each of them.
func TestSuccesses(t *testing.T) {
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.25}, {7, 0.75}, {32, 0.5}, {33, 0.1}, {64, 0.75}, {1000, 0.9}, {3000, 1e-3}, {20_000, 0.28125}, {10_000_000, 0.75}} {
		rng := random.New(1, 0, fmt.Sprintf("successes of %d", c.n))
		expect.Binomial(t, c.n, c.p, func() int { return Successes(rng, c.n, c.p) })
	}
}

// TestSuccessesEdges: what is certain draws nothing, and what is not a probability panics.
func TestSuccessesEdges(t *testing.T) {
	rng, twin := random.New(1, 0, "edges"), random.New(1, 0, "edges")
	if a, b, c := Successes(rng, 0, 0.5), Successes(rng, 9, 0), Successes(rng, 9, 1); a != 0 || b != 0 || c != 9 {
		t.Errorf("certain numbers of successes: %d, %d, %d", a, b, c)
	}
	if rng.Uint64() != twin.Uint64() {
		t.Error("what is certain takes a draw")
	}
	for _, c := range []struct {
		n int
		p float64
	}{{-1, 0.5}, {5, -0.1}, {5, 1.1}, {5, math.NaN()}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Successes(%d, %v) does not panic", c.n, c.p)
				}
			}()
			Successes(rng, c.n, c.p)
		}()
	}
}

func BenchmarkSuccesses(b *testing.B) {
	rng := random.New(1, 0, "successes")
	for _, n := range []int{32, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Successes(rng, n, 0.75)
			}
		})
	}
}
