package external

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// session is what a run has with its process.
type session struct {
	*pool
	seed, noiseSeed uint64

	mu      sync.Mutex // of all calls: the collector of garbage may close the run, too
	process *process   // nil before the first call
	over    bool
	failed  error // of the first failure: a run that failed stays failed

	round  int  // the last one that arms were asked for
	shown  bool // the program has its contexts
	warmed bool

	pending bool // rewards that the program does not have
	played  []int
	rewards []float64

	answer  answer
	release []float64 // the last one
	line    []byte
	scratch []byte
	renewed int // processes that were found to have failed before the run
}

// when says in words where the run is.
func (s *session) when() string {
	switch {
	case s.over:
		return "at its end, after round " + strconv.Itoa(s.round)
	case s.round == 0:
		return "before round 1"
	}
	return "in round " + strconv.Itoa(s.round)
}

// ask sends the line and reads the answer, with arms or without, into s.answer. If the answer is
// wrong, the process is ended and the run has failed.
func (s *session) ask(arms bool) error {
	want := nothing
	if arms {
		want = someArms
	}
	s.line = append(s.line, "}\n"...)
	line, err := s.process.exchange(s.line, s.program.AnswerWithin)
	var e *Error
	if err != nil {
		e = s.process.describe(s.program.Command, err, line, s.program.AnswerWithin)
	} else if err := s.answer.read(line); err != nil {
		e = s.misread(s.process, err, line, want)
	} else if s.answer.hasArms != arms {
		got := fmt.Errorf("no %q", "arms")
		if !arms {
			got = fmt.Errorf("%q", "arms")
		}
		e = s.misread(s.process, got, line, want)
	}
	if e != nil {
		if e.Want == "" && e.Fault != refused && e.Fault != closed {
			e.Want = want
		}
		return s.fail(e)
	}
	if s.answer.released {
		s.release = append(s.release[:0], s.answer.release...)
	}
	return nil
}

// What is wanted of an answer, in words for errors.
const (
	nothing  = `{}`
	someArms = `{"arms":[...]}`
)

// fail ends the run with an error.
func (s *session) fail(e *Error) error {
	if e.When == "" {
		e.When = s.when()
	}
	e.Round = s.round
	s.failed = e
	if s.process != nil {
		s.drop(s.process)
		s.process = nil
	}
	return e
}

// begin gets a process for the run and resets it. One that has failed since its last run is
// replaced, so that this run is not lost.
func (s *session) begin() error {
	switch {
	case s.failed != nil:
		return s.failed
	case s.over:
		return fmt.Errorf("external: %s: the run is over: it was closed", title(s.program.Command))
	case s.process != nil:
		return nil
	}
	for {
		one, err := s.take()
		if err != nil {
			s.failed = err
			return err
		}
		s.process = one
		s.line = fmt.Appendf(s.line[:0], `{"type":"start","seed":%d,"noise_seed":%d`, s.seed, s.noiseSeed)
		if err = s.ask(false); err == nil {
			return nil
		}
		var e *Error
		if !one.used || errors.As(err, &e) && e.Fault == refused {
			return err
		}
		s.failed = nil
		s.renewed++
	}
}

// appendPending appends the rewards that the program does not have.
func (s *session) appendPending() {
	if !s.pending {
		return
	}
	s.line = appendArms(append(s.line, `,"played":`...), s.played)
	s.line = appendNumbers(append(s.line, `,"rewards":`...), s.rewards)
	s.pending = false
}

// warmUp gives the program its round 0.
func (s *session) warmUp(y []float64) error {
	switch {
	case !s.ready.WarmUp:
		return fmt.Errorf("external: a round 0 for the program %q, which wants none", s.ready.Name)
	case len(y) != s.problem.Arms:
		return fmt.Errorf("external: round 0: %d rewards, want one for each of %d arms", len(y), s.problem.Arms)
	case !packed.Finite(y):
		return fmt.Errorf("external: round 0: rewards of %v, want finite", slices.Clone(y))
	case s.warmed:
		return errors.New("external: a second round 0")
	}
	if err := s.begin(); err != nil {
		return err
	}
	s.line = appendNumbers(append(s.line[:0], `{"type":"warm_up","rewards":`...), y)
	if err := s.ask(false); err != nil {
		return err
	}
	s.warmed = true
	return nil
}

