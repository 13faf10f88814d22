package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/allocs"
)

func mustRun(t testing.TB, e *Experiment) *Result {
	t.Helper()
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSameAtAnyNumberOfWorkers(t *testing.T) {
	var want *Result
	for _, workers := range []int{1, 2, 7} {
		e := toyExperiment()
		e.Workers = workers
		got := mustRun(t, e)
		if want == nil {
			want = got
			continue
		}
		if !reflect.DeepEqual(got.Policies, want.Policies) {
			t.Errorf("%d workers: results differ from 1 worker's", workers)
		}
	}
	c := want.Curves()
	last := len(want.Grid) - 1
	if !(c[0].Mean[last] < c[2].Mean[last]) {
		t.Errorf("greedy's regret %v, want < uniform's %v", c[0].Mean[last], c[2].Mean[last])
	}
}

func TestPoliciesDoNotTouchEachOther(t *testing.T) {
	all := mustRun(t, toyExperiment())
	e := toyExperiment()
	e.Policies = []Policy{e.Policies[1]}
	alone := mustRun(t, e)
	e = toyExperiment()
	e.Policies[0], e.Policies[2] = e.Policies[2], e.Policies[0]
	swapped := mustRun(t, e)
	for _, p := range all.Policies {
		q, err := swapped.Policy(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, *q) {
			t.Errorf("policy %q: its position changed its results", p.Name)
		}
	}
	if !reflect.DeepEqual(all.Policies[1], alone.Policies[0]) {
		t.Errorf("policy %q: the others' presence changed its results", alone.Policies[0].Name)
	}
}

// The round loop allocates nothing: a trial of 20 times the rounds allocates as often.
func TestRoundsDoNotAllocate(t *testing.T) {
	count := func(rounds int) float64 {
		e := toyExperiment()
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

func TestCancelledRunReturnsWhatFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := toyExperiment()
	e.Checkpoint, e.Fingerprint, e.Workers = path, "closure 1", 2
	var trials atomic.Int64
	e.Policies[0].Learner = onStart{e.Policies[0].Learner, func() {
		if trials.Add(1) == 7 {
			cancel()
		}
	}}
	r, err := e.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want one that wraps %v", err, context.Canceled)
	}
	if n := len(r.Finished); n < 5 || n >= e.Trials {
		t.Fatalf("%d trials finished, want in [5, %d)", n, e.Trials)
	}
	unkept := toyExperiment()
	unkept.Fingerprint = e.Fingerprint
	whole := mustRun(t, unkept)
	for i, trial := range r.Finished {
		if !reflect.DeepEqual(r.Policies[1].Regret[i], whole.Policies[1].Regret[trial]) {
			t.Errorf("trial %d differs from the whole run's", trial)
		}
	}
	if resumed := mustRun(t, e); published(t, resumed) != published(t, whole) {
		t.Error("the resumed run's CSV differs from the whole run's")
	}
}

func TestFailingTrial(t *testing.T) {
	boom := errors.New("boom")
	for name, hook := range map[string]func(round int) error{
		"error": func(round int) error {
			if round == 17 {
				return boom
			}
			return nil
		},
		"panic": func(round int) error {
			if round == 17 {
				panic(boom)
			}
			return nil
		},
	} {
		e := toyExperiment()
		var made atomic.Int64
		e.Policies = append(e.Policies, Policy{"bad", makes(func() starter {
			l := &toyGreedy{Epsilon: 0.1}
			if made.Add(1) == 4 { // with one worker: Open's, then trials 0, 1, 2
				l.hook = hook
			}
			return l
		})})
		e.Workers = 1
		e.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
		e.Fingerprint = "closure 1"
		r, err := e.Run(t.Context())
		var te *TrialError
		if !errors.As(err, &te) || !errors.Is(err, boom) {
			t.Fatalf("%s: error %v, want a *TrialError that wraps %v", name, err, boom)
		}
		if te.Policy != "bad" || te.Trial != 2 || te.Round != 17 {
			t.Errorf("%s: policy %q, trial %d, round %d, want bad, 2, 17", name, te.Policy, te.Trial, te.Round)
		}
		if len(r.Finished) != e.Trials-1 || saved(e.Checkpoint) != e.Trials-1 {
			t.Errorf("%s: %d trials finished, %d saved, want %d", name, len(r.Finished), saved(e.Checkpoint), e.Trials-1)
		}
		if r := mustRun(t, e); r.Provenance.Restored != e.Trials-1 || len(r.Finished) != e.Trials {
			t.Errorf("%s: resumed with %d trials, finished %d", name, r.Provenance.Restored, len(r.Finished))
		}
	}
}

// odd chooses what Select must not.
type odd struct {
	toyGreedy
	arms []int
}

func (l *odd) Select(v *bandit.View, dst []int) ([]int, error) { return append(dst, l.arms...), nil }

// nan makes regret that is no number.
type nan struct{}

func (nan) Open() (bandit.World, error) {
	return bandit.NewWorld(toyArms{}.Problem(), func(contexts *rand.Rand) bandit.Instance { return nanTrial{startToy(contexts)} }), nil
}

type nanTrial struct{ *toyTrial }

func (nanTrial) Regret([]int) float64 { return math.NaN() }

func TestMisbehaviourIsNamed(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		`policy "odd", trial 0, round 1: its Select chose 0 arms, want Slots = 1`: func(e *Experiment) {
			e.Policies[0] = Policy{"odd", makes(func() starter { return &odd{} })}
		},
		`policy "odd", trial 0, round 1: its Select chose 2 arms, want Slots = 1`: func(e *Experiment) {
			e.Policies[0] = Policy{"odd", makes(func() starter { return &odd{arms: []int{0, 1}} })}
		},
		`policy "odd", trial 0, round 1: its Select chose arm -1, want in [0, 2)`: func(e *Experiment) {
			e.Policies[0] = Policy{"odd", makes(func() starter { return &odd{arms: []int{-1}} })}
		},
		`environment, trial 0, round 5: cumulative regret of policy "greedy" = NaN, want finite`: func(e *Experiment) {
			e.Environment = nan{}
			e.Grid = []int{5}
		},
		`9 more trials failed`: func(e *Experiment) {
			e.Environment = nan{}
		},
	} {
		e := toyExperiment()
		change(e)
		r, err := e.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
		if r == nil || len(r.Finished) != 0 || len(r.Curves()) != 3 {
			t.Errorf("%s: result %v, want one without trials", want, r)
		}
	}
}

