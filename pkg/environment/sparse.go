package environment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Design is the law of the contexts of Sparse. Each coordinate has variance 1.
type Design int

const (
	Independent    Design = iota // independent standard normal coordinates
	Autoregressive               // normal; coordinates i and j have covariance Correlation^|i-j|
	Equicorrelated               // normal; any two coordinates have covariance Correlation
	Spherical                    // uniform on the sphere of radius sqrt(Dim)
)

func (d Design) String() string {
	switch d {
	case Independent:
		return "independent"
	case Autoregressive:
		return "AR(1)"
	case Equicorrelated:
		return "equi-correlated"
	case Spherical:
		return "spherical"
	}
	return fmt.Sprintf("Design(%d)", int(d))
}

// Sparse is a linear bandit in many dimensions of which few matter: all but Sparsity coordinates of
// theta are 0.
//
// The others are uniform on [0.5, 1], with a random sign; theta is then divided by its length,
// unless Raw. Each round shows fresh contexts, drawn by Design and independent of each other. The
// reward of a context x is <theta, x> plus normal noise.
//
// The zero value is the setting in which the toolkit compares private LASSO bandits: 10 arms in 100
// dimensions, 5 of which matter, and noise of standard deviation 0.3.
//
// Normal contexts have no bound. Problem states a ContextNorm that a context exceeds with
// probability below 1e-13, and a range that holds all but 6e-5 of a random arm's rewards. Clip and
// RewardClip give strict bounds, where a claim needs them.
//
// A context costs a normal variable a coordinate, which is nearly all of a round's time; means cost
// O(Arms Sparsity).
type Sparse struct {
	Arms        int     // K >= 1; 0 means 10
	Dim         int     // d >= 1; 0 means 100
	Sparsity    int     // s0, the number of coordinates that matter, in [1, Dim]; 0 means min(5, Dim)
	Design      Design  // the law of a context; the zero value is Independent
	Correlation float64 // in (-1, 1) for Autoregressive, [0, 1) for Equicorrelated, 0 for others
	Noise       float64 // standard deviation of the rewards' noise, > 0; 0 means 0.3

	Raw     bool // do not divide theta by its length
	Leading bool // the first Sparsity coordinates matter; false draws which ones
	// Margin is the least gap between the means of the best arm and the next, in [0, 1]. A round with
	// a smaller gap is drawn again, up to 100 times; then it is played as it is.
	Margin float64
	// Clip moves the coordinates of contexts into [-Clip, Clip]; 0 means that they are not clipped.
	// The means are those of the clipped contexts.
	Clip float64
	// RewardClip moves rewards into [-RewardClip, RewardClip]; 0 means that they are not clipped.
	// Regret is that of the means before.
	RewardClip float64
}

// sparse is a trial of Sparse.
type sparse struct {
	of      Sparse
	p       bandit.Problem
	noise   float64
	normals *random.Normals
	theta   []float64
	support []int // the coordinates that matter, increasing
	x       []float64
	mean    []float64 // <theta, x> by arm
	best    float64
	second  float64
	round   int
	narrow  int // rounds played with a gap below Margin
}

const (
	farthest = 8   // standard deviations that a chi variable exceeds its root mean square by, at most
	attempts = 100 // draws of a round with a gap below Margin
)

// Open returns an error if a field is out of its range.
func (e Sparse) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), e.start), nil
}

