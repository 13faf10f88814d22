package ldp

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// What came after: regret of order sqrt(T)/epsilon in the local model, with no condition on
// eigenvalues. A rate is a bound for the worst contexts, which change with T: so each policy plays
// contexts of many sizes, and its regret at a T is that of the size at which it is largest.

// The policies. Widths below 1 are tuned: an arm is ruled out wrongly now and then.
const (
	SqrtWeighted = "weighted regression"
	SqrtNarrow   = "weighted regression, width × 0.4"
	SqrtLocal    = "LDP LinUCB"
	SqrtTuned    = "LDP LinUCB, width × 0.2"
	SqrtOnline   = "OnlineUCB, Δ² = T^(-1/4)"
)

// SqrtPolicies lists them.
var SqrtPolicies = []string{SqrtLocal, SqrtTuned, SqrtOnline, SqrtWeighted, SqrtNarrow}

// SqrtRounds are the T at epsilon = RateEpsilon, and SqrtEpsilons the epsilons at SqrtMiddle
// rounds, which OnlineUCB does not play.
var (
	SqrtRounds   = []int{10_000, 31_623, 100_000, 316_228, 1_000_000}
	SqrtEpsilons = []float64{1, 2, 5, 10}
)

// SqrtMiddle is the T at which epsilon varies.
const SqrtMiddle = 316_228

// SqrtSizes are the sizes of one kind of user, in two dimensions, and SqrtKinds those of four kinds
// at once.
var (
	SqrtSizes = []float64{1. / 2, 1. / 4, 1. / 8, 1. / 16, 1. / 32, 1. / 64}
	SqrtKinds = []float64{1, 1. / 2, 1. / 4, 1. / 8}
)

// SqrtAt is a run of a policy.
type SqrtAt struct {
	Policy  string
	Rounds  int
	Sizes   []float64
	Epsilon float64
}

// String names its regret in the table.
func (at SqrtAt) String() string {
	return fmt.Sprintf("%s: regret at T = %d, s = %v, ε = %g", at.Policy, at.Rounds, at.Sizes, at.Epsilon)
}

// learner returns the policy, which knows T. That the last coordinate of all contexts is public is
// known to all but weighted regression.
func (at SqrtAt) learner() bandit.Learner {
	b := privacy.Budget{Epsilon: at.Epsilon, Delta: Delta}
	k := 1 / math.Sqrt2
	switch at.Policy {
	case SqrtLocal:
		return localLinUCB(local.LDPNoise{Budget: b, Constant: k}, linear.UCB{})
	case SqrtTuned:
		return localLinUCB(local.LDPNoise{Budget: b, Constant: k}, linear.UCB{Width: 0.2})
	case SqrtOnline:
		noise := local.OnlineNoise{Budget: b, Constant: k}
		server := local.OnlineServer{Noise: noise, Online: descent(b), Width: onlineWidth, DeltaPower: 0.25}
		return learner.Local{Device: local.OnlineDevice{Noise: noise}, Server: server}
	}
	server := local.WeightedServer{Budget: b}
	if at.Policy == SqrtNarrow {
		server.Width = 0.4
	}
	return learner.Local{Device: local.WeightedDevice{Budget: b}, Server: server}
}

// Regret plays a run.
func (at SqrtAt) Regret(seed uint64) (sum float64) {
	check.OK(simulate.Play(Scales{at.Sizes}, at.learner(), at.Rounds, seed, func(r *simulate.Round) { sum += r.Trial.Regret(r.Played) }))
	return sum
}

// sqrtRuns lists all runs at a scale.
func sqrtRuns(s cell.Scale) (all []SqrtAt) {
	add := func(policy string, rounds int, epsilon float64, worlds [][]float64) {
		for _, sizes := range worlds {
			all = append(all, SqrtAt{policy, rounds, sizes, epsilon})
		}
	}
	single := slices.Collect(slices.Chunk(SqrtSizes, 1))
	for _, policy := range SqrtPolicies {
		for _, rounds := range cell.Pick(s, SqrtRounds[:1], SqrtRounds[:3], SqrtRounds) {
			add(policy, rounds, RateEpsilon, append(single, SqrtKinds))
		}
		for _, epsilon := range SqrtEpsilons {
			if epsilon != RateEpsilon && policy != SqrtOnline {
				add(policy, cell.Pick(s, SqrtRounds[0], SqrtRounds[2], SqrtMiddle), epsilon, single)
			}
		}
	}
	return all
}

// sqrtStudy plays all runs of a trial with one seed, so that they meet the same users.
func sqrtStudy(s cell.Scale) []*lab.Study {
	return []*lab.Study{lab.Regrets(lab.Study{Name: "ldp-sqrt", Seed: Seed, Trials: cell.Pick(s, 2, 3, 6), Rounds: SqrtRounds[len(SqrtRounds)-1]}, sqrtRuns(s))}
}

