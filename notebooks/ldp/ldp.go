// Package ldp holds the experiments of "Improved rate for Locally Differentially Private Linear
// Bandits": functions that the notebook and `make reproduce` both call.
package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The experiments of Section 5 and Appendix G.

// Seed is the seed of all committed results.
const Seed = 2024

// Horizon is the paper's T.
const Horizon = 20_000

// Delta is the delta of Figure 1. The paper does not say it; the script that its experiment is
// taken from has 0.1.
const Delta = 0.1

// Epsilons are those of Figure 1 (a), (b), (c).
var Epsilons = []float64{0.2, 1, 10}

// Arms returns the arms of Figure 1: K = 100, d = 5, |x| = 1, Bernoulli rewards, fixed in a
// trial or fresh each round.
func Arms(fixed bool) *environment.UnitFeatures { return &environment.UnitFeatures{Fixed: fixed} }

// ScriptArms returns the arms of the public script: x = (u, 1), theta = (v/2, 1/2), fixed, the
// first d of them a basis.
func ScriptArms() *environment.UnitFeatures {
	return &environment.UnitFeatures{Fixed: true, Norm: math.Sqrt2, Basis: true}
}

// The policies of Figure 1, by their names in the results. "printed" has the noise and the
// regularisers of the policy's own paper.
const (
	RandomArms     = "random arms"
	LinUCBPublic   = "LinUCB, not private"
	JDPPrinted     = "JDP as printed"
	JDPPrintedOne  = "JDP as printed, S = 1"
	LDPPrinted     = "LDP as printed"
	LDPPrintedOne  = "LDP as printed, S = 1"
	SDPPrinted     = "SDP as printed"
	SDPPrintedOne  = "SDP as printed, S = 1"
	OnlineOGD      = "OnlineUCB, OGD"
	OnlineMaler    = "OnlineUCB, Maler"
	OnlinePrinted  = "OnlineUCB as printed, Maler"
	OnlinePrintOGD = "OnlineUCB as printed, OGD"
)

// The policies of the public script, which are not private at the epsilon in their names.
const (
	JDPScript     = "JDP, script"
	SDPScript     = "SDP, script"
	LDPScript     = "LDP, script"
	JDPScriptRoot = "JDP, script, S = √d"
	SDPScriptRoot = "SDP, script, S = √d"
	LDPScriptRoot = "LDP, script, S = √d"
)

// SDPBatch is the batch of shuffle LinUCB in Figure 1. The paper does not say it; the script has
// 20.
const SDPBatch = 20

// Budget is a budget of Figure 1.
func Budget(epsilon float64) privacy.Budget {
	return privacy.Budget{Epsilon: epsilon, Delta: Delta}
}

// Online returns OnlineUCB (Algorithm 1) for the arms of Figure 1, with OGD of steps 1/(mu t), or
// with Maler for mu = 0. width is the factor of beta.
func Online(b privacy.Budget, c privacy.Calibration, mu, width float64) *learner.Local {
	noise := learner.OnlineNoise{Budget: b, Calibration: c, Constant: Arms(true).Constant()}
	server := &learner.OnlineServer{Noise: noise, Width: width}
	if mu > 0 {
		server.Online = func(radius, gradient float64) online.Learner {
			return &online.OGD{Radius: radius, Gradient: gradient, Step: online.CurvedStep(mu)}
		}
	}
	return &learner.Local{Device: &learner.OnlineDevice{Noise: noise}, Server: server}
}

// ZhengLDP returns LDP LinUCB (Zheng et al. 2020); norm is its bound S on |theta|, width the factor
// of beta, constant the public last coordinate.
func ZhengLDP(b privacy.Budget, c privacy.Calibration, norm, width, constant float64) *learner.Local {
	noise := learner.LDPNoise{Budget: b, Calibration: c, Constant: constant}
	return &learner.Local{Device: &learner.LDPDevice{Noise: noise}, Server: &learner.LDPServer{Noise: noise, Policy: &learner.LinUCB{ThetaNorm: norm, Width: width}}}
}

// Amplified returns shuffle LinUCB by amplification (Chowdhury and Zhou 2022).
func Amplified(b privacy.Budget, c privacy.Calibration, batch int, norm, width, constant float64) *learner.Local {
	l := learner.NewShuffleAmplified(learner.AmplifiedNoise{Budget: b, Calibration: c, Batch: batch, Constant: constant})
	l.Server.(*learner.AmplifiedServer).Policy = &learner.LinUCB{ThetaNorm: norm, Width: width}
	return l
}

