package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// sums are X'X, X'y and y'y of all rows.
//
// A column of X'X includes the rows before its place in the buffer of rows; column adds those
// after. The terms are added row by row, in order, whenever that happens, so the numbers do not
// depend on it.
type sums struct {
	rows   float64 // all that were ever added
	yy     float64
	xy     []float64
	square []float64 // the diagonal of X'X

	fold   int
	buffer []float64   // rows, row-major
	kept   int         // rows in the buffer
	gram   [][]float64 // column by coordinate, or nil
	upto   []int       // rows of the buffer that a column includes
	factor factor      // of the coordinates of the last fit
}

const (
	// largest bounds numbers in rows, so that no sum of squares overflows; what is smaller than
	// 1/largest counts as 0, so that no square of anything else vanishes.
	largest = 1e140
	// eager is the dimension up to which all columns are allocated by Open.
	eager = 256
)

func newSums(dim, fold int) sums {
	s := sums{xy: make([]float64, dim), square: make([]float64, dim), fold: fold, gram: make([][]float64, dim), upto: make([]int, dim)}
	if fold > 0 {
		s.buffer = make([]float64, 0, fold*dim)
	}
	if fold > 0 || dim <= eager {
		s.whole()
	}
	return s
}

// whole allocates all columns.
func (s *sums) whole() {
	d := len(s.gram)
	all := make([]float64, d*d)
	for j := range s.gram {
		s.gram[j] = all[j*d : (j+1)*d : (j+1)*d]
	}
}

func (s *sums) reset() {
	s.rows, s.yy, s.kept, s.buffer = 0, 0, 0, s.buffer[:0]
	s.factor.clear()
	s.factor.upto, s.factor.fitted = 0, 0
	clear(s.xy)
	clear(s.square)
	for j, g := range s.gram {
		clear(g)
		s.upto[j] = 0
	}
}

// Reserve allocates what so many rows take, so that adding them does not.
func (s *sums) Reserve(rows int) error {
	if s.fold > 0 || rows < 0 {
		return nil
	}
	d := len(s.xy)
	if err := size.Check(fmt.Sprintf("lasso: %d rows of dimension %d", rows, d), float64(rows)*float64(d)); err != nil {
		return err
	}
	if need := rows * d; cap(s.buffer) < need {
		s.buffer = append(make([]float64, 0, need), s.buffer...)
	}
	return nil
}

// Rows returns the number of rows.
func (s *sums) Rows() int { return int(s.rows) }

// Add takes in a row. A wrong length, or a number that is not finite or beyond 1e140, is an error
// and changes nothing. What is below 1e-140 counts as 0.
func (s *sums) Add(x []float64, y float64) error {
	d := len(s.xy)
	if len(x) != d {
		return fmt.Errorf("lasso: a row of dimension %d, want %d", len(x), d)
	}
	for j, v := range x {
		if !(v >= -largest && v <= largest) {
			return fmt.Errorf("lasso: coordinate %d of a row = %v, want in [-%g, %g]", j, v, largest, largest)
		}
	}
	if !(y >= -largest && y <= largest) {
		return fmt.Errorf("lasso: y = %v, want in [-%g, %g]", y, largest, largest)
	}
	if s.fold > 0 && s.kept == s.fold {
		for j := range s.gram {
			s.column(j)
			s.upto[j] = 0
		}
		s.follow()
		s.kept, s.buffer, s.factor.upto = 0, s.buffer[:0], 0
	}
	s.buffer = append(s.buffer, x...)
	s.kept++
	s.rows++
	y = flush(y)
	row := s.buffer[len(s.buffer)-d:]
	for j, v := range row {
		v = flush(v)
		row[j] = v
		s.xy[j] += float64(v * y)
		s.square[j] += float64(v * v)
	}
	s.yy += float64(y * y)
	return nil
}

func flush(v float64) float64 {
	if math.Abs(v) < 1/largest {
		return 0
	}
	return v
}

// column returns column j of X'X over all rows.
func (s *sums) column(j int) []float64 {
	g := s.gram[j]
	if g == nil {
		g = make([]float64, len(s.xy))
		s.gram[j] = g
	}
	d, i := len(g), s.upto[j]
	if i == s.kept {
		return g
	}
	s.upto[j] = s.kept
	for ; i+4 <= s.kept; i += 4 {
		r := s.buffer[i*d : (i+4)*d]
		add4(g, r[j], r[d+j], r[2*d+j], r[3*d+j], r[:d], r[d:2*d], r[2*d:3*d], r[3*d:])
	}
	for ; i < s.kept; i++ {
		r := s.buffer[i*d : (i+1)*d]
		if v := r[j]; v != 0 {
			subtract(g, -v, r)
		}
	}
	return g
}

// follow brings the factor up to date, or clears it if computing it anew is faster: after m/9 rows,
// whenever that happens, so that the numbers do not depend on it.
func (s *sums) follow() {
	f, d := &s.factor, len(s.xy)
	if 9*(s.rows-f.fitted) > float64(len(f.of)) {
		f.clear()
	}
	if len(f.of) > 0 {
		for i := f.upto; i < s.kept; i++ {
			f.add(s.buffer[i*d : (i+1)*d])
		}
	}
	f.upto = s.kept
}

// subtract subtracts v x from dst.
func subtract(dst []float64, v float64, x []float64) {
	x = x[:len(dst)]
	i := 0
	for ; i+8 <= len(dst); i += 8 { // eight at a time: twice as fast as one
		a, b := (*[8]float64)(dst[i:i+8]), (*[8]float64)(x[i:i+8])
		a[0] -= float64(v * b[0])
		a[1] -= float64(v * b[1])
		a[2] -= float64(v * b[2])
		a[3] -= float64(v * b[3])
		a[4] -= float64(v * b[4])
		a[5] -= float64(v * b[5])
		a[6] -= float64(v * b[6])
		a[7] -= float64(v * b[7])
	}
	for ; i < len(dst); i++ {
		dst[i] -= float64(v * x[i])
	}
}

// subtract4 subtracts four multiples, one after the other.
func subtract4(dst []float64, a, b, c, e float64, w, x, y, z []float64) {
	w, x, y, z = w[:len(dst)], x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for k := range dst {
		dst[k] = dst[k] - float64(a*w[k]) - float64(b*x[k]) - float64(c*y[k]) - float64(e*z[k])
	}
}

// add4 adds four multiples, one after the other.
func add4(dst []float64, a, b, c, e float64, w, x, y, z []float64) {
	w, x, y, z = w[:len(dst)], x[:len(dst)], y[:len(dst)], z[:len(dst)]
	for k := range dst {
		dst[k] = dst[k] + float64(a*w[k]) + float64(b*x[k]) + float64(c*y[k]) + float64(e*z[k])
	}
}
