package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// file is a file of the site, compressed, or a part of one: Length bytes from At on, when it is
// unpacked. Its name holds a hash of what is in it.
type file struct {
	Path   string `json:"path"`
	Size   int    `json:"size"` // compressed, of the whole
	At     int    `json:"at,omitempty"`
	Length int    `json:"length,omitempty"` // 0: the whole
}

// wasm is the environment in which a page's programs are compiled.
var wasm = []string{"GOOS=js", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0"}

// programs compiles Go's compiler and linker, and our kernel's two parts.
func (b *builder) programs() (map[string]*file, error) {
	overlay, err := b.overlay()
	if err != nil {
		return nil, err
	}
	list := map[string]*file{}
	for name, path := range map[string]string{"compile": "cmd/compile", "link": "cmd/link", "cells": "./notebooks/lite/kernel", "help": "./notebooks/lite/help"} {
		to := filepath.Join(b.work, name+".wasm")
		args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to}
		if strings.HasPrefix(path, "cmd/") {
			args = append(args, "-overlay="+overlay)
		}
		if _, err := command(b.root, wasm, "go", append(args, path)...); err != nil {
			return nil, err
		}
		if list[name], err = b.packFile(to, name); err != nil {
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

// archive is a compiled package. The compiler reads what a package exports, of those alone that a
// cell imports; the linker reads objects, of all that these import as well.
type archive struct {
	Exports file     `json:"exports"`
	Objects file     `json:"objects"`
	Name    string   `json:"name"`
	Imports []string `json:"imports,omitempty"`
	module  string   // folder of its module, for the licence
	whole   string   // the archive itself
}

// packages compiles what the notebooks import and the toolkit has, with all that these import.
func (b *builder) packages(notebooks []string) (map[string]*archive, error) {
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
	packages, halves := map[string]*archive{}, map[string][2][]byte{}
	for _, l := range all {
		if l.Export == "" {
			continue // unsafe
		}
		data, err := os.ReadFile(l.Export)
		if err != nil {
			return nil, err
		}
		exports, objects, err := split(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ImportPath, err)
		}
		a := &archive{Name: l.Name, Imports: l.Imports, whole: l.Export}
		if l.Module != nil {
			a.module = l.Module.Dir
		}
		packages[l.ImportPath], halves[l.ImportPath] = a, [2][]byte{exports, objects}
	}
	first, err := imports(notebooks[:1])
	if err != nil {
		return nil, err
	}
	return packages, b.bundles(first, packages, halves)
}

// split parts an archive into what a package exports and the rest, as two archives.
func split(data []byte) (exports, objects []byte, err error) {
	const magic, header, longest = "!<arch>\n", 60, 10 // of the file; of a member; of a member's size
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	exports, objects = []byte(magic), []byte(magic)
	for len(rest) > 0 && ok {
		if len(rest) < header {
			ok = false
			break
		}
		name := strings.TrimSpace(string(rest[:16]))
		n, err := strconv.Atoi(strings.TrimSpace(string(rest[48 : 48+longest])))
		if n += header + n%2; err != nil || n < header || n > len(rest) {
			ok = false
			break
		}
		if name == "__.PKGDEF" {
			exports = append(exports, rest[:n]...)
		} else {
			objects = append(objects, rest[:n]...)
		}
		rest = rest[n:]
	}
	if !ok || len(exports) == len(magic) {
		return nil, nil, errors.New("it is no archive of a package")
	}
	return exports, objects, nil
}

// bundles packs packages. What the first notebook imports, with all that this imports, goes into
// two files, one of our module and one of the others: it compresses better so, and is one request
// each.
func (b *builder) bundles(first []string, packages map[string]*archive, halves map[string][2][]byte) error {
	type member struct {
		to   *file
		data []byte
	}
	var bundle [2][]member // of others, of ours
	var single []member
	needed := map[string]bool{}
	for list := append([]string{"runtime"}, first...); len(list) > 0; list = list[1:] {
		if p, is := packages[list[0]]; is && !needed[list[0]] {
			needed[list[0]] = true
			list = append(list, p.Imports...)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		a := packages[path]
		exports, objects := member{&a.Exports, halves[path][0]}, member{&a.Objects, halves[path][1]}
		which := 0
		if a.module == b.root {
			which = 1
		}
		if slices.Contains(first, path) {
			bundle[which] = append(bundle[which], exports)
		} else {
			single = append(single, exports)
		}
		if needed[path] {
			bundle[which] = append(bundle[which], objects)
		} else {
			single = append(single, objects)
		}
	}
	for _, members := range bundle {
		var all []byte
		for _, m := range members {
			all = append(all, m.data...)
		}
		f, err := b.pack(all, "bundle")
		if err != nil {
			return err
		}
		at := 0
		for _, m := range members {
			*m.to = file{Path: f.Path, At: at, Length: len(m.data)}
			at += len(m.data)
		}
	}
	for _, m := range single {
		f, err := b.pack(m.data, "a")
		if err != nil {
			return err
		}
		*m.to = *f
	}
	return nil
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
		cells, err := codeCells(name)
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			for _, m := range append(block.FindAllString(c.source, -1), line.FindAllString(c.source, -1)...) {
				for _, p := range path.FindAllStringSubmatch(m, -1) {
					paths = append(paths, p[1])
				}
			}
		}
	}
	return paths, nil
}

// codeCell is a notebook's cell of code, and its saved outputs as JSON.
type codeCell struct{ source, outputs string }

// codeCells reads a notebook's cells of code.
func codeCells(name string) (cells []codeCell, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if text, err = whole(text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var nb struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Source  string
			Outputs json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &nb); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range nb.Cells {
		if c.Type == "code" {
			cells = append(cells, codeCell{c.Source, string(c.Outputs)})
		}
	}
	return cells, nil
}

// files packs the files of the checkout that cells name, as seen from the notebooks' folder, and
// the tables.
func (b *builder) files(notebooks []string) (map[string]*file, error) {
	list := map[string]*file{}
	tables, err := filepath.Glob(filepath.Join(b.root, "notebooks", "results", "*.csv"))
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if list["/checkout/notebooks/results/"+filepath.Base(t)], err = b.packFile(t, "file"); err != nil {
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
			if list["/checkout/"+string(m[1])], err = b.packFile(from, "file"); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

var named = regexp.MustCompile(`\\"\.\./([\w./-]+)\\"`)

// packFile compresses a file for the site.
func (b *builder) packFile(from, kind string) (*file, error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return nil, err
	}
	return b.pack(data, kind)
}

// pack gives data a place in the site, by a hash of them. Until compress is called they lie aside.
func (b *builder) pack(data []byte, kind string) (*file, error) {
	hash := sha256.Sum256(data)
	f := &file{Path: hex.EncodeToString(hash[:10]) + "." + kind + ".zst"}
	_, err := os.Stat(b.packed(f.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return f, write(filepath.Join(b.work, "raw", f.Path), data)
	}
	return f, err
}

func (b *builder) packed(name string) string { return filepath.Join(b.work, "packed", name) }

//go:embed pack.py
var packer string

// compress makes the files of all that was packed, and notes how large they are.
func (b *builder) compress(files iter.Seq[*file]) error {
	python := filepath.Join(b.root, ".venv", "bin", "python")
	_, err := command(b.root, nil, python, "-c", packer, filepath.Join(b.work, "raw"), filepath.Join(b.work, "packed"))
	if err != nil {
		return err
	}
	for f := range files {
		info, err := os.Stat(b.packed(f.Path))
		if err != nil {
			return err
		}
		f.Size = int(info.Size())
	}
	return nil
}
