package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/lite/cells"
)

// ready makes the programs of the lessons' cells up to the first figure, so that a page shows it
// before the compiler has come: by notebook, and there by the key that worker.js gives a program.
// They are byte for byte what the page would make of these cells (lite.test.mjs).
func (b *builder) ready(notebooks []string, x *index) (map[string]map[string]*file, error) {
	sum := sha256.Sum256(x.text) // by it a page knows what it was built from
	build := hex.EncodeToString(sum[:16])
	names, config, stamp := map[string]string{}, "", "-X="+module+"/pkg/internal/built.built="
	for _, path := range slices.Sorted(maps.Keys(x.Packages)) {
		names[path] = x.Packages[path].Name
		config += "packagefile " + path + "=" + x.Packages[path].whole + "\n"
		stamp += path + "=" + build + " "
	}
	m := maker{work: filepath.Join(b.work, "ready"), stamp: strings.TrimSuffix(stamp, " ")}
	if err := write(filepath.Join(m.work, "cfg"), []byte(config)); err != nil {
		return nil, err
	}
	all := map[string]map[string]*file{}
	for _, n := range notebooks {
		if filepath.Base(filepath.Dir(n)) == evidence {
			continue
		}
		list, err := first(n)
		if err != nil {
			return nil, err
		}
		var bundle []byte
		programs := map[string]*file{}
		notebook := cells.New(names)
		for i, c := range list {
			p, err := notebook.Compose(c.source, i+1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n, err)
			}
			notebook.Commit(p)
			if !p.Run {
				continue
			}
			wasm, err := m.program(p.Source)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n, err)
			}
			key := sha256.Sum256([]byte(build + "\ntrue\n" + p.Source))
			programs[hex.EncodeToString(key[:16])] = &file{At: len(bundle), Length: len(wasm)}
			bundle = append(bundle, wasm...)
		}
		if len(programs) == 0 {
			continue
		}
		f, err := b.pack(bundle, "ready")
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			p.Path = f.Path
		}
		all[filepath.Base(n)] = programs
	}
	return all, nil
}

const module = "github.com/dpbandits/dpbandits"

// maker compiles and links as worker.js does, with the same names of files.
type maker struct{ work, stamp string }

func (m maker) program(source string) ([]byte, error) {
	here := filepath.Join(m.work, "notebooks")
	if err := errors.Join(os.MkdirAll(here, 0o755), write(filepath.Join(m.work, "main.go"), []byte(source))); err != nil {
		return nil, err
	}
	tool := func(args ...string) error {
		_, err := command(here, append(wasm, "PWD="+here), "go", append([]string{"tool"}, args...)...)
		return err
	}
	if err := tool("compile", "-o", "../main.a", "-p", "main", "-complete", "-importcfg", "../cfg", "-pack", "-c=1",
		"-trimpath", here+"=>;"+m.work+"=>/tmp", filepath.Join(m.work, "main.go")); err != nil {
		return nil, err
	}
	if err := tool("link", "-o", "../main.wasm", "-importcfg", "../cfg", "-s", "-w", "-buildmode=exe", m.stamp, "../main.a"); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(m.work, "main.wasm"))
}

// first returns the code cells of a notebook up to the one whose saved output has a figure; none if
// no output has.
func first(name string) ([]codeCell, error) {
	all, err := codeCells(name)
	i := slices.IndexFunc(all, func(c codeCell) bool { return strings.Contains(c.outputs, "dpb-figure") })
	return all[:i+1], err
}
