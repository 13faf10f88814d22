// Package snapshot saves a run of a learner, so that it goes on where it stopped.
//
//   - [Seeded] begins a run for research, [Deployed] one that is meant for use
//   - [Session] is the run: a bandit.Run that keeps what it was given
//   - [Session.Save] writes it, and [Load] plays it again and goes on
//
// A run is a function of its learner, its problem, its streams and the calls of its methods. So
// these are what is saved, and Load makes all calls again: each arm has to be the one that was
// played then, and what was refused is refused again. Nothing of the learner's inside is written,
// and no type has to take part. The run goes on bit for bit, with what it has spent of its budget.
// A changed file, another learner, and code that now plays other arms are refused. So is, from the
// beginning, a run with noise that is not of its streams: of a program (package external), and in a
// seeded run the operating system's.
//
// # A state is a secret
//
// A state is not a release. It holds the raw data and the noise, so whoever reads it knows the data
// as if there were no noise. No claim covers it. Keep it where you would keep the data.
//
// # Continue a state once
//
// Two runs that go on from one state of a Seeded run draw the same noise for different data, and
// the difference of their releases shows the data without any noise. A Deployed run draws from the
// operating system. Its state keeps the noise of the past, and each copy draws new noise from then
// on, so that k copies spend what k runs do. From Save and Load on, the claim has a condition that
// says which.
package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/value"
)

// Session is a run that can be saved. It keeps all that it is given, what it refused included: 8
// bytes for each number of a round's contexts, unless View.Same says that they are those of the
// round before, and they are. It is no value to copy, and serves one goroutine.
type Session struct {
	state  state
	ready  bandit.Calibrated
	run    bandit.Run
	noise  source
	rounds int
	asked  bool        // the last Select has had no Update
	view   bandit.View // of the last Select that was not refused
	last   []float64   // the contexts of the last Select
	copy   bool        // a state of this run exists
}

// source is the run's noise. It is told if a mechanism draws from elsewhere: such a run is not
// played again.
type source interface {
	rand.Source
	Elsewhere()
	drawn() (words []uint64, count int, all bool)
}

// seeded is the noise of a seeded run, which keeps no words.
type seeded struct {
	rand.Source
	count     int
	elsewhere bool
}

// Uint64 counts the words.
func (s *seeded) Uint64() uint64 {
	s.count++
	return s.Source.Uint64()
}

// Elsewhere is what privacy.Noise tells the source.
func (s *seeded) Elsewhere() { s.elsewhere = true }

func (s *seeded) drawn() ([]uint64, int, bool) { return nil, s.count, !s.elsewhere }

// recorded is the noise of a deployed run.
type recorded struct{ *random.System }

func (r recorded) drawn() ([]uint64, int, bool) {
	words, all := r.Words()
	return words, len(words), all
}

// state is what is saved.
type state struct {
	Learner string // as value.Go writes it
	Problem bandit.Problem
	Horizon int
	Seed    uint64
	System  bool     // the noise is the operating system's
	Noise   []uint64 // the words of it that were drawn
	Drawn   int      // how many words of noise were drawn
	Calls   []call
}

// call is what the run was asked, and what it answered.
type call struct {
	Kind    kind
	View    bandit.View // of a Select
	Again   bool        // its X is that of the Select before, and not kept
	Arms    []int       // that a Select chose, or an Update was given
	Rewards []float64   // of an Update or a WarmUp
	Refused bool
}

type kind uint8

const (
	warmUp kind = iota
	selects
	updates
)

var (
	_ bandit.Warmed   = (*Session)(nil)
	_ bandit.Warner   = (*Session)(nil)
	_ privacy.Planner = (*Session)(nil)
)

// Seeded begins a run whose noise is seeded: for research. It refuses a learner whose noise the
// seed does not make.
func Seeded(l bandit.Learner, p bandit.Problem, horizon int, seed uint64) (*Session, error) {
	return begin(l, state{Problem: p, Horizon: horizon, Seed: seed})
}

// Deployed begins a run whose noise is the operating system's. The learner's own choices, which are
// no secret, have a seed from there.
func Deployed(l bandit.Learner, p bandit.Problem, horizon int) (*Session, error) {
	return begin(l, state{Problem: p, Horizon: horizon, Seed: new(random.System).Uint64(), System: true})
}

