package write

import (
	"github.com/dpbandits/dpbandits/notebooks/own"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Twice is Totals whose means are clipped again, after the noise. Its last clip costs no privacy,
// and it makes the releases nonlinear in the noise.
type Twice struct {
	Epsilon float64 // > 0
}

var _ privacy.Statistic[privacy.Means] = Twice{}

// Open opens the statistic whose means it clips.
func (s Twice) Open(setup privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	m, err := own.Totals{Epsilon: s.Epsilon}.Open(setup)
	if err != nil {
		return nil, err
	}
	return &openTwice{m, setup}, nil
}

type openTwice struct {
	privacy.Mechanism[privacy.Means]
	setup privacy.Setup
}

func (s *openTwice) Plan(records int) privacy.Plan {
	return s.Mechanism.Plan(records).HeldBy(s)
}

func (s *openTwice) Start(noise *privacy.Noise) privacy.Stream[privacy.Means] {
	return &twiceRun{s.Mechanism.Start(noise), s.setup}
}

type twiceRun struct {
	privacy.Stream[privacy.Means]
	setup privacy.Setup
}

func (s *twiceRun) Plan(records int) privacy.Plan { return s.Stream.Plan(records).HeldBy(s) }

func (s *twiceRun) Add(r *privacy.Record) (moved bool, err error) {
	if moved, err = s.Stream.Add(r); err != nil {
		return false, err
	}
	e := &s.Release().Of[r.Arms[0]]
	e.Mean = min(max(e.Mean, s.setup.Lo), s.setup.Hi)
	return moved, nil
}
