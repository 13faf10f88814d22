package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the test's own program dpbandits, where it is called by that name.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "dpbandits" {
		main()
	}
	os.Exit(m.Run())
}

// program links the test's own program under the name dpbandits, in a directory.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "dpbandits")
	if err := os.Symlink(self, name); err != nil {
		t.Skip(err)
	}
	return name
}

// TestHelpOfEach: each command has a line, a help that names it, and the same help under -help; and
// no line of it but an example is too long for a terminal.
func TestHelpOfEach(t *testing.T) {
	list, _, _ := on("help")
	for _, c := range commands() {
		if c.what == "" {
			continue
		}
		if !strings.Contains(list, "\n  "+c.name+" ") || !strings.Contains(list, c.what) {
			t.Errorf("help does not list %s", c.name)
		}
		text, complaints, status := on("help", c.name)
		if status != 0 || complaints != "" || !strings.HasPrefix(text, "Usage: dpbandits "+c.name) {
			t.Errorf("help %s: status %d, %q, complains %q", c.name, status, text, complaints)
		}
		for _, help := range []string{"-h", "-help", "--help"} {
			if again, _, status := on(c.name, help); again != text || status != 0 {
				t.Errorf("%s %s: status %d, %q, want %q", c.name, help, status, again, text)
			}
		}
		for line := range strings.Lines(list + c.about) {
			if len(strings.TrimSpace(line)) > 80 && !strings.HasPrefix(line, "  dpbandits ") {
				t.Errorf("help %s has a line of %d letters: %s", c.name, len(line), line)
			}
		}
		flags, _ := c.flags()
		flags.VisitAll(func(f *flag.Flag) {
			if f.Usage == "" || !strings.Contains(text, "\n  -"+f.Name) {
				t.Errorf("help %s does not explain -%s", c.name, f.Name)
			}
		})
	}
}

// TestVersion: as words and as JSON, under the names that programs have for it.
func TestVersion(t *testing.T) {
	text, _, status := on("version")
	for _, name := range []string{"-version", "--version"} {
		if again, _, status := on(name); again != text || status != 0 {
			t.Errorf("%s: status %d, %q, want %q", name, status, again, text)
		}
	}
	var v map[string]string
	out, _, _ := on("version", "-json")
	if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 || !strings.HasPrefix(text, "dpbandits "+v["version"]+", "+v["go"]+"\n") {
		t.Errorf("%v, status %d: %s and %s", err, status, out, text)
	}
}

// full is a device without room.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// TestUnwritable: an answer that cannot be written is a failure with one line that says why; it is
// silent where the reader has enough.
func TestUnwritable(t *testing.T) {
	for _, line := range []string{"account -laplace eps=1", "account -json -laplace eps=1", "version", "help", "reproduce", "sweep", "completion bash", "audit -h"} {
		var complaints strings.Builder
		if status := run(strings.Fields(line), full{errors.New("no space")}, &complaints); status != 1 || strings.Count(complaints.String(), "no space") != 1 {
			t.Errorf("%s on a full device: status %d, complains %q", line, status, &complaints)
		}
		complaints.Reset()
		if status := run(strings.Fields(line), full{syscall.EPIPE}, &complaints); status != 1 || complaints.Len() > 0 {
			t.Errorf("%s to nobody: status %d, complains %q", line, status, &complaints)
		}
	}
}

// TestPipes: the program ends at once, in silence, if nobody reads what it writes, and does not
// read its own input.
func TestPipes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no SIGPIPE")
	}
	name := program(t)
	for _, line := range []string{"account -laplace eps=1", "reproduce", "sweep", "help"} {
		cmd := exec.Command(name, strings.Fields(line)...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var complaints bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &complaints
		stdin, err := cmd.StdinPipe() // open, and nothing is ever written to it
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		watchdog := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
		err = cmd.Wait()
		stdin.Close()
		if !watchdog.Stop() || err == nil || complaints.Len() > 0 {
			t.Errorf("%s: %v, complains %q, want a silent end", line, err, &complaints)
		}
	}
}

// TestReproduce: the list; a figure without experiments, also into a file; and what is refused.
func TestReproduce(t *testing.T) {
	list, _, status := on("reproduce")
	if status != 0 || !strings.Contains(list, "\njdp-fig4 ") {
		t.Errorf("status %d, %s", status, list)
	}
	file := filepath.Join(t.TempDir(), "table.csv")
	out, complaints, status := on("reproduce", "-figure", "jdp-fig1", "-scale", "smoke", "-out", file)
	if status != 0 || !strings.HasPrefix(out, "jdp-fig1: ") {
		t.Errorf("status %d, prints %s, complains %s", status, out, complaints)
	}
	if data, err := os.ReadFile(file); err != nil || bytes.Count(data, []byte("\n")) < 3 {
		t.Errorf("%v: the table is %q", err, data)
	}
	nowhere := t.TempDir()
	t.Chdir(nowhere)
	t.Setenv("DPBANDITS_ROOT", "")
	for line, want := range map[string]string{
		"reproduce -figure jdp-fig4 -scale paper": "git clone",
		"mutants": "git clone",
		"lab":     "git clone",
		"reproduce -figure jdp-fig1 -out " + filepath.Join(nowhere, "no", "file"): filepath.Join(nowhere, "no", "file"),
	} {
		if out, complaints, status := on(strings.Fields(line)...); status != 1 || !strings.Contains(complaints, want) || out != "" {
			t.Errorf("%s: status %d, prints %q, complains %q, want %q", line, status, out, complaints, want)
		}
	}
	if files, err := os.ReadDir(nowhere); err != nil || len(files) > 0 {
		t.Errorf("%v: a refusal left %v", err, files)
	}
}

