// Package fresh checks that the noise of many runs is there every time, and each time anew.
package fresh

import (
	"fmt"
	"math"
	"slices"
)

// Check compares what so many runs released of the same data, a row for each run. Each column has
// to vary as the others do, up to a quarter of the median variance, and no two columns may go
// together: their correlation is 0.12 at most. With 4,000 rows of Laplace noise, or of indicators
// of events that are not rare, that is seven standard errors.
func Check(rows [][]float64) error {
	columns := make([][]float64, len(rows[0])) // less their means
	variances := make([]float64, len(columns))
	for j := range columns {
		for _, row := range rows {
			columns[j] = append(columns[j], row[j])
		}
		centre(columns[j])
		variances[j] = together(columns[j], columns[j])
	}
	sorted := slices.Sorted(slices.Values(variances))
	median := sorted[len(sorted)/2]
	for j, v := range variances {
		if !(math.Abs(v-median) <= median/4) || median == 0 {
			return fmt.Errorf("number %d of a run has the variance %.4g, and others have %.4g: want noise in each, and as much", j, v, median)
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
