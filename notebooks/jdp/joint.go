package jdp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/ldp"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// What came after: regret of order sqrt(T) + 1/epsilon, with no condition on eigenvalues. A rate is
// a bound for the worst contexts, so each policy plays contexts of many sizes, and its regret is
// that of the size at which it is largest.

// The policies of jdp-joint. Widths below 1 are tuned.
const (
	JointTree     = "LinUCB, tree"
	JointBLT      = "LinUCB, BLT"
	JointTuned    = "LinUCB, BLT, width × 0.2"
	JointWeighted = "weighted regression"
	JointNarrow   = "weighted regression, width × 0.4"
)

// JointPolicies lists them.
var JointPolicies = []string{JointTree, JointBLT, JointTuned, JointWeighted, JointNarrow}

// JointRounds are the T at epsilon = JointEpsilon, and JointEpsilons the epsilons at JointMiddle
// rounds; +Inf is without privacy.
var (
	JointRounds   = []int{10_000, 17_783, 31_623, 56_234, 100_000, 177_828, 316_228}
	JointEpsilons = []float64{0.1, 0.3, 1, 3, 10, math.Inf(1)}
)

// JointEpsilon is the epsilon at which T varies, and JointMiddle the T at which epsilon does.
const (
	JointEpsilon = 1
	JointMiddle  = 100_000
	JointDelta   = 1e-6
)

// JointSizes are the sizes s of the contexts, of one kind of user in two dimensions: two for each
// power of two, as batches double.
var JointSizes = []float64{1, 0.71, 0.5, 0.35, 0.25, 0.18, 0.125, 0.088, 0.063, 0.044, 0.031, 0.022, 0.016, 0.011}

// JointAt is a run of a policy.
type JointAt struct {
	Policy  string
	Rounds  int
	Size    float64
	Epsilon float64
}

// String names its regret in the table.
func (at JointAt) String() string {
	return fmt.Sprintf("%s: regret at T = %d, s = %v, ε = %g", at.Policy, at.Rounds, at.Size, at.Epsilon)
}

// learner returns the policy, which knows T.
func (at JointAt) learner() bandit.Learner {
	b := privacy.Budget{Epsilon: at.Epsilon, Delta: JointDelta}
	if b.None() {
		b.Delta = 0
	}
	sums, batches := continual.BLT{Budget: b}, continual.VectorBatches{Budget: b}
	private := !b.None() // only noise asks for a shift
	switch at.Policy {
	case JointTree:
		return learner.New(linear.UCB{OptimalShift: private}, continual.Tree{Noise: continual.Gaussian{Budget: b}})
	case JointBLT:
		return learner.New(linear.UCB{OptimalShift: private}, sums)
	case JointTuned:
		return learner.New(linear.UCB{OptimalShift: private, Width: 0.2}, sums)
	case JointNarrow:
		return learner.New(linear.Weighted{Width: 0.4}, batches)
	}
	return learner.New(linear.Weighted{}, batches)
}

// Regret plays a run.
func (at JointAt) Regret(seed uint64) (sum float64) {
	env := ldp.Scales{Sizes: []float64{at.Size}}
	check.OK(simulate.Play(env, at.learner(), at.Rounds, seed, func(r *simulate.Round) { sum += r.Trial.Regret(r.Played) }))
	return sum
}

// jointRuns lists all runs at a scale.
func jointRuns(s cell.Scale) (all []JointAt) {
	add := func(policy string, rounds int, epsilon float64) {
		for _, size := range JointSizes {
			all = append(all, JointAt{policy, rounds, size, epsilon})
		}
	}
	middle := cell.Pick(s, JointRounds[0], JointRounds[1], JointMiddle)
	for _, policy := range JointPolicies {
		for _, rounds := range cell.Pick(s, JointRounds[:1], JointRounds[:3], JointRounds) {
			add(policy, rounds, JointEpsilon)
		}
		for _, epsilon := range JointEpsilons {
			if epsilon != JointEpsilon {
				add(policy, middle, epsilon)
			}
		}
	}
	return all
}

// jointStudy plays all runs of a trial with one seed, so that they meet the same users.
func jointStudy(s cell.Scale) []*lab.Study {
	return []*lab.Study{lab.Regrets(lab.Study{Name: "jdp-joint", Seed: Seed, Trials: cell.Pick(s, 2, 3, 4), Rounds: slices.Max(JointRounds)}, jointRuns(s))}
}