// TestSweep: two shards and what is merged are the run in one piece.
func TestSweep(t *testing.T) {
	must := func(args ...string) string {
		t.Helper()
		out, complaints, status := on(append([]string{"sweep"}, args...)...)
		if status != 0 {
			t.Fatalf("%q: status %d, %s", args, status, complaints)
		}
		return out
	}
	if list := must(); !strings.Contains(list, "leaderboard ") {
		t.Errorf("the list is %s", list)
	}
	dir := t.TempDir()
	experiment := []string{"mat-fig1", "scale=0", "trials=2"}
	whole := must(experiment...)
	for _, shard := range []string{"0/2", "1/2"} {
		must(append([]string{"-shard", shard, "-out", dir}, experiment...)...)
	}
	if merged := must("merge", dir); merged != whole {
		t.Errorf("merged it is %s, want %s", merged, whole)
	}
}

// TestCompletion: what each word may become.
func TestCompletion(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"ac", "account"},
		{"comp", "completion"},
		{"help ver", "version"},
		{"nothing ", ""},
		{"account -la", "-laplace"},
		{"account --la", "--laplace"},
		{"account -gaussian s", "sigma= sensitivity="},
		{"account -gaussian sigma=5,", "sigma=5,sensitivity= sigma=5,times="},
		{"account -gaussian=sigma=5,t", "-gaussian=sigma=5,times="},
		{"account -json -sh", "-shuffle"},
		{"account ", ""},
		{"audit -scale ", "smoke lecture paper"},
		{"audit -scale=p", "-scale=paper"},
		{"reproduce -figure jdp-fig4", "jdp-fig4"},
		{"reproduce -out ", ""},
		{"sweep -workers 2 leader", "leaderboard"},
		{"completion ", "bash fish zsh"},
	} {
		out, complaints, status := on(append([]string{"complete", "--"}, strings.Split(c.line, " ")...)...)
		if got := strings.Join(strings.Fields(out), " "); got != c.want || status != 0 {
			t.Errorf("%q: status %d, %q, complains %q, want %q", c.line, status, got, complaints, c.want)
		}
	}
	for _, c := range commands() { // a flag that is offered is one that is taken
		out, _, _ := on("complete", "--", c.name, "-")
		for name := range strings.FieldsSeq(out) {
			flags, _ := c.flags()
			if name != "-help" && flags.Lookup(name[1:]) == nil {
				t.Errorf("%s has no %s", c.name, name)
			}
		}
	}
}

// TestShells: each shell that is installed reads its script and completes with it.
func TestShells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shells are others")
	}
	name := program(t)
	for shell, lines := range map[string]string{
		"bash": `source <(dpbandits completion bash)
			try() { COMP_LINE="$1" COMP_POINT=${#1} COMP_WORDBREAKS=$' \t\n"><=;|&(:'; _dpbandits; echo "${COMPREPLY[@]}"; }
			try "dpbandits acc"; try "dpbandits audit -scale sm"; try "dpbandits account -gaussian sigma=5,sens"; try "dpbandits account -gaussian s"`,
		"zsh": `autoload -Uz compinit && compinit -u -D; source <(dpbandits completion zsh)
			compadd() { shift $(($# - 1)); print -r -- ${(P)1} }
			try() { words=("${(@s: :)1}"); CURRENT=$#words; _dpbandits; }
			try "dpbandits acc"; try "dpbandits audit -scale sm"; try "dpbandits account -gaussian sigma=5,sens"; try "dpbandits account -gaussian s"`,
		"fish": `dpbandits completion fish | source
			complete -C "dpbandits acc"; complete -C "dpbandits audit -scale sm"; complete -C "dpbandits account -gaussian sigma=5,sens"; complete -C "dpbandits account -gaussian s"`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(err)
			}
			cmd := exec.Command(path, "-c", lines)
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(name)+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			words := strings.Fields(string(out))
			want := []string{"account", "smoke", "sigma=5,sensitivity=", "sigma=", "sensitivity="}
			if shell == "bash" { // which replaces what stands after the last "="
				want[2] = "5,sensitivity="
			}
			slices.Sort(words)
			slices.Sort(want)
			if err != nil || !slices.Equal(words, want) {
				t.Errorf("%v: %q, want %q", err, words, want)
			}
		})
	}
}
