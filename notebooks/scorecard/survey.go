package scorecard

import (
	"math"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/design"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The sections of notebook 05 and its evidence that show what differs.
const (
	surveySums = "05-dp-online-algorithms, Section 1"
	surveyStop = "evidence/05-survey, Section 2"
)

// laplaceTree is DP-FTRL's tree as printed, for T = 10,000 losses of the unit ball.
func laplaceTree(dim int) privacy.Mechanism[continual.Total] {
	t := continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Calibration: privacy.AsPublished}
	return check.Try(t.Open(privacy.Setup{Dim: dim, Horizon: 10_000, Bound: 1}))
}

// stops plays DP-NAS on samples of -1 and 1 of mean 0.5 and returns the share of runs that end
// within alpha = 0.2 of it.
func stops(c privacy.Calibration) Measured {
	const mean, runs = 0.5, 100
	right := 0.0
	for run := range runs {
		rule := mechanism.Stopping{Epsilon: 1, Alpha: 0.2, Beta: 0.1, Calibration: c}
		rng, noise := random.New(88, run, "samples"), privacy.NewNoise(random.Source(88, run, "noise"))
		end := check.Try(rule.Run(1, 1<<20, noise, func() float64 { return random.Rademacher(rng, mean) }))
		if math.Abs(end.Mean-mean) <= 0.2*mean {
			right++
		}
	}
	p := right / runs
	return Measured{p, math.Sqrt(p * (1 - p) / runs)}
}

