package privacytest_test

import "github.com/dpbandits/dpbandits/pkg/privacy"

// runnable is a statistic whose description, calibration and run are one value.
type runnable[R any] interface {
	privacy.Stream[R]
	Init(privacy.Setup) error
	Reset(*privacy.Noise)
}

// described describes runs of a runnable, each of a value of its own.
type described[R any] struct{ make func() runnable[R] }

func (d described[R]) Open(s privacy.Setup) (privacy.Mechanism[R], error) {
	m := &made[R]{d.make, s, d.make()}
	return m, m.first.Init(s)
}

// made is a described one that was opened.
type made[R any] struct {
	make  func() runnable[R]
	setup privacy.Setup
	first runnable[R] // which is never run
}

func (m *made[R]) Plan(records int) privacy.Plan { return privacy.PlanOf(m.first, records).HeldBy(m) }

func (m *made[R]) Start(n *privacy.Noise) privacy.Stream[R] {
	x := m.make()
	if err := x.Init(m.setup); err != nil {
		panic(err)
	}
	x.Reset(n)
	return x
}
