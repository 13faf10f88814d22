package environment

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestLogistic(t *testing.T) {
	for name, e := range map[string]Logistic{"paper": {}, "d=1": {Dim: 1, Arms: 3, Norm: 1}, "d=8": {Dim: 8, Norm: 5}} {
		t.Run(name, func(t *testing.T) {
			bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1})
		})
	}
	for _, c := range []struct {
		e    Logistic
		want string
	}{
		{Logistic{Arms: -1}, "Arms = -1"}, {Logistic{Dim: -1}, "Dim = -1"}, {Logistic{Dim: 1 << 50}, "Logistic of"},
		{Logistic{Norm: -1}, "Norm = -1"}, {Logistic{Norm: math.NaN()}, "Norm = NaN"}, {Logistic{Norm: 101}, "Norm = 101"},
	} {
		if err := refusal(c.e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestLogisticLaw: |theta| is Norm, the means are those of the model, and a context's length to the
// power d and its height along theta have the moments of the uniform law in the ball: 1/2, 1/12
// about that, and E <x, e>^2 = 1/(d+2). Each moment is within five standard errors, which chance
// breaks for one of a million seeds; the seed is fixed.
func TestLogisticLaw(t *testing.T) {
	for _, d := range []int{1, 3, 6} {
		e := Logistic{Arms: 50, Dim: d, Norm: 2}
		trial := runtest.Open(t, e).Start(random.New(1, d, "contexts")).(*logistic)
		theta := Theta(trial)
		if got := math.Sqrt(inner(theta, theta)); math.Abs(got-2) > 1e-12 {
			t.Fatalf("|theta| = %v, want 2", got)
		}
		var v bandit.View
		var sums, squares [3]float64
		const rounds = 2000
		for range rounds {
			trial.Next(&v)
			for a := range v.Arms {
				x := v.Row(a)
				z := inner(x, theta)
				if want := 1 / (1 + math.Exp(-z)); math.Abs(trial.mean[a]-want) > 1e-14 {
					t.Fatalf("mean %v at %v, want %v", trial.mean[a], z, want)
				}
				u := math.Pow(inner(x, x), float64(d)/2)
				for i, m := range [3]float64{u, (u - 0.5) * (u - 0.5), z * z / 4} {
					sums[i] += m
					squares[i] += m * m
				}
			}
		}
		n := float64(rounds * 50)
		for i, want := range [3]float64{0.5, 1. / 12, 1 / float64(d+2)} {
			mean := sums[i] / n
			se := math.Sqrt((squares[i]/n - mean*mean) / n)
			if math.Abs(mean-want) > 5*se {
				t.Errorf("d = %d, moment %d: %v, want %v up to %v", d, i, mean, want, 5*se)
			}
		}
	}
}
