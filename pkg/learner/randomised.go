package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/owned"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// RandomisedAction makes another learner's action private towards everybody, the round's own user
// included. It plays the arm that the learner selects with probability e^eps/(e^eps + K - 1), and
// each other arm with probability 1/(e^eps + K - 1) (K-ary randomised response).
//
// No action can follow a context more often than that if a change of the context may change the
// odds of an action by a factor of at most e^eps. This is why standard differential privacy costs
// linear regret (JDP, Claim 13).
//
// Trust model: central with all outputs, if the inner learner is jointly private. A record then
// shows what the inner learner releases of it, and the action of its own round.
type RandomisedAction struct {
	Learner bandit.Learner // describes the learner; Init makes a copy that nobody else can feed
	Epsilon float64        // > 0, no default; +Inf plays the learner's arm always

	inner   bandit.Learner // a copy of Learner, and epsilon, as they were in Init
	epsilon float64
	noise   *privacy.Noise
	drawn   []privacy.Draws
}

var (
	_ bandit.Learner  = (*RandomisedAction)(nil)
	_ privacy.Planner = (*RandomisedAction)(nil)
)

// Init validates and initialises the inner learner.
func (r *RandomisedAction) Init(p bandit.Problem, horizon int) error {
	if err := field.Check("learner: RandomisedAction.Learner", r.Learner); err != nil {
		return err
	}
	if err := (privacy.Budget{Epsilon: r.Epsilon}).Validate(); err != nil {
		return err
	}
	if p.Slots != 1 {
		return fmt.Errorf("learner: RandomisedAction plays one arm a round: Problem.Slots = %d, want 1", p.Slots)
	}
	r.inner, r.epsilon = owned.Copy(r.Learner), r.Epsilon
	return r.inner.Init(p, horizon)
}

// Reset resets the inner learner.
func (r *RandomisedAction) Reset(own *rand.Rand, noise rand.Source) {
	r.inner.Reset(own, noise)
	r.noise = privacy.NewNoise(noise)
	r.drawn = r.drawn[:0]
}

// Select appends the inner learner's arm or, at random, another one.
func (r *RandomisedAction) Select(v *bandit.View, dst []int) []int {
	dst = r.inner.Select(v, dst)
	last := &dst[len(dst)-1]
	*last = r.noise.Response(*last, v.Arms, r.epsilon)
	r.count(privacy.ResponseLaw(v.Arms, r.epsilon))
	return dst
}

// count adds a draw to the list, which has one law for each number of arms that a round has had.
func (r *RandomisedAction) count(law privacy.Law) {
	for i := range r.drawn {
		if r.drawn[i].Law == law {
			r.drawn[i].Count++
			return
		}
	}
	r.drawn = append(r.drawn, privacy.Draws{Law: law, Count: 1})
}

// Update tells the inner learner which arm was played and its reward.
func (r *RandomisedAction) Update(v *bandit.View, arms []int, y []float64) {
	r.inner.Update(v, arms, y)
}

// Err returns the inner learner's error.
func (r *RandomisedAction) Err() error { return r.inner.Err() }

// Warnings returns the inner learner's warnings.
func (r *RandomisedAction) Warnings() []bandit.Warning { return r.inner.Warnings() }

// Plan returns two releases of each record: that of the inner learner, which later rounds show, and
// the action of the record's own round, which is chosen before the record is taken in. Together
// they cover all outputs. If the inner learner has no plan, only the action of the own round is
// covered. A response is drawn each round, beside the inner learner's noise.
func (r *RandomisedAction) Plan(records int) privacy.Plan {
	p := privacy.PlanOf(r.inner, records)
	p.Scope = privacy.AllOutputs
	if !p.Held() {
		p = privacy.Plan{Neighbours: privacy.ReplaceRound, Scope: privacy.OwnAction, Draws: p.Draws}
	}
	draws := slices.Concat(p.Draws, r.drawn)
	p = p.With(privacy.Release{Law: privacy.ResponseLaw(2, r.epsilon)}) // of all numbers of arms, the one that shows most
	p.Model, p.Draws = privacy.Central, draws
	p.Asked.Epsilon += r.epsilon
	p.Source = strings.TrimPrefix(p.Source+"; randomised response (Warner 1965); Shariff and Sheffet 2018, Claim 13", "; ")
	return p.HeldBy(r)
}

// Check compares noise that the inner learner drew from the operating system with its plan.
func (r *RandomisedAction) Check() error { return checkSystem(r.inner) }
