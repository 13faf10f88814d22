package tally

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Regression releases the normal equations of least squares when a batch of rounds ends: V, the sum
// of x x^T, as it is, and u, the sum of x y, under Gaussian noise. AdaC-GOPE reads them (Azize and
// Basu 2024).
//
// The contexts x of the arms played are public, and the rewards y are not. A neighbour replaces
// the reward of one round, which moves V^(-1/2) u by at most g (Hi - Lo), where g is the largest
// |x|_{V^-1} of the batch. So the noise in V^(-1/2) u is g N(0, s^2 I), with s = (Hi -
// Lo)/mu*(epsilon, delta): each batch is mu-GDP, and so is the run, as a reward is in one batch.
// The noise in the estimate of <a, theta> has the standard deviation s g |a|_{V^-1}, however many
// arms the batch has played. Noise on the sum of each arm's rewards, as [RoundBatches] adds it,
// comes to the same if the arms played are linearly independent, and to more if they are not.
//
// The lengths of the batches are public and fixed in advance. A batch that the horizon cuts short
// releases nothing, and nothing of a batch is kept. An arm should keep its context within a batch:
// if one does not, g counts as 1, which it never exceeds. So that V has an inverse if the contexts
// do not span the space, a trillionth of n L^2 is added to its diagonal (of more than 4500 rounds,
// n 2^-52), for n rounds and contexts of norm L at most; the estimates lose no more than their
// digits by that. A context shorter than 1e-100 L counts as 0. Rewards are summed relative to Lo,
// under the noise, and Lo times the sum of x, which is public, is added to what is released.
//
// Which arms are played depends on earlier releases and on public contexts, and not on the round's
// reward. The trust model is central, and the noise is for research.
type Regression struct {
	Budget  privacy.Budget // no default; delta > 0
	Lengths RoundLengths   // no default. If it has a method Validate() error, Open calls that
}

// Equations is the release of Regression: the normal equations V theta = u of a batch.
type Equations struct {
	Batches int       // that have ended; 0 means that nothing was released yet
	V       []float64 // packed by the rows of the lower triangle
	U       []float64
	Noise   float64 // s g: the noise in U has the covariance Noise^2 V
}

var _ privacy.Statistic[Equations] = Regression{}

// regression is a Regression for a setup.
type regression struct {
	curator.Planned
	data    privacy.Setup
	lengths RoundLengths
	context float64 // L
	sd      float64 // s
}

// regressionRun is a run of a Regression.
type regressionRun struct {
	*regression
	weighed
	noise     *privacy.Noise
	left      int // rounds until the open batch ends; 0 means that there is none
	rounds    int // of the open batch
	shortened int // contexts that were clipped, of rewards that were not
	draws     int
	played    []bool    // by arm, in the open batch
	contexts  []float64 // of these arms
	varied    bool      // one of them had two contexts
	v, u      []float64 // sums of x x^T and of x (y - Lo)
	all       []float64 // sum of x, which is public
	factor    []float64 // Cholesky's
	x, z      []float64
	release   Equations
}

// Open validates and calibrates. It reads Setup.Horizon, Arms, Lo and Hi, Dim, Bound and Context.
func (of Regression) Open(s privacy.Setup) (privacy.Mechanism[Equations], error) {
	if err := checkTally(s, float64(s.Dim)+2); err != nil {
		return nil, err
	}
	switch {
	case s.WarmUp || s.Slots != 1:
		return nil, fmt.Errorf("mechanism: Regression with Setup.Slots = %d, WarmUp = %v, want 1 and false", s.Slots, s.WarmUp)
	case s.Dim < 2:
		return nil, fmt.Errorf("mechanism: Regression with Setup.Dim = %d, want >= 2", s.Dim)
	}
	r := &regression{data: s, lengths: of.Lengths, context: s.Context}
	if r.context == 0 {
		r.context = s.Bound
	}
	if !(r.context >= size.LeastBound && r.context <= size.MostBound) {
		return nil, fmt.Errorf("mechanism: Setup.Context = %v, or Bound = %v without it, want finite and > 0, in [%v, %v]",
			s.Context, s.Bound, size.LeastBound, size.MostBound)
	}
	if err := size.Check(fmt.Sprintf("mechanism: Regression over Setup.Dim = %d", s.Dim), float64(3*size.Triangle(s.Dim))); err != nil {
		return nil, err
	}
	if err := field.Check("mechanism: Regression.Lengths", of.Lengths); err != nil {
		return nil, err
	}
	if v, ok := of.Lengths.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, err
		}
	}
	if n := r.lengths.Length(0, s); n < 0 {
		return nil, fmt.Errorf("mechanism: Regression.Lengths.Length(0) = %d, want >= 1, or 0 for none", n)
	}
	mu, err := of.Budget.GaussianMu()
	if err != nil {
		return nil, err
	}
	if r.sd = (s.Hi - s.Lo) / mu; of.Budget.None() {
		r.sd = 0
	}
	if err := curator.Positive("Gaussian noise", r.sd, of.Budget, s); err != nil {
		return nil, err
	}
	shows := ofWeights(s, of.Budget, "noise of the shape of least squares: Azize and Basu 2024, Algorithm AdaC-GOPE; mu-GDP (Dong, Roth, Su 2022)")
	shows.Conditions = append(shows.Conditions, fmt.Sprintf("contexts are public, and clipped to the norm %v inside the mechanism", r.context))
	r.Planned = curator.Plans(shows.With(privacy.Release{Law: privacy.GaussianLaw(s.Dim-1, r.sd),
		Sensitivity: privacy.Norms{L2: s.Hi - s.Lo}, Optional: true}), 1)
	return r, nil
}