func TestValidation(t *testing.T) {
	for want, change := range map[string]func(*Experiment){
		"Environment is nil":                         func(e *Experiment) { e.Environment = nil },
		"the environment is nil":                     func(e *Experiment) { e.Environment = (*toyArms)(nil) },
		"Open of simulate.opens returned nil":        func(e *Experiment) { e.Environment = opens{} },
		"Problem.Arms = 0":                           func(e *Experiment) { e.Environment = opens{world: bandit.NewWorld(bandit.Problem{}, nil)} },
		"len(Policies) = 0":                          func(e *Experiment) { e.Policies = nil },
		"Horizon = 0, want >= 1":                     func(e *Experiment) { e.Horizon = 0 },
		"Rounds = 2001, want in [1, Horizon = 2000]": func(e *Experiment) { e.Rounds = 2001 },
		"Rounds = -1":                                func(e *Experiment) { e.Rounds = -1 },
		"Trials = 0, want >= 1":                      func(e *Experiment) { e.Trials = 0 },
		"Workers = -1":                               func(e *Experiment) { e.Workers = -1 },
		`Name = ""`:                                  func(e *Experiment) { e.Policies[1].Name = "" },
		`Name = "a\nb"`:                              func(e *Experiment) { e.Policies[1].Name = "a\nb" },
		`"greedy" is the name of Po`:                 func(e *Experiment) { e.Policies[1].Name = "greedy" },
		`Policies[1] ("nil"): Learner is nil`:        func(e *Experiment) { e.Policies[1] = Policy{Name: "nil"} },
		"Learner is nil":                             func(e *Experiment) { e.Policies[1].Learner = (*toyLearner)(nil) },
		`policy "noisy": Open returned nil`:          func(e *Experiment) { e.Policies[1].Learner = refuses{} },
		"Grid[0] = 0, want in [1, Rounds = 2000]":    func(e *Experiment) { e.Grid = []int{0} },
		"Grid[1] = 2001, want in [1, Rounds = 2000]": func(e *Experiment) { e.Grid = []int{3, 2001} },
		"Grid[1] = 3, want > Grid[0] = 3":            func(e *Experiment) { e.Grid = []int{3, 3} },
		`policy "greedy": Open: no`: func(e *Experiment) {
			e.Policies[0].Learner = refuses{errors.New("no")}
		},
		"no such arms": func(e *Experiment) {
			e.Environment = opens{err: errors.New("no such arms")}
		},
		"panic: ": func(e *Experiment) {
			e.Policies[0].Learner = makes(func() starter { panic("no") })
		},
	} {
		e := toyExperiment()
		change(e)
		if r, err := e.Run(t.Context()); r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("result %v, error %v, want no result and %q in the error", r, err, want)
		}
	}
	if _, err := RunAll(t.Context(), nil, Options{}); err == nil {
		t.Error("RunAll of no experiments: no error")
	}
	if r, err := (*Experiment)(nil).Run(t.Context()); r != nil || err == nil {
		t.Errorf("no experiment: result %v, error %v", r, err)
	}
	if p, err := (*Experiment)(nil).Prepare(); p != nil || err == nil {
		t.Errorf("no experiment is prepared: %v, error %v", p, err)
	}
	never := toyExperiment()
	never.Environment = opens{world: bandit.NewWorld(toyArms{}.Problem(), func(*rand.Rand) bandit.Instance { return nil })}
	if _, err := never.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "environment, trial 0, round 0: its Start returned nil") {
		t.Errorf("an environment that does not start: error %v", err)
	}
}

