package fresh_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
)

// TestCheck: noise that is left out, of another size, or used twice is found out.
func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(row []float64) error{
		"":                                   func([]float64) error { return nil },
		"number 1 of a run has the variance": func(row []float64) error { row[1] = 5; return nil },
		"number 2 of a run has the variance": func(row []float64) error { row[2] /= 2; return nil },
		"numbers 0 and 2 of a run have the correlation 1.00": func(row []float64) error { row[2] = row[0] + 7; return nil },
		"run 0: no release": func([]float64) error { return errors.New("no release") },
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		err := fresh.Check(func(int) ([]float64, error) {
			row := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			return row, spoil(row)
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
