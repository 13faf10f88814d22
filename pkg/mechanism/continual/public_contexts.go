package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// PublicContexts releases running sums of rows (x, y) whose contexts x are public and whose rewards
// y are not: the sum of x x^T as it is, and the sum of x y under Gaussian noise. AdaC-OFUL reads
// them (Azize and Basu 2024).
//
// It releases seldom. Let V be Ridge times the identity plus the sum of x x^T. There is a release
// when det V has grown by a factor of more than 1 + Growth since the last one (Abbasi-Yadkori, Pál,
// Szepesvári 2011, Section 5.1), so that n rows of norm L at most make no more than
//
//	k = d ln(1 + n L^2/(d Ridge))/ln(1 + Growth)
//
// releases, by the trace of V. The rows between two releases are a phase. Each phase's sum of x y
// gets fresh noise of standard deviation s = L (Hi - Lo)/mu*(epsilon, delta). A reward is in one
// phase and moves its sum by at most L (Hi - Lo); so all releases together are (epsilon,
// delta)-private, however many there are. The noise of release k is that of k phases, of standard
// deviation s sqrt(k). With Buffers it is correlated between releases as in [BLT], and grows as ln
// k: s times 2.4 where k = 73.
//
// A neighbour replaces the reward of one round. When there are releases depends on contexts alone.
// Which context a round adds depends on earlier releases and on public contexts, and not on its
// reward. The trust model is central.
//
// Bounds.Gamma bounds the noise in the norm of V^-1, which is what a confidence width asks for: h
// of the phases has |h| <= s sqrt(k) (sqrt(d) + sqrt(2 ln(2 k (k+1)/alpha))) in all releases k
// with probability at least 1 - alpha/2, and |h|_{V^-1} <= |h| |V^-1|^(1/2). That is for any V, as
// contexts depend on the noise before them. The last entry of the sums, that of y^2, is 0.
type PublicContexts struct {
	Budget privacy.Budget // no default; delta > 0
	Growth float64        // C, in (0, 1e6]; 0 means 1: det V doubles
	Ridge  float64        // > 0, in the units of L^2; 0 means 1. The sums cannot be shifted otherwise
	// Buffers is the number of buffers, at most 16, by which noise is correlated between releases. 0
	// means fresh noise for each phase, as in AdaC-OFUL.
	Buffers int
}

var _ privacy.Accumulator = PublicContexts{}

// publicContexts is a PublicContexts for a setup.
type publicContexts struct {
	curator.Planned
	data          privacy.Setup
	growth, ridge float64
	context       float64 // L
	sd            float64 // s, times the norm of C's columns
	most          int     // releases
	by            *bltKernel
	like          privacy.Sums
}

// publicContextsRun is a run of PublicContexts.
type publicContextsRun struct {
	*publicContexts
	rows
	by     correlated
	stream *privacy.Noise
	made   int       // releases so far
	grown  float64   // det V over that of the last release
	gram   []float64 // sum of x x^T, packed
	sum    []float64 // sum of x (y - Lo), which loses no digits to a large Lo
	all    []float64 // sum of x, which is public
	noise  []float64
	v      []float64 // V, then its Cholesky factor
	back   []float64 // V^-1
	along  []float64 // V^-1 x
	work   []float64
}

