// Package environment provides the problems on which bandit learners are tried.
//
// Bandits whose arms have contexts, most of them linear:
//
//   - [DecisionSets]: random decision sets with a known gap (JDP, Appendix D).
//   - [UnitFeatures]: the experiments in the local and the shuffle model (LDP, Section 5).
//   - [SphereArms]: finitely many arms that stay the same (SURVEY, Section 5).
//   - [Logistic]: rewards of a logistic model (the experiments of Sarmasarkar 2026).
//   - [TwoContexts]: two arms that a coin swaps every round (JDP, Claim 13).
//   - [Sparse]: many dimensions of which few matter (LASSO).
//   - [Kernel]: rewards that are smooth in the contexts, and not linear.
//   - [Labelled]: labelled data of one's own, as package datasets reads it.
//
// Bandits without contexts:
//
//   - [Arms]: the K-armed bandit.
//   - [SemiBandit]: random weights on the bases of a matroid (MAT, Section 2).
//   - [Ratings]: movie recommendations from a table of who rated what (MAT, Section 5.2).
//   - [Cascade]: lists of items, of which a user clicks the first that attracts her.
//   - [Adversary]: rewards fixed in advance, and regret in hindsight.
//
// [Blind] hides the contexts of an environment. [Measure] looks at what theorems assume of one.
//
// An environment is a plain value: fill in its fields and hand it to package simulate, or play it
// yourself: Open it, Start a trial, and then Next and Pull each round. [Theta] and [Pairs] look
// into a trial. Read [Arms] first, then [DecisionSets].
package environment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/draw"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Reward is the law of a reward, given its mean.
type Reward int

const (
	Signs    Reward = iota // +1 or -1, with the given mean
	Gaussian               // the mean plus standard normal noise; unbounded
)

// DecisionSets is a linear bandit with random decision sets of unit vectors and a known gap (JDP,
// Appendix D).
//
// theta is a uniform unit vector. In each round one arm is optimal: it is uniform on the circle of
// latitude <x, theta> = Top. The other arms are uniform, in surface measure, on the band where <x,
// theta> is in [-Top, Top-Gap]. The optimal arm has a uniform place among the others.
type DecisionSets struct {
	Arms   int     // K >= 1; 0 means Dim^2, as in the paper
	Dim    int     // d >= 2
	Gap    float64 // Delta, in [0, 2 Top)
	Top    float64 // mean reward of the optimal arm, in (0, 1]; 0 means 0.75
	Reward Reward  // Signs or Gaussian
	Fixed  bool    // keep the same arms in all rounds of a trial; false draws fresh ones each round
}

// decisionSets is a trial of DecisionSets.
type decisionSets struct {
	of   DecisionSets
	arms int
	top  float64
	band draw.TruncatedBeta
	// the band holds less than half of the sphere, or little of it, so heights are drawn first
	narrow  bool
	rng     *rand.Rand
	normals *random.Normals
	theta   []float64
	x       []float64
	mean    []float64 // <x, theta> by arm
	round   int
}

// Open returns an error if a field is out of its range.
func (e DecisionSets) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), e.start), nil
}

func (e DecisionSets) check() error {
	switch top := e.defaultTop(); {
	case e.Dim < 2:
		return fmt.Errorf("environment: DecisionSets.Dim = %d, want >= 2", e.Dim)
	case e.Arms < 0:
		return fmt.Errorf("environment: DecisionSets.Arms = %d, want >= 0", e.Arms)
	case !(top > 0 && top <= 1):
		return fmt.Errorf("environment: DecisionSets.Top = %v, want in (0, 1]", top)
	case !(e.Gap >= 0 && e.Gap < 2*top):
		return fmt.Errorf("environment: DecisionSets.Gap = %v, want in [0, 2 Top = %v)", e.Gap, 2*top)
	case e.Reward != Signs && e.Reward != Gaussian:
		return fmt.Errorf("environment: DecisionSets.Reward = %d, want Signs or Gaussian", e.Reward)
	}
	arms := float64(e.Arms)
	if e.Arms == 0 {
		arms = float64(e.Dim) * float64(e.Dim)
	}
	return checkSize("DecisionSets", arms, e.Dim)
}

// checkSize refuses contexts that do not fit into memory.
func checkSize(who string, arms float64, dim int) error {
	what := fmt.Sprintf("environment: %s of %.6g arms of dimension %d", who, arms, dim)
	return size.Check(what, (arms+1)*(float64(dim)+1))
}

