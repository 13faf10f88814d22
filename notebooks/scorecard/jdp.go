package scorecard

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// padded is what the authors' program takes for the horizon in union bounds over rounds: the next
// power of two.
const padded = 1 << 26

// linUCB returns a policy of Experiment 2, calibrated for a horizon and alpha = 1/n.
func linUCB(policy string, horizon int, best bool) *linear.UCBRule {
	l := jdp.Policy(policy)
	l.Policy = linear.UCB{Alpha: 1. / jdp.Horizon, OptimalShift: best}
	ready := check.Try(l.Open(environment.DecisionSets{Dim: 5}.Problem(), horizon))
	return ruleOf(ready.Start(nil, random.Source(jdp.Seed, 0, "noise")))
}

// ruleOf returns LinUCB's rule in a run.
func ruleOf(run bandit.Run) *linear.UCBRule {
	return run.(*learner.PrivateRun[privacy.Sums]).Rule().(*linear.UCBRule)
}

// rows are the setup of Experiment 2's sums in d dimensions.
func rows(dim int) privacy.Setup {
	return privacy.Setup{Dim: dim + 1, Horizon: jdp.Horizon, Bound: math.Sqrt2, Alpha: 1. / jdp.Horizon}
}

func printedGaussian(dim int) continual.Nodes {
	return check.Try(continual.Gaussian{Budget: jdp.Budget, Calibration: privacy.AsPublished}.Open(rows(dim)))
}

func printedWishart(unshifted bool) continual.Nodes {
	return check.Try(continual.Wishart{Budget: jdp.Budget, Calibration: privacy.AsPublished, Unshifted: unshifted}.Open(rows(5)))
}

// law is the law of a node's noise.
func law(n continual.Nodes) privacy.Law { return n.Plan(1).Cases[0][0].Law }

// levels is m of Experiment 2.
func levels() float64 {
	m, _ := printedGaussian(5).Levels()
	return float64(m)
}

// operator is Upsilon over sigma sqrt(2m).
func operator(dim int) float64 {
	g := printedGaussian(dim)
	return g.Bounds(g.Shift()).RhoMin / (law(g).Scale * math.Sqrt(2*levels()))
}

// decisions returns the mean rewards of a decision set like Figure 1's, the optimal one first.
func decisions(gap float64) (optimal, low, high float64, arms int) {
	env := environment.DecisionSets{Dim: 3, Arms: 1000, Gap: gap}
	trial := check.Try(env.Open()).Start(random.New(jdp.Seed, 0, "contexts"))
	var v bandit.View
	trial.Next(&v)
	theta := environment.Theta(trial)
	low, high = math.Inf(1), math.Inf(-1)
	for a := range v.Arms {
		x, mean := v.Row(a), 0.0
		for i := range x {
			mean += x[i] * theta[i]
		}
		if trial.Regret([]int{a}) == 0 {
			optimal = mean
			continue
		}
		low, high = min(low, mean), max(high, mean)
	}
	return optimal, low, high, v.Arms
}

// dimensions returns Experiment 1's regrets by dimension.
func dimensions(law string) (d []float64, regret []Measured) {
	for _, dim := range jdp.Dims(cell.Paper) {
		d, regret = append(d, float64(dim)), append(regret, final(fmt.Sprintf("jdp-exp1-%s-d%02d", law, dim), jdp.NonPrivate))
	}
	return d, regret
}

func dimensionFit(law string) power {
	d, regret := dimensions(law)
	y := make([]float64, len(d))
	for i, r := range regret {
		y[i] = r.Value
	}
	return fitPower(d, y)
}

// shifted interpolates Experiment 3's regret at log10 rho_min. The errors of the neighbours are
// taken to be fully dependent.
func shifted(gap float64, mechanism string, at float64) Measured {
	rhos := jdp.Rhos(cell.Paper)
	i := slices.IndexFunc(rhos, func(rho float64) bool { return math.Log10(rho) >= at })
	check.That(i > 0, "no committed shifts on both sides of 10^%v", at)
	a, b := math.Log10(rhos[i-1]), math.Log10(rhos[i])
	name := fmt.Sprintf("jdp-exp3-gap%g", gap)
	low, high, w := final(name, jdp.Shifted(mechanism, rhos[i-1])), final(name, jdp.Shifted(mechanism, rhos[i])), (at-a)/(b-a)
	return Measured{low.Value + w*(high.Value-low.Value), low.SE + w*(high.SE-low.SE)}
}

