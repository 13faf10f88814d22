package lasso

import "math"

// factor is the Cholesky factor of X'X on some coordinates, R'R with an upper triangle R. It keeps
// up with rows that are added and with coordinates that come and go, each in O(m^2) for m
// coordinates. To compute it anew takes O(m^3).
//
// Rows and removed coordinates are rotations, which keep rounding errors small. Whoever uses the
// factor still has to check what it solved, and to clear the factor if that is wrong.
type factor struct {
	of     []int     // the coordinates, in the factor's order
	r      []float64 // row-major, rows of length side
	side   int
	x      []float64 // scratch
	sign   []float64 // of coefficients, in the factor's order
	half   []float64 // half of the way to their solution: R'^-1 g
	step   []float64
	upto   int     // rows of the buffer that it includes
	fitted float64 // all rows at the last fit
}

// independent is the share of a column's square that the columns before have to leave of it.
const independent = 1e-10

func (f *factor) clear() { f.of = f.of[:0] }

// grow makes room for n coordinates.
func (f *factor) grow(n int) {
	if n <= f.side {
		return
	}
	n += n / 2
	r, of := make([]float64, n*n), make([]int, len(f.of), n)
	copy(of, f.of)
	for a := range of {
		copy(r[a*n+a:a*n+len(of)], f.r[a*f.side+a:])
	}
	f.of, f.r, f.side, f.x = of, r, n, make([]float64, n)
	f.sign, f.half, f.step = make([]float64, n), make([]float64, 0, n), make([]float64, 0, n)
}

// add adds a row of X.
func (f *factor) add(row []float64) {
	x := f.x[:len(f.of)]
	for a, j := range f.of {
		x[a] = row[j]
	}
	for a, v := range x {
		if v == 0 {
			continue
		}
		top := f.r[a*f.side+a : a*f.side+len(x)]
		rotate(top, x[a:])
	}
}

// rotate turns two vectors in their plane so that the first entry of y becomes 0, and that of x
// positive. It returns the cosine and the sine.
func rotate(x, y []float64) (c, s float64) {
	y = y[:len(x)]
	length := math.Sqrt(float64(x[0]*x[0]) + float64(y[0]*y[0]))
	c, s = x[0]/length, y[0]/length
	x[0], y[0] = length, 0
	i := 1
	for ; i+4 <= len(x); i += 4 {
		a, b := (*[4]float64)(x[i:i+4]), (*[4]float64)(y[i:i+4])
		turn(&a[0], &b[0], c, s)
		turn(&a[1], &b[1], c, s)
		turn(&a[2], &b[2], c, s)
		turn(&a[3], &b[3], c, s)
	}
	for ; i < len(x); i++ {
		turn(&x[i], &y[i], c, s)
	}
	return c, s
}

func turn(x, y *float64, c, s float64) {
	u, v := *x, *y
	*x = float64(c*u) + float64(s*v)
	*y = float64(c*v) - float64(s*u)
}

// remove takes a coordinate away, given its place. A vector R'^-1 g becomes what it is without this
// coordinate.
func (f *factor) remove(a int, g []float64) []float64 {
	m := len(f.of)
	for b := range a {
		row := f.r[b*f.side : b*f.side+m]
		copy(row[a:], row[a+1:])
	}
	// Without their column a, the rows from a on have an entry left of the diagonal. It goes into the
	// row before.
	for b := a; b+1 < m; b++ {
		top, low := f.r[b*f.side+b:b*f.side+m], f.r[(b+1)*f.side+b+1:(b+1)*f.side+m]
		c, s := rotate(top[1:], low)
		copy(top, top[1:])
		if len(g) > 0 {
			turn(&g[b], &g[b+1], c, s)
		}
	}
	copy(f.of[a:], f.of[a+1:])
	copy(f.sign[a:], f.sign[a+1:m])
	f.of = f.of[:m-1]
	return g[:max(0, len(g)-1)]
}

// project computes R'^-1 g, where g has the entries of X'X between a coordinate and those of the
// factor, and returns what is left of its square: the square of the distance of its column from
// theirs.
func (f *factor) project(g []float64, square float64) (pivot float64) {
	f.forward(g)
	for _, v := range g {
		square -= float64(v * v)
	}
	return square
}

// append adds a coordinate, given what project has computed.
func (f *factor) append(j int, g []float64, pivot float64) {
	m := len(f.of)
	for a, v := range g {
		f.r[a*f.side+m] = v
	}
	f.r[m*f.side+m] = math.Sqrt(pivot)
	f.of = append(f.of, j)
}

// forward replaces g by R'^-1 g.
func (f *factor) forward(g []float64) {
	for a := range g {
		row := f.r[a*f.side+a : a*f.side+len(g)]
		v := g[a] / row[0]
		g[a] = v
		subtract(g[a+1:], v, row[1:])
	}
}

// back replaces g by R^-1 g.
func (f *factor) back(g []float64) {
	for a := len(g) - 1; a >= 0; a-- {
		row := f.r[a*f.side+a : a*f.side+len(g)]
		g[a] = (g[a] - dot(row[1:], g[a+1:])) / row[0]
	}
}
