//go:build !unix

package external

import (
	"os"
	"os/exec"
)

// fork starts a command.
func fork(c *exec.Cmd) error { return c.Start() }

// killGroup kills a process. There are no groups of processes.
func killGroup(p *os.Process) { _ = p.Kill() }

// marked lists nothing: only Linux shows the environment of a process.
func marked(string) []int { return nil }
