package scorecard

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/ldp"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The sections of the evidence of notebook 01 that show what differs.
const (
	ldpNoise = "evidence/01-messages, Section 2"
	ldpWidth = "evidence/01-bounds, Section 5"
	ldpFig1  = "evidence/01-figure-1, Section 1"
	ldpEigen = "evidence/01-bounds, Section 7"
)

// sigma is the noise of OnlineUCB as printed.
func sigma(b privacy.Budget) float64 {
	s := local.OnlineServer{Noise: local.OnlineNoise{Budget: b, Calibration: privacy.AsPublished}}
	return check.Try(check.Try(s.Open(environment.UnitFeatures{}.Problem(), ldp.Horizon)).(local.Rewarder).RewardNoise())
}

// eigenvalues returns a cell of ldp-Table1.csv, in percent: the mean over experiments, fixed arms.
func eigenvalues(k, rounds int) Measured {
	lines := check.Try(csv.NewReader(bytes.NewReader(check.Try(results.File("ldp-Table1.csv")))).ReadAll())
	for _, l := range lines[1:] {
		if l[0] == strconv.Itoa(k) && strings.ReplaceAll(l[1], ",", "") == strconv.Itoa(rounds) {
			return Measured{check.Try(strconv.ParseFloat(strings.TrimSuffix(l[3], "%"), 64)), 0}
		}
	}
	check.That(false, "ldp-Table1.csv has no k = %d, T = %d", k, rounds)
	return Measured{}
}

func ldpNumbers() []Number {
	s := &sheet{name: "LDP"}
	ldpPrivacy(s)
	ldpRates(s)
	ldpSettings(s)
	ldpTable1(s)
	ldpFigure1(s)
	return s.list
}

