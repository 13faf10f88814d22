package mechanism_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func noiseOf(run int) *privacy.Noise { return privacy.NewNoise(random.Source(23, run, "noise")) }

// TestEachVectorIsNoised: in every run the first release and the second, and each of their numbers,
// have as much noise as any other, and noise of their own.
func TestEachVectorIsNoised(t *testing.T) {
	for _, of := range []interface {
		Open() (mechanism.Calibrated[mechanism.Vectors], error)
	}{
		mechanism.Laplace{Epsilon: 1, Dim: 3, Lo: -1, Hi: 1},
		mechanism.VectorGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Dim: 3, Bound: 1},
	} {
		opened, err := of.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.Check(func(run int) ([]float64, error) {
			m, row := opened.Start(noiseOf(run)), make([]float64, 6)
			value := []float64{0, 0.5, -0.5}
			if err := m.Release(row[:3], value); err != nil {
				return nil, err
			}
			return row, m.Release(row[3:], value)
		}); err != nil {
			t.Errorf("%T: %v", of, err)
		}
	}
}

// TestEachAnswerIsRandomised: in every run the first answers lie as often as the later ones, and
// each by itself.
func TestEachAnswerIsRandomised(t *testing.T) {
	opened, err := mechanism.RandomisedResponse{Epsilon: 1, Choices: 3}.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Check(func(run int) (row []float64, err error) {
		m := opened.Start(noiseOf(run))
		for range 3 {
			answer, err := m.Respond(1)
			if err != nil {
				return nil, err
			}
			row = append(row, fresh.Indicator(answer != 1))
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}

// TestEachPosteriorDrawIsNoised: in every run the draws of all arms after the first record and
// after the second are random, and each by itself.
func TestEachPosteriorDrawIsNoised(t *testing.T) {
	setup := privacy.Setup{Arms: 3, Slots: 3, Horizon: 4, Lo: -1, Hi: 1}
	opened, err := tally.PosteriorDraws{Variance: 1, First: 1, Delta: 1e-5}.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Check(func(run int) (row []float64, err error) {
		m := opened.Start(noiseOf(run))
		for n := range 2 {
			if _, err := m.Add(&privacy.Record{Arms: []int{0, 1, 2}, Y: []float64{0, 0.5, -0.5}}); err != nil {
				return nil, err
			}
			for _, of := range m.Release().Of { // a draw's variance falls like 1/(n+1)
				row = append(row, of.Mean*math.Sqrt(float64(n+2)))
			}
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}

// TestEachLimitedDrawIsNoised: in every run the draws of all arms after the first record and after
// the second, of the same means, are random, and each by itself.
func TestEachLimitedDrawIsNoised(t *testing.T) {
	setup := privacy.Setup{Arms: 3, Slots: 3, Horizon: 4, Lo: -1, Hi: 1}
	opened, err := tally.LimitedDraws{Budget: privacy.Budget{Epsilon: math.Inf(1), Delta: 1e-5}, Draws: 2}.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.Check(func(run int) (row []float64, err error) {
		m := opened.Start(noiseOf(run))
		for range 2 {
			if _, err := m.Add(&privacy.Record{Arms: []int{0, 1, 2}, Y: []float64{0, 0.5, -0.5}}); err != nil {
				return nil, err
			}
			for _, of := range m.Release().Of {
				row = append(row, of.Mean)
			}
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}

// TestEachBitIsRandomised: in every run the bits of the first records are as random as epsilon
// says, and each by itself.
func TestEachBitIsRandomised(t *testing.T) {
	opened, err := tally.Response{Epsilon: 1}.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 3, Hi: 1})
	if err != nil {
		t.Fatal(err)
	}
	truth := math.E / (1 + math.E)
	if err := fresh.Varies(truth*(1-truth), func(run int) (row []float64, err error) {
		m, before := opened.Start(noiseOf(run)), 0.0
		for n := range 3 {
			if _, err := m.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}); err != nil {
				return nil, err
			}
			ones := m.Release().Of[0].Mean * float64(n+1)
			row, before = append(row, ones-before), ones
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}
