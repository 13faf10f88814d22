package audit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Status is the progress of an audit.
type Status struct {
	Name        string // of the item
	Done, Total int64  // runs in both worlds
	Elapsed     time.Duration
	Left        time.Duration // estimated time at the present rate; negative while unknown
	Finished    bool          // the last report of the item, whether or not all runs were made
}

// String returns the status as a line of plain ASCII.
func (s Status) String() string {
	percent := 0
	if s.Total > 0 {
		percent = int(100 * float64(s.Done) / float64(s.Total))
	}
	line := fmt.Sprintf("%3d%%  audit of %s, %d runs", percent, s.Name, s.Total)
	switch {
	case s.Finished:
		line += "  took " + s.Elapsed.Round(100*time.Millisecond).String()
	case s.Left >= 0:
		line += "  " + s.Left.Round(100*time.Millisecond).String() + " left"
	}
	return line
}

// meter counts runs and reports them.
type meter struct {
	name  string
	total int64
	sink  func(Status)
	start time.Time
	done  atomic.Int64
	quit  chan struct{}
	wait  sync.WaitGroup
}

func newMeter(name string, total int64, sink func(Status)) *meter {
	m := &meter{name: name, total: total, sink: sink, start: time.Now(), quit: make(chan struct{})}
	if sink == nil {
		return m
	}
	sink(m.status(false))
	m.wait.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				sink(m.status(false))
			case <-m.quit:
				return
			}
		}
	})
	return m
}

func (m *meter) status(finished bool) Status {
	s := Status{Name: m.name, Done: m.done.Load(), Total: m.total, Elapsed: time.Since(m.start), Left: -1, Finished: finished}
	if s.Done > 0 {
		s.Left = time.Duration(float64(s.Elapsed) * float64(s.Total-s.Done) / float64(s.Done))
	}
	return s
}

// stop makes the last report.
func (m *meter) stop() {
	close(m.quit)
	m.wait.Wait()
	if m.sink != nil {
		m.sink(m.status(true))
	}
}
