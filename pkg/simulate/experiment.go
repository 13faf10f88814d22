package simulate

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Policy is a named way to make a learner. New is called once a trial, from several goroutines; the
// learners that it returns must share nothing that they write.
type Policy struct {
	Name string // unique in the experiment; part of the names of the learner's streams
	New  func() bandit.Learner
}

// NewPolicy returns a policy whose New is make, which may return a type of its own.
func NewPolicy[L bandit.Learner](name string, make func() L) Policy {
	if make == nil {
		return Policy{Name: name}
	}
	return Policy{Name: name, New: func() bandit.Learner { return make() }}
}

// Experiment compares policies on one environment.
type Experiment struct {
	Name string
	// Environment makes a fresh environment. It is called once a trial, from several goroutines; the
	// environments must share nothing that they write. If it has a method Validate() error, that is
	// called before the first trial.
	Environment func() bandit.Environment
	Policies    []Policy

	Horizon int    // rounds that the learners are calibrated for (Learner.Init), >= 1
	Rounds  int    // rounds of each trial, in [1, Horizon]; 0 means Horizon
	Trials  int    // independent repetitions, >= 1; trial i depends on Seed and i only
	Seed    uint64 // of all streams of all trials
	// FastForward jumps over rounds whose arms a learner knows beforehand, as it does in a batch. The
	// sum of their rewards is drawn at once. The regret has the law that it has round by round, and
	// other numbers; a warning says so. The environment must be a bandit.Summable. A learner that is
	// no bandit.Committed plays round by round.
	FastForward bool
	// Grid lists the rounds that a curve keeps, increasing, in [1, Rounds]. The last round is added.
	// nil means DefaultGrid.
	Grid []int

	// Pairs lists policies a, b whose trial-by-trial difference of regret, a minus b, goes into the
	// result's table; see Result.Paired.
	Pairs [][2]string

	// Fingerprint describes what else determines the results, such as the data of a closure. A
	// checkpoint with another Fingerprint is refused. So is one whose environment or learners have
	// other parameters, which are all fields of the values that Environment and New return, private
	// ones included. Of a function in a field only the name is compared, and of a closure nothing, so
	// put what a closure computes with into the Fingerprint.
	Fingerprint string
	// Checkpoint is the path of the file that keeps finished trials; empty means none. If the file
	// exists, its trials are restored and not run again.
	Checkpoint string

	Workers  int      // trials that run at the same time, >= 0; 0 means runtime.GOMAXPROCS(0)
	Progress Progress // nil means DefaultProgress
}

// rounds returns the number of rounds of a trial.
func (e *Experiment) rounds() int {
	if e.Rounds == 0 {
		return e.Horizon
	}
	return e.Rounds
}

// prepare validates all that can be known before the first trial, each policy's Init included. It
// returns the full grid and the policies' claims, and describes the parameters in d if there is a
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
	if e.FastForward {
		if err := checkForward(env, problem); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range e.Policies {
		l := p.New()
		if v := reflect.ValueOf(l); l == nil || v.Kind() == reflect.Pointer && v.IsNil() {
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
		if claim := privacy.ClaimOf(l); claim.Held() {
			claims[len(claims)-1] = &claim
		}
	}
	return grid, claims, nil
}

// checkName accepts names that can be written on a line of text and read back.
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
