package ldp

import (
	"context"
	"fmt"
	"math"
	"slices"
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
	{"rates", "on the paper's arms OnlineUCB's regret grows more slowly than √T at ε = 10, and faster than T^(3/4) at ε = 1", claimRates},
	{"messages", "a message of OnlineUCB is the row's four private coordinates and the reward, without bias, under Gaussian noise of σ = √3/μ", claimWire},
	{"published noise", "the printed σ of OnlineUCB does not buy its ε from 1 on at δ = 10⁻⁵, nor in Figure 1 (c); the claim is exact for the farthest rows", claimBuys},
	{"batches", "shuffling never asks for more noise than the local model, saves nothing in batches of 20, and more in larger ones where it saves at all", claimBatches},
	{"loss", "the squared loss of messages is level at (G + σ²I)⁻¹Gθ*, the corrected loss at θ*", claimLoss},
	{"online learners", "up to T = 10,000 Maler is within ten times the best on all three kinds of losses, by a factor that grows on strongly convex ones; gradient descent told curvature 1 comes last on exp-concave losses and beats plain gradient descent on convex ones", claimStreams},
	{"prediction sets", "θ* is on the edge of the oracle's set in every round, for thousands of rounds inside that of width × 4, and in some outside that of width × 0.2", claimSets},
	{"event", "the paper's event E₁, granted with probability 1 - α, fails more often than it holds for d = 5, T = 20,000, α = 0.05", claimEvent},
	{"figure 1", "OnlineUCB with OGD is ahead of all rivals as printed at ε = 10, of those with S = √d alone at ε = 1, and of none, nor of random arms, at ε = 0.2; with Maler of none at ε ≤ 1; of the script's rivals it is behind at ε ≤ 1, but for LDP with S = √d at 0.2, and at ε = 10 ahead of all but JDP and SDP with S = 1", claimFigure1},
	{"script", "the script's three policies have the regrets here that they have in an implementation apart from this one", claimScript},
	{"eigenvalues", "the least eigenvalue across experiments says nothing about a run: there it vanishes for 5 fixed arms and for 100, fixed or fresh, and not for 5 fresh ones", claimEigen},
	{"radius", "at ε = 10 a width × 4 is best and has less than a third of the regret of × 0.2 and × 16; at ε = 1 no factor halves the regret of another", claimRadius},
	{"equal privacy", "with sound noise and tuned widths joint privacy costs least at every ε, then shuffling, then the local model, where OnlineUCB is ahead of LDP LinUCB at ε = 10 only", claimEqual},
	{"knowing less", "at T = 100,000 the theory's constants leave at most two of four base learners to choose from, with targets above any reward; at ε = 10 all variants have less than a quarter of random arms' regret, and those that do not know T more than the learner that does", claimCombiner},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

func claimFigure1(s lab.Scale) (string, error) {
	rivals := func(want int, names ...string) (list []lab.Comparison) {
		for _, name := range names {
			list = append(list, lab.Comparison{A: OnlineOGD, B: name, Want: want})
		}
		return list
	}
	expected := map[float64][]lab.Comparison{
		0.2: slices.Concat(rivals(0, RandomArms, JDPPrinted, SDPPrinted, LDPPrinted, JDPPrintedOne, SDPPrintedOne, LDPPrintedOne, LDPScriptRoot),
			rivals(-1, JDPScriptRoot, SDPScriptRoot, JDPScript, SDPScript, LDPScript)),
		1: slices.Concat(rivals(1, JDPPrinted, SDPPrinted, LDPPrinted), rivals(0, JDPPrintedOne, SDPPrintedOne, LDPPrintedOne),
			rivals(-1, JDPScriptRoot, SDPScriptRoot, LDPScriptRoot, JDPScript, SDPScript, LDPScript)),
		10: slices.Concat(rivals(1, JDPPrinted, SDPPrinted, LDPPrinted, JDPPrintedOne, SDPPrintedOne, LDPPrintedOne, JDPScriptRoot, SDPScriptRoot, LDPScriptRoot, LDPScript),
			rivals(0, JDPScript, SDPScript)),
	}
	var evidence []string
	for _, epsilon := range Epsilons {
		honest, script := MustTables1(epsilon)
		tables := []*simulate.Table{honest, script}
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), tables, expected[epsilon]...); err != nil {
			return "", err
		}
		_, random, _ := lab.Last(cell.Try(honest.Curve(RandomArms)))
		for _, name := range []string{JDPPrinted, SDPPrinted, LDPPrinted, JDPPrintedOne, SDPPrintedOne, LDPPrintedOne} {
			if z, err := lab.Lead(tables, OnlineMaler, name); err != nil || epsilon == 10 && z < 3 || epsilon < 10 && z > 3 {
				return "", fmt.Errorf("ε = %g: with Maler OnlineUCB is ahead of %s by %.1f standard errors: %v", epsilon, name, z, err)
			}
		}
		_, mean, se := lab.Last(cell.Try(honest.Curve(OnlineOGD)))
		evidence = append(evidence, fmt.Sprintf("ε = %g: OnlineUCB %.0f ± %.0f, random arms %.0f", epsilon, mean, se, random))
	}
	trials := cell.Pick(s, 6, 6, 20)
	t, err := brief1(10, trials, JDPPrintedOne, LDPPrintedOne, OnlineOGD)
	if err != nil {
		return "", err
	}
	return strings.Join(evidence, "; ") + fmt.Sprintf("; and %d trials now at ε = 10", trials),
		lab.Compare(fmt.Sprintf("%d trials, ε = 10", trials), []*simulate.Table{t}, rivals(1, JDPPrintedOne, LDPPrintedOne)...)
}

