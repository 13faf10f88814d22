package jdp

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The claims of notebook 03. Each is checked by running it; claims_test.go breaks the code once for
// each, in a place that the claim is about, and sees it fail.
var Claims = lab.Claims{
	{"decision sets", "the optimal arm has mean reward 0.75, the others stay at or below 0.75 less the gap, all on the unit sphere", claimDecisionSets},
	{"standard privacy fails", "an action that is ε-private towards its own context costs at least n/4 regret for ε < ln 2, joint privacy does not (Claim 13)", claimStandardPrivacy},
	{"joint privacy", "the sound Gaussian tree spends exactly the budget it is given (Claim 7, by exact accounting)", claimJointPrivacy},
	{"confidence sets", "θ* is in the confidence set of every round (Proposition 4)", claimConfidence},
	{"tree", "the release of round t carries the noise of popcount(t) nodes, and no row is in more than ⌊log2(n-1)⌋ + 1 nodes", claimTree},
	{"accurate bounds", "ρmin, ρmax and γ hold for every sampled release of both mechanisms (Definition 3)", claimBounds},
	{"dimension", "the regret of LinUCB grows faster than linearly in the dimension (Experiment 1)", claimDimension},
	{"gaussian beats wishart", "Gaussian noise costs less regret than Wishart noise (Experiment 2)", claimGaussianBeatsWishart},
	{"authors' curves", "what the authors ran, run again, agrees with their Figure 4 within 3 combined standard errors, and sound Gaussian noise costs at most a seventh of the printed noise's regret (paper scale)", claimAuthors},
	{"theorems hold", "the measured regret stays below the bounds of Theorems 5 and 6 (at most 1 time in n)", claimTheorems},
	{"shift", "the shift that minimises the regret bound is never worse than the printed one by that bound, and does not depend on the gap (Experiment 3)", claimShift},
	{"gap decides", "too large a shift costs several times more regret without a gap, and at most half of that factor with a gap of 0.1 (Experiment 3, paper scale)", claimGapDecides},
	{"wishart needs small epsilon", "Wishart noise for 1 or more of epsilon at a node is refused", claimWishartRefused},
	{"sound noise is enough", "noise calibrated exactly costs at most a quarter of the regret of the printed and of the authors' calibration, with the paper's rule for the shift as well as with the best shift", claimSoundGain},
	{"streaming", "at the same privacy LinUCB over the streaming factorisation has lower regret than over the binary tree, by more than 3 standard errors of the trial-by-trial difference, at this scale and at the paper's", claimStreaming},
	{"attacked", "audits of all releases, and of the actions that the others see, exclude no sound claim, and show at least a quarter of the epsilon of every exactly calibrated one", claimAttacked},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

func claimDecisionSets(lab.Scale) (string, error) {
	const rounds = 200
	worst, length := 0.0, 0.0
	for i, gap := range Gaps3 {
		env := &environment.DecisionSets{Dim: 5, Gap: gap}
		env.Reset(random.New(Seed, i, "contexts"))
		theta := env.Theta()
		var v bandit.View
		for range rounds {
			env.Next(&v)
			tops := 0
			for a := range v.Arms {
				var height, square float64
				for j, x := range v.Row(a) {
					height += x * theta[j]
					square += x * x
				}
				length = math.Max(length, math.Abs(square-1))
				if env.Regret([]int{a}) == 0 {
					tops++
					worst = math.Max(worst, math.Abs(height-0.75))
				} else {
					worst = math.Max(worst, math.Max(height-(0.75-gap), -0.75-height))
				}
			}
			if tops != 1 {
				return "", fmt.Errorf("%d optimal arms in a round, want 1", tops)
			}
		}
	}
	if worst > 1e-9 || length > 1e-9 {
		return "", fmt.Errorf("a mean reward is off its place by %.3g, a squared length by %.3g", worst, length)
	}
	return fmt.Sprintf("%d decision sets of 25 arms, three gaps; largest deviation %.1g", 3*rounds, math.Max(worst, length)), nil
}

func claimStandardPrivacy(s lab.Scale) (string, error) {
	e := Claim13(s)
	r, err := e.Run(context.Background())
	if err != nil {
		return "", err
	}
	n := float64(e.Horizon)
	var evidence string
	for _, c := range r.Curves() {
		_, mean, _ := lab.Last(c)
		evidence += fmt.Sprintf("%s: %.3f n; ", c.Policy, mean/n)
		if joint := c.Policy == "joint DP, ε = 0.2"; !joint && mean < n/4 || joint && mean > n/8 {
			return "", fmt.Errorf("%s has regret %.4g in n = %.4g rounds", c.Policy, mean, n)
		}
	}
	return evidence + fmt.Sprintf("n = %.0f", n), nil
}

func claimJointPrivacy(lab.Scale) (string, error) {
	var evidence string
	for _, eps := range []float64{0.2, 1, 10} {
		l := Gaussian(privacy.Budget{Epsilon: eps, Delta: 1e-5}, privacy.Sound)
		if err := l.Init((&environment.DecisionSets{Dim: 5}).Problem(), 20_000); err != nil {
			return "", err
		}
		claim := privacy.ClaimOf(l)
		// Recomputed here from the noise that the tree draws, not from what the mechanism says of itself.
		sd, nodes := measuredSD(l), 15.0
		spent := privacy.GaussianEpsilon(1e-5, math.Sqrt(nodes)*2/sd)
		evidence += fmt.Sprintf("ε = %g: claims %.4f, measured noise buys %.3f; ", eps, claim.Epsilon(), spent)
		if math.Abs(claim.Epsilon()/eps-1) > 1e-6 || math.Abs(spent/eps-1) > 0.05 {
			return "", fmt.Errorf("at epsilon = %g the claim is %v and the measured noise buys %v", eps, claim.Epsilon(), spent)
		}
	}
	return evidence + "n = 20000, δ = 1e-5", nil
}

// measuredSD estimates the standard deviation of a node's noise off the diagonal from draws of it,
// to 0.3%: the first release after a reset carries one node.
func measuredSD(l *learner.Private[privacy.Sums]) float64 {
	const draws = 4000
	zero, release := privacy.Row(make([]float64, 6)), make([]float64, 21)
	var sum float64
	var n int
	for i := range draws {
		l.Statistic.Reset(privacy.NewNoise(random.Source(Seed, i, "measured")))
		if _, err := l.Statistic.Add(zero); err != nil {
			return math.NaN()
		}
		l.Statistic.Release().Read(release)
		for row, p := 0, 0; row < 6; row++ {
			for col := 0; col <= row; col, p = col+1, p+1 {
				if col < row {
					sum += release[p] * release[p]
					n++
				}
			}
		}
	}
	return math.Sqrt(sum / float64(n))
}

// claimConfidence plays policies and asks in every round whether theta is in the set that the arm
// is chosen from.
func claimConfidence(s lab.Scale) (string, error) {
	rounds := cell.Pick(s, 2_000, 10_000, 10_000)
	var evidence string
	for i, name := range []string{NonPrivate, GaussianSound, GaussianAuthors, WishartPrinted} {
		env := &environment.DecisionSets{Dim: 5, Gap: 0.1}
		l := Policy(name, Budget)
		if err := l.Init(env.Problem(), Horizon); err != nil {
			return "", err
		}
		env.Reset(random.New(Seed, i, "contexts"))
		l.Reset(random.New(Seed, i, "own"), random.Source(Seed, i, "noise"))
		rewards := random.New(Seed, i, "rewards")
		theta := env.Theta()
		var v bandit.View
		arms, y, release := make([]int, 0, 1), make([]float64, 1), make([]float64, 21)
		worst := 0.0
		for range rounds {
			env.Next(&v)
			arms = l.Select(&v, arms[:0])
			l.Statistic.Release().Read(release)
			center, beta := linUCB(l).Confidence()
			var square float64 // |theta* - center|_V^2
			for row, p := 0, 0; row < 5; row++ {
				for col := 0; col <= row; col, p = col+1, p+1 {
					term := release[p] * (theta[row] - center[row]) * (theta[col] - center[col])
					if col < row {
						term *= 2
					}
					square += term
				}
			}
			worst = math.Max(worst, math.Sqrt(math.Max(0, square))/beta)
			env.Pull(rewards, arms, y)
			l.Update(&v, arms, y)
			if l.Err() != nil {
				return "", l.Err()
			}
		}
		if worst > 1 {
			return "", fmt.Errorf("%s: theta* left the confidence set: |theta* - centre|_V = %.3f beta", name, worst)
		}
		evidence += fmt.Sprintf("%s: at most %.2f β; ", name, worst)
	}
	return evidence + fmt.Sprintf("%d rounds each", rounds), nil
}

func claimTree(s lab.Scale) (string, error) {
	const n = 64
	resets := cell.Pick(s, 2_000, 8_000, 8_000)
	tree := &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}}
	if err := tree.Init(privacy.Setup{Dim: 2, Horizon: n, Bound: 1, Alpha: 1}); err != nil {
		return "", err
	}
	sd := tree.Noise.(*mechanism.Gaussian).SD()
	row, release := privacy.Row([]float64{0.6, 0.8}), make([]float64, 3)
	variance := make([]float64, n)
	for i := range resets {
		tree.Reset(privacy.NewNoise(random.Source(Seed, i, "tree")))
		for t := 1; t < n; t++ {
			if _, err := tree.Add(row); err != nil {
				return "", err
			}
			tree.Release().Read(release)
			noise := release[1] - 0.48*float64(t) // the entry off the diagonal
			variance[t] += noise * noise / (sd * sd) / float64(resets)
		}
	}
	held := make([]int, n)
	worst, nodes := 0.0, map[interval]bool{}
	for t := 1; t < n; t++ {
		prefix := mechanism.PrefixNodes(t)
		// A mean of chi-squares: its standard error is popcount sqrt(2/resets).
		worst = math.Max(worst, math.Abs(variance[t]/float64(len(prefix))-1)/math.Sqrt(2/float64(resets)))
		for _, node := range prefix {
			nodes[interval{node.First, node.Last}] = true
		}
	}
	most := 0
	for node := range nodes {
		for r := node.first; r <= node.last; r++ {
			held[r]++
			most = max(most, held[r])
		}
	}
	if worst > 5 { // 63 correlated tests of 5 standard errors: a false alarm of 4e-5 for a new seed
		return "", fmt.Errorf("the variance of a release is %.1f standard errors from popcount(t) s²", worst)
	}
	if most != 6 {
		return "", fmt.Errorf("a row is in %d released nodes, want 6", most)
	}
	return fmt.Sprintf("n = %d: variance within %.1f standard errors of popcount(t) s² in all rounds; a row is in at most %d nodes", n, worst, most), nil
}

