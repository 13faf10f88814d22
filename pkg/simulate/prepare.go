package simulate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/describe"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Prepared is an experiment that is known to be valid. Whoever runs the trials by something of
// their own, such as a cluster's engine, plays them by RunTrial and makes the result by Reduce;
// Experiment.Run does the same, and also uses the experiment's Checkpoint, Records or Cache. The
// Experiment must not be changed any more.
type Prepared struct {
	*Experiment
	world    bandit.World
	learners []bandit.Calibrated // by policy
	grid     []int
	claims   []*privacy.Claim // by policy
	identity identity
	origin   Origin
	codes    []describe.Code // of the environment, and of each policy's learner
	open     string          // what neither the identity nor the toolkit decides, and why; see describe.Code
}

// Prepare validates all that can be known before the first trial, each learner's Open included.
func (e *Experiment) Prepare() (*Prepared, error) {
	if e == nil {
		return nil, errors.New("simulate: the experiment is nil")
	}
	return e.prepare(true)
}

// prepare is Prepare. It describes the parameters only if they are asked for, as an environment may
// hold much data.
func (e *Experiment) prepare(describing bool) (p *Prepared, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicError(r)
		}
		if err != nil {
			p, err = nil, fmt.Errorf("simulate: experiment %q: %w", e.Name, err)
		}
	}()
	switch {
	case e.Environment == nil:
		return nil, errors.New("field Environment is nil")
	case len(e.Policies) == 0:
		return nil, errors.New("len(Policies) = 0, want >= 1")
	case e.Horizon < 1:
		return nil, fmt.Errorf("field Horizon = %d, want >= 1", e.Horizon)
	case e.Rounds < 0 || e.Rounds > e.Horizon:
		return nil, fmt.Errorf("field Rounds = %d, want in [1, Horizon = %d] or 0 for the horizon", e.Rounds, e.Horizon)
	case e.Trials < 1:
		return nil, fmt.Errorf("field Trials = %d, want >= 1", e.Trials)
	case e.Checkpoint != "" && e.Records != "":
		return nil, fmt.Errorf("field Records = %q beside Checkpoint = %q, want one of the two", e.Records, e.Checkpoint)
	case e.Cache != "" && e.Checkpoint+e.Records != "":
		return nil, fmt.Errorf("field Cache = %q beside %q, want one of Cache, Checkpoint and Records", e.Cache, e.Checkpoint+e.Records)
	case e.Workers < 0:
		return nil, fmt.Errorf("field Workers = %d, want >= 0", e.Workers)
	}
	seen := make(map[string]int)
	for i, p := range e.Policies {
		if err := checkName(p.Name); err != nil {
			return nil, fmt.Errorf("field Policies[%d].Name = %q: %w", i, p.Name, err)
		}
		if j, ok := seen[p.Name]; ok {
			return nil, fmt.Errorf("field Policies[%d].Name = %q is the name of Policies[%d] too", i, p.Name, j)
		}
		seen[p.Name] = i
		if v := reflect.ValueOf(p.Learner); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("field Policies[%d] (%q): Learner is nil", i, p.Name)
		}
	}
	for i, pair := range e.Pairs {
		for _, name := range pair {
			if _, ok := seen[name]; !ok {
				return nil, fmt.Errorf("field Pairs[%d] names a policy %q, want one of the experiment's", i, name)
			}
		}
	}
	grid, err := checkGrid(e.Grid, e.rounds())
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("field Trials = %d of %d policies over a grid of %d rounds", e.Trials, len(e.Policies), len(grid))
	if err := size.Check(what, float64(e.Trials)*float64(len(e.Policies))*float64(len(grid))); err != nil {
		return nil, err
	}
	world, err := bandit.OpenWorld(e.Environment)
	if err != nil {
		return nil, err
	}
	var d described
	var codes []describe.Code
	add := func(what string, v any) []string {
		lines, by := describe.Value(v)
		if by.Open != "" {
			by.Open = what + ": " + by.Open
		}
		codes = append(codes, by)
		return append([]string{"build = " + e.buildOf(by)}, lines...)
	}
	if describing {
		d.Environment = add("the environment", e.Environment)
	}
	problem := world.Problem()
	if e.FastForward {
		if err := checkForward(world, e.Environment, problem); err != nil {
			return nil, err
		}
	}
	learners, claims := make([]bandit.Calibrated, len(e.Policies)), make([]*privacy.Claim, len(e.Policies))
	for i, p := range e.Policies {
		if describing {
			d.Learners = append(d.Learners, add(fmt.Sprintf("policy %q", p.Name), p.Learner))
		}
		l, err := p.Learner.Open(problem, e.Horizon)
		switch {
		case err != nil:
			return nil, fmt.Errorf("policy %q: Open: %w", p.Name, err)
		case l == nil:
			return nil, fmt.Errorf("policy %q: Open returned nil", p.Name)
		case wantsWarmUp(l) && problem.Dim > 0:
			return nil, fmt.Errorf("policy %q: it wants a warm-up, which is for problems without contexts: Problem.Dim = %d, want 0", p.Name, problem.Dim)
		}
		learners[i] = l
		if claim := privacy.ClaimOf(l); claim.Held() {
			claims[i] = &claim
		}
	}
	p = &Prepared{Experiment: e, world: world, learners: learners, grid: grid, claims: claims, identity: newIdentity(e, grid, d), codes: codes}
	if err := p.name(); err != nil {
		return nil, err
	}
	return p, nil
}

// name sets what its records are told apart by.
func (p *Prepared) name() (err error) {
	whole := describe.Join(p.codes)
	p.open = whole.Open
	p.origin, err = newOrigin(p.identity, func() string { return p.buildOf(whole) })
	return err
}

// choose returns the experiment with some of its policies only, who play as they do beside the
// others. It has no name; see name.
func (p *Prepared) choose(policies ...int) *Prepared {
	e, few := *p.Experiment, *p
	few.Experiment, e.Policies, e.Pairs = &e, nil, nil
	few.origin, few.open = Origin{}, ""
	few.learners, few.claims, few.identity.Policies, few.identity.Learners = nil, nil, nil, nil
	few.codes = slices.Clone(p.codes[:1])
	for _, i := range policies {
		e.Policies = append(e.Policies, p.Policies[i])
		few.learners = append(few.learners, p.learners[i])
		few.claims = append(few.claims, p.claims[i])
		few.identity.Policies = append(few.identity.Policies, p.identity.Policies[i])
		few.identity.Learners = append(few.identity.Learners, p.identity.Learners[i])
		few.codes = append(few.codes, p.codes[1+i])
	}
	return &few
}
