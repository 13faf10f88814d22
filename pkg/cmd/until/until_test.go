//go:build unix

package until

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for something that takes seconds on an idle machine.
const patience = 10 * time.Minute

var fatalSignals = []syscall.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGKILL, syscall.SIGPIPE, syscall.SIGTERM,
}

// No signal to make, alone or with all that it runs, leaves a process behind. All processes of a
// run hold the writing end of one pipe, so that its end of file says that none is left.
func TestMakeLeavesNoOrphan(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute or two")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	for _, s := range fatalSignals {
		if signal.Ignored(s) { // in the background of a script; what is handled has its default in make
			handled := make(chan os.Signal, 1)
			signal.Notify(handled, s)
			defer signal.Stop(handled)
		}
	}
	for _, target := range [][]string{
		{"reproduce", "FIGURE=jdp-fig5", "SCALE=paper"},
		{"audit", "SCALE=lecture"},
	} {
		for _, s := range fatalSignals {
			for _, group := range []bool{false, true} {
				name := target[0] + ", " + s.String() + " to make"
				if group {
					name += "'s group"
				}
				t.Run(name, func(t *testing.T) { stopMake(t, target, s, group) })
			}
		}
	}
}

// Under nohup, a terminal that closes stops neither make nor what it runs.
func TestMakeUnderNohup(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	m := startMake(t, "sh", "-c", `trap '' HUP; exec make "$@"`, "make", "reproduce", "FIGURE=jdp-fig5", "SCALE=smoke")
	m.signal(t, syscall.SIGHUP, true)
	rest, err := m.wait()
	if err != nil || !strings.Contains(rest, "100%") {
		t.Errorf("error %v, want none; it wrote\n%s%s", err, &m.seen, rest)
	}
}

// stopMake starts make, waits until the program computes, sends the signal and waits until no
// process is left.
func stopMake(t *testing.T, target []string, s syscall.Signal, group bool) {
	m := startMake(t, "make", target...)
	m.signal(t, s, group)
	rest, err := m.wait()
	if err == nil {
		t.Errorf("make ended with status 0\n%s%s", &m.seen, rest)
	}
	if m.waited {
		t.Errorf("a process was left %v after the signal\n%s%s", patience, &m.seen, rest)
	}
}

// process is a make whose program computes.
type process struct {
	cmd      *exec.Cmd
	out      *bufio.Reader // what all of its processes write
	seen     bytes.Buffer  // the first of it
	watchdog *time.Timer
	waited   bool // in vain
}

func startMake(t *testing.T, name string, args ...string) *process {
	t.Helper()
	root := t.TempDir() // where its checkpoints go
	data := filepath.Join(root, "ml-100k", "u.data")
	// A data set, so that nothing is downloaded.
	if err := errors.Join(os.Mkdir(filepath.Dir(data), 0o755), os.WriteFile(data, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	m := &process{cmd: exec.Command(name, args...)}
	m.cmd.Dir = filepath.Join("..", "..", "..")
	m.cmd.Env = append(os.Environ(), "DPBANDITS_ROOT="+root, "DPBANDITS_DATA="+root, "GOTRACEBACK=none", "MAKEFLAGS=",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w") // each make links its program
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	m.cmd.Stdout, m.cmd.Stderr = w, w
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	m.watchdog = time.AfterFunc(patience, func() { syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL) })
	m.out = bufio.NewReader(r)
	for !strings.Contains(m.seen.String(), "% ") { // of the progress line
		line, err := m.out.ReadString('\n')
		m.seen.WriteString(line)
		if err != nil {
			m.watchdog.Stop()
			t.Fatalf("make ended before the program computed: %v\n%s", m.cmd.Wait(), &m.seen)
		}
	}
	return m
}

func (m *process) signal(t *testing.T, s syscall.Signal, group bool) {
	t.Helper()
	to := m.cmd.Process.Pid
	if group {
		to = -to
	}
	if err := syscall.Kill(to, s); err != nil {
		t.Fatal(err)
	}
}

// wait returns what was written after the first of it, once no process is left, and make's status.
func (m *process) wait() (rest string, err error) {
	b, _ := io.ReadAll(m.out)
	m.waited = !m.watchdog.Stop()
	return string(b), m.cmd.Wait()
}