// figure2 has the regrets at round 1e5 read off the authors' Figure 2, of 100 runs each, to 15: a
// third of a pixel. Those below d = 8 are too near to the axis to be read.
var figure2 = []struct {
	dim             int
	gaussian, signs float64
}{
	{64, 9188, 8350}, {54, 6826, 6129}, {45, 4977, 4435}, {38, 3788, 3288}, {32, 2885, 2408}, {27, 2181, 1796},
	{23, 1654, 1338}, {19, 1213, 944}, {16, 931, 673}, {13, 598, 446}, {11, 448, 319}, {10, 385, 269}, {8, 250, 181},
}

// figure5 has the regrets read off the authors' Figure 5, of 30 runs each, in thousands, with the
// error of reading and of the band, by mechanism and gap and in the order of the shifts. Points
// behind others are read to several thousands, or left out. Those without privacy are the ends of
// the curves in the figure before it.
var figure5 = []struct {
	mechanism string
	gap       float64
	mean, se  [8]float64
}{
	{jdp.WishartAuthors, 0, [8]float64{188, 128, 95, 84, 100, 131, 222, 388}, [8]float64{3, 5, 5, 4, 4, 6, 14, 23}},
	{jdp.WishartAuthors, 0.025, [8]float64{185, 126, 98.5, 84.8, 92, 113.5, 167, 243}, [8]float64{3, 3, 2, 2, 4, 6, 14, 20}},
	{jdp.WishartAuthors, 0.1, [8]float64{170, 121, 87, 77.3, 71.4, 90, 78.2, 94}, [8]float64{3, 3, 2, 2, 4, 5, 6, 6}},
	{jdp.GaussianAuthors, 0, [8]float64{17.5, 15, 16, 21, 32, 60, 125, 304}, [8]float64{2, 2, 2, 2, 3, 4, 10, 22}},
	{jdp.GaussianAuthors, 0.025, [8]float64{17, 14.5, 15, 18.5, 24.8, 37.2, 64.9, 84.9}, [8]float64{2, 2, 2, 2, 2, 3, 6, 11}},
	{jdp.GaussianAuthors, 0.1, [8]float64{15.2, 13.5, 12.8, 13, 13.9, 15.8, 18.8, 16.7}, [8]float64{1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 2, 2}},
	{jdp.WishartAuthors, 0.1 / 16, [8]float64{5: 128.5, 6: 219.5, 7: 338}, [8]float64{5: 6, 6: 14, 7: 26}},
	{jdp.WishartAuthors, 0.1 / 64, [8]float64{5: 129, 6: 212, 7: 455}, [8]float64{5: 7, 6: 14, 7: 29}},
	{jdp.GaussianAuthors, 0.1 / 16, [8]float64{5: 61.3, 6: 119.5, 7: 267}, [8]float64{5: 4, 6: 9, 7: 21}},
	{jdp.GaussianAuthors, 0.1 / 64, [8]float64{5: 60.5, 6: 131, 7: 306}, [8]float64{5: 4, 6: 10, 7: 22}},
	{jdp.NonPrivate, 0, [8]float64{7: 118}, [8]float64{7: 12}},
	{jdp.NonPrivate, 0.1 / 16, [8]float64{7: 72}, [8]float64{7: 8}},
	{jdp.NonPrivate, 0.1 / 64, [8]float64{7: 118.5}, [8]float64{7: 10}},
}

func jdpNumbers() []Number {
	s := &sheet{name: "JDP"}
	jdpConstants(s)
	jdpLowerBounds(s)
	jdpSettings(s)
	jdpResults(s)
	jdpNotebook(s)
	return s.list
}

