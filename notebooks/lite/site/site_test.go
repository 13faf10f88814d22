package main

import (
	"encoding/json"
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
