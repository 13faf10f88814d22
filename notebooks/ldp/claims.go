package ldp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The claims of notebook 01. Each is checked by running it, or against a committed table and by a
// shorter run.
var Claims = lab.Claims{
	{"messages", "a message of OnlineUCB is the row's four private coordinates and the reward, without bias, under Gaussian noise of σ = √3/μ", claimWire},
	{"published noise", "the printed σ of OnlineUCB does not buy its ε from 1 on at δ = 10⁻⁵, nor in Figure 1 (c); the claim is exact for the farthest rows", claimBuys},
	{"batches", "shuffling never asks for more noise than the local model, saves nothing in batches of 20, and more in larger ones where it saves at all", claimBatches},
	{"loss", "the squared loss of messages is least at (G + σ²I)⁻¹Gθ*, the corrected loss at θ*", claimLoss},
	{"online learners", "Maler is within ten times the best of learners that are told more, on convex, strongly convex and exp-concave losses, and never near the worst", claimStreams},
	{"prediction sets", "θ* is on the edge of the oracle's set in every round, for thousands of rounds inside that of width × 4, and outside that of width × 0.2", claimSets},
	{"figure 1", "OnlineUCB with OGD is ahead of all rivals as printed at ε = 10, of those with S = √d at ε = 1, and of none at ε = 0.2; with Maler of none at ε ≤ 1; at ε ≤ 1 it is behind the script's", claimFigure1},
	{"script", "the script's three policies have the regrets here that they have in an implementation apart from this one", claimScript},
	{"eigenvalues", "the least eigenvalue across experiments says nothing about a run: there it vanishes for few fixed arms, and not for as many fresh ones", claimEigen},
	{"radius", "at ε = 10 a width × 4 is best and has less than a third of the regret of × 0.2 and × 16; at ε = 1 no factor halves the regret of another", claimRadius},
	{"equal privacy", "with sound noise and tuned widths joint privacy costs least at every ε, then shuffling, then the local model, where OnlineUCB is ahead of LDP LinUCB at ε = 10 and behind at 1", claimEqual},
	{"knowing less", "the theory's constants make the combiner's choice vacuous; at ε = 10 no variant has a quarter of the regret of random arms after 100,000 rounds", claimCombiner},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

func claimFigure1(s lab.Scale) (string, error) {
	var evidence []string
	for _, epsilon := range Epsilons {
		var tables []*simulate.Table
		for _, e := range Experiments1(lab.Paper, epsilon) {
			t, err := results.Table(e.Name)
			if err != nil {
				return "", err
			}
			tables = append(tables, t)
		}
		root, one, script := 0, 0, -1 // how OnlineUCB stands
		switch epsilon {
		case 1:
			root = 1
		case 10:
			root, one = 1, 1
		}
		list := []lab.Comparison{{OnlineOGD, JDPPrinted, root}, {OnlineOGD, SDPPrinted, root}, {OnlineOGD, LDPPrinted, root},
			{OnlineOGD, JDPPrintedOne, one}, {OnlineOGD, SDPPrintedOne, one}, {OnlineOGD, LDPPrintedOne, one}}
		if epsilon < 10 {
			list = append(list, lab.Comparison{OnlineMaler, JDPPrinted, 0}, lab.Comparison{OnlineMaler, SDPPrinted, 0}, lab.Comparison{OnlineMaler, LDPPrinted, 0})
		}
		if epsilon == 10 {
			list = append(list, lab.Comparison{OnlineMaler, JDPPrintedOne, 1}, lab.Comparison{OnlineOGD, JDPScript, 0}, lab.Comparison{OnlineOGD, SDPScript, 0}, lab.Comparison{OnlineOGD, LDPScript, 1})
		} else {
			list = append(list, lab.Comparison{OnlineOGD, JDPScript, script}, lab.Comparison{OnlineOGD, SDPScript, script}, lab.Comparison{OnlineOGD, LDPScript, script})
		}
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), tables, list...); err != nil {
			return "", err
		}
		c, err := lab.Curve(tables, OnlineOGD)
		if err != nil {
			return "", err
		}
		_, mean, se := lab.Last(c)
		evidence = append(evidence, fmt.Sprintf("ε = %g: OnlineUCB %.0f ± %.0f", epsilon, mean, se))
	}
	trials := cell.Pick(s, 6, 6, 20)
	t, err := brief1(10, trials, JDPPrintedOne, LDPPrintedOne, OnlineOGD)
	if err != nil {
		return "", err
	}
	if err := lab.Compare(fmt.Sprintf("%d trials, ε = 10", trials), []*simulate.Table{t}, lab.Comparison{OnlineOGD, JDPPrintedOne, 1}, lab.Comparison{OnlineOGD, LDPPrintedOne, 1}); err != nil {
		return "", err
	}
	return strings.Join(evidence, "; ") + fmt.Sprintf("; and %d trials now at ε = 10", trials), nil
}

