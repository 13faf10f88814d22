package episodes

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// peeling is the regression of an episode with its noise.
type peeling struct {
	rows   int
	steps  int
	reward float64 // R
	first  step
	later  step
}

// step is the noise of one step.
type step struct {
	lambda float64 // the most that replacing a record moves a coordinate by
	choice float64 // scale of the noise on what is chosen from; 0 means none
	value  float64 // scale, or standard deviation, of the noise on the values
}

// calibrate computes the noise of an episode of n rows.
func (h NoisyIHT) calibrate(n int) (peeling, error) {
	rows := float64(n)
	p := peeling{rows: n}
	steps := h.Rate * portable.Log1p(float64(rows*h.L1*h.L1))
	if !(steps < 1000) {
		return p, fmt.Errorf("mechanism: NoisyIHT.Rate = %v: %v steps in an episode of %d rows, want < 1000", h.Rate, steps, n)
	}
	p.steps = int(steps)
	far := float64(h.L1 * h.Context) // R'
	p.reward = far + float64(h.Sd*math.Sqrt(2*portable.Log1p(rows)))
	p.first.lambda = 4 * h.Step / rows * float64(h.Context*p.reward)
	p.later.lambda = 4 * h.Step / rows * float64(h.Context*(p.reward+far))
	if h.Budget.None() || p.steps == 0 {
		return p, nil
	}
	choice, value, err := h.scales(p.steps)
	if err != nil {
		return p, err
	}
	for _, s := range []*step{&p.first, &p.later} {
		base := s.lambda
		if h.Unclipped {
			base = h.Step * (p.reward + far) / rows
		}
		s.choice, s.value = base*choice, base*value
		if !(s.choice > 1e-150 && s.choice < 1e150 && s.value > 1e-150 && s.value < 1e150) {
			return p, fmt.Errorf("mechanism: NoisyIHT noise of scales %v and %v for %v, want in [1e-150, 1e150]", s.choice, s.value, h.Budget)
		}
	}
	return p, nil
}

// scales returns the scales of the noise in units of the sensitivity.
func (h NoisyIHT) scales(steps int) (choice, value float64, err error) {
	total := h.Sparsity * steps
	switch {
	case h.Gumbel:
		pick, mu, err := h.Budget.CalibrateSelection(total, 0.5)
		return 2 / pick, math.Sqrt(float64(total)) / mu, err
	case h.Calibration == privacy.Sound:
		choice, err = peelingScale(h.Budget, total)
		return choice, choice, err
	}
	m := float64(steps)
	choice = 2 * math.Sqrt(3*float64(h.Sparsity)*portable.Log(m/h.Budget.Delta)) * m / h.Budget.Epsilon
	return choice, choice, nil
}

// noisyMaximum is the event of a choice of the largest score under Laplace noise. Of its privacy
// loss only the bound is used.
type noisyMaximum struct{ epsilon float64 }

var _ account.PureEvent = noisyMaximum{}

func (e noisyMaximum) String() string {
	return fmt.Sprintf("noisy maximum under Laplace noise, epsilon = %.4g", e.epsilon)
}

func (e noisyMaximum) Validate() error {
	if !(e.epsilon > 0 && e.epsilon <= math.MaxFloat64) {
		return fmt.Errorf("mechanism: epsilon = %v of a noisy maximum, want finite and > 0", e.epsilon)
	}
	return nil
}

func (e noisyMaximum) PureEpsilon() float64 { return e.epsilon }

// peelingScale returns the least scale of Laplace noise, in units of the sensitivity of a score,
// for a number of choices and as many values. The accountant takes about a second; results are
// remembered.
func peelingScale(b privacy.Budget, times int) (float64, error) {
	key := peelings{b, times}
	if known, ok := peelingScales.Load(key); ok {
		return known.(float64), nil
	}
	event := func(scale float64) account.Event {
		return account.Sequence{
			account.Repeat{Event: noisyMaximum{2 / scale}, Times: times},
			account.Repeat{Event: account.LaplaceEvent{Epsilon: 1 / scale}, Times: times},
		}
	}
	scale, err := b.Calibrate(account.PLD{}, event)
	if err != nil {
		return 0, err
	}
	// The accountant's epsilon, computed on another grid than its delta, may exceed the budget in the
	// fifth digit.
	for tries := 0; ; tries++ {
		epsilon, err := account.PLD{}.Epsilon(event(scale), b.Delta)
		if err != nil {
			return 0, err
		}
		if epsilon <= b.Epsilon {
			break
		}
		if tries == 20 {
			return 0, fmt.Errorf("mechanism: the noise of %d choices within %v was not found: epsilon = %v", times, b, epsilon)
		}
		scale *= epsilon / b.Epsilon * (1 + 1e-7)
	}
	peelingScales.Store(key, scale)
	return scale, nil
}

type peelings struct {
	budget privacy.Budget
	times  int
}

var peelingScales sync.Map // from peelings to float64
