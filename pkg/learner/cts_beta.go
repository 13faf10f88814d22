package learner

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// CTSBeta is combinatorial Thompson sampling as Wang and Chen (2018) have it, with Beta posteriors, not private: in round t it plays the heaviest basis of a
// matroid by draws
//
//	theta_t(e) ~ Beta(1 + successes, 1 + failures),
//
// ties by the lowest index. A weight, moved into [0, 1] by the range of rewards, is a success with that probability, by a coin of the learner's own (Agrawal
// and Goyal 2012); at the ends of the range it is what it is. An arm that was not played yet has the uniform prior, so that there is no initialisation.
//
// A Beta posterior counts, and has no place for noise: it is [CTS] that can be private.
type CTSBeta struct {
	Matroid matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default

	semiBandit
	own     *rand.Rand
	normals *random.Normals
	shape   []betaShape // of each arm that is no loop
}

// betaShape is a Beta distribution's.
type betaShape struct{ a, b float64 }

var _ bandit.Learner = (*CTSBeta)(nil)

// Init validates and allocates.
func (l *CTSBeta) Init(p bandit.Problem, horizon int) error {
	if err := l.init("CTSBeta", l.Matroid, nil, Forced, p, horizon); err != nil {
		return err
	}
	l.shape = make([]betaShape, len(l.free))
	return nil
}

// Reset forgets all.
func (l *CTSBeta) Reset(own *rand.Rand, noise rand.Source) {
	l.reset(noise)
	l.own, l.normals = own, random.NewNormals(own)
	for i := range l.shape {
		l.shape[i] = betaShape{1, 1}
	}
}

// Select appends the basis with the highest draws, by decreasing draw.
func (l *CTSBeta) Select(v *bandit.View, dst []int) []int {
	if l.ready(v) {
		for i, s := range l.shape {
			x := random.ChiSquare(l.normals, 2*s.a) // a ratio of Gamma variables, doubled
			y := random.ChiSquare(l.normals, 2*s.b)
			l.index[l.free[i]] = x / (x + y)
		}
	}
	return l.play(dst)
}

// Update takes in the weights of the arms played.
func (l *CTSBeta) Update(v *bandit.View, arms []int, y []float64) {
	if !l.update(v, arms, y) {
		return
	}
	for i, e := range arms {
		j := l.place[e]
		if j < 0 {
			continue
		}
		p := (y[i] - l.problem.RewardMin) / l.span
		if p >= 1 || p > 0 && l.own.Float64() < p {
			l.shape[j].a++
		} else {
			l.shape[j].b++
		}
	}
}
