package papers

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

var jdpFigures = []Figure{
	{Name: "jdp-fig1", What: "an example decision set in three dimensions, K = 1000", Report: reportJDP1},
	{Name: "jdp-fig2", What: "Experiment 1: regret over time for varying dimensions, two laws of the reward", Experiments: experiments1, Report: reportJDP2},
	{Name: "jdp-fig3", What: "Experiment 1: regret against dimension on log-log axes, slopes", Experiments: experiments1, Report: reportJDP3},
	{Name: "jdp-fig4", What: "Experiment 2: regret over time of all mechanisms, with and without a gap", Experiments: experiments2, Report: reportJDP4},
	{Name: "jdp-fig5", What: "Experiment 3: regret against the shift, three gaps, both mechanisms", Experiments: experiments3, Report: reportJDP5},
	{Name: "jdp-streaming", What: "beyond the paper: other ways to release the sums, at the same privacy as the sound tree", Experiments: experimentsStreaming, Report: reportStreaming},
}

// rewardLaws are Experiment 1's.
var rewardLaws = []environment.Reward{environment.Gaussian, environment.Signs}

func experiments1(s Scale) (list []*simulate.Experiment) {
	for _, law := range rewardLaws {
		for _, d := range JDPDims(s) {
			list = append(list, JDPExperiment1(s, d, law))
		}
	}
	return list
}

func experiments2(s Scale) (list []*simulate.Experiment) {
	for _, gap := range JDPGaps {
		list = append(list, JDPExperiment2(s, gap)...)
	}
	return list
}

func experiments3(s Scale) (list []*simulate.Experiment) {
	for _, gap := range JDPGaps3 {
		list = append(list, JDPExperiment3(s, gap))
	}
	return list
}

func experimentsStreaming(s Scale) (list []*simulate.Experiment) {
	for _, gap := range JDPGaps {
		list = append(list, JDPStreaming(s, gap))
	}
	return list
}

// Published is a number read off a paper's figure, with its standard error.
type Published struct{ Mean, SE float64 }

// jdpAuthors are the cumulative regrets at round 2e7 in the authors' Figure 4 (means of about 35
// runs), by gap and mechanism. Their bands are visible for WishartUnshifted alone (0.16e5 and
// 0.04e5); reading a curve is good to about 3%, which stands for the standard error of the others
// and adds to that of the one.
var jdpAuthors = map[float64]map[string]Published{
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

// last returns a curve's value and standard error at its last round.
func last(c simulate.Curve) (round int, mean, se float64) {
	k := len(c.Rounds) - 1
	return c.Rounds[k], c.Mean[k], c.SE[k]
}

// curvesOf returns the curves of several tables.
func curvesOf(tables []*simulate.Table) (curves []simulate.Curve) {
	for _, t := range tables {
		curves = append(curves, t.Curves...)
	}
	return curves
}

// curve returns a policy's curve from the table that has it.
func curve(tables []*simulate.Table, policy string) (simulate.Curve, error) {
	for _, c := range curvesOf(tables) {
		if c.Policy == policy {
			return c, nil
		}
	}
	return simulate.Curve{}, fmt.Errorf("papers: no curve of %q", policy)
}

// number formats a measured value for a report.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4g", x)
}

func reportJDP1(Scale, []*simulate.Table) (*charts.Table, error) {
	set := JDPDecisionSet()
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
	t.Add("optimal arm's mean reward", number(heights[optimal]), "0.75")
	t.Add("least mean reward of the others", number(low), ">= -0.75")
	t.Add("greatest mean reward of the others", number(high), "<= 0.65")
	t.Caption = "One decision set of Experiment 1 in three dimensions, seed " + fmt.Sprint(JDPSeed)
	return t, nil
}

// DecisionSet is one round's arms in three dimensions.
type DecisionSet struct {
	Theta charts.Point3
	Arms  []charts.Point3
	Best  int // index of the optimal arm
}

