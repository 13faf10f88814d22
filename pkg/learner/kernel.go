package learner

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Kernel has a linear learner learn functions that are smooth and not linear. It replaces each
// context x by D random Fourier features phi(x), and plays the learner on these (Rahimi and Recht,
// Random features for large-scale kernel machines, NIPS 2007).
//
// The features are pairs sqrt(2/D) (sin <w_i, x>, cos <w_i, x>), i = 1, ..., D/2, where the w_i are
// normal with standard deviation 1/Lengthscale in each coordinate. The mean of <phi(x), phi(y)>
// over the w_i is the Gaussian kernel k = exp(-|x - y|^2/(2 Lengthscale^2)), the characteristic
// function of w; its standard deviation is (1 - k^2)/sqrt(D), as E cos^2 <w, x-y> = (1 + k^4)/2.
// Over exact sums with a ridge, LinUCB on the features has the posterior mean of a Gaussian process
// with kernel <phi, phi> and with noise variance equal to the ridge. Its width is beta/sqrt(ridge)
// times the posterior's standard deviation.
//
// A mean reward f = sum_j c_j k(., z_j) is near <theta, phi(.)> with theta = sum_j c_j phi(z_j),
// and |theta| is near the norm of f in the kernel's space: a ThetaNorm of the learner bounds it. No
// width covers what D features cannot express of f. Noise for privacy grows with D, and that error
// falls with it: the best D is smaller, the smaller epsilon is.
//
// The claim is the learner's own, in every trust model. The map is drawn from Seed, before any
// data, and is public; sin^2 + cos^2 = 1 bounds the norm of phi(x) by 1 for every x, so nothing is
// clipped for privacy, and rounds that differ in x differ in phi(x). In the local model a device
// maps its own context. Features, Lengthscale and Seed must not be chosen by the data.
//
// Dubey (No-regret algorithms for private Gaussian process bandit optimization, AISTATS 2021)
// perturbs the same sums of other features, of a quadrature. Pavlovic, Salgia and Zhao
// (Differential privacy in kernelized contextual bandits via random projections,
// arXiv:2507.13639) project at random, too; their estimator is another one.
//
// Contexts longer than Problem.ContextNorm are shortened to it, and counted.
type Kernel struct {
	Learner     bandit.Learner // one for contexts, such as a Private over a linear.UCB
	Features    int            // D, even; 0 means 32
	Lengthscale float64        // > 0, in the unit of contexts; 0 means half their norm bound
	Seed        uint64         // of the features
}

var _ bandit.Learner = Kernel{}

// Open validates, draws the features, and opens the learner for them: contexts of dimension D and
// of norm 1.
func (k Kernel) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := field.Check("learner: Kernel.Learner", k.Learner); err != nil {
		return nil, err
	}
	if err := checks.Contexts("Kernel", p, horizon); err != nil {
		return nil, err
	}
	ready := &kernel{problem: p, features: k.Features}
	if ready.features == 0 {
		ready.features = 32
	}
	if ready.features < 2 || ready.features%2 != 0 {
		return nil, fmt.Errorf("learner: Kernel.Features = %d, want even and >= 2, or 0 for 32", k.Features)
	}
	least, length := p.ContextNorm/1e9, checks.Or(k.Lengthscale, p.ContextNorm/2)
	if !(length >= least && length <= checks.MostTuning) {
		return nil, fmt.Errorf("learner: Kernel.Lengthscale = %v, want in [%v, %v], or 0 for half of Problem.ContextNorm", k.Lengthscale, least, checks.MostTuning)
	}
	all := float64(float64(ready.features) * (float64(p.Arms) + float64(p.Dim)))
	if err := size.Check(fmt.Sprintf("learner: Kernel.Features = %d for %d arms", ready.features, p.Arms), all); err != nil {
		return nil, err
	}
	mapped := p
	mapped.Dim, mapped.ContextNorm = ready.features, 1
	var err error
	if ready.inner, err = k.Learner.Open(mapped, horizon); err != nil {
		return nil, err
	}
	if w, ok := ready.inner.(bandit.Warmer); ok && w.WantsWarmUp() {
		return nil, errors.Join(bandit.Close(ready.inner),
			fmt.Errorf("learner: Kernel.Learner is a %T, which wants a round 0: that is for problems without contexts", k.Learner))
	}
	ready.scale = math.Sqrt(2 / float64(ready.features))
	ready.turns = make([]float64, ready.features/2*p.Dim)
	random.NewNormals(random.Source(k.Seed, 0, "kernel")).Fill(ready.turns)
	for i := range ready.turns {
		ready.turns[i] /= 2 * math.Pi * length
	}
	return ready, nil
}

