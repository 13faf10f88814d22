// Package jdp holds the experiments of "Differentially Private Contextual Linear Bandits" (Shariff
// and Sheffet, NeurIPS 2018): functions that the notebook and `make reproduce` both call.
package jdp

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Budget and Horizon are Experiment 2's and 3's: every mechanism is calibrated for 5e7 rounds
// and run to 2e7, "because they are essentially flat after this point".
var Budget = privacy.Budget{Epsilon: 1, Delta: 0.1}

// Horizon is n.
const Horizon = 50_000_000

// dimension is d, and setArms the number of arms, d², in a set of Experiment 2.
const (
	dimension = 5
	setArms   = dimension * dimension
)

// Seed is the seed of all committed results.
const Seed = 2018

// The policies of Experiment 2, by their names in the results. Sound noise is proved to be enough:
// Gaussian noise by exact accounting, Wishart noise by its theorem. It is moved by the shift that
// minimises the regret bound; "2Υ" is the same noise with the paper's shift. Honaker's tree and BLT
// are other ways to release the same sums at the same privacy. So are the square root and
// Unbounded, with a release every row or seldom. "n unknown" follows the noise with the paper's
// shift, at an alpha that is the same for any number of rounds.
const (
	NonPrivate       = "NonPrivate"
	GaussianPrinted  = "Gaussian AsPublished"
	GaussianAuthors  = "Gaussian AuthorsCode"
	GaussianSound    = "Gaussian Sound"
	GaussianTwice    = "Gaussian Sound, shift 2Υ"
	HonakerSound     = "Honaker's tree Sound"
	BLTSound         = "BLT Sound"
	RootSound        = "Square root Sound"
	UnboundedSound   = "Unbounded Sound"
	UnboundedEach    = "Unbounded Sound, every row"
	UnboundedBlind   = "Unbounded Sound, n unknown"
	WishartPrinted   = "Wishart AsPublished"
	WishartAuthors   = "Wishart AuthorsCode"
	WishartSound     = "Wishart Sound"
	WishartFour      = "Wishart Sound, shift Eq. 4"
	UnshiftedPrinted = "WishartUnshifted AsPublished"
	UnshiftedAuthors = "WishartUnshifted AuthorsCode"
)

// Gaussian returns LinUCB over a binary tree with Gaussian noise.
func Gaussian(b privacy.Budget, c privacy.Calibration) learner.Private[privacy.Sums] {
	return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: b, Calibration: c}})
}

// authorsWishart is Wishart noise as the authors run it. It differs from AsPublished in k, and in
// gamma, which is that of Claim 20 at any shift.
type authorsWishart struct{ continual.Wishart }

// Open sets k = p + floor(28 ln(4/delta0)/eps0^2), where eps0 = eps/sqrt(8 m ln(1/delta_fail)),
// delta0 = (delta - delta_fail)/m and delta_fail = delta/(m+1).
func (w authorsWishart) Open(s privacy.Setup) (continual.Nodes, error) {
	m := float64(1 + bits.Len(uint(s.Horizon-1)))
	slack := w.Budget.Delta / (m + 1)
	epsilon, delta := w.Budget.Epsilon/math.Sqrt(8*m*math.Log(1/slack)), (w.Budget.Delta-slack)/m
	w.Degrees = s.Dim + int(28*math.Log(4/delta)/(epsilon*epsilon))
	nodes, err := w.Wishart.Open(s)
	return &authorsNodes{nodes}, err
}

// authorsNodes is that noise for a setup.
type authorsNodes struct{ continual.Nodes }

// Bounds returns the bounds of a shift, with the gamma of Claim 20.
func (w *authorsNodes) Bounds(shift float64) privacy.Bounds {
	natural, b := w.Nodes.Bounds(0), w.Nodes.Bounds(shift)
	b.Gamma = natural.Gamma * math.Sqrt(natural.RhoMin/b.RhoMin)
	return b
}