// Open validates and calibrates. It reads Setup.Dim, Horizon, Bound, Context, Alpha, Lo and Hi.
func (of PublicContexts) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkFactorised(s, of.Budget); err != nil {
		return nil, err
	}
	p := &publicContexts{data: s, growth: of.Growth, ridge: of.Ridge, context: s.Context}
	if p.growth == 0 {
		p.growth = 1
	}
	if p.ridge == 0 {
		p.ridge = 1
	}
	if p.context == 0 {
		p.context = s.Bound
	}
	switch {
	case !(s.Lo < s.Hi) || math.IsInf(s.Hi-s.Lo, 0):
		return nil, fmt.Errorf("mechanism: PublicContexts with Setup.Lo = %v, Hi = %v, want finite and Lo < Hi", s.Lo, s.Hi)
	case !(p.growth > 0 && p.growth <= 1e6):
		return nil, fmt.Errorf("mechanism: PublicContexts.Growth = %v, want in (0, 1e6], or 0 for 1", of.Growth)
	case !(p.ridge > 0) || math.IsInf(p.ridge, 1):
		return nil, fmt.Errorf("mechanism: PublicContexts.Ridge = %v, want finite and > 0, or 0 for 1", of.Ridge)
	case of.Buffers < 0 || of.Buffers > bltBuffers:
		return nil, fmt.Errorf("mechanism: PublicContexts.Buffers = %d, want in [1, %d], or 0 for fresh noise", of.Buffers, bltBuffers)
	}
	if err := curator.Fitting(s, float64(of.Buffers)+8); err != nil {
		return nil, err
	}
	p.most = p.releases()
	if p.by = (&bltKernel{releases: p.most, beta: []float64{1}, decay: []float64{1}}); of.Buffers > 0 {
		var err error
		if p.by, err = newBLTKernel(of.Buffers, p.most); err != nil {
			return nil, err
		}
	}
	return p, p.calibrate(of.Budget)
}

// releases bounds the number of releases, at least 1.
func (p *publicContexts) releases() int {
	d := float64(p.data.Dim - 1)
	most := releases(p.data.Horizon)
	grown := float64(most) * p.context / p.ridge * p.context / d
	return int(max(1, min(float64(most), d*portable.Log1p(grown)/portable.Log1p(p.growth)*(1+1e-9))))
}

// calibrate sets the noise, the plan, and the release of no records.
func (p *publicContexts) calibrate(b privacy.Budget) error {
	mu, err := b.GaussianMu()
	if err != nil {
		return err
	}
	moves := p.context * (p.data.Hi - p.data.Lo)
	if p.sd = p.by.columnNorm(p.most) * moves / mu; b.None() {
		p.sd = 0
	}
	if err := curator.Positive("Gaussian noise", p.sd, b, p.data); err != nil {
		return err
	}
	shows := curator.Central(privacy.ReplaceWeights, b, "one noisy sum for a phase: Azize and Basu 2024; adaptive inputs by Denisov et al. 2022, Theorem 2.1; mu-GDP (Dong, Roth, Su 2022)",
		fmt.Sprintf("rewards clipped to [%v, %v], and contexts to the norm %v, inside the mechanism", p.data.Lo, p.data.Hi, p.context),
		"the context of a round depends on earlier releases and on public contexts, and not on its reward")
	p.Planned = curator.Plans(shows.With(privacy.Release{Law: privacy.GaussianLaw(p.data.Dim-1, p.sd),
		Sensitivity: privacy.Norms{L2: moves}, Optional: true}), 1)
	perturbation := p.perturbation(p.most)
	p.like = privacy.Sums{Shift: p.ridge, Spread: privacy.Spread{Norm: perturbation, Fixed: true}}
	p.like.Bounds = privacy.Bounds{RhoMin: p.ridge, RhoMax: p.ridge, Gamma: perturbation / math.Sqrt(p.ridge)}
	return nil
}

// perturbation bounds |h| in release k, except with probability alpha/(2k(k+1)).
func (p *publicContexts) perturbation(k int) float64 {
	d, n := float64(p.data.Dim-1), float64(k)
	tail := portable.Log(2*n*(n+1)) - portable.Log(p.data.Alpha)
	return p.sd * math.Sqrt(p.by.rowSquare(n)) * (math.Sqrt(d) + math.Sqrt(2*tail))
}

// Start begins a run that draws its noise from n.
func (p *publicContexts) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(p)
	}
	d := p.data.Dim - 1
	matrix, vector := func() []float64 { return make([]float64, packed.Size(d)) }, func() []float64 { return make([]float64, d) }
	r := &publicContextsRun{publicContexts: p, rows: newRows(p.data, p.like), by: p.by.begin(d), stream: n, grown: 1,
		gram: matrix(), v: matrix(), back: matrix(), sum: vector(), all: vector(), noise: vector(), along: vector(), work: make([]float64, 2*d*d)}
	r.invert()
	return r
}

