package mechanism_test

import (
	"errors"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestWithoutNoise: a run that was handed no noise says so, whatever it is given, and shows what
// there is before the first record.
func TestWithoutNoise(t *testing.T) {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	pure := privacy.Budget{Epsilon: 1}
	rows := privacy.Setup{Dim: 3, Horizon: 16, Bound: 2, Context: 1, Alpha: 0.1}
	weights := privacy.Setup{Arms: 4, Slots: 2, Horizon: 16, Lo: 0, Hi: 1}
	for _, s := range []privacy.Accumulator{
		continual.Tree{Noise: continual.Gaussian{Budget: budget}}, continual.PanPrivateTree{Noise: continual.Gaussian{Budget: budget}}, continual.Honaker{Budget: budget}, continual.SquareRoot{Budget: budget}, continual.BLT{Budget: budget}, continual.Unbounded{Budget: budget},
	} {
		silent(t, s, rows, privacy.Row([]float64{0.1, 0.2, 0.3}))
	}
	for _, s := range []privacy.Tally{
		tally.Blocks{Budget: pure}, tally.Batches{Budget: pure, Lengths: tally.Geometric{First: 2, Ratio: 2}}, tally.Tree{Budget: pure}, tally.Hybrid{Epsilon: 1},
		tally.PosteriorDraws{Variance: 1, First: 2, Delta: 1e-5}, tally.LimitedDraws{Budget: budget, Alpha: 1}, tally.Response{Epsilon: 1},
	} {
		silent(t, s, weights, &privacy.Record{Arms: []int{0, 1}, Y: []float64{0.5, 1}})
	}
	for _, s := range []privacy.Statistic[continual.Total]{continual.VectorTree{Budget: pure}, continual.VectorSquareRoot{Budget: budget}, continual.VectorBLT{Budget: budget}} {
		silent(t, s, rows, &privacy.Record{X: []float64{0.1, 0.2, 0.3}})
	}
	silent[continual.Batch](t, continual.VectorBatches{Budget: budget}, rows, &privacy.Record{X: []float64{0.1, 0.2, 0.3}})
	silent[mechanism.Stopped](t, mechanism.Stopping{Epsilon: 1, Alpha: 0.2, Beta: 0.1}, rows, &privacy.Record{Y: []float64{0.5}})
	silent[episodes.Support](t, episodes.TopScores{Budget: budget, Picks: 1, Scores: episodes.Correlations{X: 1, Y: 2}, Lengths: episodes.Growing{Least: 4}}, rows, privacy.Row([]float64{0.1, 0.2, 0.3}))
	silent[tally.Answer](t, tally.Additive{Budget: budget, Query: nothing{}}, weights, &privacy.Record{Arms: []int{0, 1}, Y: []float64{0.5, 1}})

	wantsNoise := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, curator.ErrNoNoise) {
			t.Errorf("%s: error %v, want %v", name, err, curator.ErrNoNoise)
		}
	}
	out := make([]float64, 3)
	one := privacy.Neighbours{Relation: privacy.Replace, Record: "record", Contributions: 1}
	laplace, err1 := mechanism.Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1, Neighbours: one}.Open()
	gaussian, err2 := mechanism.VectorGaussian{Budget: budget, Dim: 3, Bound: 1, Neighbours: one}.Open()
	choices, err3 := mechanism.TopK{Budget: budget, K: 2, Candidates: 3, Sensitivity: 1, Neighbours: one}.Open()
	queries, err4 := mechanism.SparseVector{Epsilon: 1, Accepted: 2, Sensitivity: 1, Neighbours: one}.Open()
	answers, err5 := mechanism.RandomisedResponse{Epsilon: 1, Choices: 3, Neighbours: one}.Open()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	wantsNoise("Laplace", laplace.Start(nil).Release(out, out))
	wantsNoise("Gaussian", gaussian.Start(nil).Release(out, out))
	_, err := choices.Start(nil).Choose(out, nil)
	wantsNoise("top k", err)
	_, err = queries.Start(nil).Above(1, 0)
	wantsNoise("sparse vector", err)
	_, err = answers.Start(nil).Respond(1)
	wantsNoise("response", err)
}

func silent[R any](t *testing.T, of privacy.Statistic[R], s privacy.Setup, record *privacy.Record) {
	t.Helper()
	m, err := of.Open(s)
	if err != nil {
		t.Fatalf("%T: %v", of, err)
	}
	for _, n := range []*privacy.Noise{nil, privacy.NewNoise(nil), privacy.NewNoise(privacy.NewLedger(nil))} {
		run := m.Start(n)
		for range 3 {
			if moved, err := run.Add(record); moved || !errors.Is(err, curator.ErrNoNoise) {
				t.Errorf("%T without noise: moved %v, error %v, want %v", of, moved, err, curator.ErrNoNoise)
			}
		}
		if run.Release() == nil || run.Clipped() != 0 || !privacy.PlanOf(run, 1).Held() {
			t.Errorf("%T without noise releases %v, clips %d, and its plan is held: %v", of, run.Release(), run.Clipped(), privacy.PlanOf(run, 1).Held())
		}
	}
}

// nothing is a query whose answer is always 0.
type nothing struct{}

func (nothing) Dim(privacy.Setup) int { return 1 }
func (nothing) Sensitivity(privacy.Setup, int) privacy.Norms {
	return privacy.Norms{L1: 1}
}
func (nothing) Answer(_ privacy.Setup, _ []privacy.Record, dst []float64) ([]float64, error) {
	return append(dst, 0), nil
}