// Plan returns the plan of the noise: the bounds are the learner's affair.
func (w *authorsNodes) Plan(nodes int) privacy.Plan {
	return privacy.PlanOf(w.Nodes, nodes).HeldBy(w)
}

// ruleOf returns LinUCB's rule in a run.
func ruleOf(run bandit.Run) *linear.UCBRule {
	return run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
}

// linUCB returns LinUCB's rule as it begins.
func linUCB(l bandit.Calibrated) *linear.UCBRule {
	return ruleOf(l.Start(nil, random.Source(Seed, 0, "noise")))
}

// Policy returns a learner of Experiment 2 by its name. It panics on another name.
func Policy(name string) learner.Private[privacy.Sums] {
	const printed = privacy.AsPublished
	nodes := map[string]continual.NodeNoise{
		GaussianPrinted:  continual.Gaussian{Budget: Budget, Calibration: printed},
		GaussianAuthors:  continual.Gaussian{Budget: Budget, Calibration: printed, Padded: true},
		GaussianSound:    continual.Gaussian{Budget: Budget},
		GaussianTwice:    continual.Gaussian{Budget: Budget},
		WishartPrinted:   continual.Wishart{Budget: Budget, Calibration: printed},
		WishartAuthors:   authorsWishart{continual.Wishart{Budget: Budget, Calibration: printed}},
		WishartSound:     continual.Wishart{Budget: Budget},
		WishartFour:      continual.Wishart{Budget: Budget},
		UnshiftedPrinted: continual.Wishart{Budget: Budget, Calibration: printed, Unshifted: true},
		UnshiftedAuthors: authorsWishart{continual.Wishart{Budget: Budget, Calibration: printed, Unshifted: true}},
	}
	sums := map[string]privacy.Accumulator{
		NonPrivate:   continual.Exact{Ridge: 1},
		HonakerSound: continual.Honaker{Budget: Budget},
		BLTSound:     continual.BLT{Budget: Budget},
		RootSound:    continual.SquareRoot{Budget: Budget},

		UnboundedSound: continual.Unbounded{Budget: Budget},
		UnboundedBlind: continual.Unbounded{Budget: Budget},
		UnboundedEach:  continual.Unbounded{Budget: Budget, Growth: 1e-9},
	}
	for name, noise := range nodes {
		sums[name] = continual.Tree{Noise: noise}
	}
	if sums[name] == nil {
		panic(fmt.Sprintf("jdp: no policy %q in Experiment 2", name))
	}
	if name == UnboundedBlind {
		return learner.New(linear.UCB{Alpha: 1. / Horizon}, sums[name])
	}
	best := slices.Contains([]string{GaussianSound, HonakerSound, BLTSound, RootSound, WishartSound, UnboundedSound, UnboundedEach}, name)
	return learner.New(linear.UCB{OptimalShift: best}, sums[name])
}

// AsPublished lists Experiment 2's policies as published, by what is printed and by what was run.
var AsPublished = []string{NonPrivate, GaussianPrinted, GaussianAuthors,
	WishartPrinted, WishartAuthors, UnshiftedPrinted, UnshiftedAuthors}

// OwnShift lists the sound mechanisms with the paper's rules for the shift, and Wishart noise
// with the optimal one.
var OwnShift = []string{GaussianTwice, WishartFour, WishartSound}

// paperDims are those of the authors' notebook, 2^(k/4), rounded, for k from 8 to 24.
var paperDims = []int{4, 5, 6, 7, 8, 10, 11, 13, 16, 19, 23, 27, 32, 38, 45, 54, 64}

// Dims lists the dimensions of Experiment 1 at a scale, log-spaced in [4, 64].
func Dims(s cell.Scale) []int {
	return cell.Pick(s, []int{4, 6, 8}, []int{4, 6, 8, 11, 16}, paperDims)
}