func surveyNumbers() []Number {
	s := &sheet{name: "SURVEY"}
	for _, dim := range []int{2, 10} {
		s.bound(atMost, Constant, "Section 3, Theorem 1", 117, map[int]string{2: "ε that noise of λ = ‖X‖₁ log T/ε proves, N = 2, T = 10,000, log = ln", 10: "ε that noise of λ = ‖X‖₁ log T/ε proves, N = 10, T = 10,000, log = ln"}[dim], "ε = 1", 1, "the claim of continual.VectorTree, AsPublished", func() Measured {
			return Measured{privacy.ClaimOf(laplaceTree(dim)).Epsilon(), 0}
		}).because("replacing a vector moves a node by twice its norm, and there are log₂ T nodes, not ln T", surveySums)
	}
	s.bound(atMost, Constant, "Section 3, after Theorem 1", 160, "ε that noise of λ = N log T/ε proves, N = 2, T = 10,000", "ε = 1", 1, "the claim of continual.VectorTree, AsPublished, and its scale", func() Measured {
		t := laplaceTree(2)
		return Measured{privacy.ClaimOf(t).Epsilon() * t.Plan(privacy.All).Cases[0][0].Law.Scale / (2 * math.Log(10_000)), 0}
	}).because("√N became N, which makes up for both only from N = 10 on", here)
	s.bound(atMost, Constant, "Section 3, Theorem 1", 121, "greatest regret over √(D_R Σ + D_Lap), as printed: ball, simplex and cube, ε = ∞, 10 and 1, N = 10, T = 1000", "a bound", 1, regularised, func() Measured { return theorem1(0) }).
		because("T = 1 is the smallest example: x₁ = 0 on the ball, and ℓ₁ of length 1 costs a regret of 1 where the bound is √½, whatever η; the proof leaves 2√(D_R Σ), and D_Lap belongs outside of the root", here)
	s.bound(atMost, Constant, "Section 3, Theorem 1, D_Lap outside", 121, "the same over √(D_R Σ) + D_Lap", "a bound", 1, regularised, func() Measured { return theorem1(1) }).
		because("without noise the root still lacks a factor √2: on the ball an adversary makes any learner regret √T, and the bound is √(T/2)", here)
	s.bound(atMost, Constant, "Section 3, Theorem 1, mended", 121, "the same over √(2 D_R Σ) + D_Lap", "a bound", 1, regularised, func() Measured { return theorem1(2) })
	for _, r := range []struct{ what, printed string }{{"scale of B over R/ε", "12"}, {"scale of A over R/ε", "12"}} {
		s.is(Constant, "Section 4, Algorithm 2, line 1", 187, r.what, r.printed, "mechanism.Stopping.Scales", func() Measured {
			compare, _ := scales()
			return Measured{compare, 0}
		})
	}
	s.is(Constant, "Section 4, Algorithm 2, line 1", 187, "scale of L over R/ε", "4", "mechanism.Stopping.Scales", func() Measured {
		_, last := scales()
		return Measured{last, 0}
	})
	s.bound(atMost, Constant, "Section 4", 257, "ε that B and the A spend, over ε: 2R/σ₁ + 4R/σ₂", "1/2", 0.5, "mechanism.Stopping.Scales", func() Measured {
		compare, _ := scales()
		return Measured{2/compare + 4/compare, 0}
	})
	s.bound(atMost, Constant, "Section 4", 259, "ε that L spends, over ε: 2R/σ₃", "1/2", 0.5, "mechanism.Stopping.Scales", func() Measured {
		_, last := scales()
		return Measured{2 / last, 0}
	})
	s.bound(atLeast, Constant, "Section 4, Algorithm 2, line 12", 199, "share of runs within α of the mean, as printed: mean 0.5, α = 0.2, β = 0.1, ε = 1", "1 − β", 0.9, "100 runs of mechanism.Stopping, AsPublished", func() Measured { return stops(privacy.AsPublished) }).
		because("line 12 adds L to the mean, not L/t: noise of scale 4R on a number in [−R, R]", surveyStop)
	s.bound(atLeast, Constant, "Section 4, Algorithm 2, mended", 199, "share of runs within α of the mean with L/t: mean 0.5, α = 0.2, β = 0.1, ε = 1", "1 − β", 0.9, "100 runs of mechanism.Stopping", func() Measured { return stops(privacy.Sound) })
	s.bound(atMost, Constant, "Section 4, Algorithm 3", 295, "ε proved of DP-SE, asked for ε = 1", "ε = 1", 1, "claims of survey-arms-c1.csv", func() Measured { return proved("survey-arms-c1", "DP-SE, epsilon = 1") })
	s.is(Constant, "Section 4", 172, "h_t = 1 − β/(2t²) of the text over Algorithm 2's R√(2t ln(16t²/β)), R = 1, t = 100, β = 0.1", "1", "their own constants", func() Measured {
		const t, beta = 100., 0.1
		return Measured{(1 - beta/(2*t*t)) / math.Sqrt(2*t*math.Log(16*t*t/beta)), 0}
	}).because("the text has the level of the interval for its width; Algorithm 2 is right", here)
	s.notRun(5, Constant, "Section 4, Algorithm 2, lines 8 and 9", 196, "2, 16, 4, 8 and 4 in h_t and c_t", "2, 16, 4, 8, 4", "mechanism.Stopping has them, and keeps 1 − β; no run varies them")
	s.notRun(4, Constant, "Section 4, Algorithm 3", 216, "32, 8, 8 and 4 in R_e", "32, 8, 8, 4", "arms.DPElimination has them; no run varies them")
	s.bound(atMost, Constant, "Section 4, Lemma 4.1", 299, "share of 200 runs in which DP-SE pulls an arm more often than the constants of its proof allow, K = 5, gaps 0.125 to 0.5, β = 0.05, ε = 0.05 and 1: the greater", "β", survey.PullsBeta, "survey-pulls-eps0.05.csv, survey-pulls-eps1.csv", func() Measured {
		a, b := failures("survey-pulls-eps0.05", survey.PullsFail), failures("survey-pulls-eps1", survey.PullsFail)
		if a.Value > b.Value {
			return a
		}
		return b
	})
	s.bound(atMost, Constant, "Section 4, Lemma 4.1, as printed", 299, "pulls in epoch 1 over the printed bound: at β = 10⁻²⁰ over that at β = 10⁻², K = 5, Δ = 1/2, ε = 10⁻⁶", "O(1)", 1, "its own constants", func() Measured {
		over := func(beta float64) float64 {
			return survey.MostPulls(5, 0.5, 1e-6, beta) / survey.PrintedPulls(5, 0.5, 1e-6, beta)
		}
		return Measured{over(1e-20) / over(1e-2), 0}
	}).because("every arm has the R₁ pulls of epoch 1, 16 ln(4K/β)/ε at small ε: 1/(εΔ) lacks the factor log(K/β), so that no constant serves; the regret after it has the logarithm, K log T/ε", here)
	s.bound(atMost, Constant, "Section 5, Lemma 2", 333, "greatest max a'V⁻¹a over the rank, of 200 random sets of arms", "2d", 2, "design.Of", func() Measured {
		g, _ := coreSets()
		return Measured{g, 0}
	})
	s.bound(atMost, Constant, "Section 5, Lemma 2", 323, "greatest size of a core set over the rank, of 200 random sets of arms", "O(d)", 2, "design.Of", func() Measured {
		_, size := coreSets()
		return Measured{size, 0}
	})
	s.bound(atMost, Constant, "Section 5, Algorithm 4", 360, "ε proved of core sets, asked for ε = 1", "ε = 1", 1, "claims of survey-coreset-d5.csv", func() Measured { return proved("survey-coreset-d5", "published width, epsilon = 1") })
	s.notRun(3, Constant, "Section 5, Algorithm 4", 346, "4, 2 and 2 in γ", "4, 2, 2", "linear.CoreSet has them; the constant B beside them is nowhere printed")
	s.notRun(1, Constant, "Section 5", 360, "probability that all estimates are within γ", "1 − 1/T", "evidence/05-survey, Section 4, looks at the widths of a few runs, all of which hold; 1/T needs thousands of runs")
	s.notRun(1, Constant, "Section 5, Definition 5.1", 317, "size of a ζ-net", "(3/ζ)^d + d", "Algorithm 4 on a net in two dimensions, minutes")
	for _, r := range []struct {
		n             int
		place         string
		line          int
		what, printed string
	}{
		{4, "Section 3", 162, "powers in DP-FTRL's regret: T, N, log T, 1/ε", "1/2, 1, 2, 1"},
		{1, "Section 3", 164, "ε down to which privacy is free: power of 1/T", "1/2"},
		{3, "Section 4", 309, "powers in DP-SE's regret: log T, K, 1/ε", "1, 1, 1"},
		{4, "Section 5", 362, "powers in the regret of core sets: T, log T; log T, 1/ε", "1/2, 1/2, 2, 1"},
	} {
		s.notRun(r.n, Rate, r.place, r.line, r.what, r.printed, "runs over several T and ε, fitted: evidence/05-survey shows regret by ε, at one T")
	}
	return s.list
}

