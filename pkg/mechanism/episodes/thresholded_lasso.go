package episodes

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// ThresholdedLasso releases what PrivateThresholdedLASSO reads, as it is printed (Shukla,
// Differentially Private High-dimensional Bandits, arXiv:2402.03737, Algorithms 1 and 2). Its claim
// does not hold: the zero Repairs are for comparisons only, never to protect anybody.
//
// Before rounds 2, 4, 8, ... it fits a LASSO w to all rows so far, (1/n)|y - X w|^2 + lambda |w|_1
// with lambda = Lambda sqrt(2 ln t ln d/t), and keeps S_0 = {j: |w_j| > 4 lambda}. Then it asks for
// each j of S_0, in order, whether w_j + Lap(2 xi) > 4 lambda Gamma sqrt(s') + Lap(xi), until
// Sparsity + sqrt(s') coordinates are above: the support S. In each round it releases the sum of
// the rows (x_S, y) so far by a binary tree, each node of which has Wishart noise W(L~^2 I, k).
// Where S changes, all nodes in use are released again, under new noise. With L = ceil(log2 T)
// episodes and natural logarithms,
//
//	s' = 1 + 4 C_r C_X sqrt(Sparsity)/phi^2,
//	delta_1 = delta/2L, eps_1 = eps/(2L ln(1/delta_1)), eps' = eps_1/sqrt(8 s' ln(1/delta_1)),
//	xi = sqrt(32 ln(1/delta_1))/eps',
//	Gamma sqrt(s') = (xi ln((1-delta)/eps) - C_theta)/sqrt(ln d ln T) - 1,
//	eps_n = eps/sqrt(8 L ln(2/delta)), delta_n = delta/2L,
//	k = max(d+1, ceil(d ln(8d/delta_n) (2/delta_n)/eps_n^2))
//
// for nodes of order p = |S| + 1. Repairs lists what is wrong with this, and repairs it, one by
// one. With all that the privacy needs, the claim is what the accountant proves of the noise. That
// much noise leaves no signal at any common horizon: use [SparseEpisodes].
//
// It keeps all rows. Rounds allocate nothing; the beginning of an episode allocates a little.
type ThresholdedLasso struct {
	Budget        privacy.Budget // no default, and delta > 0; epsilon = +Inf means no noise
	Sparsity      int            // s_0, in [1, d], no default
	Lambda        float64        // lambda_0, > 0; 0 means 0.1
	Compatibility float64        // phi, > 0; 0 means 0.5
	Reward        float64        // bound C_r on rewards, > 0, no default
	Context       float64        // bound C_X on contexts, > 0; 0 means 1
	Norm          float64        // bound C_theta on |theta|, > 0; 0 means 1
	Row           float64        // bound on |x_S|, so that L~^2 = Row^2 + Reward^2; > 0, no default
	Repairs       Repairs
}

var _ privacy.Statistic[SparseGram] = ThresholdedLasso{}

// thresholdedLasso is a ThresholdedLasso for a setup.
type thresholdedLasso struct {
	data      privacy.Setup
	dim       int
	as        ThresholdedLasso // with its defaults
	most      int              // coordinates that S may have
	episodes  int
	levels    int
	xi        float64
	threshold float64           // Gamma sqrt(s')
	samplers  []*random.Wishart // by order; nil without noise
}

// thresholdedLassoRun is a run of a ThresholdedLasso.
type thresholdedLassoRun struct {
	*thresholdedLasso
	noise   *privacy.Noise
	solver  *lasso.Solver
	wishart []*wishartDraws // by order
	count   int
	clipped int
	rows    []float64
	rewards []float64
	z       []float64
	sum     []float64
	nodes   [][]float64 // by level
	queries int
	redrawn int // thresholds
	buf     [1]float64
	support []int
	release SparseGram
}

// Open validates and calibrates.
func (of ThresholdedLasso) Open(s privacy.Setup) (privacy.Mechanism[SparseGram], error) {
	if err := checkEpisodes(s); err != nil {
		return nil, err
	}
	if err := of.Budget.Approximate(); err != nil {
		return nil, err
	}
	as := of
	for _, f := range []struct {
		name  string
		value *float64
		zero  float64
	}{
		{"Lambda", &as.Lambda, 0.1}, {"Compatibility", &as.Compatibility, 0.5}, {"Reward", &as.Reward, 0},
		{"Context", &as.Context, 1}, {"Norm", &as.Norm, 1}, {"Row", &as.Row, 0},
	} {
		if *f.value == 0 {
			*f.value = f.zero
		}
		if !(*f.value >= 1e-10 && *f.value <= 1e10) {
			return nil, fmt.Errorf("mechanism: ThresholdedLasso.%s = %v, want finite and > 0, in [1e-10, 1e10]", f.name, *f.value)
		}
	}
	dim := s.Dim - 1
	if of.Sparsity < 1 || of.Sparsity > dim {
		return nil, fmt.Errorf("mechanism: ThresholdedLasso.Sparsity = %d, want in [1, d = %d]", of.Sparsity, dim)
	}
	what := fmt.Sprintf("mechanism: ThresholdedLasso over %d rows of dimension %d", s.Horizon, dim)
	if err := size.Check(what, float64(2*float64(s.Horizon)*float64(dim))+float64(float64(dim)*float64(dim))); err != nil {
		return nil, err
	}
	levels := bits.Len(uint(s.Horizon))
	// Episodes begin before rounds 1, 2, 4, ...
	t := &thresholdedLasso{data: s, dim: dim, levels: levels, episodes: levels, as: as}
	if err := t.calibrate(&t.as, s.Horizon); err != nil {
		return nil, err
	}
	if _, err := t.fit(); err != nil {
		return nil, err
	}
	return t, nil
}