func ldpPrivacy(s *sheet) {
	one := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	s.is(Constant, "Algorithm 1, line 2", 122, "factor of √(2 ln(1.25/δ))/ε in σ", "2", "local.OnlineServer.RewardNoise, AsPublished", func() Measured {
		return Measured{sigma(one) / math.Sqrt(2*math.Log(1.25/one.Delta)), 0}
	})
	s.is(Constant, "Algorithm 1, line 2", 122, "δ exp(σ²ε²/8), the constant in the logarithm", "1.25", "local.OnlineServer.RewardNoise, AsPublished", func() Measured {
		x := sigma(one)
		return Measured{one.Delta * math.Exp(x*x/8), 0}
	})
	s.bound(atMost, Constant, "Theorem 3.2", 310, "greatest |x − x′|", "2", 2, "environment.UnitFeatures", func() Measured { return Measured{2 * environment.UnitFeatures{}.Problem().ContextNorm, 0} })
	s.bound(atMost, Constant, "Theorem 3.2", 314, "ε that σ proves at (1, 10⁻⁵) of pairs with |x| ≤ 1 and |y| ≤ 1", "ε = 1", 1, "account.GaussianEpsilon", func() Measured {
		return Measured{account.GaussianEpsilon(one.Delta, math.Hypot(2, 2)/sigma(one)), 0}
	}).because("the proof treats x and y apart; together they move by 2√2, not 2", ldpNoise)
	for _, epsilon := range ldp.Epsilons {
		n := s.bound(atMost, Constant, "Theorem 3.2, in Figure 1", 314, fmt.Sprintf("ε that σ proves at (%g, 0.1) of Figure 1's arms and rewards", epsilon), fmt.Sprintf("ε = %g", epsilon), epsilon,
			fmt.Sprintf("claims of ldp-fig1-eps%g.csv", epsilon), func() Measured { return proved(fmt.Sprintf("ldp-fig1-eps%g", epsilon), "OnlineUCB as printed, OGD") })
		if epsilon == 10 {
			n.because("the classic Gaussian mechanism is proved for ε < 1 only", ldpNoise)
		}
	}
	// the good event
	const d, rounds, alpha = 5, ldp.Horizon, 0.05
	tail := 2 * math.Log(2*rounds/alpha)
	s.bound(atMost, Constant, "Appendix B, event E₁", 1052, "T P(|η_x| > σ√(2 ln(2T/α))) over α, d = 5, T = 20,000, α = 0.05", "1", 1, "the chi-square distribution", func() Measured {
		return Measured{rounds * chi(d, tail) / alpha, 0}
	}).because("the bound is that of a single coordinate, and the noise has five", ldpWidth)
	s.bound(atMost, Constant, "Appendix B, event E₂", 1055, "T P(|η_y| > σ√(2 ln(2T/α))) over α, in one dimension, T = 20,000, α = 0.05", "1", 1, "the chi-square distribution", func() Measured {
		return Measured{rounds * chi(1, tail) / alpha, 0}
	})
	const counted = "ldp-events.csv, 1000 runs of Algorithm 1 with Maler, T = 2000, ε = 1, α = 0.05"
	s.bound(atMost, Constant, "Appendix B, event E₃", 1058, "share of runs in which E₃ fails", "α = 0.05", ldp.EventAlpha, counted, func() Measured { return failures("ldp-events", "E3") }).
		because("the bound is that of a single coordinate, and ζ has five, as in E₁; with Theorem H.10 as printed, √d σ√(2 ln(2T/α)), it would hold", ldpWidth)
	all := s.bound(atMost, Constant, "Appendix B, Lemma B.1", 1179, "share of runs in which a part of event E fails", "11α = 0.55", 11*ldp.EventAlpha, counted, func() Measured { return failures("ldp-events", ldp.EventE) })
	all.why, all.Shown = func() string {
		return fmt.Sprintf("E₁ fails in %.2f of the runs and E₃ in %.2f; each of the others stays below its α", failures("ldp-events", "E1").Value, failures("ldp-events", "E3").Value)
	}, ldpWidth
	s.bound(atMost, Constant, "Appendix B, events E₄ to E₁₀", 1064, "greatest share of runs in which one of them fails, with the greatest |θ_t − θ*| and |θ_t| where print has a t outside of its sum, C = ν = 1", "2, 2, 2, 20, 16, 16, 2e², 23, 4, 224, 2, 2", ldp.EventAlpha, counted, func() (most Measured) {
		for _, part := range []string{"E4", "E5", "E6", "E7, greatest", "E8, greatest", "E9", "E10"} {
			if m := failures("ldp-events", part); m.Value > most.Value {
				most = m
			}
		}
		return most
	}).Numbers = 12
	s.bound(atLeast, Constant, "Remark 3.1", 301, "E min over k arms of ⟨v, x⟩², x standard normal, over π/(6k²): the least for k = 1 to 100", "1", 1, "integration of P(|Z| > s)^k 2s", func() Measured {
		least := math.Inf(1)
		for k := 1.0; k <= 100; k++ {
			const step = 5e-4
			sum := 0.0
			for at := step / 2; at < 8; at += step {
				sum += math.Pow(math.Erfc(at/math.Sqrt2), k) * 2 * at * step
			}
			least = min(least, sum*6*k*k/math.Pi)
		}
		return Measured{math.Round(least*1e4) / 1e4, 0}
	})
	s.bound(atMost, Constant, "Appendix H, Lemma H.15", 2730, "P(|ζ| ≤ t) over √2 t/(σ√π), greatest for t up to 3σ", "1", 1, "the error function", func() Measured {
		worst := 0.0
		for at := 0.001; at <= 3; at += 0.001 {
			worst = max(worst, math.Erf(at/math.Sqrt2)/(math.Sqrt2*at/math.Sqrt(math.Pi)))
		}
		return Measured{worst, 0}
	})
	s.bound(atMost, Constant, "Appendix H, Theorem H.10", 2672, "P(|X − μ| > t) over 2 exp(−t²/2dσ²), d = 5, greatest for t up to 10σ (events E₁ and E₃ use it without d)", "1", 1, "the chi-square distribution", func() Measured {
		worst := 0.0
		for t := 0.1; t <= 10; t += 0.1 {
			worst = max(worst, chi(d, t*t)/(2*math.Exp(-t*t/(2*d))))
		}
		return Measured{worst, 0}
	})
	s.notRun(3, Constant, "Appendix A, Theorem A.2", 1024, "2, 32 and √8 in the width of Online LinUCB", "2, 32, √8", "Algorithm 4 with its own width")
	s.bound(atMost, Constant, "Appendix C, Corollary C.1", 1366, "greatest gradient of a run over G, mean of the worst tenth of runs", "2, 2, 2, 2, 2, 2, 4, 2, 2, 2, 2", 1, counted, func() Measured {
		c := check.Try(table("ldp-events").Curve(ldp.EventGradient))
		return Measured{c.Worst[0], c.SE[0]}
	}).Numbers = 11
	s.bound(atMost, Constant, "Appendix C, Theorem C.2 (Lemma 3.5)", 1394, "Maler's regret, and its squared distances from θ*, over their bounds with μ = 2Δ²: the greater", "40, 18, 2, √3, 1/2, 3, 32, 80, 36, 64", 1, counted, func() Measured {
		a, b := quantity("ldp-events", ldp.EventRegret), quantity("ldp-events", ldp.EventDistance)
		if a.Value > b.Value {
			return a
		}
		return b
	}).Numbers = 10
	s.is(Constant, "Section 4 and Lemma F.3", 2379, "base learners at T = 20,000, M", "3", "local.CombinerGuesses", func() Measured { return Measured{float64(len(local.CombinerGuesses(ldp.Horizon))), 0} })
	s.is(Constant, "Section 4", 717, "T^(1/8) times the first guess of λmin", "1", "local.CombinerGuesses", func() Measured {
		return Measured{local.CombinerGuesses(ldp.Horizon)[0] * math.Pow(ldp.Horizon, 0.125), 0}
	})
	s.is(Constant, "Section 4", 717, "a guess over the one before", "2", "local.CombinerGuesses", func() Measured {
		g := local.CombinerGuesses(ldp.Horizon)
		return Measured{g[1] / g[0], 0}
	})
	s.notRun(3, Constant, "Theorem 4.1", 766, "α₁, α_i and 288 in the targets of the combiner", "3/4, 1/2, 288", "local.CombinerServer has them; Theorem 4.1's bound beside runs")
	walks := s.bound(atMost, Constant, "Appendix F, Lemma F.1", 2338, "share of 500 normal walks of 10,000 steps that leave 3 ∨ 1.7√(V(ln ln(2V) + 0.72 ln(10.4/α))), α = 0.1", "1.7, 0.72, 5.2, 10.4", 0.1, "draws", func() Measured {
		rng, out := random.New(ldp.Seed, 0, "walks"), 0.0
		const runs, alpha = 500, 0.1
		for range runs {
			sum := 0.0
			for v := 1.0; v <= 10_000; v++ {
				sum += rng.NormFloat64()
				if math.Abs(sum) > max(3, 1.7*math.Sqrt(v*(math.Log(math.Log(2*v))+0.72*math.Log(10.4/alpha)))) {
					out++
					break
				}
			}
		}
		p := out / runs
		return Measured{p, math.Sqrt(p * (1 - p) / runs)}
	})
	walks.Numbers = 4
}

