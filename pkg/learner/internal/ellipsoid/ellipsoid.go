// Package ellipsoid holds the confidence sets of linear learners.
//
// An [Estimate] makes an [Ellipsoid] from sums, and an [Optimist] chooses the arm that is best for
// the most favourable parameter in it.
package ellipsoid

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/screen"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Ellipsoid is a confidence set {theta : |theta - centre|_V <= beta}. Its numbers are one slice,
// which a server can broadcast: the centre (d numbers), V^-1 packed by the rows of its lower
// triangle (d(d+1)/2), beta, and an upper bound on the operator norm of V^-1.
type Ellipsoid struct {
	Numbers []float64
	Theta   []float64   // the centre, in numbers
	Inverse []float64   // V^-1, in numbers
	Width   *[2]float64 // beta and the bound on |V^-1|, in numbers
}

// Size returns how many numbers an ellipsoid of dimension d has.
func Size(d int) int { return d + packed.Size(d) + 2 }

// View points e at the ellipsoidSize(d) numbers of an ellipsoid of dimension d.
func (e *Ellipsoid) View(numbers []float64, d int) {
	end := d + packed.Size(d)
	e.Numbers, e.Theta, e.Inverse, e.Width = numbers, numbers[:d], numbers[d:end], (*[2]float64)(numbers[end:])
}

// Receive checks a broadcast and points e at it. The length must be right, the numbers finite, and
// beta and the norm not negative.
func (e *Ellipsoid) Receive(broadcast []float64, d int) error {
	if len(broadcast) != Size(d) {
		return fmt.Errorf("learner: a broadcast of %d numbers, want %d: theta, V^-1, beta and a bound of |V^-1| in dimension %d", len(broadcast), Size(d), d)
	}
	if !packed.Finite(broadcast) {
		i := slices.IndexFunc(broadcast, func(v float64) bool { return v-v != 0 })
		return fmt.Errorf("learner: number %d of a broadcast is %v, want finite", i, broadcast[i])
	}
	if beta, norm := broadcast[len(broadcast)-2], broadcast[len(broadcast)-1]; beta < 0 || norm < 0 {
		return fmt.Errorf("learner: a broadcast with beta = %v and |V^-1| = %v, want both >= 0", beta, norm)
	}
	e.View(broadcast, d)
	return nil
}

// Optimist chooses the arm that is best for the most favourable theta in an ellipsoid,
//
//	argmax_x max_theta <x, theta> = argmax_x <x, centre> + beta |x|_{V^-1},
//
// with ties to the lowest index. It is the half of LinUCB that sees contexts.
type Optimist struct {
	arms, dim int
	dots      []float64 // <x, centre> by arm
	squares   []float64 // |x|^2 by arm
	widths    []float64 // |x|_{V^-1}^2 by arm, where many are wanted, or whole bounds
	wanted    int       // how many were in the last round: a guess of how many will be in the next
	Memory    memory
}

func (o *Optimist) Init(p bandit.Problem) {
	*o = Optimist{p.Arms, p.Dim, make([]float64, p.Arms), make([]float64, p.Arms), make([]float64, p.Arms), 0, newMemory(p)}
}

// Choose returns the arm with the highest upper confidence bound. The view has passed
// the problem's CheckView. An arm is skipped only if a bound on its value, as computed, is below a
// value already computed, so skipping never changes the choice.
func (o *Optimist) Choose(e *Ellipsoid, v *bandit.View) (best int, err error) {
	same := o.Memory.Follows(v)
	if same {
		if best, ok := o.again(e, v); ok {
			o.Memory.round = v.Round
			return best, nil
		}
	}
	o.Memory.round = 0
	if v.Dim == 5 { // three papers' dimension, where all arms' bounds cost less than to rule some out
		best, ok := packed.Uppers5(o.widths[:v.Arms], v.X, (*[5]float64)(e.Theta), (*[15]float64)(e.Inverse), e.Width[0])
		if ok {
			o.remember(e, v, best, same)
			return best, nil
		}
	}
	if o.Memory.wide && v.Arms >= 4 {
		if best, ok := o.screened(e, v, same); ok {
			o.remember(e, v, best, same)
			return best, nil
		}
	}
	// Without its width an arm cannot be chosen, but it can be ruled out: <x, theta~> + beta
	// sqrt(|V^-1| |x|^2) bounds it. The arm with the greatest inner product comes first and sets
	// the mark.
	best, ok := o.products(e.Theta, v)
	if !ok {
		return o.chooseExtreme(e, v)
	}
	beta, norm := e.Width[0], e.Width[1]
	beta2 := beta * beta
	mark := o.dots[best] + float64(beta*math.Sqrt(packed.Quadratic(e.Inverse, v.Row(best))))
	below := mark - float64(1e-15*math.Abs(mark)) // an arm that ties with the mark is not ruled out
	// the margin is for rounding: no arm that could win is ruled out
	reach := beta2 * norm * (1 + 1e-9)
	dots, squares := o.dots[:v.Arms], o.squares[:v.Arms]
	all, wanted := 4*o.wanted > 3*v.Arms, 0 // then it is cheaper to compute all widths at once
	if all {
		packed.Quadratics(o.widths[:v.Arms], e.Inverse, v.X, v.Dim)
	}
	for a, dot := range dots {
		lead := below - dot
		if lead > 0 && lead*lead > reach*squares[a] {
			continue
		}
		wanted++
		square := o.widths[a]
		if !all {
			square = packed.Quadratic(e.Inverse, v.Row(a))
		}
		if lead > 0 && lead*lead > beta2*square*(1+1e-9) {
			continue
		}
		if ucb := dot + float64(beta*math.Sqrt(square)); ucb > mark || ucb == mark && a < best {
			best, mark = a, ucb
			below = mark - float64(1e-15*math.Abs(mark))
		}
	}
	o.wanted = wanted
	o.remember(e, v, best, same)
	return best, nil
}

