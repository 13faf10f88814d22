package mechanism

import "github.com/dpbandits/dpbandits/pkg/privacy"

// planned is what all mechanisms with noise share: the plan of one release, of which a record is in
// most at most. It is empty unless Init ended well.
type planned struct {
	one  privacy.Plan
	most int
}

// shown returns the plan of a record that is in so many releases, after so many draws.
func (p *planned) shown(releases, draws int) privacy.Plan {
	plan := p.one.Repeated(draws)
	if plan.Cases = nil; min(releases, p.most) > 0 {
		r := p.one.Cases[0][0]
		r.Times = max(1, r.Times) * min(releases, p.most)
		plan.Cases = [][]privacy.Release{{r}}
	}
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

// plan returns the plan of what was released of a number of records, each in one release.
func (s *single) plan(records int) privacy.Plan { return s.shown(records, s.releases) }

// central returns the plan of a curator, without its releases.
func central(n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) privacy.Plan {
	return privacy.Plan{Model: privacy.Central, Neighbours: n, Asked: asked, Source: source, Conditions: conditions}
}