func jdpConstants(s *sheet) {
	s.is(Constant, "Section 4.1, Theorem 8", 443, "factor of ln(4/δ₀)/ε₀² in the degrees of freedom of Wishart noise", "28", "continual.Wishart, AsPublished, at Experiment 2", func() Measured {
		node := jdp.Budget.AdvancedNode(int(levels()))
		return Measured{(law(printedWishart(false)).Shape - 6) * node.Epsilon * node.Epsilon / math.Log(4/node.Delta), 0}
	})
	s.is(Constant, "Section 4.1", 446, "factor of m ln(8m/δ) ln(2/δ)/ε² in k", "224", "continual.Wishart, AsPublished, at Experiment 2", func() Measured {
		b, m := jdp.Budget, levels()
		return Measured{(law(printedWishart(false)).Shape - 6) * b.Epsilon * b.Epsilon / (m * math.Log(8*m/b.Delta) * math.Log(2/b.Delta)), 0}
	})
	s.is(Constant, "Section 4.1, Eq. (4) and Proposition 9", 491, "shifted ρ′min over L̃²√(mk)(√d + √(2 ln(8n/α)))", "4", "continual.Wishart.Bounds", func() Measured {
		w := printedWishart(false)
		return Measured{w.Bounds(w.Shift()).RhoMin / wishartUnit(w), 0}
	})
	s.is(Constant, "Section 4.1, Proposition 9", 497, "shifted ρ′max over L̃²√(mk)(√d + √(2 ln(8n/α)))", "8", "continual.Wishart.Bounds", func() Measured {
		w := printedWishart(false)
		return Measured{w.Bounds(w.Shift()).RhoMax / wishartUnit(w), 0}
	})
	s.is(Constant, "Section 4.2", 556, "σ²ε²/(m L̃⁴ ln(4/δ)²) of Gaussian noise", "16", "continual.Gaussian.SD, AsPublished", func() Measured {
		g, b := printedGaussian(5), jdp.Budget
		ln := math.Log(4 / b.Delta)
		return Measured{law(g).Scale * law(g).Scale * b.Epsilon * b.Epsilon / (levels() * 4 * ln * ln), 0}
	})
	s.is(Constant, "Section 4.2, Υ", 569, "factor of √d in Υ/(σ√(2m))", "4", "continual.Gaussian.Bounds in 5 and 20 dimensions", func() Measured {
		return Measured{(operator(20) - operator(5)) / (math.Sqrt(20) - math.Sqrt(5)), 0}
	})
	s.is(Constant, "Section 4.2, Υ", 569, "factor of ln(2n/α) in Υ/(σ√(2m))", "2", "continual.Gaussian.Bounds", func() Measured {
		return Measured{(operator(5) - 4*math.Sqrt(5)) / math.Log(2*float64(jdp.Horizon)*jdp.Horizon), 0}
	})
	s.is(Constant, "Section 4.2, Υ", 569, "square of Υε/(m L̃² ln(4/δ)(4√d + 2 ln(2n/α)))", "32", "continual.Gaussian.Bounds", func() Measured {
		g, b := printedGaussian(5), jdp.Budget
		x := g.Bounds(g.Shift()).RhoMin * b.Epsilon / (levels() * 2 * math.Log(4/b.Delta) * operator(5))
		return Measured{x * x, 0}
	})
	s.is(Constant, "Section 4.2", 577, "shift over Υ", "2", "continual.Gaussian.Shift", func() Measured {
		g := printedGaussian(5)
		return Measured{g.Shift() / g.Bounds(g.Shift()).RhoMin, 0}
	})
	s.is(Constant, "Section 4.2, Proposition 11", 592, "ρmax over Υ", "3", "continual.Gaussian.Bounds", func() Measured {
		g := printedGaussian(5)
		b := g.Bounds(g.Shift())
		return Measured{b.RhoMax / b.RhoMin, 0}
	})
	s.is(Constant, "Section 4.2, footnote 4", 594, "variance on the diagonal over that off it", "2", "4,000 draws of continual.Gaussian", func() Measured {
		g, noise := printedGaussian(5), privacy.NewNoise(random.Source(jdp.Seed, 0, "diagonal"))
		draw, of, n := make([]float64, 21), [2]float64{}, [2]float64{} // packed: a triangle
		for range 4_000 {
			g.Drawer().Draw(noise, draw)
			for i, at := 0, 0; i < 6; i++ {
				for j := 0; j <= i; j, at = j+1, at+1 {
					k := 0
					if i == j {
						k = 1
					}
					of[k], n[k] = of[k]+draw[at]*draw[at], n[k]+1
				}
			}
		}
		q := of[1] / n[1] / (of[0] / n[0])
		return Measured{q, q * math.Sqrt(2/n[0]+2/n[1])}
	})
	s.bound(atMost, Constant, "Section 4 and Appendix A.2", 432, "ε of m nodes of (ε/√(8m ln(2/δ)), δ/2m) by advanced composition, at Experiment 2", "ε = 1", 1,
		"privacy.AdvancedEpsilon", func() Measured {
			m := int(levels())
			return Measured{privacy.AdvancedEpsilon(jdp.Budget.AdvancedNode(m).Epsilon, m, jdp.Budget.Delta/2), 0}
		})
	s.bound(atMost, Constant, "Appendix A.1", 722, "ε at δ = 0.1 of one Gaussian release of variance 2GS² ln(2/δ)/ε², ε = 1", "ε = 1", 1, "account.GaussianEpsilon", func() Measured {
		return Measured{account.GaussianEpsilon(0.1, 1/math.Sqrt(2*math.Log(20))), 0}
	})
	for _, p := range []struct{ name, policy string }{{"Gaussian", jdp.GaussianPrinted}, {"Wishart", jdp.WishartPrinted}} {
		s.bound(atMost, Constant, "Section D.2", 1546, "ε that the printed "+p.name+" noise proves at δ = 0.1", "ε = 1.0", 1, "claims of jdp-exp2-gap0.csv", func() Measured {
			return proved("jdp-exp2-gap0", p.policy)
		})
	}
	for _, gap := range jdp.Gaps {
		what, line := "Theorem 5", 352
		if gap > 0 {
			what, line = "Theorem 6", 380
		}
		s.bound(atMost, Constant, "Section 3.1, "+what, line, fmt.Sprintf("greatest regret over its bound of the printed mechanisms in Experiment 2, gap %g", gap), "1", 1,
			fmt.Sprintf("jdp-exp2-gap%g.csv, linear.UCB.RegretBound", gap), func() Measured {
				worst := 0.0
				for _, p := range []string{jdp.NonPrivate, jdp.GaussianPrinted, jdp.WishartPrinted, jdp.UnshiftedPrinted} {
					c := check.Try(table(fmt.Sprintf("jdp-exp2-gap%g", gap)).Curve(p))
					round, mean, _ := c.Last()
					bound, gapped := linUCB(p, jdp.Horizon, false).RegretBound(round, gap)
					worst = max(worst, mean/min(bound, gapped))
				}
				return Measured{worst, 0}
			})
	}
	for _, p := range []string{jdp.GaussianPrinted, jdp.WishartPrinted} {
		s.bound(atMost, Constant, "Section 3, Proposition 4", 312, "greatest |θ* − θ̃|_V over β in 2,000 rounds, "+p, "1", 1, "a run of linear.UCB", func() Measured { return Measured{distance(p), 0} })
		s.bound(atMost, Constant, "Section 4, Propositions 9 and 11", 468, "releases, of 200, outside of ρmin, ρmax and γ, "+p, "α/2n", 0, "audit.Blank", func() Measured { return Measured{float64(outside(p)), 0} })
	}
	s.bound(atMost, Constant, "Appendix B, Lemma 22", 1044, "sum of min{1, |x|²} in U⁻¹ over 2d log((tr U₁ + nL²)/(d det^(1/d) U₁)), 1,000 random unit x, d = 5, U₁ = I", "1", 1, "arithmetic",
		func() Measured { return Measured{potential() / (2 * 5 * math.Log((5+1000.)/5)), 0} })
	s.bound(atMost, Constant, "Appendix A.3, Claims 18 and 19", 767, "share of 2,000 normal 40 × 5 matrices with a singular value outside of √n ± (√d + √(2 ln(2/α))), α = 0.1", "α", 0.1, "draws",
		func() Measured { return Measured{stray(), 0} })
	s.bound(atMost, Constant, "Appendix B, proof of Lemma 22", 1050, "greatest min{1, u} over 2 log(1 + u)", "1", 1, "u from 10⁻⁶ to 10³", func() Measured {
		worst := 0.0
		for u := 1e-6; u < 1e3; u *= 1.01 {
			worst = max(worst, min(1, u)/(2*math.Log1p(u)))
		}
		return Measured{worst, 0}
	})
	for _, tail := range []struct {
		what string
		p    func(d, alpha float64) float64
	}{
		{"P(U ≥ d + 2√(d ln(1/α)) + 2 ln(1/α)) over α, greatest for d = 1 to 64 and α = 0.1 to 10⁻⁶", func(d, l float64) float64 { return chi(int(d), d+2*math.Sqrt(d*l)+2*l) }},
		{"P(U ≤ d − 2√(d ln(1/α))) over α, greatest for d = 1 to 64 and α = 0.1 to 10⁻⁶", func(d, l float64) float64 { return 1 - chi(int(d), max(0, d-2*math.Sqrt(d*l))) }},
	} {
		s.bound(atMost, Constant, "Appendix A.3, Claim 17", 760, tail.what, "1", 1, "the chi-square distribution", func() Measured {
			worst := 0.0
			for d := 1.0; d <= 64; d++ {
				for alpha := 0.1; alpha > 0.5e-6; alpha /= 10 {
					worst = max(worst, tail.p(d, -math.Log(alpha))/alpha)
				}
			}
			return Measured{worst, 0}
		})
	}
	s.is(Constant, "Appendix C, Theorem 23", 1444, "14 · 2, the factor of ln(4/δ)/ε² in Wishart noise", "28", "continual.Wishart, AsPublished", func() Measured {
		node := jdp.Budget.AdvancedNode(int(levels()))
		return Measured{(law(printedWishart(true)).Shape - 6) * node.Epsilon * node.Epsilon / math.Log(4/node.Delta), 0}
	})
}