func (e Sparse) check() error {
	arms, dim, s := e.sizes()
	switch {
	case e.Arms < 0:
		return fmt.Errorf("environment: Sparse.Arms = %d, want >= 1, or 0 for 10", e.Arms)
	case e.Dim < 0:
		return fmt.Errorf("environment: Sparse.Dim = %d, want >= 1, or 0 for 100", e.Dim)
	case e.Sparsity < 0 || s > dim:
		return fmt.Errorf("environment: Sparse.Sparsity = %d, want in [1, Dim = %d], or 0 for min(5, Dim)", e.Sparsity, dim)
	case e.Design < Independent || e.Design > Spherical:
		return fmt.Errorf("environment: Sparse.Design = %v, want Independent, Autoregressive, Equicorrelated or Spherical", e.Design)
	case e.Design == Autoregressive && !(e.Correlation > -1 && e.Correlation < 1):
		return fmt.Errorf("environment: Sparse.Correlation = %v, want in (-1, 1) for %v contexts", e.Correlation, e.Design)
	case e.Design == Equicorrelated && !(e.Correlation >= 0 && e.Correlation < 1):
		return fmt.Errorf("environment: Sparse.Correlation = %v, want in [0, 1) for %v contexts", e.Correlation, e.Design)
	case (e.Design == Independent || e.Design == Spherical) && e.Correlation != 0:
		return fmt.Errorf("environment: Sparse.Correlation = %v, want 0 for %v contexts", e.Correlation, e.Design)
	case !(e.Noise == 0 || e.Noise >= 1e-100 && e.Noise <= 1e100):
		return fmt.Errorf("environment: Sparse.Noise = %v, want in [1e-100, 1e100], or 0 for 0.3", e.Noise)
	case !(e.Margin >= 0 && e.Margin <= 1):
		return fmt.Errorf("environment: Sparse.Margin = %v, want in [0, 1]", e.Margin)
	case !(e.Clip == 0 || e.Clip >= 1e-100 && e.Clip <= 1e100):
		return fmt.Errorf("environment: Sparse.Clip = %v, want in [1e-100, 1e100], or 0 for none", e.Clip)
	case !(e.RewardClip == 0 || e.RewardClip >= 1e-100 && e.RewardClip <= 1e100):
		return fmt.Errorf("environment: Sparse.RewardClip = %v, want in [1e-100, 1e100], or 0 for none", e.RewardClip)
	}
	return checkSize("Sparse", float64(arms), dim)
}

// sizes returns Arms, Dim and Sparsity with their defaults.
func (e Sparse) sizes() (arms, dim, sparsity int) {
	arms, dim, sparsity = e.Arms, e.Dim, e.Sparsity
	if arms == 0 {
		arms = 10
	}
	if dim == 0 {
		dim = 100
	}
	if sparsity == 0 {
		sparsity = min(5, dim)
	}
	return arms, dim, sparsity
}

// Problem describes the environment to a learner.
func (e Sparse) Problem() bandit.Problem {
	arms, dim, s := e.sizes()
	d, r := float64(dim), math.Abs(e.Correlation)
	norm, variance := math.Sqrt(d)+farthest, 1.0 // of a context; of <theta, x> for |theta| = 1, at most
	switch e.Design {
	case Autoregressive:
		norm *= math.Sqrt(min((1+r)/(1-r), d))
		variance = min((1+r)/(1-r), float64(s))
	case Equicorrelated:
		norm = float64(math.Sqrt(1-r)*norm) + float64(math.Sqrt(float64(r*d))*farthest)
		variance = 1 + float64(float64(s-1)*r)
	case Spherical:
		norm = math.Sqrt(d)
	}
	if e.Clip > 0 {
		norm = min(norm, float64(e.Clip*math.Sqrt(d)))
	}
	if e.Raw {
		variance *= float64(s)
	}
	top := 4 * math.Sqrt(variance+float64(e.sd()*e.sd()))
	if e.RewardClip > 0 {
		top = e.RewardClip
	}
	return bandit.Problem{Arms: arms, Dim: dim, Slots: 1, ContextNorm: norm, RewardMin: -top, RewardMax: top}
}

// sd returns Noise with its default.
func (e Sparse) sd() float64 {
	if e.Noise == 0 {
		return 0.3
	}
	return e.Noise
}

