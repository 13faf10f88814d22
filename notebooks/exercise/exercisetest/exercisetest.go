// Package exercisetest checks a notebook's exercises, and how its cells are written.
package exercisetest

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
)

// Answer is the stub and the solution of an exercise. Both are functions of the test's file, the
// stub with "Stub" behind the Name that the notebook has.
type Answer struct {
	Name           string
	Stub, Solution any
}

// Run sees each stub fail with its hint and each solution pass. It compares their text with the
// notebook's: the stub stands above %% in a cell that calls exercises.Check, the solution in the
// cell below it, folded. file is the test's own.
func Run(t *testing.T, set exercise.Set, notebook, file string, answers map[string]Answer) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cells := Cells(t, notebook)
	for name, task := range set {
		a, ok := answers[name]
		if !ok {
			t.Errorf("%s: no answer in this test", name)
			continue
		}
		if err := set.Answer(name, a.Stub); err == nil || !strings.HasSuffix(err.Error(), task.Hint) {
			t.Errorf("%s: the stub gives %v, want an error with the hint", name, err)
		}
		if err := set.Answer(name, a.Solution); err != nil {
			t.Errorf("%s: the solution gives %v", name, err)
		}
		if err := set.Answer(name, 7); err == nil {
			t.Errorf("%s: an answer of another type passes", name)
		}
		call := fmt.Sprintf("exercises.Check(%q, %s)", name, a.Name)
		place := slices.IndexFunc(cells, func(c Cell) bool { return strings.Contains(c.Source, call) })
		if place < 0 || place+1 == len(cells) {
			t.Errorf("%s: no cell of the notebook calls %s", name, call)
			continue
		}
		stub, _, _ := strings.Cut(cells[place].Source, "\n\n%%")
		_, solution, _ := strings.Cut(cells[place+1].Source, "<pre><code>")
		solution, _, _ = strings.Cut(html.UnescapeString(solution), "\n</code>")
		for text, want := range map[string]string{
			strings.Replace(stub, a.Name+"(", a.Name+"Stub(", 1): "stub", solution: "solution",
		} {
			if len(text) < 20 || !strings.Contains(string(source), text) {
				t.Errorf("%s: the notebook's %s is not that of this test:\n%s", name, want, text)
			}
		}
	}
	if len(answers) != len(set) {
		t.Errorf("%d answers to %d exercises", len(answers), len(set))
	}
}

// Cell is a cell of a notebook.
type Cell struct {
	ID     string
	Code   bool
	Source string
}

// Cells reads a notebook.
func Cells(t *testing.T, notebook string) (cells []Cell) {
	t.Helper()
	b, err := os.ReadFile(notebook)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			ID     string
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(b, &nb); err != nil {
		t.Fatal(err)
	}
	for _, c := range nb.Cells {
		cells = append(cells, Cell{c.ID, c.Kind == "code", strings.Join(c.Source, "")})
	}
	return cells
}

var toolkit = regexp.MustCompile(`"github.com/dpbandits/dpbandits/pkg/(\w+)"`)

// ShowsToolkit checks that at least two thirds of a notebook's code cells use packages of pkg/ and
// nothing of the paper's own folder, which is called study. The cell of the imports, exercises, and
// cells that only check a statement do not count; at least so many others are expected.
func ShowsToolkit(t *testing.T, notebook string, least int) {
	t.Helper()
	var uses *regexp.Regexp
	shown, all := 0, 0
	for _, c := range Cells(t, notebook) {
		switch {
		case !c.Code || strings.Contains(c.Source, "exercises.Check(") || checks(c):
		case uses == nil:
			var names []string
			for _, m := range toolkit.FindAllStringSubmatch(c.Source, -1) {
				names = append(names, m[1])
			}
			if len(names) == 0 {
				t.Fatalf("the first code cell of %s imports nothing of pkg/", notebook)
			}
			uses = regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\.`)
		default:
			all++
			if uses.MatchString(c.Source) && !strings.Contains(c.Source, "study.") {
				shown++
			}
		}
	}
	if all < least || 3*shown < 2*all {
		t.Errorf("%d of %d code cells use pkg/ and nothing of the paper's folder, want two thirds of at least %d", shown, all, least)
	}
}

// checks reports whether a cell does nothing but check statements.
func checks(c Cell) bool {
	for _, line := range strings.Split(c.Source, "\n") {
		if line != "" && line != "%%" && !strings.HasPrefix(line, "study.Assert(") {
			return false
		}
	}
	return true
}

// Short checks that a cell that runs something has at most 15 lines of code, and one that only
// declares at most 30. Empty lines and %% do not count, nor does the cell of the imports.
func Short(t *testing.T, notebook string) {
	t.Helper()
	for _, c := range Cells(t, notebook) {
		if !c.Code || strings.HasPrefix(c.Source, "%noautoget") {
			continue
		}
		lines, most := 0, 30
		for _, line := range strings.Split(c.Source, "\n") {
			if line = strings.TrimSpace(line); line == "%%" {
				most = 15
			} else if line != "" {
				lines++
			}
		}
		if lines > most {
			t.Errorf("cell %s has %d lines, want at most %d", c.ID, lines, most)
		}
	}
}
