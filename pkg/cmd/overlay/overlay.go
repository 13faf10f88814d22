// Package overlay compiles programs from sources that differ from those on the disk, for tests that
// break code on purpose.
package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build has a command of go compile a program from other sources, by the paths that they replace. A
// path may be one that does not exist. It puts the program, and what the compiler needs, into dir.
//
// The command runs in the directory where, which "" leaves as it is. It is such as "build" or
// "test", "-c", and ends with what to compile.
func Build(ctx context.Context, dir, where string, sources map[string]string, command ...string) (program string, err error) {
	replace := map[string]string{}
	for file, source := range sources {
		replace[file] = filepath.Join(dir, fmt.Sprintf("mutant%d.go", len(replace)))
		if err := os.WriteFile(replace[file], []byte(source), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "program.test")
	last := len(command) - 1
	args := append(append([]string{}, command[:last]...), "-ldflags=-w", "-overlay="+overlay, "-o", program, command[last])
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = where
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
