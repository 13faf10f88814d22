// Package fresh checks that the noise of many runs is there every time, and each time anew.
package fresh

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Check compares what so many runs released of the same data, a row for each run. Each column has
// to vary as the others do, up to a quarter of the median variance, and no two columns may go
// together: their correlation is 0.12 at most. With 4,000 rows of Laplace noise, or of indicators
// of events that are not rare, that is seven standard errors.
func Check(rows [][]float64) error {
	columns := make([][]float64, len(rows[0]))
	for _, row := range rows {
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	}
	variances := make([]float64, len(columns))
	for j, c := range columns {
		variances[j] = stat.Variance(c, nil)
	}
	sorted := slices.Sorted(slices.Values(variances))
	median := sorted[len(sorted)/2]
	for j, v := range variances {
		if !(math.Abs(v-median) <= median/4) || median == 0 {
			return fmt.Errorf("number %d of a run has the variance %.4g, and others have %.4g: want noise in each, and as much", j, v, median)
		}
		for k := range j {
			if r := stat.Correlation(columns[j], columns[k], nil); !(math.Abs(r) <= 0.12) {
				return fmt.Errorf("numbers %d and %d of a run have the correlation %.2f: want noise of its own in each", k, j, r)
			}
		}
	}
	return nil
}

// Indicator is 1 for what happened and 0 for what did not.
func Indicator(happened bool) float64 {
	if happened {
		return 1
	}
	return 0
}
