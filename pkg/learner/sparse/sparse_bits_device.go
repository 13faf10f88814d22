package sparse

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// SparseBitsDevice is the devices' half of [SparseBits]. It plays the arm that the broadcast names,
// or the best for the theta in it, and answers with one bit under randomised response.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The
// guarantee is pure, and holds against any server.
type SparseBitsDevice struct {
	Bits SparseBits // the server's
}

// sparseBitsDevice is a SparseBitsDevice for a problem. It keeps nothing, and so is what runs, too.
type sparseBitsDevice struct {
	problem bandit.Problem
	budget  privacy.Budget
}

var (
	_ learner.Device         = SparseBitsDevice{}
	_ learner.ShufflePlanner = (*sparseBitsDevice)(nil)
)

// Open validates.
func (d SparseBitsDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	if err := checkSparseBits("SparseBitsDevice", p, horizon); err != nil {
		return nil, err
	}
	if err := d.Bits.validate(p); err != nil {
		return nil, err
	}
	return &sparseBitsDevice{p, d.Bits.Budget}, nil
}

// Plan returns what an answer shows of its user.
func (d *sparseBitsDevice) Plan(int) privacy.Plan {
	p := learner.MessagePlan(d.budget, privacy.Sound, 0, "Warner 1965", privacy.Release{Law: privacy.ResponseLaw(2, d.budget.Epsilon)})
	p.Conditions = nil // a sign has no bounds
	if d.budget.None() {
		p.Draws = []privacy.Draws{}
	}
	return p.HeldBy(d)
}

// ShuffledPlan refuses a shuffler: answers are for the coordinate of their round.
func (d *sparseBitsDevice) ShuffledPlan(_ learner.Shuffler, batch int) (privacy.Plan, error) {
	if batch > 1 {
		return privacy.Plan{}, fmt.Errorf("learner: SparseBitsDevice with Batch = %d, want 1: the answers of a batch are for different coordinates", batch)
	}
	return d.Plan(privacy.All), nil
}

// Start returns the device itself.
func (d *sparseBitsDevice) Start() learner.Reporter { return d }

// Act returns the arm that the broadcast names, if it names one, and otherwise the one with the
// largest <x, theta>.
func (d *sparseBitsDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	if err := d.problem.CheckView(v); err != nil {
		return 0, fmt.Errorf("learner: %w", err)
	}
	if len(broadcast) < 2 {
		return 0, fmt.Errorf("learner: a broadcast of %d numbers, want 2 at least", len(broadcast))
	}
	arm := broadcast[1]
	if !(arm >= -1 && arm < float64(v.Arms) && arm == math.Trunc(arm)) {
		return 0, fmt.Errorf("learner: arm %v in a broadcast, want in [0, %d), or -1 for the best", arm, v.Arms)
	}
	best, err := bestArm(broadcast[2:], v)
	if err != nil {
		return 0, fmt.Errorf("learner: %w", err)
	}
	if arm >= 0 {
		best = int(arm)
	}
	return best, nil
}

// Explain appends the estimates <x, theta>, once they are what the arm is chosen by.
func (d *sparseBitsDevice) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if _, err := d.Act(broadcast, v); err != nil {
		return dst, err
	}
	if broadcast[1] >= 0 {
		return checks.Unguided(v.Arms, dst), nil
	}
	return (&coordinates{}).Explain(broadcast[2:], v, dst)
}

// Report appends the answer, 1 or -1, for the coordinate that the broadcast names; an empty one
// asks for the first.
func (d *sparseBitsDevice) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	switch {
	case len(x) != d.problem.Dim:
		return dst, fmt.Errorf("learner: a context of dimension %d, want %d", len(x), d.problem.Dim)
	case !packed.Finite(x):
		return dst, fmt.Errorf("learner: a context %v, want finite numbers", append([]float64(nil), x...))
	case y-y != 0:
		return dst, fmt.Errorf("learner: a reward of %v, want finite", y)
	}
	j := 0.0
	if len(broadcast) > 0 {
		j = broadcast[0]
	}
	if !(j >= 0 && j < float64(len(x)) && j == math.Trunc(j)) {
		return dst, fmt.Errorf("learner: coordinate %v in a broadcast, want in [0, %d)", j, len(x))
	}
	truth := 0
	if (x[int(j)] >= 0) == (y >= 0) {
		truth = 1
	}
	if !d.budget.None() {
		truth = noise.Response(truth, 2, d.budget.Epsilon)
	}
	return append(dst, float64(2*truth-1)), nil
}
