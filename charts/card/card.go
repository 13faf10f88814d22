// Package card draws the report card of a learner, which package judge makes.
package card

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/judge"
)

// Items returns a card as tables and figures, for charts.Show in a notebook or charts.WriteHTML.
func Items(c *judge.Card) []charts.Item {
	items := []charts.Item{summary(c)}
	if c.Replay != nil {
		items = append(items, replay(c))
	}
	if f := races(c); f != nil {
		items = append(items, f, standings(c))
	}
	if c.Inside != nil {
		inside := charts.Inside("What the learner chooses by", c.Inside)
		inside.Scale = scale(c)
		items = append(items, inside)
	}
	if len(c.Attacks) > 0 {
		items = append(items, attacks(c))
	}
	return append(items, checks(c))
}

// scale says where the numbers of a card come from.
func scale(c *judge.Card) string {
	return fmt.Sprintf("judge.Learner at %s scale, seed %d", c.Scale, c.Seed)
}

// summary has a row for each section of the card.
func summary(c *judge.Card) *charts.Table {
	t := charts.NewTable("", c.Learner)
	t.Align, t.Scale = "ll", scale(c)
	claim := "none"
	if c.Claim.Held {
		whence := fmt.Sprintf("%s by %s accounting", c.Claim.Word(), c.Claim.Accountant)
		if c.Claim.Asserted() {
			whence = "as its author says, and not proved"
		}
		claim = fmt.Sprintf("ε = %.4g at δ = %g, %s; %s; %s", float64(c.Claim.Epsilon), c.Claim.Delta, whence, c.Claim.Model, c.Claim.Standing)
	}
	t.Add("claim", claim).Add("attacked", c.Verdict())
	for _, r := range c.Races {
		own, text := r.Learner(), "no trial finished"
		if r.Trials > 0 {
			text = fmt.Sprintf("%.4g ± %.2g", own.Regret, float64(own.Within))
		}
		if standing := r.Standing(); standing != "" {
			text += ", " + standing
		}
		if own.For != "" {
			text += "; it is for " + own.For
		}
		t.Add("regret, "+r.World, text)
	}
	for _, g := range c.Grows {
		if g.Why == "" {
			t.Add("grows with "+g.In, fmt.Sprintf("to the power %.2f [%.2f, %.2f]", float64(g.Value), float64(g.Lo), float64(g.Hi)))
		}
	}
	for _, k := range c.Costs {
		text := fmt.Sprintf("%.0f ns a round, %.2g allocations", k.Nanoseconds, k.Allocations)
		if k.Piped {
			text = fmt.Sprintf("%.0f ns a round, the pipe to the program included", k.Nanoseconds)
		}
		t.Add("costs, "+k.World, text)
	}
	kept, broken := 0, 0
	for _, k := range c.Checks {
		if broken += len(k.Failures); len(k.Failures) == 0 {
			kept++
		}
	}
	return t.Add("checks", fmt.Sprintf("%d suites passed; %d failures", kept, broken))
}

// replay shows the privacy loss of the attack that comes closest.
func replay(c *judge.Card) *charts.Figure {
	r := c.Replay
	f := &charts.Figure{
		Title: "What the closest attack sees", Scale: scale(c), Height: 400,
		X: charts.Axis{Name: "privacy loss of a run"}, Y: charts.Axis{Name: "share of the runs", Format: charts.Percent},
		Series:  []charts.Series{{Name: "user as she is", X: r.Loss, Y: r.Share[0]}, {Name: "user replaced", X: r.Loss, Y: r.Share[1]}},
		Caption: fmt.Sprintf("%s; %d runs in each world", r.Attack, r.Runs),
	}
	most := 0.0
	for i, x := range r.Loss {
		if r.Share[0][i]+r.Share[1][i] > 0 {
			most = max(most, math.Abs(x))
		}
	}
	f.Alt = fmt.Sprintf("%s. The losses of both worlds lie within %.2g of 0; the claim is epsilon = %.3g.", f.Title, most, float64(c.Claim.Epsilon))
	if e := float64(c.Claim.Epsilon); e <= 3*most {
		f.Marks = []charts.Mark{charts.AtX(e, "ε"), charts.AtX(-e, "−ε")}
	}
	return f
}

