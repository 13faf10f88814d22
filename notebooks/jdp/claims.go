package jdp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The claims of notebook 03. Each is checked by running it; claims_test.go breaks the code once for
// each, in a place that the claim is about, and sees it fail.
var Claims = assert.Claims{
	{"standard privacy fails", "an action that is ε-private towards its own context costs at least n/4 regret for ε < ln 2, joint privacy does not (Claim 13)", claimStandardPrivacy},
	{"joint privacy", "the sound Gaussian tree spends exactly the budget it is given (Claim 7, by exact accounting)", claimJointPrivacy},
	{"confidence sets", "θ* is in the confidence set of every round (Proposition 4)", claimConfidence},
	{"tree", "the release of round t carries the noise of popcount(t) nodes, and no row is in more than ⌊log2(n-1)⌋ + 1 nodes", claimTree},
	{"accurate bounds", "ρmin, ρmax and γ hold for every sampled release of both mechanisms (Definition 3)", claimBounds},
	{"dimension", "the regret of LinUCB grows faster than linearly in the dimension, with an exponent between 1.5 and 2.5; at the paper's scale the exponent is that of the authors' own fit to 0.02, regret is flat by the last round, and for ±1 rewards it is from a half to 0.95 of that for Gaussian ones (Experiment 1)", claimDimension},
	{"gaussian beats wishart", "Gaussian noise costs less regret than Wishart noise (Experiment 2)", claimGaussianBeatsWishart},
	{"authors' curves", "what the authors ran, run again, agrees with their Figure 4 within 3 combined standard errors, sound Gaussian noise costs at most a seventh of the printed noise's regret, and that at most a fifth of printed Wishart noise's (paper scale)", claimAuthors},
	{"theorems hold", "the measured regret stays below the bounds of Theorems 5 and 6, which are hundreds to tens of thousands of times as large at the paper's scale", claimTheorems},
	{"shift", "the shift that minimises the regret bound is never worse than the printed one by that bound, and does not depend on the gap (Experiment 3)", claimShift},
	{"gap decides", "too large a shift multiplies the regret by 3 to 12 without a gap, and by less than 2 with a gap of 0.1 (Experiment 3, paper scale)", claimGapDecides},
	{"sound noise is enough", "noise calibrated exactly costs at most a quarter of the regret of the printed and of the authors' calibration, with the paper's rule for the shift as well as with the best shift", claimSoundGain},
	{"streaming", "at the same privacy LinUCB has lower regret over Honaker's tree than over the binary tree, and over BLT lower still, by more than 3 standard errors (paper scale; BLT also at this one)", claimStreaming},
	{"logistic", "the published table of logistic rewards comes again, to 3 standard errors; logistic UCB over BLT claims the ε that it is given and has at most 0.6 of the regret printed at that ε, and without noise at most 0.6 of each regret printed without privacy (paper scale; its regret also at this one); shuffled it claims no more, and has up to three times the regret at the full width", claimLogistic},
	{"unbounded", "of the growths tried, 1/4 has the least J, for d = 5 and n = 100,000 less than nine tenths of BLT's; with n unknown, what is played does not depend on the horizon; and with it known LinUCB has lower regret over Unbounded than over BLT by more than 3 standard errors, with and without a gap (paper scale)", claimUnbounded},
	{"seldom", "BLT between releases has the least J and less noise than Unbounded, and LinUCB's regret over it is not less by 3 standard errors (paper scale)", claimSeldom},
	{"best shift", "a bound on the regret that is tighter than Theorem 5 is least at its shift, and J and the early part of J below it; in runs four times that shift has less regret on fresh arms of 5 and 10 dimensions, more on arms that stay the same, and more on fresh ones with a hundredth of the width; over BLT it is ahead in the first 25th of the rounds on both, where nine tenths of the regret is paid on fresh arms, and less than a fifth on those that stay, by more than 3 standard errors (paper scale)", claimBestShift},
	{"shrinking width", "a width that shrinks as the data outgrow noise and shift holds θ in every round of a run; with it LinUCB has less regret on arms that stay the same, by more than 3 standard errors, and on fresh arms no more (paper scale)", claimShrink},
	{"adac", "AdaC-GOPE and AdaC-OFUL spend exactly the budget they are given, on rewards alone; with noise that is correlated between releases AdaC-OFUL has lower regret than with fresh noise, and than LinUCB over BLT, which protects contexts, too; on arms that stay the same AdaC-GOPE has lower regret with sound widths than with printed ones, and AdaC-OFUL lower still: all by more than 3 standard errors (paper scale)", claimAdaC},
	{"features", "if rewards are smooth and not linear, LinUCB has on 8 random features less than half of its regret on raw contexts; with 4 features, which cannot express them, it has more than with 8, and with 32 privacy costs more than with 4, by more than 2 standard errors (at smoke scale only with ε = 1)", claimFeatures},
	{"attacked", "audits of all releases, and of the actions that the others see, exclude no sound claim, and show at least a quarter of the epsilon of every exactly calibrated one", claimAttacked},
}

