package local

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// RegretBound is the regret that a base learner is believed to have, for rewards in [0, 1]: at most
// Coefficient n^Power after n rounds, for all n.
type RegretBound struct {
	Coefficient float64 // L_i > 0
	Power       float64 // alpha_i in [1/2, 1]
	// Eta is eta_i > 0, which divides the combiner's own regret among the bases. It costs about
	// L_i^(1/alpha_i) T eta_i^((1-alpha_i)/alpha_i) + T eta_i if base i is the best, and 1/eta_i if it
	// is not.
	Eta float64
}

// check reports a field that is out of range.
func (r RegretBound) check(i int) error {
	switch {
	case !(r.Coefficient > 0) || math.IsInf(r.Coefficient, 1):
		return fmt.Errorf("learner: base learner %d: RegretBound.Coefficient = %v, want finite and > 0", i, r.Coefficient)
	case !(r.Power >= 0.5 && r.Power <= 1):
		return fmt.Errorf("learner: base learner %d: RegretBound.Power = %v, want in [1/2, 1]", i, r.Power)
	case !(r.Eta > 0) || math.IsInf(r.Eta, 1):
		return fmt.Errorf("learner: base learner %d: RegretBound.Eta = %v, want finite and > 0", i, r.Eta)
	}
	return nil
}

// Rewarder is a CalibratedServer whose messages contain the reward, with noise. The combiner
// compares its bases by these rewards, so all of them must open as Rewarders. OnlineServer does,
// and so does Anytime over it. LDPServer does not, as its messages hold y x but not y.
type Rewarder interface {
	learner.CalibratedServer
	// Reward returns the noisy reward in a message: an unbiased estimate of the reward, not clipped. A
	// message that a run would refuse is an error.
	Reward(m learner.Message) (float64, error)
	// RewardNoise returns the standard deviation of the noise that a device adds to the reward.
	RewardNoise() (float64, error)
}

var (
	_ Rewarder = (*onlineServer)(nil)
	_ Rewarder = (*anytimeServer)(nil)
)

// Reward returns y~, the last number of a message.
func (o *onlineServer) Reward(m learner.Message) (float64, error) {
	if err := m.Check(o.scale.noisy+1, o.scale.bound); err != nil {
		return 0, err
	}
	return m[o.scale.noisy], nil
}

// RewardNoise returns sigma, the standard deviation of the noise on y~.
func (o *onlineServer) RewardNoise() (float64, error) { return o.scale.sigma, nil }

// rewarder returns the server of a block, all of which have the same devices.
func (a *anytimeServer) rewarder(block int) (Rewarder, error) {
	r, ok := a.blocks[block].(Rewarder)
	if !ok {
		return nil, fmt.Errorf("learner: the messages of a %T show no reward", a.of.Server)
	}
	return r, nil
}

// Reward returns the noisy reward as the blocks' server reads it.
func (a *anytimeServer) Reward(m learner.Message) (float64, error) {
	r, err := a.rewarder(0)
	if err != nil {
		return 0, err
	}
	return r.Reward(m)
}

// RewardNoise returns the largest standard deviation of all blocks.
func (a *anytimeServer) RewardNoise() (float64, error) {
	var noise float64
	for m := range a.blocks {
		r, err := a.rewarder(m)
		if err != nil {
			return 0, err
		}
		n, err := r.RewardNoise()
		if err != nil {
			return 0, err
		}
		noise = max(noise, n)
	}
	return noise, nil
}

// Combiner returns the two halves of the combiner as published, for a Local. Base learner 1 is
// Anytime with Delta^2 = 2^(-m/8) in block m. The others are OnlineServers without Delta for the
// guesses 2/T^(1/8), 4/T^(1/8), ... of the least eigenvalue of E[x x^T]. There are
// ceil(log2(T)/8)+1 bases in all.
//
// Tune the server's fields: with the constants of the theory, which are the default, its bounds are
// vacuous.
func (noise OnlineNoise) Combiner() (CombinerDevice, CombinerServer) {
	return CombinerDevice{Noise: noise}, CombinerServer{Base: OnlineServer{Noise: noise}}
}

// combinerPower is the exponent k of the combiner's Delta; its least guess is T^-k.
const combinerPower = 1. / 8

// combinerBases returns the number of base learners, M = ceil(log2(T)/8) + 1.
func combinerBases(horizon int) int { return (bits.Len(uint(horizon-1))+7)/8 + 1 }

// CombinerGuesses returns the least eigenvalues of E[x x^T] that the combiner's base learners are
// made for: lambda_i = 2^(i-1)/T^(1/8), i = 1, ..., ceil(log2(T)/8)+1. With |x| <= 1 no guess
// above 1/d can be right.
func CombinerGuesses(horizon int) []float64 {
	guesses := make([]float64, combinerBases(horizon))
	for i := range guesses {
		guesses[i] = math.Ldexp(portable.Pow(float64(horizon), -combinerPower), i)
	}
	return guesses
}

// combinerServers makes the servers of the default set from a template. A guess determines only the
// width of the confidence set, which in the theory is proportional to 1/lambda_i (Lemma 3.3 and
// Theorem C.2). TheoryWidth is given the guess. ScaledWidth, which knows no lambda, is multiplied
// by lambda_1/lambda_i, so that the bases form a grid of widths.
func combinerServers(base OnlineServer, horizon int) []learner.Server {
	first := base
	first.LambdaMin, first.DeltaSquared, first.DeltaPower = 0, 0, combinerPower
	servers := []learner.Server{Anytime{first}}
	for i, guess := range CombinerGuesses(horizon)[1:] {
		s := base
		s.LambdaMin, s.DeltaSquared, s.DeltaPower = guess, 0, 0
		if s.Rule == ScaledWidth {
			s.Width = math.Ldexp(checks.Or(base.Width, 1), -i-1)
		}
		servers = append(servers, s)
	}
	return servers
}

// combinerRegret returns L_i, alpha_i and eta_i of Theorem 4.1 with the constants P and P'. As
// epsilon grows they vanish or explode and have no limit, because the reward's own noise is what
// remains. For epsilon = +Inf they are those of epsilon = 1.
func combinerRegret(b privacy.Budget, dim, horizon int, p, p2 float64) []RegretBound {
	t, d, epsilon := float64(horizon), float64(dim), b.Epsilon
	if b.None() {
		epsilon = 1
	}
	log := portable.Pow(portable.Log(max(t, math.E)), 1.5)
	grown := float64(epsilon * portable.Pow(t, combinerPower))
	bounds := []RegretBound{{p * log * math.Sqrt(d) * (grown + 1) / grown, 0.75, grown / (math.Sqrt(d*t) * (float64(p*log*grown) + 1))}}
	for _, guess := range CombinerGuesses(horizon)[1:] {
		bounds = append(bounds, RegretBound{p2 * log * math.Sqrt(d) / (epsilon * guess), 0.5, epsilon / (p2 * log * math.Sqrt(d*t))})
	}
	return bounds
}