type interval struct{ first, last int }

func claimBounds(s lab.Scale) (string, error) {
	resets := cell.Pick(s, 60, 300, 300)
	var evidence string
	for _, m := range []struct {
		name  string
		noise mechanism.NodeNoise
	}{
		{"Gaussian", &mechanism.Gaussian{Budget: Budget}},
		{"Wishart", &mechanism.Wishart{Budget: Budget}},
		{"Wishart as published", &mechanism.Wishart{Budget: Budget, Calibration: privacy.AsPublished}},
	} {
		sp, err := Spectrum(m.noise, 1024, resets)
		if err != nil {
			return "", err
		}
		if sp.Violations > 0 {
			return "", fmt.Errorf("%s: %d of %d releases break a bound, expected fewer than %.2g", m.name, sp.Violations, sp.Releases, float64(sp.Releases)/2/1024/1024)
		}
		// Bounds that nothing comes near would hold for any noise: the spread has to be used.
		used := (maxOf(sp.Largest) - minOf(sp.Least)) / (sp.Bounds.RhoMax - sp.Bounds.RhoMin)
		if used < 0.2 {
			return "", fmt.Errorf("%s: the eigenvalues fill only %.2f of the bounds", m.name, used)
		}
		evidence += fmt.Sprintf("%s: 0 of %d broken, %.0f%% of the range filled; ", m.name, sp.Releases, 100*used)
	}
	return evidence + "n = 1024", nil
}