// memory is what an optimist keeps from one round for the next, in case both have the same
// contexts: the choice, and what bounds all arms. That is a screen where the machine is fast at it,
// or else bounds that are carried from round to round. Those are about as fast while the ellipsoid
// moves little, and do not pay under much noise. In high dimensions the arms are followed while the
// ellipsoid moves by rows.
type memory struct {
	round, arms int       // of the last choice; round 0: none
	last        []float64 // the last context shown: a device is not told of a new trial
	best        int       // the choice
	seen        Ellipsoid // it was made by
	held        bool      // the screen, or carried, is for these contexts
	screen      *screen.Screen
	wide        bool     // the screen is beyond MaxDim, and pays even if the contexts change
	carried     carried  // if there is no screen
	stepped     *stepped // beyond MaxDim, while the ellipsoid moves by rows
	left        []int    // arms that were not ruled out
}

func newMemory(p bandit.Problem) memory {
	m := memory{last: make([]float64, p.Dim), left: make([]int, 0, p.Arms)}
	m.seen.View(make([]float64, Size(p.Dim)), p.Dim)
	if screen.Vectors {
		m.screen, m.wide = screen.New(p.Arms, p.Dim), p.Dim > screen.MaxDim
	} else {
		m.carried = newCarried(p.Arms)
	}
	if p.Dim > screen.MaxDim {
		m.stepped = newStepped(p)
	}
	return m
}

// Follows reports whether v shows the contexts of the last choice.
func (m *memory) Follows(v *bandit.View) bool {
	return v.Same && m.round > 0 && v.Round == m.round+1 && v.Arms == m.arms && slices.Equal(m.last, v.Row(v.Arms-1))
}

// remember keeps a choice. Bounds are made only for contexts that have been the same for two
// rounds.
func (o *Optimist) remember(e *Ellipsoid, v *bandit.View, best int, same bool) {
	m := &o.Memory
	copy(m.last, v.Row(v.Arms-1))
	copy(m.seen.Numbers, e.Numbers)
	stepped := false
	switch {
	case same && m.stepped.ready(e):
		stepped = m.stepped.set(e, v)
	case m.wide: // screened has set it
	case !same:
		m.held, m.carried.rest, m.carried.pause = false, 0, 0
	case m.screen == nil:
		m.held = m.carried.set(e, v)
	case !m.held:
		m.held = m.screen.Set(v.X, v.Arms)
	}
	if m.stepped != nil {
		m.stepped.held, m.stepped.steps = stepped, 0
	}
	m.round, m.arms, m.best = v.Round, v.Arms, best
}

// again chooses when the contexts are those of the round before. It gives up if there are no
// bounds, if they leave too many arms, or if numbers are out of range.
func (o *Optimist) again(e *Ellipsoid, v *bandit.View) (best int, ok bool) {
	m := &o.Memory
	if slices.Equal(m.seen.Numbers, e.Numbers) {
		return m.best, true
	}
	if m.stepped != nil && m.stepped.held {
		if best, ok = o.follow(e, v); ok {
			return best, true
		}
	}
	if !m.held || m.wide || m.stepped.ready(e) {
		return 0, false
	}
	best = m.best
	dot, width := Upper(e, v, best)
	mark := dot + width
	if m.screen != nil {
		m.left, ok = m.screen.Sift(e.Theta, e.Inverse, e.Width[0], mark, m.left[:0])
	} else {
		m.left, ok = m.carried.sift(&m.seen, e, mark, v.Arms, m.left[:0])
	}
	if !ok {
		return 0, false
	}
	for _, a := range m.left {
		if a == m.best {
			continue
		}
		dot, width := Upper(e, v, a)
		ucb := dot + width
		if ucb > mark || ucb == mark && a < best {
			best, mark = a, ucb
		}
		if m.screen == nil {
			m.carried.renew(a, ucb, width)
		}
	}
	copy(m.seen.Numbers, e.Numbers)
	m.best = best
	if m.stepped != nil {
		m.stepped.steps = 0
	}
	return best, mark-mark == 0
}

