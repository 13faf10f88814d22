package sparse

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// coordinates is what rules share that play by an estimate of theta of which few coordinates are
// not 0. The broadcast lists these, each as its index and its value.
type coordinates struct {
	problem   bandit.Problem
	broadcast []float64
}

// checkCoordinates reports a problem that such a policy cannot handle.
func checkCoordinates(who string, p bandit.Problem, horizon int) error {
	if err := checks.Contexts(who, p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	return size.Check(what, float64(p.Dim)+float64(p.Arms))
}

// checkDim refuses a release of another dimension than the problem's.
func (c *coordinates) checkDim(dim int) error {
	if dim != c.problem.Dim {
		return fmt.Errorf("a release of dimension %d, want %d", dim, c.problem.Dim)
	}
	return nil
}

// tell returns the broadcast of an estimate by place in a support.
func (c *coordinates) tell(support []int, theta []float64) ([]float64, error) {
	c.broadcast = c.broadcast[:0]
	for i, v := range theta {
		if v-v != 0 {
			return nil, fmt.Errorf("an estimate of %v for coordinate %d, want finite", v, support[i])
		}
		if v != 0 {
			c.broadcast = append(c.broadcast, float64(support[i]), v)
		}
	}
	return c.broadcast, nil
}

// Act appends the arm with the largest estimate, the first if there are several: arm 0 if the
// broadcast is empty.
func (c *coordinates) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	arm, err := bestArm(broadcast, v)
	if err != nil {
		return dst, err
	}
	return append(dst, arm), nil
}

// bestArm returns the arm with the largest <x, theta>, the first if there are several.
func bestArm(broadcast []float64, v *bandit.View) (arm int, err error) {
	if !packed.Finite(v.X) {
		return 0, fmt.Errorf("contexts that are not finite, want finite numbers")
	}
	if len(broadcast)%2 != 0 || len(broadcast) > 2*v.Dim {
		return 0, fmt.Errorf("a broadcast of %d numbers, want pairs of %d coordinates at most", len(broadcast), v.Dim)
	}
	for i := 0; i < len(broadcast); i += 2 {
		if j := broadcast[i]; !(j >= 0 && j < float64(v.Dim) && j == math.Trunc(j)) || broadcast[i+1]-broadcast[i+1] != 0 {
			return 0, fmt.Errorf("a broadcast of %v for coordinate %v, want finite numbers for coordinates in [0, %d)", broadcast[i+1], j, v.Dim)
		}
	}
	best := math.Inf(-1)
	for a := range v.Arms {
		mean := told(broadcast, v.Row(a))
		if math.IsNaN(mean) { // of products that overflow
			mean = math.Inf(-1)
		}
		if mean > best {
			arm, best = a, mean
		}
	}
	return arm, nil
}

// told returns <x, theta> of a broadcast that bestArm has checked.
func told(broadcast, x []float64) (mean float64) {
	for i := 0; i < len(broadcast); i += 2 {
		mean += float64(broadcast[i+1] * x[int(broadcast[i])])
	}
	return mean
}

// Explain appends the estimates <x, theta>, which are the indices.
func (c *coordinates) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if _, err := bestArm(broadcast, v); err != nil {
		return dst, err
	}
	for a := range v.Arms {
		dst = append(dst, checks.Guess(told(broadcast, v.Row(a))))
	}
	return dst, nil
}
