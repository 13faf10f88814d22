// Package judge says what a private learner is worth: whether its claim stands, what it costs in
// regret beside what is published, how fast it is, and what its author forgot.
//
//   - [Learner] plays a learner and returns a [Card].
//   - [Options] say how long that may take, against whom it races, and where.
//   - [Claim], [Attack], [Race], [Exponent], [Cost] and [Check] are the sections of a card.
//
// A card is text (Card.String), JSON (its fields), or figures (package charts/card). It is
// evidence, and no proof: an attack can show that a claim is false, and never that it is true.
//
//	private := learner.New(linear.UCB{}, continual.BLT{Budget: one})
//	card, err := judge.Learner(ctx, private, judge.Options{})
//	fmt.Println(card)
//
// The card has the claim and who vouches for it, the largest epsilon that attacks exclude, the
// regret beside what is published at equal proved privacy (paired, with a rank), how that grows
// with the horizon and with 1/epsilon, what a round costs, and what its author forgot. The
// leaderboard takes what it calls audited from the cards of the catalogue's learners. A variant
// that nobody wrote an attack for, Thompson sampling over BLT (thompson_test.go), claims 1 and is
// audited at 0.9.
//
// A program of any language is judged like any learner, through package external. From a checkout
// that wants Go and that language alone:
//
//	export PYTHONPATH=pkg/external/python/src
//	go run ./pkg/cmd/dpbandits judge -html card.html -- python3 mine.py
//	go run ./pkg/cmd/dpbandits judge -learner all -only attacks,costs
package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/value"
)

// pick returns the number for a scale.
func pick[T any](scale string, smoke, lecture, paper T) T {
	switch scale {
	case "lecture":
		return lecture
	case "paper":
		return paper
	}
	return smoke
}

// The sections of a card, in their order.
const (
	checks  = "checks"  // what every learner promises
	attacks = "attacks" // what can be excluded of the claim
	races   = "races"   // regret, beside rivals
	growth  = "growth"  // of the regret with the horizon, and with 1/epsilon
	costs   = "costs"   // time and memory of a round
	inside  = "inside"  // what the learner chooses by
)

// Sections lists the sections of a card: what every learner promises, what can be excluded of the
// claim, regret beside rivals, its growth with the horizon and with 1/epsilon, time and memory of a
// round, and what the learner chooses by. What a learner claims stands on every card.
func Sections() []string { return []string{checks, attacks, races, growth, costs, inside} }

// Options say how a learner is judged. The zero value is ready for use.
type Options struct {
	Name string // of the learner on its card; empty means its type
	// Scale says how much work a card is: "smoke" takes seconds and is the default, "lecture" minutes,
	// "paper" an hour.
	Scale string
	Seed  uint64   // of all streams; 0 means 1
	Only  []string // some of Sections; nil means all
	// Confidence is that of all attacks of the card together, in (0, 1); 0 means 0.99.
	Confidence float64
	// Attacks is the number of attacks, where so many go by likelihood: those that can see most. 0
	// means all attacks, which a verdict on a claim wants; 1 is enough for how much of a true claim
	// shows.
	Attacks int
	// At makes the learner for another budget. It is wanted for the dependence on epsilon alone; nil
	// leaves that out.
	At     func(privacy.Budget) bandit.Learner
	Worlds []catalogue.World // where it races; nil means all of the catalogue's
	Rivals []catalogue.Entry // whom it races; nil means all of the catalogue's
	// Dir is a directory that keeps finished trials and attacks, so that a card that was interrupted
	// goes on where it was. Empty means none. For a type of your own, state its Version; a card with
	// another one starts anew.
	Dir, Version string
	// Workers is the number of trials and runs at a time; 0 means runtime.GOMAXPROCS(0), and twice as
	// many of a program in another process, which waits half of the time.
	Workers  int
	Progress func(doing string) // is told what is being done; nil means silent
	Races    simulate.Progress  // is told how far the races are; nil means simulate.DefaultProgress
}

// horizon is that of the races.
func (o Options) horizon() int { return pick(o.Scale, 1_000, 10_000, 100_000) }

// trials is the number of trials of a race.
func (o Options) trials() int { return pick(o.Scale, 8, 24, 50) }