// figure1Mu is the curvature that OGD is told in Figure 1: 0.1 at epsilon = 10, where it converges,
// and 0.05 below. It was chosen by looking at the regret of such runs, which is not private.
func figure1Mu(epsilon float64) float64 {
	if epsilon >= 10 {
		return 0.1
	}
	return 0.05
}

// figure1Width is the factor of OnlineUCB's confidence width in Figure 1, chosen like figure1Mu.
const figure1Width = 4

// Policy returns a learner of Figure 1 by its name. It panics on another name.
func Policy(name string, epsilon float64) bandit.Learner {
	b, root := Budget(epsilon), math.Sqrt(5)
	switch name {
	case RandomArms:
		return &learner.Random{}
	case LinUCBPublic:
		return learner.New(&learner.LinUCB{}, &mechanism.Exact{Ridge: 1})
	case JDPPrinted, JDPPrintedOne:
		l := jdp.Gaussian(b, privacy.AsPublished)
		if name == JDPPrinted {
			l.Policy.(*learner.LinUCB).ThetaNorm = root
		}
		return l
	case LDPPrinted:
		return ZhengLDP(b, privacy.AsPublished, root, 1, 0)
	case LDPPrintedOne:
		return ZhengLDP(b, privacy.AsPublished, 1, 1, 0)
	case OnlineOGD:
		return Online(b, privacy.Sound, figure1Mu(epsilon), figure1Width)
	case OnlineMaler:
		return Online(b, privacy.Sound, 0, figure1Width)
	case OnlinePrinted:
		return Online(b, privacy.AsPublished, 0, figure1Width)
	case OnlinePrintOGD:
		return Online(b, privacy.AsPublished, figure1Mu(epsilon), figure1Width)
	case SDPPrinted:
		return Amplified(b, privacy.AsPublished, SDPBatch, root, 1, 0)
	case SDPPrintedOne:
		return Amplified(b, privacy.AsPublished, SDPBatch, 1, 1, 0)
	case LDPScript:
		return ScriptLDP(b, 1)
	case LDPScriptRoot:
		return ScriptLDP(b, root)
	case SDPScript:
		return ScriptSDP(b, 1)
	case SDPScriptRoot:
		return ScriptSDP(b, root)
	case JDPScript:
		return ScriptJDP(b, 1)
	case JDPScriptRoot:
		return ScriptJDP(b, root)
	}
	panic(fmt.Sprintf("ldp: no policy %q in Figure 1", name))
}

// Honest lists the policies of Figure 1 in the recipe with honest privacy: the rivals as their
// papers print them, OnlineUCB with sound noise.
var Honest = []string{RandomArms, LinUCBPublic, JDPPrinted, JDPPrintedOne, SDPPrinted, SDPPrintedOne, LDPPrinted, LDPPrintedOne,
	OnlineOGD, OnlineMaler, OnlinePrintOGD, OnlinePrinted}

// Scripted lists the policies of the public script.
var Scripted = []string{LinUCBPublic, JDPScript, SDPScript, LDPScript, JDPScriptRoot, SDPScriptRoot, LDPScriptRoot}

// Experiments1 is one panel of Figure 1: the honest recipe, and the public script's constants on
// its own arms.
func Experiments1(s lab.Scale, epsilon float64) []*simulate.Experiment {
	list := []*simulate.Experiment{
		experiment(s, fmt.Sprintf("ldp-fig1-eps%g", epsilon), func() bandit.Environment { return Arms(true) }),
		experiment(s, fmt.Sprintf("ldp-fig1-eps%g-script", epsilon), func() bandit.Environment { return ScriptArms() }),
	}
	for i, names := range [][]string{Honest, Scripted} {
		for _, name := range names {
			list[i].Policies = append(list[i].Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return Policy(name, epsilon) }})
		}
	}
	for _, name := range Honest {
		if !strings.HasPrefix(name, "OnlineUCB") {
			list[0].Pairs = append(list[0].Pairs, [2]string{name, OnlineOGD})
		}
	}
	return list
}

// experiment is an experiment of Section 5 without its policies. The learners are calibrated for
// T = 20,000 at every scale.
func experiment(s lab.Scale, name string, env func() bandit.Environment) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, Horizon, Horizon)
	return &simulate.Experiment{
		Name: name, Environment: env, Horizon: Horizon, Rounds: rounds, Trials: cell.Pick(s, 2, 12, 50), Seed: Seed,
		Grid: simulate.LinearGrid(rounds, 50), Fingerprint: fmt.Sprintf("K 100, d 5, delta %g, alpha 1/T", Delta),
	}
}
