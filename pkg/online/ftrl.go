package online

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
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
	// Sums releases the running sum of gradients, in units of G: continual.VectorTree, VectorBLT or
	// VectorSquareRoot. nil means the exact sum, which is not private.
	Sums privacy.Statistic[continual.Total]
}

var _ Learner = FTRL{}

// ftrlCalibrated is an [FTRL] that is ready for runs, and says what they reveal.
type ftrlCalibrated struct {
	on   ball
	sums privacy.Mechanism[continual.Total]
	half float64 // eta/2
}

// ftrlRun is an [FTRL] in a run.
type ftrlRun struct {
	core
	sums   privacy.Stream[continual.Total]
	half   float64
	record privacy.Record
	next   []float64
}

var (
	_ privacy.Planner = (*ftrlCalibrated)(nil)
	_ privacy.Planner = (*ftrlRun)(nil)
)

// Open validates, and opens the sums. What it returns is a [privacy.Planner], and so are its runs.
func (f FTRL) Open(dim, horizon int) (Calibrated, error) {
	if !(f.Rate >= 0 && f.Rate <= 1e100) {
		return nil, fmt.Errorf("online: FTRL.Rate = %v, want > 0, 1e100 at most, or 0 for sqrt(2/horizon)", f.Rate)
	}
	on, err := newBall("FTRL", dim, horizon, f.Radius, f.Gradient, false, 0)
	if err != nil {
		return nil, err
	}
	sums := f.Sums
	if sums == nil {
		sums = continual.VectorExact{}
	} else if err := field.Check("online: FTRL.Sums", sums); err != nil {
		return nil, err
	}
	opened, err := sums.Open(privacy.Setup{Dim: dim, Horizon: horizon, Bound: 1})
	if err != nil {
		return nil, err
	}
	eta := cmp.Or(f.Rate, math.Sqrt(2/float64(horizon)))
	return &ftrlCalibrated{on: on, sums: opened, half: eta / 2}, nil
}

// Start begins a run over sums of their own noise.
func (f *ftrlCalibrated) Start(_ *rand.Rand, noise rand.Source) Run {
	r := &ftrlRun{core: f.on.begin(), half: f.half, next: make([]float64, f.on.dim)}
	r.sums = f.sums.Start(privacy.NewNoise(noise))
	r.lead()
	return r
}

// Plan returns the plan of the sums: predictions are computed from their releases.
func (f *ftrlCalibrated) Plan(records int) privacy.Plan {
	return privacy.PlanOf(f.sums, records).HeldBy(f)
}

// lead moves to the regularised leader of the release.
func (f *ftrlRun) lead() {
	of := f.sums.Release().Of
	scale := f.half
	if norm := packed.Norm(of); scale*norm > 1 { // squares of noise may overflow
		scale = 1 / norm
	}
	scaled(f.next, -scale, of)
	f.publish(f.next)
}

// Update takes the gradient at Predict(). Over noisy sums, a gradient beyond the horizon is an
// error: nobody has paid for its release.
func (f *ftrlRun) Update(gradient []float64) error {
	clipped := f.clipped
	if err := f.take(gradient); err != nil {
		return err
	}
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

// Plan returns the plan of the sums, so far.
func (f *ftrlRun) Plan(records int) privacy.Plan {
	return privacy.PlanOf(f.sums, records).HeldBy(f)
}