// opens is an environment that opens as it is told.
type opens struct {
	world bandit.World
	err   error
}

func (o opens) Open() (bandit.World, error) { return o.world, o.err }

// refuses opens to nothing.
type refuses struct{ err error }

func (r refuses) Open(bandit.Problem, int) (bandit.Calibrated, error) { return nil, r.err }

// onStart calls a function when a run starts.
type onStart struct {
	bandit.Learner
	do func()
}

func (o onStart) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := o.Learner.Open(p, horizon)
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		o.do()
		return ready.Start(own, noise)
	}), err
}

// A run that names no Progress reports to DefaultProgress.
func TestDefaultProgress(t *testing.T) {
	var last Status
	DefaultProgress = func(s Status) { last = s }
	defer func() { DefaultProgress = nil }()
	e := toyExperiment()
	mustRun(t, e)
	if !last.Finished || last.TrialsDone != e.Trials {
		t.Errorf("the last report is %+v, want that of %d trials", last, e.Trials)
	}
	last = Status{}
	e.Progress = func(Status) {}
	if mustRun(t, e); last.Finished {
		t.Error("a run that has a Progress reports to the default, too")
	}
}

// Several experiments share the workers, the longest first, and give what each gives alone.
func TestRunAll(t *testing.T) {
	short, long := toyExperiment(), toyExperiment()
	short.Name, long.Name, long.Horizon, long.Rounds = "short", "long", 9000, 5000
	var mu sync.Mutex
	var status []Status
	results, err := RunAll(t.Context(), []*Experiment{short, long}, Options{Workers: 2, Progress: func(s Status) {
		mu.Lock()
		status = append(status, s)
		mu.Unlock()
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range []*Experiment{short, long} {
		if published(t, results[i]) != published(t, mustRun(t, e)) {
			t.Errorf("%s: other results than alone", e.Name)
		}
	}
	last := status[len(status)-1]
	total := int64(12 * 3 * (2000 + 5000))
	if len(status) < 2 || status[0].Done != 0 || last.Done != total || last.Total != total || last.TrialsDone != 24 || last.Trials != 24 || !last.Finished {
		t.Errorf("last status %+v, want all of %d rounds and 24 trials done", last, total)
	}
	jobs, err := openJobs([]*Experiment{short, long}, Shard{})
	if err != nil {
		t.Fatal(err)
	}
	if list := tasks(jobs); list[0].Name != "long" || list[0].trial != 0 || list[11].trial != 11 || list[12].Name != "short" {
		t.Error("the longest trials do not come first, in order")
	}
}

func BenchmarkRun(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e := toyExperiment()
			e.Horizon, e.Trials, e.Workers = 500_000, 8, workers
			for b.Loop() {
				mustRun(b, e)
			}
			b.ReportMetric(float64(e.Horizon*e.Trials*len(e.Policies)*b.N)/b.Elapsed().Seconds(), "rounds/s")
		})
	}
}
