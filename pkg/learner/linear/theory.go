package linear

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Theory holds the parameters of the regret bounds of LinUCB with changing regularisers (JDP,
// Section 3.1).
type Theory struct {
	Rounds      int     // n
	Dim         int     // d
	ContextNorm float64 // L
	RewardBound float64 // B >= 1, on the mean reward
	ThetaNorm   float64 // S
	Sigma       float64 // sigma
	Alpha       float64 // alpha
	privacy.Bounds
}

// width returns beta-bar_n and the elliptical potential d ln(1 + n L^2/(d rho_min)). beta-bar_n
// bounds all beta_t and is at least 1, as Lemma 21 requires.
func (t Theory) width() (beta, potential float64) {
	return t.widthAbove(1)
}

// widthAbove is width with a least beta-bar other than 1, in units of the rewards.
func (t Theory) widthAbove(least float64) (beta, potential float64) {
	n, d := float64(t.Rounds), float64(t.Dim)
	grown := n * t.ContextNorm * t.ContextNorm / (d * t.RhoMin)
	beta = float64(t.Sigma*math.Sqrt(float64(2*portable.Log(2/t.Alpha))+float64(d*portable.Log(t.RhoMax/t.RhoMin+grown)))) + float64(t.ThetaNorm*math.Sqrt(t.RhoMax)) + t.Gamma
	return max(least, beta), d * portable.Log1p(grown)
}

// General returns the gap-free bound on the pseudo-regret, which holds with probability at least 1
// - Alpha: B beta-bar sqrt(8 n potential) (Theorem 5).
//
// The formula is that of the proof. In print the theorem has sigma sqrt(2 ln(2/alpha) + ...) and
// Proposition 4 has sqrt(sigma^2 (2 ln(2/alpha) + ...)), which are equal.
func (t Theory) General() float64 {
	beta, potential := t.width()
	return t.RewardBound * beta * math.Sqrt(8*float64(t.Rounds)*potential)
}

// Gap returns the bound on the pseudo-regret for decision sets whose best arm leads by at least
// gap: (8B/gap) beta-bar^2 potential (Theorem 6). It is +Inf for gap = 0.
func (t Theory) Gap(gap float64) float64 {
	beta, potential := t.width()
	return 8 * t.RewardBound / gap * beta * beta * potential
}

// optimiseShift returns the sums shifted to the rho_min with the least regret bound. Theorems 5 and
// 6 are increasing functions of the same beta-bar sqrt(potential), so the optimum does not depend
// on the gap.
//
// As rho_min grows, the bound tends to sqrt(8) n S L: more than any regret, for a learner that
// never learns. If no shift has a bound below that, as in a short run under much noise, the sums
// keep their own shift.
//
// The optimum scales with the data: rho_min is searched in units of L^2, and beta-bar is at least
// the bound on the mean rewards, which is 1 in the theorems' units.
func optimiseShift(s *privacy.Sums, t Theory, mean float64) (privacy.Sums, error) {
	unit := 2 * portable.Log(t.ContextNorm)
	bound := func(logRho float64) float64 {
		moved, err := s.Shifted(portable.Exp(logRho))
		if err != nil {
			return math.Inf(1)
		}
		if t.Bounds = moved.Bounds; !(t.RhoMin > 0) { // a rho_min so far below rho_max is rounded away
			return math.Inf(1)
		}
		beta, potential := t.widthAbove(mean)
		return beta * math.Sqrt(potential)
	}
	// A scan brackets the minimum, which golden sections narrow.
	const span, steps = 60, 240 // of ln rho_min, from 1e-6 to 1e20 in units of L^2
	low, high := unit-14, unit+46
	best := low
	for i := range steps + 1 {
		if at := low + float64(span*float64(i)/steps); bound(at) < bound(best) {
			best = at
		}
	}
	if !(bound(best) < bound(high)*(1-1e-9)) { // up to rounding
		return s.Shifted(s.Bounds.RhoMin)
	}
	const step = float64(span) / steps
	a, b := best-step, best+step
	ratio := (math.Sqrt(5) - 1) / 2
	for range 60 {
		c, d := b-float64(ratio*(b-a)), a+float64(ratio*(b-a))
		if bound(c) < bound(d) {
			b = d
		} else {
			a = c
		}
	}
	return s.Shifted(portable.Exp((a + b) / 2))
}
