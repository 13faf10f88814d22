package privacy

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// CalibrateSelection divides a budget between a selection of the given number of picks and a
// Gaussian release that may depend on it, of the same records. It returns the bounded range epsilon
// of one pick and the mu of the Gaussian. More than 65,536 picks are an error.
//
// The two have zCDP costs of picks pick^2/8 = share R and mu^2/2 = (1-share) R, for 0 < share < 1.
// R is the largest for which the composition is within the budget by PLD accounting, to a relative
// 1e-4 on the safe side. Epsilon = +Inf returns +Inf twice. The accountant takes about a second;
// results are remembered.
func (b Budget) CalibrateSelection(picks int, share float64) (pick, mu float64, err error) {
	if err := b.Approximate(); err != nil {
		return 0, 0, err
	}
	if picks < 1 || picks > mostPicks {
		return 0, 0, fmt.Errorf("privacy: a selection of %d picks, want in [1, %d]", picks, mostPicks)
	}
	if !(share > 0 && share < 1) {
		return 0, 0, fmt.Errorf("privacy: a share of %v for the selection, want in (0, 1)", share)
	}
	if b.None() {
		return math.Inf(1), math.Inf(1), nil
	}
	s := selection{b, picks, share}
	if known, ok := selections.Load(s); ok {
		v := known.([2]float64)
		return v[0], v[1], nil
	}
	rho, err := b.ConcentratedRho() // R is a little more than this
	if err != nil {
		return 0, 0, err
	}
	split := func(scale float64) (pick, mu float64) {
		r := math.Sqrt(rho) / scale
		return r * math.Sqrt(8*share/float64(picks)), r * math.Sqrt(2*(1-share))
	}
	event := func(scale float64) account.Event {
		pick, mu := split(scale)
		return account.Sequence{account.Repeat{Event: account.ExponentialEvent{Epsilon: pick}, Times: picks}, account.GaussianEvent{Mu: mu}}
	}
	scale, err := b.Calibrate(account.PLD{}, event)
	if err != nil {
		return 0, 0, err
	}
	// The accountant's delta is within the budget. Its epsilon, computed on another grid, may
	// exceed it in the fifth digit.
	for tries := 0; ; tries++ {
		epsilon, err := account.PLD{}.Epsilon(event(scale), b.Delta)
		if err != nil {
			return 0, 0, err
		}
		if epsilon <= b.Epsilon {
			break
		}
		if tries == 20 {
			return 0, 0, fmt.Errorf("privacy: no selection of %d picks within %v was found: epsilon = %v", picks, b, epsilon)
		}
		scale *= epsilon / b.Epsilon * (1 + 1e-7)
	}
	pick, mu = split(scale)
	selections.Store(s, [2]float64{pick, mu})
	return pick, mu, nil
}

// mostPicks bounds a selection: the accountant's grids grow with it.
const mostPicks = 1 << 16

// selection is what a selection is calibrated from.
type selection struct {
	budget Budget
	picks  int
	share  float64
}

var selections sync.Map // from selection to [2]float64
