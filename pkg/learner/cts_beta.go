package learner

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// CTSBeta is the combinatorial Thompson sampling of Wang and Chen (2018), with Beta posteriors. It
// is not private. In round t it plays the heaviest basis of a matroid by the draws
//
//	theta_t(e) ~ Beta(1 + successes, 1 + failures),
//
// with ties to the lowest index. Each weight is moved into [0, 1] by the range of rewards and
// becomes a success with that probability, by a coin from the learner's own stream (Agrawal and
// Goyal 2012); weights at the ends of the range need no coin. An arm that was not played yet has
// the uniform prior, so there is no initialisation.
//
// A Beta posterior counts successes and has no place for noise. For privacy use [CTS].
type CTSBeta struct {
	Matroid matroid.Matroid // of Problem.Arms elements and of rank Problem.Slots; no default

	bandit.Base
	semiBandit
	opened  privacy.Mechanism[privacy.Means]
	counts  privacy.Stream[privacy.Means] // admits records, and counts what it clips
	record  privacy.Record
	own     *rand.Rand
	normals *random.Normals
	shape   []betaShape // of each arm that is no loop
}

// betaShape holds the parameters of a Beta distribution.
type betaShape struct{ a, b float64 }

var _ bandit.Learner = (*CTSBeta)(nil)

// Init validates and allocates.
func (l *CTSBeta) Init(p bandit.Problem, horizon int) error {
	if err := l.init("CTSBeta", l.Matroid, Forced, p, horizon); err != nil {
		return err
	}
	l.shape = make([]betaShape, len(l.free))
	var err error
	l.opened, err = mechanism.Counts{}.Open(privacy.Setup{Arms: p.Arms, Slots: p.Slots, Horizon: horizon, Lo: p.RewardMin, Hi: p.RewardMax})
	l.counts = nil
	return err
}

// Reset forgets everything.
func (l *CTSBeta) Reset(own *rand.Rand, _ rand.Source) {
	l.Clear()
	l.counts = l.opened.Start(nil)
	l.own, l.normals = own, random.NewNormals(own)
	for i := range l.shape {
		l.shape[i] = betaShape{1, 1}
	}
}

// Select appends the basis with the highest draws, in order of decreasing draw.
func (l *CTSBeta) Select(v *bandit.View, dst []int) []int {
	if !v.Fits(&l.problem) {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, bandit.CheckView(l.problem, v)))
	}
	for i, s := range l.shape {
		l.index[l.free[i]] = random.Beta(l.normals, s.a, s.b)
	}
	return l.play(dst)
}

// Update updates the posteriors of the arms played by their weights.
func (l *CTSBeta) Update(v *bandit.View, arms []int, y []float64) {
	err := bandit.CheckView(l.problem, v)
	if err == nil {
		err = bandit.CheckArms(l.problem, v, arms, y)
	}
	if err == nil && l.counts == nil {
		err = errNoReset
	}
	if err == nil {
		l.record.Arms, l.record.Y = arms, y
		_, err = l.counts.Add(&l.record)
		l.record = privacy.Record{}
	}
	if err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
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

// Warnings counts clipped weights.
func (l *CTSBeta) Warnings() []bandit.Warning {
	if l.counts == nil {
		return nil
	}
	if n := l.counts.Clipped(); n > 0 {
		return []bandit.Warning{{What: fmt.Sprintf("weights outside [%v, %v], clipped", l.problem.RewardMin, l.problem.RewardMax), Count: n}}
	}
	return nil
}
