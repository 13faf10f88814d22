package lasso

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A Bounded is an environment with the constants of Lemmas 4 to 7 of the private LASSO paper, and
// the episode in which they are evaluated.
//
// What the paper leaves open is set in the lemmas' favour: C_s = r_X = C_b = C_theta = 1, rho = 1,
// and the terms with C and C_0, which it does not define, are left out of probabilities.
type Bounded struct {
	environment.Sparse
	Episode int     // l, of the rounds 2^l to 2^(l+1) - 1; T is 2^(l+1)
	Reward  float64 // C_r
	Context float64 // C_X, on entries
	Norm    float64 // C_1, on |x_S|
	Phi2    float64 // of compatibility, and C_p = 1
	Least   float64 // theta_min, the least of any draw of theta
}

// Small meets all assumptions, with the margin: contexts are on a sphere, so that each entry is
// uniform in [-√3, √3]. Common is where the notebooks run the printed algorithm; its contexts have
// no bound, and Context is what the algorithm is told.
var (
	Small = Bounded{environment.Sparse{Arms: 2, Dim: 3, Sparsity: 2, Design: environment.Spherical, Noise: 0.02, Leading: true, RewardClip: 1.85},
		15, 1.85, math.Sqrt(3), math.Sqrt(3), 0.5, 0.5 / math.Sqrt(1.25)}
	Common = Bounded{environment.Sparse{Arms: 10, Dim: 100, Sparsity: Sparsity, Noise: 0.3, Leading: true},
		13, 1.5, 1, 3.8, 0.25, 0.5 / math.Sqrt(4.25)}
)

// The budgets at which the lemmas are evaluated: Asked on Common, the others on Small. At the last,
// the noise of a node has many degrees of freedom, and so a large mean.
var (
	Asked     = privacy.Budget{Epsilon: 1, Delta: Delta}
	Noiseless = privacy.Budget{Epsilon: math.Inf(1), Delta: Delta}
	Light     = privacy.Budget{Epsilon: 1e8, Delta: Delta}
	Shifted   = privacy.Budget{Epsilon: 1e8, Delta: 1e-12}
)

// Tail is the probability at which Lemma 5 is solved for x, and Unit another unit of rewards: all
// of them, and with them theta, sigma, C_r, C_theta and lambda_0, are so many times as large.
const (
	Tail = 0.05
	Unit = 1. / 16
)

func (b Bounded) rows() float64 { return float64(int(1) << b.Episode) }
func (b Bounded) ends() float64 { return 2 * b.rows() } // T

// penalty returns lambda_l for lambda_0 = 0.1.
func (b Bounded) penalty() float64 {
	return 0.1 * math.Sqrt(2*math.Log(b.rows())*math.Log(float64(b.Dim))/b.rows())
}

// spread returns s-bar, and with 1 for the root of s_0 the s with a bar below.
func (b Bounded) spread(root float64) float64 { return 1 + 4*b.Reward*b.Context*root/b.Phi2 }

// Penalties returns the two conditions of Lemma 4: lambda_l is at least the first, which is Lemma
// 3's alpha, and at most the second.
func (b Bounded) Penalties(p privacy.Budget) (least, most float64) {
	s := float64(b.Sparsity)
	bar := b.spread(math.Sqrt(s))
	least = 128 * bar / p.Epsilon * math.Log(2*b.ends()*math.Pow(s, 1.5)*bar*b.spread(1)) * math.Log(1/p.Delta)
	return least, b.Least / (4 * (4*b.Context*s/b.Phi2 + math.Sqrt((1+4*b.Context/b.Phi2)*s)))
}

// Speaks returns the epsilon that Lemma 4 needs in any setting: its conditions need lambda to be at
// least 128 ln(2T) ln(1/delta)/epsilon and at most a quarter of theta_min, and more than this.
func Speaks(rounds, delta, least float64) float64 {
	return 512 * math.Log(2*rounds) * math.Log(1/delta) / least
}

// Fails returns the probability that Lemma 4 leaves for a support that is not recovered.
func (b Bounded) Fails() float64 {
	x := b.penalty() / (b.Noise * b.Context)
	return math.Exp(-b.rows()*x*x/32+math.Log(float64(b.Dim))) + 1/b.ends()
}

// Others returns s_1, how many coordinates Lemma 4 allows besides, without noise: alpha is 0 then,
// and lambda cancels.
func (b Bounded) Others() float64 {
	s := float64(b.Sparsity)
	gamma := (-1/math.Sqrt(math.Log(float64(b.Dim))*math.Log(b.ends())) - 1) / math.Sqrt(b.spread(math.Sqrt(s)))
	return s + 4*s*b.Reward*b.Context/(b.Phi2*gamma*math.Sqrt(s*b.spread(1)))
}

