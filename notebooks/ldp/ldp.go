// Package ldp holds the experiments of "Improved rate for Locally Differentially Private Linear
// Bandits": functions that the notebook and `make reproduce` both call.
package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/online"
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

// contender is a learner of a comparison, by its name in the results.
type contender struct {
	name string
	make func(b privacy.Budget) bandit.Learner
}

var root = math.Sqrt(5) // of the dimension

// nonPrivate is LinUCB without privacy.
var nonPrivate = contender{linUCBPublic, func(privacy.Budget) bandit.Learner {
	return learner.New(learner.LinUCB{}, mechanism.Exact{Ridge: 1})
}}

// honest lists the policies of Figure 1 in the recipe with honest privacy: the rivals as their
// papers print them, OnlineUCB with sound noise.
var honest = []contender{
	{randomArms, func(privacy.Budget) bandit.Learner { return learner.Random{} }},
	nonPrivate,
	{jdpPrinted, jdpTree(privacy.AsPublished, learner.LinUCB{ThetaNorm: root})},
	{jdpPrintedOne, jdpTree(privacy.AsPublished, learner.LinUCB{})},
	{sdpPrinted, sdpAmplified(root)},
	{sdpPrintedOne, sdpAmplified(1)},
	{ldpPrinted, ldpLinUCB(privacy.AsPublished, learner.LinUCB{ThetaNorm: root})},
	{ldpPrintedOne, ldpLinUCB(privacy.AsPublished, learner.LinUCB{})},
	{onlineOGD, onlineUCB(privacy.Sound, descent, onlineWidth)},
	{onlineMaler, onlineUCB(privacy.Sound, nil, onlineWidth)},
	{"OnlineUCB as printed, OGD", onlineUCB(privacy.AsPublished, descent, onlineWidth)},
	{"OnlineUCB as printed, Maler", onlineUCB(privacy.AsPublished, nil, onlineWidth)},
}

// scripted lists the policies of the public script.
var scripted = []contender{
	nonPrivate,
	{jdpScript, scriptJDP(1)}, {sdpScript, scriptSDP(1)}, {ldpScript, scriptLDP(1)},
	{jdpScriptRoot, scriptJDP(root)}, {sdpScriptRoot, scriptSDP(root)}, {ldpScriptRoot, scriptLDP(root)},
}

// jdpTree makes a policy learn from a tree with Gaussian noise: joint privacy.
func jdpTree(c privacy.Calibration, policy learner.LinUCB) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		p := policy
		return learner.New(&p, mechanism.Tree{Noise: mechanism.Gaussian{Budget: b, Calibration: c}})
	}
}

// sdpAmplified makes shuffle LinUCB by amplification (Chowdhury and Zhou 2022), as printed; norm is
// its bound on |theta|.
func sdpAmplified(norm float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		l := learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: b, Calibration: privacy.AsPublished, Batch: sdpBatch})
		l.Server.(*learner.AmplifiedServer).Policy = learner.LinUCB{ThetaNorm: norm}
		return l
	}
}

// ldpLinUCB makes LDP LinUCB (Zheng et al. 2020). Sound noise spares the public coordinate.
func ldpLinUCB(c privacy.Calibration, policy learner.LinUCB) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		p, noise := policy, learner.LDPNoise{Budget: b, Calibration: c}
		if c == privacy.Sound {
			noise.Constant = public
		}
		return learner.Local{Device: &learner.LDPDevice{Noise: noise}, Server: &learner.LDPServer{Noise: noise, Policy: &p}}
	}
}

// descent is OGD that is told a curvature: 0.1 at epsilon = 10, where it converges, and 0.05 below.
// Both were chosen by looking at the regret of such runs, which is not private.
func descent(epsilon float64) func(radius, gradient float64) online.Learner {
	curvature := 0.05
	if epsilon >= 10 {
		curvature = 0.1
	}
	return func(radius, gradient float64) online.Learner {
		return &online.OGD{Radius: radius, Gradient: gradient, Step: online.CurvedStep(curvature)}
	}
}

// onlineUCB makes OnlineUCB (Algorithm 1) with an online learner for each epsilon; nil means Maler.
func onlineUCB(c privacy.Calibration, online func(float64) func(float64, float64) online.Learner, width float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner {
		noise := learner.OnlineNoise{Budget: b, Calibration: c, Constant: public}
		server := &learner.OnlineServer{Noise: noise, Width: width}
		if online != nil {
			server.Online = online(b.Epsilon)
		}
		return learner.Local{Device: &learner.OnlineDevice{Noise: noise}, Server: server}
	}
}

// experiment is an experiment of Section 5. The learners are calibrated for T = 20,000 at every
// scale.
func experiment(s cell.Scale, name string, epsilon float64, env bandit.Environment, list []contender) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, Horizon, Horizon)
	return &simulate.Experiment{
		Name: fmt.Sprintf("ldp-"+name, epsilon), Environment: env, Policies: policies(epsilon, list),
		Horizon: Horizon, Rounds: rounds, Trials: cell.Pick(s, 2, 12, 50), Seed: Seed,
		Grid: simulate.LinearGrid(rounds, 50), Fingerprint: fmt.Sprintf("K 100, d 5, delta %g, alpha 1/T", Delta),
	}
}

// policies has contenders play at an epsilon.
func policies(epsilon float64, list []contender) (p []simulate.Policy) {
	for _, c := range list {
		p = append(p, simulate.Policy{Name: c.name, New: func() bandit.Learner {
			return c.make(privacy.Budget{Epsilon: epsilon, Delta: Delta})
		}})
	}
	return p
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
	for _, c := range honest {
		if !strings.HasPrefix(c.name, "OnlineUCB") {
			e.Pairs = append(e.Pairs, [2]string{c.name, onlineOGD})
		}
	}
	return e
}

// figure1Script is the same panel with the public script's constants, on its own arms.
func figure1Script(s cell.Scale, epsilon float64) *simulate.Experiment {
	return experiment(s, "fig1-eps%g-script", epsilon, scriptArms, scripted)
}