func (o Options) complete() (Options, error) {
	switch o.Scale {
	case "":
		o.Scale = "smoke"
	case "smoke", "lecture", "paper":
	default:
		return o, fmt.Errorf("judge: Options.Scale = %q, want \"smoke\", \"lecture\" or \"paper\"", o.Scale)
	}
	if o.Confidence == 0 {
		o.Confidence = 0.99
	}
	if !(o.Confidence > 0 && o.Confidence < 1) {
		return o, fmt.Errorf("judge: Options.Confidence = %v, want in (0, 1)", o.Confidence)
	}
	if o.Attacks < 0 {
		return o, fmt.Errorf("judge: Options.Attacks = %d, want >= 0", o.Attacks)
	}
	for _, s := range o.Only {
		if !slices.Contains(Sections(), s) {
			return o, fmt.Errorf("judge: Options.Only has %q, want some of %q", s, Sections())
		}
	}
	if o.Workers < 0 {
		return o, fmt.Errorf("judge: Options.Workers = %d, want >= 0", o.Workers)
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Worlds == nil {
		o.Worlds = catalogue.Worlds()
	}
	if o.Rivals == nil {
		o.Rivals = catalogue.Learners()
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o, nil
}

// Card is what a learner is worth.
type Card struct {
	Learner    string        `json:"learner"`
	Source     string        `json:"source,omitempty"` // Go source that makes it; empty if a field has no text
	Scale      string        `json:"scale"`
	Seed       uint64        `json:"seed"`
	Version    string        `json:"version"`           // of the toolkit
	Only       []string      `json:"only,omitempty"`    // what was played; empty means all sections
	Stopped    string        `json:"stopped,omitempty"` // at which the card was interrupted; empty if it is whole
	Confidence float64       `json:"confidence"`        // of all attacks together
	Took       time.Duration `json:"took"`

	Claim Claim  `json:"claim"`
	Says  string `json:"verdict"` // what Verdict returns
	// Silent says that no run tells what it releases: attacks saw the arms alone, and a wrong claim
	// about what is released passes.
	Silent bool `json:"silent"`
	// Bare is a number that is released without noise, in words; empty means that none was found. Of
	// a true claim it says so with probability at most 1e-3.
	Bare    string     `json:"bare,omitempty"`
	Attacks []Attack   `json:"attacks"`          // the one that excludes most first
	Replay  *Replay    `json:"replay,omitempty"` // of the first attack; nil if it goes by no likelihood
	Races   []Race     `json:"races"`            // those first that it is made for, if that is known
	Grows   []Exponent `json:"grows"`            // with the horizon, and with epsilon if Options.At is set
	Costs   []Cost     `json:"costs"`
	Checks  []Check    `json:"checks"`
	// Inside is what the learner chose by in the first world that it plays, round by round. JSON leaves
	// it out.
	Inside *simulate.Watched `json:"-"`
	// Plays not says why the learner plays no other world.
	PlaysNot []string `json:"plays_not,omitempty"`
}

// Number is a number that JSON can write: what is not finite becomes a string.
type Number float64

// MarshalJSON writes a number, or "+Inf", "-Inf" or "NaN" as a string.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.AppendQuote(nil, fmt.Sprint(v)), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = Number(v)
	return err
}

// place is a world that the learner plays.
type place struct {
	catalogue.World
	env     bandit.Environment // the world's, or the same without its contexts
	hidden  bool               // the latter
	other   string             // rewards that the learner is made for; empty if these are the world's, or not known
	problem bandit.Problem
	claim   privacy.Claim // for the races' horizon
}

// judging is a card in the making.
type judging struct {
	Options
	learner bandit.Learner
	places  []place
	card    *Card
	// followed are the stages of which nothing goes by likelihood.
	followed []followed
	key      string // of what Options.Dir keeps
}

// Learner plays a learner and returns its card. A learner that plays in no world is an error. What
// goes wrong later, such as a crash in round 500, is on the card, as a failed check. If the context
// is cancelled, the card holds what was finished, and the error is the context's.
func Learner(ctx context.Context, l bandit.Learner, o Options) (*Card, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, errors.New("judge: the learner is nil")
	}
	begun := time.Now()
	j := &judging{Options: o, learner: l, card: &Card{
		Learner: o.Name, Scale: o.Scale, Seed: o.Seed, Version: simulate.Version(),
		Only: o.Only, Confidence: o.Confidence,
	}}
	if source, err := value.Go(l); err == nil {
		j.card.Source = source
	}
	if j.card.Learner == "" {
		j.card.Learner = named(l)
	}
	if j.Workers == 0 && j.slow() {
		j.Workers = 2 * runtime.GOMAXPROCS(0)
	}
	defer func() { j.card.Took, j.card.Says = time.Since(begun), j.card.Verdict() }()
	if err := j.keep(); err != nil {
		return nil, err
	}
	if err := j.visit(); err != nil {
		return nil, err
	}
	j.claim()
	for _, section := range []struct {
		part  string
		doing string
		run   func(context.Context) error
	}{
		{checks, "checking what every learner promises", j.check},
		{attacks, "attacking the claim", j.attack},
		{races, "racing", j.race},
		{growth, "measuring how regret grows", j.grow},
		{costs, "timing rounds", j.cost},
		{inside, "looking inside", j.look},
	} {
		if o.Only != nil && !slices.Contains(o.Only, section.part) {
			continue
		}
		o.Progress(section.doing)
		if err := j.safely(ctx, section.doing, section.run); err != nil {
			j.card.Stopped = section.part
			return j.card, err
		}
		if err := ctx.Err(); err != nil {
			j.card.Stopped = section.part
			return j.card, err
		}
		if j.card.broke() { // what it does after that says nothing of it
			return j.card, nil
		}
	}
	return j.card, nil
}

