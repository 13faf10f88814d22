package episodes

import (
	"strings"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Plan returns what the releases of so many records reveal of one. Without the repairs that the
// privacy needs, it says that nothing hides a record, and why.
func (t *thresholdedLasso) Plan(records int) privacy.Plan {
	return t.plan(records, []privacy.Draws{}).HeldBy(t)
}

// Plan returns the mechanism's plan with the draws of the run.
func (t *thresholdedLassoRun) Plan(records int) privacy.Plan {
	return t.plan(records, t.draws()).HeldBy(t)
}

// plan returns the plan after some draws.
func (t *thresholdedLasso) plan(records int, draws []privacy.Draws) privacy.Plan {
	p := privacy.Plan{
		Model: privacy.Central, Neighbours: privacy.ReplaceRound, Calibration: privacy.AsPublished, Asked: t.as.Budget,
		Source: "Shukla 2024, Theorem 1, which does not hold as printed", Draws: draws,
	}
	if records < 1 || t.data.Horizon < 2 {
		return p
	}
	var exposed account.Event
	if why := t.as.Repairs.wanting(); len(why) > 0 {
		exposed = account.Exposed{Why: strings.Join(why, "; ")}
	} else {
		p.Calibration = privacy.Sound
		p.Conditions = []string{curator.ClippedRows}
		p.Source = "Dwork and Roth 2014, Theorem 3.23; Sheffet 2015; composed here"
	}
	svt := privacy.Release{Law: privacy.LaplaceLaw(1, 2*t.xi), Threshold: privacy.LaplaceLaw(1, t.xi),
		Sensitivity: privacy.Norms{LInf: 2 * t.as.Norm}, Times: t.most * t.episodes, Own: exposed}
	tree := privacy.Release{Sensitivity: privacy.Norms{L2: float64(t.as.Row*t.as.Row) + float64(t.as.Reward*t.as.Reward)},
		Times: t.releases(), Own: exposed, Optional: true} // an empty support has no sums
	if t.samplers != nil { // a larger matrix costs more, with as many degrees of freedom
		tree.Law = privacy.WishartLaw(t.samplers[t.most+1])
	}
	p.Cases = [][]privacy.Release{{svt, tree}}
	return p
}

// draws returns the noise of the thresholds, of the queries, and of the nodes by their order.
func (t *thresholdedLassoRun) draws() []privacy.Draws {
	all := []privacy.Draws{}
	if t.redrawn > 0 {
		all = append(all, privacy.Draws{Law: privacy.LaplaceLaw(1, t.xi), Count: t.redrawn},
			privacy.Draws{Law: privacy.LaplaceLaw(1, 2*t.xi), Count: t.queries})
	}
	for _, w := range t.wishart {
		if w != nil && w.count > 0 {
			all = append(all, privacy.Draws{Law: privacy.WishartLaw(w.sampler), Count: w.count})
		}
	}
	return all
}
