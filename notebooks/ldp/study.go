package ldp

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Beyond Figure 1: the radius, rivals at equal privacy, and the variants that need to know less.

// Widths are the factors of OnlineUCB's confidence width in the radius study.
var Widths = []float64{0.2, 0.5, 1, 2, 4, 8, 16}

// RadiusName names a policy of the radius study.
func RadiusName(width float64) string { return fmt.Sprintf("width × %g", width) }

// Radius varies the factor of OnlineUCB's confidence width at an epsilon: sound noise, OGD.
func Radius(s lab.Scale, epsilon float64) *simulate.Experiment {
	e := experiment(s, fmt.Sprintf("ldp-radius-eps%g", epsilon), func() bandit.Environment { return Arms(true) })
	for _, width := range Widths {
		e.Policies = append(e.Policies, simulate.Policy{Name: RadiusName(width), New: func() bandit.Learner {
			return Online(Budget(epsilon), privacy.Sound, figure1Mu(epsilon), width)
		}})
	}
	return e
}

// FigureRadius draws the regret over time with a slider over the factor, for tables of Radius:
// the median trial and the tenth from either end.
func FigureRadius(epsilon float64, t *simulate.Table, scale string) *charts.Figure {
	f := &charts.Figure{
		Title: fmt.Sprintf("OnlineUCB and its confidence width, ε = %g", epsilon),
		X:     charts.Axis{Name: "round t"}, Y: charts.Axis{Name: "cumulative regret"}, Scale: scale,
		Slider:  &charts.Slider{Label: "width ×", Start: 2},
		Caption: fmt.Sprintf("%d trials, T = 20,000, fixed arms, sound noise, OGD. Band: from the best tenth of the trials to the worst", t.Curves[0].Trials),
	}
	for i, width := range Widths {
		c := t.Curves[i]
		x := make([]float64, len(c.Rounds))
		for k, n := range c.Rounds {
			x[k] = float64(n)
		}
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{Value: fmt.Sprintf("%g", width), Series: []charts.Series{
			{Name: "mean", X: x, Y: c.Mean, Style: 2}, {Name: "median", X: x, Y: c.Q50, Lo: c.Q10, Hi: c.Q90, Style: 1},
		}})
	}
	return f
}

func experimentsRadius(s lab.Scale) (list []*simulate.Experiment) {
	for _, epsilon := range Epsilons {
		list = append(list, Radius(s, epsilon))
	}
	return list
}

func reportRadius(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("width ×")
	t.Align = "r"
	for _, epsilon := range Epsilons {
		t.Headers = append(t.Headers, fmt.Sprintf("ε = %g", epsilon), "SE", "worst tenth")
		t.Align += "rrr"
	}
	for k, width := range Widths {
		row := []any{fmt.Sprint(width)}
		for i := range Epsilons {
			c := tables[i].Curves[k]
			_, mean, se := lab.Last(c)
			row = append(row, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), fmt.Sprintf("%.0f", c.Q90[len(c.Q90)-1]))
		}
		t.Add(row...)
	}
	t.Caption = fmt.Sprintf("Regret of OnlineUCB at round %s by the factor of its confidence width; sound noise, OGD, fixed arms, %d trials. Worst tenth: nine trials of ten have less", cell.Thousands(tables[0].Provenance.Rounds), tables[0].Curves[0].Trials)
	t.Scale = string(s)
	return t, nil
}

// tunedJDP returns LinUCB over sums, with a factor of its confidence width.
func tunedJDP(sums privacy.Accumulator, factor float64) *learner.Private[privacy.Sums] {
	return learner.New(&learner.LinUCB{Width: factor}, sums)
}

// EqualBatch is the batch of shuffle LinUCB in the comparison at equal privacy.
const EqualBatch = 200

