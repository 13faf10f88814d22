package scorecard

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/datasets"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The sections of the evidence of notebook 02 that show what differs.
const (
	matStart = "evidence/02-privacy, Section 3"
	matFig1  = "evidence/02-figures, Section 1"
	matFig5  = "evidence/02-figures, Section 2"
)

// million says what the numbers of MovieLens 1M would take.
const million = "MovieLens 1M is not on hand; who has it runs make reproduce FIGURE=mat-fig3 (mat-fig4, mat-table3) SCALE=paper DATA=1m, minutes of two cores"

// telescoped returns the greatest left side of Lemmas 1 and 3 over its right side, of 100,000
// sequences of gaps that decrease: Delta_1/f(Delta_1) + sum Delta_k (1/f(Delta_k) -
// 1/f(Delta_(k-1))).
func telescoped(f func(gap, eps float64) float64, right func(last, k, eps float64) float64) (worst float64) {
	rng := random.New(matroid.Seed, 0, "gaps")
	for range 100_000 {
		eps, k, gap := math.Pow(10, 4*rng.Float64()-3), 1+rng.IntN(20), 1-rng.Float64()
		left, before := gap/f(gap, eps), f(gap, eps)
		for range k - 1 {
			gap *= math.Pow(rng.Float64(), 0.5)
			gap = max(gap, 1e-9)
			left += gap * (1/f(gap, eps) - 1/before)
			before = f(gap, eps)
		}
		worst = max(worst, left/right(gap, float64(k), eps))
	}
	return worst
}

// elements are the base arms of Table 2.
var elements = []string{"(1,0,0)", "(0,1,0)", "(0,0,1)", "(1,0,1)", "(0,1,1)", "(2,0,0)", "(0,0,0)"}

func matNumbers() []Number {
	s := &sheet{name: "MAT"}
	for _, a := range []struct {
		line         int
		name, policy string
	}{{418, "Theorem 1, DPUCB-MAT", "DPUCB-MAT"}, {565, "Theorem 3, DPTS-MAT", "DPTS-MAT"}} {
		s.bound(atMost, Constant, "Section 4, "+a.name, a.line, "ε proved of all users, initialised as published, asked for ε = 2", "ε = 2", 2, "claims of mat-returns.csv",
			func() Measured { return proved("mat-returns", a.policy+", ε = 2") }).
			because("round 0 shows all seven arms of one user, at the noise of three: Lε/K; with the forced start, it is 2", matStart)
	}
	matTable1(s)
	s.notRun(2, Constant, "Eq. (3)", 346, "3 ln(Kt) in the widths", "3, 3", "it is in slots.OMM; no run varies it")
	s.notRun(1, Rate, "Section 6", 1154, "power of K in the lower bound that the paper conjectures", "1", "a proof")
	s.bound(atMost, Constant, "Appendix B, Lemma 1", 1697, "its left side over 2/Δ_K + K/ε₀, greatest of 100,000 random sequences with K up to 20 and ε₀ from 10⁻³ to 10", "1", 1, "arithmetic",
		func() Measured {
			return Measured{telescoped(func(gap, eps float64) float64 { return gap * min(gap, eps) }, func(last, k, eps float64) float64 { return 2/last + k/eps }), 0}
		})
	s.bound(atMost, Constant, "Appendix B, Lemma 3", 1750, "its left side over 2/Δ_K, greatest of 100,000 random sequences with K up to 20", "1", 1, "arithmetic",
		func() Measured {
			return Measured{telescoped(func(gap, _ float64) float64 { return gap * gap }, func(last, _, _ float64) float64 { return 2 / last }), 0}
		})
	s.bound(atMost, Constant, "Appendix, Fact 5", 4373, "P(X − E X > t) over exp(−t²/2σ²), greatest for t up to 10σ", "1", 1, "the error function", func() Measured {
		worst := 0.0
		for t := 0.0; t <= 10; t += 0.1 {
			worst = max(worst, math.Erfc(t/math.Sqrt2)/2/math.Exp(-t*t/2))
		}
		return Measured{worst, 0}
	})
	matSettings(s)
	matFigures(s)
	matMovies(s)
	return s.list
}

