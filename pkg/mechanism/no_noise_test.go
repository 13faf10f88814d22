package mechanism

import (
	"errors"
	"testing"

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
		Tree{Noise: Gaussian{Budget: budget}}, PanPrivateTree{Noise: Gaussian{Budget: budget}}, Honaker{Budget: budget}, SquareRoot{Budget: budget}, BLT{Budget: budget},
	} {
		silent(t, s, rows, privacy.Row([]float64{0.1, 0.2, 0.3}))
	}
	for _, s := range []privacy.Tally{
		Blocks{Budget: pure}, Batches{Budget: pure, Lengths: Geometric{First: 2, Ratio: 2}}, TreeTally{Budget: pure}, HybridTally{Epsilon: 1},
		PosteriorDraws{Variance: 1, First: 2, Delta: 1e-5}, ResponseTally{Epsilon: 1},
	} {
		silent(t, s, weights, &privacy.Record{Arms: []int{0, 1}, Y: []float64{0.5, 1}})
	}
	for _, s := range []privacy.Statistic[Total]{VectorTree{Budget: pure}, VectorSquareRoot{Budget: budget}, VectorBLT{Budget: budget}} {
		silent(t, s, rows, &privacy.Record{X: []float64{0.1, 0.2, 0.3}})
	}
	silent[Stopped](t, Stopping{Epsilon: 1, Alpha: 0.2, Beta: 0.1}, rows, &privacy.Record{Y: []float64{0.5}})
	silent[Support](t, TopScores{Budget: budget, Picks: 1, Scores: Correlations{X: 1, Y: 2}, Lengths: Growing{Least: 4}}, rows, privacy.Row([]float64{0.1, 0.2, 0.3}))
	silent[Answer](t, Additive{Budget: budget, Query: largestOf{}}, weights, &privacy.Record{Arms: []int{0, 1}, Y: []float64{0.5, 1}})

	wantsNoise := func(name string, err error) {
		t.Helper()
		if !errors.Is(err, errNoNoise) {
			t.Errorf("%s: error %v, want %v", name, err, errNoNoise)
		}
	}
	out := make([]float64, 3)
	one := privacy.Neighbours{Relation: privacy.Replace, Record: "record", Contributions: 1}
	laplace, err1 := Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1, Neighbours: one}.Open()
	gaussian, err2 := VectorGaussian{Budget: budget, Dim: 3, Bound: 1, Neighbours: one}.Open()
	choices, err3 := TopK{Budget: budget, K: 2, Candidates: 3, Sensitivity: 1, Neighbours: one}.Open()
	queries, err4 := SparseVector{Epsilon: 1, Accepted: 2, Sensitivity: 1, Neighbours: one}.Open()
	answers, err5 := RandomisedResponse{Epsilon: 1, Choices: 3, Neighbours: one}.Open()
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
			if moved, err := run.Add(record); moved || !errors.Is(err, errNoNoise) {
				t.Errorf("%T without noise: moved %v, error %v, want %v", of, moved, err, errNoNoise)
			}
		}
		if run.Release() == nil || run.Clipped() != 0 || !privacy.PlanOf(run, 1).Held() {
			t.Errorf("%T without noise releases %v, clips %d, and its plan is held: %v", of, run.Release(), run.Clipped(), privacy.PlanOf(run, 1).Held())
		}
	}
}
