package learner

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// RandomisedAction makes another learner's action private towards everybody, the user of the round herself included:
// it plays the arm that the learner selects with probability e^eps/(e^eps + K - 1) and each other arm with probability 1/(e^eps + K - 1) (K-ary randomised response).
// That is as often as a learner can follow a context whose change must not change the odds of an action by more than e^eps, and
// it is why differential privacy in the standard sense costs linear regret (JDP, Claim 13). The claim is about the round's own context; what leaks into
// later rounds is the inner learner's affair.
type RandomisedAction struct {
	Learner bandit.Learner
	Epsilon float64 // > 0, no default; +Inf plays the learner's arm always

	noise *privacy.Noise
	drawn []privacy.Draws
}

var (
	_ bandit.Learner   = (*RandomisedAction)(nil)
	_ privacy.Ledgered = (*RandomisedAction)(nil)
)

// Init validates and initialises the inner learner.
func (r *RandomisedAction) Init(p bandit.Problem, horizon int) error {
	if r.Learner == nil {
		return fmt.Errorf("learner: RandomisedAction.Learner is nil")
	}
	if err := (privacy.Budget{Epsilon: r.Epsilon}).Validate(); err != nil {
		return err
	}
	if p.Slots != 1 {
		return fmt.Errorf("learner: RandomisedAction plays one arm a round: Problem.Slots = %d, want 1", p.Slots)
	}
	return r.Learner.Init(p, horizon)
}

// Reset resets the inner learner.
func (r *RandomisedAction) Reset(own *rand.Rand, noise rand.Source) {
	r.Learner.Reset(own, noise)
	r.noise = privacy.NewNoise(noise)
	r.drawn = r.drawn[:0]
}

// Select appends the inner learner's arm, or another.
func (r *RandomisedAction) Select(v *bandit.View, dst []int) []int {
	dst = r.Learner.Select(v, dst)
	last := &dst[len(dst)-1]
	*last = r.noise.Response(*last, v.Arms, r.Epsilon)
	r.count(privacy.ResponseLaw(v.Arms, r.Epsilon))
	return dst
}

// count adds a draw to the list: one law for each number of arms that rounds have.
func (r *RandomisedAction) count(law privacy.Law) {
	for i := range r.drawn {
		if r.drawn[i].Law == law {
			r.drawn[i].Count++
			return
		}
	}
	r.drawn = append(r.drawn, privacy.Draws{Law: law, Count: 1})
}

// Update tells the inner learner what was played and what came of it.
func (r *RandomisedAction) Update(v *bandit.View, arms []int, y []float64) {
	r.Learner.Update(v, arms, y)
}

// Err returns the inner learner's error.
func (r *RandomisedAction) Err() error { return r.Learner.Err() }

// Warnings returns the inner learner's warnings.
func (r *RandomisedAction) Warnings() []bandit.Warning { return r.Learner.Warnings() }

// Claim claims Epsilon for the action of a round towards its own context.
func (r *RandomisedAction) Claim() privacy.Claim {
	return privacy.Claim{
		Model: privacy.Central, Neighbours: privacy.ReplaceRound,
		Nominal: privacy.Budget{Epsilon: r.Epsilon}, Epsilon: r.Epsilon,
		Event:      privacy.ResponseEvent{Epsilon: r.Epsilon, Choices: 2}, // of all numbers of arms, the one that shows most
		Conditions: []string{"for the action of the round itself, given what came before"},
		Source:     "randomised response (Warner 1965); Shariff and Sheffet 2018, Claim 13",
	}
}

// Draws returns one response a round, and what the inner learner draws.
func (r *RandomisedAction) Draws() []privacy.Draws {
	draws := append([]privacy.Draws(nil), r.drawn...)
	if inner, ok := r.Learner.(privacy.Ledgered); ok {
		draws = append(draws, inner.Draws()...)
	}
	return draws
}

// Check lets the inner learner compare noise of the system's with its claim.
func (r *RandomisedAction) Check() error { return checkSystem(r.Learner) }
