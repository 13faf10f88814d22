package mechanism

import "github.com/dpbandits/dpbandits/pkg/privacy"

// planned is what all mechanisms with noise share: the plan of one release, from which the others
// follow. It is empty unless Init ended well.
type planned struct{ one privacy.Plan }

// plans sets the plan: a release, and one draw of each of its laws.
func (p *planned) plans(of privacy.Plan, r privacy.Release) {
	r.Times = max(1, r.Times)
	of.Cases = [][]privacy.Release{{r}}
	for _, law := range r.Laws {
		of.Draws = append(of.Draws, privacy.Draws{Law: law, Count: 1})
	}
	p.one = of
}

// shown returns the plan of a record that the release shows so many times, after so many draws.
func (p *planned) shown(times, draws int) privacy.Plan {
	plan := p.one.Repeated(draws)
	if times <= 0 || len(plan.Cases) == 0 {
		plan.Cases = nil
		return plan
	}
	r := plan.Cases[0][0]
	r.Times *= times
	plan.Cases = [][]privacy.Release{{r}}
	return plan
}

// single is what the mechanisms share that release one thing at a time under noise handed to them.
type single struct {
	planned
	noise    *privacy.Noise
	releases int // since Reset
}

// ready refuses a release before Reset has brought the noise or Init has calibrated it. Init begins
// by forgetting both.
func (s *single) ready() error {
	if s.noise == nil || s.one.Cases == nil {
		return errReset
	}
	return nil
}

// upTo returns the plan for a number of records; no records show nothing.
func (s *single) upTo(records int) privacy.Plan { return s.shown(min(records, 1), s.releases) }

// central returns the plan of a curator, without its releases.
func central(n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) privacy.Plan {
	return privacy.Plan{Model: privacy.Central, Neighbours: n, Asked: asked, Source: source, Conditions: conditions}
}