// JDPDecisionSet draws Figure 1's decision set: K = 1000 arms in three dimensions, gap 0.1.
func JDPDecisionSet() DecisionSet {
	env := &environment.DecisionSets{Dim: 3, Arms: 1000, Gap: 0.1}
	env.Reset(random.New(JDPSeed, 0, "contexts"))
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
func byLaw(s Scale, tables []*simulate.Table, law int) []*simulate.Table {
	n := len(JDPDims(s))
	return tables[law*n : (law+1)*n]
}

func lawName(law environment.Reward) string {
	if law == environment.Gaussian {
		return "Gaussian"
	}
	return "±1"
}

func reportJDP2(s Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "d", "K", "rounds", "regret", "SE", "trials")
	for i, law := range rewardLaws {
		for j, table := range byLaw(s, tables, i) {
			d := JDPDims(s)[j]
			round, mean, se := last(table.Curves[0])
			t.Add(lawName(law), d, d*d, round, number(mean), number(se), table.Curves[0].Trials)
		}
	}
	t.Caption = "Experiment 1: cumulative regret of the non-private LinUCB. The paper's Figure 2 shows the curves without numbers: regret grows with d, and is somewhat lower for ±1 rewards than for Gaussian ones"
	t.Scale = string(s)
	return t, nil
}

// JDPSlope fits the power of d in Experiment 1's regret for one law of the reward, from its tables
// in the order of the dimensions.
func JDPSlope(dims []int, tables []*simulate.Table) (simulate.Slope, error) {
	x, y := make([]float64, len(dims)), make([][]float64, len(dims))
	for i, table := range tables {
		_, mean, _ := last(table.Curves[0])
		x[i], y[i] = float64(dims[i]), []float64{mean}
	}
	return simulate.LogLogSlope(x, y)
}

func reportJDP3(s Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("reward noise", "dimensions", "slope", "95% interval", "R²", "paper")
	for i, law := range rewardLaws {
		slope, err := JDPSlope(JDPDims(s), byLaw(s, tables, i))
		if err != nil {
			return nil, err
		}
		t.Add(lawName(law), strings.Trim(fmt.Sprint(JDPDims(s)), "[]"), fmt.Sprintf("%.3f", slope.Value), fmt.Sprintf("%.3f to %.3f", slope.Lo, slope.Hi), fmt.Sprintf("%.4f", slope.R2), "roughly 2")
	}
	t.Caption = "Experiment 1: exponent of d in the cumulative regret, least squares on logarithms, t interval from the scatter of the dimensions around the line"
	t.Scale = string(s)
	return t, nil
}

func reportJDP4(s Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "policy", "regret", "SE", "trials", "authors", "z", "of printed", "true ε", "theorem")
	for i, gap := range JDPGaps {
		tables := tables[3*i : 3*i+3]
		printed, err := curve(tables, GaussianPrinted)
		if err != nil {
			return nil, err
		}
		_, reference, _ := last(printed)
		for _, c := range curvesOf(tables) {
			round, mean, se := last(c)
			authors, z := "–", "–"
			if p, ok := jdpAuthors[gap][c.Policy]; ok && s == Paper {
				authors = fmt.Sprintf("%.0f ± %.0f", p.Mean, p.SE)
				z = fmt.Sprintf("%+.1f", (mean-p.Mean)/math.Hypot(se, p.SE))
			}
			bounds, err := JDPTheory(c.Policy, gap, []int{round})
			if err != nil {
				return nil, err
			}
			t.Add(gap, c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), c.Trials, authors, z, fmt.Sprintf("%.3f", mean/reference),
				number(bounds.Epsilon), number(bounds.tightest(gap)[0]))
		}
	}
	t.Caption = fmt.Sprintf("Experiment 2: cumulative regret at round %d, calibrated for n = %d, epsilon = %g, delta = %g. z is the difference from the authors' Figure 4 in combined standard errors; of printed is the regret over that of the Gaussian AsPublished; "+
		"true ε is what is proved at that delta; theorem is the bound of Theorem 5 (no gap) or 6 (gap), which holds with probability 1 - 1/n", tables[0].Provenance.Rounds, JDPHorizon, JDPBudget.Epsilon, JDPBudget.Delta)
	t.Scale = string(s)
	return t, nil
}

