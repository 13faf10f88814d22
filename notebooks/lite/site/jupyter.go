package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// jupyter lets JupyterLite lay out its site, with the notebooks in it.
func (b *builder) jupyter(notebooks []string) error {
	lite := filepath.Join(b.work, "jupyter")
	contents := filepath.Join(lite, "contents")
	// JupyterLite keeps a record of what it has made, and would not make it again.
	if err := errors.Join(os.RemoveAll(lite), os.RemoveAll(b.out)); err != nil {
		return err
	}
	for _, n := range notebooks {
		folder := ""
		if filepath.Base(filepath.Dir(n)) == evidence {
			folder = evidence
		}
		text, err := os.ReadFile(n)
		if err == nil {
			text, err = whole(text)
		}
		if err == nil {
			err = write(filepath.Join(contents, folder, filepath.Base(n)), text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	settings := filepath.Join(b.root, "docker", "jupyter", "labconfig", "default_setting_overrides.json")
	if err := copyFile(settings, filepath.Join(lite, "overrides.json")); err != nil {
		return err
	}
	err := writeJSON(filepath.Join(lite, "jupyter-lite.json"), map[string]any{
		"jupyter-lite-schema-version": 0,
		"jupyter-config-data": map[string]any{
			"appName":                  "dpbandits",
			"defaultKernelName":        "gonb",
			"exposeAppInBrowser":       true, // for the tests
			"enableServiceWorkerCache": "true",
			"federated_extensions": []any{map[string]string{
				"name": extension, "load": "remoteEntry.js", "extension": "./extension",
			}},
		},
	})
	if err != nil {
		return err
	}
	jupyter := filepath.Join(b.root, ".venv", "bin", "jupyter")
	_, err = command(lite, nil, jupyter, "lite", "build", "--lite-dir", lite, "--contents", contents,
		"--output-dir", b.out, "--no-sourcemaps")
	return err
}

const (
	extension = "dpbandits-go"
	evidence  = "evidence" // folder of the notebooks behind the lessons
)

// whole joins the lines of a notebook's texts. A server does so before it hands a notebook out;
// in a page nobody would, and a figure's HTML would have a comma at the end of each line.
func whole(notebook []byte) ([]byte, error) {
	var nb map[string]any
	from := json.NewDecoder(bytes.NewReader(notebook))
	from.UseNumber()
	if err := from.Decode(&nb); err != nil {
		return nil, err
	}
	join := func(of map[string]any, key string) {
		lines, _ := of[key].([]any)
		var text strings.Builder
		for _, l := range lines {
			line, ok := l.(string)
			if !ok {
				return // JSON that is shown as such
			}
			text.WriteString(line)
		}
		if lines != nil {
			of[key] = text.String()
		}
	}
	cells, _ := nb["cells"].([]any)
	for _, c := range cells {
		cell, _ := c.(map[string]any)
		join(cell, "source")
		outputs, _ := cell["outputs"].([]any)
		for _, o := range outputs {
			output, _ := o.(map[string]any)
			join(output, "text")
			data, _ := output["data"].(map[string]any)
			for mime := range data {
				join(data, mime)
			}
		}
	}
	var to bytes.Buffer
	enc := json.NewEncoder(&to)
	enc.SetEscapeHTML(false)
	err := enc.Encode(nb)
	return to.Bytes(), err
}

// kernel adds the Go kernel.
func (b *builder) kernel(x *index) error {
	goroot, err := command("", nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(goroot))
	page := filepath.Join(b.root, "notebooks", "lite", "page")
	place := filepath.Join(b.out, "extensions", extension)
	data := filepath.Join(place, "api") // JupyterLite's service worker leaves such a path alone
	echarts := os.Getenv("DPBANDITS_ECHARTS")
	if echarts == "" {
		echarts = filepath.Join(b.root, "docker", "node_modules", "echarts", "dist", "echarts.min.js")
	}
	fzstd := filepath.Join(b.root, "docker", "node_modules", "fzstd")
	err = errors.Join(
		os.Rename(filepath.Join(b.out, "service-worker.js"), filepath.Join(b.out, "jupyterlite-service-worker.js")),
		copyFile(filepath.Join(page, "service-worker.js"), filepath.Join(b.out, "service-worker.js")),
		copyFile(filepath.Join(page, "extension.js"), filepath.Join(place, "remoteEntry.js")),
		copyFile(filepath.Join(page, "worker.js"), filepath.Join(place, "worker.js")),
		copyFile(filepath.Join(page, "files.js"), filepath.Join(place, "files.js")),
		copyFile(filepath.Join(page, "unpack.js"), filepath.Join(place, "unpack.js")),
		copyFile(filepath.Join(fzstd, "umd", "index.js"), filepath.Join(place, "fzstd.js")),
		copyFile(filepath.Join(fzstd, "LICENSE"), filepath.Join(place, "LICENSE.fzstd.txt")),
		copyFile(filepath.Join(b.root, "docker", "jupyter", "custom", "custom.css"), filepath.Join(place, "notebook.css")),
		copyFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"), filepath.Join(place, "wasm_exec.js")),
		copyFile(filepath.Join(root, "LICENSE"), filepath.Join(place, "LICENSE.go.txt")),
		copyFile(filepath.Join(filepath.Dir(filepath.Dir(echarts)), "LICENSE"), filepath.Join(place, "LICENSE.echarts.txt")),
		copyFile(echarts, filepath.Join(b.out, "static", "dpbandits", "echarts.min.js")),
		write(filepath.Join(data, "index.json"), x.text),
		writeJSON(filepath.Join(data, "ready.json"), x.ready),
	)
	packages := map[string]int{} // sizes
	for _, p := range x.Packages {
		packages[p.Exports.Path], packages[p.Objects.Path] = p.Exports.Size, p.Objects.Size
	}
	total := 0
	for _, size := range packages {
		total += size
	}
	for f := range x.all() {
		err = errors.Join(err, copyFile(b.packed(f.Path), filepath.Join(data, f.Path)))
	}
	if err = errors.Join(err, b.licences(x.Packages, place)); err != nil {
		return err
	}
	all, err := size(b.out)
	mb := func(name string) float64 { return float64(x.Programs[name].Size) / 1e6 }
	say("%s: %.0f MB, of which compiler %.1f, linker %.1f, cells %.1f, %d packages %.1f",
		b.out, float64(all)/1e6, mb("compile"), mb("link"), mb("cells"), len(x.Packages), float64(total)/1e6)
	return err
}

// licences copies the licences of the modules whose packages the site holds.
func (b *builder) licences(packages map[string]*archive, place string) error {
	for _, p := range packages {
		if p.module == "" || strings.HasPrefix(p.module, b.work) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.module, "LICENSE"))
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(filepath.Base(p.module), "@")
		switch {
		case p.module == b.root:
			name = "dpbandits"
		case name == "v2":
			name = filepath.Base(filepath.Dir(p.module))
		}
		if err := write(filepath.Join(place, "LICENSE."+name+".txt"), text); err != nil {
			return err
		}
	}
	return nil
}
