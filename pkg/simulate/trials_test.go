package simulate_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestTrials(t *testing.T) {
	double := func(i int) (float64, error) { return 2 * float64(i), nil }
	got, err := simulate.Trials(t.Context(), 5, double)
	if err != nil || !slices.Equal(got, []float64{0, 2, 4, 6, 8}) {
		t.Fatalf("%v, %v, want 0, 2, 4, 6, 8", got, err)
	}
	if got.Mean() != 4 || math.Abs(got.SE()-math.Sqrt(2)) > 1e-12 { // variance 10 of 5
		t.Errorf("mean %v, standard error %v, want 4 and sqrt 2", got.Mean(), got.SE())
	}
	if one, err := simulate.Trials(t.Context(), 1, double); err != nil || one.Mean() != 0 || !math.IsNaN(one.SE()) {
		t.Errorf("one trial: %v, standard error %v, %v", one, one.SE(), err)
	}
	if _, err := simulate.Trials(t.Context(), 0, double); err == nil {
		t.Error("no trials are played")
	}
}

// An error ends the trials and says which one it is; a cancelled context does, too.
func TestTrialsEnd(t *testing.T) {
	broken := errors.New("broken")
	_, err := simulate.Trials(t.Context(), 1000, func(i int) (float64, error) {
		if i == 3 {
			return 0, broken
		}
		return 0, nil
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "trial 3") {
		t.Errorf("%v, want the error of trial 3", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := simulate.Trials(ctx, 1000, func(i int) (float64, error) {
		cancel()
		return 0, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}
