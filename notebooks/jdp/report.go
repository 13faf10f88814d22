package jdp

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{
	{Name: "jdp-fig1", What: "an example decision set in three dimensions, K = 1000", Report: report1},
	{Name: "jdp-fig2", What: "Experiment 1: regret over time for varying dimensions, two laws of the reward", Experiments: experiments1, Report: report2},
	{Name: "jdp-fig3", What: "Experiment 1: regret against dimension on log-log axes, slopes", Experiments: experiments1, Report: report3},
	{Name: "jdp-fig4", What: "Experiment 2: regret over time of all mechanisms, with and without a gap", Experiments: experiments2, Report: report4},
	{Name: "jdp-fig5", What: "Experiment 3: regret against the shift, three gaps, both mechanisms", Experiments: experiments3, Report: report5},
	{Name: "jdp-streaming", What: "beyond the paper: other ways to release the sums, at the same privacy as the sound tree", Experiments: experimentsStreaming, Report: reportStreaming},
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

// rewardLaws are Experiment 1's.
var rewardLaws = []environment.Reward{environment.Gaussian, environment.Signs}

func experiments1(s lab.Scale) (list []*simulate.Experiment) {
	for _, law := range rewardLaws {
		for _, d := range Dims(s) {
			list = append(list, Experiment1(s, d, law))
		}
	}
	return list
}

func experiments2(s lab.Scale) (list []*simulate.Experiment) {
	for _, gap := range Gaps {
		list = append(list, Experiment2(s, gap)...)
	}
	return list
}

func experiments3(s lab.Scale) (list []*simulate.Experiment) {
	for _, gap := range Gaps3 {
		list = append(list, Experiment3(s, gap))
	}
	return list
}

func experimentsStreaming(s lab.Scale) (list []*simulate.Experiment) {
	for _, gap := range Gaps {
		list = append(list, Streaming(s, gap))
	}
	return list
}

// Published is a number read off a paper's figure, with its standard error.
type Published struct{ Mean, SE float64 }

// authorsCurves are the cumulative regrets at round 2e7 in the authors' Figure 4 (means of about 35
// runs), by gap and mechanism. Their bands are visible for WishartUnshifted alone (0.16e5 and
// 0.04e5); reading a curve is good to about 3%, which stands for the standard error of the others
// and adds to that of the one.
var authorsCurves = map[float64]map[string]Published{
	0: {
		GaussianAuthors:  {1.4e4, 0.03 * 1.4e4},
		WishartAuthors:   {9.7e4, 0.03 * 9.7e4},
		UnshiftedAuthors: {2.47e5, math.Hypot(0.16e5, 0.03*2.47e5)},
	},
	0.1: {
		GaussianAuthors:  {1.2e4, 0.03 * 1.2e4},
		WishartAuthors:   {8.0e4, 0.03 * 8.0e4},
		UnshiftedAuthors: {8.7e4, math.Hypot(0.04e5, 0.03*8.7e4)},
	},
}

func report1(lab.Scale, []*simulate.Table) (*charts.Table, error) {
	set := NewDecisionSet()
	heights := make([]float64, len(set.Arms))
	low, high, optimal := math.Inf(1), math.Inf(-1), 0
	for i, x := range set.Arms {
		heights[i] = x[0]*set.Theta[0] + x[1]*set.Theta[1] + x[2]*set.Theta[2]
		if i == set.Best {
			optimal = i
			continue
		}
		low, high = min(low, heights[i]), max(high, heights[i])
	}
	t := charts.NewTable("quantity", "here", "paper")
	t.Add("arms", len(set.Arms), "1000")
	t.Add("optimal arm's mean reward", lab.Number(heights[optimal]), "0.75")
	t.Add("least mean reward of the others", lab.Number(low), ">= -0.75")
	t.Add("greatest mean reward of the others", lab.Number(high), "<= 0.65")
	t.Caption = "One decision set of Experiment 1 in three dimensions, seed " + fmt.Sprint(Seed)
	return t, nil
}

// DecisionSet is one round's arms in three dimensions.
type DecisionSet struct {
	Theta charts.Point3
	Arms  []charts.Point3
	Best  int // index of the optimal arm
}

// NewDecisionSet draws Figure 1's decision set: K = 1000 arms in three dimensions, gap 0.1.
func NewDecisionSet() DecisionSet {
	env := &environment.DecisionSets{Dim: 3, Arms: 1000, Gap: 0.1}
	env.Reset(random.New(Seed, 0, "contexts"))
	var v bandit.View
	env.Next(&v)
	set := DecisionSet{Theta: charts.Point3(env.Theta())}
	for a := range v.Arms {
		set.Arms = append(set.Arms, charts.Point3(v.Row(a)))
		if env.Regret([]int{a}) == 0 {
			set.Best = a
		}
	}
	return set
}

// byLaw returns Experiment 1's tables for one of rewardLaws, in the order of the dimensions.
func byLaw(s lab.Scale, tables []*simulate.Table, law int) []*simulate.Table {
	n := len(Dims(s))
	return tables[law*n : (law+1)*n]
}

func lawName(law environment.Reward) string {
	if law == environment.Gaussian {
		return "Gaussian"
	}
	return "±1"
}

func report2(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "d", "K", "rounds", "regret", "SE", "trials")
	for i, law := range rewardLaws {
		for j, table := range byLaw(s, tables, i) {
			d := Dims(s)[j]
			round, mean, se := lab.Last(table.Curves[0])
			t.Add(lawName(law), d, d*d, round, lab.Number(mean), lab.Number(se), table.Curves[0].Trials)
		}
	}
	t.Caption = "Experiment 1: cumulative regret of the non-private LinUCB. The paper's Figure 2 shows the curves without numbers: regret grows with d, and is somewhat lower for ±1 rewards than for Gaussian ones"
	t.Scale = string(s)
	return t, nil
}

