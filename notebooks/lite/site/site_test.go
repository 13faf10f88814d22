package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.ipynb")
	cells := `{"cells": [{"cell_type": "code", "source": ["%noautoget\n", "import (\n", "\t\"fmt\"\n", "\tr \"math/rand/v2\"\n", ")\n", "x := \"no\""]},
		{"cell_type": "markdown", "source": "import \"no\""}, {"cell_type": "code", "source": "import \"os\""}]}`
	if err := os.WriteFile(name, []byte(cells), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := imports([]string{name})
	if want := []string{"fmt", "math/rand/v2", "os"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("imports %q, error %v, want %q", got, err, want)
	}
}

func TestWhole(t *testing.T) {
	got, err := whole([]byte(`{"cells": [{"source": ["a\n", "b"], "outputs": [{"text": ["c\n", "d"]},
		{"data": {"text/html": ["<i>\n", "</i>"], "application/json": [1.50, {}], "text/plain": "e"}}]}]}`))
	want := `{"cells":[{"outputs":[{"text":"c\nd"},{"data":{"application/json":[1.50,{}],"text/html":"<i>\n</i>",` +
		`"text/plain":"e"}}],"source":"a\nb"}]}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
}

// The overlay leaves a function in the place of each set of rules: a Go that names them otherwise
// would give a compiler that does not build.
func TestOverlay(t *testing.T) {
	b := &builder{work: t.TempDir()}
	path, err := b.overlay()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	if len(overlay.Replace) < 12 {
		t.Errorf("%d files are replaced: %v", len(overlay.Replace), overlay.Replace)
	}
	for of, by := range overlay.Replace {
		source, err := os.ReadFile(by)
		if err != nil || !strings.Contains(string(source), "func ") {
			t.Errorf("in the place of %s, error %v:\n%s", of, err, source)
		}
		if filepath.Base(of) == "rewriteWasm.go" || filepath.Base(of) == "rewritegeneric.go" {
			t.Errorf("%s is replaced", of)
		}
	}
}

// member returns a member of an archive, as the compiler writes it.
func member(name, data string) string {
	pad := ""
	if len(data)%2 == 1 {
		pad = "\x00"
	}
	return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10d`\n%s%s", name, 0, 0, 0, 0o644, len(data), data, pad)
}

func TestSplit(t *testing.T) {
	const magic = "!<arch>\n"
	def, object, other := member("__.PKGDEF", "exports"), member("_go_.o", "code"), member("asm.o", "odd")
	exports, objects, err := split([]byte(magic + def + object + other))
	if err != nil || string(exports) != magic+def || string(objects) != magic+object+other {
		t.Errorf("%q, %q, error %v", exports, objects, err)
	}
	for _, bad := range []string{"", magic, magic + object, "x" + magic + def, magic + def[:40], magic + def[:len(def)-3],
		magic + strings.Replace(def, "7  ", "-9 ", 1)} {
		if exports, objects, err := split([]byte(bad)); err == nil {
			t.Errorf("%q is split into %q and %q", bad, exports, objects)
		}
	}
}

// What is cut from the bundles, as the page does it, is what was packed; a package that the first
// notebook does not need is in neither.
func TestBundles(t *testing.T) {
	b := &builder{root: "/ours", work: t.TempDir()}
	packages := map[string]*archive{
		"runtime": {}, "fmt": {Imports: []string{"io"}}, "io": {}, "alone": {}, "ours": {Imports: []string{"fmt"}, module: "/ours"},
	}
	halves := map[string][2][]byte{}
	for path := range packages {
		halves[path] = [2][]byte{[]byte("exports of " + path), []byte("objects of " + path)}
	}
	if err := b.bundles([]string{"ours"}, packages, halves); err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for path, a := range packages {
		for i, f := range []file{a.Exports, a.Objects} {
			data, err := os.ReadFile(filepath.Join(b.work, "raw", f.Path))
			if err != nil {
				t.Fatal(err)
			}
			if f.Length > 0 {
				data = data[f.At : f.At+f.Length]
			}
			if !bytes.Equal(data, halves[path][i]) {
				t.Errorf("half %d of %s is %q", i, path, data)
			}
			times[f.Path]++
		}
	}
	for path, want := range map[string][2]int{ // how many parts the file of a half has
		"ours": {2, 2}, "fmt": {1, 3}, "io": {1, 3}, "runtime": {1, 3}, "alone": {1, 1},
	} {
		a := packages[path]
		if got := [2]int{times[a.Exports.Path], times[a.Objects.Path]}; got != want {
			t.Errorf("%s: %v parts, want %v", path, got, want)
		}
	}
}
