package mechanism

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// player plays runs of a statistic, one after another: what was opened last, and started last.
type player[R any] struct {
	privacy.Stream[R] // of the run; nil before it
	of                privacy.Statistic[R]
	opened            privacy.Mechanism[R]
}

func played[R any](of privacy.Statistic[R]) *player[R] { return &player[R]{of: of} }

// open opens the statistic, and ends the run.
func (p *player[R]) open(s privacy.Setup) (err error) {
	p.Stream = nil
	p.opened, err = p.of.Open(s)
	return err
}

// start starts a run.
func (p *player[R]) start(n *privacy.Noise) { p.Stream = p.opened.Start(n) }

// Plan returns the run's plan, or before it the mechanism's.
func (p *player[R]) Plan(records int) privacy.Plan {
	var of any = p.opened
	if p.Stream != nil {
		of = p.Stream
	}
	return privacy.PlanOf(of, records).HeldBy(p)
}

// shot is a player of what releases one thing at a time.
type shot[Run privacy.Planner] struct {
	of interface {
		Open() (Calibrated[Run], error)
	}
	opened Calibrated[Run]
	run    Run
	begun  bool
}

func shots[Run privacy.Planner](of interface {
	Open() (Calibrated[Run], error)
}) *shot[Run] {
	return &shot[Run]{of: of}
}

func (s *shot[Run]) open() (err error) {
	s.begun = false
	s.opened, err = s.of.Open()
	return err
}

func (s *shot[Run]) start(n *privacy.Noise) { s.run, s.begun = s.opened.Start(n), true }

// Plan returns the run's plan, or before it the mechanism's.
func (s *shot[Run]) Plan(records int) privacy.Plan {
	var of any = s.opened
	if s.begun {
		of = s.run
	}
	return privacy.PlanOf(of, records).HeldBy(s)
}

// nodes returns the noise of a tree's nodes for a setup.
func nodes[N Nodes](t testing.TB, of NodeNoise, s privacy.Setup) N {
	n, err := of.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return n.(N)
}

// unused is noise for what has to be handed some, and draws none.
func unused() *privacy.Noise { return privacy.NewNoise(rand.NewPCG(0, 0)) }