func maxOf(x []float64) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = math.Max(m, v)
	}
	return m
}

func minOf(x []float64) float64 {
	m := math.Inf(1)
	for _, v := range x {
		m = math.Min(m, v)
	}
	return m
}

func claimDimension(s lab.Scale) (string, error) {
	dims := []int{4, 6, 8, 11, 16}
	var evidence string
	for _, law := range rewardLaws {
		var list []*simulate.Experiment
		for _, d := range dims {
			list = append(list, Experiment1(lab.Smoke, d, law))
		}
		results, err := simulate.RunAll(context.Background(), list, simulate.Options{})
		if err != nil {
			return "", err
		}
		slope, err := Slope(dims, lab.Tables(results))
		if err != nil {
			return "", err
		}
		if slope.Lo <= 1 {
			return "", fmt.Errorf("%s rewards: slope %.2f, 95%% interval from %.2f to %.2f", lawName(law), slope.Value, slope.Lo, slope.Hi)
		}
		evidence += fmt.Sprintf("%s: slope %.2f [%.2f, %.2f]; ", lawName(law), slope.Value, slope.Lo, slope.Hi)
	}
	return evidence + fmt.Sprintf("d = %v, 2000 rounds", dims), nil
}

// brief2 runs a few policies of Experiment 2 for a claim.
func brief2(s lab.Scale, gap float64, names ...string) (*simulate.Result, error) {
	e := experiment2(lab.Smoke, "claim", gap, 8, names)
	e.Rounds = cell.Pick(s, 30_000, 100_000, 100_000)
	e.Grid = simulate.LinearGrid(e.Rounds, 10)
	return e.Run(context.Background())
}

