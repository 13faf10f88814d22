package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// killed is the experiment that a helper process runs until it is killed.
func killed(path string, trials int) *Experiment {
	e := toyExperiment()
	e.Name, e.Horizon, e.Trials, e.Checkpoint, e.Workers = "killed", 20_000, trials, path, 2
	return e
}

// endless is more trials than a helper can play, so that one that is killed late has not ended.
const endless = 50_000

func TestMain(m *testing.M) {
	if path := os.Getenv("SIMULATE_TEST_CHECKPOINT"); path != "" {
		if _, err := killed(path, endless).Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var runLines = regexp.MustCompile(`(?m)^# run-.*\n`)

// published is the CSV without the lines that describe the run.
func published(t testing.TB, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Table().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return runLines.ReplaceAllString(b.String(), "")
}

// saved counts the whole records of a checkpoint.
func saved(path string) int {
	data, _ := os.ReadFile(path)
	return max(bytes.Count(data, []byte("\n"))-1, 0)
}

// A process that is killed at any moment loses unfinished trials only.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const kills = 24
	path := filepath.Join(t.TempDir(), "checkpoint")
	rng := rand.New(rand.NewPCG(1, 1))
	for kill := range kills {
		before := saved(path)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SIMULATE_TEST_CHECKPOINT="+path)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); saved(path) <= before; time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Minute {
				cmd.Process.Kill()
				cmd.Wait()
				t.Fatalf("kill %d: no trial saved in 10 min: %s", kill, &stderr)
			}
		}
		time.Sleep(time.Duration(rng.IntN(10_000)) * time.Microsecond)
		cmd.Process.Kill() // SIGKILL
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			t.Fatalf("kill %d: the helper ended by itself: %v %s", kill, err, &stderr)
		}
		if after := saved(path); after <= before {
			t.Fatalf("kill %d: %d trials saved, want more than %d", kill, after, before)
		}
	}
	// No worker is ahead of the other by many trials, so that those saved are of the first so many.
	had := saved(path)
	trials := had + 100
	t.Logf("%d trials saved over %d kills", had, kills)
	resumed := mustRun(t, killed(path, trials))
	if r := resumed.Provenance.Restored; r < kills || r > had {
		t.Errorf("%d trials restored, want in [%d, %d]", r, kills, had)
	}
	whole := mustRun(t, killed("", trials))
	if !reflect.DeepEqual(resumed.Policies, whole.Policies) {
		t.Error("the resumed run's trials differ from the uninterrupted run's")
	}
	if published(t, resumed) != published(t, whole) {
		t.Error("the resumed run's CSV differs from the uninterrupted run's")
	}
}

// small is quick and has a short checkpoint.
func small(path string) *Experiment {
	e := toyExperiment()
	e.Horizon, e.Grid, e.Trials, e.Checkpoint, e.Fingerprint = 40, []int{10, 40}, 4, path, "epsilon 0.05"
	return e
}

func TestTornAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	want := published(t, mustRun(t, small(path)))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(data, '\n') + 1
	for n := head; n <= len(data); n += 7 {
		if err := os.WriteFile(path, data[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		r := mustRun(t, small(path))
		if whole := bytes.Count(data[:n], []byte("\n")) - 1; r.Provenance.Restored != whole {
			t.Errorf("cut at %d: %d trials restored, want %d", n, r.Provenance.Restored, whole)
		}
		if published(t, r) != want {
			t.Errorf("cut at %d: other results", n)
		}
		if r := mustRun(t, small(path)); r.Provenance.Restored != 4 {
			t.Errorf("cut at %d and resumed: %d trials restored, want 4", n, r.Provenance.Restored)
		}
	}
	// never our own doing: the identity comes in one rename
	for _, n := range []int{1, head / 2, head - 1} {
		os.WriteFile(path, data[:n], 0o644)
		if _, err := small(path).Run(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("identity cut at %d: error %v, want one that names the file", n, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data[:n]) {
			t.Errorf("identity cut at %d: the file was changed", n)
		}
	}
	os.WriteFile(path, nil, 0o644)
	if published(t, mustRun(t, small(path))) != want {
		t.Error("empty file: other results")
	}
}

// Any byte may rot: it is an error that names file and offset, or a dropped last record, never
// other results.
func TestCorruptAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	e := small(path)
	e.Workers = 1
	want := published(t, mustRun(t, e))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	refused, dropped := 0, 0
	for at := 0; at < len(data); at += 3 {
		bad := bytes.Clone(data)
		bad[at] ^= 0x10
		os.WriteFile(path, bad, 0o644)
		r, err := small(path).Run(t.Context())
		switch {
		case err != nil:
			refused++
			offset := bytes.LastIndexByte(data[:at], '\n') + 1 // of the record
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprintf("offset %d:", offset)) {
				t.Errorf("byte %d: error %q, want one that names the file and offset %d", at, err, offset)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, bad) {
				t.Errorf("byte %d: the refused file was changed", at)
			}
		default:
			dropped++
			if at < last-1 {
				t.Errorf("byte %d: accepted, though it is before the last record at %d", at, last)
			}
			if published(t, r) != want {
				t.Errorf("byte %d: other results", at)
			}
		}
	}
	if refused == 0 || dropped == 0 {
		t.Errorf("%d files refused, %d last records dropped, want both > 0", refused, dropped)
	}
}

