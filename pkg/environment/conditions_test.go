package environment_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
)

// Independent contexts have the margin constant 1/sqrt(pi), a little less at 0.2, and eigenvalues
// near 1. The margin is a share of 5,000 rounds with standard error 0.022 over 0.2, so that a sound
// one is 0.1 off for 1 seed in 100,000.
func TestMeasure(t *testing.T) {
	c, err := environment.Measure(environment.Sparse{Dim: 5, Leading: true}, 12, 5000, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Margin-0.56) > 0.1 || math.Abs(c.All-1) > 0.2 || !(c.Best > 0.3) || !(c.Entry > 3 && c.Norm > c.Entry) {
		t.Errorf("%+v", c)
	}
	if c, err = environment.Measure(environment.SphereArms{Arms: 3, Dim: 2}, 1, 10, 0.2); err != nil || math.Abs(c.Norm-1) > 1e-12 {
		t.Errorf("%+v, %v, want arms of length 1", c, err)
	}
}

func TestMeasureRefuses(t *testing.T) {
	env := environment.Sparse{Arms: 2, Dim: 3}
	for _, bad := range []struct {
		env    bandit.Environment
		rounds int
		gap    float64
	}{{env, 0, 1}, {env, 5, 0}, {env, 5, math.NaN()}, {environment.Sparse{Arms: 1, Dim: 3}, 5, 1}, {nil, 5, 1}, {environment.TwoContexts{Dim: 2}, 5, 1}} {
		if c, err := environment.Measure(bad.env, 1, bad.rounds, bad.gap); err == nil {
			t.Errorf("%d rounds, gap %v: %+v and no error", bad.rounds, bad.gap, c)
		}
	}
}

func ExampleMeasure() {
	env := environment.Sparse{Arms: 4, Dim: 9, Design: environment.Spherical}
	c, err := environment.Measure(env, 1, 200, 0.2)
	fmt.Printf("the longest context has length %.4g, no direction is hidden: %t, %v\n", c.Norm, c.Best > 0, err)
	// Output: the longest context has length 3, no direction is hidden: true, <nil>
}