func claimGaussianBeatsWishart(s lab.Scale) (string, error) {
	r, err := brief2(s, 0, GaussianAuthors, WishartAuthors, GaussianPrinted, WishartPrinted)
	if err != nil {
		return "", err
	}
	var evidence string
	for _, pair := range [][2]string{{WishartAuthors, GaussianAuthors}, {WishartPrinted, GaussianPrinted}} {
		diff, err := r.Paired(pair[0], pair[1])
		if err != nil {
			return "", err
		}
		_, mean, se := lab.Last(diff)
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", diff.Policy, mean, se)
		if mean < 3*se {
			return "", fmt.Errorf("%s = %.0f with a standard error of %.0f", diff.Policy, mean, se)
		}
	}
	return evidence + fmt.Sprintf("%d rounds, gap 0", r.Provenance.Rounds), nil
}

// claimAuthors reads the committed tables.
func claimAuthors(lab.Scale) (string, error) {
	var evidence string
	for _, gap := range Gaps {
		tables := MustTables2(gap)
		for name, authors := range authorsCurves[gap] {
			c, err := lab.Curve(tables, name)
			if err != nil {
				return "", err
			}
			_, mean, se := lab.Last(c)
			if z := (mean - authors.Mean) / math.Hypot(se, authors.SE); math.Abs(z) > 3 {
				return "", fmt.Errorf("gap %g, %s: %.4g ± %.2g, the authors have %.4g: z = %.1f", gap, name, mean, se, authors.Mean, z)
			}
		}
		printed, err := lab.Curve(tables, GaussianPrinted)
		if err != nil {
			return "", err
		}
		sound, err := lab.Curve(tables, GaussianSound)
		if err != nil {
			return "", err
		}
		round, theirs, _ := lab.Last(printed)
		_, ours, _ := lab.Last(sound)
		if ours > theirs/7 {
			return "", fmt.Errorf("gap %g: sound Gaussian %.4g, printed Gaussian %.4g", gap, ours, theirs)
		}
		evidence += fmt.Sprintf("gap %g: %d curves agree at round %d, sound/printed = 1/%.1f; ", gap, len(authorsCurves[gap]), round, theirs/ours)
	}
	return evidence, nil
}