func TestCheckpointOfAnotherExperiment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	mustRun(t, small(path))
	for what, change := range map[string]func(*Experiment){
		"Name":        func(e *Experiment) { e.Name = "other" },
		"Seed":        func(e *Experiment) { e.Seed++ },
		"Horizon":     func(e *Experiment) { e.Horizon, e.Rounds = 80, 40 },
		"Rounds":      func(e *Experiment) { e.Rounds, e.Grid = 30, []int{10, 30} },
		"Grid":        func(e *Experiment) { e.Grid = []int{11, 40} },
		"policies":    func(e *Experiment) { e.Policies = []Policy{e.Policies[1], {"other", e.Policies[0].Learner}} },
		"Fingerprint": func(e *Experiment) { e.Fingerprint = "epsilon 0.1" },
	} {
		e := small(path)
		change(e)
		r, err := e.Run(t.Context())
		if r != nil || err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s changed: result %v, error %v, want no result and an error that names it and the file", what, r, err)
		}
	}
	e := small(path)
	before := mustRun(t, e).Provenance.Busy
	e.Trials = 6
	if r := mustRun(t, e); before <= 0 || r.Provenance.Busy <= before {
		t.Errorf("busy %v after 4 trials that were restored, %v after 6", before, r.Provenance.Busy)
	} else if r.Provenance.Restored != 4 || len(r.Finished) != 6 {
		t.Errorf("more trials: restored %d, finished %d, want 4 and 6", r.Provenance.Restored, len(r.Finished))
	}
	e.Trials = 3
	fewer := mustRun(t, e)
	e.Checkpoint = ""
	if published(t, fewer) != published(t, mustRun(t, e)) {
		t.Error("fewer trials: other results")
	}
}

// A file with all trials serves an experiment with some of its policies, in any order, with the
// results of one that was run alone; with a trial missing it is refused, as the trial could not be
// appended.
func TestCheckpointOfMorePolicies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	all := small(path)
	mustRun(t, all)
	for _, some := range [][]Policy{all.Policies[1:], {all.Policies[2], all.Policies[0]}} {
		e := small(path)
		e.Policies = some
		r := mustRun(t, e)
		if r.Provenance.Restored != e.Trials {
			t.Errorf("%d trials restored, want %d", r.Provenance.Restored, e.Trials)
		}
		e.Checkpoint = ""
		if published(t, r) != published(t, mustRun(t, e)) {
			t.Errorf("%d policies: other results than without the file", len(some))
		}
		e.Checkpoint = path
		e.Trials++
		if r, err := e.Run(t.Context()); r != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("a trial more: result %v, error %v, want an error that names the file", r, err)
		}
	}
}

// A result tells how long its trials took, whether they ran at once, in several runs, or all in
// earlier ones.
func TestTimesOfSeveralRuns(t *testing.T) {
	e := small(filepath.Join(t.TempDir(), "checkpoint"))
	start := time.Now()
	var last Provenance
	for i, trials := range []int{2, 3, 6} {
		e.Trials = trials
		p := mustRun(t, e).Provenance
		if p.Wall <= last.Wall || p.Wall > time.Since(start) {
			t.Errorf("run %d: wall %v, want more than %v and at most %v", i, p.Wall, last.Wall, time.Since(start))
		}
		last = p
	}
	if p := mustRun(t, e).Provenance; p.Restored != 6 || p.Wall != last.Wall || p.Busy != last.Busy {
		t.Errorf("with all trials restored: wall %v, busy %v, want %v and %v", p.Wall, p.Busy, last.Wall, last.Busy)
	}
	e.Policies = e.Policies[:1] // of the file's
	if p := mustRun(t, e).Provenance; p.Wall != last.Wall {
		t.Errorf("with fewer policies: wall %v, want %v", p.Wall, last.Wall)
	}
}

func TestCheckpointInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint")
	results, err := RunAll(t.Context(), []*Experiment{small(path), small(path)}, Options{})
	if err == nil || !strings.Contains(err.Error(), "in use") || results != nil {
		t.Errorf("two experiments on one checkpoint: results %v, error %v", results, err)
	}
	mustRun(t, small(path)) // and it was let go
}

func TestCheckpointNowhere(t *testing.T) {
	if _, err := small(filepath.Join(t.TempDir(), "no", "such")).Run(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that wraps %v", err, os.ErrNotExist)
	}
}
