// Package notebooktest checks a notebook: how its cells are written, that its exercises check
// themselves, and that its claims fail in code that is broken on purpose.
//
// A claim that broken code can keep says nothing. A package with a test named TestClaims, which has
// a subtest for each claim, such as [Claims], lists its mutations, and calls [Mutations].
package notebooktest

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/exercise"
)

// Answer is the stub and the solution of an exercise. Both are functions of the test's file, the
// stub with "Stub" behind the Name that the notebook has.
type Answer struct {
	Name           string
	Stub, Solution any
}

// Exercises sees each stub fail with its hint and each solution pass. It compares their text with
// that of the lesson or of its evidence: the stub stands above %% in a cell that calls
// exercises.Check, the solution in the cell below it, folded. file is the test's own.
func Exercises(t *testing.T, set exercise.Set, lesson, file string, answers map[string]Answer) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cells []Cell
	for _, notebook := range Files(t, lesson) {
		cells = append(cells, Cells(t, notebook)...)
	}
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
			t.Errorf("%s: no cell of the lesson or its evidence calls %s", name, call)
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

// Parse returns the cells of a notebook, a file in the format of Jupyter (nbformat 4).
func Parse(notebook []byte) (cells []Cell, err error) {
	var nb struct {
		Cells []struct {
			ID     string
			Kind   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(notebook, &nb); err != nil {
		return nil, fmt.Errorf("notebooktest: %w", err)
	}
	for _, c := range nb.Cells {
		cells = append(cells, Cell{c.ID, c.Kind == "code", strings.Join(c.Source, "")})
	}
	return cells, nil
}

// Files lists the notebook files of a lesson, NN-name.ipynb: the lesson, and what stands behind it,
// evidence/NN-*.ipynb.
func Files(t *testing.T, lesson string) []string {
	t.Helper()
	number, _, _ := strings.Cut(filepath.Base(lesson), "-")
	evidence, err := filepath.Glob(filepath.Join(filepath.Dir(lesson), "evidence", number+"-*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{lesson}, evidence...)
}

// Cells reads a notebook.
func Cells(t *testing.T, notebook string) []Cell {
	t.Helper()
	b, err := os.ReadFile(notebook)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := Parse(b)
	if err != nil {
		t.Fatalf("%s: %v", notebook, err)
	}
	return cells
}

// imports reports whether a cell is the one that imports packages, which is a notebook's first.
func (c Cell) imports() bool { return strings.HasPrefix(c.Source, "%noautoget") }

var assertion = regexp.MustCompile(`\.Assert\("([^"]*)"\)`)

// Asserted checks that a lesson or its evidence asserts each of the claims, which are named as in
// calls of Assert, and no other.
func Asserted(t *testing.T, lesson string, claims []string) {
	t.Helper()
	asserted := map[string]bool{}
	for _, notebook := range Files(t, lesson) {
		for _, c := range Cells(t, notebook) {
			for _, m := range assertion.FindAllStringSubmatch(c.Source, -1) {
				asserted[m[1]] = true
				if !slices.Contains(claims, m[1]) {
					t.Errorf("%s: cell %s asserts %q, which nothing checks", notebook, c.ID, m[1])
				}
			}
		}
	}
	for _, name := range claims {
		if !asserted[name] {
			t.Errorf("neither %s nor its evidence asserts %q", lesson, name)
		}
	}
}