func ldpRates(s *sheet) {
	s.is(Rate, "Corollary 3.6", 541, "power of T in the threshold of Algorithm 1", "0.25", "local.PublishedDelta", func() Measured {
		return Measured{-math.Log(local.PublishedDelta(0, ldp.Horizon, 0.25)) / math.Log(ldp.Horizon), 0}
	})
	const short = "; ε = 10, widths tuned"
	for _, r := range []struct {
		place      string
		line       int
		of, policy string
		fixed      bool
		t, d       string
		most       [2]float64
	}{
		{"abstract and Corollary 3.6", 558, "in the worst case, on fixed arms", ldp.RateWorst, true, "3/4", "1/2", [2]float64{0.75, 0.5}},
		{"Corollary 3.6", 560, "if λmin is constant, on fresh arms", ldp.RateOnline, false, "1/2", "1/2", [2]float64{0.5, 0.5}},
		{"Section 3.2", 593, "of Zheng et al., on fresh arms", ldp.RateLocal, false, "3/4", "3/4", [2]float64{0.75, 0.75}},
		{"Section 3.2", 614, "of Chowdhury and Zhou (shuffle), on fresh arms", ldp.RateShuffle, false, "3/5", "1", [2]float64{0.6, 1}},
	} {
		s.bound(atMost, Rate, r.place, r.line, "power of T "+r.of+", T from 1,000 to 30,000, d = 5"+short, r.t, r.most[0], "ldp-rates-*.csv", byRounds(r.policy, r.fixed))
		n := s.bound(atMost, Rate, r.place, r.line, "power of d "+r.of+", d from 3 to 9, T = 10,000"+short, r.d, r.most[1], "ldp-rates-*.csv", byDim(r.policy, r.fixed))
		if r.policy == ldp.RateWorst || r.policy == ldp.RateOnline {
			n.because("the proof of √d bounds noise in d dimensions as in one (E₁), and so takes gradients not to grow with d; ours is of three d at one T, with OGD, on arms that change with d", ldpWidth)
		}
	}
	s.bound(atMost, Rate, "Theorem 4.1", 778, "power of T of the combiner on fixed arms, factors 0.02 and 0.01 of its constants, T from 1,000 to 30,000, d = 5"+short, "5/6", 5./6, "ldp-rates-*.csv", byRounds(ldp.RateCombiner, true))
	s.bound(atMost, Rate, "Appendix E, Theorem E.1", 2184, "power of T of the anytime variant on fixed arms, Δ² = 2^(−m/4), T from 1,000 to 30,000, d = 5"+short, "3/4", 0.75, "ldp-rates-*.csv", byRounds(ldp.RateAnytime, true))
	for _, r := range []struct {
		numbers       int
		place         string
		line          int
		what, printed string
	}{
		{1, "Section 1", 85, "power of T of Garcelon et al. (shuffle)", "2/3"},
		{2, "Section 1", 89, "ε up to which the shuffle guarantees work: powers of 1/T", "3/10, 1/4"},
		{1, "Remark 3.7", 585, "λmin from which local beats shuffle: power of 1/T", "1/10"},
		{3, "Theorem 4.1", 772, "powers of T, d and 1/λmin of the combiner if λmin ≥ T^(−1/8)", "1/2, 1/2, 2"},
		{1, "Theorem 4.1", 778, "power of T that is divided by ε else", "17/24"},
		{1, "Appendix E, Theorem E.1", 2184, "power of t that is divided by ε", "5/8"},
	} {
		s.notRun(r.numbers, Rate, r.place, r.line, r.what, r.printed, "an environment with a least eigenvalue that is set, or several ε, an hour; ldp-rates-*.csv have the others")
	}
}