const regularised = "survey-regularisers.csv"

// theorem1 returns the greatest regret over a form of Theorem 1's bound.
func theorem1(form int) (most Measured) {
	for _, r := range survey.Regularisers {
		for _, epsilon := range survey.RegularisedEpsilons {
			a, b, c := r.Regularised(epsilon)
			if m := quantity("survey-regularisers", []string{a, b, c}[form]); m.Value > most.Value {
				most = m
			}
		}
	}
	return most
}

func scales() (compare, last float64) {
	rule := mechanism.Stopping{Epsilon: 1, Alpha: 0.2, Beta: 0.1}
	plan := check.Try(rule.Open(privacy.Setup{Dim: 2, Horizon: 1 << 20, Bound: 1, Alpha: 1})).Plan(privacy.All)
	return plan.Cases[0][0].Law.Scale, plan.Cases[0][1].Law.Scale
}

// coreSets returns the greatest max g and size of core sets, over the rank.
func coreSets() (g, size float64) {
	rng := random.New(99, 0, "arms")
	for range 200 {
		count, dim := 1+rng.IntN(60), 1+rng.IntN(6)
		rows := make([]float64, count*dim)
		for i := range rows {
			rows[i] = rng.NormFloat64()
		}
		found := check.Try(design.Of(rows, dim))
		core, _ := found.Core()
		g, size = max(g, found.Worst()/float64(found.Rank())), max(size, float64(len(core))/float64(found.Rank()))
	}
	return g, size
}