// wishartUnit is L~^2 sqrt(mk) (sqrt d + sqrt(2 ln(8n/alpha))).
func wishartUnit(w continual.Nodes) float64 {
	return 2 * math.Sqrt(levels()*law(w).Shape) * (math.Sqrt(5) + math.Sqrt(2*math.Log(8*float64(jdp.Horizon)*jdp.Horizon)))
}

func jdpLowerBounds(s *sheet) {
	s.bound(atLeast, Constant, "Claim 13, end of its proof", 1468, "regret a round of a learner whose action is ε-private towards its own context, ε = 0.69 < ln 2", "n/4", 0.25,
		"4 trials of 5,000 rounds of learner.RandomisedAction", func() Measured {
			e := &simulate.Experiment{
				Name: "scorecard-claim13", Environment: environment.TwoContexts{Dim: 2},
				Policies: []simulate.Policy{{Name: "standard", Learner: learner.RandomisedAction{
					Epsilon: 0.69, Learner: learner.New(linear.UCB{}, nil),
				}}},
				Horizon: 5_000, Trials: 4, Seed: jdp.Seed,
			}
			_, mean, se := check.Try(e.Run(context.Background())).Curves()[0].Last()
			return Measured{mean / 5_000, se / 5_000}
		})
	s.bound(atLeast, Constant, "Section 5, Claim 14", 650, "least share of 100 runs in which the second of two arms is pulled log(n)/(100 ε Δ) times, of 3 learners at 3 ε whose regret is below n^(3/4), n = 10⁵, Δ = 0.2", "3/4, 100, 1/2", 0.5, "jdp-pulls.csv", func() Measured {
		least := Measured{Value: math.Inf(1)}
		for _, of := range jdp.PullsOf {
			for _, epsilon := range jdp.PullsEpsilons {
				if quantity("jdp-pulls", jdp.PullsRegret(of.Name, epsilon)).Value > 1 {
					continue
				}
				if m := failures("jdp-pulls", jdp.PullsAtLeast(of.Name, epsilon)); m.Value < least.Value {
					least = m
				}
			}
		}
		return least
	}).Numbers = 3
	s.notRun(1, Constant, "Section 5, proof of Claim 14", 680, "probability of few pulls if the arm is the best", "2n^(-1/4)/Δ", "runs with the postulated means, minutes")
	s.bound(atLeast, Constant, "Section 5, proof of Corollary 15", 671, "least regret over (k−1) log(n)/(200 ε) of ε-private learners on 5 arms, n = 10⁶", "1", 1, "survey-arms-c1.csv, survey-arms-c2.csv", func() Measured {
		least := math.Inf(1)
		for _, name := range []string{"survey-arms-c1", "survey-arms-c2"} {
			t := table(name)
			for _, c := range t.Curves {
				if eps := t.Epsilon(c.Policy); eps > 0 && !math.IsInf(eps, 1) {
					n, mean, _ := c.Last()
					least = min(least, mean*200*eps/(4*math.Log(float64(n))))
				}
			}
		}
		return Measured{least, 0}
	})
	s.is(Constant, "proof of Claim 14", 704, "exponent of n that 6/100 leaves of −1/4", "-0.19", "its own constants", exactly(6./100-1./4))
	jdpRates(s)
	s.notRun(4, Rate, "Section B.1", 1309, "powers of n and d in the bounds without privacy: √n, d; log n, d²", "1/2, 1, 0, 2", "runs over several n without a gap; with one, Experiment 1 is of the last")
}