// byRounds fits the power of T in a policy's regret.
func byRounds(policy string, fixed bool) func() Measured {
	return func() Measured {
		var x []float64
		var y []Measured
		for _, t := range ldp.RateRounds {
			x, y = append(x, float64(t)), append(y, final(ldp.RateName(fixed, ldp.RateDim, t), policy))
		}
		return slope(x, y)
	}
}

// byDim fits the power of d.
func byDim(policy string, fixed bool) func() Measured {
	return func() Measured {
		var x []float64
		var y []Measured
		for _, d := range ldp.RateDims {
			x, y = append(x, float64(d)), append(y, final(ldp.RateName(fixed, d, ldp.RateMiddle), policy))
		}
		return slope(x, y)
	}
}

func ldpSettings(s *sheet) {
	env := environment.UnitFeatures{}
	s.setting("Section 5", 817, "arms", "100", 100, "environment.UnitFeatures", func() float64 { return float64(env.Problem().Arms) })
	s.setting("Section 5", 818, "d", "5", 5, "environment.UnitFeatures", func() float64 { return float64(env.Problem().Dim) })
	s.setting("Section 5", 818, "T", "20000", 20000, "ldp-fig1-eps1.csv", func() float64 { return float64(table("ldp-fig1-eps1").Provenance.Rounds) })
	s.setting("Section 5", 818, "trials", "50", 50, "ldp-fig1-eps1.csv", func() float64 { return float64(table("ldp-fig1-eps1").Curves[0].Trials) })
	s.setting("Section 5", 821, "last entry of an arm", "1/√2", 1/math.Sqrt2, "environment.UnitFeatures", env.Constant)
	for i, printed := range []string{"0.2", "1", "10"} {
		s.setting("Figure 1", 824, "ε of panel "+string(rune('a'+i)), printed, check.Try(strconv.ParseFloat(printed, 64)), "ldp.Epsilons", func() float64 { return ldp.Epsilons[i] })
	}
	s.setting("Appendix G", 2551, "d of Table 1", "5", 5, "environment.UnitFeatures", func() float64 { return float64(env.Problem().Dim) })
}

