package continual

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Seldom releases running sums as seldom as [Unbounded] does, of a stream whose length is known.
//
// The noise is correlated by [BLT] between the releases of the horizon, not its rows, and all
// bounds are for so many releases. A record is in one term of the factorisation, however many rows
// a term adds up. Where Unbounded pays for a stream without an end, Seldom pays for the horizon,
// and proves the epsilon that it is asked for. What is released is older than BLT's, by a share of
// Growth at most. In units of L~^2/mu the largest standard deviations are:
//
//	rows   releases   Seldom   Unbounded     BLT
//	 1e3         30     2.15        2.36   3.270
//	 1e5         51     2.32        2.54   4.736
//	 5e7         79     2.46        2.70   6.723
//
// The trust model is central; neighbouring streams differ in one row, replaced.
type Seldom struct {
	Budget privacy.Budget // no default; delta > 0
	// Growth is the share, in (0, 1], by which the rows grow from release to release, by one row at
	// least; 0 means 1/4.
	Growth float64
	// Buffers is as in BLT; 0 means 1 + ceil(ln(releases)/3.5).
	Buffers int
}

var _ privacy.Accumulator = Seldom{}

// seldom is a Seldom for a setup.
type seldom struct {
	*factorised
	ends []int
}

// seldomRun is a run that releases after a few of its rows.
type seldomRun struct {
	factorisedRun
	ends []int // after how many rows there is a release
	made int   // releases so far
}

// seldomKernel is a BLT between releases. Columns are asked for by rows.
type seldomKernel struct {
	*bltKernel
	ends []int
}

// columnNorm returns the norm of the first column of C's block of the releases of so many rows.
func (k *seldomKernel) columnNorm(rows int) float64 {
	if i := ended(k.ends, rows); i > 0 {
		return k.bltKernel.columnNorm(i)
	}
	return 0
}

// Open validates, optimises the parameters and calibrates.
func (o Seldom) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkFactorised(s, o.Budget); err != nil {
		return nil, err
	}
	switch {
	case !(o.Growth >= 0 && o.Growth <= 1):
		return nil, fmt.Errorf("mechanism: Seldom.Growth = %v, want in (0, 1], or 0 for 1/4", o.Growth)
	case o.Buffers < 0 || o.Buffers > bltBuffers:
		return nil, fmt.Errorf("mechanism: Seldom.Buffers = %d, want in [1, %d], or 0 for 1 + ceil(ln(releases)/3.5)", o.Buffers, bltBuffers)
	}
	if o.Growth == 0 {
		o.Growth = unboundedGrowth
	}
	ends := growing(o.Growth, s.Horizon-1)
	if len(ends) > unboundedReleases {
		return nil, fmt.Errorf("mechanism: Seldom.Growth = %v over a horizon of %d rounds makes more than %d releases: let it grow by more", o.Growth, s.Horizon, unboundedReleases)
	}
	n := max(1, len(ends))
	if o.Buffers == 0 {
		o.Buffers = defaultBuffers(n)
	}
	if err := curator.Fitting(s, float64(o.Buffers)+3); err != nil {
		return nil, err
	}
	kernel, err := newBLTKernel(o.Buffers, n)
	if err != nil {
		return nil, err
	}
	f, err := newFactorised(s, o.Budget, &seldomKernel{kernel, ends}, kernel.columnNorm(n), 0,
		"buffered linear Toeplitz factorisation between releases: Dvijotham et al. 2024; McMahan, Xu, Zhang 2024")
	if err != nil {
		return nil, err
	}
	if f.like.Exact = false; !f.Noiseless() { // a release may grow by several rows
		s.Horizon = n
		operator, perturbation := symmetricUpsilon(s, f.sd*f.widest)
		f.like.Shift, f.like.Spread = 2*operator, spreadAround(operator, perturbation)
		f.like.Bounds = f.like.Spread.Bounds(f.like.Shift)
	}
	return &seldom{f, ends}, nil
}

// Start begins a run that draws its noise from n.
func (o *seldom) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(o)
	}
	return &seldomRun{factorisedRun: o.start(n), ends: o.ends}
}

// Add adds row row^T. If the rows have grown enough, it draws the noise of the next release.
func (r *seldomRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := r.take(rec)
	if row == nil {
		return false, err
	}
	packed.AddOuter(r.sum, row)
	if r.made == len(r.ends) || r.count < r.ends[r.made] {
		return false, nil
	}
	r.made++
	r.by.next(r.made, r.factorised, r.stream, r.noise)
	r.under(r.sum, r.noise)
	return true, nil
}

// Release returns the last sum that was released, with its noise.
func (r *seldomRun) Release() *privacy.Sums { return r.shown() }

// Plan returns what the releases after the given number of records reveal of one record.
func (o *seldom) Plan(records int) privacy.Plan { return o.plan(records, 0).HeldBy(o) }

// Plan returns the mechanism's plan with the draws of the run.
func (r *seldomRun) Plan(records int) privacy.Plan { return r.plan(records, r.made).HeldBy(r) }

// MaxSD is that of factorised, over the releases of the horizon.
func (o *seldom) MaxSD() float64 { return o.widest * o.by.columnNorm(releases(o.data.Horizon)) }
