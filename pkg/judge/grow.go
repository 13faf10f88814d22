package judge

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Exponent is the power by which regret grows, fitted to runs of their own at each point.
type Exponent struct {
	World string    `json:"world"`
	In    string    `json:"in"` // "horizon" or "1/epsilon"
	Value Number    `json:"value"`
	Lo    Number    `json:"lo"` // 95% interval
	Hi    Number    `json:"hi"`
	At    []float64 `json:"at"`
	Mean  []float64 `json:"mean"`
	Why   string    `json:"why,omitempty"` // why there is none
}

// grow measures the exponents, in the last world that the learner plays with all that there is to
// see, and of rewards that it is made for. Of a learner that the catalogue does not know, these are
// fixed or linear means, if it plays them: against an adversary most learners never begin to learn,
// and a model that is wrong costs the same in every round.
func (j *judging) grow(ctx context.Context) error {
	_, known := j.learner.(catalogue.Learner)
	p := j.places[len(j.places)-1]
	for _, other := range j.places {
		usual := known || slices.Contains([]catalogue.Rewards{catalogue.Unstated, catalogue.FixedMeans, catalogue.LinearMeans}, other.Rewards)
		if usual && !other.hidden && other.other == "" && other.Rewards != catalogue.AnyRewards {
			p = other
		}
	}
	var horizons []float64
	for h := j.horizon() / 16; h <= j.horizon(); h *= 2 {
		horizons = append(horizons, float64(h))
	}
	if err := j.exponent(ctx, p, "horizon", horizons, func(h float64) (bandit.Learner, int) { return j.learner, int(h) }); err != nil {
		return err
	}
	b := p.claim.Asked() // and not what is proved: At makes the learner by what it is asked for
	if j.At == nil || !p.claim.Held() || b.None() {
		return nil
	}
	var inverse []float64
	for _, factor := range []float64{0.5, 1, 2, 4} {
		inverse = append(inverse, factor/b.Epsilon)
	}
	return j.exponent(ctx, p, "1/epsilon", inverse, func(v float64) (bandit.Learner, int) {
		return j.At(privacy.Budget{Epsilon: 1 / v, Delta: b.Delta}), j.horizon()
	})
}

// exponent fits the power of the regret at some values.
func (j *judging) exponent(ctx context.Context, p place, in string, values []float64, at func(v float64) (bandit.Learner, int)) error {
	e := Exponent{World: p.Name, In: in, At: values, Value: Number(math.NaN()), Lo: Number(math.NaN()), Hi: Number(math.NaN())}
	var list []*simulate.Experiment
	for i, v := range values {
		l, horizon := at(v)
		list = append(list, &simulate.Experiment{
			Name: fmt.Sprintf("grow-%s-%d", in, i), Environment: p.env, Horizon: horizon, Trials: j.trials(),
			Seed: j.Seed + uint64(1+i), Policies: []simulate.Policy{{Name: own, Learner: l}}, Grid: []int{horizon},
		})
	}
	results, err := simulate.RunAll(ctx, list, simulate.Options{Workers: j.Workers, Progress: j.Races})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var y [][]float64
	for _, r := range results {
		final, bad := r.Final(own)
		if bad != nil || len(final) == 0 {
			break
		}
		e.Mean = append(e.Mean, simulate.Sample(final).Mean())
		y = append(y, final)
	}
	var s simulate.Slope
	if err == nil {
		s, err = simulate.LogLogSlope(values, y)
	}
	if err != nil {
		e.Why = err.Error()
	} else {
		e.Value, e.Lo, e.Hi = Number(s.Value), Number(s.Lo), Number(s.Hi)
	}
	j.card.Grows = append(j.card.Grows, e)
	return nil
}