// brief1 runs a few policies of Figure 1 for a claim: on the script's arms if they are the
// script's.
func brief1(epsilon float64, trials int, names ...string) (*simulate.Table, error) {
	arms := Arms(true)
	if strings.Contains(names[0], "script") {
		arms = ScriptArms()
	}
	return briefly(fmt.Sprintf("claim-%s-%g", names[0], epsilon), trials, func() bandit.Environment { e := *arms; return &e }, names, func(name string) bandit.Learner { return Policy(name, epsilon) })
}

func briefly(name string, trials int, env func() bandit.Environment, names []string, policy func(string) bandit.Learner) (*simulate.Table, error) {
	e := experiment(lab.Lecture, name, env)
	e.Trials = trials
	for _, name := range names {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return policy(name) }})
	}
	r, err := e.Run(context.Background())
	if err != nil {
		return nil, err
	}
	return r.Table(), nil
}

// claimScript compares with the means of the other implementation, within three combined standard
// errors.
func claimScript(s lab.Scale) (string, error) {
	trials := cell.Pick(s, 20, 20, 50)
	now, err := brief1(1, trials, JDPScript, SDPScript, LDPScript)
	if err != nil {
		return "", err
	}
	worst, compared := 0.0, 0
	for _, epsilon := range Epsilons {
		committed, err := results.Table(Experiments1(lab.Paper, epsilon)[1].Name)
		if err != nil {
			return "", err
		}
		tables := []*simulate.Table{committed}
		if epsilon == 1 {
			tables = append(tables, now)
		}
		for _, t := range tables {
			for _, c := range t.Curves {
				other, ok := scriptElsewhere[epsilon][c.Policy]
				if !ok {
					continue
				}
				_, mean, se := lab.Last(c)
				z := (mean - other[0]) / math.Hypot(se, other[1])
				if math.Abs(z) > 3 {
					return "", fmt.Errorf("ε = %g, %s: %.0f ± %.0f of %d trials, %.0f ± %.0f elsewhere: z = %.1f", epsilon, c.Policy, mean, se, c.Trials, other[0], other[1], z)
				}
				worst = math.Max(worst, math.Abs(z))
				compared++
			}
		}
	}
	return fmt.Sprintf("%d regrets, three of them of %d trials now, at most %.1f combined standard errors apart", compared, trials, worst), nil
}

