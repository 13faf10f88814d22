package environment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SemiBandit is the environment of matroid bandits (MAT, Section 2): each round a learner plays a
// basis of a matroid on the arms and sees the weight of each arm in it.
//
// Weights are independent between rounds and arms. There are no contexts. The problem's range of
// rewards is [0, 1]. Gaussian weights leave this range; the private mechanisms clip them.
//
// A pull takes one draw, which determines the weight of every arm in that round. An arm's weight is
// therefore the same whatever is played with it, and by whom. Only the weights that are asked for
// cost anything.
type SemiBandit struct {
	Matroid matroid.Matroid // of rank K >= 1
	// Means has the mean weight of each arm, in [0, 1] for Bernoulli weights, finite for Gaussian
	// ones.
	Means []float64
	// Sigma is the standard deviation of Gaussian weights. 0 means Bernoulli weights, which are 1 with
	// probability the mean, and else 0.
	Sigma float64
}

// semiBandit is a trial of SemiBandit.
type semiBandit struct {
	bases
	sigma  float64
	below  []uint64 // by arm: a Bernoulli weight is 1 if 63 random bits are below this
	pcg    *rand.PCG
	normal *rand.Rand // draws from pcg
	round  int
}

// Open returns an error if a field is out of its range.
func (e SemiBandit) Open() (bandit.World, error) {
	if err := e.validate(); err != nil {
		return nil, fmt.Errorf("environment: SemiBandit: %w", err)
	}
	start := e.open()
	return bandit.NewWorld(e.Problem(), func(*rand.Rand) bandit.Instance { return start() }), nil
}

func (e SemiBandit) validate() error {
	err := checkMatroid(e.Matroid)
	switch {
	case err != nil:
	case len(e.Means) != e.Matroid.Size():
		err = fmt.Errorf("field Means has %d numbers, want one for each of the matroid's %d elements", len(e.Means), e.Matroid.Size())
	case !(e.Sigma >= 0 && e.Sigma <= 1e300):
		err = fmt.Errorf("field Sigma = %v, want >= 0 and at most 1e300", e.Sigma)
	default:
		for a, mean := range e.Means {
			switch {
			case !(math.Abs(mean) <= 1e300): // so that the regret of a run is finite
				err = fmt.Errorf("field Means[%d] = %v, want in [-1e300, 1e300]", a, mean)
			case e.Sigma == 0 && (mean < 0 || mean > 1):
				err = fmt.Errorf("field Means[%d] = %v, want in [0, 1] for Bernoulli weights", a, mean)
			}
			if err != nil {
				break
			}
		}
	}
	return err
}

// Problem describes the environment to a learner.
func (e SemiBandit) Problem() bandit.Problem { return semiProblem(e.Matroid) }

func semiProblem(m matroid.Matroid) bandit.Problem {
	p := bandit.Problem{RewardMin: 0, RewardMax: 1}
	if m != nil {
		p.Arms, p.Slots = m.Size(), m.Rank()
	}
	return p
}

// Best returns the basis with the largest mean weight, by decreasing mean, ties by index.
func (e SemiBandit) Best() []int { return heaviest(e.Matroid, e.Means) }

// Optimum returns the mean weight of the best basis.
func (e SemiBandit) Optimum() float64 { return total(e.Means, e.Best()) }

// open prepares what all trials share, and returns a function that starts one. It draws nothing:
// the instance is fixed.
func (e SemiBandit) open() (start func() *semiBandit) {
	best := newOptimum(e.Matroid, slices.Clone(e.Means))
	if e.Sigma > 0 {
		return func() *semiBandit {
			pcg := rand.NewPCG(0, 0)
			return &semiBandit{bases: best.start(), sigma: e.Sigma, pcg: pcg, normal: rand.New(pcg)}
		}
	}
	below := make([]uint64, len(best.means))
	for a, mean := range best.means {
		below[a] = uint64(mean * (1 << 63))
	}
	return func() *semiBandit { return &semiBandit{bases: best.start(), below: below} }
}

// Next shows the arms, which have no contexts, to the learner.
func (e *semiBandit) Next(v *bandit.View) {
	e.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, len(e.means), 0, nil, e.round > 1
}

// Pull draws the round's key and returns, in y, the weights of the arms played.
func (e *semiBandit) Pull(rewards *rand.Rand, arms []int, y []float64) {
	key := rewards.Uint64()
	if e.sigma > 0 {
		for i, a := range arms {
			e.pcg.Seed(key, scramble(key, a))
			y[i] = e.means[a] + float64(e.sigma*random.Normal(e.normal))
		}
		return
	}
	for i, a := range arms {
		y[i] = 0
		if scramble(key, a)>>1 < e.below[a] {
			y[i] = 1
		}
	}
}

// scramble returns the number at a place of the SplitMix64 sequence that starts from a key (Steele,
// Lea and Flood, Fast splittable pseudorandom number generators, 2014): 64 bits that pass for
// independent between places.
func scramble(key uint64, place int) uint64 {
	z := key + (uint64(place)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