// JointWorst returns a policy's largest mean regret over the sizes at a T and an epsilon, its
// standard error, and that size.
func JointWorst(t *simulate.Table, policy string, rounds int, epsilon float64) (regret, se, size float64) {
	var runs []JointAt
	for _, s := range JointSizes {
		runs = append(runs, JointAt{policy, rounds, s, epsilon})
	}
	regret, se, worst := lab.Worst(t, runs)
	return regret, se, worst.Size
}

// jointLine returns what varies, T or 1/epsilon, and a policy's largest regrets.
func jointLine(t *simulate.Table, axis, policy string) (x, worst, se []float64) {
	add := func(at float64, rounds int, epsilon float64) {
		regret, e, _ := JointWorst(t, policy, rounds, epsilon)
		x, worst, se = append(x, at), append(worst, regret), append(se, e)
	}
	if axis == "T" {
		for _, rounds := range JointRounds {
			add(float64(rounds), rounds, JointEpsilon)
		}
		return x, worst, se
	}
	for _, epsilon := range JointEpsilons {
		if !math.IsInf(epsilon, 1) {
			add(1/epsilon, JointMiddle, epsilon)
		}
	}
	return x, worst, se
}

// JointPower fits the power of T, or of "1/ε", in the largest regret of a policy.
func JointPower(t *simulate.Table, axis, policy string) simulate.Slope {
	x, worst, _ := jointLine(t, axis, policy)
	y := make([][]float64, len(x))
	for i, regret := range worst {
		y[i] = []float64{regret}
	}
	return check.Try(simulate.LogLogSlope(x, y))
}

// reportJoint has a row for each policy, T and epsilon: the largest regret, and at which size. The
// last T of a policy has its powers, too.
func reportJoint(s cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable(append([]string{"ε", "T"}, JointPolicies...)...)
	t.Align = "rr" + strings.Repeat("r", len(JointPolicies))
	of := tables[0]
	for _, at := range jointRuns(s) {
		if at.Size != JointSizes[0] || at.Policy != JointPolicies[0] {
			continue
		}
		row := []any{fmt.Sprint(at.Epsilon), cell.Thousands(at.Rounds)}
		for _, policy := range JointPolicies {
			regret, se, _ := JointWorst(of, policy, at.Rounds, at.Epsilon)
			row = append(row, fmt.Sprintf("%s ± %.0f", cell.Thousands(int(math.Round(regret))), se))
		}
		t.Add(row...)
	}
	t.Caption = fmt.Sprintf("Largest regret ± its standard error over contexts of size s = 1 to 0.011, d = 2, δ = %g; %s", JointDelta, lab.Size(of))
	return t, nil
}

func powerOf(s simulate.Slope) string { return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Value, s.Lo, s.Hi) }

// FigureJoint draws the largest regret over T, or over "1/ε", from the committed table.
func FigureJoint(axis string) *charts.Figure {
	of := lab.MustTable("jdp-joint")
	f := &charts.Figure{
		Title: "The largest regret over contexts of many sizes", Scale: lab.Committed(of),
		X: charts.Axis{Name: axis, Log: true}, Y: charts.Axis{Name: "regret", Log: true},
	}
	for i, policy := range JointPolicies {
		x, worst, se := jointLine(of, axis, policy)
		for j := range x {
			x[j] = math.Round(1000*x[j]) / 1000 // as it is read out
		}
		s := charts.Series{Name: policy, Style: i + 1, X: x, Y: worst}
		for j, regret := range worst {
			half := se[j] * of.Curves[0].Student95()
			s.Lo, s.Hi = append(s.Lo, math.Max(0, regret-half)), append(s.Hi, regret+half)
		}
		f.Series = append(f.Series, s)
		f.Caption += fmt.Sprintf("%s: power %s. ", policy, powerOf(JointPower(of, axis, policy)))
	}
	fixed := fmt.Sprintf("ε = %d", JointEpsilon)
	if axis != "T" {
		fixed = fmt.Sprintf("T = %d", JointMiddle)
	}
	f.Caption += fmt.Sprintf("%s, δ = %g, d = 2, s = 1 to 0.011, means of %s with 95%% confidence bands", fixed, JointDelta, lab.Size(of))
	f.Alt = f.Title + ". " + charts.FinalsInWords(f.Series)
	return f
}
