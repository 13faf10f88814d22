package external

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// pool keeps the processes of a program that knows its problem. It is shared by all runs.
type pool struct {
	program Program
	problem bandit.Problem
	horizon int
	open    []byte // the message
	ready   ready  // of the first process; fixed from then on

	mu     sync.Mutex
	first  bool // a process was ready
	idle   []*process
	all    map[*process]bool
	closed bool
}

func newPool(p Program, problem bandit.Problem, horizon int) *pool {
	return &pool{program: p, problem: problem, horizon: horizon, open: openMessage(problem, horizon), all: map[*process]bool{}}
}

// errClosed says that runs come too late.
func (p *pool) errClosed(when string) *Error {
	return &Error{Program: title(p.program.Command), Fault: closed, When: when, Got: "its learner was closed"}
}

// take returns a process that waits for a run, or starts one.
func (p *pool) take() (*process, error) {
	if one := p.waiting(); one != nil {
		return one, nil
	}
	if taken.Load() >= max(16, running.Load()/2) {
		// Runs that were dropped and not closed may have as many processes.
		taken.Store(0)
		runtime.GC()
		for range 10 {
			time.Sleep(5 * time.Millisecond)
			if one := p.waiting(); one != nil {
				return one, nil
			}
		}
	}
	taken.Add(1)
	return p.start()
}

// waiting returns a process that waits for a run, nil if there is none.
func (p *pool) waiting() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	taken.Add(1)
	one := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return one
}

// running counts the processes of all programs, and taken those that runs have taken since garbage
// was last collected for their sake.
var running, taken atomic.Int64

// give takes a process back, which waits for the next run.
func (p *pool) give(one *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.idle = append(p.idle, one)
	}
}

// start starts a process and asks it whether it plays the problem.
func (p *pool) start() (*process, error) {
	const when = "when it was opened"
	one, err := launch(p.program.Command)
	if err != nil {
		return nil, &Error{Program: title(p.program.Command), Fault: notStarted, When: when, Got: err.Error()}
	}
	p.mu.Lock()
	closed := p.closed
	p.all[one] = true
	p.mu.Unlock()
	running.Add(1)
	if closed {
		p.drop(one)
		return nil, p.errClosed(when)
	}
	line, err := one.exchange(p.open, p.program.OpenWithin)
	if err != nil {
		e := one.describe(p.program.Command, err, line, p.program.OpenWithin)
		if e.When = when; e.Want == "" {
			e.Want = fmt.Sprintf(`{"protocol":%d,"name":...}`, version)
		}
		p.drop(one)
		return nil, e
	}
	said, err := readReady(line)
	if err == nil {
		err = p.agree(said)
	}
	if err != nil {
		e := p.misread(one, err, line, fmt.Sprintf(`{"protocol":%d,"name":...}`, version))
		e.When = when
		return nil, e
	}
	return one, nil
}

// agree keeps what the first process says of itself, and refuses one that says something else.
func (p *pool) agree(said ready) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.first {
		p.first, p.ready = true, said
		return nil
	}
	was := p.ready
	if !said.Claim.equal(was.Claim) {
		return errors.New("another claim than its first process has stated")
	}
	said.Claim, was.Claim = nil, nil
	if said != was {
		return fmt.Errorf("%+v, and %+v of its first process", said, was)
	}
	return nil
}

// misread returns the error of a line that is not what was asked for, and ends the process.
func (p *pool) misread(one *process, err error, line []byte, want string) *Error {
	e := &Error{Program: title(p.program.Command), Fault: malformed, Got: fmt.Sprintf("%v in %s", err, shown(line)), Want: want}
	var own refusal
	if errors.As(err, &own) {
		e.Fault, e.Got, e.Want = refused, fmt.Sprintf("it says %q", string(own)), ""
	}
	p.drop(one)
	e.Stderr = one.stderr.last()
	return e
}

// drop ends a process that is of no more use.
func (p *pool) drop(one *process) {
	one.end(0)
	p.mu.Lock()
	there := p.all[one]
	delete(p.all, one)
	p.mu.Unlock()
	if there {
		running.Add(-1)
	}
}

// Close ends all processes. A run that is not over fails.
func (p *pool) Close() error {
	p.mu.Lock()
	p.closed, p.idle = true, nil
	var all []*process
	for one := range p.all {
		all = append(all, one)
	}
	clear(p.all)
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, one := range all {
		wg.Go(func() { one.end(patience) })
	}
	wg.Wait()
	running.Add(-int64(len(all)))
	return nil
}