// Experiment1 measures the non-private LinUCB on K = d^2 arms with a gap of 0.1, ridge 1, for
// one dimension and law of the reward.
func Experiment1(s cell.Scale, dim int, reward environment.Reward) *simulate.Experiment {
	rounds := cell.Pick(s, 2_000, 10_000, 100_000)
	name := map[environment.Reward]string{environment.Signs: "signs", environment.Gaussian: "gaussian"}[reward]
	return &simulate.Experiment{
		Name:        fmt.Sprintf("jdp-exp1-%s-d%02d", name, dim),
		Environment: environment.DecisionSets{Dim: dim, Gap: 0.1, Reward: reward},
		Policies:    []simulate.Policy{{Name: NonPrivate, Learner: learner.New(linear.UCB{Sigma: 1}, continual.Exact{Ridge: 1})}},
		Horizon:     rounds, Trials: cell.Pick(s, 2, 4, 8), Seed: Seed, Grid: simulate.LinearGrid(rounds, 50),
		Fingerprint: "ridge 1, sigma 1, alpha 1/n",
	}
}

// Gaps are the gaps of Experiment 2.
var Gaps = []float64{0, 0.1}

// Experiment2 compares policies over time, d = 5, K = 25, and all of them on the same contexts
// and rewards: first those as published, then the sound Gaussian, then, in fewer trials, what the
// choice of the shift is worth. All are calibrated for Horizon at any scale. They are three
// experiments, as policies do not depend on each other.
func Experiment2(s cell.Scale, gap float64) []*simulate.Experiment {
	name := fmt.Sprintf("jdp-exp2-gap%g", gap)
	return []*simulate.Experiment{
		experiment2(s, name, gap, cell.Pick(s, 2, 4, 24), AsPublished),
		experiment2(s, name+"-sound", gap, cell.Pick(s, 2, 4, 24), []string{GaussianSound}),
		experiment2(s, name+"-shift", gap, cell.Pick(s, 2, 4, 6), OwnShift),
	}
}

// StreamingPolicies are those of Streaming.
var StreamingPolicies = []string{GaussianSound, HonakerSound, BLTSound}

// Streaming compares the ways to release the sums at the same privacy, in the setting of
// Experiment 2, with the trial-by-trial differences to the tree.
func Streaming(s cell.Scale, gap float64) *simulate.Experiment {
	e := experiment2(s, fmt.Sprintf("jdp-streaming-gap%g", gap), gap, cell.Pick(s, 4, 4, 12), StreamingPolicies)
	e.Pairs = [][2]string{{HonakerSound, GaussianSound}, {BLTSound, GaussianSound}}
	return e
}

func experiment2(s cell.Scale, name string, gap float64, trials int, names []string) *simulate.Experiment {
	rounds := cell.Pick(s, 10_000, 200_000, 20_000_000)
	e := &simulate.Experiment{
		Name:        name,
		Environment: environment.DecisionSets{Dim: dimension, Gap: gap},
		Horizon:     Horizon, Rounds: rounds, Trials: trials, Seed: Seed,
		Grid:        simulate.LinearGrid(rounds, cell.Pick(s, 20, 40, 80)),
		Fingerprint: fmt.Sprintf("d %d, K %d, budget %v, alpha 1/n", dimension, setArms, Budget),
	}
	for _, name := range names {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: Policy(name)})
	}
	return e
}

// Gaps3 are the gaps of Experiment 3.
var Gaps3 = []float64{0, 0.025, 0.1}

// Rhos lists Experiment 3's values of rho_min, log-spaced from 10^4.4 to 10^7.6.
func Rhos(s cell.Scale) []float64 {
	rhos := make([]float64, cell.Pick(s, 3, 5, 8))
	for i := range rhos {
		rhos[i] = math.Pow(10, 4.4+3.2*float64(i)/float64(len(rhos)-1))
	}
	return rhos
}

