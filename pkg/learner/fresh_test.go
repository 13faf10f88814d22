package learner_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// first is a learner that plays arm 0.
type first struct{}

func (first) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return first{} }), nil
}

func (first) Select(_ *bandit.View, dst []int) ([]int, error)   { return append(dst, 0), nil }
func (first) Update(_ *bandit.View, _ []int, _ []float64) error { return nil }

// TestEachActionIsRandomised: in every run the first actions are exchanged as often as later ones,
// and each by itself.
func TestEachActionIsRandomised(t *testing.T) {
	problem := bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
	ready, err := learner.RandomisedAction{Learner: first{}, Epsilon: 1}.Open(problem, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Check(func(run int) (row []float64, err error) {
		r := ready.Start(random.New(29, run, "own"), random.Source(29, run, "noise"))
		for round := range 3 {
			v := bandit.View{Round: round + 1, Arms: 3}
			arms, err := r.Select(&v, nil)
			if err == nil {
				err = r.Update(&v, arms, []float64{0})
			}
			if err != nil {
				return nil, err
			}
			row = append(row, fresh.Indicator(arms[0] != 0))
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}

// TestEachBitIsRandomised: in every run the first answers of a device lie as often as later ones,
// and each by itself.
func TestEachBitIsRandomised(t *testing.T) {
	bits := sparse.SparseBits{Budget: privacy.Budget{Epsilon: 1}, Sparsity: 1, Signal: 1}
	problem := bandit.Problem{Arms: 2, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	ready, err := sparse.SparseBitsDevice{Bits: bits}.Open(problem, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Check(func(run int) (row []float64, err error) {
		d, noise := ready.Start(), privacy.NewNoise(random.Source(31, run, "noise"))
		for range 3 {
			m, err := d.Report(nil, []float64{0.5, 0, 0}, problem.RewardMax, noise, nil)
			if err != nil {
				return nil, err
			}
			row = append(row, m[0])
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}

// arrivals is a server that keeps the first number of each message.
type arrivals []float64

func (a *arrivals) Receive(m learner.Message) error { *a = append(*a, m[0]); return nil }
func (a *arrivals) Broadcast() []float64            { return nil }

// TestEachBatchIsShuffled: in every run the first batch is in an order of its own, as the second.
func TestEachBatchIsShuffled(t *testing.T) {
	const batch = 4
	if err := fresh.Check(func(run int) ([]float64, error) {
		mixer := learner.Uniform{}.Start(batch, privacy.NewNoise(random.Source(37, run, "noise")))
		var came arrivals
		for i := range 2 * batch {
			if err := mixer.Collect(learner.Message{float64(i % batch)}, &came); err != nil {
				return nil, err
			}
		}
		return []float64{float64(slices.Index(came[:batch], 0)), float64(slices.Index(came[batch:], 0))}, nil
	}); err != nil {
		t.Error(err)
	}
}