// Draw writes fresh noise of a phase into dst.
func (p *publicContexts) Draw(n *privacy.Noise, dst []float64) { n.Gaussian(dst, p.sd) }

// Add adds a row. moved reports that det V has grown enough, and that there is a release.
func (r *publicContextsRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := r.take(rec)
	if row == nil {
		return false, err
	}
	d := len(row) - 1
	x, y := row[:d], row[d]-r.data.Lo
	packed.AddOuter(r.gram, x)
	for i, v := range x {
		r.sum[i] += float64(v * y)
		r.all[i] += v
	}
	packed.MulVec(r.along, r.back, x)
	width := packed.Dot(x, r.along)
	packed.AddScaledOuter(r.back, -1/(1+width), r.along)
	if r.grown *= 1 + width; !(r.grown > 1+r.growth) || r.made == r.most {
		return false, nil
	}
	r.release()
	return true, nil
}

// take admits a row as rows.take does, but clips context and reward by themselves: what becomes of
// a context must not depend on its reward.
func (r *publicContextsRun) take(rec *privacy.Record) ([]float64, error) {
	n, d := r.setup.Horizon, r.setup.Dim-1
	switch {
	case r.count >= n:
		return nil, fmt.Errorf("mechanism: a row beyond the horizon of %d rounds, want none: its release would cost privacy that was not accounted", n)
	case len(rec.X) != d || len(rec.Y) != 1:
		return nil, fmt.Errorf("mechanism: a context of length %d, with %d rewards, want %d, with 1", len(rec.X), len(rec.Y), d)
	case !(packed.Finite(rec.X) && packed.Finite(rec.Y)):
		return nil, fmt.Errorf("mechanism: a context %v with reward %v, want finite numbers", append([]float64(nil), rec.X...), rec.Y[0])
	}
	row := append(append(r.buf[:0], rec.X...), min(max(rec.Y[0], r.setup.Lo), r.setup.Hi))
	long := packed.Norm(row[:d]) > r.context*(1+1e-12)
	if long {
		packed.Shorten(row[:d], r.context)
	}
	if long || row[d] != rec.Y[0] {
		r.clipped++
	}
	if r.count++; r.count == n { // no round comes after it
		return nil, nil
	}
	return row, nil
}

// invert computes V^-1 and its determinant's growth anew.
func (r *publicContextsRun) invert() {
	d := r.setup.Dim - 1
	packed.Shift(r.v, r.gram, d, r.ridge)
	if _, ok := packed.Cholesky(r.v, r.v, d); ok { // if not, what the rows have made of V^-1 will do
		packed.Invert(r.back, r.v, d)
	}
	r.grown = 1
}

// release releases the sums, under the noise of one more phase.
func (r *publicContextsRun) release() {
	r.made++
	r.by.next(r.made, r.publicContexts, r.stream, r.noise)
	r.invert()
	d := r.setup.Dim - 1
	at := copy(r.sums.Packed, r.gram)
	for i, v := range r.sum {
		r.sums.Packed[at+i] = v + r.noise[i] + float64(r.data.Lo*r.all[i])
	}
	norm := min(1/r.ridge, packed.NormBoundTight(r.back, r.work, d))
	r.sums.Bounds.Gamma = r.perturbation(r.made) * math.Sqrt(norm)
}

// Release returns the sums that were released last.
func (r *publicContextsRun) Release() *privacy.Sums { return r.sums }

// plan returns what the releases after so many records show of one record.
func (p *publicContexts) plan(records, draws int) privacy.Plan {
	return columns(&p.Planned, p.by, min(records, p.most), draws)
}

// Plan returns what the releases after the given number of records reveal of one reward.
func (p *publicContexts) Plan(records int) privacy.Plan { return p.plan(records, 0).HeldBy(p) }

// Plan returns the mechanism's plan with the draws of the run.
func (r *publicContextsRun) Plan(records int) privacy.Plan {
	return r.plan(records, r.made).HeldBy(r)
}

// SD returns s, the standard deviation of a phase's fresh noise.
func (p *publicContexts) SD() float64 { return p.sd }

// Releases returns the largest number of releases.
func (p *publicContexts) Releases() int { return p.most }