// Shifted names a policy of Experiment 3: a mechanism shifted to a rho_min.
func Shifted(mechanism string, rho float64) string {
	return fmt.Sprintf("%s rho_min=10^%.2f", mechanism, math.Log10(rho))
}

// Mechanisms are those of Experiment 3.
var Mechanisms = []string{WishartAuthors, GaussianAuthors}

// Experiment3 varies the shift of both mechanisms for one gap.
func Experiment3(s cell.Scale, gap float64) *simulate.Experiment {
	e := experiment2(s, fmt.Sprintf("jdp-exp3-gap%g", gap), gap, cell.Pick(s, 2, 2, 8), nil)
	e.Seed, e.Grid = Seed+3, simulate.LinearGrid(e.Rounds, 20)
	e.Policies = shifted(Rhos(s))
	return e
}

// shifted returns both mechanisms at each shift.
func shifted(rhos []float64) (policies []simulate.Policy) {
	for _, name := range Mechanisms {
		for _, rho := range rhos {
			l := Policy(name)
			l.Policy = linear.UCB{RhoMin: rho}
			policies = append(policies, simulate.Policy{Name: Shifted(name, rho), Learner: l})
		}
	}
	return policies
}

// AuthorsGaps are those of the authors' own Experiment 3: none, and 0.1 divided by powers of 4.
var AuthorsGaps = []float64{0, 0.1 / 64, 0.1 / 16, 0.1 / 4, 0.1}

// AuthorsShifts are the eight values of rho_min of the authors' own Experiment 3: from a fifth of
// the way below Gaussian(Opt) to a fifth above Wishart(Unshifted), on a logarithmic scale.
func AuthorsShifts() []float64 {
	const low, high = 71629.3, 1.28101e7
	rhos := make([]float64, 8)
	for i := range rhos {
		rhos[i] = low * math.Pow(high/low, float64(i-1)/5)
	}
	return rhos
}

// SmallGaps are those of AuthorsGaps that Experiment 3 does not play: 0.1 / 4^3 and 0.1 / 4^2.
var SmallGaps = AuthorsGaps[1:3]

// LargeShifts are the sixth and the seventh of AuthorsShifts, the largest but LateShift.
func LargeShifts() []float64 { return AuthorsShifts()[5:7] }

// Experiment3Small plays Experiment 3 for one of SmallGaps at LargeShifts. Each gap has a seed of
// its own.
func Experiment3Small(s cell.Scale, gap float64) *simulate.Experiment {
	e := experiment2(s, fmt.Sprintf("jdp-exp3-small-gap%g", gap), gap, cell.Pick(s, 2, 2, 8), nil)
	e.Seed, e.Grid = Seed+20+uint64(slices.Index(SmallGaps, gap)), simulate.LinearGrid(e.Rounds, 20)
	e.Policies = shifted(LargeShifts())
	return e
}

// LateShift is the largest of them. At smaller ones regret hardly rises after Experiment3 ends.
func LateShift() float64 { return AuthorsShifts()[7] }

// Experiment3Late plays Experiment 3 for one of the authors' gaps to its last round, as they did.
// It plays both mechanisms and no privacy at LateShift. Each gap has a seed of its own.
func Experiment3Late(s cell.Scale, gap float64) *simulate.Experiment {
	e := experiment2(s, fmt.Sprintf("jdp-exp3-late-gap%g", gap), gap, cell.Pick(s, 2, 2, 4), nil)
	e.Rounds = cell.Pick(s, 10_000, 200_000, Horizon)
	e.Seed, e.Grid = Seed+10+uint64(slices.Index(AuthorsGaps, gap)), simulate.LinearGrid(e.Rounds, 20)
	rho := LateShift()
	for _, name := range Mechanisms {
		l := Policy(name)
		l.Policy = linear.UCB{RhoMin: rho}
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
	}
	e.Policies = append(e.Policies, simulate.Policy{Name: NonPrivate, Learner: learner.New(linear.UCB{}, continual.Exact{Ridge: rho})})
	return e
}