// brief1 runs a few policies of Figure 1 for a claim: on the script's arms if they are the
// script's.
func brief1(epsilon float64, trials int, names ...string) (*simulate.Table, error) {
	arms := Arms(true)
	if strings.Contains(names[0], "script") {
		arms = ScriptArms()
	}
	e := experiment(lab.Lecture, fmt.Sprintf("claim-%s-%g", names[0], epsilon), func() bandit.Environment { e := *arms; return &e })
	e.Trials = trials
	for _, name := range names {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, New: func() bandit.Learner { return Policy(name, epsilon) }})
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
	ten, one := lab.MustTable(Radius(lab.Paper, 10).Name), lab.MustTable(Radius(lab.Paper, 1).Name)
	low, high := math.Inf(1), 0.0
	for _, width := range Widths {
		if width != 4 {
			if z, err := lab.Lead([]*simulate.Table{ten}, RadiusName(4), RadiusName(width)); err != nil || z < 3 {
				return "", fmt.Errorf("ε = 10: width × 4 is ahead of × %g by %.1f standard errors: %v", width, z, err)
			}
		}
		low, high = min(low, regret(one, width)), max(high, regret(one, width))
	}
	if best := regret(ten, 4); best > regret(ten, 0.2)/3 || best > regret(ten, 16)/3 {
		return "", fmt.Errorf("ε = 10: regret %.0f at × 4, %.0f at × 0.2 and %.0f at × 16", best, regret(ten, 0.2), regret(ten, 16))
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
	if best := regret(now, 4); best > regret(now, 0.2)/2 || best > regret(now, 16)/2 {
		return "", fmt.Errorf("%d trials, ε = 10: regret %.0f at × 4, %.0f at × 0.2 and %.0f at × 16", r.Trials, best, regret(now, 0.2), regret(now, 16))
	}
	return fmt.Sprintf("ε = 10: %.0f, %.0f and %.0f at × 0.2, 4 and 16; ε = 1: from %.0f to %.0f; %d trials now at ε = 10: %.0f, %.0f and %.0f",
		regret(ten, 0.2), regret(ten, 4), regret(ten, 16), low, high, r.Trials, regret(now, 0.2), regret(now, 4), regret(now, 16)), nil
}

// regret returns the mean regret at a width in a table of the radius study.
func regret(t *simulate.Table, width float64) float64 {
	_, mean, _ := lab.Last(cell.Try(t.Curve(RadiusName(width))))
	return mean
}

func claimEqual(s lab.Scale) (string, error) {
	var evidence []string
	for _, epsilon := range Epsilons {
		t := lab.MustTable(Equal(lab.Paper, epsilon).Name)
		for _, p := range equals {
			if proved := lab.TrueEpsilon(t, p.name); proved > epsilon*(1+1e-3) && !strings.HasPrefix(p.name, LinUCBPublic) {
				return "", fmt.Errorf("%s: ε = %g at %g", p.name, proved, epsilon)
			}
		}
		ours := BestWidth(t)
		list := []lab.Comparison{{A: bltTuned, B: sdpTuned, Want: 1}, {A: sdpTuned, B: ours, Want: 1}, {A: sdpTuned, B: ldpTuned, Want: 1}}
		if epsilon == 10 {
			list = append(list, lab.Comparison{A: ours, B: ldpTuned, Want: 1})
		} else if z, err := lab.Lead([]*simulate.Table{t}, ours, ldpTuned); err != nil || z > 0 {
			return "", fmt.Errorf("ε = %g: OnlineUCB is ahead of LDP LinUCB by %.1f standard errors: %v", epsilon, z, err)
		}
		if err := lab.Compare(fmt.Sprintf("paper scale, ε = %g", epsilon), []*simulate.Table{t}, list...); err != nil {
			return "", err
		}
		row := fmt.Sprintf("ε = %g:", epsilon)
		for _, name := range []string{bltTuned, sdpTuned, ldpTuned, ours} {
			_, mean, _ := lab.Last(cell.Try(t.Curve(name)))
			row += fmt.Sprintf(" %.0f", mean)
		}
		evidence = append(evidence, row+fmt.Sprintf(" (%s)", ours))
	}
	e := Equal(lab.Lecture, 1)
	e.Trials, e.Pairs = cell.Pick(s, 6, 6, 20), nil
	e.Policies = slices.DeleteFunc(e.Policies, func(p simulate.Policy) bool { return p.Name != bltTuned && p.Name != OnlineWidth(1) })
	r, err := e.Run(context.Background())
	if err != nil {
		return "", err
	}
	_, central, _ := lab.Last(r.Curves()[0])
	_, local, _ := lab.Last(r.Curves()[1])
	if central > local/3 || central > 1000 {
		return "", fmt.Errorf("%d trials, ε = 1: regret %.0f of %s and %.0f of %s", e.Trials, central, bltTuned, local, OnlineWidth(1))
	}
	return "regret of JDP, SDP, LDP LinUCB, OnlineUCB: " + strings.Join(evidence, "; ") + fmt.Sprintf("; %d trials now at ε = 1: JDP %.0f, OnlineUCB × 1 %.0f", e.Trials, central, local), nil
}
