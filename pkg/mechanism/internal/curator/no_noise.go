package curator

import (
	"errors"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

var ErrNoNoise = errors.New("mechanism: the run was started without noise, want a privacy.Noise")

// noNoise is a run of a mechanism that was handed no noise: it takes in no record, and shows what
// there is without any.
type noNoise[R any] struct {
	of    privacy.Mechanism[R]
	first *R
}

func WithoutNoise[R any](of privacy.Mechanism[R]) privacy.Stream[R] {
	return &noNoise[R]{of, privacy.First(of)}
}

func (r *noNoise[R]) Add(*privacy.Record) (moved bool, err error) { return false, ErrNoNoise }
func (r *noNoise[R]) Release() *R                                 { return r.first }
func (r *noNoise[R]) Clipped() int                                { return 0 }
func (r *noNoise[R]) Plan(records int) privacy.Plan {
	return privacy.PlanOf(r.of, records).HeldBy(r)
}