func claimTheorems(s lab.Scale) (string, error) {
	var evidence string
	for _, gap := range Gaps {
		r, err := brief2(s, gap, NonPrivate, GaussianSound)
		if err != nil {
			return "", err
		}
		for _, c := range r.Curves() {
			bounds, err := Theory(c.Policy, gap, c.Rounds)
			if err != nil {
				return "", err
			}
			for k := range c.Rounds {
				bound := math.Min(bounds.General[k], bounds.Gap[k])
				if c.Mean[k] > bound {
					return "", fmt.Errorf("%s, gap %g: regret %.4g at round %d, bound %.4g", c.Policy, gap, c.Mean[k], c.Rounds[k], bound)
				}
			}
			round, mean, _ := lab.Last(c)
			bound := math.Min(bounds.General[len(c.Rounds)-1], bounds.Gap[len(c.Rounds)-1])
			if bound > 10*1.5*float64(round) { // the most regret there can be is 1.5 a round
				return "", fmt.Errorf("%s, gap %g: the bound %.4g is more than ten times what %d rounds can cost: nothing is tested", c.Policy, gap, bound, round)
			}
			evidence += fmt.Sprintf("%s, gap %g: %.0f of %.3g; ", c.Policy, gap, mean, bound)
		}
	}
	return evidence, nil
}

func claimShift(lab.Scale) (string, error) {
	var evidence string
	for _, pair := range [][2]string{{GaussianTwice, GaussianSound}, {WishartFour, WishartSound}} {
		var rho [2]float64
		for i, gap := range Gaps {
			own, err := Theory(pair[0], gap, []int{Horizon})
			if err != nil {
				return "", err
			}
			opt, err := Theory(pair[1], gap, []int{Horizon})
			if err != nil {
				return "", err
			}
			if opt.General[0] > own.General[0] {
				return "", fmt.Errorf("%s: bound %.4g with the optimal shift, %.4g with the printed one", pair[1], opt.General[0], own.General[0])
			}
			rho[i] = opt.Bounds.RhoMin
			if i == 0 {
				evidence += fmt.Sprintf("%s: ρmin %.4g → %.4g, bound %.3g → %.3g; ", pair[1], own.Bounds.RhoMin, opt.Bounds.RhoMin, own.General[0], opt.General[0])
			}
		}
		if rho[0] != rho[1] {
			return "", fmt.Errorf("%s: the optimal rho_min is %v without a gap and %v with one", pair[1], rho[0], rho[1])
		}
	}
	return evidence, nil
}

// claimGapDecides compares, by mechanism, the worst shift beyond the best one with the best, in the
// committed tables.
func claimGapDecides(lab.Scale) (string, error) {
	tables := MustTables3()
	var evidence string
	for _, name := range Mechanisms {
		factor := make([]float64, len(tables)) // by gap
		for i, table := range tables {
			best, worst := math.Inf(1), 0.0
			for _, rho := range Rhos(lab.Paper) {
				c, err := table.Curve(Shifted(name, rho))
				if err != nil {
					return "", err
				}
				_, mean, _ := lab.Last(c)
				if mean < best {
					best, worst = mean, mean
				}
				worst = math.Max(worst, mean)
			}
			factor[i] = worst / best
		}
		none, large := factor[0], factor[len(factor)-1]
		if none < 2*large || none < 3 {
			return "", fmt.Errorf("%s: the worst shift costs %.1f times the best without a gap, %.1f times with one of %g", name, none, large, Gaps3[len(Gaps3)-1])
		}
		evidence += fmt.Sprintf("%s: %.1f times the best shift's regret without a gap, %.1f times with one; ", name, none, large)
	}
	return evidence, nil
}

func claimWishartRefused(lab.Scale) (string, error) {
	setup := privacy.Setup{Dim: 6, Horizon: 20_000, Bound: math.Sqrt2, Alpha: 1}
	b := privacy.Budget{Epsilon: 60, Delta: 0.1}
	sound := &mechanism.Wishart{Budget: b}
	for _, w := range []mechanism.NodeNoise{sound, &mechanism.Wishart{Budget: b, Calibration: privacy.AsPublished}, &authorsWishart{mechanism.Wishart{Budget: b}}} {
		if err := w.Init(setup); err == nil {
			return "", fmt.Errorf("%T: epsilon = 60 over 15 nodes is accepted", w)
		}
	}
	return sound.Init(setup).Error(), nil
}

