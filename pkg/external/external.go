// Package external plays learners that are programs, in any language.
//
//   - [Program] describes one: a bandit.Learner that is a command
//   - [Error] says what a program did wrong, and in which round
//
// The program reads a line of JSON from its standard input and answers it with one line on its
// standard output, once a round; what it writes to its standard error is kept for messages.
// PROTOCOL.md beside this file has the messages, schema.json their form, and the folder python a
// file that makes a learner of a Python class.
//
// # Whose program it is
//
// A program runs as the user's own: with the user's rights, files, network and environment, and
// with nothing taken away. Run what you would run from a shell.
//
// # Its processes
//
// Each run has a process to itself. When the run is closed, the process is reset and goes on with
// another run. One that breaks the protocol, dies, or does not answer in time is killed, its run
// fails with an [Error], and the next run has another process.
//
// A process ends with the Calibrated that it belongs to: when that is closed, or collected as
// garbage. Its standard input is closed; if it is then still there a second later, it is killed.
// Processes that it has started are killed with it if they stay in its process group (on Unix), or
// have kept its environment (on Linux). Left alive is one that does neither. If the user's program
// dies, even of kill -9, Linux kills the process that it has started, and elsewhere its standard
// input ends.
package external

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Program is a learner that is a program of any language, which speaks the protocol of PROTOCOL.md.
//
// What it claims is asserted, not checked: it draws its own noise, where no ledger can count it.
type Program struct {
	// Command is the program and its arguments, such as "python3", "mine.py". It is looked for as a
	// shell does, and run in the current directory.
	Command []string
	// Version stands for what the program does, which Command does not tell: change it whenever you
	// change the program. What keeps trials (simulate.Experiment's Cache, Checkpoint and Records) wants
	// one, or a Fingerprint of the experiment, and takes it for what the program does.
	Version string
	// AnswerWithin is the longest time that an answer may take; 0 means 10 s.
	AnswerWithin time.Duration
	// OpenWithin is the longest time from the start of a process until it is ready; 0 means 60 s.
	OpenWithin time.Duration
}

var _ bandit.Learner = Program{}

// Open starts the program and asks it whether it plays the problem.
//
// The result is an io.Closer, to be closed when all its runs are over, and so is a run. Packages
// simulate and audit close what they open. A run also has Release() []float64, which audit.Releases
// looks for, and Released(dst []float64) ([]float64, error): what the program has released by now.
func (p Program) Open(problem bandit.Problem, horizon int) (bandit.Calibrated, error) {
	switch {
	case len(p.Command) == 0 || p.Command[0] == "":
		return nil, errors.New("external: Program.Command is empty, want a program and its arguments")
	case p.AnswerWithin < 0:
		return nil, fmt.Errorf("external: Program.AnswerWithin = %v, want >= 0", p.AnswerWithin)
	case p.OpenWithin < 0:
		return nil, fmt.Errorf("external: Program.OpenWithin = %v, want >= 0", p.OpenWithin)
	}
	for _, arg := range p.Command {
		if strings.ContainsRune(arg, 0) {
			return nil, fmt.Errorf("external: Program.Command holds %q, want no zero byte", arg)
		}
	}
	if err := problem.Validate(); err != nil {
		return nil, err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	if p.AnswerWithin == 0 {
		p.AnswerWithin = 10 * time.Second
	}
	if p.OpenWithin == 0 {
		p.OpenWithin = time.Minute
	}
	p.Command = slices.Clone(p.Command)
	all := newPool(p, problem, horizon)
	first, err := all.start()
	if err != nil {
		return nil, err
	}
	all.give(first)
	o := &opened{all}
	runtime.AddCleanup(o, func(all *pool) { go all.Close() }, all)
	return o, nil
}

// Opaque reports whether the value leaves open what the program does: whether Version is empty.
// What keeps trials asks.
func (p Program) Opaque() bool { return p.Version == "" }

// opened is a Program for a problem. Nothing but its user holds it, so that the processes end when
// the user drops it.
type opened struct{ *pool }

var (
	_ bandit.Warmer   = (*opened)(nil)
	_ privacy.Planner = (*opened)(nil)
)

// WantsWarmUp reports whether the program has asked for a round 0.
func (o *opened) WantsWarmUp() bool { return o.ready.WarmUp }

// Start begins a run. The program has a seed from each of the two streams. Its process is found, or
// started, in the first call.
func (o *opened) Start(own *rand.Rand, noise rand.Source) bandit.Run {
	if s, ok := noise.(interface{ Elsewhere() }); ok { // package snapshot asks
		s.Elsewhere()
	}
	s := &session{pool: o.pool, seed: own.Uint64() >> unsafeBits, noiseSeed: noise.Uint64() >> unsafeBits}
	r := &run{s, o}
	runtime.AddCleanup(r, func(s *session) {
		go func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			_ = s.close()
		}()
	}, s)
	return r
}

// unsafeBits is how many bits of a word a seed leaves out: in many languages JSON's numbers are
// exact up to 2^53 only.
const unsafeBits = 11
