// Pages compiles a notebook to a program for its page.
//
//	pages [-out build/pages] name <name.ipynb
//
// A comment at a variable of a cell makes it a control of the page:
//
//	epsilon, rounds := 1.0, 20 // control: epsilon 0.1..10 log, rounds 1..100 page 5
//
// Pages generates one program of the cells that draw and use a control, compiles it for
// WebAssembly, compresses it, and prints as JSON where it lies and which controls there are. What
// is up to date is not made again.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Page is what a page that computes is made of.
type Page struct {
	Program string  `json:"program"` // path of the compressed program
	Cells   []*Cell `json:"cells"`
}

func main() {
	out := flag.String("out", filepath.Join("build", "pages"), "directory of the programs")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintf(os.Stderr, "pages: %d arguments, want the name of a notebook, whose JSON is read from stdin\n", flag.NArg())
		os.Exit(2)
	}
	p, err := compile(os.Stdin, filepath.Join(*out, flag.Arg(0)))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(p)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "pages: %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
}

// compile makes the program of one notebook in a directory.
func compile(notebook io.Reader, dir string) (*Page, error) {
	start := time.Now()
	ids, sources, err := Cells(notebook)
	if err != nil {
		return nil, err
	}
	p, err := Generate(ids, sources)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "page.wasm")
	if err := p.Build(dir, program, "GOOS=js", "GOARCH=wasm"); err != nil {
		return nil, err
	}
	packed, size, err := pack(program)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "  %s: cells that the page computes: %d; %.2f MB compressed, made in %.1f s\n",
		filepath.Base(dir), len(p.Cells), float64(size)/1e6, time.Since(start).Seconds())
	return &Page{Program: packed, Cells: p.Cells}, nil
}

// Build writes the program's source into a directory and compiles it in an environment. It has to
// be called in the checkout.
func (p *Program) Build(dir, to string, env ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	source := filepath.Join(dir, "main.go")
	old, err := os.ReadFile(source)
	if err == nil && !bytes.Equal(old, p.Source) || errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(source, p.Source, 0o644)
	}
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-tags=page", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to, source)
	cmd.Env = append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// pack compresses a file, unless that was done before, and returns the path and size of the result.
// Its name holds a hash of what is in it.
func pack(path string) (packed string, size int64, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	hash := sha256.Sum256(data)
	packed = path + "." + hex.EncodeToString(hash[:8]) + ".gz"
	if info, err := os.Stat(packed); err == nil {
		return packed, info.Size(), nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return "", 0, err
	}
	old, _ := filepath.Glob(path + ".*.gz")
	for _, f := range old {
		os.Remove(f)
	}
	if err = os.WriteFile(packed+".part", b.Bytes(), 0o644); err == nil {
		err = os.Rename(packed+".part", packed)
	}
	return packed, int64(b.Len()), err
}
