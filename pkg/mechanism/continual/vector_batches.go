package continual

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Batch is the release of the sum of a batch of vectors, with noise.
type Batch struct {
	Of      []float64 // the sum with its noise; zeros before the first batch has ended
	Number  int       // batches that have ended
	Records int       // vectors in the last of them
	Next    int       // vectors in the batch after it; 0 if that does not end within the horizon
	Most    int       // batches that end within the horizon
	SD      float64   // standard deviation of the noise on each number of Of
}

// VectorBatches releases the sum of each batch of vectors under Gaussian noise, when the batch
// ends. A vector is in one batch, so that the noise does not grow with the number of batches.
//
// The lengths of the batches double, and depend on no data. A batch that the horizon cuts short
// releases nothing.
//
// Replacing a vector of norm at most B = Setup.Bound moves one sum by at most 2B. The noise of each
// number is 2 B/mu*(epsilon, delta), calibrated exactly. Batches compose in parallel, and vectors
// may depend on earlier releases. The trust model is central; neighbouring streams differ in one
// vector, replaced by any other. The noise is for research: floating-point noise leaks through its
// low bits (Mironov 2012).
type VectorBatches struct {
	Budget privacy.Budget // no default; delta > 0, or epsilon = +Inf for no noise
	First  int            // vectors in the first batch; 0 means Setup.Dim
	Equal  int            // batches of a length, before it doubles; 0 means 1
}

var _ privacy.Statistic[Batch] = VectorBatches{}

// vectorBatches are VectorBatches for a setup.
type vectorBatches struct {
	curator.Planned
	data         privacy.Setup
	first, equal int
	most         int // batches
	sd           float64
}

// vectorBatchesRun is a run of VectorBatches.
type vectorBatchesRun struct {
	*vectorBatches
	vectors
	source *privacy.Noise
	left   int // vectors until the open batch ends; 0: there is none
	batch  Batch
}

// Open validates and calibrates.
func (of VectorBatches) Open(s privacy.Setup) (privacy.Mechanism[Batch], error) {
	if err := checkVectors(s, 1); err != nil {
		return nil, err
	}
	b := &vectorBatches{data: s, first: of.First, equal: of.Equal}
	if b.first == 0 {
		b.first = s.Dim
	}
	if b.equal == 0 {
		b.equal = 1
	}
	if b.first < 1 || b.equal < 1 {
		return nil, fmt.Errorf("mechanism: VectorBatches.First = %d, Equal = %d, want >= 1, or 0 for the defaults", of.First, of.Equal)
	}
	mu, err := of.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	if b.sd = 2 * s.Bound / mu; of.Budget.None() {
		b.sd = 0
	}
	if err := curator.Positive("a batch's noise", b.sd, of.Budget, s); err != nil {
		return nil, err
	}
	for left := s.Horizon; left > 0; b.most++ {
		n := b.length(b.most)
		if n > left {
			break
		}
		left -= n
	}
	b.Planned = curator.Reveals(privacy.Release{Law: privacy.GaussianLaw(s.Dim, b.sd), Sensitivity: privacy.Norms{L2: 2 * s.Bound}},
		privacy.ReplaceRound, of.Budget, "one noisy sum for a batch: parallel composition; mu-GDP (Dong, Roth, Su 2022)", clippedVectors)
	return b, nil
}

// length returns the number of vectors in batch i, or more than the horizon has.
func (b *vectorBatches) length(i int) int {
	n := b.first
	for range i / b.equal {
		if n > b.data.Horizon {
			break
		}
		n *= 2
	}
	return n
}

// ends returns the number of vectors in batch i, or 0 if it does not end within the horizon.
func (b *vectorBatches) ends(i int) int {
	if i >= b.most {
		return 0
	}
	return b.length(i)
}

// Start begins a run that draws its noise from n.
func (b *vectorBatches) Start(n *privacy.Noise) privacy.Stream[Batch] {
	if n == nil {
		return curator.WithoutNoise(b)
	}
	r := &vectorBatchesRun{vectorBatches: b, vectors: newVectors(b.data), source: n, left: b.ends(0)}
	r.noise = make([]float64, b.data.Dim)
	r.batch = Batch{Of: r.total.Of, Next: r.left, Most: b.most, SD: b.sd}
	return r
}

// Add adds a vector. moved reports that a batch has ended and was released.
func (r *vectorBatchesRun) Add(rec *privacy.Record) (moved bool, err error) {
	if r.count >= r.data.Horizon {
		return false, fmt.Errorf("mechanism: a vector beyond the horizon of %d rounds, want none", r.data.Horizon)
	}
	if err := r.admit(rec); err != nil || r.left == 0 {
		return false, err
	}
	r.take()
	if r.left--; r.left > 0 {
		return false, nil
	}
	r.source.Gaussian(r.noise, r.sd)
	for i, z := range r.noise {
		r.batch.Of[i] = r.sum[i] + z
	}
	clear(r.sum)
	r.batch.Records = r.batch.Next
	r.batch.Number++
	r.left = r.ends(r.batch.Number)
	r.batch.Next = r.left
	return true, nil
}

// Release returns the sum of the last batch, under noise.
func (r *vectorBatchesRun) Release() *Batch { return &r.batch }

// SD returns the standard deviation of the noise on each number of a sum.
func (b *vectorBatches) SD() float64 { return b.sd }

// Plan returns what the batches of up to the given number of vectors reveal of one: a sum, if the
// first has ended.
func (b *vectorBatches) Plan(records int) privacy.Plan { return b.plan(records, 0).HeldBy(b) }

// Plan returns the mechanism's plan with the draws of the run.
func (r *vectorBatchesRun) Plan(records int) privacy.Plan {
	return r.plan(records, r.batch.Number).HeldBy(r)
}

func (b *vectorBatches) plan(records, draws int) privacy.Plan {
	if n := b.ends(0); n == 0 || records < n {
		return b.Shown(0, draws)
	}
	return b.Shown(1, draws)
}