func ldpTable1(s *sheet) {
	printed := [3][3]string{{"99.5%", "100%", "100%"}, {"97%", "97.7%", "99.9%"}, {"88%", "89.1%", "99.8%"}}
	for i, k := range []int{5, 25, 100} {
		for j, rounds := range []int{200, 2_000, 20_000} {
			n := s.is(Result, "Appendix G, Table 1", 2557+i, fmt.Sprintf("rounds whose least eigenvalue is O(1), k = %d, T = %d", k, rounds), printed[i][j], "ldp-Table1.csv, 50 experiments, threshold 0.05",
				func() Measured { return eigenvalues(k, rounds) })
			if printed[i][j] != "100%" {
				n.because("the paper gives neither the number of experiments nor the threshold; and a mean over experiments, each with its own arms, says nothing of the one run that the theorem needs", ldpEigen)
			}
		}
	}
}

// ldpFigure1 adds what the text says of Figure 1, which has no numbers. It does not say what noise
// and which bound on |theta| the rivals have, so ours is the lesser of two leads: over a rival as
// its own paper prints it, and as a public script of the same experiment has it.
func ldpFigure1(s *sheet) {
	const online = "OnlineUCB, OGD"
	for _, said := range []struct {
		epsilon            float64
		line               int
		rival, says, short string
	}{
		{0.2, 835, "shuffle LinUCB", "comparable", "SDP"}, {0.2, 834, "LDP LinUCB", "outperforms", "LDP"},
		{1, 825, "JDP LinUCB", "outperforms", "JDP"}, {1, 825, "shuffle LinUCB", "outperforms", "SDP"}, {1, 825, "LDP LinUCB", "outperforms", "LDP"},
		{10, 825, "JDP LinUCB", "outperforms", "JDP"}, {10, 825, "shuffle LinUCB", "outperforms", "SDP"}, {10, 825, "LDP LinUCB", "outperforms", "LDP"},
	} {
		name := fmt.Sprintf("ldp-fig1-eps%g", said.epsilon)
		printed := func() float64 { return lead(name, online, said.short+" as printed").Value }
		script := func() float64 {
			a, b := final(name, online), final(name+"-script", said.short+", script, S = √d")
			return (b.Value - a.Value) / math.Hypot(a.SE, b.SE)
		}
		n := Number{
			Kind: Statement, Place: "Section 5, Figure 1", Line: said.line, Printed: said.says, value: 2, side: atLeast,
			What: fmt.Sprintf("standard errors by which OnlineUCB has less regret than %s, ε = %g, by the less favourable of two readings", said.rival, said.epsilon),
			From: name + ".csv, " + name + "-script.csv", ours: func() Measured {
				return Measured{min(printed(), script()), 0}
			}}
		if said.epsilon < 10 {
			n.why, n.Shown = func() string {
				return fmt.Sprintf("ahead of the rival as its paper prints it by %.1f errors, of the script's, whose noise is not private at that ε, by %.1f", printed(), script())
			}, ldpFig1
		}
		if said.says == "comparable" {
			n.value, n.half, n.side = 0, 2, equal
		}
		s.add(n)
	}
	for _, epsilon := range ldp.Epsilons {
		name := fmt.Sprintf("ldp-fig1-eps%g", epsilon)
		s.add(Number{Kind: Statement, Place: "Section 5", Line: 836, From: name + ".csv", Printed: "the same performance", half: 2,
			What: fmt.Sprintf("standard errors between OnlineUCB with OGD and with Maler, ε = %g", epsilon), ours: func() Measured { return lead(name, online, "OnlineUCB, Maler") }})
	}
}