// jdpRates compares the powers of Corollaries 10 and 12 with those of runs under the printed noise,
// and their logarithms with those of Theorem 5.
func jdpRates(s *sheet) {
	const shown = "evidence/03-statements, Section 3"
	base := jdp.RateBase
	for _, c := range []struct {
		of           jdp.RateOf
		place        string
		general, gap int
		logs         [2]string // printed powers of log n and log 1/delta
		powers       [2]float64
		spread       string // printed powers of d in the root of rho_max
		most         float64
		numbers      int
	}{
		{jdp.RatesOf[0], "Corollary 10", 527, 537, [2]string{"3/4", "1/4"}, [2]float64{0.75, 0.25}, "1/4, 1/4", 0.5, 2},
		{jdp.RatesOf[2], "Corollary 12", 621, 626, [2]string{"1", "1/2"}, [2]float64{1, 0.5}, "1/2 under the root", 0.25, 1},
	} {
		for _, gap := range jdp.Gaps {
			line, texts, most, what := c.general, []string{"1/2", "3/4", "1/2"}, []float64{0.5, 0.75, 0.5}, "no gap"
			if gap > 0 {
				line, texts, most, what = c.gap, []string{"0, and logarithms", "3/2", "1"}, []float64{0, 1.5, 1}, fmt.Sprintf("gap %g", gap)
				most[0] = jdp.RatePower(base, "n", func(at jdp.RateAt) float64 { return c.of.Formula(at, gap) })
			}
			for i, axis := range jdp.RateAxes {
				place, name := c.place, axis
				switch axis {
				case "d":
					place = "Section 1.2 and " + c.place
				case "ε":
					name = "1/ε"
				}
				n := s.bound(atMost, Rate, place, line, fmt.Sprintf("power of %s in the regret of runs, %v noise, %s, about n = %d, d = %d, ε = %g", name, c.of, what, base.Rounds, base.Dim, base.Epsilon),
					texts[i], most[i], "jdp-rates.csv", func() Measured {
						m := quantity("jdp-rates", jdp.RateRun(c.of, axis, gap))
						if axis == "ε" {
							m.Value = -m.Value
						}
						return m
					})
				switch wishart := c.of.Noise == "Wishart"; {
				case gap == 0 && (axis == "ε" || axis == "d" && wishart):
					n.because("these decision sets have a gap of 1/K or so though none is asked for, and with one twice the power is allowed; the bound is 40 to 300 times the regret", shown)
				case gap > 0 && axis == "n" && wishart:
					n.because("at so few rounds the bound, 2,000 times the regret, itself grows as n^0.8", shown)
				}
			}
		}
		for i, axis := range []string{"n", "δ"} {
			n := s.bound(atMost, Rate, c.place, c.general, fmt.Sprintf("power of %s in the term with ε, by Theorem 5 with the printed bounds", []string{"log n", "log(1/δ)"}[i]),
				c.logs[i], c.powers[i], "continual."+c.of.Noise, func() Measured {
					bound, formula := c.of.LogPower(axis)
					return Measured{c.powers[i] + bound - formula, 0}
				})
			if c.of.Noise == "Wishart" {
				n.because("the fourth root of mk has √m and those of ln(8m/δ) and ln(2/δ), and the potential adds √(log n): log(n) log^(1/2)(1/δ), as in Corollary 12", shown)
			}
		}
		s.bound(atMost, Rate, c.place, c.general, "power of d in √ρmax, d from 250 to 2,000, n = 2¹⁶, ε = 10, printed bounds", c.spread, c.most, "continual."+c.of.Noise, func() Measured {
			at := jdp.RateAt{Rounds: 1 << 16, Dim: 500, Epsilon: 10}
			return Measured{jdp.RatePower(at, "d", func(at jdp.RateAt) float64 { return c.of.Spread(at, jdp.Budget.Delta) }), 0}
		}).Numbers = c.numbers
	}
}

