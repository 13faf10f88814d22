package online

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// FTRL follows the regularised leader over linear losses:
//
//	theta_t = argmin eta <theta, L_{t-1}> + |theta|^2 = -(eta/2) L_{t-1} / max(1, (eta/2) |L_{t-1}|),
//
// where L_t is the sum of the first t gradients, and all is in units of the radius D and the bound
// G. Its regret is at most G D (eta T/2 + 1/eta), which is G D sqrt(2T) for eta = sqrt(2/T).
//
// Over a noisy sum it is DP-FTRL (Agarwal and Singh 2017; Chari, Differentially Private Online
// Algorithms, Algorithm 1 and Theorem 1): FTRL reads the gradients through Sums alone, so what it
// predicts is as private as their releases. The noise Z costs at most E[max <Z, x> - min <Z, x>] =
// 2 E|Z| of regret against an oblivious adversary. An adaptive one, who sees predictions, sees the
// noise, too, and the bound does not hold; privacy does.
//
// The trust model is central; neighbours replace one loss, and the claim covers all predictions.
// Gradients longer than G are clipped before they are added, and counted.
type FTRL struct {
	Radius   float64 // D; 0 means 1
	Gradient float64 // G > 0: a bound on the norm of gradients, no default
	Rate     float64 // eta > 0; 0 means sqrt(2/horizon)
	// Sums releases the running sum of gradients, in units of G: mechanism.VectorTree, VectorBLT or
	// VectorSquareRoot. nil means the exact sum, which is not private.
	Sums privacy.Statistic[mechanism.Total]
	// Noise is where Sums takes its noise from; no default unless Sums is nil. Each Reset goes on with
	// fresh noise from it. To repeat a run, set it anew before Reset.
	Noise *privacy.Noise

	core
	opened privacy.Mechanism[mechanism.Total] // Sums, for the horizon
	sums   privacy.Stream[mechanism.Total]    // of this run; nil before its first round
	half   float64                            // eta/2
	record privacy.Record
	next   []float64
}

var (
	_ Learner         = (*FTRL)(nil)
	_ privacy.Planner = (*FTRL)(nil)
)

// Init validates and allocates.
func (f *FTRL) Init(dim, horizon int) error {
	f.opened, f.sums = nil, nil
	if !(f.Rate >= 0 && f.Rate <= 1e100) {
		return fmt.Errorf("online: FTRL.Rate = %v, want > 0, 1e100 at most, or 0 for sqrt(2/horizon)", f.Rate)
	}
	if err := f.init("FTRL", dim, horizon, f.Radius, f.Gradient, false, 0); err != nil {
		return err
	}
	sums := f.Sums
	if sums == nil {
		sums = mechanism.VectorExact{}
	} else if err := field.Check("online: FTRL.Sums", sums); err != nil {
		return f.unready(err)
	} else if f.Noise == nil {
		return f.unready(fmt.Errorf("online: FTRL.Noise is nil, want a privacy.Noise for a %T", sums))
	}
	opened, err := sums.Open(privacy.Setup{Dim: dim, Horizon: horizon, Bound: 1})
	if err != nil {
		return f.unready(err)
	}
	eta := f.Rate
	if eta == 0 {
		eta = math.Sqrt(2 / float64(horizon))
	}
	f.opened, f.half, f.next = opened, eta/2, make([]float64, dim)
	f.Reset()
	return nil
}

// unready forgets the dimension, so that no gradient is taken after an Init that failed.
func (f *FTRL) unready(err error) error {
	f.core = core{}
	return err
}

// Reset forgets all rounds.
func (f *FTRL) Reset() {
	f.reset()
	f.sums = nil
}

// begin takes the noise of the first release, if it has any, at the first prediction: Reset after
// Init draws nothing.
func (f *FTRL) begin() {
	if f.sums != nil || f.opened == nil {
		return
	}
	f.sums = f.opened.Start(f.Noise)
	f.lead()
}

// lead moves to the regularised leader of the release.
func (f *FTRL) lead() {
	of := f.sums.Release().Of
	scale := f.half
	if norm := packed.Norm(of); scale*norm > 1 { // squares of noise may overflow
		scale = 1 / norm
	}
	scaled(f.next, -scale, of)
	f.publish(f.next)
}

// Predict returns the next point, whose norm is at most the radius. The learner owns it; it is
// valid until Update.
func (f *FTRL) Predict() []float64 {
	f.begin()
	return f.theta
}

// Update takes the gradient at Predict(). Over noisy sums, a gradient beyond the horizon is an
// error: nobody has paid for its release.
func (f *FTRL) Update(gradient []float64) error {
	clipped := f.clipped
	if err := f.take(gradient); err != nil {
		return err
	}
	f.begin()
	f.record.X = f.g
	moved, err := f.sums.Add(&f.record)
	if err != nil {
		f.rounds, f.clipped = f.rounds-1, clipped
		return fmt.Errorf("online: round %d: %w", f.rounds+1, err)
	}
	if moved {
		f.lead()
	}
	return nil
}

// Plan returns the plan of the sums: predictions are computed from their releases.
func (f *FTRL) Plan(records int) privacy.Plan {
	switch {
	case f.opened == nil:
		return privacy.NoPlan("%v", errNotReady)
	case f.sums == nil:
		return privacy.PlanOf(f.opened, records).HeldBy(f)
	}
	return privacy.PlanOf(f.sums, records).HeldBy(f)
}

var errNotReady = errors.New("online: used before Init")
