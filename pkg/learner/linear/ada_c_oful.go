package linear

import (
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaCOFUL returns AdaC-OFUL (Azize and Basu 2024; as Algorithm 9 of Azize's thesis has it),
// LinUCB for contexts that are public and rewards that are not. It is [UCB] over sums that are
// released seldom. Round t:
//
//	if det V > 2 det V_tau:  theta = V^-1 (sum of x y + Y_1 + ... + Y_l), tau = t, l = l + 1
//	play argmax_x <x, theta> + beta |x|_{V_tau^-1}
//	V = V + x x^T
//
// where V begins with the identity and Y_l is fresh Gaussian noise of a phase, the rounds between
// two estimates. [continual.PublicContexts] says how much noise that is, and why the run is
// (epsilon, delta)-private if one round's reward is replaced; the paper has rho-zCDP with rho =
// mu^2/2. The width beta is that of Proposition 4 of Shariff and Sheffet (2018) for the noise in
// the norm of V_tau^-1, with the least eigenvalue that V_tau has. The paper's is for contexts
// drawn at random, and has a lower bound on that eigenvalue instead.
//
// Where contexts are private, too, det V must not be looked at, and V needs noise. [UCB] over
// [continual.Unbounded], with phases that end at public times, does that.
func (l UCB) AdaCOFUL(b privacy.Budget) learner.Private[privacy.Sums] {
	return learner.New(l, privacy.Accumulator(continual.PublicContexts{Budget: b}))
}