func jdpSettings(s *sheet) {
	problem := environment.DecisionSets{Dim: 5}.Problem
	s.setting("Section D", 1478, "S, the norm of θ*", "1", 1, "environment.DecisionSets", func() float64 {
		env := environment.DecisionSets{Dim: 5}
		trial := check.Try(env.Open()).Start(random.New(jdp.Seed, 0, "contexts"))
		sum := 0.0
		for _, v := range environment.Theta(trial) {
			sum += v * v
		}
		return math.Round(math.Sqrt(sum)*1e9) / 1e9
	})
	s.setting("Section D", 1479, "L, the norm of an action", "1", 1, "environment.DecisionSets", func() float64 { return problem().ContextNorm })
	s.setting("Section D", 1514, "B̃, the bound on rewards", "1", 1, "environment.DecisionSets", func() float64 { return problem().RewardMax })
	s.setting("Section D", 1515, "σ², of rewards ±1", "1", 1, "environment.DecisionSets", func() float64 {
		half := (problem().RewardMax - problem().RewardMin) / 2
		return half * half
	})
	s.is(Setting, "Section D", 1480, "mean reward of the optimal action", "0.75", "a decision set of 1,000 actions in three dimensions", func() Measured {
		optimal, _, _, _ := decisions(0.1)
		return Measured{optimal, 0}
	})
	s.bound(atLeast, Setting, "Section D", 1482, "least mean reward of the others", "-0.75", -0.75, "a decision set of 1,000 actions in three dimensions", func() Measured {
		_, low, _, _ := decisions(0.1)
		return Measured{low, 0}
	})
	s.bound(atMost, Setting, "Section D", 1482, "greatest mean reward of the others, gap 0.1", "0.65", 0.65, "a decision set of 1,000 actions in three dimensions", func() Measured {
		_, _, high, _ := decisions(0.1)
		return Measured{high, 0}
	})
	s.bound(atLeast, Setting, "Section D.2", 1555, "least mean reward of the others, gap 0", "-0.75", -0.75, "a decision set of 1,000 actions in three dimensions", func() Measured {
		_, low, _, _ := decisions(0)
		return Measured{low, 0}
	})
	s.bound(atMost, Setting, "Section D.2", 1555, "greatest mean reward of the others, gap 0", "0.75", 0.75, "a decision set of 1,000 actions in three dimensions", func() Measured {
		_, _, high, _ := decisions(0)
		return Measured{high, 0}
	})
	s.setting("Figure 1", 1513, "K", "1000", 1000, "a decision set of 1,000 actions in three dimensions", func() float64 {
		_, _, _, arms := decisions(0.1)
		return float64(arms)
	})
	s.setting("Section D.1", 1530, "n of Experiment 1", "10⁵", 1e5, "jdp-exp1-gaussian-d04.csv", func() float64 { return float64(table("jdp-exp1-gaussian-d04").Provenance.Rounds) })
	s.setting("Section D.1", 1530, "ρ of Experiment 1 and of NonPrivate", "1", 1, "linear.UCB.Bounds", func() float64 { return linUCB(jdp.NonPrivate, jdp.Horizon, false).Bounds().RhoMin })
	s.setting("Section D.1", 1531, "least d", "4", 4, "jdp.Dims", func() float64 { return float64(slices.Min(jdp.Dims(cell.Paper))) })
	s.setting("Section D.1", 1531, "greatest d", "64", 64, "jdp.Dims", func() float64 { return float64(slices.Max(jdp.Dims(cell.Paper))) })
	s.setting("Section D.2", 1546, "ε of Experiments 2 and 3", "1.0", 1, "jdp.Budget", func() float64 { return jdp.Budget.Epsilon })
	s.setting("Section D.2", 1546, "δ of Experiments 2 and 3", "0.1", 0.1, "jdp.Budget", func() float64 { return jdp.Budget.Delta })
	s.setting("Section D.2", 1547, "n of Experiments 2 and 3", "5 × 10⁷", 5e7, "jdp-exp2-gap0.csv", func() float64 { return float64(table("jdp-exp2-gap0").Provenance.Horizon) })
	s.setting("Section D.2", 1547, "d", "5", 5, "environment.DecisionSets", func() float64 { return float64(problem().Dim) })
	s.setting("Section D.2", 1547, "K = d²", "25", 25, "environment.DecisionSets", func() float64 { return float64(problem().Arms) })
	s.setting("Section D.2", 1548, "round at which the curves end", "2 × 10⁷", 2e7, "jdp-exp2-gap0.csv", func() float64 { return float64(table("jdp-exp2-gap0").Provenance.Rounds) })
	s.setting("Section D.2", 1553, "gap on the left of Figure 4", "0", 0, "jdp.Gaps", func() float64 { return jdp.Gaps[0] })
	s.setting("Section D.2", 1560, "gap on the right of Figure 4", "0.1", 0.1, "jdp.Gaps", func() float64 { return jdp.Gaps[1] })
}