// Start begins a run that draws its noise from n.
func (r *regression) Start(n *privacy.Noise) privacy.Stream[Equations] {
	if n == nil {
		return curator.WithoutNoise(r)
	}
	d := r.data.Dim - 1
	run := &regressionRun{regression: r, weighed: newWeighed(r.data), noise: n, left: max(0, r.lengths.Length(0, r.data)),
		played: make([]bool, r.data.Arms), contexts: make([]float64, r.data.Arms*d),
		v: make([]float64, packed.Size(d)), u: make([]float64, d), all: make([]float64, d), factor: make([]float64, packed.Size(d)),
		x: make([]float64, d), z: make([]float64, d),
		release: Equations{V: make([]float64, packed.Size(d)), U: make([]float64, d)}}
	return run
}

// Add adds a record. moved reports that a batch has ended and was released.
func (r *regressionRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := r.check(rec); err != nil {
		return false, err
	}
	switch d := len(r.x); {
	case len(rec.Arms) != 1:
		return false, fmt.Errorf("mechanism: a record of %d arms, want 1", len(rec.Arms))
	case len(rec.X) != d:
		return false, fmt.Errorf("mechanism: a context of %d numbers, want %d", len(rec.X), d)
	case !packed.Finite(rec.X):
		return false, fmt.Errorf("mechanism: a context %v, want finite numbers", slices.Clone(rec.X))
	}
	r.take(rec)
	x, y := r.x, r.over(rec.Y[0])
	if copy(x, rec.X); packed.Norm(x) > r.context*(1+1e-12) {
		packed.Shorten(x, r.context)
		r.shortened++
	}
	if packed.Norm(x) < shortest*r.context {
		clear(x)
	}
	if r.left == 0 {
		return false, nil
	}
	arm := rec.Arms[0]
	known := r.contexts[arm*len(x) : (arm+1)*len(x)]
	r.varied = r.varied || r.played[arm] && !slices.Equal(known, x)
	r.played[arm] = true
	copy(known, x)
	packed.AddOuter(r.v, x)
	for i, w := range x {
		r.u[i] += float64(w * y)
		r.all[i] += w
	}
	r.rounds++
	if r.left--; r.left > 0 {
		return false, nil
	}
	r.end()
	return true, nil
}

// end releases the open batch and opens the next.
func (r *regressionRun) end() {
	d, e, n := len(r.x), &r.release, float64(r.rounds)
	ridge := n * r.context * r.context * max(1e-12, n*0x1p-52)
	for ok := false; !ok; ridge *= 10 { // once, but for rounding
		packed.Shift(e.V, r.v, d, ridge)
		_, ok = packed.Cholesky(r.factor, e.V, d)
	}
	g := r.furthest()
	e.Noise = r.sd * g
	r.noise.Gaussian(r.z, r.sd)
	for i, p := 0, 0; i < d; i++ { // U = u + g L z, where L L^T = V, and then what is public of it
		e.U[i] = r.u[i] + float64(g*packed.Dot(r.factor[p:p+i+1], r.z[:i+1])) + float64(r.data.Lo*r.all[i])
		p += i + 1
	}
	r.draws++
	e.Batches++
	r.left, r.rounds, r.varied = max(0, r.lengths.Length(e.Batches, r.data)), 0, false
	clear(r.played)
	clear(r.v)
	clear(r.u)
	clear(r.all)
}

// shortest is the length, in units of the norm, below which a context counts as 0: its square would
// vanish, and the noise with it.
const shortest = 1e-100

// furthest returns g, rounded up: it is |L^-1 x| by the very L that shapes the noise. L's
// condition is at most 1e6, by the ridge, so that forward substitution errs by d^1.5 2^-53 1e6.
func (r *regressionRun) furthest() float64 {
	if r.varied {
		return 1
	}
	var most float64
	d := len(r.x)
	for arm, played := range r.played {
		if played {
			x := r.contexts[arm*d : (arm+1)*d]
			copy(r.x, x)
			packed.Forward(r.factor, r.x)
			most = max(most, packed.Norm(r.x))
		}
	}
	return min(1, most*(1+float64(2e-10*float64(d)*math.Sqrt(float64(d)))))
}

// Release returns the equations of the batch that has ended last.
func (r *regressionRun) Release() *Equations { return &r.release }

// Clipped returns how many rewards and contexts were clipped.
func (r *regressionRun) Clipped() int { return r.clipped + r.shortened }

// SD returns s, the standard deviation of the noise in V^(-1/2) u where g = 1.
func (r *regression) SD() float64 { return r.sd }

// Plan returns what the batches of up to the given number of records reveal of one reward.
func (r *regression) Plan(records int) privacy.Plan {
	return r.Shown(max(0, records), 0).HeldBy(r).Trusts(r.lengths)
}

// Plan returns the mechanism's plan with the draws of the run.
func (r *regressionRun) Plan(records int) privacy.Plan {
	return r.Shown(max(0, records), r.draws).HeldBy(r).Trusts(r.lengths)
}