// Assert checks a claim of the notebook and prints the evidence. A claim that does not hold fails
// the cell.
func Assert(name string) { Claims.Assert(name) }

// claimStandardPrivacy plays the two contexts of Claim 13: with actions private in the standard
// sense, whose inner learner is free to be not private at all, and with joint differential privacy.
func claimStandardPrivacy(s cell.Scale) (string, error) {
	const joint = "joint DP, ε = 0.2"
	e := &simulate.Experiment{
		Name:        "jdp-claim13",
		Environment: environment.TwoContexts{Dim: 2},
		Horizon:     cell.Pick(s, 5_000, 20_000, 100_000), Trials: cell.Pick(s, 4, 8, 24), Seed: Seed,
	}
	for _, eps := range []float64{0.2, 0.5, 0.69} {
		e.Policies = append(e.Policies, simulate.Policy{Name: fmt.Sprintf("standard DP, ε = %g", eps), Learner: learner.RandomisedAction{
			Epsilon: eps, Learner: learner.New(linear.UCB{}, nil),
		}})
	}
	e.Policies = append(e.Policies, simulate.Policy{Name: joint, Learner: Gaussian(privacy.Budget{Epsilon: 0.2, Delta: 0.1}, privacy.Sound)})
	var evidence string
	n := float64(e.Horizon)
	for _, c := range check.Try(e.Run(context.Background())).Curves() {
		mean := c.Final()
		holds := mean >= n/4
		if c.Policy == joint {
			holds = mean <= n/8
		}
		check.That(holds, "%s has regret %.4g in n = %.4g rounds", c.Policy, mean, n)
		evidence += fmt.Sprintf("%s: %.3f n; ", c.Policy, mean/n)
	}
	return evidence + fmt.Sprintf("n = %.0f", n), nil
}

// claimJointPrivacy computes what is spent from the noise that the tree draws, not from what the
// mechanism says of itself. The first release after a reset carries one node; its standard
// deviation is measured to 0.3%.
func claimJointPrivacy(cell.Scale) (string, error) {
	const nodes = 15.0
	var evidence string
	for _, eps := range []float64{0.2, 1, 10} {
		l := Gaussian(privacy.Budget{Epsilon: eps, Delta: 1e-5}, privacy.Sound)
		claimed := check.Try(learner.ClaimOf(l, environment.DecisionSets{Dim: dimension}.Problem(), 20_000)).Epsilon()
		sums := check.Try(l.Statistic.Open(privacy.Setup{Dim: 6, Horizon: 20_000, Bound: math.Sqrt2, Context: 1, Alpha: 1. / 20_000}))
		sd, _, err := audit.Blank{Of: sums, Dim: 6, Rounds: 1, Runs: 4000, Seed: Seed, Stream: "measured"}.SD()
		check.OK(err)
		spent := account.GaussianEpsilon(1e-5, math.Sqrt(nodes)*2/sd[0])
		evidence += fmt.Sprintf("ε = %g: claims %.4f, measured noise buys %.3f; ", eps, claimed, spent)
		check.That(math.Abs(claimed/eps-1) <= 1e-6 && math.Abs(spent/eps-1) <= 0.05, "at epsilon = %g the claim is %v and the measured noise buys %v", eps, claimed, spent)
	}
	return evidence + "n = 20000, δ = 1e-5", nil
}

