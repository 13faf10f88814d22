package lasso

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Regression describes a LASSO regression whose rows come one by one. It is tuning, and nothing
// else; Open makes a [Solver].
type Regression struct {
	Dim int // number of coordinates d, >= 1
	// Fold is the number of rows that are folded at a time into the whole of X'X, >= 1, and then
	// forgotten; 0 keeps all rows.
	Fold int
	// Tolerance bounds the duality gap, as a share of the objective of w = 0, |y|^2/2n, in [1e-13, 1);
	// 0 means 1e-9.
	Tolerance float64
	// MaxSweeps bounds the sweeps through the working set in a fit, in [1, 1e6]; 0 means 10,000.
	MaxSweeps int
}

// Solver is a [Regression] with its rows: it minimises
//
//	1/(2n) |y - X w|^2 + alpha |w|_1.
//
// It cycles through the coordinates of a working set (Friedman, Hastie and Tibshirani 2010) with
// the sums X'X and X'y in place of the rows. Newton steps between its sweeps finish what would take
// many of them, such as strongly correlated columns. If few signs change, as after a few rows,
// Newton steps do it alone, in O(m^2) for m coefficients: the solver keeps and updates the Cholesky
// factor of X'X on the support. The working set holds the last fit's coordinates and those that
// violate the optimality conditions most; coordinates that cannot matter are left out by the
// gap-safe sphere (Ndiaye, Fercoq, Gramfort and Salmon 2017).
//
// Columns of X'X are made when they are first needed and brought up to date when they are needed
// again. So Add costs O(d), and a fit O(d) for each coordinate of its working set and each row
// that is new to it. This needs all rows: 8 n d bytes, and 8 d more for each coordinate that was
// ever in a working set. Fold bounds the memory by 8 d (d + Fold) bytes, whatever n is, and lets
// rows cost O(d^2); coefficients are the same to the last bit.
//
// If columns are equal, or the coefficients are not unique for another reason, the solver returns
// one of the minimisers, which depends on the fits before.
type Solver struct {
	of Regression
	sums
	tolerance float64
	most      int
	lambda    float64 // n alpha, the penalty of the objective times n
	w, least  []float64
	support   []int // where w is not 0, increasing
	q         []float64
	alive     []int  // coordinates that may matter, increasing
	found     []int  // those that violate the conditions
	in        []bool // scratch of join, all false
	work      working
	own       factor  // of LeastSquares
	gap       float64 // of n times the objective
	sweeps    int
}

// ErrNotConverged is wrapped by the error of a fit whose duality gap is still above Tolerance after
// MaxSweeps sweeps, or where rounding errors end all progress.
var ErrNotConverged = errors.New("not converged")

// Open validates, and makes a solver without rows.
func (r Regression) Open() (*Solver, error) {
	switch {
	case r.Dim < 1:
		return nil, fmt.Errorf("lasso: Regression.Dim = %d, want >= 1", r.Dim)
	case r.Fold < 0:
		return nil, fmt.Errorf("lasso: Regression.Fold = %d, want >= 1, or 0 to keep all rows", r.Fold)
	case r.Tolerance != 0 && !(r.Tolerance >= 1e-13 && r.Tolerance < 1):
		return nil, fmt.Errorf("lasso: Regression.Tolerance = %v, want in [1e-13, 1), or 0 for 1e-9", r.Tolerance)
	case r.MaxSweeps < 0 || r.MaxSweeps > 1e6:
		return nil, fmt.Errorf("lasso: Regression.MaxSweeps = %d, want in [1, 1e6], or 0 for 10000", r.MaxSweeps)
	}
	count := 10 * float64(r.Dim)
	if r.Fold > 0 {
		count = float64(r.Dim) * (float64(r.Dim) + float64(r.Fold) + 8)
	}
	if err := size.Check(fmt.Sprintf("lasso: Regression of dimension %d, Fold = %d", r.Dim, r.Fold), count); err != nil {
		return nil, err
	}
	s := &Solver{of: r, sums: newSums(r.Dim, r.Fold), tolerance: cmp.Or(r.Tolerance, 1e-9), most: cmp.Or(r.MaxSweeps, 10_000)}
	s.w, s.least, s.q = make([]float64, r.Dim), make([]float64, r.Dim), make([]float64, r.Dim)
	s.support, s.alive, s.found = make([]int, 0, r.Dim), make([]int, 0, r.Dim), make([]int, 0, r.Dim)
	s.in = make([]bool, r.Dim)
	s.work.grow(min(r.Dim, 64))
	return s, nil
}