// Slope fits the power of d in Experiment 1's regret for one law of the reward, from its tables
// in the order of the dimensions.
func Slope(dims []int, tables []*simulate.Table) (simulate.Slope, error) {
	x, y := make([]float64, len(dims)), make([][]float64, len(dims))
	for i, table := range tables {
		_, mean, _ := lab.Last(table.Curves[0])
		x[i], y[i] = float64(dims[i]), []float64{mean}
	}
	return simulate.LogLogSlope(x, y)
}

func report3(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "dimensions", "slope", "95% interval", "R²", "paper")
	for i, law := range rewardLaws {
		slope, err := Slope(Dims(s), byLaw(s, tables, i))
		if err != nil {
			return nil, err
		}
		t.Add(lawName(law), strings.Trim(fmt.Sprint(Dims(s)), "[]"), fmt.Sprintf("%.3f", slope.Value), fmt.Sprintf("%.3f to %.3f", slope.Lo, slope.Hi), fmt.Sprintf("%.4f", slope.R2), "roughly 2")
	}
	t.Caption = "Experiment 1: exponent of d in the cumulative regret, least squares on logarithms, t interval from the scatter of the dimensions around the line"
	t.Scale = string(s)
	return t, nil
}

func report4(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "policy", "regret", "SE", "trials", "authors", "z", "of printed", "true ε", "theorem")
	for i, gap := range Gaps {
		tables := tables[3*i : 3*i+3]
		printed, err := lab.Curve(tables, GaussianPrinted)
		if err != nil {
			return nil, err
		}
		_, reference, _ := lab.Last(printed)
		for _, c := range lab.Curves(tables) {
			round, mean, se := lab.Last(c)
			authors, z := "–", "–"
			if p, ok := authorsCurves[gap][c.Policy]; ok && s == lab.Paper {
				authors = fmt.Sprintf("%.0f ± %.0f", p.Mean, p.SE)
				z = fmt.Sprintf("%+.1f", (mean-p.Mean)/math.Hypot(se, p.SE))
			}
			bounds, err := Theory(c.Policy, gap, []int{round})
			if err != nil {
				return nil, err
			}
			t.Add(gap, c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), c.Trials, authors, z, fmt.Sprintf("%.3f", mean/reference),
				lab.Number(bounds.Epsilon), lab.Number(bounds.tightest(gap)[0]))
		}
	}
	t.Caption = fmt.Sprintf("Experiment 2: cumulative regret at round %d, calibrated for n = %d, epsilon = %g, delta = %g. z is the difference from the authors' Figure 4 in combined standard errors; of printed is the regret over that of the Gaussian AsPublished; "+
		"true ε is what is proved at that delta; theorem is the bound of Theorem 5 (no gap) or 6 (gap), which holds with probability 1 - 1/n", tables[0].Provenance.Rounds, Horizon, Budget.Epsilon, Budget.Delta)
	t.Scale = string(s)
	return t, nil
}

// Theorems holds the regret bounds of a policy of Experiment 2, with the theorems' own constants,
// and its proved epsilon.
type Theorems struct {
	Bounds  privacy.Bounds
	Epsilon float64   // at Budget.Delta
	General []float64 // Theorem 5, by round
	Gap     []float64 // Theorem 6; +Inf without a gap
}

// tightest returns Theorem 6 where there is a gap, else Theorem 5.
func (t Theorems) tightest(gap float64) []float64 {
	if gap > 0 {
		return t.Gap
	}
	return t.General
}