func claimRadius(s lab.Scale) (string, error) {
	final := func(t *simulate.Table, width float64) float64 {
		c, err := t.Curve(RadiusName(width))
		if err != nil {
			return math.NaN()
		}
		_, mean, _ := lab.Last(c)
		return mean
	}
	ten, err := results.Table(Radius(lab.Paper, 10).Name)
	if err != nil {
		return "", err
	}
	one, err := results.Table(Radius(lab.Paper, 1).Name)
	if err != nil {
		return "", err
	}
	low, high := math.Inf(1), 0.0
	for _, width := range Widths {
		if width != 4 {
			if z, err := lab.Lead([]*simulate.Table{ten}, RadiusName(4), RadiusName(width)); err != nil || z < 3 {
				return "", fmt.Errorf("ε = 10: width × 4 is ahead of × %g by %.1f standard errors: %v", width, z, err)
			}
		}
		low, high = math.Min(low, final(one, width)), math.Max(high, final(one, width))
	}
	if best := final(ten, 4); best > final(ten, 0.2)/3 || best > final(ten, 16)/3 {
		return "", fmt.Errorf("ε = 10: regret %.0f at × 4, %.0f at × 0.2 and %.0f at × 16", best, final(ten, 0.2), final(ten, 16))
	}
	if high > 2*low {
		return "", fmt.Errorf("ε = 1: from %.0f to %.0f", low, high)
	}
	r := Radius(lab.Lecture, 10)
	r.Trials = cell.Pick(s, 6, 6, 20)
	result, err := r.Run(context.Background())
	if err != nil {
		return "", err
	}
	now := result.Table()
	if best := final(now, 4); best > final(now, 0.2)/2 || best > final(now, 16)/2 {
		return "", fmt.Errorf("%d trials, ε = 10: regret %.0f at × 4, %.0f at × 0.2 and %.0f at × 16", r.Trials, best, final(now, 0.2), final(now, 16))
	}
	return fmt.Sprintf("ε = 10: %.0f, %.0f and %.0f at × 0.2, 4 and 16; ε = 1: from %.0f to %.0f; %d trials now at ε = 10: %.0f, %.0f and %.0f",
		final(ten, 0.2), final(ten, 4), final(ten, 16), low, high, r.Trials, final(now, 0.2), final(now, 4), final(now, 16)), nil
}

func claimEqual(s lab.Scale) (string, error) {
	const blt, sdp, ldp, ours = "JDP, BLT, width × 0.2", "SDP, vector sum, width × 0.2", "LDP LinUCB, width × 0.2", "OnlineUCB, width × 4"
	var evidence []string
	for _, epsilon := range Epsilons {
		t, err := results.Table(Equal(lab.Paper, epsilon).Name)
		if err != nil {
			return "", err
		}
		for _, p := range equals {
			if proved := lab.TrueEpsilon(t, p.name); proved > epsilon*(1+1e-3) && !strings.HasPrefix(p.name, LinUCBPublic) {
				return "", fmt.Errorf("%s: ε = %g at %g", p.name, proved, epsilon)
			}
		}
		list := []lab.Comparison{{blt, sdp, 1}, {sdp, ours, 1}, {sdp, ldp, 1}}
		switch epsilon {
		case 1:
			list = append(list, lab.Comparison{ours, ldp, -1})
		case 10:
			list = append(list, lab.Comparison{ours, ldp, 1})
		}
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), []*simulate.Table{t}, list...); err != nil {
			return "", err
		}
		row := fmt.Sprintf("ε = %g:", epsilon)
		for _, name := range []string{blt, sdp, ldp, ours} {
			c, err := t.Curve(name)
			if err != nil {
				return "", err
			}
			_, mean, _ := lab.Last(c)
			row += fmt.Sprintf(" %.0f", mean)
		}
		evidence = append(evidence, row)
	}
	trials := cell.Pick(s, 6, 6, 20)
	names := []string{blt, ours}
	now, err := briefly("claim-equal", trials, func() bandit.Environment { return Arms(true) }, names, func(name string) bandit.Learner {
		for _, p := range equals {
			if p.name == name {
				return p.make(Budget(1))
			}
		}
		panic(name)
	})
	if err != nil {
		return "", err
	}
	_, central, _ := lab.Last(now.Curves[0])
	_, local, _ := lab.Last(now.Curves[1])
	if central > local/3 || central > 1000 {
		return "", fmt.Errorf("%d trials, ε = 1: regret %.0f of %s and %.0f of %s", trials, central, blt, local, ours)
	}
	return "regret of JDP, SDP, LDP LinUCB, OnlineUCB: " + strings.Join(evidence, "; ") + fmt.Sprintf("; %d trials now at ε = 1: JDP %.0f, OnlineUCB %.0f", trials, central, local), nil
}
