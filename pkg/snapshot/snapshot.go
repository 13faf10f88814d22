// Package snapshot saves a run of a learner, so that it goes on where it stopped.
//
//   - [Seeded] begins a run for research, [Deployed] one that is meant for use
//   - [Session] is the run: a bandit.Run that keeps what it was given
//   - [Session.Save] writes it, and [Load] plays it again and goes on
//
// A run is a function of its learner, its problem, its streams and its records. So these are what
// is saved, and Load plays all records again: each arm has to be the one that was played then.
// Nothing of the learner's inside is written, and no type has to take part. The run goes on bit for
// bit, with what it has spent of its budget. A changed file, another learner, and code that now
// plays other arms are refused.
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
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/value"
)

// Session is a run that can be saved. It keeps all that it is given: 8 bytes for each number of a
// round's contexts, unless View.Same says that they are those of the round before.
type Session struct {
	state state
	ready bandit.Calibrated
	run   bandit.Run
	noise *random.System // of a deployed run
	seed  *seeded        // of another
	copy  bool           // a state of this run exists
}

// seeded is a seeded source that knows whether a mechanism draws from the operating system in its
// place. Its words are then not those of the seed, and a run of them is not played again.
type seeded struct {
	rand.Source
	elsewhere bool
}

// Elsewhere is what privacy.Noise tells the source.
func (s *seeded) Elsewhere() { s.elsewhere = true }

// state is what is saved.
type state struct {
	Learner string // as value.Go writes it
	Problem bandit.Problem
	Horizon int
	Seed    uint64
	System  bool     // the noise is the operating system's
	Noise   []uint64 // the words of it that were drawn
	Warm    []float64
	Rounds  []round
}

// round is what the run was given in a round, and what it played.
type round struct {
	View     bandit.View // without X if that is the last one's
	Selected []int       // nil if there was no Select
	Updated  bool
	Arms     []int
	Rewards  []float64
}

var (
	_ bandit.Warmed   = (*Session)(nil)
	_ bandit.Warner   = (*Session)(nil)
	_ privacy.Planner = (*Session)(nil)
)

// Seeded begins a run whose noise is seeded: for research. It refuses a learner with a mechanism
// that draws from the operating system whatever the seed.
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
	session := &Session{state: s, ready: ready}
	var source rand.Source
	if s.System {
		session.noise = new(random.System).Record(s.Noise)
		source = session.noise
	} else {
		session.seed = &seeded{Source: random.Source(s.Seed, 0, "noise")}
		source = session.seed
	}
	session.run = ready.Start(random.New(s.Seed, 0, "own"), source)
	if err := session.repeatable(); err != nil {
		return nil, err
	}
	return session, nil
}

// repeatable returns an error if the noise is neither recorded nor made by the seed.
func (s *Session) repeatable() error {
	if s.seed != nil && s.seed.elsewhere {
		return fmt.Errorf("snapshot: a seeded run of %.500s, which draws from the operating system: its past could not be played again, want Deployed", s.state.Learner)
	}
	return nil
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
	if err == nil {
		s.state.Warm = slices.Clone(y)
	}
	return err
}

// Select appends the arms that the run plays to dst.
func (s *Session) Select(v *bandit.View, dst []int) ([]int, error) {
	n := len(dst)
	dst, err := s.run.Select(v, dst)
	if err != nil {
		return dst, err
	}
	r := round{View: *v, Selected: slices.Clone(dst[n:])}
	r.View.X = slices.Clone(v.X)
	if last := len(s.state.Rounds) - 1; v.Same && last >= 0 && s.state.Rounds[last].View.Round == v.Round-1 {
		r.View.X = nil
	}
	s.state.Rounds = append(s.state.Rounds, r)
	return dst, nil
}

// Update gives the run the rewards of the arms played. It comes after Select for the same view.
func (s *Session) Update(v *bandit.View, arms []int, y []float64) error {
	last := len(s.state.Rounds) - 1
	if last < 0 || s.state.Rounds[last].View.Round != v.Round || s.state.Rounds[last].Updated {
		return fmt.Errorf("snapshot: round %d: an Update without a Select before it", v.Round)
	}
	err := s.run.Update(v, arms, y)
	if err == nil {
		r := &s.state.Rounds[last]
		r.Updated, r.Arms, r.Rewards = true, slices.Clone(arms), slices.Clone(y)
	}
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
func (s *Session) Rounds() int { return len(s.state.Rounds) }

// magic begins a file, and says its format. It also changes with the law of the noise that a word
// makes: a past under noise that is nearly the same would show the data.
const magic = "dpbandits run 4\n"

// Save writes what the run is made of. The state is as secret as the data. The run may go on, but
// then its state must not.
func (s *Session) Save(w io.Writer) error {
	if err := s.repeatable(); err != nil {
		return err
	}
	s.copy = true
	if s.noise != nil {
		s.state.Noise = s.noise.Words()
	}
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
	rounds := saved.Rounds
	saved.Rounds = nil
	s, err := begin(l, saved)
	if err != nil {
		return nil, err
	}
	if saved.Warm != nil {
		if err := s.WarmUp(saved.Warm); err != nil {
			return nil, fmt.Errorf("snapshot: round 0, played again: %w", err)
		}
	}
	var x []float64
	for _, r := range rounds {
		v := r.View
		if v.X == nil && v.Same {
			v.X = x
		}
		x = v.X
		arms, err := s.Select(&v, nil)
		if err == nil && !slices.Equal(arms, r.Selected) {
			err = fmt.Errorf("it plays %v, and played %v when it was saved: its code is another", arms, r.Selected)
		}
		if err == nil && r.Updated {
			err = s.Update(&v, r.Arms, r.Rewards)
		}
		if err != nil {
			return nil, fmt.Errorf("snapshot: round %d, played again: %w", v.Round, err)
		}
	}
	if s.noise != nil {
		if now, then := len(s.noise.Words()), len(saved.Noise); now != then {
			return nil, fmt.Errorf("snapshot: the rounds, played again, draw %d words of noise, and drew %d when they were saved: their code is another", now, then)
		}
	}
	s.copy = true
	return s, nil
}
