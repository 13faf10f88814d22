package fresh_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
)

// TestCheck: noise that is left out, of another size, or used twice is found out.
func TestCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := func(spoil func(row []float64)) (all [][]float64) {
		for range 4000 {
			row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			spoil(row)
			all = append(all, row)
		}
		return all
	}
	if err := fresh.Check(rows(func([]float64) {})); err != nil {
		t.Error(err)
	}
	for what, c := range map[string]struct {
		spoil func(row []float64)
		want  string
	}{
		"none":  {func(row []float64) { row[1] = 5 }, "number 1 of a run has the variance"},
		"half":  {func(row []float64) { row[2] /= 2 }, "number 2 of a run"},
		"twice": {func(row []float64) { row[2] = row[0] + 7 }, "numbers 0 and 2 of a run have the correlation 1.00"},
	} {
		if err := fresh.Check(rows(c.spoil)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", what, err, c.want)
		}
	}
}
