package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// file is a file of the site, compressed. Its name holds a hash of what is in it.
type file struct {
	Path string `json:"path"`
	Size int    `json:"size"` // compressed
}

// wasm is the environment in which a page's programs are compiled.
var wasm = []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0"}

// programs compiles Go's compiler and linker, and our kernel's two parts.
func (b *builder) programs() (map[string]file, error) {
	overlay, err := b.overlay()
	if err != nil {
		return nil, err
	}
	list := map[string]file{}
	for name, path := range map[string]string{"compile": "cmd/compile", "link": "cmd/link", "cells": "./notebooks/lite/kernel", "help": "./notebooks/lite/help"} {
		to := filepath.Join(b.work, name+".wasm")
		args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to}
		if strings.HasPrefix(path, "cmd/") {
			args = append(args, "-overlay="+overlay)
		}
		if _, err := command(b.root, wasm, "go", append(args, path)...); err != nil {
			return nil, err
		}
		if list[name], err = b.pack(to, name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// overlay writes the sources that take the place of Go's own, so that compiler and linker know one
// processor, WebAssembly, and are half as large.
func (b *builder) overlay() (string, error) {
	goroot, err := command("", nil, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src", "cmd")
	replace := map[string]string{}
	put := func(of, name, text string) error {
		to := filepath.Join(b.work, "overlay", name)
		replace[of] = to
		return write(to, []byte(text))
	}
	if err := put(filepath.Join(src, "compile", "main.go"), "compile.go", compileMain); err != nil {
		return "", err
	}
	if err := put(filepath.Join(src, "link", "main.go"), "link.go", linkMain); err != nil {
		return "", err
	}
	// The rewrite rules of the other processors, as functions that are never called.
	ssa := filepath.Join(src, "compile", "internal", "ssa")
	rules, err := filepath.Glob(filepath.Join(ssa, "rewrite*.go"))
	if err != nil {
		return "", err
	}
	for _, f := range rules {
		if !others.MatchString(filepath.Base(f)) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		stub := "package ssa\n\n"
		for _, name := range entry.FindAllString(string(text), -1) {
			stub += name + " { panic(\"another processor\") }\n"
		}
		if err := put(f, filepath.Base(f), stub); err != nil {
			return "", err
		}
	}
	path := filepath.Join(b.work, "overlay.json")
	return path, writeJSON(path, map[string]any{"Replace": replace})
}

var (
	others = regexp.MustCompile(`^rewrite(386|AMD64|ARM|ARM64|LOONG64|MIPS|MIPS64|PPC64|RISCV64|S390X)(latelower|splitload)?\.go$`)
	entry  = regexp.MustCompile(`(?m)^func rewrite(?:Block|Value)[A-Za-z0-9]+\([a-z]+ \*(?:Block|Value)\) bool`)
)

const compileMain = `package main

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/gc"
	"cmd/compile/internal/wasm"
	"internal/buildcfg"
	"log"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compile: ")
	buildcfg.Check()
	gc.Main(wasm.Init)
	base.Exit(0)
}
`

const linkMain = `package main

import (
	"cmd/link/internal/ld"
	"cmd/link/internal/wasm"
	"internal/buildcfg"
)

func main() {
	buildcfg.Check()
	arch, own := wasm.Init()
	ld.Main(arch, own)
}
`

// archive is a compiled package.
type archive struct {
	file
	Name    string   `json:"name"`
	Imports []string `json:"imports,omitempty"`
	module  string   // folder of its module, for the licence
}

// packages compiles what the notebooks import and the toolkit has, with all that these import.
func (b *builder) packages(notebooks []string) (map[string]archive, error) {
	mod, err := b.module()
	if err != nil {
		return nil, err
	}
	paths, err := imports(notebooks)
	if err != nil {
		return nil, err
	}
	paths = append(paths, more...)
	type listed struct {
		ImportPath, Name, Export, ForTest string
		Imports                           []string
		Module                            *struct{ Dir string }
		Error                             *struct{ Err string }
	}
	list := func(args ...string) (all []listed, err error) {
		out, err := command(b.root, wasm, "go", append([]string{"list", "-modfile=" + mod, "-tags=lite"}, args...)...)
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var l listed
			switch err := d.Decode(&l); {
			case errors.Is(err, io.EOF):
				return all, nil
			case err != nil:
				return nil, err
			}
			all = append(all, l)
		}
	}
	own, err := list("-e", "-json=ImportPath,Name,Error", "./pkg/...")
	if err != nil {
		return nil, err
	}
	for _, l := range own {
		if l.Name != "main" && l.Name != "" && l.Error == nil && !strings.Contains(l.ImportPath, "/internal/") {
			paths = append(paths, l.ImportPath)
		}
	}
	slices.Sort(paths)
	all, err := list(append([]string{"-trimpath", "-export", "-deps", "-json=ImportPath,Name,Export,Imports,Module"}, slices.Compact(paths)...)...)
	if err != nil {
		return nil, err
	}
	packages := map[string]archive{}
	for _, l := range all {
		if l.Export == "" {
			continue // unsafe
		}
		f, err := b.pack(l.Export, "a")
		if err != nil {
			return nil, err
		}
		a := archive{file: f, Name: l.Name, Imports: l.Imports}
		if l.Module != nil {
			a.module = l.Module.Dir
		}
		packages[l.ImportPath] = a
	}
	return packages, nil
}

// more are standard packages that a reader may want, beside what the notebooks import.
var more = []string{"bufio", "bytes", "container/heap", "encoding/csv", "encoding/json", "errors", "io", "iter", "log", "maps",
	"math/big", "math/bits", "os", "regexp", "sort", "strconv", "sync", "testing", "text/tabwriter", "time", "unicode", "unicode/utf8"}

// module writes a go.mod in which our display package has GoNB's place. The checkout's own says the
// rest.
func (b *builder) module() (string, error) {
	display := filepath.Join(b.work, "gonb")
	text, err := os.ReadFile(filepath.Join(b.root, "go.mod"))
	if err != nil {
		return "", err
	}
	text = append(text, "\nreplace "+gonb+" => "+display+"\n"...)
	mod := filepath.Join(b.work, "go.mod")
	err = errors.Join(
		write(mod, text),
		copyFile(filepath.Join(b.root, "go.sum"), filepath.Join(b.work, "go.sum")),
		write(filepath.Join(display, "go.mod"), []byte("module "+gonb+"\n\ngo 1.26\n")),
		copyFile(filepath.Join(b.root, "notebooks", "lite", "gonbui", "gonbui.go"), filepath.Join(display, "gonbui", "gonbui.go")),
	)
	return mod, err
}

const gonb = "github.com/janpfeifer/gonb"

var (
	block = regexp.MustCompile(`(?ms)^import \((.*?)^\)`)
	line  = regexp.MustCompile(`(?m)^import (.*)$`)
	path  = regexp.MustCompile(`"([^"]+)"`)
)

// imports lists what the cells of notebooks import.
func imports(notebooks []string) (paths []string, err error) {
	for _, name := range notebooks {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var nb struct {
			Cells []struct {
				Type   string `json:"cell_type"`
				Source any
			}
		}
		if err := json.Unmarshal(text, &nb); err != nil {
			return nil, errors.Join(errors.New(name), err)
		}
		for _, c := range nb.Cells {
			if c.Type != "code" {
				continue
			}
			source, ok := c.Source.(string)
			if lines, is := c.Source.([]any); is {
				for _, l := range lines {
					s, _ := l.(string)
					source += s
				}
			} else if !ok {
				continue
			}
			for _, m := range append(block.FindAllString(source, -1), line.FindAllString(source, -1)...) {
				for _, p := range path.FindAllStringSubmatch(m, -1) {
					paths = append(paths, p[1])
				}
			}
		}
	}
	return paths, nil
}

// files packs the files of the checkout that cells name, as seen from the notebooks' folder, and
// the tables.
func (b *builder) files(notebooks []string) (map[string]file, error) {
	list := map[string]file{}
	tables, err := filepath.Glob(filepath.Join(b.root, "notebooks", "results", "*.csv"))
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if list["/checkout/notebooks/results/"+filepath.Base(t)], err = b.pack(t, "file"); err != nil {
			return nil, err
		}
	}
	for _, name := range notebooks {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			from := filepath.Join(b.root, string(m[1]))
			if info, err := os.Stat(from); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if list["/checkout/"+string(m[1])], err = b.pack(from, "file"); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

var named = regexp.MustCompile(`\\"\.\./([\w./-]+)\\"`)

// pack compresses a file for the site, unless that was done before.
func (b *builder) pack(from, kind string) (file, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return file{}, err
	}
	hash := sha256.Sum256(data)
	name := hex.EncodeToString(hash[:10]) + "." + kind + ".gz"
	kept := filepath.Join(b.work, "packed", name)
	info, err := os.Stat(kept)
	if err == nil {
		return file{name, int(info.Size())}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return file{}, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	_, err = w.Write(data)
	if err = errors.Join(err, w.Close()); err != nil {
		return file{}, err
	}
	return file{name, packed.Len()}, write(kept, packed.Bytes())
}