// Entry returns the variance of an entry of the tree's noise, k L^4, after 2^l rows: that is one
// node.
func (b Bounded) Entry(p privacy.Budget) float64 {
	d, l2 := float64(b.Dim), b.Norm*b.Norm+b.Reward*b.Reward
	node := p.AdvancedNode(b.Episode + 1)
	k := max(d+1, math.Ceil(d*math.Log(8*d/node.Delta)*2/node.Delta/(node.Epsilon*node.Epsilon)))
	return k * l2 * l2
}

// Far returns the x at which the first term of Lemma 5 is a probability. s1 is s_1, and variance
// is sigma_B^2.
func (b Bounded) Far(probability, s1, variance float64) float64 {
	return math.Sqrt(2*(b.Noise*b.Noise+variance)*s1*math.Log(2*s1/probability)/b.rows()) * b.Context
}

// Rounds returns how many rounds it takes until the first term of Lemma 5 is below 1 at x = 1.
func (b Bounded) Rounds(s1, variance float64) float64 {
	x := b.Far(1, s1, variance)
	return x * x * b.rows()
}

// Second returns the second term of Lemma 5, which does not depend on x.
func Second(s1, variance float64) float64 { return 2 * math.Exp(-3*variance*s1) }

// Lemma6 returns the bound on the regret of the episode, with a probability of the bad event.
func (b Bounded) Lemma6(s1, variance, bad float64) float64 {
	return 1048*math.Pow(1+math.Log(4*s1), 1.5)/b.rows()*(b.Noise*b.Noise+variance)*float64(b.Arms-1)*
		math.Pow(b.Context, 4)*b.Reward*b.Reward*s1 + b.bad(bad)
}

// Lemma7 returns the bound without the margin.
func (b Bounded) Lemma7(s1, variance, bad float64) float64 {
	of := b.Norm * b.Reward * b.Context
	return 36*math.Sqrt(1+math.Log(4*s1))*(b.Noise*b.Noise+variance)*float64(b.Arms-1)*of*of*
		math.Sqrt(2*(float64(b.Sparsity)+4*b.Context/b.Phi2)/b.rows()) + b.bad(bad)
}

func (b Bounded) bad(probability float64) float64 {
	return 2 * b.Context * float64(b.Arms-1) * probability
}

// seen is what a run showed of the episode.
type seen struct {
	missed  float64 // 1 if a coordinate that matters is not in S_l
	bad     float64 // 1 if that, or |theta-hat - theta|_1 > 4 s lambda/phi^2 after 2^l rows
	far     float64 // |theta-hat - theta| after 2^l rows
	regret  float64 // of the rounds 2^l + 1 to 2^(l+1) - 1
	earlier float64 // the same, four episodes before
	random  float64 // regret of random arms in the rounds of regret
}

// play runs the printed algorithm with some repairs, to the end of the episode.
func (b Bounded) play(p privacy.Budget, r episodes.Repairs, seed uint64, trial int) (s seen) {
	l := learner.New(sparse.PrivateThresholdedLasso{}, episodes.ThresholdedLasso{Budget: p, Sparsity: b.Sparsity,
		Compatibility: math.Sqrt(b.Phi2), Reward: b.Reward, Context: b.Context, Row: b.Norm, Repairs: r})
	rows := int(b.rows())
	check.OK(simulate.Play(b.Sparse, l, 2*rows-1, seed<<20+uint64(trial), func(of *simulate.Round) {
		switch {
		case of.Round > rows/16 && of.Round < rows/8:
			s.earlier += of.Trial.Regret(of.Played)
		case of.Round > rows:
			s.regret += of.Trial.Regret(of.Played)
			for arm := range of.Arms {
				s.random += of.Trial.Regret([]int{arm}) / float64(of.Arms)
			}
		case of.Round == rows:
			run := of.Run.(*learner.PrivateRun[episodes.SparseGram])
			rest, found := environment.Theta(of.Trial), 0
			for _, j := range run.Release().Support {
				if rest[j] != 0 {
					found++
				}
			}
			if found < b.Sparsity {
				s.missed = 1
			}
			estimate := check.Try(run.Rule().Learn(run.Release()))
			for i := 0; i < len(estimate); i += 2 {
				rest[int(estimate[i])] -= estimate[i+1]
			}
			s.far, s.bad = floats.Norm(rest, 2), s.missed
			if floats.Norm(rest, 1) > 4*float64(b.Sparsity)*b.penalty()/b.Phi2 {
				s.bad = 1
			}
		}
	}))
	return s
}