// Theory computes the bounds of Theorems 5 and 6 at some rounds.
func Theory(policy string, gap float64, rounds []int) (Theorems, error) {
	l := Policy(policy, Budget)
	if err := l.Init((&environment.DecisionSets{Dim: 5, Gap: gap}).Problem(), Horizon); err != nil {
		return Theorems{}, err
	}
	t := Theorems{Bounds: linUCB(l).Bounds(), Epsilon: privacy.ClaimOf(l).Epsilon()}
	for _, n := range rounds {
		general, gapped := linUCB(l).RegretBound(n, gap)
		t.General, t.Gap = append(t.General, general), append(t.Gap, gapped)
	}
	return t, nil
}

func report5(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("mechanism", "gap", "rho_min", "regret", "SE", "trials", "paper")
	for _, name := range Mechanisms {
		own, err := ownRho(name)
		if err != nil {
			return nil, err
		}
		for i, gap := range Gaps3 {
			for _, rho := range Rhos(s) {
				c, err := tables[i].Curve(Shifted(name, rho))
				if err != nil {
					return nil, err
				}
				_, mean, se := lab.Last(c)
				t.Add(name, gap, lab.Number(rho), lab.Number(mean), lab.Number(se), c.Trials, map[bool]string{true: "about flat", false: "depends on rho_min"}[gap == 0.1])
			}
		}
		t.Caption += fmt.Sprintf("%s itself has rho_min = %.4g. ", name, own)
	}
	t.Caption = "Experiment 3: cumulative regret against the shift. The paper's Figure 5 shows curves without numbers: tuning matters for small gaps alone. " + t.Caption
	t.Scale = string(s)
	return t, nil
}

// ownRho returns the rho_min of a policy's own shift.
func ownRho(policy string) (float64, error) {
	t, err := Theory(policy, 0, nil)
	return t.Bounds.RhoMin, err
}

// TrueEpsilon is what a noise level buys: the epsilon proved at the delta it was asked for.
func TrueEpsilon(noise mechanism.NodeNoise, horizon int) (float64, error) {
	l := learner.New(&learner.LinUCB{}, &mechanism.Tree{Noise: noise})
	if err := l.Init((&environment.DecisionSets{Dim: 5}).Problem(), horizon); err != nil {
		return 0, err
	}
	return privacy.ClaimOf(l).Epsilon(), nil
}

// maxSD is a release's largest standard deviation, in units of sensitivity/mu.
func maxSD(policy string) (float64, error) {
	l := Policy(policy, Budget)
	if err := l.Init((&environment.DecisionSets{Dim: 5}).Problem(), Horizon); err != nil {
		return 0, err
	}
	switch sums := l.Statistic.(type) {
	case interface{ MaxSD() float64 }:
		return sums.MaxSD(), nil
	case *mechanism.Tree: // a node's standard deviation is the root of the number of nodes that a row is in
		released := uint(Horizon - 1)
		return math.Sqrt(float64(bits.Len(released) * mostDigits(released))), nil
	}
	return 0, fmt.Errorf("jdp: %T has no largest standard deviation", l.Statistic)
}

// mostDigits returns the greatest number of binary digits 1 among 1..n: of n, or of a number that
// has a 0 for one of n's ones and ones below it.
func mostDigits(n uint) int {
	most := bits.OnesCount(n)
	for rest := n; rest > 0; rest &= rest - 1 {
		most = max(most, bits.OnesCount(rest-1))
	}
	return most
}

func reportStreaming(_ lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "sums", "largest sd", "regret", "se", "less the tree's", "se ", "of the tree's", "trials")
	t.Align = "llrrrrrrr"
	for i, gap := range Gaps {
		tree, err := lab.Curve(tables[i:i+1], GaussianSound)
		if err != nil {
			return nil, err
		}
		_, base, _ := lab.Last(tree)
		for _, name := range StreamingPolicies {
			c, err := lab.Curve(tables[i:i+1], name)
			if err != nil {
				return nil, err
			}
			sd, err := maxSD(name)
			if err != nil {
				return nil, err
			}
			_, mean, se := lab.Last(c)
			less, lessSE := "–", "–"
			if name != GaussianSound {
				pair, err := lab.Curve(tables[i:i+1], name+" - "+GaussianSound)
				if err != nil {
					return nil, err
				}
				_, d, dse := lab.Last(pair)
				less, lessSE = lab.Number(d), lab.Number(dse)
			}
			t.Add(fmt.Sprint(gap), name, lab.Number(sd), lab.Number(mean), lab.Number(se), less, lessSE, fmt.Sprintf("%.0f%%", 100*mean/base), c.Trials)
		}
	}
	round, _, _ := lab.Last(tables[0].Curves[0])
	t.Caption = fmt.Sprintf("Cumulative regret at round %d, calibrated for n = 5·10⁷, ε = 1, δ = 0.1: the same privacy in every row. The largest standard deviation of a release is in units of sensitivity/μ; differences are trial by trial", round)
	return t, nil
}
