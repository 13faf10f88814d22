//go:build !page && !js

package charts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// runnerJS reads scripts and a call from its input, and writes what the call returns. The scripts
// see the language and nothing of Node: no files, no network, no clock to wait for.
const runnerJS = `
const vm = require("vm");
const job = JSON.parse(require("fs").readFileSync(0, "utf8"));
const page = vm.createContext({});
for (const s of job.scripts) vm.runInContext(s.text, page, {filename: s.name});
process.stdout.write(vm.runInContext(job.name, page)(job.argument));
`

// call runs the scripts in a fresh engine, and then calls the named function with the argument. The
// engine is Node: it draws a figure in a tenth of a second, and a program that draws is not linked
// with an engine of its own.
func call(scripts []script, name string, argument []byte) ([]byte, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("charts: static pictures are drawn by Node, and no node is in PATH: " +
			"install Node 18.19 or newer (Debian: sudo apt install nodejs)")
	}
	job, err := json.Marshal(map[string]any{"scripts": scripts, "name": name, "argument": string(argument)})
	if err != nil {
		return nil, fmt.Errorf("charts: %w", err)
	}
	var out, messages bytes.Buffer
	cmd := exec.Command(node, "--eval", runnerJS)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(job), &out, &messages
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(messages.String()); text != "" {
			err = errors.New(text)
		}
		return nil, fmt.Errorf("charts: drawing with %s: %w", node, err)
	}
	return out.Bytes(), nil
}
