package learner

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPDevice is the devices' half of LDP LinUCB (Zheng, Cai, Huang, Li, Wang, "Locally
// differentially private (contextual) bandits learning", 2020). It plays the arm with the highest
// upper confidence bound in the broadcast's ellipsoid, and reports x x^T and y x with the noise of
// LDPNoise.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The message
// is Gaussian whatever the broadcast was, so the guarantee is sequentially interactive: it holds
// against any server.
type LDPDevice struct {
	Noise LDPNoise
	// Policy chooses the arm from the server's broadcast. It has to be the server's policy; nil means
	// LinUCB{}.
	Policy Policy[privacy.Sums]

	user
	scale ldpScale
	buf   []float64
}

var _ Device = (*LDPDevice)(nil)

// Init validates and calibrates the noise.
func (l *LDPDevice) Init(p bandit.Problem, horizon int) (err error) {
	if err := l.user.init("LDPDevice", p, horizon, l.Policy); err != nil {
		return err
	}
	if l.scale, err = l.Noise.scale(p); err != nil {
		return err
	}
	l.constant = l.Noise.Constant
	l.buf = make([]float64, l.scale.size())
	l.plan = l.scale.plan(l.Noise.Budget, "Zheng et al. 2020; mu-GDP (Dong, Roth, Su 2022)", 1)
	return nil
}

// Act returns the arm with the highest upper confidence bound.
func (l *LDPDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	return l.act(broadcast, v)
}

// Report appends x x^T, packed, and y x to dst, both with noise.
func (l *LDPDevice) Report(_ []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error) {
	y, err := l.admit(x, y)
	if err != nil {
		return dst, err
	}
	l.scale.draw(noise, l.buf)
	size := packed.Size(l.scale.dim)
	matrix, vector := l.buf[:size], l.buf[size:]
	packed.AddOuter(matrix, l.x)
	for i, v := range l.x[:len(vector)] {
		vector[i] += float64(y * v)
	}
	return append(dst, l.buf...), nil
}

// Plan returns what a message shows of its user.
func (l *LDPDevice) Plan(int) privacy.Plan { return l.plan.HeldBy(l) }

// user is what all devices share: the choice by a broadcast, and the clipping of data.
type user struct {
	problem  bandit.Problem
	policy   Rule[privacy.Sums] // acts
	arms     []int
	x        []float64 // the context, clipped
	constant float64   // its last coordinate, if not 0
	plan     privacy.Plan
}

func (u *user) init(who string, p bandit.Problem, horizon int, policy Policy[privacy.Sums]) error {
	if err := checkLinear(who, p, horizon); err != nil {
		return err
	}
	if policy == nil {
		policy = LinUCB{}
	}
	if err := field.Check("learner: "+who+".Policy", policy); err != nil {
		return err
	}
	none := &privacy.Sums{Packed: make([]float64, packed.Size(p.Dim+1)), Shift: 1, Bounds: privacy.Spread{}.Bounds(1)}
	prepared, err := policy.Prepare(p, horizon, none)
	if err != nil {
		return err
	}
	// it acts here, and learns where the messages are
	*u = user{problem: p, policy: prepared.Begin(nil), x: make([]float64, p.Dim), arms: make([]int, 0, 1)}
	return nil
}

// act returns the arm that the policy chooses from the broadcast.
func (u *user) act(broadcast []float64, v *bandit.View) (int, error) {
	if !v.Fits(&u.problem) {
		return 0, fmt.Errorf("learner: %w", bandit.CheckView(u.problem, v))
	}
	arms, err := u.policy.Act(broadcast, v, u.arms[:0])
	if err != nil {
		return 0, err
	}
	if len(arms) != 1 {
		return 0, fmt.Errorf("learner: %d arms from a %T, want 1", len(arms), u.policy)
	}
	return arms[0], nil
}

// admit writes the context, clipped to its norm, to u.x and returns the reward clipped to its
// range. With a public constant k, the last coordinate is set to k and the others are clipped to
// sqrt(L^2 - k^2). It refuses data that is not finite or has a wrong length.
func (u *user) admit(x []float64, y float64) (float64, error) {
	if len(x) != len(u.x) {
		return 0, fmt.Errorf("learner: a context of dimension %d, want %d", len(x), len(u.x))
	}
	switch {
	case !packed.Finite(x):
		return 0, fmt.Errorf("learner: a context %v, want finite numbers", append([]float64(nil), x...))
	case y-y != 0:
		return 0, fmt.Errorf("learner: a reward of %v, want finite", y)
	}
	copy(u.x, x)
	part, bound := u.x, u.problem.ContextNorm
	if u.constant != 0 {
		last := len(x) - 1
		part, bound = u.x[:last], math.Sqrt(max(0, float64(bound*bound)-float64(u.constant*u.constant)))
		u.x[last] = u.constant
	}
	var square float64 // of the private part only, so that nothing public cancels against it
	for _, v := range part {
		square += float64(v * v)
	}
	switch {
	case !(square <= math.MaxFloat64):
		packed.Shorten(part, bound)
	case beyond(square, bound):
		scale := bound / math.Sqrt(square)
		for i := range part {
			part[i] *= scale
		}
	}
	return min(max(y, u.problem.RewardMin), u.problem.RewardMax), nil
}