// screened chooses by a screen beyond MaxDim, for contexts that it may know already.
func (o *Optimist) screened(e *Ellipsoid, v *bandit.View, same bool) (best int, ok bool) {
	m := &o.Memory
	if m.held = m.held && same || m.screen.Set(v.X, v.Arms); !m.held {
		return 0, false
	}
	if best, ok = m.screen.Top(e.Theta, e.Inverse, e.Width[0]); !ok {
		return 0, false
	}
	dot, width := Upper(e, v, best)
	mark := dot + width
	m.left = m.screen.Above(mark, m.left[:0])
	return highest(e, v, m.left, best, mark)
}

// highest returns the arm with the highest upper confidence bound among those left, given one of
// them and its bound. ok is false if one is not finite.
func highest(e *Ellipsoid, v *bandit.View, left []int, best int, mark float64) (_ int, ok bool) {
	check := mark - mark
	for _, a := range left {
		if a == best {
			continue
		}
		dot, width := Upper(e, v, a)
		ucb := dot + width
		check += ucb - ucb
		if ucb > mark || ucb == mark && a < best {
			best, mark = a, ucb
		}
	}
	return best, check == 0
}

// follow chooses while the ellipsoid moves by rows.
func (o *Optimist) follow(e *Ellipsoid, v *bandit.View) (best int, ok bool) {
	m := &o.Memory
	if m.left, ok = m.stepped.sift(e, v, o.widths, m.left[:0]); !ok {
		return 0, false
	}
	best = m.left[0]
	if len(m.left) > 1 {
		dot, width := Upper(e, v, best)
		if best, ok = highest(e, v, m.left, best, dot+width); !ok {
			return 0, false
		}
	}
	m.seen.Theta[0] = math.NaN() // it is behind
	m.best, m.stepped.steps = best, 0
	return best, true
}

// Upper computes an arm's upper confidence bound, dot + width, the very number that choose
// computes.
func Upper(e *Ellipsoid, v *bandit.View, a int) (dot, width float64) {
	if v.Dim == 5 {
		return packed.Upper5((*[5]float64)(v.X[5*a:]), (*[5]float64)(e.Theta), (*[15]float64)(e.Inverse), e.Width[0])
	}
	var dots, squares [1]float64
	packed.Products(dots[:], squares[:], v.Row(a), e.Theta)
	return dots[0], float64(e.Width[0] * math.Sqrt(packed.Quadratic(e.Inverse, v.Row(a))))
}