func matSettings(s *sheet) {
	env := matroid.Table2()
	for i, printed := range []string{"0.80", "0.75", "0.60", "0.20", "0.30", "0.40", "0.70"} {
		s.is(Setting, "Table 2", 1060+i, "mean reward of "+elements[i], printed, "matroid.Table2", func() Measured { return Measured{env.Means[i], 0} })
	}
	s.setting("Section 5.1", 1084, "rank, |A*|", "3", 3, "matroid.Matroid", func() float64 { return float64(matroid.Matroid.Rank()) })
	for i, name := range elements[:3] {
		s.setting("Section 5.1", 1084, fmt.Sprintf("element %d of A* is %s: its place in Table 2", i+1, name), fmt.Sprintf("e%d", i+1), float64(i+1), "environment.SemiBandit.Best", func() float64 {
			return float64(matroid.Table2().Best()[i] + 1)
		})
	}
	s.is(Setting, "Section 5.1", 1085, "ε₀ = ε/3", "0.667", "matroid.Epsilon and rank", func() Measured { return Measured{matroid.Epsilon / float64(matroid.Matroid.Rank()), 0} }).Printed = "2/3"
	s.setting("Section 5.1", 1082, "ε of Figures 1, 3 and 4", "2", 2, "matroid.Epsilon", func() float64 { return matroid.Epsilon })
	s.setting("Section 5.1", 1086, "n", "10,000", 10_000, "mat-returns.csv", func() float64 { return float64(table("mat-returns").Provenance.Rounds) })
	for _, e := range []struct {
		curve, printed string
		epsilon        float64
	}{{"first", "10⁵", 1e5}, {"second", "2", 2}, {"third", "10⁻⁴", 1e-4}} {
		s.setting("Section 5, Figure 2", 1049, "ε of the "+e.curve+" curve of Figure 2", e.printed, e.epsilon, "claims of mat-returns.csv", func() float64 {
			return proved("mat-returns", fmt.Sprintf("DPUCB-MAT, forced, ε = %g", e.epsilon)).Value
		})
	}
	s.setting("Section 5.2", 1129, "n on movies", "20,000", 20_000, "mat-movies.csv", func() float64 { return float64(table("mat-movies").Provenance.Rounds) })
	s.setting("Section 5.2", 1131, "genres", "18", 18, "datasets.NumGenres", func() float64 { return datasets.NumGenres })
	s.notRun(5, Setting, "Section 5.2", 1131, "ratings, users and movies of the data, rank of the hundred movies, ε₀", "1 million, 6040, 3883, 17, 2/17", million)
	s.setting("Appendix A, Figure 5a", 1176, "n", "10⁶", 1e6, "mat-rate.csv", func() float64 { return float64(table("mat-rate").Provenance.Rounds) })
	s.setting("Appendix A, Figure 5b", 1186, "values of ε, besides two of ours", "50", 50, "mat-sweep.csv", func() float64 { return float64(len(sweep("DPUCB-MAT").epsilon) - 2) })
	s.setting("Appendix A, Figure 5b", 1186, "least ε", "0.5", 0.5, "mat-sweep.csv", func() float64 { return sweep("DPUCB-MAT").epsilon[0] })
	s.setting("Appendix A, Figure 5b", 1186, "greatest ε", "50", 50, "mat-sweep.csv", func() float64 {
		most := 0.0
		for _, e := range sweep("DPUCB-MAT").epsilon {
			most = max(most, e)
		}
		return most
	})
}

// swept are the regrets of a policy by epsilon.
type swept struct {
	epsilon []float64
	regret  []Measured
}

func sweep(policy string) (out swept) {
	for _, c := range table("mat-sweep").Curves {
		tail, ok := strings.CutPrefix(c.Policy, policy+", ε = ")
		if !ok {
			continue
		}
		epsilon := 0.0
		check.Try(fmt.Sscan(tail, &epsilon))
		_, mean, se := c.Last()
		out.epsilon, out.regret = append(out.epsilon, epsilon), append(out.regret, Measured{mean, se})
	}
	return out
}