// Forget forgets the last fit, so that the next one starts at w = 0. Rows are kept.
func (s *Solver) Forget() {
	clear(s.w)
	s.support = s.support[:0]
	s.lambda, s.gap, s.sweeps = 0, 0, 0
}

// Fit returns the coefficients for a penalty alpha > 0. The slice is the solver's own, and valid
// until its next call.
//
// It starts at the coefficients of the last fit. An error that wraps ErrNotConverged comes with the
// best coefficients that were found, whose gap is Gap.
func (s *Solver) Fit(alpha float64) ([]float64, error) {
	switch {
	case !(alpha > 0 && alpha <= math.MaxFloat64):
		return nil, fmt.Errorf("lasso: alpha = %v, want finite and > 0", alpha)
	case s.rows == 0:
		return nil, errors.New("lasso: a fit of 0 rows, want >= 1")
	}
	s.lambda, s.sweeps = alpha*s.rows, 0
	most := 0.0
	for _, c := range s.xy {
		most = max(most, math.Abs(c))
	}
	if most <= s.lambda { // as |X'y|_inf <= n alpha, w = 0 is optimal
		clear(s.w)
		s.support, s.gap = s.support[:0], 0
		return s.w, nil
	}
	s.alive = s.alive[:0]
	for j, g := range s.square {
		if g > 0 {
			s.alive = append(s.alive, j)
		}
	}
	s.support = slices.DeleteFunc(s.support, func(j int) bool {
		if s.square[j] > 0 {
			return false
		}
		s.w[j] = 0 // Load has taken its column away
		return true
	})
	s.follow()
	s.factor.fitted = s.rows
	target := s.tolerance * 0.5 * s.yy
	if len(s.support) > 0 { // most fits of a bandit change no coordinate's sign: solve for these first
		s.found = s.found[:0]
		if !s.jump() {
			s.descend(0.3 * target)
		}
	}
	for last := math.Inf(1); ; last = s.gap {
		s.correlate()
		most := s.measure()
		if s.gap <= target {
			return s.w, nil
		}
		if s.sweeps >= s.most || math.IsInf(s.gap, 1) {
			break
		}
		if s.screen(most) {
			continue
		}
		s.violators()
		if s.gap <= 0.5*last && s.jump() {
			continue
		}
		if !s.descend(max(0.3*target, 0.1*s.gap)) {
			break
		}
	}
	if math.IsInf(s.gap, 1) { // there is no telling how large they are
		s.Forget()
		s.gap = math.Inf(1)
	}
	return s.w, fmt.Errorf("lasso: alpha = %v: after %d sweeps the duality gap is %.3g of |y|^2/2n, want <= %.3g: %w",
		alpha, s.sweeps, s.gap/(0.5*s.yy), s.tolerance, ErrNotConverged)
}

// correlate computes X'(y - X w) for the coordinates that may matter.
func (s *Solver) correlate() {
	if len(s.alive) > s.of.Dim/2 {
		copy(s.q, s.xy)
		i := 0
		for ; i+4 <= len(s.support); i += 4 {
			j := s.support[i : i+4]
			subtract4(s.q, s.w[j[0]], s.w[j[1]], s.w[j[2]], s.w[j[3]],
				s.column(j[0]), s.column(j[1]), s.column(j[2]), s.column(j[3]))
		}
		for _, j := range s.support[i:] {
			subtract(s.q, s.w[j], s.column(j))
		}
		return
	}
	for _, k := range s.alive {
		s.q[k] = s.xy[k]
	}
	i := 0
	for ; i+4 <= len(s.support); i += 4 {
		j := s.support[i : i+4]
		a, b, c, e := s.column(j[0]), s.column(j[1]), s.column(j[2]), s.column(j[3])
		t, u, v, w := s.w[j[0]], s.w[j[1]], s.w[j[2]], s.w[j[3]]
		for _, k := range s.alive {
			s.q[k] = s.q[k] - float64(t*a[k]) - float64(u*b[k]) - float64(v*c[k]) - float64(w*e[k])
		}
	}
	for _, j := range s.support[i:] {
		g, w := s.column(j), s.w[j]
		for _, k := range s.alive {
			s.q[k] -= float64(w * g[k])
		}
	}
}

