package continual

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Total is the release of the running sum of vectors, with noise.
type Total struct{ Of []float64 }

// clippedVectors is the condition of every claim about a running sum of vectors.
const clippedVectors = "vectors clipped to the bound inside the mechanism"

// vectors is the part that all runs of sums of vectors share: it admits vectors and adds them up.
//
// A record is a vector X of Setup.Dim >= 1 numbers, without rewards. Setup.Bound bounds its
// Euclidean norm. The prefixes of 1, ..., n-1 vectors are released, n the horizon, as no round
// follows the last vector.
type vectors struct {
	setup   privacy.Setup
	count   int // vectors admitted
	clipped int
	buf     []float64 // a vector, clipped
	sum     []float64
	noise   []float64 // the current release's, or nil
	total   Total
}

// checkVectors validates a setup and checks that so many vectors fit into memory besides a run's.
func checkVectors(s privacy.Setup, besides float64) error {
	switch {
	case s.Dim < 1:
		return fmt.Errorf("mechanism: Setup.Dim = %d, want >= 1", s.Dim)
	case s.Horizon < 1:
		return fmt.Errorf("mechanism: Setup.Horizon = %d, want >= 1", s.Horizon)
	case !(s.Bound >= size.LeastBound && s.Bound <= size.MostBound):
		return fmt.Errorf("mechanism: Setup.Bound = %v, want finite and > 0, in [%v, %v]", s.Bound, size.LeastBound, size.MostBound)
	}
	what := fmt.Sprintf("mechanism: sums of vectors over Setup.Dim = %d, Horizon = %d", s.Dim, s.Horizon)
	return size.Check(what, float64((besides+4)*float64(s.Dim)))
}

func newVectors(s privacy.Setup) vectors {
	return vectors{setup: s, buf: make([]float64, s.Dim), sum: make([]float64, s.Dim), total: Total{make([]float64, s.Dim)}}
}

// add checks a record, counts it, and adds its vector, clipped to the bound. It reports whether the
// sum has moved: the horizon's last vector is dropped, as no noise is paid for it.
func (v *vectors) add(rec *privacy.Record) (moved bool, err error) {
	if n := v.setup.Horizon; n > 0 && v.count >= n {
		return false, fmt.Errorf("mechanism: a vector beyond the horizon of %d rounds, want none: its release would cost privacy that was not accounted", n)
	}
	if err := v.admit(rec); err != nil || v.count == v.setup.Horizon {
		return false, err
	}
	v.take()
	return true, nil
}

// admit checks a record, counts it, and leaves its vector, clipped to the bound, in buf.
func (v *vectors) admit(rec *privacy.Record) error {
	x := rec.X
	switch {
	case len(x) != v.setup.Dim || len(rec.Y) != 0:
		return fmt.Errorf("mechanism: a vector of length %d, with %d rewards, want %d, with none", len(x), len(rec.Y), v.setup.Dim)
	case !packed.Finite(x):
		return fmt.Errorf("mechanism: a vector %v, want finite numbers", slices.Clone(x))
	}
	var square float64
	for _, w := range x {
		square += float64(w * w)
	}
	copy(v.buf, x)
	if !(square <= math.MaxFloat64) || packed.Beyond(square, v.setup.Bound) {
		v.clipped++
		packed.Shorten(v.buf, v.setup.Bound)
	}
	v.count++
	return nil
}

// take adds the vector in buf.
func (v *vectors) take() {
	for i, w := range v.buf {
		v.sum[i] += w
	}
}

// Release returns the sum of the vectors added so far, under noise.
func (v *vectors) Release() *Total {
	copy(v.total.Of, v.sum)
	for i, z := range v.noise {
		v.total.Of[i] += z
	}
	return &v.total
}

// Clipped returns how many vectors were scaled down to the bound.
func (v *vectors) Clipped() int { return v.clipped }

// released returns the number of vectors that a release may reveal: all but the horizon's last.
func (v *vectors) released() int { return max(0, min(v.count, v.setup.Horizon-1)) }

// VectorExact releases the running sum of vectors itself, without noise or privacy. It ignores the
// horizon: vectors beyond it are taken.
type VectorExact struct{}

var _ privacy.Statistic[Total] = VectorExact{}

// vectorExact is VectorExact for a setup.
type vectorExact struct{ data privacy.Setup }

// vectorExactRun is a run of VectorExact.
type vectorExactRun struct {
	*vectorExact
	vectors
}

// Open validates the setup.
func (VectorExact) Open(s privacy.Setup) (privacy.Mechanism[Total], error) {
	if err := checkVectors(s, 0); err != nil {
		return nil, err
	}
	return &vectorExact{s}, nil
}

// Start begins a run. It takes no noise.
func (e *vectorExact) Start(*privacy.Noise) privacy.Stream[Total] {
	return &vectorExactRun{e, newVectors(e.data)}
}

// Add adds a vector.
func (e *vectorExactRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := e.admit(rec); err != nil {
		return false, err
	}
	e.take()
	return true, nil
}

// Plan returns no plan, with the reason: VectorExact claims no privacy.
func (e *vectorExact) Plan(int) privacy.Plan {
	return privacy.NoPlan("the sums are released as they are")
}
