// Package peer runs a learner of Python beside ours, for tests and benchmarks that compare the two.
//
// [Start] starts a script of notebooks/tools. Such a script reads a line of JSON at a time: the
// beginning of a trial, or how many more rounds of it to play. Of the latter it says the seconds
// that they took, and the trial's regret.
package peer

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Peer is a script in a process of its own.
type Peer struct {
	ask    *json.Encoder
	answer *json.Decoder
}

// Start starts a script, given the repository's root, or skips the test where Python's packages are
// not installed. The script ends with the test.
func Start(tb testing.TB, root, script string) *Peer {
	tb.Helper()
	python, err := filepath.Abs(root + "/.peers/bin/python")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		tb.Skip("Python's packages are not installed: run docker/setup peers, in the repository's root")
	}
	c := exec.Command(python, script)
	c.Dir, c.Stderr = root, os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close() // which ends it
		_, _ = io.Copy(io.Discard, out)
		if err := c.Wait(); err != nil {
			tb.Error(err)
		}
	})
	return &Peer{json.NewEncoder(in), json.NewDecoder(out)}
}

// Begin begins a trial, told as the script wants it.
func (p *Peer) Begin(tb testing.TB, trial map[string]any) {
	tb.Helper()
	if err := p.ask.Encode(trial); err != nil {
		tb.Fatal(err)
	}
}

// Play plays some rounds. It returns the seconds they took, and the regret since Begin.
func (p *Peer) Play(tb testing.TB, rounds int) (seconds, regret float64) {
	tb.Helper()
	var said struct{ Seconds, Regret float64 }
	if err := p.ask.Encode(map[string]any{"rounds": rounds}); err != nil {
		tb.Fatal(err)
	}
	if err := p.answer.Decode(&said); err != nil {
		tb.Fatal(err)
	}
	return said.Seconds, said.Regret
}