// kernel is a Kernel for a problem.
type kernel struct {
	inner    bandit.Calibrated
	problem  bandit.Problem
	features int
	scale    float64
	turns    []float64 // w_i/(2 pi), row by row
}

var _ privacy.Planner = (*kernel)(nil)

// Plan returns the learner's plan.
func (k *kernel) Plan(records int) privacy.Plan { return privacy.PlanOf(k.inner, records).HeldBy(k) }

// Close closes the learner, if it is to be closed.
func (k *kernel) Close() error { return bandit.Close(k.inner) }

// phi sets dst to the features of a context.
func (k *kernel) phi(x, dst []float64) {
	for i := range k.features / 2 {
		sin, cos := portable.Turns(packed.Dot(k.turns[i*len(x):(i+1)*len(x)], x))
		dst[2*i], dst[2*i+1] = k.scale*sin, k.scale*cos
	}
}

// Start begins a run.
func (k *kernel) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &kernelRun{
		kernel: k, run: k.inner.Start(own, noise),
		x: make([]float64, k.problem.Arms*k.features), short: make([]float64, k.problem.Dim),
	}
}

// kernelRun is a run of a Kernel.
type kernelRun struct {
	*kernel
	run   bandit.Run
	view  bandit.View // what the learner sees
	x     []float64   // its contexts
	short []float64   // a context that was too long
	long  int         // such contexts, of arms played
}

// see maps a view, unless that is done.
func (k *kernelRun) see(v *bandit.View) error {
	if !v.Fits(&k.problem) {
		return k.problem.CheckView(v)
	}
	if k.view.Round == v.Round {
		return nil
	}
	if v.Same && k.view.Round == v.Round-1 && k.view.Arms == v.Arms {
		k.view.Round, k.view.Same = v.Round, true
		return nil
	}
	for a := range v.Arms {
		if x := v.Row(a); !packed.Finite(x) {
			return fmt.Errorf("the context of arm %d is %v, want finite numbers", a, slices.Clone(x))
		}
	}
	for a := range v.Arms {
		x := v.Row(a)
		if k.beyond(x) {
			copy(k.short, x)
			x = k.short
			packed.Shorten(x, k.problem.ContextNorm)
		}
		k.phi(x, k.x[a*k.features:(a+1)*k.features])
	}
	k.view = bandit.View{Round: v.Round, Arms: v.Arms, Dim: k.features, X: k.x[:v.Arms*k.features]}
	return nil
}

// beyond reports whether a context is longer than its bound.
func (k *kernelRun) beyond(x []float64) bool {
	return packed.Beyond(packed.Dot(x, x), k.problem.ContextNorm)
}

// Select appends the learner's arms.
func (k *kernelRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if !(v.Same && v.Round == k.view.Round+1) {
		k.view.Round = -1 // also a view of the same round may be another one
	}
	if err := k.see(v); err != nil {
		return dst, checks.InRound(v.Round, err)
	}
	return k.run.Select(&k.view, dst)
}

// Explain appends what the learner chooses by, if it shows that.
func (k *kernelRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if err := k.see(v); err != nil {
		return dst, checks.InRound(v.Round, err)
	}
	return bandit.Explain(k.run, &k.view, dst)
}

// Update hands the rewards to the learner, with the features.
func (k *kernelRun) Update(v *bandit.View, arms []int, y []float64) error {
	err := k.see(v)
	if err == nil {
		err = k.problem.CheckArms(v, arms, y)
	}
	if err != nil {
		return checks.InRound(v.Round, err)
	}
	x := v.Row(arms[0])
	if !packed.Finite(x) {
		return checks.InRound(v.Round, fmt.Errorf("the context of arm %d is %v, want finite numbers", arms[0], slices.Clone(x)))
	}
	if err := k.run.Update(&k.view, arms, y); err != nil {
		return err
	}
	if k.beyond(x) {
		k.long++
	}
	return nil
}

// Released appends what the learner's statistic shows, as PrivateRun.Released does.
func (k *kernelRun) Released(dst []float64) ([]float64, error) { return released(k.run, dst) }

// Warnings returns the learner's warnings, and counts the contexts that were shortened.
func (k *kernelRun) Warnings() []bandit.Warning {
	w := bandit.Warnings(k.run)
	if k.long > 0 {
		w = append(w, bandit.Warning{What: "contexts longer than their bound, shortened before they were mapped", Count: k.long})
	}
	return w
}

// Plan returns the learner's plan, with the draws of this run.
func (k *kernelRun) Plan(records int) privacy.Plan { return privacy.PlanOf(k.run, records).HeldBy(k) }

// Close closes the learner's run, if it is to be closed.
func (k *kernelRun) Close() error { return bandit.Close(k.run) }

// Check compares noise that the learner drew from the operating system with its plan.
func (k *kernelRun) Check() error { return checkSystem(k.run) }
