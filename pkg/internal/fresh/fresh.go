// Package fresh checks that the noise of many runs is there every time, and each time anew.
package fresh

import (
	"fmt"
	"math"
	"slices"
)

// runs is how many runs are compared.
const runs = 4000

// Check plays 4,000 runs and compares what they release of the same data, as many numbers in each.
// Each number has to vary as the others do, up to a quarter of the median variance, and no two may
// go together: their correlation is 0.12 at most. For Laplace noise, and for indicators of events
// that are not rare, that is seven standard errors: a false alarm in fewer than one of 1e6 seeds.
func Check(play func(run int) ([]float64, error)) error { return check(0, play) }

// Varies is Check for numbers whose variance is known: each has to have that, up to a quarter of
// it.
func Varies(variance float64, play func(run int) ([]float64, error)) error {
	return check(variance, play)
}

// check is Varies, or Check if want is 0.
func check(want float64, play func(run int) ([]float64, error)) error {
	var columns [][]float64
	for run := range runs {
		row, err := play(run)
		if err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
		if columns == nil {
			columns = make([][]float64, len(row))
		}
		for j := range columns {
			columns[j] = append(columns[j], row[j])
		}
	}
	variances := make([]float64, len(columns))
	for j, c := range columns {
		centre(c)
		variances[j] = together(c, c)
	}
	of := "its law says"
	if want == 0 {
		sorted := slices.Sorted(slices.Values(variances))
		want, of = sorted[len(sorted)/2], "others have"
	}
	for j, v := range variances {
		if !(math.Abs(v-want) <= want/4) || want == 0 {
			return fmt.Errorf("number %d of a run has the variance %.4g, and %s %.4g: want noise in each, and as much", j, v, of, want)
		}
		for k := range j {
			if r := together(columns[j], columns[k]) / math.Sqrt(v*variances[k]); !(math.Abs(r) <= 0.12) {
				return fmt.Errorf("numbers %d and %d of a run have the correlation %.2f: want noise of its own in each", k, j, r)
			}
		}
	}
	return nil
}

// centre takes their mean from numbers.
func centre(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
	}
}

// together returns the mean of the products of numbers.
func together(x, y []float64) (mean float64) {
	for i, v := range x {
		mean += float64(v*y[i]) / float64(len(x))
	}
	return mean
}

// Indicator is 1 for what happened and 0 for what did not.
func Indicator(happened bool) float64 {
	if happened {
		return 1
	}
	return 0
}
