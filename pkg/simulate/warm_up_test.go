package simulate

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/allocs"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// noContexts is a toyArms without contexts.
type noContexts struct{}

func (e noContexts) Open() (bandit.World, error) {
	return bandit.NewWorld(plainTwo, func(contexts *rand.Rand) bandit.Instance { return &plainTrial{startToy(contexts)} }), nil
}

var plainTwo = bandit.Problem{Arms: 2, Slots: 1, RewardMin: -10, RewardMax: 10}

// plainTrial is a trial of noContexts.
type plainTrial struct{ *toyTrial }

func (e *plainTrial) Next(v *bandit.View) {
	e.round++
	*v = bandit.View{Round: e.round, Arms: 2}
}

func (e *plainTrial) Pull(rewards *rand.Rand, arms []int, y []float64) {
	draw := [2]float64{rewards.NormFloat64(), rewards.NormFloat64()}
	for i, a := range arms {
		y[i] = e.mean[a] + draw[a]
	}
}

// warm is a toyGreedy that may see a round 0 and, in that case, tells what it saw.
type warm struct {
	toyGreedy
	wants bool
	seen  []float64                   // in round 0 and, of the arm played, in the others
	bad   func(y []float64) error     // in place of WarmUp
	told  func(l *warm, seen float64) // at each update
}

func (l *warm) WantsWarmUp() bool { return l.wants }

func (l *warm) WarmUp(y []float64) error {
	if l.bad != nil {
		return l.bad(y)
	}
	l.seen = append(l.seen[:0], y...)
	return nil
}

func (l *warm) Update(v *bandit.View, arms []int, y []float64) error {
	if err := l.toyGreedy.Update(v, arms, y); err != nil {
		return err
	}
	if l.told != nil {
		l.told(l, y[0])
	}
	return nil
}

func warmExperiment() *Experiment {
	e := toyExperiment()
	e.Environment = noContexts{}
	e.Horizon = 300
	return e
}

// A warm-up comes once a trial, before round 1, with the rewards of all arms, the same for all that
// want one; it is nothing in the regret, and moves no number of any round, its own policy's
// included.
func TestWarmUp(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string][][]float64)
	rewards := make(map[string][]float64)
	policy := func(name string, wants bool) Policy {
		return Policy{name, makes(func() starter {
			l := &warm{toyGreedy: toyGreedy{Epsilon: 1}, wants: wants}
			l.told = func(l *warm, y float64) {
				mu.Lock()
				defer mu.Unlock()
				rewards[name] = append(rewards[name], y)
				if l.updates == 1 {
					seen[name] = append(seen[name], slices.Clone(l.seen))
				}
			}
			return l
		})}
	}
	run := func(a, b bool) *Result {
		clear(seen)
		clear(rewards)
		e := warmExperiment()
		e.Workers = 1
		e.Policies = append([]Policy{policy("a", a), policy("b", b)}, e.Policies...)
		return mustRun(t, e)
	}
	plain := run(false, false)
	if len(seen["a"][0]) != 0 {
		t.Errorf("a learner that wants no warm-up got %v", seen["a"][0])
	}
	before := slices.Clone(rewards["a"])
	both := run(true, true)
	if !reflect.DeepEqual(plain.Policies, both.Policies) {
		t.Error("a warm-up changed the regret")
	}
	if !slices.Equal(before, rewards["a"]) {
		t.Error("a warm-up changed the rewards of the rounds")
	}
	if !reflect.DeepEqual(seen["a"], seen["b"]) || len(seen["a"]) != both.Provenance.Trials {
		t.Errorf("warm-ups %v and %v, want the same, one in each trial", seen["a"], seen["b"])
	}
	for trial, y := range seen["a"] {
		env, want := noContexts{}, make([]float64, 2)
		game := runtest.Open(t, env).Start(random.New(warmExperiment().Seed, trial, "contexts"))
		game.Pull(random.New(warmExperiment().Seed, trial, "warm-up"), []int{0, 1}, want)
		if !slices.Equal(y, want) {
			t.Errorf("trial %d: warm-up %v, want %v from the trial's own stream", trial, y, want)
		}
	}
	if first := rewards["a"][0]; slices.Contains(seen["a"][0], first) {
		t.Errorf("round 1 pays %v, which is of the warm-up %v", first, seen["a"][0])
	}
	if alone := run(true, false); !reflect.DeepEqual(alone.Policies, plain.Policies) || len(seen["b"][0]) != 0 {
		t.Error("one policy's warm-up reached another")
	}
}

func TestWarmUpFails(t *testing.T) {
	boom := errors.New("boom")
	for want, bad := range map[string]func(y []float64) error{
		"in WarmUp: boom": func([]float64) error { return boom },
		"panic: boom":     func([]float64) error { panic(boom) },
	} {
		e := warmExperiment()
		e.Policies[1] = Policy{"bad", makes(func() starter { return &warm{wants: true, bad: bad} })}
		_, err := e.Run(t.Context())
		var te *TrialError
		if !errors.As(err, &te) || !errors.Is(err, boom) || !strings.Contains(err.Error(), want) || te.Policy != "bad" || te.Round != 0 || te.Trial != 0 {
			t.Errorf("error %v, want %q, of policy bad in trial 0, round 0", err, want)
		}
	}
	e := toyExperiment()
	e.Policies[1] = Policy{"contexts", makes(func() starter { return &warm{wants: true} })}
	if r, err := e.Run(t.Context()); r != nil || err == nil || !strings.Contains(err.Error(), `policy "contexts": it wants a warm-up`) || !strings.Contains(err.Error(), "Problem.Dim = 1, want 0") {
		t.Errorf("result %v, error %v, want none, and one that names the policy, the dimension and its bound", r, err)
	}
	e.Policies[1].Learner = makes(func() starter { return &warm{} })
	mustRun(t, e)
}

// pickyArms refuses what policy greedy plays in round 3.
type pickyArms struct{}

func (pickyArms) Open() (bandit.World, error) {
	return bandit.NewWorld(plainTwo, func(contexts *rand.Rand) bandit.Instance { return &picky{plainTrial{startToy(contexts)}} }), nil
}

// picky is a trial of pickyArms.
type picky struct{ plainTrial }

func (e *picky) Regret(arms []int) float64 {
	if e.round == 3 {
		panic("no such choice")
	}
	return e.plainTrial.Regret(arms)
}

// An environment that fails on a policy's arms says whose, and a panic says where and in which
// call.
func TestEnvironmentNamesTheTurn(t *testing.T) {
	e := warmExperiment()
	e.Environment = pickyArms{}
	_, err := e.Run(t.Context())
	want := `environment, trial 0, round 3: given the arms of policy "greedy": panic: no such choice, in simulate.(*picky).Regret (warm_up_test.go:`
	var te *TrialError
	if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &te) || te.Policy != "" {
		t.Errorf("error %v, want %q", err, want)
	}
}

// A warm-up allocates before the first round, not in the rounds.
func TestWarmUpAllocatesOnce(t *testing.T) {
	count := func(rounds int) float64 {
		e := warmExperiment()
		e.Policies[0].Learner = makes(func() starter {
			return &warm{toyGreedy: toyGreedy{Epsilon: 0.1}, wants: true, seen: make([]float64, 2)}
		})
		e.Horizon, e.Grid = rounds, []int{10, rounds}
		p, err := e.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		return allocs.PerRun(5, func() {
			if _, err := p.runTrial(t.Context(), 0, func(int) {}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(1000), count(20_000); few != many {
		t.Errorf("%v allocations in 1000 rounds, %v in 20000, want the same", few, many)
	}
}