// claimConfidence plays policies and asks in every round whether theta is in the set that the arm
// is chosen from.
func claimConfidence(s cell.Scale) (string, error) {
	rounds := cell.Pick(s, 2_000, 10_000, 10_000)
	var evidence string
	for i, name := range []string{NonPrivate, GaussianSound, GaussianAuthors, WishartPrinted} {
		env, l := environment.DecisionSets{Dim: dimension, Gap: 0.1}, check.Try(ready(name, 0.1))
		trial := check.Try(env.Open()).Start(random.New(Seed, i, "contexts"))
		run := l.Start(random.New(Seed, i, "own"), random.Source(Seed, i, "noise"))
		rewards := random.New(Seed, i, "rewards")
		var v bandit.View
		arms, y, worst := []int{}, []float64{0}, 0.0
		for range rounds {
			trial.Next(&v)
			arms = check.Try(run.Select(&v, arms[:0]))
			worst = math.Max(worst, check.Try(ruleOf(run).Distance(environment.Theta(trial))))
			trial.Pull(rewards, arms, y)
			check.OK(run.Update(&v, arms, y))
		}
		check.That(worst <= 1, "%s: theta* left the confidence set: |theta* - centre|_V = %.3f beta", name, worst)
		evidence += fmt.Sprintf("%s: at most %.2f β; ", name, worst)
	}
	return evidence + fmt.Sprintf("%d rounds each", rounds), nil
}

func claimTree(s cell.Scale) (string, error) {
	const n = 64
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	tree := check.Try(continual.Tree{Noise: noise}.Open(privacy.Setup{Dim: 2, Horizon: n, Bound: 1, Alpha: 1}))
	node := tree.Plan(privacy.All).Cases[0][0].Law.Scale
	sd, resets, err := audit.Blank{Of: tree, Dim: 2, Rounds: n - 1, Runs: cell.Pick(s, 2_000, 8_000, 8_000), Seed: Seed, Stream: "tree"}.SD()
	check.OK(err)
	worst, most, held, seen := 0.0, 0, map[int]int{}, map[continual.Node]bool{}
	for i, v := range sd {
		prefix := continual.PrefixNodes(i + 1)
		variance := v * v / (node * node)
		// A mean of chi-squares: its standard error is popcount sqrt(2/resets).
		worst = math.Max(worst, math.Abs(variance/float64(len(prefix))-1)/math.Sqrt(2/float64(resets)))
		for _, node := range prefix {
			for r := node.First; r <= node.Last && !seen[node]; r++ {
				held[r]++
				most = max(most, held[r])
			}
			seen[node] = true
		}
	}
	// 63 correlated tests of 5 standard errors: a false alarm of 4e-5 for a new seed
	check.That(worst <= 5, "the variance of a release is %.1f standard errors from popcount(t) s²", worst)
	check.That(most == 6, "a row is in %d released nodes, want 6", most)
	return fmt.Sprintf("n = %d: variance within %.1f standard errors of popcount(t) s² in all rounds; a row is in at most %d nodes", n, worst, most), nil
}

// claimBounds samples releases without data: they hold nothing but the regulariser H and h. It
// looks at the rounds 1, 3, 7, 15, ..., whose prefixes have most nodes.
func claimBounds(s cell.Scale) (string, error) {
	const horizon = 1024
	var evidence string
	for _, m := range []struct {
		name  string
		noise continual.NodeNoise
	}{
		{"Gaussian", continual.Gaussian{Budget: Budget}},
		{"Wishart", continual.Wishart{Budget: Budget}},
		{"Wishart as published", continual.Wishart{Budget: Budget, Calibration: privacy.AsPublished}},
	} {
		tree := check.Try(continual.Tree{Noise: m.noise}.Open(privacy.Setup{Dim: 6, Horizon: horizon, Bound: math.Sqrt2, Alpha: 1. / horizon}))
		runs := audit.Blank{Of: tree, Dim: 6, Rounds: horizon - 1, Runs: cell.Pick(s, 60, 300, 300), Seed: Seed, Stream: "spectrum"}
		found := check.Try(runs.Bounds(func(t int) bool { return t&(t+1) == 0 }))
		check.That(found.Broken == 0, "%s: %d of %d releases break a bound, expected fewer than %.2g",
			m.name, found.Broken, found.Releases, float64(found.Releases)/2/horizon/horizon)
		// Bounds that nothing comes near would hold for any noise: the spread has to be used.
		check.That(found.Filled >= 0.2, "%s: the eigenvalues fill only %.2f of the bounds", m.name, found.Filled)
		evidence += fmt.Sprintf("%s: 0 of %d broken, %.0f%% of the range filled; ", m.name, found.Releases, 100*found.Filled)
	}
	return evidence + "n = 1024", nil
}

