package curator

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Planned is what all mechanisms with noise share: the plan of one release, of which a record is in
// most at most.
type Planned struct {
	One  privacy.Plan
	most int
}

// Plans returns the plan of one release, of which a record is in most at most.
func Plans(one privacy.Plan, most int) Planned { return Planned{one, most} }

// Shown returns the plan of a record that is in so many releases, after so many draws.
func (p *Planned) Shown(releases, draws int) privacy.Plan {
	return p.One.Repeated(draws).Times(min(releases, p.most))
}

// Reveals says what a release shows of a record that is in it.
func Reveals(r privacy.Release, n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) Planned {
	return Plans(Central(n, asked, source, conditions...).With(r), 1)
}

// Symmetric returns the plan of a curator who releases sums of row row^T under symmetric noise, in
// nodes of which a row is in most at most. One row is replaced.
func Symmetric(asked privacy.Budget, c privacy.Calibration, source string, most int, r privacy.Release) Planned {
	p := Central(privacy.ReplaceRound, asked, source, ClippedRows)
	p.Calibration = c
	return Plans(p.With(r), most)
}

// Published refuses a calibration that is neither Sound nor AsPublished.
func Published(who string, c privacy.Calibration) error {
	if c != privacy.Sound && c != privacy.AsPublished {
		return fmt.Errorf("mechanism: %s.Calibration = %v, want Sound or AsPublished", who, c)
	}
	return nil
}

// Drew adds draws of a release's noise to a list, if there is any.
func Drew(all []privacy.Draws, r privacy.Release, times int) []privacy.Draws {
	if !(r.Law.Scale > 0) {
		return all
	}
	return append(all, privacy.Draws{Law: r.Law, Count: times})
}

// Central returns the plan of a curator, without its releases.
func Central(n privacy.Neighbours, asked privacy.Budget, source string, conditions ...string) privacy.Plan {
	return privacy.Plan{Model: privacy.Central, Neighbours: n, Asked: asked, Source: source, Conditions: conditions}
}

// Protect returns the neighbouring relation of a claim. The zero value means that one record is
// replaced.
func Protect(n privacy.Neighbours, record string) (privacy.Neighbours, error) {
	if n == (privacy.Neighbours{}) {
		return privacy.Neighbours{Relation: privacy.Replace, Record: record, Contributions: 1}, nil
	}
	return n, n.Validate()
}

// Fitting checks that the given number of packed matrices of a setup fit into memory.
func Fitting(s privacy.Setup, matrices float64) error {
	what := fmt.Sprintf("mechanism: Setup.Dim = %d, Horizon = %d", s.Dim, s.Horizon)
	return size.Check(what, size.Triangle(s.Dim)*matrices)
}

// Positive refuses a noise level so small or so large that numbers computed from it would be zero
// or infinite.
func Positive(what string, level float64, b privacy.Budget, s privacy.Setup) error {
	if b.None() || level >= 1e-150 && level <= 1e150 {
		return nil
	}
	return fmt.Errorf("mechanism: %s of standard deviation %v for %v and Setup.Bound = %v, want in [1e-150, 1e150]", what, level, b, s.Bound)
}

// ClippedRows is the condition of every accumulator's claim.
const ClippedRows = "rows clipped to the bound inside the mechanism"

// MissingUser is the condition of claims about episodes, which end after a number of records.
const MissingUser = "a missing user is a row of zeros at the user's place"

// MaxReleases bounds how many releases a run may plan ahead: something is stored for each.
const MaxReleases = 1 << 21