// shortfall returns the sum, over the arms played, of the best mean reward minus the arm's.
func shortfall(best float64, mean []float64, arms []int) (regret float64) {
	for _, a := range arms {
		regret += best - mean[a]
	}
	return regret
}

func (e DecisionSets) defaultTop() float64 {
	if e.Top == 0 {
		return 0.75
	}
	return e.Top
}

// Problem describes the environment to a learner. Gaussian rewards are unbounded; the range given
// holds all but a fraction of 6e-5 of them.
func (e DecisionSets) Problem() bandit.Problem {
	p := bandit.Problem{Arms: e.Arms, Dim: e.Dim, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	if p.Arms == 0 {
		p.Arms = e.Dim * e.Dim
	}
	if e.Reward == Gaussian {
		p.RewardMax = e.defaultTop() + 4
		p.RewardMin = -p.RewardMax
	}
	return p
}

// start draws theta, and the arms if they are fixed.
func (e DecisionSets) start(contexts *rand.Rand) bandit.Instance {
	arms, top := e.Problem().Arms, e.defaultTop()
	band := draw.TruncatedBeta{Dim: e.Dim, Lo: -top, Hi: top - e.Gap}
	d := &decisionSets{
		of: e, arms: arms, top: top, band: band,
		narrow: band.Hi < 0.5*top || (band.Hi-band.Lo)*math.Sqrt(float64(e.Dim)) < 0.1,
		rng:    contexts, normals: random.NewNormals(contexts),
		theta: make([]float64, e.Dim), x: make([]float64, arms*e.Dim), mean: make([]float64, arms),
	}
	random.Sphere(contexts, d.theta)
	if e.Fixed {
		d.draw()
	}
	return d
}

// Next shows the round's arms.
func (e *decisionSets) Next(v *bandit.View) {
	if e.round++; !e.of.Fixed {
		e.draw()
	}
	// field by field: a literal is made elsewhere and copied, which takes longer
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.arms, e.of.Dim, e.x, e.of.Fixed && e.round > 1
}

// draw draws a decision set. A vector of normals divided by its length is uniform on the sphere; it
// is drawn again if its height is outside the band.
func (e *decisionSets) draw() {
	e.normals.Fill(e.x)
	best := e.rng.IntN(e.arms)
	for a := range e.arms {
		x := e.x[a*e.of.Dim : (a+1)*e.of.Dim]
		if a == best {
			e.place(x, e.top)
			e.mean[a] = e.top
			continue
		}
		if e.narrow {
			e.mean[a] = e.band.Rand(e.rng)
			e.place(x, e.mean[a])
			continue
		}
		for {
			height, square := e.heights(x)
			scale := 1 / math.Sqrt(square)
			if height *= scale; height >= e.band.Lo && height <= e.band.Hi {
				for i := range x {
					x[i] *= scale
				}
				e.mean[a] = height
				break
			}
			e.normals.Fill(x)
		}
	}
}

// heights returns <x, theta> and |x|^2.
func (e *decisionSets) heights(x []float64) (height, square float64) {
	theta := e.theta[:len(x)]
	for i, v := range x {
		height += float64(v * theta[i])
		square += float64(v * v)
	}
	return height, square
}

// place moves a vector of normals to the circle of latitude at the given height and keeps its
// direction around the axis. A vector so near the axis that rounding blurs this direction is drawn
// again, which does not change the law. That happens only in two or three dimensions.
func (e *decisionSets) place(x []float64, height float64) {
	along, square := e.heights(x)
	for square-float64(along*along) < 1e-7*square {
		e.normals.Fill(x)
		along, square = e.heights(x)
	}
	across := math.Sqrt((1 - float64(height*height)) / (square - float64(along*along)))
	shift := height - float64(across*along)
	for i, t := range e.theta {
		x[i] = float64(across*x[i]) + float64(shift*t)
	}
}

func (e *decisionSets) parameter() []float64 { return slices.Clone(e.theta) }

// Pull draws the reward of each arm played.
func (e *decisionSets) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		if e.of.Reward == Gaussian {
			y[i] = e.mean[a] + random.Normal(rewards)
		} else {
			y[i] = random.Rademacher(rewards, e.mean[a])
		}
	}
}

// Regret returns the sum, over the arms played, of Top minus the arm's mean reward.
func (e *decisionSets) Regret(arms []int) float64 { return shortfall(e.top, e.mean, arms) }
