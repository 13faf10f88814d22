package scorecard

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/lasso"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The sections of the evidence of notebook 04 that show what differs.
const (
	lassoSteps  = "evidence/04-printed, Section 4"
	lassoNumber = "evidence/04-theory, Section 3"
	lassoLemmas = "evidence/04-statements, Section 3"
	lassoRegret = "evidence/04-statements, Section 4"
)

// The setting in which the printed formulas are evaluated, that of lasso-printed.csv: T = 16,000
// rounds in 100 dimensions, of which 5 matter, |x| entries to C_X = 1, rewards to C_r = 1.5.
const (
	lassoRounds = 16_000
	lassoDim    = 100
	episodes    = 14 // ceil(log2 T)
	bounds      = 1.5
	phi         = 0.5
)

// many is s-bar.
var many = 1 + 4*bounds*math.Sqrt(lasso.Sparsity)/(phi*phi)

func lassoNumbers() []Number {
	s := &sheet{name: "LASSO"}
	for _, epsilon := range []float64{1, 10} {
		s.bound(atMost, Constant, "Section 4, Theorem 1", 173, fmt.Sprintf("ε that the algorithm as printed proves at δ = 10⁻⁵, asked for ε = %g", epsilon), fmt.Sprintf("ε = %g", epsilon), epsilon, "claims of lasso-printed.csv",
			func() Measured { return proved("lasso-printed", lasso.Name(lasso.Printed, epsilon)) }).
			because("none: the LASSO's coefficients have no sensitivity of 1, thresholds are drawn afresh for each query, the first screening is not private, and rows are not bounded", lassoSteps)
	}
	s.bound(atMost, Constant, "Algorithm 1, line 2", 126, "δ of all parts over δ: L selections of δ/(2L), and a tree of δ", "δ", 1, "its own constants", exactly(episodes*(1./(2*episodes))+1)).
		because("the tree is given all of δ, and the selections half of it once more", lassoSteps)
	s.bound(atMost, Constant, "Algorithm 1, line 2", 126, "ε of all parts at ε = 1, δ = 10⁻⁵: L selections of ε/(2L ln(1/δ₂)), and a tree of ε", "ε = 1", 1, "its own constants",
		exactly(episodes/(2*episodes*math.Log(2*episodes/lasso.Delta))+1)).because("the tree is given all of ε, and the selections their part besides", lassoSteps)
	s.bound(atLeast, Constant, "Section 3.1, Algorithm 2", 159, "Γ√s̄ at ε = 1: the private threshold over the first one", "above the first", 1, "its own constants, T = 16,000, d = 100", func() Measured {
		delta1 := lasso.Delta / (2 * episodes)
		eps1 := 1 / (2 * episodes * math.Log(1/delta1))
		xi := math.Sqrt(32*math.Log(1/delta1)) * math.Sqrt(8*many*math.Log(1/delta1)) / eps1
		return Measured{(xi*math.Log(1-lasso.Delta)-1)/math.Sqrt(math.Log(lassoDim)*math.Log(lassoRounds)) - 1, 0}
	}).because("ln((1−δ)/ε) is negative from ε = 1 − δ on, and so is the threshold: all pass", lassoSteps)
	s.bound(atMost, Constant, "Section 5.1, Lemma 4", 199, "its least λ over its greatest, ε = 1, θmin = 1", "≤ 1", 1, "its own constants, T = 16,000, β = 1/T", func() Measured {
		least := 128 * many * math.Log(2*math.Pow(lasso.Sparsity, 1.5)*many*(1+4*bounds/(phi*phi))*lassoRounds) * math.Log(1/lasso.Delta)
		most := 1 / (4 * (4*bounds*lasso.Sparsity/(phi*phi) + math.Sqrt((1+4*bounds/(phi*phi))*lasso.Sparsity)))
		return Measured{least / most, 0}
	}).because("no λ meets both conditions of the lemma at any common size", lassoNumber)
	s.bound(atLeast, Constant, "Section 3", 137, "k as printed over the p + 28 ln(4/δ)/ε² that a node needs, ε = 1, δ = 10⁻⁵", "enough", 1, "continual.Wishart, Theorem 23 of JDP", func() Measured {
		node := privacy.Budget{Epsilon: 1, Delta: lasso.Delta}.AdvancedNode(episodes)
		w, err := continual.Wishart{Budget: privacy.Budget{Epsilon: 1, Delta: lasso.Delta}, Calibration: privacy.AsPublished}.
			Open(privacy.Setup{Dim: lassoDim + 1, Horizon: lassoRounds, Bound: 1, Alpha: 1. / lassoRounds})
		if err != nil {
			panic(err)
		}
		printed := math.Ceil(lassoDim / (node.Epsilon * node.Epsilon) * math.Log(8*lassoDim/node.Delta) * 2 / node.Delta)
		return Measured{printed / law(w).Shape, 0}
	})
	s.is(Constant, "Section 2.2, Proposition 1", 113, "√(2k ln(1/δ)ε) over the theorem's ε√(2k ln(1/δ)), k = 100, ε = 0.1, δ = 10⁻⁵", "1", "privacy.AdvancedEpsilon", func() Measured {
		const k, eps = 100, 0.1
		theorem := privacy.AdvancedEpsilon(eps, k, lasso.Delta) - k*eps*math.Expm1(eps)
		return Measured{math.Sqrt(2*k*math.Log(1/lasso.Delta)*eps) / theorem, 0}
	}).because("ε stands under the root in print", here)
	s.notRun(8, Constant, "Algorithms 1 and 2", 130, "2 in λ_t, 8 and 32 in ξ, 4λ twice, Lap(2ξ), and √8 and 2 of a node's budget", "2, 8, 32, 4, 4, 2, 8, 2", "episodes.ThresholdedLasso has them; no run varies them")
	const ar = "lasso-assumptions-AR1"
	s.bound(atMost, Constant, "Section 2.1, Definition 1", 51, "φ² as printed over φ² with x'Mx, AR(1) of correlation 0.7 in 40 dimensions", "3", 1, ar+".csv, exact for its support", func() Measured {
		return Measured{quantity(ar, lasso.PhiPrinted).Value / quantity(ar, lasso.PhiCone).Value, 0}
	}).because("the numerator is printed with x_S, so that the 3 of the cone has no effect; for M = (1 0.9; 0.9 1), S = {1} print has 1, and x'Mx gives 0.19", here)
	extreme := func(what string, over func(lasso.Assumed, Measured) Measured) func() Measured {
		return func() (most Measured) {
			most.Value = math.Inf(-1)
			for _, a := range lasso.AssumedOn {
				if m := over(a, quantity("lasso-assumptions-"+a.Name, what)); m.Value > most.Value {
					most = m
				}
			}
			return most
		}
	}
	const six = "lasso-assumptions-*.csv, six environments"
	s.bound(atLeast, Constant, "Section 2.1, Assumption 2", 57, "least φ² measured, that of AR(1) (1/s₀ = 0.2 without correlation; the printed algorithm is run with 1/4)", "φ > 0", 0, six, func() Measured {
		m := extreme(lasso.PhiCone, func(_ lasso.Assumed, m Measured) Measured { return Measured{-m.Value, m.SE} })()
		return Measured{-m.Value, m.SE}
	})
	s.bound(atMost, Constant, "Section 2.1, Assumption 3", 63, "greatest standard score of P(A) − P(−A), A that the best mean is further from 0 than the worst, without a margin", "symmetric", 3, six,
		extreme(lasso.Tilt, func(a lasso.Assumed, m Measured) Measured {
			if a.Margin > 0 {
				return Measured{}
			}
			return Measured{math.Abs(m.Value) / m.SE, 0}
		}))
	s.bound(atMost, Constant, "Section 2.1, Assumption 3, with a margin", 63, "P(A) − P(−A) if rounds whose best two are within 0.3 are drawn again", "a constant", 0, "lasso-assumptions-margin.csv",
		func() Measured { return quantity("lasso-assumptions-margin", lasso.Tilt) }).
		because("−𝒳 has the gap between the last two, which are not drawn again: 𝒟(−𝒳) = 0 where 𝒟(𝒳) > 0, and no constant serves; so a gap and Assumption 3 exclude each other unless both ends have it", here)
	s.bound(atMost, Constant, "Section 2.1, Assumption 4", 71, "greatest C_b that an arm in the middle needs (1/2 for normal contexts)", "C_b > 1", 1, six,
		extreme(lasso.Across, func(_ lasso.Assumed, m Measured) Measured { return m }))
	s.bound(atMost, Constant, "Section 2.1, Assumption 4, as printed", 71, "greatest C_b that it needs with the K-th arm on its right-hand side", "C_b > 1", 1, six,
		extreme(lasso.PrintedB, func(_ lasso.Assumed, m Measured) Measured { return m }))
	screen := s.bound(atMost, Constant, "Section 2.1", 51, "false positives of the first threshold over their bound 4C_rC_X√s/φ², φ² = 0.2 as measured", "4, 4, 4", 1, "lasso-selection.csv", func() Measured { return quantity("lasso-selection", lasso.FalsePositives) })
	screen.Numbers = 3
	s.bound(atLeast, Constant, "Section 2.1", 51, "s₁ without noise, on a small instance that meets all assumptions", "16", 0, "lasso.Bounded", exactly(lasso.Small.Others())).
		because("Γ is below 0, and α is 0 without noise: that many coordinates cannot be", lassoLemmas)
	missed := s.bound(atMost, Constant, "Section 5.1, Lemma 3", 193, "share of selections that miss a value α above the threshold, ε = 1, δ = 10⁻⁵", "128; 1/T", 1./lassoRounds, "lasso-selection.csv, 10⁵ selections", func() Measured { return quantity("lasso-selection", lasso.MissedPrinted) })
	missed.why, missed.Shown = func() string {
		c := lasso.NewSelection(1)
		return fmt.Sprintf("α has the ε and the δ of all, and a selection gets ε/(2L ln(1/δ₂)) and δ/2L: α is %.1f times the noise's scale ξ, and one value α above the threshold, the smallest example, is missed with probability %.2f; with its own ε and δ α holds, the next row", c.Alpha/c.Xi, c.Misses(c.Alpha))
	}, here
	s.bound(atMost, Constant, "Section 5.1, Lemma 3, mended", 193, "the same with the selection's own ε and δ in α", "1/T", 1./lassoRounds, "lasso-selection.csv, 10⁵ selections", func() Measured { return quantity("lasso-selection", lasso.MissedEach) })
	s.bound(atMost, Constant, "Section 5.1, Lemma 3", 193, "accuracy that the selections of runs needed over α, ε = 1", "α", 1, "lasso-selection.csv", func() Measured { return quantity("lasso-selection", lasso.NeededAlpha) })
	s.lemmas()
	for _, r := range []struct {
		n             int
		place         string
		line          int
		what, printed string
	}{
		{3, "Theorem 2", 236, "powers of s₀, log T and 1/ε in the regret with the margin condition", "3/2, 3, 1"},
		{4, "Theorem 3", 257, "powers of s₀, T, log T and 1/ε without it", "3/2, 1/2, 2, 1"},
		{3, "Theorem 4", 285, "powers of log T, s₀ log d and 1/ε in the lower bound", "1, 1, 1"},
		{1, "Section 2.2", 119, "power of log T in the error of a tree", "1.5"},
	} {
		s.notRun(r.n, Rate, r.place, r.line, r.what, r.printed, "the printed algorithm learns nothing at these ε (lasso-printed.csv), so that its rates cannot be fitted; those of a sound learner are not the paper's")
	}
	return s.list
}

