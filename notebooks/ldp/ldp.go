// Package ldp holds the experiments of "Improved rate for Locally Differentially Private Linear
// Bandits": functions that the notebook and `make reproduce` both call.
package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Seed is the seed of all committed results.
const Seed = 2024

// Horizon is the paper's T.
const Horizon = 20_000

// Delta is the delta of Figure 1, and sdpBatch its batch of shuffle LinUCB. The paper says neither;
// both are those of the script that its experiment is taken from.
const (
	Delta    = 0.1
	sdpBatch = 20
)

// Epsilons are those of Figure 1 (a), (b), (c).
var Epsilons = []float64{0.2, 1, 10}

// paperArms are the arms of Figure 1: K = 100, d = 5, |x| = 1, Bernoulli rewards, fixed.
var paperArms = environment.UnitFeatures{Fixed: true}

// scriptArms are the arms of the public script: x = (u, 1), theta = (v/2, 1/2), fixed, the
// first d of them a basis.
var scriptArms = environment.UnitFeatures{Fixed: true, Norm: math.Sqrt2, Basis: true}

// public is the last coordinate of all of the paper's arms.
var public = environment.UnitFeatures{}.Constant()

// The policies of Figure 1, by their names in the results. "As printed" is with the noise and the
// regularisers of the policy's own paper, and S = sqrt(d) as a bound on |theta|. The script's
// policies are not private at the epsilon that they are asked for.
const (
	randomArms    = "random arms"
	linUCBPublic  = "LinUCB, not private"
	jdpPrinted    = "JDP as printed"
	sdpPrinted    = "SDP as printed"
	ldpPrinted    = "LDP as printed"
	jdpPrintedOne = jdpPrinted + ", S = 1"
	sdpPrintedOne = sdpPrinted + ", S = 1"
	ldpPrintedOne = ldpPrinted + ", S = 1"
	onlineOGD     = "OnlineUCB, OGD"
	onlineMaler   = "OnlineUCB, Maler"
	jdpScript     = "JDP, script"
	sdpScript     = "SDP, script"
	ldpScript     = "LDP, script"
	jdpScriptRoot = jdpScript + ", S = √d"
	sdpScriptRoot = sdpScript + ", S = √d"
	ldpScriptRoot = ldpScript + ", S = √d"
	onlineWidth   = 4 // the factor of OnlineUCB's confidence width in Figure 1
)

// contenders lists learners of a comparison at a budget, by their names in the results.
type contenders func(b privacy.Budget) []simulate.Policy

var root = math.Sqrt(5) // of the dimension

// nonPrivate is LinUCB without privacy.
var nonPrivate = simulate.Policy{Name: linUCBPublic, Learner: learner.New(linear.UCB{}, continual.Exact{Ridge: 1})}

// honest lists the policies of Figure 1 in the recipe with honest privacy: the rivals as their
// papers print them, OnlineUCB with sound noise.
func honest(b privacy.Budget) []simulate.Policy {
	return []simulate.Policy{
		{Name: randomArms, Learner: learner.Random{}},
		nonPrivate,
		{Name: jdpPrinted, Learner: jdpTree(b, privacy.AsPublished, linear.UCB{ThetaNorm: root})},
		{Name: jdpPrintedOne, Learner: jdpTree(b, privacy.AsPublished, linear.UCB{})},
		{Name: sdpPrinted, Learner: sdpAmplified(b, root)},
		{Name: sdpPrintedOne, Learner: sdpAmplified(b, 1)},
		{Name: ldpPrinted, Learner: ldpLinUCB(b, privacy.AsPublished, linear.UCB{ThetaNorm: root})},
		{Name: ldpPrintedOne, Learner: ldpLinUCB(b, privacy.AsPublished, linear.UCB{})},
		{Name: onlineOGD, Learner: onlineUCB(b, privacy.Sound, descent(b), onlineWidth)},
		{Name: onlineMaler, Learner: onlineUCB(b, privacy.Sound, nil, onlineWidth)},
		{Name: "OnlineUCB as printed, OGD", Learner: onlineUCB(b, privacy.AsPublished, descent(b), onlineWidth)},
		{Name: "OnlineUCB as printed, Maler", Learner: onlineUCB(b, privacy.AsPublished, nil, onlineWidth)},
	}
}

// scripted lists the policies of the public script.
func scripted(b privacy.Budget) []simulate.Policy {
	return []simulate.Policy{
		nonPrivate,
		{Name: jdpScript, Learner: scriptJDP(b, 1)},
		{Name: sdpScript, Learner: scriptSDP(b, 1)},
		{Name: ldpScript, Learner: scriptLDP(b, 1)},
		{Name: jdpScriptRoot, Learner: scriptJDP(b, root)},
		{Name: sdpScriptRoot, Learner: scriptSDP(b, root)},
		{Name: ldpScriptRoot, Learner: scriptLDP(b, root)},
	}
}

