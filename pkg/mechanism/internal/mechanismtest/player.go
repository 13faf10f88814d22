// Package mechanismtest plays statistics in tests.
package mechanismtest

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Player plays runs of a statistic, one after another: what was opened last, and started last.
type Player[R any] struct {
	privacy.Stream[R] // of the run; nil before it
	Of                privacy.Statistic[R]
	Opened            privacy.Mechanism[R]
}

// Played returns a player of a statistic.
func Played[R any](of privacy.Statistic[R]) *Player[R] { return &Player[R]{Of: of} }

// Open opens the statistic, and ends the run.
func (p *Player[R]) Open(s privacy.Setup) (err error) {
	p.Stream = nil
	p.Opened, err = p.Of.Open(s)
	return err
}

// Start starts a run.
func (p *Player[R]) Start(n *privacy.Noise) { p.Stream = p.Opened.Start(n) }

// Plan returns the run's plan, or before it the mechanism's.
func (p *Player[R]) Plan(records int) privacy.Plan {
	var of any = p.Opened
	if p.Stream != nil {
		of = p.Stream
	}
	return privacy.PlanOf(of, records).HeldBy(p)
}

// Source returns the source of a test's noise.
func Source() rand.Source { return random.Source(1, 0, "test") }

// Unused returns noise for what has to be handed some, and draws none.
func Unused() *privacy.Noise { return privacy.NewNoise(rand.NewPCG(0, 0)) }

// WithSource runs f with secure mechanisms over seeded noise.
func WithSource(stream int, f func()) {
	system := lattice.SystemSource
	lattice.SystemSource = func() rand.Source { return random.Source(22, stream, "secure") }
	defer func() { lattice.SystemSource = system }()
	f()
}