func claimDimension(s cell.Scale) (string, error) {
	dims := []int{4, 6, 8, 11, 16}
	var evidence string
	for _, law := range rewardLaws {
		var list []*simulate.Experiment
		for _, d := range dims {
			list = append(list, Experiment1(cell.Smoke, d, law))
		}
		results := check.Try(simulate.RunAll(context.Background(), list, simulate.Options{}))
		slope := check.Try(Slope(dims, lab.Tables(results)))
		check.That(slope.Lo > 1 && math.Abs(slope.Value-2) < 0.5, "%s rewards: slope %.2f, 95%% interval from %.2f to %.2f", lawName(law), slope.Value, slope.Lo, slope.Hi)
		paper := check.Try(Slope(Dims(cell.Paper), lab.MustTables(experiments1(cell.Paper, law)...)))
		check.That(paper.Lo > 1.5 && paper.Hi < 2.5, "%s rewards, paper scale: slope from %.2f to %.2f", lawName(law), paper.Lo, paper.Hi)
		authors := map[environment.Reward]float64{environment.Gaussian: 1.85, environment.Signs: 1.988}[law] // their notebook's fit
		check.That(math.Abs(paper.Value-authors) < 0.02, "%s rewards, paper scale: slope %.3f, the authors' is %v", lawName(law), paper.Value, authors)
		late := lateShare(lab.MustTables(experiments1(cell.Paper, law)...))
		check.That(late < 0.001, "%s rewards: the last tenth of the rounds adds %.2g of the regret", lawName(law), late)
		evidence += fmt.Sprintf("%s: slope %.2f [%.2f, %.2f], at the paper's scale %.3f, and the authors' %v; ", lawName(law), slope.Value, slope.Lo, slope.Hi, paper.Value, authors)
	}
	share := signsOfGaussian()
	low, high := slices.Min(share), slices.Max(share)
	check.That(low > 0.45 && high < 0.96, "±1 rewards have %.2f to %.2f of the regret of Gaussian ones", low, high)
	return evidence + fmt.Sprintf("±1 rewards have %.2f of the regret of Gaussian ones at d = %d and %.2f at %d; d = %v, 2000 rounds, 95%% intervals",
		share[0], Dims(cell.Paper)[0], share[len(share)-1], Dims(cell.Paper)[len(share)-1], dims), nil
}

// signsOfGaussian lists, by dimension, what share of the regret for Gaussian rewards LinUCB has for
// those of ±1 at the paper's scale.
func signsOfGaussian() (share []float64) {
	gaussian, signs := lab.MustTables(experiments1(cell.Paper, environment.Gaussian)...), lab.MustTables(experiments1(cell.Paper, environment.Signs)...)
	for i := range signs {
		share = append(share, signs[i].Curves[0].Final()/gaussian[i].Curves[0].Final())
	}
	return share
}

// brief2 runs a few policies of Experiment 2 for a claim.
func brief2(s cell.Scale, gap float64, names ...string) *simulate.Result {
	e := experiment2(cell.Smoke, "claim", gap, 8, names)
	e.Rounds = cell.Pick(s, 30_000, 100_000, 100_000)
	e.Grid = simulate.LinearGrid(e.Rounds, 10)
	return check.Try(e.Run(context.Background()))
}

func claimGaussianBeatsWishart(s cell.Scale) (string, error) {
	r := brief2(s, 0, GaussianAuthors, WishartAuthors, GaussianPrinted, WishartPrinted)
	var evidence string
	for _, pair := range [][2]string{{WishartAuthors, GaussianAuthors}, {WishartPrinted, GaussianPrinted}} {
		diff := check.Try(r.Paired(pair[0], pair[1]))
		_, mean, se := diff.Last()
		evidence += fmt.Sprintf("%s: %.0f ± %.0f; ", diff.Policy, mean, se)
		check.That(mean >= 3*se, "%s = %.0f with a standard error of %.0f", diff.Policy, mean, se)
	}
	return evidence + fmt.Sprintf("%d rounds, gap 0", r.Provenance.Rounds), nil
}

