// Site builds a folder of static files in which the notebooks run without a server: JupyterLite,
// and a Go kernel that is Go's own compiler and linker, compiled for WebAssembly.
//
//	site [-out build/lite] [notebook...]
//
// It wants what docker/setup installs (go python node), and no network. What is up to date is not
// made again.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// builder knows the places.
type builder struct {
	root string // the checkout
	work string // what is kept for the next time
	out  string // the site
}

func main() {
	out := flag.String("out", filepath.Join("build", "lite"), "folder of the site")
	flag.Parse()
	if err := build(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func build(out string, notebooks []string) error {
	root, err := command("", nil, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	b := &builder{root: strings.TrimSpace(string(root))}
	if b.out, err = filepath.Abs(out); err != nil {
		return err
	}
	b.work = filepath.Join(b.root, "build", "lite.work")
	if len(notebooks) == 0 {
		for _, folder := range []string{"notebooks", filepath.Join("notebooks", evidence)} {
			found, err := filepath.Glob(filepath.Join(b.root, folder, "*.ipynb"))
			if err != nil {
				return err
			}
			notebooks = append(notebooks, found...)
		}
	}
	if len(notebooks) == 0 {
		return errors.New("there are no notebooks")
	}
	x := &index{}
	if x.Packages, err = b.packages(notebooks); err != nil {
		return err
	}
	if x.Programs, err = b.programs(); err != nil {
		return err
	}
	if x.Files, err = b.files(notebooks); err != nil {
		return err
	}
	if err := b.compress(x.all()); err != nil {
		return err
	}
	if x.text, err = json.MarshalIndent(x, "", " "); err != nil {
		return err
	}
	if x.ready, err = b.ready(notebooks, x); err != nil {
		return err
	}
	if err := b.compress(x.all()); err != nil {
		return err
	}
	return errors.Join(b.jupyter(notebooks), b.kernel(x))
}

// index is what the site's kernel can fetch.
type index struct {
	Programs map[string]*file    `json:"programs"` // compiler, linker, and our kernel's parts
	Packages map[string]*archive `json:"packages"`
	Files    map[string]*file    `json:"files"` // of the checkout
	text     []byte              // of all this, which names the build
	ready    map[string]map[string]*file
}

// all lists its files.
func (x *index) all() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		lists := append(slices.Collect(maps.Values(x.ready)), x.Programs, x.Files)
		for _, p := range x.Packages {
			lists = append(lists, map[string]*file{"exports": &p.Exports, "objects": &p.Objects})
		}
		for _, list := range lists {
			for _, f := range list {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// command runs a program with more in its environment, and returns what it prints.
func command(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", cmd, err, out, &messages)
	}
	return out, nil
}

// write writes a file, with its folder, unless it holds the same already.
func write(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(to, data)
}

// size returns the size of all files below a folder.
func size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

func writeJSON(path string, v any) error {
	js, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return write(path, append(js, '\n'))
}

func say(format string, args ...any) {
	fmt.Fprintf(io.Writer(os.Stderr), "lite: "+format+"\n", args...)
}
