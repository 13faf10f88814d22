package lasso

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// errIndefinite is wrapped by the error of Load for sums that no rows have.
var errIndefinite = errors.New("not positive semidefinite")

// Load replaces all rows by their sums: X'X (row-major, Dim x Dim), X'y, y'y and the number of
// rows. The solver copies them, and takes in more rows by Add.
//
// The matrix of X'X, X'y and y'y has to be symmetric and positive semidefinite, up to 1e-9 of its
// diagonal; else the objective may have no minimum, and Load refuses it. Noise that was
// added to the sums breaks this: add a ridge, or floor the eigenvalues, first. Load checks it
// by a Cholesky decomposition, in d^3/6 multiplications: 0.2 s for d = 1000.
func (s *sums) Load(xx, xy []float64, yy float64, rows int) error {
	d := len(s.xy)
	switch {
	case len(xx) != d*d:
		return fmt.Errorf("lasso: %d numbers in X'X, want Dim^2 = %d", len(xx), d*d)
	case len(xy) != d:
		return fmt.Errorf("lasso: %d numbers in X'y, want Dim = %d", len(xy), d)
	case !(yy >= 0 && yy <= largest*largest):
		return fmt.Errorf("lasso: y'y = %v, want in [0, %g]", yy, largest*largest)
	case rows < 1:
		return fmt.Errorf("lasso: sums of %d rows, want >= 1", rows)
	}
	if err := size.Check(fmt.Sprintf("lasso: X'X of dimension %d", d), 1.5*float64(d)*float64(d)); err != nil {
		return err
	}
	for i, v := range xx {
		if j, k := i/d, i%d; !(math.Abs(v) <= largest*largest) || j == k && v < 0 {
			return fmt.Errorf("lasso: entry (%d, %d) of X'X = %v, want finite, and >= 0 on the diagonal", j, k, v)
		}
	}
	for j, v := range xy {
		if !(math.Abs(v) <= largest*largest) {
			return fmt.Errorf("lasso: entry %d of X'y = %v, want finite", j, v)
		}
	}
	if err := semidefinite(xx, xy, yy); err != nil {
		return err
	}
	if s.gram[d-1] == nil || s.gram[0] == nil {
		s.whole()
	}
	s.reset()
	for j := range s.gram {
		if s.gram[j] == nil {
			s.gram[j] = make([]float64, d)
		}
		copy(s.gram[j], xx[j*d:(j+1)*d])
		s.square[j] = xx[j*d+j]
	}
	copy(s.xy, xy)
	s.yy, s.rows = yy, float64(rows)
	return nil
}

// slack is the share of the diagonal that is added before a matrix is decomposed.
const slack = 1e-9

// semidefinite returns an error if the matrix of X'X, X'y and y'y is not symmetric and positive
// semidefinite, up to rounding. It scales the diagonal to 1 and decomposes.
func semidefinite(xx, xy []float64, yy float64) error {
	d := len(xy)
	scale := make([]float64, d+1)
	for j := range d {
		scale[j] = math.Sqrt(xx[j*d+j])
	}
	scale[d] = math.Sqrt(yy)
	factor := make([]float64, (d+1)*(d+2)/2)
	for j := range d + 1 {
		row, left := factor[j*(j+1)/2:(j+1)*(j+2)/2], 1+slack
		for k := range j {
			v := 0.0
			if j == d {
				v = xy[k]
			} else if v = xx[j*d+k]; math.Abs(v-xx[k*d+j]) > 1e-9*scale[j]*scale[k] {
				return fmt.Errorf("lasso: entries (%d, %d) and (%[2]d, %[1]d) of X'X = %[3]v and %[4]v, want equal", j, k, v, xx[k*d+j])
			}
			if v != 0 {
				if !(math.Abs(v) <= (1+slack)*scale[j]*scale[k]) {
					return fmt.Errorf("lasso: entry %d of %s = %v, want <= %v in size, by the diagonal: %w",
						k, rowName(j, d), v, scale[j]*scale[k], errIndefinite)
				}
				v /= scale[j] * scale[k]
			}
			before := factor[k*(k+1)/2:]
			v = (v - dot(before[:k], row)) / before[k]
			row[k] = v
			left -= float64(v * v)
		}
		if !(left > 0) {
			return fmt.Errorf("lasso: %s: rows before it explain more than all of its diagonal entry, by a share of %.3g: %w",
				rowName(j, d), slack-left, errIndefinite)
		}
		row[j] = math.Sqrt(left)
	}
	return nil
}

func rowName(j, d int) string {
	if j == d {
		return "X'y"
	}
	return fmt.Sprintf("row %d of X'X", j)
}