// What the studies of the lemmas measure.
const (
	Missed4     = "Lemma 4: a support without a coordinate that matters, as printed, no noise"
	MissedTwo   = "Lemma 4: the same, |w_j| tested"
	Far5        = "Lemma 5: error over its x of 5%, σ_B² of a sum, ε = 10⁸"
	Far5Row     = "Lemma 5: the same, σ_B² of a row, δ = 10⁻¹²"
	Beyond5     = "Lemma 5: an error beyond that x"
	Regret6     = "Lemma 6: regret of an episode over its bound, as printed, no noise"
	Regret6Two  = "Lemma 6: the same, |w_j| tested"
	Bad6        = "Lemma 6: a bad event, |w_j| tested"
	Earlier6    = "Lemma 6: that regret, four episodes before"
	Episode6    = "Lemma 6: and in the episode"
	Regret7     = "Lemma 7: regret of an episode over its bound, as printed, no noise"
	Regret7Two  = "Lemma 7: the same, |w_j| tested"
	MissedOne   = "Lemma 4: a support without a coordinate that matters, ε = 1"
	FarOne      = "Lemma 5: error, ε = 1"
	RegretOne   = "Lemmas 6 and 7: regret of an episode, ε = 1"
	RandomOne   = "Lemmas 6 and 7: regret of random arms in it"
	LemmaSmall  = "lasso-lemmas-small"
	LemmaCommon = "lasso-lemmas-common"
)

// Negative returns how many coordinates the printed algorithm selects without noise, in eight rows
// of one coordinate with theta = -1, and how many with |w_j| tested: selections are one-sided. In
// one dimension Lemma 4 itself promises nothing, as ln d is 0.
func Negative() (printed, tested int) {
	selected := func(r episodes.Repairs) int {
		s := episodes.ThresholdedLasso{Budget: Noiseless, Sparsity: 1, Reward: 1, Row: 1, Repairs: r}
		run := check.Try(s.Open(privacy.Setup{Horizon: 9, Dim: 2, Bound: 2})).Start(privacy.NewNoise(random.Source(2408, 0, "noise")))
		for range 8 {
			check.Try(run.Add(&privacy.Record{X: []float64{1}, Y: []float64{-1}}))
		}
		return len(run.Release().Support)
	}
	return selected(episodes.Repairs{}), selected(episodes.Repairs{TwoSided: true})
}

// lemmas measures what Lemmas 4 to 7 bound. The bounds on a regret have s_1 = d, the most that it
// can be; as printed they have a bad event for certain, and with |w_j| tested none.
func lemmas(s cell.Scale) []*lab.Study {
	d, two := float64(Small.Dim), episodes.Repairs{TwoSided: true}
	sum := Small.Far(Tail, d, Small.Entry(Light))
	row := Small.Far(Tail, d, Small.Entry(Shifted)/Small.rows())
	return []*lab.Study{{
		Name: LemmaSmall, Seed: 2408, Trials: cell.Pick(s, 4, 40, 400), Rounds: int(Small.ends()),
		What: []string{Missed4, MissedTwo, Far5, Far5Row, Beyond5, Regret6, Regret6Two, Bad6, Earlier6, Episode6, Regret7, Regret7Two},
		Trial: func(trial int) []float64 {
			printed, tested := Small.play(Noiseless, episodes.Repairs{}, 2408, trial), Small.play(Noiseless, two, 2408, trial)
			light, shifted := Small.play(Light, two, 2408, trial), Small.play(Shifted, two, 2408, trial)
			beyond := 0.0
			if shifted.far > row && shifted.missed == 0 {
				beyond = 1
			}
			return []float64{printed.missed, tested.missed, light.far / sum, shifted.far / row, beyond,
				printed.regret / Small.Lemma6(d, 0, 1), tested.regret / Small.Lemma6(d, 0, 0), tested.bad, tested.earlier, tested.regret,
				printed.regret / Small.Lemma7(d, 0, 1), tested.regret / Small.Lemma7(d, 0, 0)}
		},
	}, {
		Name: LemmaCommon, Seed: 2409, Trials: cell.Pick(s, 2, 10, 100), Rounds: int(Common.ends()),
		What: []string{MissedOne, FarOne, RegretOne, RandomOne},
		Trial: func(trial int) []float64 {
			of := Common.play(Asked, episodes.Repairs{}, 2409, trial)
			return []float64{of.missed, of.far, of.regret, of.random}
		},
	}}
}

const lemmasCaption = "Lemmas 4 to 7 of the private LASSO paper: what runs show of what they bound"
