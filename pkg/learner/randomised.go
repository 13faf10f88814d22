package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
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
	Learner bandit.Learner
	Epsilon float64 // > 0, no default; +Inf plays the learner's arm always
}

var _ bandit.Learner = RandomisedAction{}

// Open validates and opens the inner learner.
func (r RandomisedAction) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := field.Check("learner: RandomisedAction.Learner", r.Learner); err != nil {
		return nil, err
	}
	if err := (privacy.Budget{Epsilon: r.Epsilon}).Validate(); err != nil {
		return nil, err
	}
	if p.Slots != 1 {
		return nil, fmt.Errorf("learner: RandomisedAction plays one arm a round: Problem.Slots = %d, want 1", p.Slots)
	}
	inner, err := r.Learner.Open(p, horizon)
	return &randomisedAction{inner, r.Epsilon}, err
}

// randomisedAction is a RandomisedAction for a problem.
type randomisedAction struct {
	inner   bandit.Calibrated
	epsilon float64
}

var _ privacy.Planner = (*randomisedAction)(nil)

// Plan returns two releases of each record: that of the inner learner, which later rounds show, and
// the action of the record's own round, which is chosen before the record is taken in. Together
// they cover all outputs. If the inner learner has no plan, only the action of the own round is
// covered. A response is drawn each round, beside the inner learner's noise.
func (r *randomisedAction) Plan(records int) privacy.Plan {
	return r.planned(privacy.PlanOf(r.inner, records), nil).HeldBy(r)
}

// planned returns the plan over that of the inner learner, with the responses drawn.
func (r *randomisedAction) planned(p privacy.Plan, drawn []privacy.Draws) privacy.Plan {
	p.Scope = privacy.AllOutputs
	if !p.Held() {
		p = privacy.Plan{Neighbours: privacy.ReplaceRound, Scope: privacy.OwnAction, Draws: p.Draws}
	}
	var draws []privacy.Draws
	if p.Draws != nil { // the inner plan says what it draws
		draws = slices.Concat(p.Draws, drawn)
	}
	p = p.With(privacy.Release{Law: privacy.ResponseLaw(2, r.epsilon)}) // of all numbers of arms, the one that shows most
	p.Model, p.Draws = privacy.Central, draws
	p.Asked.Epsilon += r.epsilon
	p.Source = strings.TrimPrefix(p.Source+"; randomised response (Warner 1965); Shariff and Sheffet 2018, Claim 13", "; ")
	return p
}

// Close closes the inner learner, if it is to be closed.
func (r *randomisedAction) Close() error { return bandit.Close(r.inner) }

// Start begins a run.
func (r *randomisedAction) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	return &randomisedRun{r, r.inner.Start(own, noise), privacy.NewNoise(noise), nil}
}

// randomisedRun is a run of RandomisedAction.
type randomisedRun struct {
	*randomisedAction
	run   bandit.Run
	noise *privacy.Noise
	drawn []privacy.Draws
}

// Select appends the inner learner's arm or, at random, another one.
func (r *randomisedRun) Select(v *bandit.View, dst []int) ([]int, error) {
	n := len(dst)
	dst, err := r.run.Select(v, dst)
	if err == nil && len(dst) != n+1 {
		err = checks.InRound(v.Round, fmt.Errorf("%d arms from a %T, want 1", len(dst)-n, r.run))
	}
	if err != nil {
		return dst[:n], err
	}
	last := &dst[n]
	*last = r.noise.Response(*last, v.Arms, r.epsilon)
	r.count(privacy.ResponseLaw(v.Arms, r.epsilon))
	return dst, nil
}

// Explain appends what the inner learner chooses by, if it shows that. The claim covers the action
// of a round, and not that: with contexts, it shows those of the round as they are.
func (r *randomisedRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return bandit.Explain(r.run, v, dst)
}

// count adds a draw to the list, which has one law for each number of arms that a round has had.
func (r *randomisedRun) count(law privacy.Law) {
	for i := range r.drawn {
		if r.drawn[i].Law == law {
			r.drawn[i].Count++
			return
		}
	}
	r.drawn = append(r.drawn, privacy.Draws{Law: law, Count: 1})
}

// Update tells the inner learner which arm was played and its reward.
func (r *randomisedRun) Update(v *bandit.View, arms []int, y []float64) error {
	return r.run.Update(v, arms, y)
}

// Warnings returns the inner learner's warnings.
func (r *randomisedRun) Warnings() []bandit.Warning { return bandit.Warnings(r.run) }

// Plan returns the learner's plan, with the draws of this run.
func (r *randomisedRun) Plan(records int) privacy.Plan {
	return r.planned(privacy.PlanOf(r.run, records), r.drawn).HeldBy(r)
}

// Close closes the inner learner's run, if it is to be closed.
func (r *randomisedRun) Close() error { return bandit.Close(r.run) }

// Check compares noise that the inner learner drew from the operating system with its plan.
func (r *randomisedRun) Check() error { return checkSystem(r.run) }