// start draws theta.
func (e Sparse) start(contexts *rand.Rand) bandit.Instance {
	_, _, k := e.sizes()
	p := e.Problem()
	s := &sparse{
		of: e, p: p, noise: e.sd(), theta: make([]float64, p.Dim),
		x: make([]float64, p.Arms*p.Dim), mean: make([]float64, p.Arms),
	}
	for len(s.support) < k {
		j := len(s.support)
		if !e.Leading { // Floyd's sample without replacement: j or an earlier one
			top := p.Dim - k + len(s.support)
			if j = contexts.IntN(top + 1); s.theta[j] != 0 {
				j = top
			}
		}
		s.theta[j] = 1 // until it is drawn
		s.support = append(s.support, j)
	}
	slices.Sort(s.support)
	square := 0.0
	for _, j := range s.support {
		v := 0.5 + float64(contexts.Float64()*0.5)
		if contexts.Uint64()>>63 == 1 {
			v = -v
		}
		s.theta[j] = v
		square += float64(v * v)
	}
	if !e.Raw {
		for _, j := range s.support {
			s.theta[j] /= math.Sqrt(square)
		}
	}
	s.normals = random.NewNormals(contexts)
	return s
}

// Next shows fresh contexts.
func (e *sparse) Next(v *bandit.View) {
	e.round++
	for i := range attempts {
		e.draw()
		if e.of.Margin == 0 || e.best-e.second >= e.of.Margin {
			break
		}
		if i == attempts-1 {
			e.narrow++
		}
	}
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.p.Arms, e.p.Dim, e.x, false
}

// draw draws the contexts and computes their means.
func (e *sparse) draw() {
	d := e.p.Dim
	e.normals.Fill(e.x)
	switch r := e.of.Correlation; e.of.Design {
	case Autoregressive:
		fresh := math.Sqrt(1 - float64(r*r))
		for a := range e.p.Arms {
			x := e.x[a*d : (a+1)*d]
			for i := 1; i < d; i++ {
				x[i] = float64(r*x[i-1]) + float64(fresh*x[i])
			}
		}
	case Equicorrelated:
		own, common := math.Sqrt(1-r), math.Sqrt(r)
		for a := range e.p.Arms {
			x := e.x[a*d : (a+1)*d]
			shift := float64(common * e.normals.One())
			for i, z := range x {
				x[i] = float64(own*z) + shift
			}
		}
	case Spherical:
		for a := range e.p.Arms {
			e.project(e.x[a*d : (a+1)*d])
		}
	}
	if c := e.of.Clip; c > 0 {
		for i, z := range e.x {
			if z > c {
				e.x[i] = c
			} else if z < -c {
				e.x[i] = -c
			}
		}
	}
	e.best, e.second = math.Inf(-1), math.Inf(-1)
	for a := range e.mean {
		x, m := e.x[a*d:(a+1)*d], 0.0
		for _, j := range e.support {
			m += float64(x[j] * e.theta[j])
		}
		e.mean[a] = m
		if m > e.best {
			e.best, e.second = m, e.best
		} else if m > e.second {
			e.second = m
		}
	}
}

// project moves a vector of normals to the sphere of radius sqrt(Dim).
func (e *sparse) project(x []float64) {
	for {
		square := 0.0
		for _, z := range x {
			square += float64(z * z)
		}
		if square > 1e-200 { // as good as always
			scale := math.Sqrt(float64(len(x)) / square)
			for i := range x {
				x[i] *= scale
			}
			return
		}
		e.normals.Fill(x)
	}
}

func (e *sparse) parameter() []float64 { return slices.Clone(e.theta) }

// Pull draws the reward of each arm played.
func (e *sparse) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = e.mean[a] + float64(e.noise*random.Normal(rewards))
		if c := e.of.RewardClip; c > 0 {
			y[i] = max(-c, min(c, y[i]))
		}
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (e *sparse) Regret(arms []int) float64 { return shortfall(e.best, e.mean, arms) }
