package online

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Experts plays one of K actions a round and is then told the losses of all of them: prediction
// with expert advice, with full information.
//
// It is private, and knows neither the gaps between the actions nor the number of rounds (after
// Cesari and Colomboni 2026). Blocks have 1, 2, 4, ... rounds, and a block plays one action. The
// next one is chosen by the exponential mechanism on the sums of losses L over a prefix of the last
// block: action a with a probability proportional to exp(-epsilon L_a/2). The length of the prefix
// is uniform on the block's rounds, and drawn without a look at the losses.
//
// On losses that are independent from round to round with a least gap Delta, the paper has a regret
// of at most 1000 (ln K/Delta + ln K/epsilon) after any number of rounds. The lengths, the law of
// the prefix and the probabilities are those of this package, as the paper's abstract leaves them
// open: the bound is checked by simulation and not proved for them.
//
// A neighbour replaces the losses of one round, which are in one prefix at most and move each of
// its sums by at most 1. Each choice is epsilon-DP and of rounds of its own, so the whole run is
// epsilon-DP. The trust model is central. Losses are clipped to [0, 1], and counted.
type Experts struct {
	Epsilon float64 // > 0, no default; +Inf means no noise
}

// ExpertsCalibrated is an [Experts] that knows the number of actions, and says what its runs
// reveal.
type ExpertsCalibrated struct {
	actions int
	choices mechanism.Calibrated[mechanism.Choices]
}

// ExpertsRun is an [Experts] in a run.
type ExpertsRun struct {
	choice  mechanism.Choices
	own     *rand.Rand // draws the first action and the prefixes
	left    int        // rounds left of the block
	length  int        // of the block
	prefix  int        // rounds left of its prefix
	clipped int
	scores  []float64 // -L of the prefix
	chosen  []int
}

var (
	_ privacy.Planner = (*ExpertsCalibrated)(nil)
	_ privacy.Planner = (*ExpertsRun)(nil)
)

// Open validates and calibrates.
func (e Experts) Open(actions int) (*ExpertsCalibrated, error) {
	if actions < 1 {
		return nil, fmt.Errorf("online: Experts of %d actions, want >= 1", actions)
	}
	choices, err := mechanism.TopK{Budget: privacy.Budget{Epsilon: e.Epsilon}, K: 1, Candidates: actions, Sensitivity: 1}.Open()
	if err != nil {
		return nil, err
	}
	return &ExpertsCalibrated{actions, choices}, nil
}

// Start begins a run. The first action and the prefixes are drawn from own, and the choices take
// their noise from noise. Without them the run says in its first Update that it could not begin.
func (e *ExpertsCalibrated) Start(own *rand.Rand, noise rand.Source) *ExpertsRun {
	r := &ExpertsRun{choice: e.choices.Start(privacy.NewNoise(noise)), own: own,
		scores: make([]float64, e.actions), chosen: make([]int, 1)}
	if own != nil {
		r.chosen[0] = own.IntN(e.actions)
		r.open(1)
	}
	return r
}

// Plan returns what the choices of actions reveal of the losses of one round.
func (e *ExpertsCalibrated) Plan(records int) privacy.Plan {
	return privacy.PlanOf(e.choices, records).HeldBy(e)
}

// open begins a block.
func (e *ExpertsRun) open(length int) {
	e.length, e.left = length, length
	e.prefix = 1 + e.own.IntN(length)
	clear(e.scores)
}

// Choose returns the action to play.
func (e *ExpertsRun) Choose() int { return e.chosen[0] }

// Update takes in the losses of all actions in a round. Losses of the wrong number, or that are not
// finite, are an error and change nothing.
func (e *ExpertsRun) Update(losses []float64) error {
	if e.own == nil {
		return errors.New("online: Experts started without random numbers of their own, want a *rand.Rand")
	}
	if len(losses) != len(e.scores) {
		return fmt.Errorf("online: %d losses for %d actions: %w", len(losses), len(e.scores), errGradient)
	}
	if !packed.Finite(losses) {
		return fmt.Errorf("online: losses %v: %w", slices.Clone(losses), errGradient)
	}
	inside := e.prefix > 0
	e.prefix--
	for a, l := range losses {
		clipped := min(max(l, 0), 1)
		if clipped != l {
			e.clipped++
		}
		if inside {
			e.scores[a] -= clipped
		}
	}
	if e.left--; e.left > 0 {
		return nil
	}
	next, err := e.choice.Choose(e.scores, e.chosen[:0])
	if err != nil {
		return err
	}
	e.chosen = next
	e.open(min(2*e.length, math.MaxInt/2))
	return nil
}

// Clipped returns the number of losses that were outside [0, 1].
func (e *ExpertsRun) Clipped() int { return e.clipped }

// Plan returns what the choices of this run reveal of the losses of one round.
func (e *ExpertsRun) Plan(records int) privacy.Plan {
	return privacy.PlanOf(e.choice, records).HeldBy(e)
}
