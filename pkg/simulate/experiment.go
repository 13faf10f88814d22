// Package simulate runs bandit experiments: several policies on the same contexts, over many
// trials in parallel, reduced in trial order so that the numbers do not depend on the number of
// workers. A curve keeps a grid of rounds; a long run shows its progress, stops on a cancelled
// context, and resumes from its checkpoint with the very numbers of an uninterrupted run.
//
// The streams of a trial come from [random.New] by name: "contexts" for the environment, "rewards"
// for the rewards (each policy holds its own copy of that same stream: common random numbers),
// "learner/" and "noise/" followed by the policy's name. What a policy gets therefore does not
// depend on which other policies run beside it, or in what order.
//
// A learner that wants a warm-up (bandit.Warmer) is given one before round 1, from the stream "warm-up": the same rewards for all that want one, and
// rounds 1, 2, ... bring what they bring without. A warm-up's regret is not counted.
package simulate

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Policy is a named way to make a learner. New is called once a trial, from several goroutines; the
// learners it returns share nothing that they write.
type Policy struct {
	Name string // unique in the experiment; part of the names of the learner's streams
	New  func() bandit.Learner
}

// Experiment is a comparison of policies on one environment.
type Experiment struct {
	Name string
	// Environment makes a fresh environment. It is called once a trial, from several goroutines;
	// the environments share nothing that they write. One that has a method Validate() error is
	// validated before the first trial.
	Environment func() bandit.Environment
	Policies    []Policy

	Horizon int    // what the learners are calibrated for (Learner.Init), >= 1
	Rounds  int    // how far each trial runs, in [1, Horizon]; 0 means Horizon
	Trials  int    // independent repetitions, >= 1; trial i is a function of Seed and i
	Seed    uint64 // of all streams of all trials
	Grid    []int  // rounds a curve keeps, increasing, in [1, Rounds]; the last round is added; nil: DefaultGrid

	// Pairs lists policies a, b whose trial-by-trial difference of regret, a less b, is wanted in the result's table, see Result.Paired.
	Pairs [][2]string

	// Fingerprint describes what else determines the results. A checkpoint made under another one is
	// refused, and so is one of an environment or learner with other parameters: all fields of the
	// values that Environment and New return, private ones included. Of a function in a field only
	// its name is known, of a closure nothing: what it computes with belongs into the Fingerprint.
	Fingerprint string
	// Checkpoint is the path of the file that keeps finished trials; empty: none is kept. If the
	// file exists, its trials are restored and not run again.
	Checkpoint string

	Workers  int      // trials at a time, >= 0; 0 means runtime.GOMAXPROCS(0)
	Progress Progress // nil: silent
}

// rounds returns how far a trial runs.
func (e *Experiment) rounds() int {
	if e.Rounds == 0 {
		return e.Horizon
	}
	return e.Rounds
}

// prepare validates all that can be known before the first trial, each policy's Init included, and
// returns the full grid and the policies' claims. It describes the parameters if there is a
// checkpoint.
func (e *Experiment) prepare(d *described) (grid []int, claims []*privacy.Claim, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicError(r)
		}
		if err != nil {
			grid, claims, err = nil, nil, fmt.Errorf("simulate: experiment %q: %w", e.Name, err)
		}
	}()
	switch {
	case e.Environment == nil:
		return nil, nil, errors.New("field Environment is nil")
	case len(e.Policies) == 0:
		return nil, nil, errors.New("len(Policies) = 0, want >= 1")
	case e.Horizon < 1:
		return nil, nil, fmt.Errorf("field Horizon = %d, want >= 1", e.Horizon)
	case e.Rounds < 0 || e.Rounds > e.Horizon:
		return nil, nil, fmt.Errorf("field Rounds = %d, want in [1, Horizon = %d] or 0 for the horizon", e.Rounds, e.Horizon)
	case e.Trials < 1:
		return nil, nil, fmt.Errorf("field Trials = %d, want >= 1", e.Trials)
	case e.Workers < 0:
		return nil, nil, fmt.Errorf("field Workers = %d, want >= 0", e.Workers)
	}
	seen := make(map[string]int)
	for i, p := range e.Policies {
		if err := checkName(p.Name); err != nil {
			return nil, nil, fmt.Errorf("field Policies[%d].Name = %q: %w", i, p.Name, err)
		}
		if j, ok := seen[p.Name]; ok {
			return nil, nil, fmt.Errorf("field Policies[%d].Name = %q is the name of Policies[%d] too", i, p.Name, j)
		}
		seen[p.Name] = i
		if p.New == nil {
			return nil, nil, fmt.Errorf("field Policies[%d] (%q): New is nil", i, p.Name)
		}
	}
	for i, pair := range e.Pairs {
		for _, name := range pair {
			if _, ok := seen[name]; !ok {
				return nil, nil, fmt.Errorf("field Pairs[%d] names a policy %q, want one of the experiment's", i, name)
			}
		}
	}
	grid, err = checkGrid(e.Grid, e.rounds())
	if err != nil {
		return nil, nil, err
	}
	what := fmt.Sprintf("field Trials = %d of %d policies over a grid of %d rounds", e.Trials, len(e.Policies), len(grid))
	if err := size.Check(what, float64(e.Trials)*float64(len(e.Policies))*float64(len(grid))); err != nil {
		return nil, nil, err
	}
	env := e.Environment()
	if env == nil {
		return nil, nil, errors.New("func Environment returned nil")
	}
	if e.Checkpoint != "" {
		d.Environment = parameters(env)
	}
	if v, ok := env.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, nil, err
		}
	}
	problem := env.Problem()
	if err := problem.Validate(); err != nil {
		return nil, nil, err
	}
	for _, p := range e.Policies {
		l := p.New()
		if l == nil {
			return nil, nil, fmt.Errorf("policy %q: New returned nil", p.Name)
		}
		if e.Checkpoint != "" {
			d.Learners = append(d.Learners, parameters(l))
		}
		if err := l.Init(problem, e.Horizon); err != nil {
			return nil, nil, fmt.Errorf("policy %q: Init: %w", p.Name, err)
		}
		if warmer(l) != nil && problem.Dim > 0 {
			return nil, nil, fmt.Errorf("policy %q: it wants a warm-up, which is for problems without contexts: Problem.Dim = %d, want 0", p.Name, problem.Dim)
		}
		claims = append(claims, nil)
		if c, ok := l.(privacy.Claimant); ok {
			claim := c.Claim()
			claims[len(claims)-1] = &claim
		}
	}
	return grid, claims, nil
}

// checkName accepts names that survive a line of text.
func checkName(s string) error {
	switch {
	case s == "":
		return errors.New("want a name that is not empty")
	case !utf8.ValidString(s):
		return errors.New("want valid UTF-8")
	case strings.TrimSpace(s) != s:
		return errors.New("want no space at either end")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("want no control characters")
	}
	return nil
}