func claimSoundGain(s lab.Scale) (string, error) {
	var evidence string
	for _, gap := range Gaps {
		r, err := brief2(s, gap, GaussianPrinted, GaussianAuthors, GaussianTwice, GaussianSound)
		if err != nil {
			return "", err
		}
		regret := map[string]float64{}
		for _, c := range r.Curves() {
			_, regret[c.Policy], _ = lab.Last(c)
		}
		for _, ours := range []string{GaussianTwice, GaussianSound} {
			for _, theirs := range []string{GaussianPrinted, GaussianAuthors} {
				if regret[ours] > regret[theirs]/4 {
					return "", fmt.Errorf("gap %g: regret %.0f of %s, want at most a quarter of the %.0f of %s", gap, regret[ours], ours, regret[theirs], theirs)
				}
			}
		}
		evidence += fmt.Sprintf("gap %g: printed %.0f, authors %.0f, sound with shift 2Υ %.0f, with the best shift %.0f; ",
			gap, regret[GaussianPrinted], regret[GaussianAuthors], regret[GaussianTwice], regret[GaussianSound])
	}
	return evidence + fmt.Sprintf("%d rounds", cell.Pick(s, 30_000, 100_000, 100_000)), nil
}

func claimStreaming(s lab.Scale) (string, error) {
	evidence := ""
	for _, gap := range Gaps {
		e := Streaming(s, gap)
		r, err := e.Run(context.Background())
		if err != nil {
			return "", err
		}
		for _, p := range r.Policies {
			if p.Claim.Epsilon() > Budget.Epsilon*(1+1e-9) || p.Claim.Asked() != Budget {
				return "", fmt.Errorf("%s has epsilon = %v at %v, want at most that of the others", p.Name, p.Claim.Epsilon(), p.Claim.Asked())
			}
		}
		committed, err := results.Table(e.Name)
		if err != nil {
			return "", err
		}
		for where, t := range map[string]*simulate.Table{string(s): r.Table(), "paper scale": committed} {
			c, err := t.Curve(BLTSound + " - " + GaussianSound)
			if err != nil {
				return "", err
			}
			round, mean, se := lab.Last(c)
			tree, err := t.Curve(GaussianSound)
			if err != nil {
				return "", err
			}
			_, base, _ := lab.Last(tree)
			if !(mean < -3*se) {
				return "", fmt.Errorf("gap %g, %s: the difference is %.0f ± %.0f", gap, where, mean, se)
			}
			if t == committed {
				evidence += fmt.Sprintf("gap %g, round %d: %.0f ± %.0f of the tree's %.0f, %d trials; ", gap, round, mean, se, base, c.Trials)
			}
		}
	}
	return evidence + "every policy at the same epsilon and delta", nil
}

func claimAttacked(lab.Scale) (string, error) {
	r, err := Audit(context.Background(), lab.Smoke)
	if err != nil {
		return "", err
	}
	least, calibrated := math.Inf(1), 0
	for _, f := range r.Findings {
		if f.Excluded() {
			return "", fmt.Errorf("%s: epsilon >= %.3g, claimed %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
		}
		exact := f.Claim.Epsilon > suite.Budget.Epsilon*(1-1e-6) && !strings.Contains(f.Name, "Wishart") && !strings.Contains(f.Name, "secure")
		if exact {
			calibrated++
			least = math.Min(least, f.Epsilon/f.Claim.Epsilon)
			if f.Epsilon < f.Claim.Epsilon/4 {
				return "", fmt.Errorf("%s: the audit sees only %.3g of %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
			}
		}
	}
	if calibrated != 10 {
		return "", fmt.Errorf("%d audits of exactly calibrated claims, want five of releases and five of actions", calibrated)
	}
	return fmt.Sprintf("%d audits, %d excluded at %.4g%% confidence over all; %d are of exactly calibrated claims of %v, and each shows %.2f at least", len(r.Findings), r.Excluded(), 100*r.Confidence, calibrated, suite.Budget, least), nil
}
