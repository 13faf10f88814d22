package simulate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/durable"
)

// Shards that share a directory play each trial once, in any order and after a part was lost; the
// last one, which finds all records, has the result of a run.
func TestShards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	e := small("")
	e.Trials, e.Records = 10, dir
	other := small("")
	other.Name, other.Trials, other.Records = "other", 4, filepath.Join(dir, "other")
	finished := 0
	for _, index := range []int{2, 0, 1} {
		var last Status
		options := Options{Shard: Shard{index, 3}, Progress: func(s Status) { last = s }}
		results, err := RunAll(t.Context(), []*Experiment{e, other}, options)
		if err != nil {
			t.Fatal(err)
		}
		n := len(results[0].Finished) + len(results[1].Finished)
		finished += n
		if n < 4 || n > 5 || last.Trials != n || last.TrialsDone != n || last.Done != last.Total {
			t.Errorf("shard %d: %d trials finished, status %+v", index, n, last)
		}
	}
	if finished != 14 {
		t.Errorf("the shards finished %d trials, want 14", finished)
	}
	before := contents(t, dir)
	r := mustRun(t, e)
	if r.Provenance.Restored != 10 {
		t.Errorf("%d trials restored, want 10", r.Provenance.Restored)
	}
	if err := os.Remove(filepath.Join(dir, "0", "004.json")); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, e); r.Provenance.Restored != 9 {
		t.Errorf("%d trials restored, want 9", r.Provenance.Restored)
	}
	after := contents(t, dir)
	for name, text := range before {
		if (after[name] == text) != !strings.HasSuffix(name, filepath.Join("records", "0", "004.json")) {
			t.Errorf("%s: kept or played again, want the other", name)
		}
	}
	e.Records = ""
	if published(t, r) != published(t, mustRun(t, e)) {
		t.Error("other results than those of a run without shards")
	}
}

// contents returns the files below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			files[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A store keeps why a trial failed until it succeeds, and the other trials.
func TestStoreKeepsFailures(t *testing.T) {
	dir := t.TempDir()
	var calls atomic.Int64
	e := small("")
	e.Trials, e.Records, e.Workers = 10, dir, 1
	e.Policies[1].Learner = makes(func() starter {
		l := &toyGreedy{Epsilon: 0.05, Noise: 5}
		if calls.Add(1) == 9 { // after Open's and those of trials 0 to 6
			return &failing{l}
		}
		return l
	})
	if _, err := e.Run(t.Context()); !errors.As(err, new(*TrialError)) {
		t.Fatalf("error %v, want a *TrialError", err)
	}
	p, err := e.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	records, failures, err := p.ReadStore(dir)
	if err != nil || len(records) != 9 || len(failures) != 1 {
		t.Fatalf("%d records, failures %v, error %v, want 9 records and a failure", len(records), failures, err)
	}
	if got, want := failures[0].Error(), `simulate: experiment "toy": policy "noisy", trial 7, round 3: panic: boom`; !strings.HasPrefix(got, want) {
		t.Errorf("failure %q, want %q", got, want)
	}
	s, err := p.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for trial, want := range map[int]bool{6: true, 7: false} {
		if rec, restored, err := s.RunTrial(t.Context(), trial); err != nil || rec.Trial != trial || restored != want {
			t.Errorf("trial %d: restored %v, error %v", trial, restored, err)
		}
	}
	if records, failures, err := p.ReadStore(dir); err != nil || len(records) != 10 || len(failures) != 0 {
		t.Errorf("%d records, failures %v, error %v, want 10 records", len(records), failures, err)
	}
}

// failing panics in round 3.
type failing struct{ *toyGreedy }

func (l *failing) Update(v *bandit.View, arms []int, y []float64) error {
	if v.Round == 3 {
		panic("boom")
	}
	return l.toyGreedy.Update(v, arms, y)
}

