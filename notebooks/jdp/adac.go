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
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The policies of AdaC, by their names in the results, beside some of Experiment 2. Those here
// protect rewards alone: contexts are public.
const (
	GOPESound      = "AdaC-GOPE Sound"
	GOPEPrinted    = "AdaC-GOPE AsPublished"
	CoreSetSound   = "core sets Sound"
	OFULSound      = "AdaC-OFUL Sound"
	OFULCorrelated = "AdaC-OFUL Sound, correlated noise"
)

// adaCRounds is the number of rounds of the games, which is known.
const adaCRounds = 1 << 17

// adaCGame is a game of AdaC.
type adaCGame struct {
	name, arms  string
	environment bandit.Environment
	policies    []string
}

// adaCGames are one of arms that stay the same, and Experiment 2's two of fresh arms.
func adaCGames() []adaCGame {
	contextual := []string{BLTSound, UnboundedSound, OFULSound, OFULCorrelated, NonPrivate}
	fixed := append([]string{CoreSetSound, GOPESound, GOPEPrinted}, contextual...)
	games := []adaCGame{{"jdp-adac-fixed", "50 fixed", environment.SphereArms{Dim: dimension}, fixed}}
	for _, gap := range Gaps {
		games = append(games, adaCGame{fmt.Sprintf("jdp-adac-gap%g", gap), fmt.Sprintf("25 fresh, gap %g", gap),
			environment.DecisionSets{Dim: dimension, Gap: gap}, contextual})
	}
	return games
}

// adaCLearner returns a learner of AdaC.
func adaCLearner(name string) bandit.Learner {
	printed := linear.AdaCGOPE{Budget: Budget, Calibration: privacy.AsPublished}
	switch name {
	case GOPESound:
		return linear.AdaCGOPE{}.Private(Budget)
	case GOPEPrinted:
		return learner.New(printed, tally.Regression{Budget: Budget, Lengths: printed})
	case CoreSetSound:
		return linear.CoreSet{}.Private(Budget)
	case OFULSound:
		return linear.UCB{}.AdaCOFUL(Budget)
	case OFULCorrelated:
		return learner.New(linear.UCB{}, privacy.Accumulator(continual.PublicContexts{Budget: Budget, Buffers: 3}))
	}
	return Policy(name)
}

// AdaC compares the learners of Azize and Basu with LinUCB under joint privacy and with core sets,
// at the same budget, with the trial-by-trial differences to LinUCB over BLT.
func AdaC(s cell.Scale, game adaCGame) *simulate.Experiment {
	rounds := cell.Pick(s, 10_000, 30_000, adaCRounds)
	e := &simulate.Experiment{
		Name: game.name, Environment: game.environment, Seed: Seed,
		Horizon: adaCRounds, Rounds: rounds, Trials: cell.Pick(s, 4, 8, 16), Grid: simulate.LogGrid(rounds, 30),
	}
	for _, name := range game.policies {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: adaCLearner(name)})
		if name != BLTSound {
			e.Pairs = append(e.Pairs, [2]string{name, BLTSound})
		}
	}
	e.Pairs = append(e.Pairs, [2]string{OFULCorrelated, OFULSound})
	if game.policies[0] == CoreSetSound {
		e.Pairs = append(e.Pairs, [2]string{GOPESound, CoreSetSound}, [2]string{GOPESound, GOPEPrinted}, [2]string{OFULSound, GOPESound})
	}
	return e
}

func experimentsAdaC(s cell.Scale) (list []*simulate.Experiment) {
	for _, game := range adaCGames() {
		list = append(list, AdaC(s, game))
	}
	return list
}