func jdpResults(s *sheet) {
	for _, law := range []string{"gaussian", "signs"} {
		s.is(Result, "Section D.1, Figure 3", 1538, "exponent of d in the regret, "+rewardsOf[law], "roughly 2", "jdp-exp1-"+law+"-*.csv, 17 dimensions", func() Measured { return dimensionFit(law).P })
	}
	s.bound(atLeast, Statement, "Section D.1", 1535, "dimensions, of 17, in which rewards ±1 have less regret than Gaussian ones", "somewhat lower", 17, "jdp-exp1-*.csv", func() Measured {
		_, a := dimensions("gaussian")
		_, b := dimensions("signs")
		n := 0.0
		for i := range a {
			if b[i].Value < a[i].Value {
				n++
			}
		}
		return Measured{n, 0}
	})
	for _, gap := range jdp.Gaps {
		name := fmt.Sprintf("jdp-exp2-gap%g", gap)
		s.bound(atLeast, Statement, "Section D.2, Figure 4", 1568, fmt.Sprintf("standard errors by which Gaussian noise has less regret than Wishart noise, gap %g, as the authors ran them", gap), "outperforms", 2, name+".csv",
			func() Measured { return lead(name, jdp.GaussianAuthors, jdp.WishartAuthors) })
		s.bound(atMost, Statement, "Section D.2, Figure 4", 1563, fmt.Sprintf("regret of NonPrivate over that of Gaussian noise, gap %g, with 0.02 for too small", gap), "too small to be seen", 0.02, name+".csv",
			func() Measured { return ratio(final(name, jdp.NonPrivate), final(name, jdp.GaussianAuthors)) })
	}
	s.bound(atLeast, Statement, "Section D.2, Figure 4", 1573, "standard errors by which WishartUnshifted has more regret than Wishart, gap 0, as the authors ran them", "the worst", 2, "jdp-exp2-gap0.csv",
		func() Measured { return lead("jdp-exp2-gap0", jdp.WishartAuthors, jdp.UnshiftedAuthors) })
	s.add(Number{Kind: Statement, Place: "Section D.2, Figure 4", Line: 1574, What: "standard errors between WishartUnshifted and Wishart, gap 0.1, as the authors ran them", Printed: "indistinguishable", half: 2,
		From: "jdp-exp2-gap0.1.csv", ours: func() Measured { return lead("jdp-exp2-gap0.1", jdp.WishartAuthors, jdp.UnshiftedAuthors) }})
	for _, m := range jdp.Mechanisms {
		s.bound(atMost, Statement, "Section D.3, Figure 5", 1599, "regret at the largest shift over that at the best one, gap 0.1, with 1.5 for appreciable, "+m, "no appreciable increase", 1.5, "jdp-exp3-gap0.1.csv",
			func() Measured { return overshoot(0.1, m) })
		s.bound(atLeast, Statement, "Section D.3, Figure 5", 1598, "regret at the largest shift over that at the best one, gap 0, with 1.5 for significant, "+m, "significant", 1.5, "jdp-exp3-gap0.csv", func() Measured { return overshoot(0, m) })
	}
}

