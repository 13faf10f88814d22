package ellipsoid

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/screen"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// Check reports a problem that a linear learner cannot handle.
func Check(who string, p bandit.Problem, horizon int) error {
	if err := checks.Contexts(who, p, horizon); err != nil {
		return err
	}
	what := fmt.Sprintf("learner: %s: Problem.Dim = %d, Arms = %d", who, p.Dim, p.Arms)
	return size.Check(what, Kept(p))
}

// Kept bounds the numbers of 8 bytes that a linear learner keeps.
func Kept(p bandit.Problem) float64 {
	const matrices, numbers = 8, 9 // of order Dim, and for each arm
	count := float64(matrices*size.Triangle(p.Dim+1)) + float64(numbers*float64(p.Arms))
	columns := float64(p.Dim + 1) // a context and its bound, in single precision
	if p.Dim <= screen.MaxDim {
		columns = size.Triangle(p.Dim + 1) // or its products
	}
	count += float64(float64(p.Arms) * columns / 2)
	return count
}