func begin(l bandit.Learner, s state) (*Session, error) {
	if l == nil {
		return nil, errors.New("snapshot: the learner is nil")
	}
	text, err := value.Go(l)
	if err != nil {
		return nil, fmt.Errorf("snapshot: a learner that cannot be saved: %w", err)
	}
	if s.Learner == "" {
		s.Learner = text
	}
	if text != s.Learner {
		return nil, fmt.Errorf("snapshot: the state is of the learner %.500s, and here is %.500s", s.Learner, text)
	}
	ready, err := l.Open(s.Problem, s.Horizon)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	session := &Session{state: s, ready: ready, noise: &seeded{Source: random.Source(s.Seed, 0, "noise")}}
	var noise rand.Source = session.noise
	if s.System {
		system := new(random.System).Record(s.Noise)
		session.noise, noise = recorded{system}, system
	}
	session.run = ready.Start(random.New(s.Seed, 0, "own"), noise)
	if err := session.repeatable(); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

// repeatable returns an error if noise is drawn from elsewhere than the session's source.
func (s *Session) repeatable() error {
	if _, _, all := s.noise.drawn(); all {
		return nil
	}
	if s.state.System {
		return fmt.Errorf("snapshot: a run of %.500s, whose noise a program of its own draws: its past could not be played again", s.state.Learner)
	}
	return fmt.Errorf("snapshot: a seeded run of %.500s, whose noise the seed does not make: its past could not be played again; if the operating system makes it, want Deployed", s.state.Learner)
}

// WantsWarmUp reports whether the run needs a round 0.
func (s *Session) WantsWarmUp() bool {
	w, ok := s.ready.(bandit.Warmer)
	return ok && w.WantsWarmUp()
}

// WarmUp gives the run its round 0.
func (s *Session) WarmUp(y []float64) error {
	w, ok := s.run.(bandit.Warmed)
	if !ok {
		return fmt.Errorf("snapshot: a %T takes in no round 0", s.run)
	}
	err := w.WarmUp(y)
	s.log(call{Kind: warmUp, Rewards: y}, err)
	return err
}

// log keeps a copy of a call. A refused one is kept, too: what the run counts as spent has to be
// spent in the run that goes on.
func (s *Session) log(c call, err error) {
	c.Arms, c.Rewards, c.Refused = slices.Clone(c.Arms), slices.Clone(c.Rewards), err != nil
	s.state.Calls = append(s.state.Calls, c)
}

// Select appends the arms that the run plays to dst.
func (s *Session) Select(v *bandit.View, dst []int) ([]int, error) {
	n := len(dst)
	dst, err := s.run.Select(v, dst)
	seen, c := *v, call{Kind: selects, Again: v.Same && same(v.X, s.last)}
	if !c.Again {
		s.last = slices.Clone(v.X)
	}
	seen.X = s.last
	if c.View = seen; c.Again {
		c.View.X = nil
	}
	if err == nil {
		c.Arms = dst[n:]
		if !s.asked || seen.Round != s.view.Round {
			s.rounds++
		}
		s.view, s.asked = seen, true
	}
	s.log(c, err)
	return dst, err
}

// same compares numbers bit by bit, as one may be NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Update gives the run the rewards of the arms played. It comes after Select for the same view.
func (s *Session) Update(v *bandit.View, arms []int, y []float64) error {
	if !s.asked || v.Round != s.view.Round {
		return fmt.Errorf("snapshot: round %d: an Update without a Select before it", v.Round)
	}
	if v.Arms != s.view.Arms || v.Dim != s.view.Dim || !same(v.X, s.view.X) {
		return fmt.Errorf("snapshot: round %d: an Update with other contexts than the Select before it", v.Round)
	}
	err := s.run.Update(&s.view, arms, y)
	s.log(call{Kind: updates, Arms: arms, Rewards: y}, err)
	s.asked = err != nil
	return err
}

// Explain appends what the run chooses by, if it shows that.
func (s *Session) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return bandit.Explain(s.run, v, dst)
}

// Warnings returns what the run has to warn of.
func (s *Session) Warnings() []bandit.Warning { return bandit.Warnings(s.run) }

