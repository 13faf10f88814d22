//go:build unix

package simulate

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// alone runs the test in a process of its own, as the limit is the whole process's, and says
// whether this is it.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("SIMULATE_TEST_ALONE") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "SIMULATE_TEST_ALONE=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// limitFiles makes a write beyond that many bytes of a file fail, as on a full disk: the write that
// crosses the limit fails halfway.
func limitFiles(t *testing.T, bytes uint64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	soft := limit.Cur
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	return func() {
		limit.Cur = soft
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Error(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
}

// A checkpoint that cannot be written to is told by a report before the run's end, with a line of
// Terminal's, and by the error; the results are whole; what was saved is resumed.
func TestCheckpointFull(t *testing.T) {
	if !alone(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	whole := mustRun(t, small(""))
	mustRun(t, small(path))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := bytes.IndexByte(data, '\n') + 1; n < len(data); n += 37 {
		os.Remove(path)
		var log bytes.Buffer
		terminal, told := NewTerminal(&log), 0
		e := small(path)
		e.Workers = 1
		e.Progress = func(s Status) {
			if s.Err != nil {
				if told++; s.Unsaved == 0 {
					t.Errorf("room for %d bytes: a report of %v with 0 unsaved trials", n, s.Err)
				}
			}
			terminal(s)
		}
		lift := limitFiles(t, uint64(n))
		r, err := e.Run(t.Context())
		lift()
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), path) {
			t.Fatalf("room for %d bytes: error %v, want one that wraps %v and names the file", n, err, syscall.EFBIG)
		}
		if told == 0 || strings.Count(log.String(), "are not saved (") != 1 {
			t.Errorf("room for %d bytes: told %d times, and in %q", n, told, &log)
		}
		if published(t, r) != published(t, whole) {
			t.Errorf("room for %d bytes: other results", n)
		}
		if now, _ := os.ReadFile(path); len(now) > n || now[len(now)-1] != '\n' {
			t.Errorf("room for %d bytes: %d were left, the last one %q", n, len(now), now[len(now)-1])
		}
		before := saved(path)
		if r := mustRun(t, small(path)); r.Provenance.Restored != before || published(t, r) != published(t, whole) {
			t.Errorf("room for %d bytes: %d trials restored of %d, or other results", n, r.Provenance.Restored, before)
		}
	}
}

// Room that is made while the run goes on saves all trials, and there is no error.
func TestCheckpointFullForAWhile(t *testing.T) {
	if !alone(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "checkpoint")
	e := small(path)
	e.Workers = 1
	started := func() {}
	e.Policies[0].Learner = onStart{e.Policies[0].Learner, func() { started() }}
	mustRun(t, e)
	data, _ := os.ReadFile(path)
	os.Remove(path)
	lift := limitFiles(t, uint64(bytes.IndexByte(data, '\n')+10))
	made := 0
	started = func() {
		if made++; made == 3 {
			if n := saved(path); n != 0 {
				t.Errorf("%d trials saved without room", n)
			}
			lift()
		}
	}
	r := mustRun(t, e)
	if n := saved(path); n != 4 || len(r.Finished) != 4 {
		t.Errorf("%d trials saved, %d finished, want 4", n, len(r.Finished))
	}
	if r := mustRun(t, e); r.Provenance.Restored != 4 {
		t.Errorf("%d trials restored, want 4", r.Provenance.Restored)
	}
}