// equals are the policies of the comparison at equal privacy, all with sound noise and the public
// last coordinate where they can use it.
var equals = []struct {
	name string
	make func(b privacy.Budget) bandit.Learner
}{
	{"LinUCB, not private, width × 0.2", func(privacy.Budget) bandit.Learner { return tunedJDP(&mechanism.Exact{}, 0.2) }},
	{"JDP, BLT, width × 0.2", func(b privacy.Budget) bandit.Learner { return tunedJDP(&mechanism.BLT{Budget: b}, 0.2) }},
	{"JDP, tree, width × 0.2", func(b privacy.Budget) bandit.Learner {
		return tunedJDP(&mechanism.Tree{Noise: &mechanism.Gaussian{Budget: b}}, 0.2)
	}},
	{"JDP, tree, width × 1", func(b privacy.Budget) bandit.Learner { return jdp.Gaussian(b, privacy.Sound) }},
	{"SDP, vector sum, width × 0.2", func(b privacy.Budget) bandit.Learner { return vectorSum(b, 0.2) }},
	{"SDP, vector sum, width × 1", func(b privacy.Budget) bandit.Learner { return vectorSum(b, 1) }},
	{ldpTuned, func(b privacy.Budget) bandit.Learner {
		return ZhengLDP(b, privacy.Sound, 1, 0.2, Arms(true).Constant())
	}},
	{"LDP LinUCB, width × 1", func(b privacy.Budget) bandit.Learner {
		return ZhengLDP(b, privacy.Sound, 1, 1, Arms(true).Constant())
	}},
	{OnlineWidth(onlineWidths[0]), onlineOf(onlineWidths[0])},
	{OnlineWidth(onlineWidths[1]), onlineOf(onlineWidths[1])},
	{OnlineWidth(onlineWidths[2]), onlineOf(onlineWidths[2])},
	{OnlineWidth(onlineWidths[3]), onlineOf(onlineWidths[3])},
}

// onlineWidths are the factors that OnlineUCB may choose from at equal privacy.
var onlineWidths = []float64{1, 2, 4, 16}

// ldpTuned is the other local learner at equal privacy.
const ldpTuned = "LDP LinUCB, width × 0.2"

// OnlineWidth names OnlineUCB with a factor of its confidence width.
func OnlineWidth(width float64) string { return fmt.Sprintf("OnlineUCB, width × %g", width) }

func onlineOf(width float64) func(privacy.Budget) bandit.Learner {
	return func(b privacy.Budget) bandit.Learner { return Online(b, privacy.Sound, figure1Mu(b.Epsilon), width) }
}

func vectorSum(b privacy.Budget, width float64) *learner.Local {
	l := learner.NewShuffleVectorSum(learner.VectorSum{Budget: b, Batch: EqualBatch, Constant: Arms(true).Constant()})
	l.Server.(*learner.VectorSumServer).Policy = &learner.LinUCB{Width: width}
	return l
}

// Equal compares all learners at the same (epsilon, delta), each in its own trust model, with
// sound noise.
func Equal(s lab.Scale, epsilon float64) *simulate.Experiment {
	e := experiment(s, fmt.Sprintf("ldp-equal-eps%g", epsilon), func() bandit.Environment { return Arms(true) })
	e.Policies = append(e.Policies, simulate.Policy{Name: LinUCBPublic, New: func() bandit.Learner { return Policy(LinUCBPublic, epsilon) }})
	for _, p := range equals {
		e.Policies = append(e.Policies, simulate.Policy{Name: p.name, New: func() bandit.Learner { return p.make(Budget(epsilon)) }})
	}
	for _, width := range onlineWidths {
		e.Pairs = append(e.Pairs, [2]string{ldpTuned, OnlineWidth(width)})
	}
	return e
}

func experimentsEqual(s lab.Scale) (list []*simulate.Experiment) {
	for _, epsilon := range Epsilons {
		list = append(list, Equal(s, epsilon))
	}
	return list
}

func reportEqual(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy", "trust model")
	t.Align = "ll"
	for _, epsilon := range Epsilons {
		t.Headers = append(t.Headers, fmt.Sprintf("ε = %g", epsilon), "SE")
		t.Align += "rr"
	}
	for k, c := range tables[0].Curves {
		if strings.Contains(c.Policy, " - ") {
			continue // a difference
		}
		model := lab.ClaimLine(tables[0].Claims[c.Policy], "model")
		if strings.HasPrefix(c.Policy, LinUCBPublic) {
			model = "none"
		}
		row := []any{c.Policy, model}
		for i := range Epsilons {
			_, mean, se := lab.Last(tables[i].Curves[k])
			row = append(row, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se))
		}
		t.Add(row...)
	}
	t.Caption = fmt.Sprintf("Regret at round %s, all with sound noise at the same ε and δ = %g, fixed arms, %d trials; vector sums of batches of %d. A width × 0.2 is tuned: no theorem holds for it", cell.Thousands(tables[0].Provenance.Rounds), Delta, tables[0].Curves[0].Trials, EqualBatch)
	t.Scale = string(s)
	return t, nil
}