// Plan returns the plan of the run. Once a state of it exists, the plan has a condition that says
// what copies cost.
func (s *Session) Plan(records int) privacy.Plan {
	p := privacy.PlanOf(s.run, records)
	if s.copy {
		condition := "a state was saved: one copy goes on from it; two show the same noise, and their difference the data"
		if s.state.System {
			condition = "a state was saved: k copies that go on from it draw new noise each, and spend what k runs do"
		}
		p.Conditions = append(slices.Clip(p.Conditions), condition)
	}
	return p.HeldBy(s)
}

// Close closes the run and its learner, if they are to be closed.
func (s *Session) Close() error { return errors.Join(bandit.Close(s.run), bandit.Close(s.ready)) }

// Rounds returns how many rounds were played.
func (s *Session) Rounds() int { return s.rounds }

// magic begins a file, and says its format. It also changes with the law of the noise that a word
// makes: a past under noise that is nearly the same would show the data.
const magic = "dpbandits run 5\n"

// Save writes what the run is made of. The state is as secret as the data. The run may go on, but
// then its state must not.
func (s *Session) Save(w io.Writer) error {
	if err := s.repeatable(); err != nil {
		return err
	}
	s.copy = true
	s.state.Noise, s.state.Drawn, _ = s.noise.drawn()
	var b bytes.Buffer
	b.WriteString(magic)
	if err := gob.NewEncoder(&b).Encode(s.state); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	_, err := w.Write(b.Bytes())
	return err
}

// Load plays a run again that Save has written, of the same learner, and returns it: it goes on bit
// for bit. It reads r to the end. It is an error if the bytes are not those that were written, if
// the learner is another, or if a round plays other arms than then or the rounds draw more words
// of noise or fewer, as another version of the learner's code may.
func Load(r io.Reader, l bandit.Learner) (*Session, error) {
	if r == nil {
		return nil, errors.New("snapshot: the reader is nil")
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	if !bytes.HasPrefix(text, []byte(magic)) || len(text) < len(magic)+sha256.Size {
		return nil, fmt.Errorf("snapshot: %d bytes that do not begin with %q: no saved run, or one of another version", len(text), magic)
	}
	end := len(text) - sha256.Size
	if sum := sha256.Sum256(text[:end]); !bytes.Equal(sum[:], text[end:]) {
		return nil, errors.New("snapshot: the checksum is wrong: the file was changed, or is not whole")
	}
	var saved state
	if err := gob.NewDecoder(bytes.NewReader(text[len(magic):end])).Decode(&saved); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	s, err := begin(l, saved)
	if err != nil {
		return nil, err
	}
	if err := s.replay(saved.Calls); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if _, now, _ := s.noise.drawn(); now != saved.Drawn {
		return nil, errors.Join(s.Close(),
			fmt.Errorf("snapshot: the rounds, played again, draw %d words of noise, and drew %d when they were saved: their code is another", now, saved.Drawn))
	}
	s.copy = true
	return s, nil
}

// replay makes calls again, and wants the answers that they got.
func (s *Session) replay(calls []call) error {
	s.state.Calls = nil
	for _, c := range calls {
		v, round := c.View, s.view.Round
		if c.Again {
			v.X = s.last
		}
		var arms []int
		var err error
		switch c.Kind {
		case warmUp:
			round, err = 0, s.WarmUp(c.Rewards)
		case selects:
			round = v.Round
			if arms, err = s.Select(&v, nil); err == nil && !c.Refused && !slices.Equal(arms, c.Arms) {
				return fmt.Errorf("snapshot: round %d, played again: it plays %v, and played %v when it was saved: its code is another", round, arms, c.Arms)
			}
		case updates:
			err = s.Update(&s.view, c.Arms, c.Rewards)
		default:
			return fmt.Errorf("snapshot: a call of kind %d, want at most %d", c.Kind, updates)
		}
		if err != nil && !c.Refused {
			return fmt.Errorf("snapshot: round %d, played again: %w", round, err)
		}
		if err == nil && c.Refused {
			return fmt.Errorf("snapshot: round %d, played again: it takes in what it refused when it was saved: its code is another", round)
		}
	}
	return nil
}