// jdpTree returns a policy that learns from a tree with Gaussian noise: joint privacy.
func jdpTree(b privacy.Budget, c privacy.Calibration, policy linear.UCB) bandit.Learner {
	return learner.New(policy, continual.Tree{Noise: continual.Gaussian{Budget: b, Calibration: c}})
}

// sdpAmplified returns shuffle LinUCB by amplification (Chowdhury and Zhou 2022), as printed; norm
// is its bound on |theta|.
func sdpAmplified(b privacy.Budget, norm float64) bandit.Learner {
	noise := local.AmplifiedNoise{Budget: b, Calibration: privacy.AsPublished, Batch: sdpBatch}
	l := noise.Learner()
	l.Server = local.AmplifiedServer{Noise: noise, Policy: linear.UCB{ThetaNorm: norm}}
	return l
}

// ldpLinUCB returns LDP LinUCB (Zheng et al. 2020). Sound noise spares the public coordinate.
func ldpLinUCB(b privacy.Budget, c privacy.Calibration, policy linear.UCB) bandit.Learner {
	noise := local.LDPNoise{Budget: b, Calibration: c}
	if c == privacy.Sound {
		noise.Constant = public
	}
	return localLinUCB(noise, policy)
}

// localLinUCB returns LDP LinUCB.
func localLinUCB(noise local.LDPNoise, policy linear.UCB) bandit.Learner {
	return learner.Local{Device: local.LDPDevice{Noise: noise}, Server: local.LDPServer{Noise: noise, Policy: policy}}
}

// descent is OGD that is told a curvature: 0.1 at epsilon = 10, where it converges, and 0.05 below.
// Both were chosen by looking at the regret of such runs, which is not private.
func descent(b privacy.Budget) local.Descent {
	if b.Epsilon >= 10 {
		return local.Descent{Curvature: 0.1}
	}
	return local.Descent{Curvature: 0.05}
}

// onlineUCB returns OnlineUCB (Algorithm 1) with an online learner; nil means Maler.
func onlineUCB(b privacy.Budget, c privacy.Calibration, online local.Predictor, width float64) bandit.Learner {
	noise := local.OnlineNoise{Budget: b, Calibration: c, Constant: public}
	return learner.Local{Device: local.OnlineDevice{Noise: noise}, Server: local.OnlineServer{Noise: noise, Online: online, Width: width}}
}

// experiment plays the paper's arms. Its learners are calibrated for T = 20,000 at every scale.
func experiment(s cell.Scale, name string, epsilon float64, env bandit.Environment, list contenders) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, Horizon, Horizon)
	return &simulate.Experiment{
		Name: fmt.Sprintf("ldp-"+name, epsilon), Environment: env, Policies: list.at(epsilon),
		Horizon: Horizon, Rounds: rounds, Trials: cell.Pick(s, 2, 12, 50), Seed: Seed,
		Grid: simulate.LinearGrid(rounds, 50), Fingerprint: fmt.Sprintf("K 100, d 5, delta %g, alpha 1/T", Delta),
	}
}

// at lists the contenders at an epsilon.
func (c contenders) at(epsilon float64) []simulate.Policy {
	return c(privacy.Budget{Epsilon: epsilon, Delta: Delta})
}

// forEpsilons lists the experiments of a figure.
func forEpsilons(at ...func(s cell.Scale, epsilon float64) *simulate.Experiment) func(cell.Scale) []*simulate.Experiment {
	return func(s cell.Scale) (list []*simulate.Experiment) {
		for _, epsilon := range Epsilons {
			for _, e := range at {
				list = append(list, e(s, epsilon))
			}
		}
		return list
	}
}

// figure1 is a panel of Figure 1.
func figure1(s cell.Scale, epsilon float64) *simulate.Experiment {
	e := experiment(s, "fig1-eps%g", epsilon, paperArms, honest)
	for _, p := range e.Policies {
		if !strings.HasPrefix(p.Name, "OnlineUCB") {
			e.Pairs = append(e.Pairs, [2]string{p.Name, onlineOGD})
		}
	}
	return e
}

// figure1Script is the same panel with the public script's constants, on its own arms.
func figure1Script(s cell.Scale, epsilon float64) *simulate.Experiment {
	return experiment(s, "fig1-eps%g-script", epsilon, scriptArms, scripted)
}