// equalShown are the policies in the figures of the comparison: the best of each trust model by
// tuning.
var equalShown = []string{LinUCBPublic, "JDP, BLT, width × 0.2", "SDP, vector sum, width × 0.2", "LDP LinUCB, width × 0.2", "OnlineUCB, width × 4"}

func equalSeries(t *simulate.Table) (list []charts.Series) {
	for k, name := range equalShown {
		if c, err := t.Curve(name); err == nil {
			series := charts.Curves([]simulate.Curve{c})
			series[0].Style = 1 + k
			list = append(list, series...)
		}
	}
	return list
}

// FigureEqual draws the comparison at equal privacy with a slider over epsilon.
func FigureEqual(tables []*simulate.Table, scale string) *charts.Figure {
	f := &charts.Figure{
		Title: "Equal privacy, tuned widths: regret by trust model",
		X:     charts.Axis{Name: "round t"}, Y: charts.Axis{Name: "cumulative regret"}, Scale: scale,
		Slider:  &charts.Slider{Label: "ε", Start: 1},
		Caption: fmt.Sprintf("Mean of %d trials, band: ± 1.96 standard errors. Sound noise at the same ε and δ = 0.1, fixed arms", tables[0].Curves[0].Trials),
	}
	for i, epsilon := range Epsilons {
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{Value: fmt.Sprintf("%g", epsilon), Series: equalSeries(tables[i])})
	}
	return f
}

// The policies that need to know less.
const (
	LongKnown    = "OnlineUCB, T known, Δ = 0"
	LongRidge    = "OnlineUCB, T known, Δ² = T^(-1/4)"
	LongAnytime  = "Anytime, Δ² = 2^(-m/8)"
	LongForgets  = "Anytime, Δ = 0"
	LongCombiner = "Combiner, scaled"
	LongTheory   = "Combiner, constants of the theory"
)

// LongEpsilon is the epsilon of the comparison of the variants.
const LongEpsilon = 10

// longServer is the template of the variants' servers: OGD and the width of Figure 1.
func longServer() *learner.OnlineServer {
	return Online(Budget(LongEpsilon), privacy.Sound, figure1Mu(LongEpsilon), figure1Width).Server.(*learner.OnlineServer)
}

// longCombiner returns the combiner with factors of its bounds and targets.
func longCombiner(bounds, targets float64) *learner.Local {
	base := longServer()
	device, server := learner.NewCombiner(base.Noise)
	server.Base, server.BoundScale, server.TargetScale = *base, bounds, targets
	return &learner.Local{Device: device, Server: server}
}

// longPolicy returns a variant by its name.
func longPolicy(name string, horizon int) bandit.Learner {
	s := longServer()
	device := &learner.OnlineDevice{Noise: s.Noise}
	switch name {
	case LongRidge:
		s.DeltaSquared = learner.PublishedDelta(0, horizon, 0.25)
	case LongAnytime, LongForgets:
		return &learner.Local{Device: device, Server: &learner.Anytime{Block: func(rounds int) learner.Server {
			block := *longServer()
			if name == LongAnytime {
				block.DeltaSquared = learner.PublishedDelta(0, rounds, 0.125)
			}
			return &block
		}}}
	case LongCombiner:
		return longCombiner(0.02, 0.01)
	case LongTheory:
		return longCombiner(1, 1)
	}
	return &learner.Local{Device: device, Server: s}
}