// lemmas adds Lemmas 4 to 7 of the private LASSO paper beside runs.
func (s *sheet) lemmas() {
	small, common := lasso.Small, lasso.Common
	measured := func(what string) func() Measured { return func() Measured { return quantity(lasso.LemmaSmall, what) } }
	const on, usual = "lasso-lemmas-small.csv", "lasso-lemmas-common.csv"
	s.bound(atMost, Constant, "Section 5.1, Lemma 4", 199, "ε that its conditions need in any setting with θmin ≤ 1, T = 16,000, δ = 10⁻⁵", "ε = 1", 1, "lasso.Speaks", exactly(lasso.Speaks(lassoRounds, lasso.Delta, 1))).
		because("λ ≥ 128 ln(2T) ln(1/δ)/ε and λ ≤ θmin/4 are both needed, and more", lassoLemmas)
	s.bound(atMost, Constant, "Section 5.1, Lemma 4, as printed", 201, "share of supports without a coordinate that matters, no noise, where its conditions hold", "32; 1/T", small.Fails(), on,
		func() Measured { return failures(lasso.LemmaSmall, lasso.Missed4) }).
		because("a coefficient well below 0 is never above the threshold; and if the private estimate is close, as the lemma assumes, nothing can be missing: the event is read as the LASSO's error", lassoLemmas)
	s.bound(atMost, Constant, "Section 5.1, Lemma 4, |w_j| tested", 201, "the same", "32; 1/T", small.Fails(), on,
		func() Measured { return failures(lasso.LemmaSmall, lasso.MissedTwo) })
	s.bound(atMost, Constant, "Section 5.1, Lemma 5", 207, "its bound on a probability without noise, at any x: at least", "2, 3", 1, "lasso.Second", exactly(lasso.Second(float64(small.Dim), 0))).
		because("the second term is 2 exp(−3σ_B²s₁), and 2 if the tree has no noise", lassoLemmas)
	s.bound(atMost, Constant, "Section 5.1, Lemma 5, σ_B² of a sum", 207, "mean error over the x that it exceeds with probability 5%, ε = 10⁸", "2, 3", 1, on, measured(lasso.Far5))
	s.bound(atMost, Constant, "Section 5.1, Lemma 5, σ_B² of a row", 207, "share of errors beyond the x of 5%, ε = 10⁸, δ = 10⁻¹²", "5%", lasso.Tail, on,
		func() Measured { return failures(lasso.LemmaSmall, lasso.Beyond5) }).
		because("Wishart noise has a mean, which shrinks the estimate, and the bound is for noise without one; σ_B² is not defined", lassoLemmas)
	six := s.bound(atMost, Constant, "Section 5.2, Lemma 6, as printed", 227, "regret of an episode over the bound, no noise, P(bad event) = 1", "1048, 4, 3/2", 1, on, measured(lasso.Regret6))
	six.Numbers = 3
	six.because("the regret of 2^ℓ rounds is a sum, and a bad event is charged as one round", lassoRegret)
	s.bound(atMost, Constant, "Section 5.2, Lemma 6, |w_j| tested", 227, "the same, no bad event", "1048, 4, 3/2", 1, on, measured(lasso.Regret6Two))
	units := func(what string) func() Measured {
		return func() Measured {
			m, times := quantity(lasso.LemmaSmall, what), math.Pow(lasso.Unit, -3)
			return Measured{m.Value * times, m.SE * times}
		}
	}
	s.bound(atMost, Constant, "Section 5.2, Lemma 6, |w_j| tested", 227, "regret over the bound's first term, no bad event, rewards in units 16 times as large", "σ², C_r²", 1, on, units(lasso.Regret6Two)).
		because("the term is in the fourth power of the unit of rewards, and regret in the first; with r_X for C_r and the margin's constant, which is missing, it is in the first", lassoRegret)
	seven := s.bound(atMost, Constant, "Section 5.3, Lemma 7, as printed", 248, "regret of an episode over the bound, no noise, P(bad event) = 1", "36, 4", 1, on, measured(lasso.Regret7))
	seven.Numbers = 2
	seven.because("as with Lemma 6", lassoRegret)
	s.bound(atMost, Constant, "Section 5.3, Lemma 7, |w_j| tested", 248, "the same, no bad event, ρ = 1", "36, 4", 1, on, measured(lasso.Regret7Two))
	s.bound(atMost, Constant, "Section 5.3, Lemma 7, |w_j| tested", 248, "regret over the bound's first term, no bad event, rewards in units 16 times as large", "σ², C_r²", 1, on, units(lasso.Regret7Two)).
		because("as with Lemma 6; with r_X for C_r and σ for σ² it is in the first", lassoRegret)
	noise := common.Entry(lasso.Asked)
	for _, of := range []struct {
		place string
		line  int
		bound float64
	}{
		{"Section 5.2, Lemma 6", 227, common.Lemma6(lasso.Sparsity, noise, 1)},
		{"Section 5.3, Lemma 7", 248, common.Lemma7(lasso.Sparsity, noise, 1)},
	} {
		s.bound(atMost, Constant, of.place+", ε = 1", of.line, "its bound over a random arm's regret in the episode, in 100 dimensions", "less than random", 1, usual,
			func() Measured { return ratio(Measured{of.bound, 0}, quantity(lasso.LemmaCommon, lasso.RandomOne)) }).
			because("σ_B² is the variance of the tree's noise: the bound says nothing", lassoRegret)
	}
	theory := sparse.PrivateLassoTheory{Arms: common.Arms, Dim: common.Dim, Sparsity: common.Sparsity, Sigma: common.Noise, Lambda0: 0.1}
	s.bound(atMost, Constant, "Section 5.2, Theorem 2", 236, "regret at ε = 1 over the bound without noise, in 100 dimensions", "64", 1, "lasso-printed.csv", func() Measured {
		m, most := final("lasso-printed", lasso.Name(lasso.Printed, 1)), theory.Margin(lassoRounds)
		return Measured{m.Value / most, m.SE / most}
	})
}