// Theorems holds the regret bounds of a policy of Experiment 2, with the theorems' own constants,
// and its proved epsilon.
type Theorems struct {
	Bounds  privacy.Bounds
	Epsilon float64   // at JDPBudget.Delta
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

// JDPTheory computes the bounds of Theorems 5 and 6 at some rounds.
func JDPTheory(policy string, gap float64, rounds []int) (Theorems, error) {
	l := JDPPolicy(policy, JDPBudget)
	if err := l.Init((&environment.DecisionSets{Dim: 5, Gap: gap}).Problem(), JDPHorizon); err != nil {
		return Theorems{}, err
	}
	t := Theorems{Bounds: linUCB(l).Bounds(), Epsilon: privacy.ClaimOf(l).Epsilon()}
	for _, n := range rounds {
		general, gapped := linUCB(l).RegretBound(n, gap)
		t.General, t.Gap = append(t.General, general), append(t.Gap, gapped)
	}
	return t, nil
}

func reportJDP5(s Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("mechanism", "gap", "rho_min", "regret", "SE", "trials", "paper")
	for _, name := range JDPMechanisms {
		own, err := jdpOwnRho(name)
		if err != nil {
			return nil, err
		}
		for i, gap := range JDPGaps3 {
			for _, rho := range JDPRhos(s) {
				c, err := tables[i].Curve(JDPShifted(name, rho))
				if err != nil {
					return nil, err
				}
				_, mean, se := last(c)
				t.Add(name, gap, number(rho), number(mean), number(se), c.Trials, map[bool]string{true: "about flat", false: "depends on rho_min"}[gap == 0.1])
			}
		}
		t.Caption += fmt.Sprintf("%s itself has rho_min = %.4g. ", name, own)
	}
	t.Caption = "Experiment 3: cumulative regret against the shift. The paper's Figure 5 shows curves without numbers: tuning matters for small gaps alone. " + t.Caption
	t.Scale = string(s)
	return t, nil
}

// jdpOwnRho returns the rho_min of a policy's own shift.
func jdpOwnRho(policy string) (float64, error) {
	t, err := JDPTheory(policy, 0, nil)
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
	l := JDPPolicy(policy, JDPBudget)
	if err := l.Init((&environment.DecisionSets{Dim: 5}).Problem(), JDPHorizon); err != nil {
		return 0, err
	}
	switch sums := l.Statistic.(type) {
	case interface{ MaxSD() float64 }:
		return sums.MaxSD(), nil
	case *mechanism.Tree: // a node's standard deviation is the root of the number of nodes that a row is in
		released := uint(JDPHorizon - 1)
		return math.Sqrt(float64(bits.Len(released) * mostDigits(released))), nil
	}
	return 0, fmt.Errorf("papers: %T has no largest standard deviation", l.Statistic)
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

func reportStreaming(_ Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("gap", "sums", "largest sd", "regret", "se", "less the tree's", "se ", "of the tree's", "trials")
	t.Align = "llrrrrrrr"
	for i, gap := range JDPGaps {
		tree, err := curve(tables[i:i+1], GaussianSound)
		if err != nil {
			return nil, err
		}
		_, base, _ := last(tree)
		for _, name := range JDPStreamingPolicies {
			c, err := curve(tables[i:i+1], name)
			if err != nil {
				return nil, err
			}
			sd, err := maxSD(name)
			if err != nil {
				return nil, err
			}
			_, mean, se := last(c)
			less, lessSE := "–", "–"
			if name != GaussianSound {
				pair, err := curve(tables[i:i+1], name+" - "+GaussianSound)
				if err != nil {
					return nil, err
				}
				_, d, dse := last(pair)
				less, lessSE = number(d), number(dse)
			}
			t.Add(fmt.Sprint(gap), name, number(sd), number(mean), number(se), less, lessSE, fmt.Sprintf("%.0f%%", 100*mean/base), c.Trials)
		}
	}
	round, _, _ := last(tables[0].Curves[0])
	t.Caption = fmt.Sprintf("Cumulative regret at round %d, calibrated for n = 5·10⁷, ε = 1, δ = 0.1: the same privacy in every row. The largest standard deviation of a release is in units of sensitivity/μ; differences are trial by trial", round)
	return t, nil
}