// shownRivals is how many rivals a figure shows of a race.
const shownRivals = 5

// races shows the regret of the learner and of its best rivals, one world at a time.
func races(c *judge.Card) *charts.Figure {
	byName := map[string]judge.Race{}
	var worlds []string
	for _, r := range c.Races {
		if r.Trials > 0 {
			worlds, byName[r.World] = append(worlds, r.World), r
		}
	}
	if len(worlds) == 0 {
		return nil
	}
	f := &charts.Figure{
		Title: "Regret beside the best rivals", Scale: scale(c), Height: 480,
		X: charts.Axis{Name: "round"}, Y: charts.Axis{Name: "cumulative regret"},
		Caption: fmt.Sprintf("Means of %d trials; no private rival proves a larger ε", c.Races[0].Trials),
	}
	f.Slider = charts.Over("world", worlds, func(world string) (frame charts.Frame) {
		left := shownRivals
		for _, r := range byName[world].Runners {
			if !r.Own {
				if r.Model == "" || left == 0 {
					continue
				}
				left--
			}
			x := make([]float64, len(r.Rounds))
			for i, round := range r.Rounds {
				x[i] = float64(round)
			}
			frame.Series = append(frame.Series, charts.Series{Name: r.Title(), X: x, Y: r.Curve})
		}
		return frame
	})
	var words []string
	for _, w := range worlds {
		r := byName[w]
		words = append(words, fmt.Sprintf("%s: %.3g, %s", w, r.Learner().Regret, r.Standing()))
	}
	f.Alt = f.Title + ". A slider chooses the world. The learner's regret at the end, by world: " + strings.Join(words, "; ") + "."
	return f
}

// standings lists all runners of all races.
func standings(c *judge.Card) *charts.Table {
	t := charts.NewTable("world", "learner", "model", "ε proved", "regret", "±", "this learner minus it", "±")
	t.Align, t.Scale = "lllrrrrr", scale(c)
	t.Caption = "Regret at the end with half the width of its 95% interval; differences are trial by trial"
	for _, r := range c.Races {
		for _, x := range r.Runners {
			model, behind, within := x.Model, charts.Number(float64(x.Behind)), charts.Number(float64(x.BehindWithin))
			if model == "" {
				model = "not private"
			}
			if x.Own {
				behind, within = "–", "–"
			}
			t.Add(r.World, x.Title(), model, charts.Number(float64(x.Proved)), charts.Number(x.Regret), charts.Number(float64(x.Within)), behind, within)
		}
	}
	return t
}

// attacks lists all attacks.
func attacks(c *judge.Card) *charts.Table {
	t := charts.NewTable("attack", "claimed ε", "excluded ε", "visible ε", "runs", "the claim is")
	t.Align, t.Scale = "lrrrrl", scale(c)
	t.Caption = "Excluded: the learner is not ε-private for any ε below. Visible: no attack on the same releases finds more. Runs are for each of two worlds"
	for _, a := range c.Attacks {
		visible, verdict := "–", "not excluded"
		if a.Visible > 0 {
			visible = fmt.Sprintf("%.3g", a.Visible)
		}
		switch {
		case a.Failed != "":
			verdict = "not attacked: " + a.Failed
		case a.False:
			verdict = "false"
		}
		t.Add(a.Name, fmt.Sprintf("%.3g", a.Claimed), fmt.Sprintf("≥ %.3g", a.Excluded), visible, a.Runs, verdict)
	}
	return t
}

// checks lists the suites, each failure in a line of its own.
func checks(c *judge.Card) *charts.Table {
	t := charts.NewTable("checked", "by", "result")
	t.Align, t.Scale = "lll", scale(c)
	for _, k := range c.Checks {
		by := k.Suite
		if k.World != "" {
			by += ", in " + k.World
		}
		if len(k.Failures) == 0 {
			t.Add(k.What, by, "kept")
		}
		for _, failure := range k.Failures {
			t.Add(k.What, by, failure)
		}
	}
	return t
}