// measure computes the duality gap from q and returns the scale of the dual point in it.
func (s *Solver) measure() (scale float64) {
	most := 0.0
	for _, j := range s.alive {
		most = max(most, math.Abs(s.q[j]))
	}
	f := fit{whole: s.yy, rest: s.yy}
	for _, j := range s.support {
		f.add(s.w[j], s.q[j], s.xy[j])
	}
	s.gap, scale = f.gap(s.lambda, most)
	return scale
}

// screen drops the coordinates that are 0 in every minimiser: those with |x_j' r| scale + |x_j|
// sqrt(2 gap) < lambda, where r scale/lambda is the dual point (the gap-safe sphere). It reports
// whether w has changed.
func (s *Solver) screen(scale float64) (changed bool) {
	radius := math.Sqrt(2 * s.gap)
	kept := s.alive[:0]
	for _, j := range s.alive {
		if float64(math.Abs(s.q[j])*scale)+float64(radius*math.Sqrt(s.square[j])) < (1-1e-9)*s.lambda {
			if s.w[j] != 0 {
				s.w[j], changed = 0, true
			}
			continue
		}
		kept = append(kept, j)
	}
	s.alive = kept
	if changed {
		s.support = slices.DeleteFunc(s.support, func(j int) bool { return s.w[j] == 0 })
	}
	return changed
}

// violators finds the coordinates outside the support that violate the conditions most: as many as
// the support has, and 10 at least.
func (s *Solver) violators() {
	s.found = s.found[:0]
	for _, j := range s.alive {
		if s.w[j] == 0 && math.Abs(s.q[j]) > s.lambda {
			s.found = append(s.found, j)
		}
	}
	if limit := max(10, len(s.support)); len(s.found) > limit {
		slices.SortFunc(s.found, func(a, b int) int {
			if x, y := math.Abs(s.q[a]), math.Abs(s.q[b]); x > y {
				return -1
			} else if x < y {
				return 1
			}
			return a - b
		})
		s.found = s.found[:limit]
	}
}

// descend solves for the support and what violators has found, until the gap of this smaller
// problem is at most target. It reports whether a coefficient has moved.
func (s *Solver) descend(target float64) (moved bool) {
	k := &s.work
	k.grow(len(s.support) + len(s.found))
	k.at = append(append(k.at[:0], s.support...), s.found...)
	slices.Sort(k.at)
	k.read(&s.sums, s.w)
	moved = k.solve(&s.factor, s.lambda, target, 0.15*s.tolerance*s.yy, s.yy, len(s.found) == 0, &s.sweeps, s.most)
	s.support = s.support[:0]
	for i, j := range k.at {
		if s.w[j] = k.w[i]; s.w[j] != 0 {
			s.support = append(s.support, j)
		}
	}
	return moved
}

// Gap returns the duality gap of the last fit. Its objective is above the minimum by no more.
func (s *Solver) Gap() float64 {
	if s.rows == 0 {
		return 0
	}
	return s.gap / s.rows
}

// Sweeps returns how often the last fit has cycled through its working set, or has solved for it.
func (s *Solver) Sweeps() int { return s.sweeps }

// Support returns the coordinates of the last fit that are not 0, increasing. The slice is the
// solver's own, and valid until its next call.
func (s *Solver) Support() []int { return s.support }

// Objective returns 1/(2n) |y - X w|^2 + alpha |w|_1 for the sums so far. It panics if len(w) is
// not Dim.
func (s *Solver) Objective(w []float64, alpha float64) float64 {
	if len(w) != s.of.Dim {
		panic(fmt.Sprintf("lasso: %d coefficients, want Dim = %d", len(w), s.of.Dim))
	}
	if s.rows == 0 {
		return 0
	}
	square, norm := s.yy, 0.0
	for j, v := range w {
		if v == 0 {
			continue
		}
		norm += math.Abs(v)
		square -= float64(2 * v * s.xy[j])
		g, sum := s.column(j), 0.0
		for k, u := range w {
			sum += float64(u * g[k])
		}
		square += float64(v * sum)
	}
	return float64(0.5*max(0, square)/s.rows) + float64(alpha*norm)
}
