package mechanism

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// planned is what all mechanisms with noise share: the plan of one release, of which a record is in
// most at most.
type planned struct {
	one  privacy.Plan
	most int
}

// shown returns the plan of a record that is in so many releases, after so many draws.
func (p *planned) shown(releases, draws int) privacy.Plan {
	return p.one.Repeated(draws).Times(min(releases, p.most))
}

// columns returns the plan of releases by a matrix factorisation after so many rows and draws. A
// record is in one release, and moves it as the longest column of the leading block does.
func (p *planned) columns(by correlation, rows, draws int) privacy.Plan {
	plan := p.shown(rows, draws)
	for _, c := range plan.Cases {
		c[0].Sensitivity.L2 *= by.columnNorm(rows)
	}
	return plan
}

// Calibrated is a mechanism that releases one thing at a time, ready for use. It never changes; a
// Run is thrown away. Its plan is that of any run, the Draws of a Run are in the Run's own.
type Calibrated[Run any] interface {
	privacy.Planner
	// Start begins a run that takes its noise from n. SecureGaussian and SecureLaplace take none that
	// is seeded, and have their own instead.
	Start(n *privacy.Noise) Run
}

// reveals says what a release shows of a record that is in it.
func reveals(r privacy.Release, n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) planned {
	return planned{central(n, asked, source, conditions...).With(r), 1}
}

// symmetric returns the plan of a curator who releases sums of row row^T under symmetric noise, in
// nodes of which a row is in most at most. One row is replaced.
func symmetric(asked privacy.Budget, c privacy.Calibration, source string, most int, r privacy.Release) planned {
	p := central(privacy.ReplaceRound, asked, source, clippedRows)
	p.Calibration = c
	return planned{p.With(r), most}
}

// published refuses a calibration that is neither Sound nor AsPublished.
func published(who string, c privacy.Calibration) error {
	if c != privacy.Sound && c != privacy.AsPublished {
		return fmt.Errorf("mechanism: %s.Calibration = %v, want Sound or AsPublished", who, c)
	}
	return nil
}

// drew adds draws of a release's noise to a list, if there is any.
func drew(all []privacy.Draws, r privacy.Release, times int) []privacy.Draws {
	if !(r.Law.Scale > 0) {
		return all
	}
	return append(all, privacy.Draws{Law: r.Law, Count: times})
}

// central returns the plan of a curator, without its releases.
func central(n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) privacy.Plan {
	return privacy.Plan{Model: privacy.Central, Neighbours: n, Asked: asked, Source: source, Conditions: conditions}
}
