package simulate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// counted is a toyGreedy whose trials are counted.
type counted struct {
	Epsilon float64
	Hook    func(round int) error
}

var started int // trials of counted

func (c counted) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		started++
		run := &toyGreedy{Epsilon: c.Epsilon, hook: c.Hook}
		run.start(own, noise)
		return run
	}), bandit.CheckHorizon(horizon)
}

// An experiment that is run again has its trials from the cache; one that differs in anything has
// not, and neither has one whose code a description does not reach.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	played := 0
	run := func(change func(*Experiment), learner bandit.Learner) *Result {
		t.Helper()
		e := &Experiment{
			Name: "cache", Environment: toyArms{}, Horizon: 20, Trials: 2, Seed: 1, Cache: dir, Workers: 1,
			Policies: []Policy{{Name: "greedy", Learner: learner}},
		}
		change(e)
		started = 0
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		played = started
		return r
	}
	plain := counted{Epsilon: 0.1}
	same := func(*Experiment) {}
	first := run(same, plain)
	if played != 2 {
		t.Fatalf("%d trials were played, want 2", played)
	}
	for _, c := range []struct {
		what    string
		change  func(*Experiment)
		learner bandit.Learner
		played  int
	}{
		{"the same", same, plain, 0},
		{"a third trial", func(e *Experiment) { e.Trials = 3 }, plain, 1},
		{"another seed", func(e *Experiment) { e.Seed = 2 }, plain, 2},
		{"another horizon", func(e *Experiment) { e.Horizon = 21 }, plain, 2},
		{"another grid", func(e *Experiment) { e.Grid = []int{7} }, plain, 2},
		{"another field", same, counted{Epsilon: 0.2}, 2},
		{"a closure", same, counted{Hook: func(int) error { return nil }}, 2},
		{"the closure again", same, counted{Hook: func(int) error { return nil }}, 2},
		{"the closure with a Fingerprint", func(e *Experiment) { e.Fingerprint = "1" }, counted{Hook: func(int) error { return nil }}, 2},
		{"and again", func(e *Experiment) { e.Fingerprint = "1" }, counted{Hook: func(int) error { return nil }}, 0},
		{"another Fingerprint", func(e *Experiment) { e.Fingerprint = "2" }, counted{Hook: func(int) error { return nil }}, 2},
		{"no cache", func(e *Experiment) { e.Cache = "" }, plain, 2},
	} {
		if r := run(c.change, c.learner); played != c.played {
			t.Errorf("%s: %d trials were played, want %d", c.what, played, c.played)
		} else if c.what == "the same" && !reflect.DeepEqual(r.Policies[0].Regret, first.Policies[0].Regret) {
			t.Errorf("the cache has other regrets")
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "0", "000.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %q, %v", files, err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 10); err != nil {
			t.Fatal(err)
		}
	}
	if run(same, plain); played != 1 {
		t.Errorf("with a damaged record %d trials were played, want 1", played)
	}
	e := &Experiment{Name: "two", Environment: toyArms{}, Horizon: 20, Trials: 2, Cache: dir, Records: dir,
		Policies: []Policy{{Name: "greedy", Learner: plain}}}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "one of Cache, Checkpoint and Records") {
		t.Errorf("error %v, want one that names Cache and Records", err)
	}
}

// A policy that another experiment has played in the same rounds is not played again, and neither
// list has other numbers than without a cache. One that cannot be kept does not hinder the others.
func TestCacheByPolicy(t *testing.T) {
	dir := t.TempDir()
	closure := counted{Hook: func(int) error { return nil }}
	a, b, c := Policy{"a", counted{Epsilon: 0.1}}, Policy{"b", counted{Epsilon: 0.2}}, Policy{"c", counted{Epsilon: 0.3}}
	other, open := Policy{"b", counted{Epsilon: 0.3}}, Policy{"own", closure}
	for i, play := range []struct {
		policies []Policy
		trials   int
		played   int // trials of a policy
	}{
		{[]Policy{a, b}, 2, 4},
		{[]Policy{a, c}, 2, 2},
		{[]Policy{c, b, a}, 2, 0},
		{[]Policy{c, b, a}, 3, 3},
		{[]Policy{a, other}, 2, 2},
		{[]Policy{a, open, b}, 3, 3},
		{[]Policy{open, b}, 3, 3},
		{[]Policy{b}, 4, 1},
		{[]Policy{a, b}, 4, 1},
	} {
		run := func(cache string) (*Result, []Status) {
			e := &Experiment{Name: "by policy", Environment: toyArms{}, Horizon: 20, Trials: play.trials, Seed: 1,
				Cache: cache, Workers: 1, Policies: play.policies}
			var seen []Status
			e.Progress = func(s Status) { seen = append(seen, s) }
			started = 0
			r, err := e.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return r, seen
		}
		got, seen := run(dir)
		if started != play.played {
			t.Errorf("experiment %d: %d trials of a policy were played, want %d", i, started, play.played)
		}
		if last := seen[len(seen)-1]; last.Done != last.Total || last.TrialsDone != play.trials {
			t.Errorf("experiment %d: it ends with %+v", i, last)
		}
		want, _ := run("")
		for k, p := range got.Policies {
			if !reflect.DeepEqual(p.Regret, want.Policies[k].Regret) {
				t.Errorf("experiment %d: the regret of %s differs from that without a cache", i, p.Name)
			}
			warnings := p.Warnings
			if p.Name == open.Name {
				last := len(warnings) - 1
				if last < 0 || !strings.Contains(warnings[last].What, `policy "own"`) || !strings.Contains(warnings[last].What, "Fingerprint") {
					t.Fatalf("experiment %d: warnings of %s: %v", i, p.Name, warnings)
				}
				warnings = warnings[:last]
			}
			if !reflect.DeepEqual(warnings, want.Policies[k].Warnings) {
				t.Errorf("experiment %d: warnings of %s: %v, want %v", i, p.Name, warnings, want.Policies[k].Warnings)
			}
		}
	}
}