// perRound turns a regret after 10,000 rounds into the mean return of a round.
func perRound(m Measured) Measured {
	return Measured{matroid.Table2().Optimum() - m.Value/matroid.Horizon, m.SE / matroid.Horizon}
}

func matFigures(s *sheet) {
	const omm, cts = "OMM, not private", "CTS, not private"
	s.bound(atLeast, Statement, "Section 5.1, Figure 1", 1088, "DPUCB-MAT's return a round over the optimum, ε = 2, with 0.9 for approaching it", "approaches the optimum", 0.9, "mat-returns.csv", func() Measured {
		return ratio(perRound(final("mat-returns", "DPUCB-MAT, ε = 2")), Measured{matroid.Table2().Optimum(), 0})
	})
	s.bound(atLeast, Statement, "Appendix A, Figure 4a", 1173, "DPTS-MAT's return a round over that of CTS, ε = 2, with 0.9 for comparable", "comparable", 0.9, "mat-returns.csv", func() Measured {
		return ratio(perRound(final("mat-returns", "DPTS-MAT, ε = 2")), perRound(final("mat-returns", cts)))
	})
	for _, p := range []string{"DPUCB-MAT", "DPTS-MAT"} {
		s.bound(atLeast, Statement, "Section 5.1, Figure 2", 1098, "least standard errors by which "+p+" has less regret at the larger of two ε of 10⁻⁴, 2, 10⁵", "deteriorates as ε decreases", 2, "mat-returns.csv", func() Measured {
			a := lead("mat-returns", p+", ε = 2", p+", ε = 0.0001").Value
			return Measured{min(a, lead("mat-returns", p+", ε = 100000", p+", ε = 2").Value), 0}
		})
	}
	s.bound(atMost, Statement, "Section 5.1, Figure 2a", 1101, "regret of DPUCB-MAT at ε = 10⁵ over that of OMM, with 1.1 for approaching it", "approaches OMM", 1.1, "mat-returns.csv", func() Measured {
		return ratio(final("mat-returns", "DPUCB-MAT, ε = 100000"), final("mat-returns", omm))
	}).because("it still forgets and waits for blocks, at any ε; the figure shows returns a round, in which the two are near each other", matFig1)
	s.bound(atLeast, Statement, "Appendix A, Figure 5a", 1183, "standard errors by which DPTS-MAT has less regret than DPUCB-MAT at n = 10⁶", "outperforms", 2, "mat-rate.csv", func() Measured {
		return lead("mat-rate", "DPTS-MAT, ε = 2", "DPUCB-MAT, ε = 2")
	})
	s.bound(atLeast, Statement, "Appendix A, Figure 5b", 1188, "least standard errors by which DPTS-MAT has less regret than DPUCB-MAT, of 52 values of ε", "outperforms", 2, "mat-sweep.csv", func() Measured {
		least := math.Inf(1)
		a, b := sweep("DPTS-MAT"), sweep("DPUCB-MAT")
		for i := range a.epsilon {
			least = min(least, (b.regret[i].Value-a.regret[i].Value)/math.Hypot(a.regret[i].SE, b.regret[i].SE))
		}
		return Measured{least, 0}
	})
	for _, p := range []string{"DPUCB-MAT", "DPTS-MAT"} {
		s.bound(atMost, Statement, "Appendix A, Figure 5a", 1183, "regret over ln n of "+p+" from n = 30,000 to 10⁶: greatest over least, with 1.05 for converged", "converges", 1.05, "mat-rate.csv", func() Measured {
			c := check.Try(table("mat-rate").Curve(p + ", ε = 2"))
			low, high := math.Inf(1), 0.0
			for k, n := range c.Rounds {
				if n >= 30_000 {
					v := c.Mean[k] / math.Log(float64(n))
					low, high = min(low, v), max(high, v)
				}
			}
			return Measured{high / low, 0}
		}).because("blocks double, and with them regret grows in waves that have not settled at 10⁶", matFig5)
		s.bound(atMost, Statement, "Appendix A, Figure 5b", 1188, "share of "+p+"'s regret at ε = 2 that the least-squares line in 1/ε misses, with 0.05 for a line", "linear in 1/ε", 0.05, "mat-sweep.csv", func() Measured {
			w := sweep(p)
			var x, y []float64
			two := 0.0
			for i, e := range w.epsilon {
				x, y = append(x, 1/e), append(y, w.regret[i].Value)
				if e == 2 {
					two = w.regret[i].Value
				}
			}
			a, b := stat.LinearRegression(x, y, nil, false)
			return Measured{math.Abs(1 - (a+b/2)/two), 0}
		}).because("regret is a staircase in 1/ε, as blocks double: affine on the whole, and no line fits all of it", matFig5)
	}
}