// claimAuthors reads the committed tables.
func claimAuthors(cell.Scale) (string, error) {
	var evidence string
	for _, gap := range Gaps {
		tables := MustTables2(gap)
		for name, authors := range authorsCurves[gap] {
			_, mean, se := check.Try(lab.Curve(tables, name)).Last()
			z := authors.z(mean, se)
			check.That(math.Abs(z) <= 3, "gap %g, %s: %.4g ± %.2g, the authors have %.4g: z = %.1f", gap, name, mean, se, authors.Mean, z)
		}
		round, theirs, _ := check.Try(lab.Curve(tables, GaussianPrinted)).Last()
		_, ours, _ := check.Try(lab.Curve(tables, GaussianSound)).Last()
		_, wishart, _ := check.Try(lab.Curve(tables, WishartPrinted)).Last()
		check.That(ours <= theirs/7 && theirs <= wishart/5, "gap %g: sound Gaussian %.4g, printed Gaussian %.4g, printed Wishart %.4g", gap, ours, theirs, wishart)
		evidence += fmt.Sprintf("gap %g: %d curves agree at round %d, sound/printed = 1/%.1f, printed Gaussian/Wishart = 1/%.1f; ",
			gap, len(authorsCurves[gap]), round, theirs/ours, wishart/theirs)
	}
	return evidence, nil
}

func claimTheorems(s cell.Scale) (string, error) {
	evidence, least, most := "", math.Inf(1), 0.0
	for _, gap := range Gaps {
		for _, c := range lab.Curves(MustTables2(gap)) {
			round, mean, _ := c.Last()
			factor := promised(check.Try(ready(c.Policy, gap)), round, gap) / mean
			least, most = min(least, factor), max(most, factor)
		}
		for _, c := range brief2(s, gap, NonPrivate, GaussianSound).Curves() {
			policy, bound := linUCB(check.Try(ready(c.Policy, gap))), 0.0
			for k, round := range c.Rounds {
				bound = math.Min(policy.RegretBound(round, gap))
				check.That(c.Mean[k] <= bound, "%s, gap %g: regret %.4g at round %d, bound %.4g", c.Policy, gap, c.Mean[k], round, bound)
			}
			round, mean, _ := c.Last()
			// The most regret there can be is 1.5 a round.
			check.That(bound <= 10*1.5*float64(round), "%s, gap %g: the bound %.4g is more than ten times what %d rounds can cost: nothing is tested",
				c.Policy, gap, bound, round)
			evidence += fmt.Sprintf("%s, gap %g: %.0f of %.3g; ", c.Policy, gap, mean, bound)
		}
	}
	check.That(least > 100 && most < 100_000, "at the paper's scale the bounds are %.0f to %.0f times what was measured", least, most)
	return evidence + fmt.Sprintf("at the paper's scale the bounds are %.0f to %.0f times what was measured", least, most), nil
}

func claimShift(cell.Scale) (string, error) {
	var evidence string
	for _, pair := range [][2]string{{GaussianTwice, GaussianSound}, {WishartFour, WishartSound}} {
		var rho [2]float64
		for i, gap := range Gaps {
			printed, best := linUCB(check.Try(ready(pair[0], gap))), linUCB(check.Try(ready(pair[1], gap)))
			theirs, _ := printed.RegretBound(Horizon, gap)
			ours, _ := best.RegretBound(Horizon, gap)
			check.That(ours <= theirs, "%s: bound %.4g with the optimal shift, %.4g with the printed one", pair[1], ours, theirs)
			if rho[i] = best.Bounds().RhoMin; i == 0 {
				evidence += fmt.Sprintf("%s: ρmin %.4g → %.4g, ρmax %.4g → %.4g, bound %.3g → %.3g; ", pair[1], printed.Bounds().RhoMin, rho[i], printed.Bounds().RhoMax, best.Bounds().RhoMax, theirs, ours)
			}
		}
		check.That(rho[0] == rho[1], "%s: the optimal rho_min is %v without a gap and %v with one", pair[1], rho[0], rho[1])
	}
	return evidence, nil
}

// claimGapDecides compares, by mechanism, the worst shift beyond the best one with the best, in the
// committed tables.
func claimGapDecides(cell.Scale) (string, error) {
	var evidence string
	for _, name := range Mechanisms {
		var factor []float64 // by gap
		for _, table := range lab.MustTables(experiments3(cell.Paper)...) {
			var regret []float64
			for _, rho := range Rhos(cell.Paper) {
				regret = append(regret, check.Try(table.Curve(Shifted(name, rho))).Final())
			}
			best := floats.MinIdx(regret)
			factor = append(factor, slices.Max(regret[best:])/regret[best])
		}
		none, large := factor[0], factor[len(factor)-1]
		check.That(none >= 3 && none < 12.5 && large < 2 && none >= 2*large, "%s: the worst shift costs %.1f times the best without a gap, %.1f times with one of %g",
			name, none, large, Gaps3[len(Gaps3)-1])
		evidence += fmt.Sprintf("%s: %.1f times the best shift's regret without a gap, %.1f times with one; ", name, none, large)
	}
	return evidence, nil
}

