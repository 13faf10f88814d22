package ldp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
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

func experimentsRadius(s lab.Scale) (list []*simulate.Experiment) {
	for _, epsilon := range Epsilons {
		list = append(list, Radius(s, epsilon))
	}
	return list
}

func reportRadius(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := byEpsilon(tables, []string{"width ×"}, true, func(policy string) []any { return []any{strings.TrimPrefix(policy, "width × ")} })
	t.Caption = fmt.Sprintf("Regret of OnlineUCB at round %s by the factor of its confidence width; sound noise, OGD, fixed arms, %d trials, seed %d. Worst tenth: nine trials of ten have less", cell.Thousands(tables[0].Provenance.Rounds), tables[0].Curves[0].Trials, Seed)
	t.Scale = string(s)
	return t, nil
}

// byEpsilon lays out the last regrets of tables, one for each epsilon, with a row a policy.
func byEpsilon(tables []*simulate.Table, head []string, tails bool, row func(policy string) []any) *charts.Table {
	t := charts.NewTable(head...)
	t.Align = strings.Repeat("l", len(head))
	for _, epsilon := range Epsilons {
		t.Headers, t.Align = append(t.Headers, fmt.Sprintf("ε = %g", epsilon), "SE"), t.Align+"rr"
		if tails {
			t.Headers, t.Align = append(t.Headers, "worst tenth"), t.Align+"r"
		}
	}
	for k, c := range tables[0].Curves {
		if strings.Contains(c.Policy, " - ") {
			continue // a difference
		}
		cells := row(c.Policy)
		for i := range Epsilons {
			_, mean, se := lab.Last(tables[i].Curves[k])
			cells = append(cells, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se))
			if tails {
				tail := tables[i].Curves[k].Q90
				cells = append(cells, fmt.Sprintf("%.0f", tail[len(tail)-1]))
			}
		}
		t.Add(cells...)
	}
	return t
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
	{bltTuned, func(b privacy.Budget) bandit.Learner { return tunedJDP(&mechanism.BLT{Budget: b}, 0.2) }},
	{"JDP, tree, width × 0.2", func(b privacy.Budget) bandit.Learner {
		return tunedJDP(&mechanism.Tree{Noise: &mechanism.Gaussian{Budget: b}}, 0.2)
	}},
	{"JDP, tree, width × 1", func(b privacy.Budget) bandit.Learner { return jdp.Gaussian(b, privacy.Sound) }},
	{sdpTuned, func(b privacy.Budget) bandit.Learner { return vectorSum(b, 0.2) }},
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

// The rivals with a tuned width at equal privacy.
const (
	bltTuned = "JDP, BLT, width × 0.2"
	sdpTuned = "SDP, vector sum, width × 0.2"
	ldpTuned = "LDP LinUCB, width × 0.2"
)

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
	t := byEpsilon(tables, []string{"policy", "trust model"}, false, func(policy string) []any {
		if strings.HasPrefix(policy, LinUCBPublic) {
			return []any{policy, "none"}
		}
		return []any{policy, lab.ClaimLine(tables[0].Claims[policy], "model")}
	})
	t.Caption = fmt.Sprintf("Regret at round %s, all with sound noise at the same ε and δ = %g, fixed arms, %d trials, seed %d; vector sums of batches of %d. Widths other than × 1 are tuned: no theorem holds for them, nor for OnlineUCB's × 1", cell.Thousands(tables[0].Provenance.Rounds), Delta, tables[0].Curves[0].Trials, Seed, EqualBatch)
	t.Scale = string(s)
	return t, nil
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
	t.Caption = fmt.Sprintf("Regret at round %s, ε = %d, δ = %g, sound noise, OGD, fixed arms, seed %d. Scaled: the combiner's bounds × 0.02, its targets × 0.01", cell.Thousands(tables[0].Provenance.Rounds), LongEpsilon, Delta, Seed)
	t.Scale = string(s)
	return t, nil
}

// claimCombiner: at T = 100,000 the theory's constants ask for more than rewards can hold and leave
// at most two of four base learners to choose from; all variants learn, and forgetting is what
// costs most.
func claimCombiner(lab.Scale) (string, error) {
	const rounds = 100_000
	l := longCombiner(1, 1)
	if err := simulate.Play(Arms(true), l, rounds, Seed, func(*bandit.View, []int) {}); err != nil {
		return "", err
	}
	playing, least := 0, math.Inf(1)
	standings := l.Server.(*learner.CombinerServer).Standings(nil)
	for _, b := range standings {
		least = min(least, b.Target)
		if b.Played > 0 {
			playing++
		}
	}
	if len(standings) != 4 || playing > 2 || least < 1 {
		return "", fmt.Errorf("%d of %d base learners play, and the least target is %.3g; want at most 2 of 4, and more than 1", playing, len(standings), least)
	}
	guesses := learner.CombinerGuesses(rounds)[1:]
	if slices.Min(guesses) < 0.2 {
		return "", fmt.Errorf("the guesses %.3g of a least eigenvalue begin below 1/d", guesses)
	}
	tables := []*simulate.Table{lab.MustTable(Long(lab.Paper).Name)}
	honest, _ := MustTables1(LongEpsilon)
	_, random, _ := lab.Last(cell.Try(honest.Curve(RandomArms)))
	random *= rounds / Horizon // a random arm costs the same in every round
	var evidence string
	for _, c := range tables[0].Curves {
		_, mean, se := lab.Last(c)
		if mean > random/4 {
			return "", fmt.Errorf("%s: regret %.0f, more than a quarter of random arms' %.0f", c.Policy, mean, random)
		}
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", c.Policy, mean, se)
	}
	err := lab.Compare("T = 100,000", tables, lab.Comparison{A: LongKnown, B: LongForgets, Want: 1}, lab.Comparison{A: LongKnown, B: LongAnytime, Want: 1},
		lab.Comparison{A: LongKnown, B: LongCombiner, Want: 1}, lab.Comparison{A: LongKnown, B: LongTheory, Want: 1})
	return evidence + fmt.Sprintf("random arms: %.0f; with the theory's constants the least target is %.3g", random, least), err
}
