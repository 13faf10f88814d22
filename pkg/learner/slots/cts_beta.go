package slots

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
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
}

var _ bandit.Learner = CTSBeta{}

// ctsBeta is a run of CTSBeta.
type ctsBeta struct {
	semiBandit
	counts  privacy.Stream[privacy.Means] // admits records, and counts what it clips
	own     *rand.Rand
	normals *random.Normals
	shape   []betaShape // of each arm that is no loop
	record  privacy.Record
}

// betaShape holds the parameters of a Beta distribution.
type betaShape struct{ a, b float64 }

// Open validates.
func (l CTSBeta) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	arms, err := prepareSemiBandit("CTSBeta", l.Matroid, p, horizon)
	if err != nil {
		return nil, err
	}
	counts, err := tally.Counts{}.Open(privacy.Setup{Arms: p.Arms, Slots: p.Slots, Horizon: horizon, Lo: p.RewardMin, Hi: p.RewardMax})
	if err != nil {
		return nil, err
	}
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		run := &ctsBeta{semiBandit: arms.begin(), counts: counts.Start(privacy.NewNoise(noise)), own: own,
			normals: random.NewNormals(own), shape: make([]betaShape, len(arms.free))}
		for i := range run.shape {
			run.shape[i] = betaShape{1, 1}
		}
		return run
	}), nil
}

// Select appends the basis with the highest draws, in order of decreasing draw.
func (l *ctsBeta) Select(v *bandit.View, dst []int) ([]int, error) {
	if !v.Fits(&l.problem) {
		return dst, checks.InRound(v.Round, l.problem.CheckView(v))
	}
	for i, s := range l.shape {
		l.index[l.free[i]] = l.normals.Beta(s.a, s.b)
	}
	return l.play(dst), nil
}

// Explain appends the means of the posteriors, and the draws as indices, in the unit of weights.
// The width is the posterior's standard deviation.
func (l *ctsBeta) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if !v.Fits(&l.problem) {
		return dst, checks.InRound(v.Round, l.problem.CheckView(v))
	}
	for e, i := range l.place {
		x := bandit.Insight{Index: math.Inf(-1), Estimate: math.NaN(), Width: math.NaN()}
		if i >= 0 {
			s, lo := l.shape[i], l.problem.RewardMin
			m := s.a / (s.a + s.b)
			x = bandit.Insight{Index: lo + float64(l.index[e]*l.span), Estimate: lo + float64(m*l.span), Width: l.span * math.Sqrt(m*(1-m)/(s.a+s.b+1))}
		}
		dst = append(dst, x)
	}
	return dst, nil
}

// Update updates the posteriors of the arms played by their weights.
func (l *ctsBeta) Update(v *bandit.View, arms []int, y []float64) error {
	err := l.problem.CheckView(v)
	if err == nil {
		err = l.problem.CheckArms(v, arms, y)
	}
	if err == nil {
		l.record.Arms, l.record.Y = arms, y
		_, err = l.counts.Add(&l.record)
		l.record = privacy.Record{}
	}
	if err != nil {
		return checks.InRound(v.Round, err)
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
	return nil
}

// Warnings counts clipped weights.
func (l *ctsBeta) Warnings() []bandit.Warning {
	if n := l.counts.Clipped(); n > 0 {
		return []bandit.Warning{{What: fmt.Sprintf("weights outside [%v, %v], clipped", l.problem.RewardMin, l.problem.RewardMax), Count: n}}
	}
	return nil
}
