package learnertest

import (
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// ShortData returns contexts in three dimensions and rewards, those of each weighted.py: rows are
// long in one direction and short in the others.
func ShortData(count int) (x [][]float64, y []float64) {
	state := uint64(1)
	next := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(2*float64(float64(state>>11)/(1<<53))) - 1
	}
	for range count {
		a, b, c, noise := next(), next(), next(), next()
		row := []float64{0.8 * a, float64(0.24*a) + float64(0.2*b), float64(0.05*a) + float64(0.03*c)}
		x, y = append(x, row), append(y, float64(0.5*row[0])-float64(0.3*row[1])+float64(0.7*row[2])+float64(0.1*noise))
	}
	return x, y
}

// Length returns |A x| for a matrix by its rows.
func Length(a, x []float64) float64 {
	product := make([]float64, len(x))
	for i := range x {
		product[i] = Dot(a[i*len(x):(i+1)*len(x)], x)
	}
	return packed.Norm(product)
}

// Golden reads lines of a name and numbers, with commas between them, by their names.
func Golden(t testing.TB, text string) map[string][][]float64 {
	t.Helper()
	in := csv.NewReader(strings.NewReader(text))
	in.FieldsPerRecord = -1
	lines, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][][]float64{}
	for _, line := range lines {
		var numbers []float64
		for _, s := range line[1:] {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, v)
		}
		of[line[0]] = append(of[line[0]], numbers)
	}
	return of
}

// Widths returns theta and the widths of four directions, as a line of each weighted.csv has them:
// got is theta, and then the matrix whose product with a direction is as long as its width.
func Widths(got []float64) []float64 {
	widths := append([]float64(nil), got[:3]...)
	for _, x := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, -0.5, 0.2}} {
		widths = append(widths, Length(got[3:12], x))
	}
	return widths
}

// Square returns R^T R, packed, for a packed upper triangular R of order 3, by its columns.
func Square(r []float64) (square []float64) {
	columns := [][]float64{{r[0], r[1], r[3]}, {0, r[2], r[4]}, {0, 0, r[5]}}
	for i := range 3 {
		for j := range i + 1 {
			square = append(square, Dot(columns[i], columns[j]))
		}
	}
	return square
}