// SqrtWorst returns a policy's largest mean regret over the sizes at a T and an epsilon, its
// standard error, and that size.
func SqrtWorst(t *simulate.Table, policy string, rounds int, epsilon float64) (regret, se, size float64) {
	var runs []SqrtAt
	for _, s := range SqrtSizes {
		runs = append(runs, SqrtAt{policy, rounds, []float64{s}, epsilon})
	}
	regret, se, worst := lab.Worst(t, runs)
	return regret, se, worst.Sizes[0]
}

// SqrtPower fits the power of T in the largest regret of a policy at epsilon = RateEpsilon.
func SqrtPower(t *simulate.Table, policy string) simulate.Slope {
	var x []float64
	var y [][]float64
	for _, rounds := range SqrtRounds {
		worst, _, _ := SqrtWorst(t, policy, rounds, RateEpsilon)
		x, y = append(x, float64(rounds)), append(y, []float64{worst})
	}
	return check.Try(simulate.LogLogSlope(x, y))
}

// SqrtNoisePower fits the power of the noise's standard deviation in the largest regret of a policy
// at SqrtMiddle rounds, as epsilon varies. That standard deviation is a constant over mu.
func SqrtNoisePower(t *simulate.Table, policy string) simulate.Slope {
	var x []float64
	var y [][]float64
	for _, epsilon := range SqrtEpsilons {
		worst, _, _ := SqrtWorst(t, policy, SqrtMiddle, epsilon)
		mu := check.Try(privacy.Budget{Epsilon: epsilon, Delta: Delta}.GaussianMu())
		x, y = append(x, 1/mu), append(y, []float64{worst})
	}
	return check.Try(simulate.LogLogSlope(x, y))
}

// reportSqrt has a row for each policy, T and epsilon: the largest regret, at which size, and that
// with four kinds of users at once. The last T of a policy has its powers, too.
func reportSqrt(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy", "ε", "T", "largest regret", "SE", "at s =", "four kinds", "power of T", "power of σ")
	of, written := tables[0], map[string]bool{}
	for _, at := range sqrtRuns(s) {
		key := fmt.Sprint(at.Policy, at.Rounds, at.Epsilon)
		if written[key] {
			continue
		}
		written[key] = true
		regret, se, size := SqrtWorst(of, at.Policy, at.Rounds, at.Epsilon)
		kinds, ofT, ofNoise := "", "", ""
		if at.Epsilon == RateEpsilon {
			at.Sizes = SqrtKinds
			kinds = fmt.Sprintf("%.0f", check.Try(of.Curve(at.String())).Final())
		}
		if s == cell.Paper && at.Epsilon == RateEpsilon && at.Rounds == SqrtRounds[len(SqrtRounds)-1] {
			ofT = interval(SqrtPower(of, at.Policy))
			if at.Policy != SqrtOnline {
				ofNoise = interval(SqrtNoisePower(of, at.Policy))
			}
		}
		t.Add(at.Policy, at.Epsilon, at.Rounds, regret, se, fmt.Sprintf("1/%.0f", 1/size), kinds, ofT, ofNoise)
	}
	t.Caption = fmt.Sprintf("Regret on ill-conditioned contexts, δ = %g; %s. Largest: over contexts of size s = 1/2 to 1/64, d = 2. Four kinds: s = 1 to 1/8 at once, d = 5. "+
		"Powers of the largest regret, with 95%% intervals of the fit: of T at ε = %d, of the noise's σ at T = %d as ε varies", Delta, lab.Size(of), RateEpsilon, SqrtMiddle)
	return t, nil
}

func interval(s simulate.Slope) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Value, s.Lo, s.Hi)
}

// FigureSqrt draws the largest regret over T, from the committed table.
func FigureSqrt() *charts.Figure {
	of := lab.MustTable("ldp-sqrt")
	f := &charts.Figure{
		Title: "The largest regret over contexts of six sizes", Scale: lab.Committed(of),
		X: charts.Axis{Name: "horizon T", Log: true}, Y: charts.Axis{Name: "regret", Log: true},
	}
	for _, policy := range SqrtPolicies {
		s := charts.Series{Name: policy}
		for _, rounds := range SqrtRounds {
			worst, se, _ := SqrtWorst(of, policy, rounds, RateEpsilon)
			half := se * of.Curves[0].Student95()
			s.X, s.Y = append(s.X, float64(rounds)), append(s.Y, worst)
			s.Lo, s.Hi = append(s.Lo, worst-half), append(s.Hi, worst+half)
		}
		f.Series = append(f.Series, s)
		f.Caption += fmt.Sprintf("%s: power of T %s. ", policy, interval(SqrtPower(of, policy)))
	}
	f.Caption += fmt.Sprintf("ε = %d, δ = %g, d = 2, s = 1/2 to 1/64, means of %s with 95%% confidence bands", RateEpsilon, Delta, lab.Size(of))
	f.Alt = f.Title + ". " + charts.FinalsInWords(f.Series)
	return f
}