func matMovies(s *sheet) {
	for i, line := range []int{1111, 1113, 1114, 1115, 1117, 1118, 1120, 1121} {
		m := matroid.Table3[i]
		s.notRun(1, Result, "Table 3", line, "w̄ of "+m.Title, fmt.Sprintf("%.3f", m.Weight), million)
	}
	s.notRun(1, Result, "Table 3", 1107, "movies of the best basis, of 17, that DPUCB-MAT recommends after 20,000 rounds", "8", million+"; evidence/02-figures, Section 4, has the count on MovieLens 100K")
	s.notRun(2, Statement, "Section 5.2, Figures 3 and 4b", 1142, "DPUCB-MAT and DPTS-MAT beside OMM and CTS on movies", "comparable", million+"; mat-movies.csv is of MovieLens 100K")
}

// matTable1 fits the powers of Table 1, an upper bound, on regret after 100,000 rounds in which
// any K of L arms may be played, with all gaps alike. Where privacy adds regret, it is that
// beyond OMM's or CTS's own.
func matTable1(s *sheet) {
	const from = "mat-table1-*.csv"
	base := matroid.Table1[0]
	type point struct {
		x float64
		u matroid.Uniform
		e float64
	}
	row := func(what, printed string, most float64, points []point, y func(p point) Measured) *Number {
		return s.bound(atMost, Rate, "Theorems 2 and 4, Table 1", 439, what, printed, most, from, func() Measured {
			x, of := make([]float64, len(points)), make([]Measured, len(points))
			for i, p := range points {
				x[i], of[i] = p.x, y(p)
			}
			return slope(x, of)
		})
	}
	var arms, ranks, gaps, budgets []point
	for _, u := range matroid.Table1 {
		if u.K == base.K && u.Gap == base.Gap {
			arms = append(arms, point{float64(u.L - u.K), u, matroid.Epsilon})
		}
		if u.L-u.K == base.L-base.K && u.Gap == base.Gap {
			ranks = append(ranks, point{float64(u.K), u, matroid.Epsilon})
		}
		if u.L == base.L && u.K == base.K {
			gaps = append(gaps, point{1 / u.Gap, u, matroid.Epsilon})
		}
	}
	for _, e := range matroid.Table1Epsilons {
		budgets = append(budgets, point{1 / e, base, e})
	}
	for _, p := range []struct{ public, private, gap string }{{matroid.TableOMM, matroid.TableDPUCB, "1"}, {matroid.TableCTS, matroid.TableDPTS, "4"}} {
		public := func(q point) Measured { return final(q.u.Name(), p.public) }
		added := func(q point) Measured {
			return less(final(q.u.Name(), matroid.At(p.private, q.e)), public(q))
		}
		name, _, _ := strings.Cut(p.public, ",")
		most, _ := parse(p.gap)
		row("power of L − K, of 2 to 16, in the regret of "+name, "1", 1, arms, public)
		row("power of 1/Δ, of 2.5 to 10, in the regret of "+name, p.gap, most, gaps, public)
		row("power of K, of 2 to 8, in what privacy adds to "+name+", K below ln n", "2", 2, ranks, added)
		row("power of 1/ε, of 1/4 to 2, in what privacy adds to "+name, "1", 1, budgets, added)
	}
}
