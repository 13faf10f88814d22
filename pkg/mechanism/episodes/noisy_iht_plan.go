package episodes

import (
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Plan returns what the estimates of so many records reveal of one record: that of its episode.
func (h *noisyIHT) Plan(records int) privacy.Plan { return h.plan(records, 0).HeldBy(h) }

// Plan returns the mechanism's plan with the draws of the run.
func (h *noisyIHTRun) Plan(records int) privacy.Plan { return h.plan(records, h.ended).HeldBy(h) }

// plan returns the plan after so many episodes.
func (h *noisyIHT) plan(records, ended int) privacy.Plan {
	p := curator.Central(privacy.ReplaceRound, h.as.Budget, "Dwork, Su and Zhang 2021; Chakraborty, Roy and Basu 2024; accounted here",
		"contexts and rewards clipped inside the mechanism", curator.MissingUser)
	p.Calibration = h.as.Calibration
	for i, end := range h.ends {
		if end <= records && h.levels[i].steps > 0 {
			p.Cases = append(p.Cases, h.shows(&h.levels[i]))
		}
	}
	p.Draws = []privacy.Draws{}
	for i := range ended {
		p.Draws = append(p.Draws, h.draws(&h.levels[i])...)
	}
	return p.Trusts(h.as.Lengths)
}

// draws returns the noise of an episode: one draw a step for the values, and one for each choice,
// or for all choices of a step at once.
func (h *noisyIHT) draws(p *peeling) (all []privacy.Draws) {
	for i, r := range h.shows(p) {
		count := r.Times / h.as.Sparsity
		if choice := i%2 == 0; choice && !h.as.Gumbel {
			count = r.Times
		}
		all = curator.Drew(all, r, count)
	}
	return all
}

// shows returns what an episode shows of one of its records: choices and values, in turns.
func (h *noisyIHT) shows(p *peeling) (all []privacy.Release) {
	for m, s := range []step{p.first, p.later} {
		steps := 1
		if m == 1 {
			steps = p.steps - 1
		}
		if steps == 0 {
			continue
		}
		times := steps * h.as.Sparsity
		choice := privacy.Release{Law: privacy.LaplaceLaw(h.dim, s.choice), Times: times}
		value := privacy.Release{Law: privacy.LaplaceLaw(h.as.Sparsity, s.value),
			Sensitivity: privacy.Norms{L1: s.lambda}, Times: times} // of one value
		switch {
		case h.as.Gumbel:
			choice.Law = privacy.GumbelLaw(h.dim, s.choice)
			choice.Sensitivity.LInf = s.lambda
			value.Law = privacy.GaussianLaw(h.as.Sparsity, s.value)
			value.Sensitivity = privacy.Norms{L2: s.lambda}
		case h.as.Unclipped:
			choice.Own = account.Exposed{Why: "a context that is not clipped moves the estimate by any amount"}
			value.Own = choice.Own
		case s.choice > 0:
			choice.Own = noisyMaximum{2 * s.lambda / s.choice}
		}
		all = append(all, choice, value)
	}
	return all
}