var rewardsOf = map[string]string{"gaussian": "Gaussian rewards", "signs": "rewards ±1"}

// overshoot is the regret at the largest shift over the least of all shifts.
func overshoot(gap float64, mechanism string) Measured {
	name, rhos := fmt.Sprintf("jdp-exp3-gap%g", gap), jdp.Rhos(cell.Paper)
	best := Measured{math.Inf(1), 0}
	for _, rho := range rhos {
		if m := final(name, jdp.Shifted(mechanism, rho)); m.Value < best.Value {
			best = m
		}
	}
	last := final(name, jdp.Shifted(mechanism, rhos[len(rhos)-1]))
	if last == best {
		return Measured{1, 0}
	}
	return ratio(last, best)
}

// distance plays 2,000 rounds and returns how far theta* was from a confidence set's centre at
// most, in units of the width.
func distance(policy string) float64 {
	env, l := environment.DecisionSets{Dim: 5, Gap: 0.1}, jdp.Policy(policy)
	ready := check.Try(l.Open(env.Problem(), jdp.Horizon))
	trial := check.Try(env.Open()).Start(random.New(jdp.Seed, 0, "contexts"))
	run := ready.Start(random.New(jdp.Seed, 0, "own"), random.Source(jdp.Seed, 0, "noise"))
	rewards := random.New(jdp.Seed, 0, "rewards")
	var v bandit.View
	arms, y, worst := []int{}, []float64{0}, 0.0
	for range 2_000 {
		trial.Next(&v)
		arms = check.Try(run.Select(&v, arms[:0]))
		worst = max(worst, check.Try(ruleOf(run).Distance(environment.Theta(trial))))
		trial.Pull(rewards, arms, y)
		check.OK(run.Update(&v, arms, y))
	}
	return worst
}

// outside counts the releases of 200, in 20 runs of 1,023 rounds, that break the bounds of their
// mechanism.
func outside(policy string) int {
	const horizon = 1024
	tree := check.Try(jdp.Policy(policy).Statistic.Open(privacy.Setup{Dim: 6, Horizon: horizon, Bound: math.Sqrt2, Alpha: 1. / horizon}))
	runs := audit.Blank{Of: tree, Dim: 6, Rounds: horizon - 1, Runs: 20, Seed: jdp.Seed, Stream: "spectrum"}
	found := check.Try(runs.Bounds(func(t int) bool { return t&(t+1) == 0 }))
	check.That(found.Releases == 200, "%d releases, want 200", found.Releases)
	return found.Broken
}

// potential returns the sum of min{1, |x|^2 in U^-1} over 1,000 random unit vectors, each added to
// U.
func potential() (sum float64) {
	rng := random.New(jdp.Seed, 0, "vectors")
	u := mat.NewSymDense(5, nil)
	for i := range 5 {
		u.SetSym(i, i, 1)
	}
	x, z := mat.NewVecDense(5, nil), mat.NewVecDense(5, nil)
	for range 1_000 {
		for i := range 5 {
			x.SetVec(i, rng.NormFloat64())
		}
		x.ScaleVec(1/mat.Norm(x, 2), x)
		var c mat.Cholesky
		check.That(c.Factorize(u), "U is not positive definite")
		check.OK(c.SolveVecTo(z, x))
		sum += min(1, mat.Dot(x, z))
		u.SymRankOne(u, 1, x)
	}
	return sum
}

// stray returns the share of normal matrices with a singular value outside of Claim 18's interval.
func stray() float64 {
	const n, d, runs, alpha = 40, 5, 2_000, 0.1
	rng, out := random.New(jdp.Seed, 0, "matrices"), 0.0
	room := math.Sqrt(d) + math.Sqrt(2*math.Log(2/alpha))
	entries := make([]float64, n*d)
	for range runs {
		for i := range entries {
			entries[i] = rng.NormFloat64()
		}
		var svd mat.SVD
		check.That(svd.Factorize(mat.NewDense(n, d, entries), mat.SVDNone), "no singular values")
		values := svd.Values(nil)
		if values[0] > math.Sqrt(n)+room || values[d-1] < math.Sqrt(n)-room {
			out++
		}
	}
	return out / runs
}