// safely makes a panic of the learner a failed check.
func (j *judging) safely(ctx context.Context, doing string, run func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			j.card.Checks = append(j.card.Checks, Check{"judge.Learner", "does not panic", "", []string{fmt.Sprintf("%s: panic: %v", doing, r)}})
		}
	}()
	return run(ctx)
}

// named returns a name for a learner: its type, or those of its halves.
func named(l bandit.Learner) string {
	v := reflect.Indirect(reflect.ValueOf(l))
	if v.Kind() == reflect.Struct {
		policy, statistic := v.FieldByName("Policy"), v.FieldByName("Statistic")
		if policy.IsValid() && statistic.IsValid() && policy.CanInterface() && statistic.CanInterface() {
			if statistic.Interface() == nil {
				return fmt.Sprintf("%T", policy.Interface())
			}
			return fmt.Sprintf("%T over %T", policy.Interface(), statistic.Interface())
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", l), "*")
}

// claimOf returns what the learner claims for a problem. A panic is an error.
func (j *judging) claimOf(p bandit.Problem) (c privacy.Claim, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	l, err := j.learner.Open(p, j.horizon())
	if err != nil {
		return c, err
	}
	defer bandit.Close(l)
	c = privacy.ClaimOf(l)
	c.Epsilon() // a plan that cannot be accounted for panics here, and not later
	return c, nil
}

// fills plays the first round of a world of lists: a learner that never looks at Problem.Slots
// opens it, and plays one arm.
func (j *judging) fills(p place) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	played := p.problem.Slots
	err = j.play(p, 1, random.Source(j.Seed, 0, "noise"), func(_ bandit.Run, arms []int) { played = len(arms) })
	if err == nil && played != p.problem.Slots {
		err = fmt.Errorf("it plays %d arms of Problem.Slots = %d", played, p.problem.Slots)
	}
	return err
}

// visit finds the worlds that the learner plays, with their contexts or, where arms stay the same,
// without. Those whose rewards are not what an entry of the catalogue is made for come last.
func (j *judging) visit() error {
	var entry catalogue.Entry
	if l, ok := j.learner.(catalogue.Learner); ok {
		entry, _ = l.Entry() // an unknown one plays nowhere
	}
	var others []place
	for _, w := range j.Worlds {
		if !entry.Plays(w) {
			j.card.PlaysNot = append(j.card.PlaysNot, w.Name+": its arms change, and the learner is for arms that stay the same")
			continue
		}
		var refused error
		envs := []bandit.Environment{w.Environment}
		if w.Hideable {
			envs = append(envs, environment.Blind{Environment: w.Environment})
		}
		for hidden, env := range envs {
			world, err := bandit.OpenWorld(env)
			if err != nil {
				return fmt.Errorf("judge: world %q: %w", w.Key, err)
			}
			claim, err := j.claimOf(world.Problem())
			p := place{w, env, hidden > 0, "", world.Problem(), claim}
			if err == nil && p.problem.Slots > 1 {
				err = j.fills(p)
			}
			if err == nil {
				if p.hidden {
					p.Name += ", contexts hidden"
				}
				if entry.Suits(w, p.hidden) {
					j.places = append(j.places, p)
				} else {
					p.other = entry.For.String()
					others = append(others, p)
				}
				refused = nil
				break
			}
			if refused == nil {
				refused = err
			}
		}
		if refused != nil {
			j.card.PlaysNot = append(j.card.PlaysNot, fmt.Sprintf("%s: %v", w.Name, refused))
		}
	}
	j.places = append(j.places, others...)
	if len(j.places) == 0 {
		return fmt.Errorf("judge: the learner plays in none of %d worlds; the first, %s", len(j.Worlds), j.card.PlaysNot[0])
	}
	return nil
}

// look records what the learner chooses by. One that fails has failed in the races, too.
func (j *judging) look(context.Context) error {
	rounds := j.horizon()
	if w, err := simulate.Watch(j.places[0].env, j.learner, rounds, j.Seed, simulate.LogGrid(rounds, 40)); err == nil {
		j.card.Inside = w
	}
	return nil
}
