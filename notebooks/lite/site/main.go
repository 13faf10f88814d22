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
	"os"
	"os/exec"
	"path/filepath"
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
	packages, err := b.packages(notebooks)
	if err != nil {
		return err
	}
	programs, err := b.programs()
	if err != nil {
		return err
	}
	files, err := b.files(notebooks)
	if err != nil {
		return err
	}
	if err := b.jupyter(notebooks); err != nil {
		return err
	}
	return b.kernel(packages, programs, files)
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
