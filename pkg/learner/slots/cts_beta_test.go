package slots_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// logBeta returns ln B(a, b).
func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// betaWins returns P(X > Y) of X ~ Beta(a, b) and Y ~ Beta(c, d), a a whole number: the sum over i
// < a of B(c+i, b+d)/((b+i) B(1+i, b) B(c, d)), as 1 - F_X is a sum of a binomial terms.
func betaWins(a, b, c, d float64) float64 {
	sum := 0.0
	for i := 0.0; i < a; i++ {
		sum += math.Exp(logBeta(c+i, b+d) - logBeta(1+i, b) - logBeta(c, d) - math.Log(b+i))
	}
	return sum
}

// TestBetaPosteriors: after so many successes and failures of two arms the first is played as often
// as Beta(1+s, 1+f) exceeds the other's. 40,000 draws have a standard error of 0.0025 at most;
// beyond five of them is a false alarm in 2e-6 of the seeds, over all cases 2e-5. Another prior,
// such as Beta(1.5, 1), Beta(1, 1.5) or Beta(0.5, 0.5), is off by ten and more.
func TestBetaPosteriors(t *testing.T) {
	const draws = 40_000
	m := expect.Must(matroid.NewUniform(2, 1))
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: -1, RewardMax: 3}
	for trial, c := range [][2][2]int{ // successes and failures of each arm
		{{0, 0}, {3, 0}}, {{3, 0}, {0, 0}}, {{0, 0}, {0, 3}}, {{0, 0}, {1, 1}}, {{1, 0}, {5, 1}},
		{{0, 1}, {1, 6}}, {{2, 2}, {7, 3}}, {{12, 8}, {11, 11}}, {{0, 2}, {0, 9}}, {{4, 0}, {9, 0}},
	} {
		l := slots.CTSBeta{Matroid: m}
		run := runtest.Run(t, l, p, 100, random.New(1, trial, "own"), random.Source(1, 0, "noise"))
		round := 0
		for arm, history := range c {
			for outcome, y := range []float64{p.RewardMax, p.RewardMin} {
				for range history[outcome] {
					round++
					run.Update(&bandit.View{Round: round, Arms: 2}, []int{arm}, []float64{y})
				}
			}
		}
		n := 0
		for range draws {
			round++
			n += 1 - run.Select(&bandit.View{Round: round, Arms: 2}, nil)[0]
		}
		shape := func(arm, outcome int) float64 { return 1 + float64(c[arm][outcome]) }
		want := betaWins(shape(0, 0), shape(0, 1), shape(1, 0), shape(1, 1))
		if z := (float64(n)/draws - want) / math.Sqrt(want*(1-want)/draws); !(math.Abs(z) < 5) {
			t.Errorf("successes and failures %v: the first arm is played with frequency %v, want %v: %.1f standard errors",
				c, float64(n)/draws, want, z)
		}
	}
}