// choose asks the program for its arms, and tells it the rewards of the round before.
func (s *session) choose(v *bandit.View, dst []int) ([]int, error) {
	if s.failed != nil {
		return dst, s.failed
	}
	if !v.Fits(&s.problem) {
		return dst, fmt.Errorf("external: round %d: %w", v.Round, s.problem.CheckView(v))
	}
	if s.ready.WarmUp && !s.warmed {
		return dst, fmt.Errorf("external: round %d: no round 0 came before, which the program %q wants", v.Round, s.ready.Name)
	}
	same := v.Same && s.shown && v.Round == s.round+1
	if x := v.X[:v.Arms*v.Dim]; !same && !packed.Finite(x) {
		return dst, fmt.Errorf("external: round %d: contexts that are not finite", v.Round)
	}
	if err := s.begin(); err != nil {
		return dst, err
	}
	s.round = v.Round
	s.line = strconv.AppendInt(append(s.line[:0], `{"type":"round","round":`...), int64(v.Round), 10)
	s.appendPending()
	switch {
	case same || v.Dim == 0:
	case s.ready.Contexts == "packed":
		s.line, s.scratch = appendPacked(s.line, v, s.scratch)
	default:
		s.line = appendRows(s.line, v)
	}
	if err := s.ask(true); err != nil {
		return dst, err
	}
	s.shown = true
	if err := s.check(v.Arms); err != nil {
		return dst, err
	}
	return append(dst, s.answer.arms...), nil
}

// check refuses arms that cannot be played.
func (s *session) check(n int) error {
	arms := s.answer.arms
	var got, want string
	switch {
	case len(arms) != s.problem.Slots:
		got, want = fmt.Sprintf("%d arms", len(arms)), fmt.Sprint(s.problem.Slots)
	default:
		for i, a := range arms {
			if uint(a) >= uint(n) {
				got, want = fmt.Sprintf("arm %d", a), fmt.Sprintf("one in [0, %d)", n)
				break
			}
			if slices.Contains(arms[:i], a) {
				got, want = fmt.Sprintf("arm %d twice", a), fmt.Sprintf("%d different ones", s.problem.Slots)
				break
			}
		}
	}
	if got == "" {
		return nil
	}
	one := s.process
	e := &Error{Program: title(s.program.Command), Fault: badArms, Got: got, Want: want}
	s.drop(one)
	e.Stderr = one.stderr.last()
	return s.fail(e)
}

// keep keeps the rewards, to be sent with the next message. They are those of the last round.
func (s *session) keep(v *bandit.View, arms []int, y []float64) error {
	if s.failed != nil {
		return s.failed
	}
	if !v.Fits(&s.problem) {
		return fmt.Errorf("external: round %d: %w", v.Round, s.problem.CheckView(v))
	}
	if err := s.problem.CheckArms(v, arms, y); err != nil {
		return fmt.Errorf("external: round %d: %w", v.Round, err)
	}
	if !packed.Finite(y) {
		return fmt.Errorf("external: round %d: rewards of %v, want finite", v.Round, slices.Clone(y))
	}
	if v.Round != s.round || s.process == nil {
		return fmt.Errorf("external: rewards of round %d, want those of the last round that arms were chosen for, %d", v.Round, s.round)
	}
	if s.pending {
		return fmt.Errorf("external: rewards of round %d twice", v.Round)
	}
	s.played, s.rewards, s.pending = append(s.played[:0], arms...), append(s.rewards[:0], y...), true
	return nil
}

// flush sends the rewards that the program does not have.
func (s *session) flush() error {
	if s.failed != nil || !s.pending {
		return s.failed
	}
	s.line = append(s.line[:0], `{"type":"update"`...)
	s.appendPending()
	return s.ask(false)
}

// appendReleased appends the numbers that the program has made public. It first tells the program
// the rewards of all rounds so far.
func (s *session) appendReleased(dst []float64) ([]float64, error) {
	if err := s.flush(); err != nil {
		return dst, err
	}
	return append(dst, s.release...), nil
}

// close ends the run: the program has its last rewards, and the process is free.
func (s *session) close() error {
	if s.over || s.failed != nil || s.process == nil {
		s.over = true
		return nil
	}
	s.over = true
	s.line = append(s.line[:0], `{"type":"end"`...)
	s.appendPending()
	if err := s.ask(false); err != nil {
		return err
	}
	s.process.used = true
	s.give(s.process)
	s.process = nil
	return nil
}