// What does not belong to the experiment is refused, by the file's name and by what differs.
func TestStoreRefuses(t *testing.T) {
	dir := t.TempDir()
	e := small("")
	e.Records = dir
	mustRun(t, e)
	change := func(name string, change func(text string) string) func() {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(change(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
		return func() { os.WriteFile(path, text, 0o644) }
	}
	line := func(v any, change func()) func(string) string {
		return func(text string) string {
			if err := durable.ReadLine([]byte(strings.TrimSuffix(text, "\n")), v); err != nil {
				t.Fatal(err)
			}
			change()
			line, err := durable.Line(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(line)
		}
	}
	var o owner
	var r Record
	record := filepath.Join("0", "002.json")
	for _, c := range []struct {
		want, file string
		change     func(string) string
	}{
		{"checksum", "experiment.json", func(string) string { return "text\n" }},
		{"Seed is 0x8 in the file and 0x7 in the experiment", "experiment.json", line(&o, func() { o.Identity.Seed = 8 })},
		{`Version is "v0"`, "experiment.json", line(&o, func() { o.Version = "v0" })},
		{`Platform is "plan9/mips"`, "experiment.json", line(&o, func() { o.Platform = "plan9/mips" })},
		{`Version is "v0"`, record, line(&r, func() { r.Version = "v0" })},
		{"it is of trial 3", record, line(&r, func() { r.Trial = 3 })},
		{"2 policies", record, line(&r, func() { r.Regret = r.Regret[:2] })},
	} {
		restore := change(c.file, c.change)
		name := dir
		if c.file == record {
			name = filepath.Join(dir, record)
		}
		if result, err := e.Run(t.Context()); result != nil || err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("result %v, error %v, want %q and %s in it", result, err, c.want, name)
		}
		restore()
	}
	for what, damage := range map[string]func(string) string{
		"empty": func(string) string { return "" },
		"torn":  func(text string) string { return text[:len(text)/2] },
		"rot":   func(text string) string { return strings.Replace(text, "0.", "1.", 1) },
	} {
		change(record, damage)
		if r := mustRun(t, e); r.Provenance.Restored != 3 {
			t.Errorf("%s: %d trials restored, want 3", what, r.Provenance.Restored)
		}
		if r := mustRun(t, e); r.Provenance.Restored != 4 {
			t.Errorf("%s, and played again: %d trials restored, want 4", what, r.Provenance.Restored)
		}
	}
	e.Policies[0] = toyPolicy("greedy", 0.06, 0)
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `policy "greedy" differ: Epsilon is 0.05 in the file and 0.06`) {
		t.Errorf("another learner: error %v", err)
	}
	e.Checkpoint = "x"
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `Records = "`) {
		t.Errorf("records and a checkpoint: error %v", err)
	}
	p, err := small("").Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.ReadStore(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: error %v", err)
	}
}

// All records of a directory may be of another platform than the program that reads them.
func TestStoreOfAnotherPlatform(t *testing.T) {
	dir := t.TempDir()
	e := small("")
	p, err := e.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	here := p.origin.Platform
	p.origin.Platform = "plan9/mips"
	s, err := p.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for trial := range e.Trials {
		if _, _, err := s.RunTrial(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
	}
	p.origin.Platform = here
	records, _, err := p.ReadStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Reduce(records); err != nil || r.Provenance.Platform != "plan9/mips" {
		t.Errorf("result %v, error %v", r, err)
	}
	if _, err := p.OpenStore(dir); err == nil || !strings.Contains(err.Error(), "Platform") {
		t.Errorf("to go on here: error %v, want one that names Platform", err)
	}
}

func TestTrialErrorAsJSON(t *testing.T) {
	e := &TrialError{Experiment: "a", Policy: "b", Trial: 1, Round: 2, Err: newPanicError("boom")}
	text, err := json.Marshal(e)
	if err != nil || !strings.Contains(string(text), "store_test.go") {
		t.Errorf("%s, error %v: want the stack", text, err)
	}
	back := new(TrialError)
	if err := json.Unmarshal(text, back); err != nil || back.Error() != e.Error() {
		t.Errorf("%v, error %v, want %v", back, err, e)
	}
}

func TestShardSet(t *testing.T) {
	for _, s := range []Shard{{0, 1}, {0, 3}, {2, 3}} {
		var got Shard
		if err := got.Set(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, error %v", s, got, err)
		}
	}
	for text, want := range map[string]string{
		"5/3":  "shard 5/3: index 5, want in [0, 3)",
		"3/3":  "shard 3/3: index 3, want in [0, 3)",
		"-1/3": "index -1",
		"0/0":  "shard 0/0: number 0, want >= 1",
		"1/-2": "number -2",
		"1":    `shard "1", want`,
		"":     `shard "", want`,
		"a/b":  `shard "a/b", want`,
		"1/2/": `shard "1/2/", want`,
	} {
		var s Shard
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v, want %q in it", text, s, err, want)
		}
	}
	if _, err := RunAll(t.Context(), []*Experiment{small("")}, Options{Shard: Shard{5, 3}}); err == nil || !strings.Contains(err.Error(), "5/3") {
		t.Errorf("RunAll of shard 5/3: error %v", err)
	}
}

// What a finished trial costs that is kept, and one that is found.
func BenchmarkStore(b *testing.B) {
	e := toyExperiment()
	p, err := e.Prepare()
	if err != nil {
		b.Fatal(err)
	}
	rec, err := p.RunTrial(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	s, err := p.OpenStore(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("keep", func(b *testing.B) {
		for b.Loop() {
			if err := s.append(rec); err != nil {
				b.Fatal(err)
			}
			rec.Trial++
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if rec, err := s.read(0); rec == nil {
				b.Fatal(err)
			}
		}
	})
}