func claimSoundGain(s cell.Scale) (string, error) {
	evidence, rounds := "", 0
	for _, gap := range Gaps {
		r := brief2(s, gap, GaussianPrinted, GaussianAuthors, GaussianTwice, GaussianSound)
		regret := map[string]float64{}
		for _, c := range r.Curves() {
			regret[c.Policy], rounds = c.Final(), r.Provenance.Rounds
		}
		for _, ours := range []string{GaussianTwice, GaussianSound} {
			for _, theirs := range []string{GaussianPrinted, GaussianAuthors} {
				check.That(regret[ours] <= regret[theirs]/4, "gap %g: regret %.0f of %s, want at most a quarter of the %.0f of %s",
					gap, regret[ours], ours, regret[theirs], theirs)
			}
		}
		evidence += fmt.Sprintf("gap %g: printed %.0f, authors %.0f, sound with shift 2Υ %.0f, with the best shift %.0f; ",
			gap, regret[GaussianPrinted], regret[GaussianAuthors], regret[GaussianTwice], regret[GaussianSound])
	}
	return evidence + fmt.Sprintf("%d rounds", rounds), nil
}

func claimStreaming(s cell.Scale) (string, error) {
	evidence := ""
	for _, gap := range Gaps {
		e := Streaming(s, gap)
		r := check.Try(e.Run(context.Background()))
		for _, p := range r.Policies {
			check.That(p.Claim.Epsilon() <= Budget.Epsilon*(1+1e-9) && p.Claim.Asked() == Budget,
				"%s has epsilon = %v at %v, want at most that of the others", p.Name, p.Claim.Epsilon(), p.Claim.Asked())
		}
		now := check.Try(r.Table().Curve(BLTSound + " - " + GaussianSound)) // in few trials Honaker's gain is not sure to show
		_, mean, se := now.Last()
		check.That(mean < -3*se, "gap %g, %s: BLT less the tree is %.0f ± %.0f", gap, s, mean, se)
		committed, before := check.Try(results.Table(e.Name)), 0.0
		for _, name := range []string{HonakerSound, BLTSound} {
			round, mean, se := check.Try(committed.Curve(name + " - " + GaussianSound)).Last()
			check.That(mean < before-3*se, "gap %g, %s less the tree is %.0f ± %.0f, want less than %.0f", gap, name, mean, se, before)
			evidence, before = evidence+fmt.Sprintf("gap %g, round %d: %s %.0f ± %.0f; ", gap, round, name, mean, se), mean
		}
	}
	return evidence + "less the tree's, trial by trial; every policy at the same epsilon and delta", nil
}

// claimAttacked attacks the releases that the paper's learners read, and their actions: a part of
// the suite.
func claimAttacked(cell.Scale) (string, error) {
	items := append(suite.Quick.Releases(), suite.Quick.Learners()...)
	r := check.Try(audit.Family(context.Background(), items, suite.Options))
	least, calibrated := math.Inf(1), 0
	for _, f := range r.Findings {
		check.That(!f.Excluded(), "%s: epsilon >= %.3g, claimed %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
		exact := f.Claim.Epsilon > suite.Budget.Epsilon*(1-1e-6) && !strings.Contains(f.Name, "Wishart") && !strings.Contains(f.Name, "secure")
		if exact {
			calibrated++
			least = math.Min(least, f.Epsilon/f.Claim.Epsilon)
			check.That(f.Epsilon >= f.Claim.Epsilon/4, "%s: the audit sees only %.3g of %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
		}
	}
	check.That(calibrated == 10, "%d audits of exactly calibrated claims, want five of releases and five of actions", calibrated)
	return fmt.Sprintf("%d audits, %d excluded at %.4g%% confidence over all; %d are of exactly calibrated claims of %v, and each shows an ε of %.2f at least", len(r.Findings), r.Excluded(), 100*r.Confidence, calibrated, suite.Budget, least), nil
}