// Long plays OnlineUCB, which knows T, and its variants, which do not need to know T or the
// least eigenvalue.
func Long(s lab.Scale) *simulate.Experiment {
	rounds := cell.Pick(s, 5_000, 30_000, 100_000)
	e := &simulate.Experiment{
		Name: "ldp-long", Environment: func() bandit.Environment { return Arms(true) },
		Horizon: rounds, Trials: cell.Pick(s, 2, 6, 50), Seed: Seed, Grid: simulate.LinearGrid(rounds, 50),
		Fingerprint: fmt.Sprintf("K 100, d 5, epsilon %d, delta %g, alpha 1/T", LongEpsilon, Delta),
	}
	for _, name := range []string{LongKnown, LongRidge, LongAnytime, LongForgets, LongCombiner, LongTheory} {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return longPolicy(name, rounds) }})
	}
	return e
}

func experimentsLong(s lab.Scale) []*simulate.Experiment { return []*simulate.Experiment{Long(s)} }

func reportLong(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy", "regret", "SE", "trials")
	for _, c := range tables[0].Curves {
		_, mean, se := lab.Last(c)
		t.Add(c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), c.Trials)
	}
	t.Caption = fmt.Sprintf("Regret at round %s, ε = %d, δ = %g, sound noise, OGD, fixed arms. Scaled: the combiner's bounds × 0.02, its targets × 0.01", cell.Thousands(tables[0].Provenance.Rounds), LongEpsilon, Delta)
	t.Scale = string(s)
	return t, nil
}

// FigureLong draws the variants' regret.
func FigureLong(t *simulate.Table, scale string) *charts.Figure {
	f := charts.Regret("Knowing less: the anytime variant and the combiner", t.Curves)
	f.Scale = scale
	f.Caption += fmt.Sprintf(". ε = %d, δ = %g, sound noise, OGD, fixed arms", LongEpsilon, Delta)
	return f
}

// PlayCombiner plays one trial of the combiner with factors of its bounds and targets, and returns
// what its choice is made of at the end.
func PlayCombiner(s lab.Scale, bounds, targets float64) ([]learner.BaseStanding, error) {
	env, l, horizon := Arms(true), longCombiner(bounds, targets), cell.Pick(s, 5_000, 100_000, 100_000)
	if err := l.Init(env.Problem(), horizon); err != nil {
		return nil, err
	}
	env.Reset(random.New(Seed, 0, "contexts"))
	l.Reset(random.New(Seed, 0, "own"), random.Source(Seed, 0, "noise"))
	rewards := random.New(Seed, 0, "rewards")
	var v bandit.View
	arms, y := make([]int, 0, 1), []float64{0}
	for range horizon {
		env.Next(&v)
		arms = l.Select(&v, arms[:0])
		env.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
	}
	return l.Server.(*learner.CombinerServer).Standings(nil), l.Err()
}

// claimCombiner: the constants of the theory make the choice vacuous, and none of the variants
// blows up.
func claimCombiner(lab.Scale) (string, error) {
	theory, err := PlayCombiner(lab.Smoke, 1, 1)
	if err != nil {
		return "", err
	}
	idle := 0
	for i, b := range theory {
		if b.Target < 1 {
			return "", fmt.Errorf("base %d: target %.3g, want at least 1, the range of rewards", i+1, b.Target)
		}
		if b.Played == 0 {
			idle++
		}
	}
	if idle == 0 {
		return "", fmt.Errorf("with the constants of the theory every base learner has played")
	}
	t, err := results.Table(Long(lab.Paper).Name)
	if err != nil {
		return "", err
	}
	round, _, _ := lab.Last(t.Curves[0])
	var evidence string
	for _, c := range t.Curves {
		_, mean, se := lab.Last(c)
		if mean > 0.25*0.4*float64(round) { // a random arm costs 0.4 a round or more
			return "", fmt.Errorf("%s: regret %.0f after %d rounds, more than a quarter of what random arms cost", c.Policy, mean, round)
		}
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", c.Policy, mean, se)
	}
	return evidence + fmt.Sprintf("round %s; with the theory's constants targets are %.3g at least, for rewards in [0, 1], and %d base learners never play", cell.Thousands(round), minTarget(theory), idle), nil
}

func minTarget(list []learner.BaseStanding) float64 {
	m := math.Inf(1)
	for _, b := range list {
		m = math.Min(m, b.Target)
	}
	return m
}