func reportAdaC(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("arms", "learner", "private", "ε", "regret", "SE", "minus BLT's", "95% interval", "trials")
	t.Align = "lllrrrrrr"
	for i, game := range adaCGames() {
		for _, name := range game.policies {
			c := check.Try(tables[i].Curve(name))
			_, mean, se := c.Last()
			less, interval := less(tables[i], name, BLTSound)
			private, epsilon := "nothing", "–"
			claim := check.Try(learner.ClaimOf(adaCLearner(name), check.Try(bandit.OpenWorld(game.environment)).Problem(), adaCRounds))
			if claim.Held() {
				if private = "both"; claim.Neighbours().PublicContexts() {
					private = "rewards"
				}
				epsilon = fmt.Sprintf("%.3g", claim.Epsilon())
			}
			t.Add(game.arms, label(name), private, epsilon, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se), less, interval, c.Trials)
		}
	}
	t.Caption = fmt.Sprintf("Cumulative regret after n = %s rounds in five dimensions, ε = %g and δ = %g asked for; ε in the table is proved, if one round's private part is replaced: its reward, or both context and reward. "+
		"LinUCB over BLT and Unbounded has the shift that minimises the regret bound. Differences are trial by trial; seed %d",
		cell.Thousands(tables[0].Provenance.Rounds), Budget.Epsilon, Budget.Delta, tables[0].Provenance.Seed)
	return t, nil
}

// FigureAdaC draws the regret of the learners of AdaC over that of LinUCB over BLT, with a bar for
// each game.
func FigureAdaC() *charts.Figure {
	games := adaCGames()
	f := &charts.Figure{
		Title: "Public contexts", Scale: committed + "jdp-adac-*.csv",
		X: charts.Axis{Name: "learner (GOPE and OFUL: those of AdaC)"}, Y: charts.Axis{Name: "regret over LinUCB's over BLT"},
		Marks: []charts.Mark{charts.AtY(1, "")},
	}
	all := []string{GOPESound, CoreSetSound, OFULSound, OFULCorrelated, NonPrivate}
	f.X.Categories = []string{"GOPE", "core sets", "OFUL", "OFUL, correlated", "not private"} // of all
	for _, game := range games {
		t, s := lab.MustTable(game.name), charts.Series{Name: strings.Replace(game.arms, "fixed", "arms that stay", 1), Kind: charts.Bar}
		f.Alt += s.Name + ":"
		for i, policy := range all {
			if !slices.Contains(game.policies, policy) {
				continue
			}
			share, lo, hi := over(t, policy, BLTSound)
			with(&s, i, share, lo, hi)
			f.Alt += fmt.Sprintf(" %s %.2f,", f.X.Categories[i], share)
		}
		f.Alt = strings.TrimSuffix(f.Alt, ",") + ". "
		f.Series = append(f.Series, s)
	}
	t := lab.MustTable(games[0].name)
	f.Caption = fmt.Sprintf("n = %s rounds, d = %d, %s. LinUCB over BLT protects contexts and rewards, the private learners here rewards alone. %d trials, seed %d; intervals: 95%%, of paired differences",
		cell.Thousands(t.Provenance.Rounds), dimension, asked, t.Curves[0].Trials, t.Provenance.Seed)
	return f
}

// claimAdaC checks what the learners of the table claim and, in the committed tables, which of them
// has less regret.
func claimAdaC(cell.Scale) (string, error) {
	var evidence []string
	for _, game := range adaCGames() {
		problem := check.Try(bandit.OpenWorld(game.environment)).Problem()
		for _, name := range game.policies {
			claim := check.Try(learner.ClaimOf(adaCLearner(name), problem, adaCRounds))
			spent := name == UnboundedSound && claim.Epsilon() < Budget.Epsilon || math.Abs(claim.Epsilon()-Budget.Epsilon) < 1e-6
			check.That(name == NonPrivate || spent, "%s claims %v", name, claim.Proved())
			both := name == BLTSound || name == UnboundedSound
			check.That(name == NonPrivate || claim.Neighbours().PublicContexts() != both, "%s protects %v", name, claim.Neighbours())
		}
		table := check.Try(results.Table(game.name))
		below := func(name, other string) {
			_, mean, se := check.Try(table.Curve(name + " - " + other)).Last()
			check.That(mean < -3*se, "%s: %s less %s is %.0f ± %.0f", game.name, name, other, mean, se)
			evidence = append(evidence, fmt.Sprintf("%s: %s less %s %.0f ± %.0f", game.name, name, other, mean, se))
		}
		below(OFULCorrelated, OFULSound)
		below(OFULCorrelated, BLTSound)
		if game.policies[0] == CoreSetSound {
			below(GOPESound, GOPEPrinted)
			below(OFULSound, GOPESound)
		}
	}
	return strings.Join(evidence, "; "), nil
}
