package mechanism

import (
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// shot is a player of what releases one thing at a time.
type shot[Run privacy.Planner] struct {
	of interface {
		Open() (Calibrated[Run], error)
	}
	Opened Calibrated[Run]
	run    Run
	begun  bool
}

func shots[Run privacy.Planner](of interface {
	Open() (Calibrated[Run], error)
}) *shot[Run] {
	return &shot[Run]{of: of}
}

func (s *shot[Run]) Open() (err error) {
	s.begun = false
	s.Opened, err = s.of.Open()
	return err
}

func (s *shot[Run]) Start(n *privacy.Noise) { s.run, s.begun = s.Opened.Start(n), true }

// Plan returns the run's plan, or before it the mechanism's.
func (s *shot[Run]) Plan(records int) privacy.Plan {
	var of any = s.Opened
	if s.begun {
		of = s.run
	}
	return privacy.PlanOf(of, records).HeldBy(s)
}
