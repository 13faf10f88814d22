package write

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

const notebook = "../06-write-your-own.ipynb"

func TestClaims(t *testing.T) { notebooktest.Claims(t, claims) }

// mutations breaks the code once for each statement, in a place that it is about.
var mutations = []notebooktest.Mutation{
	{claims[0].Statement, "its widths are twenty times as wide", "notebooks/own/hopeful.go", "h.Boldness / math", "20 * h.Boldness / math"},
	{claims[1].Statement, "Totals does not clip", "notebooks/own/totals.go", "min(max(r.Y[0], s.setup.Lo), s.setup.Hi)", "r.Y[0]"},
	{claims[1].Statement, "a block is released again with the next", "notebooks/own/totals.go", "s.open[a], s.drawn = 0, s.drawn+1", "s.drawn = s.drawn + 1"},
	{claims[2].Statement, "there is one season", "notebooks/own/seasons.go", "max(0, e.round-1)/e.Long", "0"},
	{claims[3].Statement, "an interval is half as wide", "pkg/offpolicy/estimate.go", "half := float64(-portable.NormalQuantile((1-level)/2) * e.SE)", "half := float64(-portable.NormalQuantile((1-level)/2) * e.SE / 2)"},
}

func TestMutations(t *testing.T) { notebooktest.Mutations(t, mutations, claims.Names()) }

func TestAsserted(t *testing.T) { notebooktest.Asserted(t, notebook, claims.Names()) }

// TestNotebookHasTheCode: what package own declares for the notebook stands in cells of the lesson
// or of its evidence.
func TestNotebookHasTheCode(t *testing.T) {
	var cells []string
	for _, file := range notebooktest.Files(t, notebook) {
		for _, c := range notebooktest.Cells(t, file) {
			if c.Code {
				cells = append(cells, c.Source)
			}
		}
	}
	all := strings.Join(cells, "\n")
	for _, name := range []string{"hopeful.go", "totals.go", "seasons.go"} {
		source, err := os.ReadFile(filepath.Join("..", "own", name))
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			text := string(source[files.Position(d.Pos()).Offset:files.Position(d.End()).Offset])
			if !strings.Contains(all, text) {
				t.Errorf("no cell has this of %s:\n%s", name, text)
			}
		}
	}
}

// TestModuleOfItsOwn builds package own as a module outside of this one, which imports ours, and
// runs its tests there: they race and audit what the notebook writes.
func TestModuleOfItsOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := filepath.Glob("../own/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range append(files, "../../go.sum") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const ours = "github.com/dpbandits/dpbandits"
	for _, args := range [][]string{
		{"mod", "init", "example.org/mine"},
		{"mod", "edit", "-require=" + ours + "@v0.0.0", "-replace=" + ours + "=" + root},
		{"test", "-mod=mod", "-count=1", "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		t.Logf("go %s\n%s", strings.Join(args, " "), out)
	}
}
