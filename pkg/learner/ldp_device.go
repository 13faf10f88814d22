package learner

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPDevice is the devices' half of LDP LinUCB (Zheng, Cai, Huang, Li, Wang, "Locally differentially private (contextual) bandits learning", 2020): it plays the
// arm with the highest upper confidence bound in the ellipsoid of the broadcast, and reports x x^T and y x under the noise of LDPNoise.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The message is Gaussian whatever the
// broadcast was, so that the guarantee is sequentially interactive: it holds against any server.
type LDPDevice struct {
	Noise LDPNoise

	user
	scale ldpScale
	buf   []float64
}

var _ Device = (*LDPDevice)(nil)

// Init validates and calibrates.
func (l *LDPDevice) Init(p bandit.Problem, horizon int) (err error) {
	if err := l.user.init("LDPDevice", p, horizon); err != nil {
		return err
	}
	if l.scale, err = l.Noise.scale(p); err != nil {
		return err
	}
	l.constant = l.Noise.Constant
	l.buf = make([]float64, l.scale.size())
	return nil
}

// Act returns the arm with the highest upper confidence bound.
func (l *LDPDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	return l.act(broadcast, v)
}

// Report appends x x^T, packed, and y x to dst, both under noise.
func (l *LDPDevice) Report(_ []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error) {
	y, err := l.admit(x, y)
	if err != nil {
		return dst, err
	}
	l.scale.draw(noise, l.buf)
	matrix, vector := l.buf[:packed.Size(l.scale.dim)], l.buf[packed.Size(l.scale.dim):]
	p := 0
	for i, v := range l.x {
		row := matrix[p : p+i+1]
		for j, w := range l.x[:len(row)] {
			row[j] += float64(v * w)
		}
		vector[i] += float64(y * v)
		p += i + 1
	}
	return append(dst, l.buf...), nil
}

// Claim returns what a message's noise buys.
func (l *LDPDevice) Claim() privacy.Claim {
	return localClaim(l.Noise.Budget, l.Noise.Calibration, l.scale.mu, l.scale.constant,
		"Zheng et al. 2020; accounted by mu-GDP (Dong, Roth, Su 2022)")
}

// Draws returns the noise in a number of messages.
func (l *LDPDevice) Draws(messages int) []privacy.Draws { return l.scale.draws(messages) }

// user is what the devices share: the choice by an ellipsoid, and the admission of data.
type user struct {
	optimist
	problem  bandit.Problem
	set      ellipsoid // of the broadcast
	x        []float64 // the context, clipped
	constant float64   // its last coordinate, if not 0
}

func (u *user) init(who string, p bandit.Problem, horizon int) error {
	if err := checkLinear(who, p, horizon); err != nil {
		return err
	}
	u.problem, u.x = p, make([]float64, p.Dim)
	u.optimist.init(p)
	return nil
}

// act returns the arm with the highest upper confidence bound in the ellipsoid that is broadcast.
func (u *user) act(broadcast []float64, v *bandit.View) (int, error) {
	if err := u.set.receive(broadcast, u.dim); err != nil {
		return 0, err
	}
	if err := u.check(v); err != nil {
		return 0, err
	}
	return u.choose(&u.set, v)
}

// admit leaves the context, scaled down to its norm, in u.x, and returns the reward clipped to its range. With a public constant k the rest of
// the context is scaled down to sqrt(L^2 - k^2), and the last coordinate set. Data that is not finite or of another length is refused.
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
	var square float64 // of what is private alone: nothing public may cancel against it
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
