//go:build !page

package charts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// script is a named piece of JavaScript.
type script struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

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

// stillJS returns the picture of a figure's starting frame.
const stillJS = `function still(js) {
	var spec = JSON.parse(js);
	var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: spec.width, height: spec.height});
	chart.setOption(dpb.option(echarts, spec, spec.start, spec.width));
	return chart.renderToSVGString();
}`

func renderSVG(spec []byte) ([]byte, error) { return picture(spec, "still", stillJS) }

// picture returns the SVG that a function of js draws of a figure's spec.
func picture(spec []byte, function, js string) ([]byte, error) {
	src, err := echartsSource()
	if err != nil {
		return nil, err
	}
	svg, err := call([]script{
		// a still picture waits for nothing
		{"timers.js", "function setTimeout() { return 0 }\nfunction clearTimeout() {}"},
		{"echarts.min.js", src},
		{"tone.js", toneJS()},
		{"text.js", textJS},
		{"draw.js", drawJS},
		{function + ".js", js},
	}, function, spec)
	if err != nil {
		return nil, err
	}
	return slim(svg)
}
