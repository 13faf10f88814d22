package continual

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
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
}

var _ privacy.Statistic[Total] = VectorTree{}

// vectorTree is a VectorTree for a setup.
type vectorTree struct {
	curator.Planned
	data   privacy.Setup
	levels int
	padded bool
	by     vectorNoise
}

// vectorTreeRun is a run of a VectorTree.
type vectorTreeRun struct {
	*vectorTree
	vectors
	stack nodeStack
}

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

// Open validates and calibrates.
func (of VectorTree) Open(s privacy.Setup) (privacy.Mechanism[Total], error) {
	levels := maxNodes(s.Horizon)
	if err := checkVectors(s, float64(levels)+2); err != nil {
		return nil, err
	}
	if err := curator.Published("VectorTree", of.Calibration); err != nil {
		return nil, err
	}
	if err := of.Budget.Validate(); err != nil {
		return nil, err
	}
	m, root := float64(levels), math.Sqrt(float64(s.Dim))
	source := "binary tree: Chan, Shi, Song 2011; Dwork, Naor, Pitassi, Rothblum 2010"
	t := &vectorTree{data: s, levels: levels, padded: of.Padded, by: vectorNoise{gaussian: of.Budget.Delta > 0}}
	switch {
	case of.Calibration == privacy.AsPublished && t.by.gaussian:
		return nil, fmt.Errorf("mechanism: VectorTree.Calibration = AsPublished with delta = %v, want 0: the paper has Laplace noise", of.Budget.Delta)
	case of.Calibration == privacy.AsPublished && s.Horizon < 2:
		return nil, fmt.Errorf("mechanism: VectorTree.Calibration = AsPublished over a horizon of %d, want >= 2: its scale is a multiple of ln(horizon)", s.Horizon)
	case of.Calibration == privacy.AsPublished:
		t.by.scale = root * s.Bound * portable.Log(float64(s.Horizon)) / of.Budget.Epsilon
		source = "Chari, Differentially Private Online Algorithms, Theorem 1"
	case t.by.gaussian:
		mu, err := of.Budget.GaussianMu()
		if err != nil {
			return nil, err
		}
		t.by.scale = 2 * s.Bound * math.Sqrt(m) / mu
		source += "; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)"
	default:
		t.by.scale = 2 * root * s.Bound * m / of.Budget.Epsilon
	}
	if of.Budget.None() {
		t.by.scale = 0
	}
	if err := curator.Positive("a tree's noise", t.by.scale, of.Budget, s); err != nil {
		return nil, err
	}
	p := curator.Central(privacy.ReplaceRound, of.Budget, source, clippedVectors)
	p.Calibration = of.Calibration
	t.Planned = curator.Plans(p.With(privacy.Release{Law: t.by.law(s.Dim),
		Sensitivity: privacy.Norms{L1: 2 * root * s.Bound, L2: 2 * s.Bound}}), levels)
	return t, nil
}

// Start begins a run that draws its noise from n.
func (t *vectorTree) Start(n *privacy.Noise) privacy.Stream[Total] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	r := &vectorTreeRun{vectorTree: t, vectors: newVectors(t.data), stack: newNodeStack(&t.by, t.levels, t.padded, t.data.Dim)}
	r.stack.begin(n)
	r.noise = r.stack.total()
	return r
}

// Add adds a vector and the noise of the node that it finishes. It counts the horizon's last vector
// and drops it: no round comes after that, so no node is paid for it.
func (t *vectorTreeRun) Add(rec *privacy.Record) (moved bool, err error) {
	if moved, err = t.add(rec); !moved {
		return false, err
	}
	t.stack.advance(t.count)
	t.noise = t.stack.total()
	return true, nil
}

// Scale returns the noise on a coordinate of a node: the scale of the Laplace noise, or the
// standard deviation of the Gaussian.
func (t *vectorTree) Scale() float64 { return t.by.scale }

// Plan returns what the prefixes of up to the given number of vectors reveal of one. The first
// vector is in floor(log2 records) + 1 nodes, and no vector is in more.
func (t *vectorTree) Plan(records int) privacy.Plan { return t.plan(records, 0).HeldBy(t) }

// Plan returns the tree's plan with the draws of the run.
func (t *vectorTreeRun) Plan(records int) privacy.Plan {
	return t.plan(records, t.released()).HeldBy(t)
}

// plan returns the plan after so many vectors were released.
func (t *vectorTree) plan(records, draws int) privacy.Plan {
	if t.padded {
		draws += t.levels + finished(draws)
	}
	return t.Shown(nodesOf(t.data, records), draws)
}
