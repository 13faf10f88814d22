package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// slotNoise calibrates the noise of a tally in which one record moves a given number of released
// sums, its slots, each by at most the range of a weight. delta = 0 means Laplace noise, delta > 0
// Gaussian noise.
type slotNoise struct {
	budget   privacy.Budget
	gaussian bool
	mu       float64
}

func newSlotNoise(b privacy.Budget) (slotNoise, error) {
	if err := b.Validate(); err != nil {
		return slotNoise{}, err
	}
	n := slotNoise{budget: b, gaussian: b.Delta > 0}
	var err error
	if n.gaussian {
		n.mu, err = b.GaussianMu()
	}
	return n, err
}

// scale returns the noise on a sum: the Laplace scale slots side/epsilon, or the Gaussian standard
// deviation sqrt(slots) side/mu.
func (n slotNoise) scale(slots int, side float64) (float64, error) {
	ratio, name := float64(slots)/n.budget.Epsilon, "Laplace noise of scale"
	if n.gaussian {
		ratio, name = math.Sqrt(float64(slots))/n.mu, "Gaussian noise of standard deviation"
	}
	scale := ratio * side
	if math.IsInf(2*ratio*ratio, 0) || math.IsInf(scale, 0) || scale == 0 && !n.budget.None() {
		return 0, fmt.Errorf("mechanism: %s %v for %v, %d sums and a range of %v, want finite and > 0, and twice its square in units of the range finite", name, scale, n.budget, slots, side)
	}
	return scale, nil
}

// noisyTally is what the tallies with noise are calibrated to: how much of it there is, and the
// plan.
type noisyTally struct {
	data     privacy.Setup
	gaussian bool
	// The noise on an arm's first sum, or on that of a warm-up, and on any other: the scale of the
	// Laplace noise, or the standard deviation of the Gaussian.
	first, later float64
	shows        [2]curator.Planned // of sums under the first and the later noise
}

// noisyRun is what the runs of tallies with noise share.
type noisyRun struct {
	tallied
	gaussian bool
	noise    *privacy.Noise
	buf      [1]float64
}

// start returns the part of a run that draws its noise from n.
func (t *noisyTally) start(n *privacy.Noise) noisyRun {
	return noisyRun{tallied: newTallied(t.data), gaussian: t.gaussian, noise: n}
}

// scales computes the noise for a tally in which a record is in one sum of each of its arms. If
// warm, an arm's first sum has the noise that the record of a warm-up needs.
func (t *noisyTally) scales(b privacy.Budget, warm bool) error {
	n, err := newSlotNoise(b)
	if err != nil {
		return err
	}
	side := t.data.Hi - t.data.Lo
	t.gaussian = n.gaussian
	if t.later, err = n.scale(t.data.Slots, side); err != nil {
		return err
	}
	if t.first = t.later; warm {
		t.first, err = n.scale(t.data.Arms, side)
	}
	return err
}

func (t *noisyRun) draw(scale float64) float64 {
	if t.gaussian {
		t.noise.Gaussian(t.buf[:], scale)
	} else {
		t.noise.Laplace(t.buf[:], scale)
	}
	return t.buf[0]
}

// describe ends a calibration: it says what the sums show. A record moves each by at most
// the range of a weight. If optional, a sum may never be released, since its batch may never be
// full.
func (t *noisyTally) describe(asked privacy.Budget, c privacy.Calibration, source string, optional bool, conditions ...string) {
	side := t.data.Hi - t.data.Lo
	p := ofWeights(t.data, asked, source)
	p.Calibration, p.Conditions = c, append(p.Conditions, conditions...)
	for i, scale := range []float64{t.first, t.later} {
		law := privacy.LaplaceLaw(1, scale)
		if t.gaussian {
			law = privacy.GaussianLaw(1, scale)
		}
		r := privacy.Release{Law: law, Sensitivity: privacy.Norms{L1: side, L2: side}, Optional: optional}
		t.shows[i] = curator.Plans(p.With(r), math.MaxInt)
	}
}

// plan returns what the releases of a number of records show of one record, after so many draws for
// each arm. The record of a warm-up is in one sum of each arm. None of n other records is in more
// than nodes(n) sums of each of its arms.
func (t *noisyTally) plan(records int, nodes func(n int) int, draws []int) privacy.Plan {
	var first, later int // an arm's first draw, and the others
	for _, n := range draws {
		first, later = first+min(n, 1), later+max(n-1, 0)
	}
	if !t.data.WarmUp {
		return t.shows[1].Shown(t.data.Slots*nodes(max(0, records)), first+later)
	}
	p, rest := t.shows[0].Shown(t.data.Arms*min(records, 1), first), t.shows[1].Shown(t.data.Slots*nodes(max(0, records-1)), later)
	p.Cases, p.Draws = append(p.Cases, rest.Cases...), append(p.Draws, rest.Draws...)
	return p
}