// fit returns a solver without rows.
func (t *thresholdedLasso) fit() (*lasso.Solver, error) {
	r := lasso.Regression{Dim: t.dim, Tolerance: 1e-6}
	if float64(t.data.Horizon)*float64(t.dim) > 1<<24 {
		r.Fold = 64
	}
	return r.Open()
}

// Start begins a run that draws its noise from n.
func (t *thresholdedLasso) Start(n *privacy.Noise) privacy.Stream[SparseGram] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	order := t.most + 1
	r := &thresholdedLassoRun{thresholdedLasso: t, noise: n, rows: make([]float64, 0, t.data.Horizon*t.dim), rewards: make([]float64, 0, t.data.Horizon),
		z: make([]float64, order), sum: make([]float64, packed.Size(order)), nodes: make([][]float64, t.levels), release: SparseGram{Dim: t.dim}}
	r.solver, _ = t.fit()                // Open has tried
	_ = r.solver.Reserve(t.data.Horizon) // which it has checked to fit into memory
	for i := range r.nodes {
		r.nodes[i] = make([]float64, packed.Size(order))
	}
	if t.samplers != nil {
		r.wishart = make([]*wishartDraws, len(t.samplers))
		for i, w := range t.samplers {
			if w != nil {
				r.wishart[i] = &wishartDraws{sampler: w.Copy()}
			}
		}
	}
	return r
}

// Release returns the sums on the support. They have no bound on their noise.
func (t *thresholdedLassoRun) Release() *SparseGram { return &t.release }

// Clipped returns the number of rows whose reward was clipped. Without Repairs.Bound
// rows are clipped far out only, where products would overflow.
func (t *thresholdedLassoRun) Clipped() int { return t.clipped }

// Add adds a row. moved is true but for the last row, whose release nobody would see.
func (t *thresholdedLassoRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := checkRow(t.data, t.count, rec); err != nil {
		return false, err
	}
	t.count++
	y := min(max(rec.Y[0], -farContext), farContext)
	if t.as.Repairs.Bound {
		y = min(max(y, -t.as.Reward), t.as.Reward)
	}
	if y != rec.Y[0] {
		t.clipped++
	}
	if t.count == t.data.Horizon {
		return false, nil
	}
	t.rows = append(t.rows, rec.X...)
	x := t.rows[len(t.rows)-t.dim:]
	for j, v := range x {
		x[j] = min(max(v, -farContext), farContext)
	}
	t.rewards = append(t.rewards, y)
	if err := t.solver.Add(x, y); err != nil {
		return false, err
	}
	if next := t.count + 1; next&t.count == 0 { // a power of two
		t.choose(next)
	} else if len(t.support) > 0 {
		t.addRow(t.count - 1)
		t.drawNode(bits.TrailingZeros(uint(t.count)))
	}
	t.release.Records = t.count
	t.write()
	return true, nil
}

// choose chooses the support anew before round next. If it has changed, all sums are released
// again.
func (t *thresholdedLassoRun) choose(next int) {
	t.release.Episode++
	old := t.support
	support := t.above(next, make([]int, 0, t.most))
	if slices.Equal(old, support) {
		if len(support) > 0 {
			t.addRow(t.count - 1)
			t.drawNode(bits.TrailingZeros(uint(t.count)))
		}
		return
	}
	t.support, t.release.Support = support, slices.Clone(support)
	q := len(support)
	t.release.Gram, t.release.Cross = make([]float64, packed.Size(q)), make([]float64, q)
	t.release.Centre = make([]float64, q)
	if q == 0 {
		return
	}
	clear(t.sum)
	for i := range t.rewards {
		t.addRow(i)
	}
	for level := range t.nodes {
		if t.count>>level&1 == 1 {
			t.drawNode(level)
		}
	}
}

// above appends the coordinates that are above the noisy threshold, in increasing order.
func (t *thresholdedLassoRun) above(next int, dst []int) []int {
	n, r := float64(next), t.as.Repairs
	lambda := t.as.Lambda * math.Sqrt(2*portable.Log(n)*portable.Log(float64(max(t.dim, 2)))/n)
	w, _ := t.solver.Fit(lambda / 2) // of (1/2n) |y - X w|^2; one that has not converged is as good
	offset, open := 0.0, false
	for j, v := range w {
		if !r.Screen && !(math.Abs(v) > 4*lambda) {
			continue
		}
		if r.Sensitivity {
			v = min(max(v, -t.as.Norm), t.as.Norm)
		}
		if r.TwoSided {
			v = math.Abs(v)
		}
		if !open {
			offset, open = t.laplace(t.xi, &t.redrawn), r.Threshold
		}
		if v+t.laplace(2*t.xi, &t.queries) > float64(4*lambda*t.threshold)+offset {
			dst, open = append(dst, j), false
		}
		if len(dst) == t.most {
			break
		}
	}
	return dst
}

// laplace draws a number and counts it.
func (t *thresholdedLassoRun) laplace(scale float64, count *int) float64 {
	if scale == 0 {
		return 0
	}
	*count++
	t.noise.Laplace(t.buf[:], scale)
	return t.buf[0]
}