// products fills dots and squares and returns the arm with the greatest dot. It reports false if a
// number is not finite.
func (o *Optimist) products(theta []float64, v *bandit.View) (best int, ok bool) {
	dots, squares := o.dots[:v.Arms], o.squares[:v.Arms]
	packed.Products(dots, squares, v.X, theta)
	var sum float64 // not finite if one of them is not
	top := math.Inf(-1)
	for a, dot := range dots {
		sum += dot + squares[a]
		if dot > top {
			best, top = a, dot
		}
	}
	return best, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// refuse reports the first arm whose context is not finite.
func (o *Optimist) refuse(v *bandit.View) error {
	for a := range v.Arms {
		if !packed.Finite(v.Row(a)) {
			return fmt.Errorf("learner: round %d: the context of arm %d is %v, want finite numbers", v.Round, a, append([]float64(nil), v.Row(a)...))
		}
	}
	return fmt.Errorf("learner: round %d: the contexts' products with theta overflow", v.Round)
}

// chooseExtreme chooses among contexts whose products overflow. An upper confidence bound is
// proportional to its context, so scaling all contexts down does not change the choice. It
// allocates.
func (o *Optimist) chooseExtreme(e *Ellipsoid, v *bandit.View) (best int, err error) {
	x := v.X[:v.Arms*v.Dim]
	var greatest float64
	for _, w := range x {
		greatest = max(greatest, math.Abs(w))
	}
	if !packed.Finite(x) || greatest <= 1 {
		return 0, o.refuse(v)
	}
	scaled := *v
	scaled.Same, scaled.X = false, make([]float64, len(x))
	for i, w := range x {
		scaled.X[i] = w / greatest
	}
	best, err = o.Choose(e, &scaled)
	o.Memory.round = 0
	return best, err
}

// Estimate computes an ellipsoid from sums: V = sum of x x^T plus its regulariser, u = sum of x y,
// centre V^-1 u. It is the half of LinUCB that sees sums; it never sees a context. Its user sets
// the width beta.
type Estimate struct {
	Ellipsoid
	Dim    int
	LogDet float64   // ln det V
	work   []float64 // Cholesky factor
	vector []float64
	powers []float64 // work space
	Steps  int       // rank-one updates since the last factorisation
}

// tightenEvery is the number of rank-one updates between two computations of the bound on |V^-1|. A
// computation costs O(d^3). In between the bound stays valid, as rank-one updates only shrink V^-1.
const tightenEvery = 64

// RefactorEvery is the number of rank-one updates after which V is factored anew. It bounds their
// drift, at most about 1e-13 relative per thousand updates.
const RefactorEvery = 1024

func (e *Estimate) Init(d int) {
	*e = Estimate{Dim: d, work: make([]float64, packed.Size(d)), vector: make([]float64, d), powers: make([]float64, 2*d*d)}
	e.View(make([]float64, Size(d)), d)
}

// Solve computes the centre, V^-1 and ln det V from the packed sum of rows (x, y): V is its leading
// block of order d, u the row below. If V is not positive definite, because the noise has exceeded
// its bounds, its eigenvalues are floored and floored is true; that is post-processing of a
// release. If flooring does not help, it is an error, and the estimate stays as before. solve
// overwrites sum.
func (e *Estimate) Solve(sum []float64, floor float64) (floored bool, err error) {
	d := e.Dim
	v, u := sum[:packed.Size(d)], sum[packed.Size(d):packed.Size(d)+d]
	logDet, ok := e.invert(v)
	if !ok {
		floored = true
		trace := 0.0
		for i, p := 0, 0; i < d; i, p = i+1, p+i+2 {
			trace += v[p]
		}
		floor = math.Max(floor, trace*0x1p-40) // less would be lost in rounding
		packed.Floor(v, make([]float64, 2*d*d), d, floor)
		if logDet, ok = e.invert(v); !ok {
			return floored, fmt.Errorf("learner: the Gram matrix has no Cholesky factor with its eigenvalues floored at %v: %v", floor, append([]float64(nil), v...))
		}
	}
	packed.MulVec(e.Theta, e.Inverse, u)
	e.LogDet, e.Steps = logDet, 0
	return floored, nil
}

// invert computes V^-1 and ln det V. It reports false if V is not positive definite.
func (e *Estimate) invert(v []float64) (logDet float64, ok bool) {
	if packed.Wide(e.Dim) {
		return packed.Inverse(e.Inverse, v, e.powers, e.Dim)
	}
	if logDet, ok = packed.Cholesky(e.work, v, e.Dim); ok {
		packed.Invert(e.Inverse, e.work, e.Dim)
	}
	return logDet, ok
}

// Step updates the centre, V^-1 and ln det V by one row (Sherman and Morrison; the determinant
// lemma). With k = V^-1 x, it adds residual k to the centre and takes gain k k^T off V^-1.
func (e *Estimate) Step(x []float64, y float64) (gain, residual float64) {
	k := e.vector
	packed.MulVec(k, e.Inverse, x)
	width := packed.Dot(x, k)
	gain = 1 / (1 + width)
	residual = (y - packed.Dot(x, e.Theta)) * gain
	for i, v := range k {
		e.Theta[i] += float64(residual * v)
	}
	packed.AddScaledOuter(e.Inverse, -gain, k)
	e.LogDet += portable.Log1p(width)
	e.Steps++
	return gain, residual
}

// Bound sets the bound on |V^-1| after solve.
func (e *Estimate) Bound() { e.Width[1] = packed.NormBound(e.Inverse, e.vector, e.Dim) }

// Tighten sets the bound on |V^-1| after solve or step. It computes it anew every tightenEvery
// steps.
func (e *Estimate) Tighten() {
	if e.Steps%tightenEvery == 0 {
		e.Width[1] = packed.NormBoundTight(e.Inverse, e.powers, e.Dim)
	}
}

// Confidence holds what determines the width of an ellipsoid by Proposition 4 of Shariff and
// Sheffet 2018.
type Confidence struct {
	Dim       int
	Sigma     float64 // of the reward's noise, subgaussian
	ThetaNorm float64 // S
	TwoLog    float64 // 2 ln(2/alpha)
}

// Beta returns sigma sqrt(2 ln(2/alpha) + ln det V - d ln rho_min) + S sqrt(rho_max) + gamma;
// logFloor is d ln rho_min.
func (c *Confidence) Beta(logDet, logFloor float64, b *privacy.Bounds) float64 {
	return float64(c.Sigma*math.Sqrt(max(0, c.TwoLog+logDet-logFloor))) + float64(c.ThetaNorm*math.Sqrt(b.RhoMax)) + b.Gamma
}
