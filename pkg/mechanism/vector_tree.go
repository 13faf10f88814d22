package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorTree releases running sums of vectors by the binary tree mechanism, as [Tree] does those of
// matrices. It is TreeBasedAgg of DP-FTRL (Agarwal and Singh 2017; Chari, Differentially Private
// Online Algorithms, Algorithm 1).
//
// Replacing one of the vectors of norm at most B = Setup.Bound moves each of the at most m =
// floor(log2(n-1)) + 1 nodes that hold it by at most 2B in Euclidean norm, and by 2 sqrt(N) B in L1
// norm, where N = Setup.Dim and n is the horizon. The noise of each coordinate of a node:
//
//   - delta = 0: Laplace noise of scale 2 sqrt(N) B m/epsilon makes the run epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation 2 B sqrt(m)/mu*(epsilon, delta), calibrated
//     exactly, as adaptive releases compose as mu-GDP.
//   - AsPublished, with delta = 0: Laplace noise of scale sqrt(N) B ln(n)/epsilon (Theorem 1). It
//     takes the norm of a vector for the sensitivity of a replacement, and ln n for the number of
//     nodes; the claim says that it buys 2m/ln n times epsilon, 2.9 to 3.04 times for n from 1e3 to
//     1e5.
//
// The trust model is central; neighbouring streams differ in one vector, replaced by any other, and
// vectors may depend on earlier releases. The noise is for research: floating-point noise leaks
// through its low bits (Mironov 2012).
type VectorTree struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget      privacy.Budget
	Calibration privacy.Calibration // Sound or AsPublished; the zero value is Sound
	// Padded gives every prefix the noise of exactly m nodes, the empty one as well, as the printed
	// algorithm does for its proof: fresh draws stand for nodes that a prefix does not have. It costs
	// no privacy and only adds noise.
	Padded bool

	vectors
	planned
	stack nodeStack
	by    vectorNoise
}

var _ privacy.Statistic[Total] = (*VectorTree)(nil)

// vectorNoise is independent noise on the coordinates of a vector.
type vectorNoise struct {
	gaussian bool
	scale    float64 // scale of the Laplace noise, or standard deviation of the Gaussian
}

// Draw fills dst with noise.
func (v *vectorNoise) Draw(n *privacy.Noise, dst []float64) {
	if v.gaussian {
		n.Gaussian(dst, v.scale)
	} else {
		n.Laplace(dst, v.scale)
	}
}

func (v *vectorNoise) law(dim int) privacy.Law {
	if v.gaussian {
		return privacy.GaussianLaw(dim, v.scale)
	}
	return privacy.LaplaceLaw(dim, v.scale)
}

// Init validates and calibrates.
func (t *VectorTree) Init(s privacy.Setup) error {
	t.planned, t.stack = planned{}, nodeStack{}
	levels := maxNodes(s.Horizon)
	if err := t.vectors.init(s, float64(levels)+2); err != nil {
		return err
	}
	if err := published("VectorTree", t.Calibration); err != nil {
		return err
	}
	if err := t.Budget.Validate(); err != nil {
		return err
	}
	m, root := float64(levels), math.Sqrt(float64(s.Dim))
	source := "binary tree: Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010"
	switch t.by = (vectorNoise{gaussian: t.Budget.Delta > 0}); {
	case t.Calibration == privacy.AsPublished && t.by.gaussian:
		return fmt.Errorf("mechanism: VectorTree.Calibration = AsPublished with delta = %v, want 0: the paper has Laplace noise", t.Budget.Delta)
	case t.Calibration == privacy.AsPublished && s.Horizon < 2:
		return fmt.Errorf("mechanism: VectorTree.Calibration = AsPublished over a horizon of %d, want >= 2: its scale is a multiple of ln(horizon)", s.Horizon)
	case t.Calibration == privacy.AsPublished:
		t.by.scale = root * s.Bound * portable.Log(float64(s.Horizon)) / t.Budget.Epsilon
		source = "Chari, Differentially Private Online Algorithms, Theorem 1"
	case t.by.gaussian:
		mu, err := privacy.GaussianMu(t.Budget)
		if err != nil {
			return err
		}
		t.by.scale = 2 * s.Bound * math.Sqrt(m) / mu
		source += "; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)"
	default:
		t.by.scale = 2 * root * s.Bound * m / t.Budget.Epsilon
	}
	if t.Budget.None() {
		t.by.scale = 0
	}
	if err := positive("a tree's noise", t.by.scale, t.Budget, s); err != nil {
		return err
	}
	p := central(privacy.ReplaceRound, t.Budget, source, clippedVectors)
	p.Calibration = t.Calibration
	t.planned = planned{p.With(privacy.Release{Law: t.by.law(s.Dim),
		Sensitivity: privacy.Norms{L1: 2 * root * s.Bound, L2: 2 * s.Bound}}), levels}
	t.vectors.start(s)
	t.stack = newNodeStack(&t.by, levels, t.Padded, s.Dim)
	return nil
}

// Reset forgets the data and draws new noise from n.
func (t *VectorTree) Reset(n *privacy.Noise) {
	t.vectors.reset()
	t.stack.reset(n)
	t.noise = t.stack.total()
}

// Add adds a vector and the noise of the node that it finishes. It counts the horizon's last vector
// and drops it: no round comes after that, so no node is paid for it.
func (t *VectorTree) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = t.add(rec); !moved {
		return false, err
	}
	t.stack.advance(t.count)
	t.noise = t.stack.total()
	return true, nil
}

// Scale returns the noise on a coordinate of a node: the scale of the Laplace noise, or the
// standard deviation of the Gaussian.
func (t *VectorTree) Scale() float64 { return t.by.scale }

// Plan returns what the prefixes of up to the given number of vectors reveal of one. The first
// vector is in floor(log2 records) + 1 nodes, and no vector is in more.
func (t *VectorTree) Plan(records int) privacy.Plan {
	if t.one.Cases == nil {
		return t.one.HeldBy(t)
	}
	draws := t.released()
	if t.stack.padded {
		draws += t.stack.levels + finished(draws)
	}
	nodes := bits.Len(uint(max(0, min(records, t.setup.Horizon-1))))
	return t.shown(nodes, draws).HeldBy(t)
}
